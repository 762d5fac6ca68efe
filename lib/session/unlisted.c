// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/session/handles.h"
#include "lib/session/state.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"
#include "lib/session/unlisted.h"
#include "lib/verbs/verbs.h"

/* How far beyond the highest known handle others are looked for, at least. */
#define WALK_BEYOND 1024

struct walk {
	struct mr_session *session;
	const struct mr_handle_set *listed;
	mr_unlisted *call;
	void *data;
};

/* The entry that names this object, if there is one of its kind.  Only under the lock "none" is an answer. */
static bool find_entry(const struct mr_table *table, enum mr_region_kind kind, uint32_t handle,
		       struct mr_entry *entry)
{
	return mr_table_get(table, mr_table_find(table, MR_BY_HANDLE, handle), entry) &&
	       mr_entry_matches(entry, MR_BY_HANDLE, handle, NULL) &&
	       mr_region_kind(entry->call) == kind;
}

/*
 * Ask the kernel for a region, and the table for its entry.
 * Return: of the kernel: 0, or -errno.
 */
static int compare_mr(const struct walk *walk, uint32_t handle, struct mr_uverbs_mr *mr,
		      bool *listed, struct mr_error *err)
{
	struct mr_entry entry;
	int rc = mr_uverbs_query_mr(&walk->session->uverbs, handle, mr, err);

	*listed = !rc && find_entry(&walk->session->table, MR_KIND_MR, handle, &entry) &&
		  mr_session_agrees(&entry, mr);
	return rc;
}

/*
 * Mostly there is no region, or its entry is found: that needs no lock, without which a large session is walked in
 * half the time.  Under the lock no process is between the kernel and the table.
 * Return: 1 where there is a region, or one is being registered or destroyed; 0; or -errno.
 */
static int visit_mr(const struct walk *walk, uint32_t handle, struct mr_error *err)
{
	struct mr_table *table = &walk->session->table;
	struct mr_uverbs_mr mr;
	bool listed;
	int rc;

	if (mr_handle_set_has(walk->listed, handle))
		return 1;
	rc = compare_mr(walk, handle, &mr, &listed, NULL);
	if (mr_uverbs_is_absent(rc))
		return 0;
	if (listed)
		return 1;
	rc = mr_table_lock(table, err);
	if (rc)
		return rc;
	rc = compare_mr(walk, handle, &mr, &listed, err);
	mr_table_unlock(table);
	if (mr_uverbs_is_absent(rc))
		return 0;
	if (rc && rc != -EBUSY) {
		mr_wrap(err, "cannot look for regions that no entry names");
		return rc;
	}
	if (!rc && !listed)
		walk->call(walk->data, MR_KIND_MR, &mr);
	return 1;
}

/* The table and the kernel are asked again: since the umem was listed it may have got an entry, or have gone. */
static int visit_umem(const struct walk *walk, uint32_t handle, struct mr_error *err)
{
	const struct mr_uverbs_mr umem = { .handle = handle };
	struct mr_table *table = &walk->session->table;
	struct mr_entry entry;
	int rc = mr_table_lock(table, err);

	if (rc)
		return rc;
	if (!find_entry(table, MR_KIND_UMEM, handle, &entry))
		rc = mr_session_has_umem(walk->session, handle, err);
	mr_table_unlock(table);
	if (rc > 0)
		walk->call(walk->data, MR_KIND_UMEM, &umem);
	return rc < 0 ? rc : 0;
}

static int walk_umems(const struct walk *walk, struct mr_handles *umems, struct mr_error *err)
{
	int rc;

	/* All umems are the batch's own, and libmlx5 does not tell which handle is whose. */
	if (mr_session_is_private(walk->session) && !mr_umem_reports_handles())
		return 0;
	rc = mr_handles_list(walk->session, MR_HANDLES_OF_UMEMS, umems, err);
	if (rc == -ENOENT) /* no DEVX, no umems */
		return 0;
	for (uint32_t i = umems->count; !rc && i-- > 0;)
		rc = visit_umem(walk, umems->list[i], err);
	if (!rc && umems->count == MR_UVERBS_INFO_MAX)
		rc = mr_fail(err, MR_ERROR_HOST, EOVERFLOW, "ioctl(INFO_HANDLES)",
			     "there may be more umems that no entry names than the kernel lists");
	return rc;
}

/*
 * The highest handle of a region that the kernel has, as far as it is known: of those that it lists, and
 * of those in the table that it confirms.  What the table says alone may be any number.
 */
