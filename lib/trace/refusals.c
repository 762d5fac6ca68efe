// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "lib/trace/refusals.h"

static const struct mr_cause *cause_of(const struct mr_look *look)
{
	return look->diagnosis.cause_count ? look->diagnosis.causes[0].cause : NULL;
}

const struct mr_cause *mr_refusals_cause(const struct mr_refusal_kind *kind)
{
	return kind->has_look ? cause_of(&kind->look) : NULL;
}

/*
 * Of a refusal that was not looked at only call and errno are known.  The agent asks for a look at the first ones
 * of each place, so it is most likely of the last kind that has both.
 */
static struct mr_refusal_kind *find(const struct mr_refusals *refusals,
				    const struct mr_refusal_seen *refused)
{
	const struct mr_trace_record *call = &refused->record->call;

	for (size_t i = refusals->count; i-- > 0;) {
		struct mr_refusal_kind *kind = refusals->kinds[i];

		if (kind->record.call.call == call->call &&
		    kind->record.call.errnum == call->errnum &&
		    (!refused->look || !kind->has_look ||
		     mr_refusals_cause(kind) == cause_of(refused->look)))
			return kind;
	}
	return NULL;
}

static void set_look(struct mr_refusal_kind *kind, const struct mr_refusal_seen *refused)
{
	kind->has_look = refused->look != NULL;
	if (refused->look)
		kind->look = *refused->look;
	kind->has_region = refused->region != NULL;
	if (refused->region)
		kind->region = *refused->region;
	kind->dm_length = refused->dm_length;
	kind->record = *refused->record;
	kind->pid = refused->pid;
}

static struct mr_refusal_kind *add(struct mr_refusals *refusals,
				   const struct mr_refusal_seen *refused)
{
	struct mr_refusal_kind *kind =
		refusals->count < MR_REFUSAL_KINDS ? calloc(1, sizeof(*kind)) : NULL;

	if (!kind)
		return NULL;
	set_look(kind, refused);
	kind->place = refused->place ? strdup(refused->place) : NULL;
	kind->program = refused->program ? strdup(refused->program) : NULL;
	refusals->kinds[refusals->count++] = kind;
	return kind;
}

const struct mr_refusal_kind *mr_refusals_add(struct mr_refusals *refusals,
					      const struct mr_refusal_seen *refused)
{
	struct mr_refusal_kind *kind = find(refusals, refused);

	refusals->total++;
	if (!kind)
		kind = add(refusals, refused);
	else if (refused->look && !kind->has_look)
		set_look(kind, refused);
	if (!kind) {
		refusals->left_out++;
		return NULL;
	}
	kind->count++;
	kind->looked_at += refused->look != NULL;
	return kind;
}

void mr_refusals_release(struct mr_refusals *refusals)
{
	for (size_t i = 0; i < refusals->count; i++) {
		free(refusals->kinds[i]->place);
		free(refusals->kinds[i]->program);
		free(refusals->kinds[i]);
	}
	*refusals = (struct mr_refusals){ .count = 0 };
}
