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

/* A region of all memory of the process, by on-demand paging, has no memory of its own. */
static uint64_t bytes_of(const struct mr_trace_record *call)
{
	return call->addr || call->length != UINT64_MAX ? call->length : 0;
}

static void add(struct mr_live_tally *live, uint64_t count, uint64_t bytes)
{
	live->count += count;
	live->bytes = mr_sum(live->bytes, bytes);
	/* Signed: where a process lies of its times more may seem to be deregistered than there is. */
	if ((int64_t)live->count > (int64_t)live->most_count)
		live->most_count = live->count;
	if (live->bytes > live->most_bytes)
		live->most_bytes = live->bytes;
}

static void remove_from(struct mr_live_tally *live, uint64_t count, uint64_t bytes)
{
	live->count -= count;
	live->bytes = (int64_t)live->count > 0 ? mr_sum_without(live->bytes, bytes) : 0;
}

static void resize(struct mr_live_tally *live, uint64_t before, uint64_t after)
{
	remove_from(live, 1, before);
	add(live, 1, after);
}

/* ---- sums over all processes ---- */

/* A process may say that its calls are of any time: so many changes are waited for, and no more. */
#define CHANGES_MAX (1 << 18)

static void apply(struct mr_live_tally *live, const struct mr_live_change *change)
{
	if (change->removed)
		remove_from(live, change->removed, change->removed_bytes);
	if (change->added)
		add(live, change->added, change->added_bytes);
}

static bool make_room(struct mr_trace_totals *totals)
{
	const size_t capacity = totals->change_capacity ? 2 * totals->change_capacity : 256;
	struct mr_live_change *changes;

	if (totals->change_count < totals->change_capacity)
		return true;
	if (totals->change_count >= CHANGES_MAX)
		mr_totals_settle(totals, UINT64_MAX);
	if (totals->change_count < totals->change_capacity)
		return true;
	changes = reallocarray(totals->changes, capacity, sizeof(*changes));
	if (!changes)
		return false;
	totals->changes = changes;
	totals->change_capacity = capacity;
	return true;
}

