// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "lib/trace/refusals.h"
#include "lib/trace/wire/likeness.h"

static const struct mr_cause *cause_of(const struct mr_look *look)
{
	return look->diagnosis.cause_count ? look->diagnosis.causes[0].cause : NULL;
}

const struct mr_cause *mr_refusals_cause(const struct mr_refusal_kind *kind)
{
	return kind->has_look ? cause_of(&kind->look) : NULL;
}

bool mr_refusals_is_of_request(const struct mr_refusal_kind *kind)
{
	const struct mr_cause *cause = mr_refusals_cause(kind);

	return cause && cause->is_of_request &&
	       kind->look.diagnosis.causes[0].certainty == MR_CERTAIN;
}

static bool is_of_call(const struct mr_refusal_kind *kind, const struct mr_trace_record *call)
{
	return kind->record.call.call == call->call && kind->record.call.errnum == call->errnum;
}

static bool has_likeness(const struct mr_refusal_kind *kind, uint64_t likeness)
{
	for (size_t i = 0; i < kind->likeness_count; i++)
		if (kind->likenesses[i] == likeness)
			return true;
	return false;
}

/* The kind with the cause that was found; else one that nobody has looked at yet, of a call that is alike. */
static struct mr_refusal_kind *find_looked_at(const struct mr_refusals *refusals,
					      const struct mr_refusal_seen *refused)
{
	const struct mr_trace_record *call = &refused->record->call;
	const uint64_t likeness = mr_trace_likeness(call);
	struct mr_refusal_kind *alike = NULL;

	for (size_t i = 0; i < refusals->count; i++) {
		struct mr_refusal_kind *kind = refusals->kinds[i];

		if (!is_of_call(kind, call))
			continue;
		if (kind->has_look && mr_refusals_cause(kind) == cause_of(refused->look))
			return kind;
		if (!kind->has_look && !kind->is_ambiguous && has_likeness(kind, likeness))
			alike = kind;
	}
	return alike;
}

/* The kind that was looked at and has the likeness.  @several: set where several have */
static struct mr_refusal_kind *find_alike(const struct mr_refusals *refusals,
					  const struct mr_trace_record *call, uint64_t likeness,
					  bool *several)
{
	struct mr_refusal_kind *found = NULL;

	*several = false;
	for (size_t i = 0; i < refusals->count; i++) {
		struct mr_refusal_kind *kind = refusals->kinds[i];

		if (!kind->has_look || !is_of_call(kind, call) || !has_likeness(kind, likeness))
			continue;
		*several = found != NULL;
		found = kind;
	}
	return found;
}

/*
 * Where nobody looked, the cause is that of calls on the same range that are alike, else that of calls that are
 * alike, if these have one cause alone.
 * @ambiguous: set where they have several
 */
static struct mr_refusal_kind *find_unseen(const struct mr_refusals *refusals,
					   const struct mr_trace_record *call, bool *ambiguous)
{
	const uint64_t likeness = mr_trace_likeness(call);
	struct mr_refusal_kind *found =
		find_alike(refusals, call, mr_trace_range_likeness(call, likeness), ambiguous);

	if (!found || *ambiguous)
		found = find_alike(refusals, call, likeness, ambiguous);
	if (found && !*ambiguous)
		return found;
	for (size_t i = 0; i < refusals->count; i++)
		if (!refusals->kinds[i]->has_look && is_of_call(refusals->kinds[i], call) &&
		    has_likeness(refusals->kinds[i], likeness))
			return refusals->kinds[i];
	return NULL;
}

static void add_likeness(struct mr_refusal_kind *kind, uint64_t likeness)
{
	if (kind->likeness_count < MR_REFUSAL_LIKENESSES && !has_likeness(kind, likeness))
		kind->likenesses[kind->likeness_count++] = likeness;
}

static void note_likeness(struct mr_refusal_kind *kind, const struct mr_refusal_seen *refused)
{
	const struct mr_trace_record *call = &refused->record->call;
	const uint64_t likeness = mr_trace_likeness(call);

	add_likeness(kind, likeness);
	if (refused->look)
		add_likeness(kind, mr_trace_range_likeness(call, likeness));
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

struct mr_refusal_kind *mr_refusals_add(struct mr_refusals *refusals,
					const struct mr_refusal_seen *refused)
{
	const struct mr_trace_record *call = &refused->record->call;
	bool ambiguous = false;
	struct mr_refusal_kind *kind = refused->look ? find_looked_at(refusals, refused)
						     : find_unseen(refusals, call, &ambiguous);

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
	kind->is_ambiguous |= ambiguous;
	note_likeness(kind, refused);
	return kind;
}

void mr_refusals_release(struct mr_refusals *refusals)
{
	for (size_t i = 0; i < refusals->count; i++) {
		free(refusals->kinds[i]->place);
		free(refusals->kinds[i]->program);
		for (char **frame = refusals->kinds[i]->frames; *frame; frame++)
			free(*frame);
		free(refusals->kinds[i]);
	}
	*refusals = (struct mr_refusals){ .count = 0 };
}
