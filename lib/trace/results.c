// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/trace/trace.h"
#include "lib/trace/wire/wire.h"

static const struct mr_cause *cause_of(const struct mr_look *look)
{
	return look && look->diagnosis.cause_count ? look->diagnosis.causes[0].cause : NULL;
}

const struct mr_cause *mr_refusals_cause(const struct mr_refusal_kind *kind)
{
	return cause_of(kind->look);
}

bool mr_refusals_is_of_request(const struct mr_refusal_kind *kind)
{
	const struct mr_cause *cause = mr_refusals_cause(kind);

	return cause && cause->is_of_request &&
	       kind->look->diagnosis.causes[0].certainty == MR_CERTAIN;
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
					      const struct mr_trace_record *call,
					      const struct mr_look *look)
{
	const uint64_t likeness = mr_trace_likeness(call);
	struct mr_refusal_kind *alike = NULL;

	for (size_t i = 0; i < refusals->count; i++) {
		struct mr_refusal_kind *kind = refusals->kinds[i];

		if (!is_of_call(kind, call))
			continue;
		if (kind->look && cause_of(kind->look) == cause_of(look))
			return kind;
		if (!kind->look && !kind->is_ambiguous && has_likeness(kind, likeness))
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

		if (!kind->look || !is_of_call(kind, call) || !has_likeness(kind, likeness))
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
		if (!refusals->kinds[i]->look && is_of_call(refusals->kinds[i], call) &&
		    has_likeness(refusals->kinds[i], likeness))
			return refusals->kinds[i];
	return NULL;
}

static void add_likeness(struct mr_refusal_kind *kind, uint64_t likeness)
{
	if (kind->likeness_count < MR_REFUSAL_LIKENESSES && !has_likeness(kind, likeness))
		kind->likenesses[kind->likeness_count++] = likeness;
}

struct mr_refusal_kind *mr_refusals_add(struct mr_refusals *refusals,
					const struct mr_traced_process *process,
					const struct mr_traced_record *record,
					const struct mr_look *look, const char *place)
{
	const struct mr_trace_record *call = &record->call;
	const uint64_t likeness = mr_trace_likeness(call);
	bool ambiguous = false;
	struct mr_refusal_kind *kind = look ? find_looked_at(refusals, call, look)
					    : find_unseen(refusals, call, &ambiguous);

	refusals->total++;
	if (!kind && refusals->count < MR_REFUSAL_KINDS && (kind = calloc(1, sizeof(*kind)))) {
		kind->place = place ? strdup(place) : NULL;
		kind->program = strdup(process->program);
		refusals->kinds[refusals->count++] = kind;
	}
	if (!kind) {
		refusals->left_out++;
		return NULL;
	}
	if (!kind->count || (look && !kind->look)) {
		kind->record = *record;
		kind->pid = process->pid;
		kind->look = look ? malloc(sizeof(*look)) : NULL;
		if (kind->look)
			*kind->look = *look;
	}
	kind->count++;
	kind->looked_at += look != NULL;
	kind->is_ambiguous |= ambiguous;
	add_likeness(kind, likeness);
	if (look)
		add_likeness(kind, mr_trace_range_likeness(call, likeness));
	return kind;
}

void mr_refusals_release(struct mr_refusals *refusals)
{
	for (size_t i = 0; i < refusals->count; i++) {
		free(refusals->kinds[i]->place);
		free(refusals->kinds[i]->program);
		free(refusals->kinds[i]->look);
		for (char **frame = refusals->kinds[i]->frames; *frame; frame++)
			free(*frame);
		free(refusals->kinds[i]);
	}
	*refusals = (struct mr_refusals){ .count = 0 };
}

enum {
	LEAKS_MAX = 4096,        /* places of leaks that are kept */
	ENDED_MAX = 256,         /* processes without children that are kept after their end */
	ENDED_OBJECTS = 1 << 18, /* of these processes */
};

/* ---- the places of leaks ---- */

static bool is_equal(const struct mr_leak *leak, const struct mr_leak *other)
{
	size_t i = 0;

	while (leak->frames[i] && other->frames[i] && !strcmp(leak->frames[i], other->frames[i]))
		i++;
	return !leak->frames[i] && !other->frames[i] && leak->call == other->call &&
	       !strcmp(leak->place, other->place) && !strcmp(leak->program, other->program);
}

static void release_leak(struct mr_leak *leak)
{
	for (char **frame = leak->frames; *frame; frame++)
		free(*frame);
	free(leak->program);
	free(leak->place);
}

/* The leak that the regions of a place belong to, which may be one of another process.  NULL: memory is short */
static struct mr_leak *leak_of(struct mr_leaks *leaks, struct mr_traced_process *process,
			       struct mr_site *site)
{
	struct mr_leak leak = { .program = strdup(process->program),
				.place = strdup(mr_process_place(process, site)),
				.call = site->call };
	struct mr_leak *list = NULL;
	size_t at = 0;

	for (uint32_t i = 0; i < site->frame_count && site->frame_names[i]; i++)
		leak.frames[i] = strdup(site->frame_names[i]);
	if (!leak.program || !leak.place)
		at = LEAKS_MAX;
	while (at < leaks->count && !is_equal(&leaks->list[at], &leak))
		at++;
	if (at == leaks->count && at < LEAKS_MAX)
		list = reallocarray(leaks->list, at + 1, sizeof(*list));
	if (list) {
		leaks->list = list;
		list[leaks->count++] = leak;
	} else {
		release_leak(&leak);
	}
	return at < leaks->count ? &leaks->list[at] : NULL;
}

static void count_leaks(struct mr_leaks *leaks, struct mr_traced_process *process)
{
	size_t count;
	mr_auto_free struct mr_site **sites = mr_ledger_sites(&process->ledger, &count);

	for (size_t i = 0; i < count; i++) {
		struct mr_leak *leak = sites[i]->count ? leak_of(leaks, process, sites[i]) : NULL;

		if (!leak)
			continue;
		leak->count += sites[i]->count;
		leak->bytes = mr_sum(leak->bytes, sites[i]->bytes);
	}
}

/* ---- processes that have ended ---- */

static bool has_children(const struct mr_traced_process *process)
{
	return process->heirs || process->children;
}

/* Forgets those that no child can ask for, and the oldest where they are too many. */
static void forget_some(struct mr_leaks *leaks)
{
	struct mr_traced_process **link = &leaks->first, *at, *heir;
	size_t processes = 0, objects = 0;

	for (at = leaks->first; at; at = at->next) {
		processes += !has_children(at);
		objects += has_children(at) ? 0 : at->ledger.object_count;
	}
	leaks->last = NULL;
	while ((at = *link)) {
		/* A child that turns up yet may deregister what it has of its parents. */
		for (heir = at; heir && !heir->ledger.live.count;)
			heir = heir->parent;
		if (has_children(at) ||
		    (heir && processes <= ENDED_MAX && objects <= ENDED_OBJECTS)) {
			leaks->last = at;
			link = &at->next;
			continue;
		}
		processes--;
		objects -= at->ledger.object_count;
		count_leaks(leaks, at);
		if (at->parent)
			at->parent->children--;
		*link = at->next;
		mr_process_release(at);
	}
}

void mr_leaks_begin(struct mr_traced_process *process, struct mr_traced_process *parent,
		    struct mr_trace_totals *totals)
{
	process->parent = parent;
	if (parent) {
		parent->children++;
		process->ledger.parent = &parent->ledger;
	}
	for (; process; process = process->parent)
		if (!process->heirs++)
			mr_ledger_count(&process->ledger, true, totals);
}

void mr_leaks_end(struct mr_leaks *leaks, struct mr_traced_process *process,
		  struct mr_trace_totals *totals)
{
	mr_process_name_sites(process);
	mr_process_stop(process);
	for (struct mr_traced_process *at = process; at; at = at->parent)
		if (!--at->heirs)
			mr_ledger_count(&at->ledger, false, totals);
	if (leaks->last)
		leaks->last->next = process;
	else
		leaks->first = process;
	leaks->last = process;
	forget_some(leaks);
}

struct mr_traced_process *mr_leaks_ended(const struct mr_leaks *leaks, uint64_t id)
{
	struct mr_traced_process *at = leaks->first;

	while (at && at->id != id)
		at = at->next;
	return at;
}

void mr_leaks_count(struct mr_leaks *leaks)
{
	for (struct mr_traced_process *at = leaks->first; at; at = at->next)
		if (!at->heirs)
			count_leaks(leaks, at);
}

void mr_leaks_release(struct mr_leaks *leaks)
{
	struct mr_traced_process *at, *next;

	for (at = leaks->first; at; at = next) {
		next = at->next;
		mr_process_release(at);
	}
	for (size_t i = 0; i < leaks->count; i++)
		release_leak(&leaks->list[i]);
	free(leaks->list);
	*leaks = (struct mr_leaks){ 0 };
}
