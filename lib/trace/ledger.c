// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/trace/trace.h"

/* Also of a pointer alone, which is what an object begins with. */
static int compare_objects(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static int compare_sites(const void *a, const void *b)
{
	const struct mr_site *left = a, *right = b;

	if (left->caller != right->caller)
		return left->caller > right->caller ? 1 : -1;
	if (left->retired != right->retired)
		return left->retired > right->retired ? 1 : -1;
	if (left->stack != right->stack)
		return left->stack > right->stack ? 1 : -1;
	return (left->call > right->call) - (left->call < right->call);
}

static bool is_region(const struct mr_object *object)
{
	return mr_traced_call_row(object->call.call)->effect == MR_TRACED_REGISTERS;
}

/* A region of all memory of the process, by on-demand paging, has no separate memory. */
static uint64_t bytes_of(const struct mr_trace_record *call)
{
	return call->addr || call->length != UINT64_MAX ? call->length : 0;
}

/* ---- sums over all processes ---- */

static void apply(struct mr_live_tally *live, const struct mr_live_change *change)
{
	live->count -= change->removed;
	if (change->removed)
		live->bytes = (int64_t)live->count > 0
				      ? mr_sum_without(live->bytes, change->removed_bytes)
				      : 0;
	live->count += change->added;
	live->bytes = mr_sum(live->bytes, change->added_bytes);
	/* Signed: where a process lies of its times more may seem to be deregistered than there is. */
	if ((int64_t)live->count > (int64_t)live->most_count)
		live->most_count = live->count;
	if (live->bytes > live->most_bytes)
		live->most_bytes = live->bytes;
}

/* A process may report any time for its calls: one that is to come would be awaited. */
static void note_change(struct mr_trace_totals *totals, struct mr_live_change change)
{
	const uint64_t now = mr_now_ns();
	struct mr_live_change *changes = totals->changes;

	if (totals->change_count == totals->change_capacity) {
		const size_t capacity = totals->change_capacity ? 2 * totals->change_capacity : 256;

		changes = reallocarray(totals->changes, capacity, sizeof(*changes));
		if (!changes) {
			apply(&totals->live, &change);
			return;
		}
		totals->changes = changes;
		totals->change_capacity = capacity;
	}
	change.at_ns = change.at_ns < now ? change.at_ns : now;
	changes[totals->change_count++] = change;
}

static int compare_changes(const void *a, const void *b)
{
	const struct mr_live_change *left = a, *right = b;

	return (left->at_ns > right->at_ns) - (left->at_ns < right->at_ns);
}

void mr_totals_settle(struct mr_trace_totals *totals, uint64_t until_ns)
{
	size_t count = 0;

	if (!totals->change_count)
		return;
	qsort(totals->changes, totals->change_count, sizeof(*totals->changes), compare_changes);
	while (count < totals->change_count && totals->changes[count].at_ns <= until_ns)
		apply(&totals->live, &totals->changes[count++]);
	totals->change_count -= count;
	memmove(totals->changes, totals->changes + count,
		totals->change_count * sizeof(*totals->changes));
}

void mr_totals_release(struct mr_trace_totals *totals)
{
	free(totals->changes);
	totals->changes = NULL;
	totals->change_count = totals->change_capacity = 0;
}

/* A region is registered for certain from the end of its call until the call begins that deregisters it. */
static uint64_t end_of(const struct mr_trace_record *call)
{
	return mr_sum(call->begin_ns, call->elapsed_ns);
}

/* ---- objects ---- */

static struct mr_object *find_own(const struct mr_ledger *ledger, uint64_t pointer)
{
	struct mr_object **found = tfind(&pointer, &ledger->objects, compare_objects);

	return found ? *found : NULL;
}

/*
 * An object of the process, or of its parent.  The parent may have freed it since, and have another region at
 * its address, but with another handle.
 */
static struct mr_object *find_object(const struct mr_ledger *ledger,
				     const struct mr_trace_record *call)
{
	struct mr_object *object = find_own(ledger, call->object);

	for (ledger = ledger->parent; !object && ledger; ledger = ledger->parent) {
		object = find_own(ledger, call->object);
		if (object && is_region(object) && object->call.handle != call->handle)
			object = NULL;
	}
	return object;
}

/* Changes what is registered by the process of a region, by all processes, and at its place. */
static void change_live(const struct mr_object *region, struct mr_trace_totals *totals,
			struct mr_live_change change)
{
	struct mr_site *site = region->site;

	apply(&region->ledger->live, &change);
	note_change(totals, change);
	site->count += change.added - change.removed;
	site->bytes = mr_sum(mr_sum_without(site->bytes, change.removed_bytes), change.added_bytes);
}

static void drop_object(struct mr_trace_totals *totals, struct mr_object *object, uint64_t at_ns)
{
	if (is_region(object))
		change_live(object, totals,
			    (struct mr_live_change){ at_ns, 1, bytes_of(&object->call), 0, 0 });
	tdelete(object, &object->ledger->objects, compare_objects);
	object->ledger->object_count--;
	free(object);
}

static void add_object(struct mr_ledger *ledger, struct mr_trace_totals *totals,
		       const struct mr_trace_record *call, struct mr_site *site)
{
	struct mr_object *object = find_own(ledger, call->object);

	if (object) /* it was freed by a call that was not seen */
		drop_object(totals, object, call->begin_ns);
	object = malloc(sizeof(*object));
	if (object)
		object->pointer = call->object;
	if (!object || !tsearch(object, &ledger->objects, compare_objects)) {
		totals->uncounted++;
		free(object);
		return;
	}
	ledger->object_count++;
	object->ledger = ledger;
	object->site = site;
	object->call = *call;
	object->call.pinned_access = call->access;
	if (!(call->flags & MR_TRACE_HAS_IOVA))
		object->call.iova = call->addr;
	if (is_region(object))
		change_live(object, totals,
			    (struct mr_live_change){ end_of(call), 0, 0, 1, bytes_of(call) });
}

static void change_object(struct mr_trace_totals *totals, struct mr_object *object,
			  const struct mr_trace_record *call)
{
	struct mr_trace_record *region = &object->call;
	const uint64_t before = bytes_of(region);

	region->lkey = call->lkey;
	if (call->call_flags & IBV_REREG_MR_CHANGE_PD)
		region->pd = call->pd;
	if (call->call_flags & IBV_REREG_MR_CHANGE_ACCESS)
		region->access = call->access;
	if (!(call->call_flags & IBV_REREG_MR_CHANGE_TRANSLATION))
		return;
	region->addr = region->iova = call->addr;
	region->length = call->length;
	region->pinned_access = region->access;
	change_live(object, totals,
		    (struct mr_live_change){ end_of(call), 1, before, 1, bytes_of(call) });
}

static void note_effect(struct mr_ledger *ledger, struct mr_trace_totals *totals,
			const struct mr_trace_record *call, struct mr_site *site)
{
	struct mr_object *object = find_object(ledger, call);

	switch (mr_traced_call_row(call->call)->effect) {
	case MR_TRACED_ALLOCATES:
	case MR_TRACED_REGISTERS:
		add_object(ledger, totals, call, site);
		break;
	case MR_TRACED_CHANGES:
		if (object && is_region(object))
			change_object(totals, object, call);
		break;
	case MR_TRACED_FREES:
	case MR_TRACED_DEREGISTERS:
		if (object)
			drop_object(totals, object, call->begin_ns);
		break;
	default:
		break;
	}
}

struct mr_site *mr_ledger_site(struct mr_ledger *ledger, uint64_t caller, uint32_t call,
			       uint64_t stack)
{
	struct mr_site key = { .caller = caller, .call = call, .stack = stack };
	struct mr_site **found = tfind(&key, &ledger->sites, compare_sites), *site;

	if (!found && ledger->site_count >= MR_LEDGER_SITES) {
		key.caller = key.stack = 0;
		found = tfind(&key, &ledger->sites, compare_sites);
	}
	if (found)
		return *found;
	site = malloc(sizeof(*site));
	if (!site)
		return NULL;
	*site = key;
	if (!tsearch(site, &ledger->sites, compare_sites)) {
		free(site);
		return NULL;
	}
	ledger->site_count++;
	return site;
}

static void tally(struct mr_call_tally *tally, const struct mr_trace_record *call)
{
	tally->calls++;
	if (call->errnum)
		tally->refused++;
	else
		tally->bytes = mr_sum(tally->bytes, bytes_of(call));
	tally->total_ns += call->elapsed_ns;
	if (call->elapsed_ns < tally->slowest_ns)
		return;
	tally->slowest_ns = call->elapsed_ns;
	tally->slowest_bytes = call->length;
}

void mr_ledger_take(struct mr_ledger *ledger, struct mr_trace_totals *totals,
		    const struct mr_traced_record *record, struct mr_site *site)
{
	const struct mr_trace_record *call = &record->call;

	if (!site->calls) {
		site->frame_count = call->frame_count;
		memcpy(site->frames, record->frames, site->frame_count * sizeof(*site->frames));
	}
	tally(&totals->calls[call->call], call);
	site->calls++;
	if (!call->errnum)
		note_effect(ledger, totals, call, site);
}

void mr_ledger_complete(const struct mr_ledger *ledger, struct mr_trace_record *call)
{
	const struct mr_object *object =
		call->context || !call->object ? NULL : find_object(ledger, call);

	if (!object)
		return;
	call->context = object->call.context;
	memcpy(call->device, object->call.device, sizeof(call->device));
}

/* Searches for the region that a device knows by a key, and counts those that use a PD, or memory on the device. */
struct search {
	uint64_t context;
	uint32_t lkey;
	const struct mr_object *region;
	uint64_t pointer, users;
};

static void look_at(const void *node, VISIT visit, void *data)
{
	const struct mr_object *object = *(struct mr_object *const *)node;
	struct search *search = data;

	if ((visit != postorder && visit != leaf) || !is_region(object))
		return;
	if (!search->region && object->call.lkey == search->lkey &&
	    object->call.context == search->context)
		search->region = object;
	search->users += object->call.pd == search->pointer || object->call.dm == search->pointer;
}

void mr_ledger_context(const struct mr_ledger *ledger, const struct mr_trace_record *call,
		       struct mr_look *look)
{
	const enum mr_traced_effect effect = mr_traced_call_row(call->call)->effect;
	struct search search = { call->context, call->lkey, NULL, call->object, 0 };
	struct mr_trace_record of_dm = { .object = call->dm };
	const struct mr_object *object, *dm;

	look->registered_bytes = ledger->live.bytes;
	look->registered_count = ledger->live.count;
	look->most_bytes = ledger->live.most_bytes;
	if (effect == MR_TRACED_FREES || call->range_count)
		for (const struct mr_ledger *of = ledger; of; of = of->parent)
			twalk_r(of->objects, look_at, &search);
	/* ibv_advise_mr(3) is given a key alone, that of the first range. */
	object = effect == MR_TRACED_ADVISES ? search.region : find_object(ledger, call);
	look->has_region = object && is_region(object) && effect != MR_TRACED_REGISTERS;
	if (look->has_region) {
		look->region = object->call;
		of_dm.object = object->call.dm;
	}
	dm = of_dm.object ? find_object(ledger, &of_dm) : NULL;
	if (dm && !is_region(dm))
		look->dm_length = (struct mr_opt_u64){ dm->call.length, true };
	if (effect == MR_TRACED_FREES)
		look->users = (struct mr_opt_u64){ search.users, true };
}

static void list_site(const void *node, VISIT visit, void *data)
{
	struct mr_site ***end = data;

	if (visit == postorder || visit == leaf)
		*(*end)++ = *(struct mr_site *const *)node;
}

struct mr_site **mr_ledger_sites(const struct mr_ledger *ledger, size_t *count)
{
	struct mr_site **list = calloc(ledger->site_count + 1, sizeof(*list)), **end = list;

	if (list)
		twalk_r(ledger->sites, list_site, &end);
	*count = (size_t)(end - list);
	return list;
}

void mr_callers_release(char **callers)
{
	for (char **at = callers; at && *at; at++)
		free(*at);
	free(callers);
}

static void free_site(void *data)
{
	struct mr_site *site = data;

	mr_callers_release(site->callers);
	free(site->place);
	free(site);
}

void mr_ledger_retire(struct mr_ledger *ledger)
{
	size_t count;
	mr_auto_free struct mr_site **sites = mr_ledger_sites(ledger, &count);

	for (size_t i = 0; i < count; i++) {
		tdelete(sites[i], &ledger->sites, compare_sites);
		sites[i]->retired = ++ledger->retirements;
		if (sites[i]->count) { /* its regions refer to it, also where memory is short */
			tsearch(sites[i], &ledger->sites, compare_sites);
			continue;
		}
		ledger->site_count--;
		free_site(sites[i]);
	}
}

void mr_ledger_count(const struct mr_ledger *ledger, bool are_had, struct mr_trace_totals *totals)
{
	const uint64_t count = ledger->live.count, bytes = ledger->live.bytes;

	note_change(totals, are_had ? (struct mr_live_change){ mr_now_ns(), 0, 0, count, bytes }
				    : (struct mr_live_change){ mr_now_ns(), count, bytes, 0, 0 });
}

void mr_ledger_release(struct mr_ledger *ledger)
{
	tdestroy(ledger->objects, free);
	tdestroy(ledger->sites, free_site);
	*ledger = (struct mr_ledger){ 0 };
}
