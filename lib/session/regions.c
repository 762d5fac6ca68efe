// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/session/claim.h"
#include "lib/session/data_direct.h"
#include "lib/session/library.h"
#include "lib/session/regions.h"
#include "lib/session/registrant.h"
#include "lib/session/state.h"
#include "lib/session/table/claims.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/lock.h"
#include "lib/verbs/deregister.h"
#include "lib/verbs/dm.h"
#include "lib/verbs/region.h"

/* ---- registering ---- */

static void fill_entry(struct mr_entry *entry, const struct mr_region_request *request,
		       const struct mr_region *region, enum mr_via via)
{
	entry->addr = request->addr;
	entry->length = mr_region_is_null(request->call) ? region->length : request->length;
	entry->access = request->access;
	entry->via = (uint8_t)via;
	entry->handle = region->handle;
	entry->elapsed_ns = region->elapsed_ns;
	entry->dm = 0;
	if (request->dm && request->dm->allocated) {
		entry->memory_of = MR_MEMORY_OF_RDMA_DEVICE;
		entry->dm = request->dm->handle;
	} else if (request->call != MR_REG_MR_RELAXED) {
		entry->pinned_access = request->access;
	}
	entry->hints = (struct mr_dmah_hints){ .memory = MR_DMAH_NO_CPU };
	if (request->dmah) {
		entry->hints = request->dmah->hints;
		entry->dmah = request->dmah->handle;
	}
	if (region->kind == MR_KIND_UMEM) {
		entry->page_sizes = request->page_sizes;
		entry->umem_id = region->umem_id;
		return;
	}
	entry->iova = region->iova;
	entry->lkey = region->lkey;
	entry->rkey = region->rkey;
}

/*
 * A region whose keys cannot be noted is deregistered at once: no entry would name it.  Nobody uses it yet,
 * as the keys were not printed.  Its entry stays as one whose registration was never finished.
 */
static void undo_registration(struct mr_session *session, const struct mr_entry *entry,
			      struct mr_error *err)
{
	enum mr_region_kind kind = mr_region_kind(entry->call);
	struct mr_error left;

	if (!mr_region_destroy(&session->uverbs, kind, entry->handle, &left)) {
		mr_wrap(err, "region %llu was deregistered again, as it cannot be noted",
			(unsigned long long)entry->id);
		return;
	}
	mr_wrap(err, "region %llu is registered, but it cannot be noted",
		(unsigned long long)entry->id);
	mr_hint(err, "it is still there, and without a name: mrctl dereg %s:%u",
		mr_region_kind_name(kind), entry->handle);
}

static int commit_entry(struct mr_session *session, uint32_t slot, const struct mr_entry *entry,
			struct mr_error *err)
{
	int rc = mr_table_lock(&session->table, err);

	if (!rc && !mr_table_commit(&session->table, slot, entry))
		rc = mr_fail_text(err, MR_ERROR_HOST, ENOENT,
				  "another process has removed the region from the session");
	if (rc)
		undo_registration(session, entry, err);
	mr_session_unclaim(session, slot);
	return rc;
}

static void withdraw_entry(struct mr_session *session, uint32_t slot, uint64_t id)
{
	struct mr_error ignored;

	/* Without the lock the entry stays, as one whose registration was never finished. */
	if (!mr_table_lock(&session->table, &ignored))
		mr_table_remove(&session->table, slot, id);
	mr_session_unclaim(session, slot);
}

/* A region that outlives this process must have a handle: without one nobody could deregister it. */
static int register_to_stay(const struct mr_session *session, const struct mr_registrar *registrar,
			    const struct mr_region_request *request, struct mr_region *region,
			    struct mr_error *err)
{
	struct mr_error ignored;
	int rc = mr_region_register(registrar, request, region, err);

	if (rc || region->handle != MR_NO_HANDLE || mr_session_is_private(session))
		return rc;
	mr_region_deregister(registrar, region, &ignored);
	if (mr_region_is_null(request->call)) {
		mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "ibv_alloc_null_mr",
			"a null MR is no object of the kernel, so it cannot stay in a session");
		mr_hint(err, "outside of it: MRCTL_SESSION= mrctl reg --memory null-mr");
		return -EOPNOTSUPP;
	}
	mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "mlx5dv_devx_umem_export",
		"libmlx5 does not tell the handle of the umem, so it cannot stay");
	mr_hint(err, "use --via kernel");
	return -EOPNOTSUPP;
}

int mr_session_register(struct mr_session *session, const struct mr_registrar *registrar,
			const struct mr_region_request *request, struct mr_entry *entry,
			struct mr_error *err)
{
	struct mr_region region;
	uint32_t slot;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	entry->call = (uint8_t)request->call;
	rc = mr_table_add(&session->table, entry, &slot, err);
	if (!rc && !mr_table_claim(&session->table, slot)) {
		rc = mr_table_fail_claimed(&session->table, slot, entry->id, errno, err);
		mr_table_remove(&session->table, slot, entry->id);
	}
	mr_table_unlock(&session->table);
	if (rc)
		return rc;
	rc = mr_session_reserve_region(session, slot, err);
	if (!rc)
		rc = register_to_stay(session, registrar, request, &region, err);
	if (rc) {
		withdraw_entry(session, slot, entry->id);
		return rc;
	}
	fill_entry(entry, request, &region, registrar->via);
	mr_registrant_note(session, entry);
	mr_session_note_binding(session, entry);
	if (mr_session_is_private(session) && request->dmah)
		entry->dmah = MR_NO_HANDLE; /* the backing frees it */
	if (mr_session_is_private(session))
		mr_session_keep_region(session, slot, &region, request->backing);
	else
		mr_region_forget(&region);
	return commit_entry(session, slot, entry, err);
}

