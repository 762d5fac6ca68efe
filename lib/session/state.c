// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/base/base.h"
#include "lib/session/handles.h"
#include "lib/session/library.h"
#include "lib/session/state.h"
#include "lib/session/table/claims.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/lock.h"

/* A region that is asked for after this time is the last one under the same lock: others may wait for it. */
#define LOCKED_NS 1000000

bool mr_session_agrees(const struct mr_entry *entry, const struct mr_uverbs_mr *kernel)
{
	uint64_t addr = entry->addr, length = entry->length;

	if (entry->call == MR_REG_MR_RELAXED)
		mr_extend_to_pages(mr_entry_page_size(entry), &addr, &length);
	if (entry->lkey == kernel->lkey && length == kernel->length)
		return true;
	return entry->unsure && entry->new_length == kernel->length &&
	       entry->new_iova == kernel->iova;
}

/*
 * Whether the kernel has the entry's region: 1, 0, or -errno.
 *
 * The kernel can only list all umems.  A command that asks for each of many must not list them all each time,
 * so a umem that was listed before is taken to exist still, unless @sure.
 */
static int kernel_has(struct mr_session *session, const struct mr_entry *entry, bool sure,
		      struct mr_uverbs_mr *kernel, struct mr_error *err)
{
	int rc;

	if (mr_region_kind(entry->call) == MR_KIND_UMEM)
		return !sure && mr_handles_have(&session->umems, entry->handle)
			       ? 1
			       : mr_session_has_umem(session, entry->handle, err);
	rc = mr_uverbs_query_mr(&session->uverbs, entry->handle, kernel, err);
	if (mr_uverbs_is_absent(rc))
		return 0;
	return rc ? rc : mr_session_agrees(entry, kernel);
}

/* The lock keeps others from changing the table or the kernel's object between the two looks. */
static enum mr_session_state compare_with_kernel(struct mr_session *session, uint32_t slot,
						 bool sure, struct mr_session_region *region,
						 struct mr_error *err)
{
	const struct mr_held *held = mr_session_held(session, slot);
	const struct mr_entry *entry = &region->entry;
	int rc = 1;

	if (entry->state != MR_ENTRY_LIVE && mr_table_is_claimed(&session->table, slot))
		return MR_STATE_PENDING;
	if (entry->state == MR_ENTRY_PENDING)
		return MR_STATE_IN_DOUBT;
	/* Only this process changes what it holds: what it remembers is what the kernel would say. */
	if (held && (sure || entry->handle == MR_NO_HANDLE))
		mr_held_query(held, &region->kernel);
	else
		rc = kernel_has(session, entry, sure, &region->kernel, err);
	if (!rc)
		return MR_STATE_GONE;
	if (rc < 0) {
		mr_wrap(err, "cannot make sure of region %llu", (unsigned long long)entry->id);
		/* EBUSY of QUERY_MR: the region is being destroyed.  Of a umem there is no such answer. */
		return rc == -EBUSY && mr_region_kind(entry->call) == MR_KIND_MR ? MR_STATE_PENDING
										 : MR_STATE_UNKNOWN;
	}
	if (mr_entry_is_marked(entry))
		return MR_STATE_DEFERRED;
	if (held && held->broken)
		return MR_STATE_BROKEN;
	if (entry->state != MR_ENTRY_LIVE || entry->unsure)
		return MR_STATE_IN_DOUBT;
	return entry->refused ? MR_STATE_SUSPECT : MR_STATE_LIVE;
}

void mr_session_decide_state(struct mr_session *session, uint32_t slot, bool sure,
			     struct mr_session_region *region, struct mr_error *err)
{
	region->kernel = (struct mr_uverbs_mr){ .handle = MR_NO_HANDLE };
	region->state = compare_with_kernel(session, slot, sure, region, err);
}

/* Under the lock.  Return: whether there is an entry. */
static bool look_at(struct mr_session *session, uint32_t slot, struct mr_session_region *region,
		    struct mr_error *err)
{
	bool found = mr_table_get(&session->table, slot, &region->entry);

	if (found)
		mr_session_decide_state(session, slot, false, region, err);
	return found;
}

int mr_session_query(struct mr_session *session, uint32_t slot, struct mr_session_region *region,
		     struct mr_error *err)
{
	bool found;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	found = look_at(session, slot, region, err);
	mr_table_unlock(&session->table);
	return found;
}

int mr_session_query_next(struct mr_session *session, uint32_t *slot,
			  struct mr_session_region *regions, int room, struct mr_error *err)
{
	const struct mr_table *table = &session->table;
	int count = 0, rc = mr_table_lock(&session->table, err);
	uint64_t end = mr_now_ns() + LOCKED_NS;

	if (rc)
		return rc;
	while (count < room && *slot < table->capacity) {
		uint32_t at = (*slot)++;

		if (!mr_table_is_used(table, at) || !look_at(session, at, &regions[count], err))
			continue;
		if (regions[count++].state == MR_STATE_UNKNOWN || mr_now_ns() >= end)
			break;
	}
	mr_table_unlock(&session->table);
	return count;
}