static void note_change(struct mr_trace_totals *totals, struct mr_live_change change)
{
	if (!make_room(totals)) {
		apply(&totals->live, &change);
		return;
	}
	if (totals->change_count)
		totals->is_unordered |=
			totals->changes[totals->change_count - 1].at_ns > change.at_ns;
	totals->changes[totals->change_count++] = change;
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
	if (totals->is_unordered)
		qsort(totals->changes, totals->change_count, sizeof(*totals->changes),
		      compare_changes);
	totals->is_unordered = false;
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

/* Return: NULL where memory is short, or there are too many. */
static struct mr_object *new_object(struct mr_ledger *ledger, uint64_t pointer)
{
	struct mr_object *object =
		ledger->object_count < MR_LEDGER_OBJECTS ? malloc(sizeof(*object)) : NULL;

	if (!object)
		return NULL;
	object->pointer = pointer;
	if (!tsearch(object, &ledger->objects, compare_objects)) {
		free(object);
		return NULL;
	}
	ledger->object_count++;
	return object;
}

/*
 * An object that the process has made, or has from its parent.  That may have freed it since, and have another region at
 * its address, but with another handle.
 */
static struct mr_object *find_object(const struct mr_ledger *ledger,
				     const struct mr_trace_record *call)
{
	struct mr_object *object = find_own(ledger, call->object);

	for (ledger = ledger->parent; !object && ledger; ledger = ledger->parent) {
		object = find_own(ledger, call->object);
		if (object && object->is_region && object->region.handle != call->handle)
			object = NULL;
	}
	return object;
}

static void drop_object(struct mr_trace_totals *totals, struct mr_object *object, uint64_t at_ns)
{
	if (object->is_region) {
		remove_from(&object->ledger->live, 1, object->bytes);
		note_change(totals, (struct mr_live_change){ .at_ns = at_ns,
							     .removed = 1,
							     .removed_bytes = object->bytes });
		object->site->count--;
		object->site->bytes = mr_sum_without(object->site->bytes, object->bytes);
	}
	tdelete(object, &object->ledger->objects, compare_objects);
	object->ledger->object_count--;
	free(object);
}

static struct mr_look_region region_of(const struct mr_trace_record *call)
{
	return (struct mr_look_region){
		.call = (enum mr_traced_call)call->call,
		.flags = call->flags,
		.call_flags = call->call_flags,
		.addr = call->addr,
		.length = call->length,
		.iova = call->flags & MR_TRACE_HAS_IOVA ? call->iova : call->addr,
		.access = call->access,
		.pinned_access = { call->access, true },
		.handle = call->handle,
	};
}

static void add_object(struct mr_ledger *ledger, struct mr_trace_totals *totals,
		       const struct mr_trace_record *call, struct mr_site *site)
{
	const bool is_region = mr_traced_call_row(call->call)->effect == MR_TRACED_REGISTERS;
	struct mr_object *object = find_own(ledger, call->object);

	if (object) /* it was freed by a call that was not seen */
		drop_object(totals, object, call->begin_ns);
	object = new_object(ledger, call->object);
	if (!object) {
		totals->uncounted++;
		return;
	}
	object->context = call->context;
	object->lkey = call->lkey;
	object->pd = call->pd;
	object->dm = call->dm;
	object->is_region = is_region;
	object->bytes = bytes_of(call);
	object->ledger = ledger;
	object->site = site;
	object->region = region_of(call);
	memcpy(object->device, call->device, sizeof(object->device));
	if (!is_region)
		return;
	add(&ledger->live, 1, object->bytes);
	note_change(totals, (struct mr_live_change){ .at_ns = end_of(call),
						     .added = 1,
						     .added_bytes = object->bytes });
	site->count++;
	site->bytes = mr_sum(site->bytes, object->bytes);
}

static void change_object(const struct mr_ledger *ledger, struct mr_trace_totals *totals,
			  const struct mr_trace_record *call)
{
	struct mr_object *object = find_object(ledger, call);
	struct mr_look_region *region;

	if (!object || !object->is_region)
		return;
	region = &object->region;
	object->lkey = call->lkey;
	if (call->call_flags & IBV_REREG_MR_CHANGE_PD)
		object->pd = call->pd;
	if (call->call_flags & IBV_REREG_MR_CHANGE_ACCESS)
		region->access = call->access;
	if (!(call->call_flags & IBV_REREG_MR_CHANGE_TRANSLATION))
		return;
	region->addr = region->iova = call->addr;
	region->length = call->length;
	region->pinned_access = (struct mr_opt_u64){ region->access, true };
	resize(&object->ledger->live, object->bytes, bytes_of(call));
	note_change(totals, (struct mr_live_change){ .at_ns = end_of(call),
						     .removed = 1,
						     .removed_bytes = object->bytes,
						     .added = 1,
						     .added_bytes = bytes_of(call) });
	object->site->bytes =
		mr_sum(mr_sum_without(object->site->bytes, object->bytes), bytes_of(call));
	object->bytes = bytes_of(call);
}

static void free_object(const struct mr_ledger *ledger, struct mr_trace_totals *totals,
			const struct mr_trace_record *call)
{
	struct mr_object *object = find_object(ledger, call);

	if (object)
		drop_object(totals, object, call->begin_ns);
}

static void note_effect(struct mr_ledger *ledger, struct mr_trace_totals *totals,
			const struct mr_trace_record *call, struct mr_site *site)
{
	switch (mr_traced_call_row(call->call)->effect) {
	case MR_TRACED_ALLOCATES:
	case MR_TRACED_REGISTERS:
		add_object(ledger, totals, call, site);
		break;
	case MR_TRACED_CHANGES:
		change_object(ledger, totals, call);
		break;
	case MR_TRACED_FREES:
	case MR_TRACED_DEREGISTERS:
		free_object(ledger, totals, call);
		break;
	case MR_TRACED_OPENS:
	case MR_TRACED_CLOSES:
	case MR_TRACED_ADVISES:
	case MR_TRACED_CREATES:
	case MR_TRACED_PROTECTS:
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
	site = calloc(1, sizeof(*site));
	if (!site)
		return NULL;
	site->caller = key.caller;
	site->call = key.call;
	site->stack = key.stack;
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
	if (call->errnum)
		site->refused++;
	else
		note_effect(ledger, totals, call, site);
}

void mr_ledger_complete(const struct mr_ledger *ledger, struct mr_trace_record *call)
{
	const struct mr_object *object =
		call->context || !call->object ? NULL : find_object(ledger, call);

	if (!object)
		return;
	call->context = object->context;
	memcpy(call->device, object->device, sizeof(call->device));
}

/* A search for the regions that use a protection domain, or memory on the device. */
struct users {
	uint64_t pointer, count;
};

static void count_user(const void *node, VISIT visit, void *data)
{
	const struct mr_object *object = *(struct mr_object *const *)node;
	struct users *users = data;

	if ((visit == postorder || visit == leaf) && object->is_region &&
	    (object->pd == users->pointer || object->dm == users->pointer))
		users->count++;
}

/* A search for the region that a device knows by a key. */
struct key_search {
	uint64_t context;
	uint32_t lkey;
	const struct mr_object *found;
};

static void look_at_key(const void *node, VISIT visit, void *data)
{
	const struct mr_object *object = *(struct mr_object *const *)node;
	struct key_search *search = data;

	(void)visit; /* more than once for the same object */
	if (object->is_region && object->lkey == search->lkey && object->context == search->context)
		search->found = object;
}

/* The object that a call is about: ibv_advise_mr(3) is given a key alone, that of the first range. */
static const struct mr_object *object_of(const struct mr_ledger *ledger,
					 const struct mr_trace_record *call)
{
	struct key_search search = { .context = call->context, .lkey = call->lkey };

	if (mr_traced_call_row(call->call)->effect != MR_TRACED_ADVISES)
		return find_object(ledger, call);
	for (; call->range_count && ledger && !search.found; ledger = ledger->parent)
		twalk_r(ledger->objects, look_at_key, &search);
	return search.found;
}

static const struct mr_object *find_dm(const struct mr_ledger *ledger, uint64_t pointer)
{
	const struct mr_trace_record call = { .object = pointer };

	return pointer ? find_object(ledger, &call) : NULL;
}

void mr_ledger_context(const struct mr_ledger *ledger, const struct mr_trace_record *call,
		       struct mr_look_region *region, struct mr_look_context *context)
{
	const enum mr_traced_effect effect = mr_traced_call_row(call->call)->effect;
	const struct mr_object *object = object_of(ledger, call);
	const uint64_t dm_of = object && object->is_region ? object->dm : call->dm;
	const struct mr_object *dm = find_dm(ledger, dm_of);

	*context = (struct mr_look_context){ .registered_bytes = ledger->live.bytes,
					     .registered_count = ledger->live.count,
					     .most_bytes = ledger->live.most_bytes };
	if (dm && !dm->is_region)
		context->dm_length = (struct mr_opt_u64){ dm->bytes, true };
	if (effect == MR_TRACED_FREES) {
		struct users users = { .pointer = call->object };

		for (const struct mr_ledger *of = ledger; of; of = of->parent)
			twalk_r(of->objects, count_user, &users);
		context->users = (struct mr_opt_u64){ users.count, true };
	}
	if (!object || !object->is_region ||
	    (effect != MR_TRACED_CHANGES && effect != MR_TRACED_DEREGISTERS &&
	     effect != MR_TRACED_ADVISES))
		return;
	*region = object->region;
	context->region = region;
}

struct visit {
	void (*visit)(struct mr_site *site, void *data);
	void *data;
};

static void visit_site(const void *node, VISIT visit, void *data)
{
	const struct visit *visitor = data;

	if (visit == postorder || visit == leaf)
		visitor->visit(*(struct mr_site *const *)node, visitor->data);
}

void mr_ledger_sites(const struct mr_ledger *ledger,
		     void (*visit)(struct mr_site *site, void *data), void *data)
{
	struct visit visitor = { visit, data };

	twalk_r(ledger->sites, visit_site, &visitor);
}

static void free_site(void *data)
{
	struct mr_site *site = data;

	for (size_t i = 0; i < MR_TRACE_FRAMES; i++)
		free(site->frame_names[i]);
	free(site->place);
	free(site);
}

/* Places that are to be retired: the tree must not change while it is walked. */
struct retirement {
	bool (*is_gone)(uint64_t caller, void *data);
	void *data;
	struct mr_site *sites[64];
	size_t count;
};

static void note_gone(struct mr_site *site, void *data)
{
	struct retirement *retirement = data;

	if (!site->retired && site->caller &&
	    retirement->count < sizeof(retirement->sites) / sizeof(*retirement->sites) &&
	    retirement->is_gone(site->caller, retirement->data))
		retirement->sites[retirement->count++] = site;
}

static void retire(struct mr_ledger *ledger, struct mr_site *site)
{
	tdelete(site, &ledger->sites, compare_sites);
	site->retired = ++ledger->retirements;
	if (site->count) { /* its regions refer to it, also where memory is short */
		tsearch(site, &ledger->sites, compare_sites);
		return;
	}
	ledger->site_count--;
	free_site(site);
}

void mr_ledger_retire(struct mr_ledger *ledger, bool (*is_gone)(uint64_t caller, void *data),
		      void *data)
{
	struct retirement retirement = { .is_gone = is_gone, .data = data };

	do {
		retirement.count = 0;
		mr_ledger_sites(ledger, note_gone, &retirement);
		for (size_t i = 0; i < retirement.count; i++)
			retire(ledger, retirement.sites[i]);
	} while (retirement.count);
}

void mr_ledger_end(const struct mr_ledger *ledger, struct mr_trace_totals *totals)
{
	note_change(totals, (struct mr_live_change){ .at_ns = mr_now_ns(),
						     .removed = ledger->live.count,
						     .removed_bytes = ledger->live.bytes });
}

void mr_ledger_revive(const struct mr_ledger *ledger, struct mr_trace_totals *totals)
{
	note_change(totals, (struct mr_live_change){ .at_ns = mr_now_ns(),
						     .added = ledger->live.count,
						     .added_bytes = ledger->live.bytes });
}

void mr_ledger_release(struct mr_ledger *ledger)
{
	tdestroy(ledger->objects, free);
	tdestroy(ledger->sites, free_site);
	*ledger = (struct mr_ledger){ 0 };
}