/* ---- deregistering ---- */

/* What is to be deregistered. */
struct removal {
	uint32_t slot;
	uint64_t id;
	bool only_deferred; /* leave it alone where it is no relaxed region that is deferred */
	uint64_t *ns;       /* set to the time that the kernel took; or NULL */
};

/* Under the lock: claim the entry and mark it as in doubt, so that its region may be destroyed. */
static int begin_deregister(struct mr_session *session, const struct removal *removal,
			    struct mr_entry *entry, struct mr_error *err)
{
	const uint32_t slot = removal->slot;
	const uint64_t id = removal->id;
	struct mr_session_region region;
	int rc = mr_session_claim(session, slot, id, &region, err);

	if (rc)
		return rc;
	*entry = region.entry;
	if (removal->only_deferred && !mr_entry_is_marked(entry))
		rc = mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "region %llu is not deferred",
				  (unsigned long long)id);
	if (!rc && (region.state == MR_STATE_GONE || entry->state == MR_ENTRY_PENDING)) {
		mr_table_remove(&session->table, slot, id);
		rc = mr_session_fail_gone(entry, err);
	}
	if (rc)
		mr_table_unclaim(&session->table, slot);
	else
		mr_table_set_state(&session->table, slot, id, MR_ENTRY_IN_DOUBT);
	return rc;
}

/* The library destroys a region that it has registered in this process.  Others are destroyed by their handle. */
static int destroy_region(struct mr_session *session, const struct removal *removal,
			  const struct mr_entry *entry, struct mr_error *err)
{
	const struct mr_registrar registrar = { .uverbs = &session->uverbs,
						.untimed = !removal->ns };
	struct mr_held *held = mr_session_held(session, removal->slot);
	struct mr_region region = { .kind = (uint8_t)mr_region_kind(entry->call),
				    .handle = entry->handle };
	int rc = mr_region_deregister(&registrar, held ? &held->region : &region, err);

	if (rc)
		return rc;
	if (removal->ns)
		*removal->ns = held ? held->region.dereg_elapsed_ns : region.dereg_elapsed_ns;
	if (held)
		mr_session_forget_region(session, removal->slot);
	return 0;
}

static int free_dm(const struct mr_session *session, const struct mr_entry *entry,
		   struct mr_error *err)
{
	int rc = entry->memory_of == MR_MEMORY_OF_RDMA_DEVICE
			 ? mr_uverbs_free_dm(&session->uverbs, entry->dm, err)
			 : 0;

	/* EBUSY: another region is on that memory.  ENOENT, EINVAL: the handle is free, or another object's. */
	if (!rc || rc == -EBUSY || rc == -ENOENT || rc == -EINVAL)
		return 0;
	mr_wrap(err, "region %llu is deregistered, but the memory on the device stays",
		(unsigned long long)entry->id);
	return rc;
}

/* As free_dm(): the last region that uses a DMA handle takes it away. */
static int free_dmah(const struct mr_session *session, const struct mr_entry *entry,
		     struct mr_error *err)
{
	int rc = mr_region_has_dmah(entry->call) && entry->dmah != MR_NO_HANDLE
			 ? mr_uverbs_free_dmah(&session->uverbs, entry->dmah, err)
			 : 0;

	/* EPROTONOSUPPORT: a holder of the session has written the entry, and there are no DMA handles. */
	if (!rc || rc == -EBUSY || rc == -ENOENT || rc == -EINVAL || rc == -EPROTONOSUPPORT)
		return 0;
	mr_wrap(err, "region %llu is deregistered, but its DMA handle stays",
		(unsigned long long)entry->id);
	return rc;
}

/*
 * Note whether the kernel has destroyed the region.
 * Return: 0, or -errno where the lock cannot be had: the entry stays in doubt.
 */
static int end_deregister(struct mr_session *session, const struct removal *removal, bool gone,
			  struct mr_error *err)
{
	const uint32_t slot = removal->slot;
	const uint64_t id = removal->id;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		mr_wrap(err,
			"region %llu is deregistered, but its entry stays, in doubt until mrctl "
			"dereg %llu removes it",
			(unsigned long long)id, (unsigned long long)id);
	else if (gone)
		mr_table_remove(&session->table, slot, id);
	else
		mr_table_set_state(&session->table, slot, id, MR_ENTRY_LIVE);
	mr_session_unclaim(session, slot);
	return rc;
}

static int deregister(struct mr_session *session, const struct removal *removal,
		      struct mr_entry *entry, struct mr_error *err)
{
	struct mr_error lock_error;
	int rc = mr_table_lock(&session->table, err), left;

	if (rc)
		return rc;
	rc = begin_deregister(session, removal, entry, err);
	mr_table_unlock(&session->table);
	if (rc)
		return rc;
	rc = destroy_region(session, removal, entry, err);
	left = rc ? 0 : free_dm(session, entry, err);
	if (!rc && !left)
		left = free_dmah(session, entry, err);
	if (end_deregister(session, removal, !rc, &lock_error) && !rc && !left) {
		*err = lock_error;
		left = -err->errnum;
	}
	return rc ? rc : left != 0;
}

int mr_session_deregister(struct mr_session *session, uint32_t slot, uint64_t id,
			  struct mr_entry *entry, uint64_t *ns, struct mr_error *err)
{
	return deregister(session, &(struct removal){ slot, id, false, ns }, entry, err);
}

int mr_session_invalidate(struct mr_session *session, uint32_t slot, uint64_t id,
			  struct mr_entry *entry, uint64_t *ns, struct mr_error *err)
{
	return deregister(session, &(struct removal){ slot, id, true, ns }, entry, err);
}
