// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/trace/trace.h"
#include "lib/trace/wire/wire.h"

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

enum {
	LEAKS_MAX = 4096,        /* places of leaks that are kept */
	ENDED_MAX = 256,         /* processes without children that are kept after their end */
	ENDED_OBJECTS = 1 << 18, /* of these processes */
};

/* ---- the places of leaks ---- */

/* Those of a process.  Naming a caller makes one more place, so they are collected before. */
struct sites {
	struct mr_site **list;
	size_t count;
};

static void collect_site(struct mr_site *site, void *data)
{
	struct sites *sites = data;

	if (site->count)
		sites->list[sites->count++] = site;
}

static void collect_sites(const struct mr_traced_process *process, struct sites *sites)
{
	const struct mr_ledger *ledger = &process->ledger;

	*sites = (struct sites){ 0 };
	if (ledger->live.count)
		sites->list = calloc(ledger->site_count, sizeof(struct mr_site *));
	if (sites->list)
		mr_ledger_sites(ledger, collect_site, sites);
}

/* While its files can be read, and what is known of them is kept. */
static void name_sites(struct mr_traced_process *process)
{
	struct sites sites;

	collect_sites(process, &sites);
	for (size_t i = 0; i < sites.count; i++) {
		const struct mr_site *site = sites.list[i];

		mr_process_place(process, sites.list[i]);
		for (uint32_t frame = 0; frame < site->frame_count; frame++)
			if (!site->frame_names[frame])
				mr_process_caller(process, site->frames[frame]);
	}
	free(sites.list);
}

static bool has_frames(const struct mr_leak *leak, char *const *frames)
{
	size_t i = 0;

	while (leak->frames[i] && frames[i] && !strcmp(leak->frames[i], frames[i]))
		i++;
	return !leak->frames[i] && !frames[i];
}

static struct mr_leak *find_leak(const struct mr_leaks *leaks, const struct mr_leak *wanted)
{
	for (size_t i = 0; i < leaks->count; i++) {
		struct mr_leak *leak = &leaks->list[i];

		if (leak->call == wanted->call && !strcmp(leak->place, wanted->place) &&
		    !strcmp(leak->program, wanted->program) && has_frames(leak, wanted->frames))
			return leak;
	}
	return NULL;
}

static void release_leak(struct mr_leak *leak)
{
	for (char **frame = leak->frames; *frame; frame++)
		free(*frame);
	free(leak->program);
	free(leak->place);
}

static void name_frames(struct mr_leak *leak, struct mr_traced_process *process,
			const struct mr_site *site)
{
	for (uint32_t i = 0; i < site->frame_count; i++)
		leak->frames[i] = mr_process_frame(process, site, i);
}

/* The leak that the regions of a place belong to, which may be one of another process.  NULL: memory is short */
static struct mr_leak *leak_of(struct mr_leaks *leaks, struct mr_traced_process *process,
			       struct mr_site *site)
{
	struct mr_leak leak = { .program = strdup(process->program),
				.place = strdup(mr_process_place(process, site)),
				.call = site->call };
	struct mr_leak *list, *found;

	name_frames(&leak, process, site);
	found = leak.program && leak.place ? find_leak(leaks, &leak) : NULL;
	list = !found && leak.program && leak.place && leaks->count < LEAKS_MAX
		       ? reallocarray(leaks->list, leaks->count + 1, sizeof(*list))
		       : NULL;
	if (!list) {
		release_leak(&leak);
		return found;
	}
	leaks->list = list;
	list[leaks->count] = leak;
	return &list[leaks->count++];
}

static void count_leaks(struct mr_leaks *leaks, struct mr_traced_process *process)
{
	struct sites sites;

	collect_sites(process, &sites);
	for (size_t i = 0; i < sites.count; i++) {
		struct mr_leak *leak = leak_of(leaks, process, sites.list[i]);

		if (!leak)
			continue;
		leak->count += sites.list[i]->count;
		leak->bytes = mr_sum(leak->bytes, sites.list[i]->bytes);
	}
	free(sites.list);
}

/* ---- processes that have ended ---- */

static bool has_children(const struct mr_traced_process *process)
{
	return process->heirs || process->children;
}

/* Whether a child that turns up yet may deregister something. */
static bool leaves_regions(const struct mr_traced_process *process)
{
	while (process && !process->ledger.live.count)
		process = process->parent;
	return process;
}

/* What the processes without children have left: their number, and that of their objects. */
static void measure(const struct mr_leaks *leaks, size_t *processes, size_t *objects)
{
	*processes = *objects = 0;
	for (const struct mr_traced_process *at = leaks->first; at; at = at->next) {
		if (has_children(at))
			continue;
		++*processes;
		*objects += at->ledger.object_count;
	}
}

/* Forgets those that no child can ask for, and the oldest where they are too many. */
static void forget_some(struct mr_leaks *leaks)
{
	struct mr_traced_process **link = &leaks->first, *at;
	size_t processes, objects;

	measure(leaks, &processes, &objects);
	leaks->last = NULL;
	while ((at = *link)) {
		if (has_children(at) ||
		    (leaves_regions(at) && processes <= ENDED_MAX && objects <= ENDED_OBJECTS)) {
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
			mr_ledger_revive(&process->ledger, totals);
}

void mr_leaks_end(struct mr_leaks *leaks, struct mr_traced_process *process,
		  struct mr_trace_totals *totals)
{
	name_sites(process);
	mr_process_stop(process);
	for (struct mr_traced_process *at = process; at; at = at->parent)
		if (!--at->heirs)
			mr_ledger_end(&at->ledger, totals);
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

static bool registers(const struct mr_trace_record *call)
{
	return mr_traced_call_row(call->call)->effect == MR_TRACED_REGISTERS &&
	       call->call != MR_TRACED_IBV_ALLOC_NULL_MR && call->call != MR_TRACED_IBV_IMPORT_MR;
}

bool mr_traced_has_length(const struct mr_trace_record *call)
{
	return mr_traced_has_addr(call) || call->call == MR_TRACED_IBV_ALLOC_DM;
}

bool mr_traced_has_addr(const struct mr_trace_record *call)
{
	switch (call->call) {
	case MR_TRACED_IBV_ADVISE_MR:
	case MR_TRACED_MADVISE:
		return true;
	case MR_TRACED_IBV_REREG_MR:
		return call->call_flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	default:
		return registers(call);
	}
}

bool mr_traced_has_offset(const struct mr_trace_record *call)
{
	return mr_traced_has_addr(call) &&
	       (call->flags & MR_TRACE_HAS_FD || call->call == MR_TRACED_IBV_REG_DM_MR);
}

bool mr_traced_has_access(const struct mr_trace_record *call)
{
	if (call->call == MR_TRACED_IBV_REREG_MR)
		return call->call_flags & IBV_REREG_MR_CHANGE_ACCESS;
	return registers(call);
}