static uint32_t highest_handle(const struct mr_session *session, const struct mr_handles *mrs)
{
	const struct mr_table *table = &session->table;
	struct mr_uverbs_mr mr;
	struct mr_entry entry;
	uint32_t highest = 0;

	for (uint32_t i = 0; i < mrs->count; i++)
		if (mrs->list[i] > highest)
			highest = mrs->list[i];
	for (uint32_t slot = table->capacity; slot-- > 0;) /* the higher ones are at the end */
		if (mr_table_is_used(table, slot) && mr_table_get(table, slot, &entry) &&
		    entry.handle > highest &&
		    !mr_uverbs_query_mr(&session->uverbs, entry.handle, &mr, NULL))
			highest = entry.handle;
	return highest;
}

/*
 * A handle is the lowest free number (xa_alloc() in the kernel's drivers/infiniband/core/rdma_core.c):
 * the kernel has had as many objects at once as the highest one says.  Beyond it as many numbers are
 * tried as regions were found, and WALK_BEYOND more.
 */
static int walk_handles(const struct walk *walk, uint64_t last, struct mr_error *err)
{
	uint64_t found = 0;
	int rc;

	for (uint64_t handle = 0; handle <= last + found + WALK_BEYOND && handle < MR_NO_HANDLE;
	     handle++) {
		rc = visit_mr(walk, (uint32_t)handle, err);
		if (rc < 0)
			return rc;
		if (rc && handle > last)
			last = handle;
		found += rc > 0;
	}
	return 0;
}

static int walk_mrs(const struct walk *walk, struct mr_handles *mrs, struct mr_error *err)
{
	int rc = mr_handles_list(walk->session, MR_HANDLES_OF_MRS, mrs, err);

	if (rc)
		return rc;
	if (mrs->count >= MR_UVERBS_INFO_MAX)
		return walk_handles(walk, highest_handle(walk->session, mrs), err);
	for (uint32_t i = mrs->count; rc >= 0 && i-- > 0;) /* the oldest is the last of the list */
		rc = visit_mr(walk, mrs->list[i], err);
	return rc < 0 ? rc : 0;
}

int mr_session_note_listed(struct mr_handle_set *listed, const struct mr_session_region *region,
			   struct mr_error *err)
{
	/* A handle is set where the kernel was asked. */
	if (mr_region_kind(region->entry.call) != MR_KIND_MR ||
	    region->kernel.handle == MR_NO_HANDLE || region->state == MR_STATE_GONE ||
	    region->state == MR_STATE_PENDING || region->state == MR_STATE_UNKNOWN)
		return 0;
	return mr_handle_set_add(listed, region->kernel.handle, err);
}

bool mr_session_dm_is_listed(const struct mr_table *table, uint32_t handle)
{
	struct mr_entry entry;

	for (uint32_t slot = 0; slot < table->capacity; slot++)
		if (mr_table_is_used(table, slot) && mr_table_get(table, slot, &entry) &&
		    entry.memory_of == MR_MEMORY_OF_RDMA_DEVICE && entry.dm == handle)
			return true;
	return false;
}

/* Memory on the device has no entry where a command was killed, or is about to register regions on it. */
static int walk_dms(const struct walk *walk, struct mr_handles *dms, struct mr_error *err)
{
	struct mr_table *table = &walk->session->table;
	int rc = mr_table_lock(table, err);

	if (rc)
		return rc;
	rc = mr_handles_list(walk->session, MR_HANDLES_OF_DMS, dms, err);
	for (uint32_t i = dms->count; !rc && i-- > 0;) { /* the oldest is the last of the list */
		const struct mr_uverbs_mr dm = { .handle = dms->list[i] };

		if (!mr_session_dm_is_listed(table, dm.handle))
			walk->call(walk->data, MR_KIND_DM, &dm);
	}
	mr_table_unlock(table);
	return rc;
}

int mr_session_each_unlisted(struct mr_session *session, const struct mr_handle_set *listed,
			     mr_unlisted *call, void *data, struct mr_error *err)
{
	const struct walk walk = { session, listed, call, data };
	struct mr_handles handles = { .list = NULL };
	int rc = walk_mrs(&walk, &handles, err);

	if (!rc)
		rc = walk_umems(&walk, &handles, err);
	if (!rc)
		rc = walk_dms(&walk, &handles, err);
	mr_handles_release(&handles);
	return rc;
}
