// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

static int fail_no_pd(const struct mr_session *session, const char *name, struct mr_error *err)
{
	return mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "the %s has no protection domain '%s'",
			    mr_table_noun(&session->table), name);
}

/* Under the lock.  A PD in doubt is one that a process was deallocating when it was killed: the kernel is queried. */
static void recover_pds(struct mr_session *session)
{
	struct mr_handles handles;
	struct mr_error ignored;
	struct mr_table_pd pd;
	bool is_listed = false;

	if (mr_session_is_private(session)) /* no other process */
		return;
	for (uint32_t pd_slot = 0; pd_slot < MR_TABLE_PDS; pd_slot++) {
		if (!mr_table_pd(&session->table, pd_slot, &pd) || !pd.in_doubt)
			continue;
		if (!is_listed &&
		    mr_uverbs_list(&session->uverbs, UVERBS_OBJECT_PD, &handles, &ignored))
			break;
		is_listed = true;
		if (mr_handles_have(&handles, pd.handle))
			mr_table_doubt_pd(&session->table, pd_slot, false);
		else
			mr_table_remove_pd(&session->table, pd_slot);
	}
}

int mr_session_recover_pds(struct mr_session *session, struct mr_error *err)
{
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	recover_pds(session);
	mr_table_unlock(&session->table);
	return 0;
}

/* Allocates a PD: of a private session by the library. */
static int new_pd(struct mr_session *session, const char *name, uint32_t *pd_slot,
		  struct mr_table_pd *pd, struct mr_error *err)
{
	struct mr_device device = { .context = NULL };
	int rc;

	if (mr_session_is_private(session)) {
		device.context = session->library->device.context;
		rc = mr_device_alloc_pd(&device, err);
		pd->handle = rc ? MR_NO_HANDLE : device.pd->handle;
	} else {
		rc = mr_uverbs_alloc_pd(&session->uverbs, &pd->handle, err);
	}
	if (rc)
		return rc;
	*pd_slot = mr_table_add_pd(&session->table, name, pd->handle);
	if (*pd_slot != MR_NO_SLOT) {
		if (device.pd)
			session->library->pds[*pd_slot] = device.pd;
		return 0;
	}
	if (device.pd)
		ibv_dealloc_pd(device.pd);
	else
		mr_uverbs_destroy(&session->uverbs, MR_KIND_PD, pd->handle, err);
	return mr_fail_text(err, MR_ERROR_HOST, ENOSPC, "a %s has at most %d protection domains",
			    mr_table_noun(&session->table), MR_TABLE_PDS);
}

/* Under the lock.  The name in the copy is compared again: another holder may have changed it since. */
static bool find_pd(const struct mr_session *session, const char *name, uint32_t *pd_slot,
		    struct mr_table_pd *pd)
{
	*pd_slot = mr_table_find_pd(&session->table, name);
	return mr_table_pd(&session->table, *pd_slot, pd) && !strcmp(pd->name, name);
}

int mr_session_pd(struct mr_session *session, const char *name, bool *made, uint32_t *pd_slot,
		  struct mr_table_pd *pd, struct mr_error *err)
{
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	recover_pds(session);
	if (!find_pd(session, name, pd_slot, pd)) {
		rc = made ? new_pd(session, name, pd_slot, pd, err)
			  : fail_no_pd(session, name, err);
		if (made)
			*made = !rc;
	}
	if (!rc)
		rc = mr_table_lock_pd(&session->table, *pd_slot, false, err);
	mr_table_unlock(&session->table);
	return rc;
}

/*
 * Under the lock and with a claim on the PD.  Without the claim another process could be about to register in
 * it, and would register in the next PD that gets its handle.
 */
static int dealloc_pd(struct mr_session *session, uint32_t pd_slot, const struct mr_table_pd *pd,
		      struct mr_error *err)
{
	int rc;

	mr_table_doubt_pd(&session->table, pd_slot, true);
	if (mr_session_is_private(session)) {
		errno = 0;
		rc = ibv_dealloc_pd(session->library->pds[pd_slot]);
		if (rc)
			rc = mr_fail(err, MR_ERROR_REFUSED, rc > 0 ? rc : mr_call_errno(),
				     "ibv_dealloc_pd", NULL);
		else
			session->library->pds[pd_slot] = NULL;
	} else {
		rc = mr_uverbs_destroy(&session->uverbs, MR_KIND_PD, pd->handle, err);
	}
	if (!rc || rc == -ENOENT)
		mr_table_remove_pd(&session->table, pd_slot);
	else
		mr_table_doubt_pd(&session->table, pd_slot, false);
	return rc;
}

int mr_session_dealloc_pd(struct mr_session *session, const char *name, struct mr_error *err)
{
	struct mr_table_pd pd;
	uint32_t pd_slot;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	recover_pds(session);
	if (find_pd(session, name, &pd_slot, &pd)) {
		rc = mr_table_lock_pd(&session->table, pd_slot, true, err);
		if (!rc)
			rc = dealloc_pd(session, pd_slot, &pd, err);
		mr_table_unlock_pd(&session->table, pd_slot);
	} else {
		rc = fail_no_pd(session, name, err);
	}
	mr_table_unlock(&session->table);
	return rc;
}

/*
 * Give up the claim before the lock.  As soon as others have the lock they may put another entry into that
 * slot, which they must be able to claim.
 */
void mr_session_unclaim(struct mr_session *session, uint32_t slot)
{
	mr_table_unclaim(&session->table, slot);
	mr_table_unlock(&session->table);
}

int mr_session_fail_gone(const struct mr_entry *entry, struct mr_error *err)
{
	bool registered = entry->state != MR_ENTRY_PENDING;
	int rc = mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "region %llu was already gone: %s",
			      (unsigned long long)entry->id,
			      registered ? "the kernel has no such region"
					 : "a process was killed while it registered the region");

	if (!registered)
		mr_hint(err, "if the kernel has it, mrctl stat shows it as unlisted");
	return rc;
}

static int fail_absent(uint64_t id, struct mr_error *err)
{
	return mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "no region %llu", (unsigned long long)id);
}

int mr_session_claim(struct mr_session *session, uint32_t slot, uint64_t id,
		     struct mr_session_region *region, struct mr_error *err)
{
	struct mr_table *table = &session->table;

	region->state = MR_STATE_UNKNOWN;
	if (!mr_table_has_id(table, slot, id))
		return fail_absent(id, err);
	if (!mr_table_claim(table, slot))
		return mr_table_fail_claimed(table, slot, id, errno, err);
	if (mr_table_get(table, slot, &region->entry) && region->entry.id == id)
		region->state = mr_session_compare(session, slot, true, region, err);
	else
		fail_absent(id, err);
	/*
	 * If the kernel cannot be queried, the handle may belong to another region by now, which must not be touched.
	 * Only EIO is sufficient: the device was removed, and all its regions with it.
	 */
	if (region->state != MR_STATE_PENDING &&
	    (region->state != MR_STATE_UNKNOWN || err->errnum == EIO))
		return 0;
	mr_table_unclaim(table, slot);
	return -err->errnum;
}

/* ---- registering ---- */

/* Return: 0, or -errno: -ENODEV where there is no function.  @binding is 0 where it is not known. */
static int find_binding(const struct mr_session *session, uint32_t *binding)
{
	struct mr_error ignored;
	char path[256];
	int rc = mr_uverbs_data_direct_path(&session->uverbs, path, sizeof(path), &ignored);

	*binding = rc ? 0 : mr_pci_binding(mr_this_host(), path);
	return rc;
}

enum mr_tristate mr_session_is_revoked(const struct mr_session *session,
				       const struct mr_entry *entry)
{
	uint32_t binding;
	int rc;

	if (!mr_call_row(entry->call)->data_direct || entry->memory_of == MR_MEMORY_OF_RDMA_DEVICE)
		return MR_NO;
	rc = find_binding(session, &binding);
	if (rc)
		return rc == -ENODEV ? MR_YES : MR_UNKNOWN;
	if (!entry->binding)
		return MR_NO;
	return !binding ? MR_UNKNOWN : binding != entry->binding ? MR_YES : MR_NO;
}

/* Makes room for the region of a slot where the session is private. */
static int reserve_region(struct mr_session *session, uint32_t slot, struct mr_error *err)
{
	struct mr_session_library *library = session->library;
	uint32_t capacity = session->table.capacity;
	struct mr_held *held;

	if (!mr_session_is_private(session) || slot < library->capacity)
		return 0;
	held = reallocarray(library->held, capacity, sizeof(*held));
	if (!held)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "reallocarray", NULL);
	for (uint32_t i = library->capacity; i < capacity; i++)
		held[i] = (struct mr_held){ .backing = NULL };
	library->held = held;
	library->capacity = capacity;
	return 0;
}

/*
 * A region whose keys cannot be noted is deregistered at once: no entry would name it.  Nobody uses it yet,
 * as the keys were not printed.  Its entry stays as one whose registration was never finished.
 */
static int commit_entry(struct mr_session *session, uint32_t slot, const struct mr_entry *entry,
			struct mr_error *err)
{
	const enum mr_region_kind kind = mr_region_kind(entry->call);
	const unsigned long long id = entry->id;
	struct mr_error left;
	int rc = mr_table_lock(&session->table, err);

	if (!rc && !mr_table_commit(&session->table, slot, entry))
		rc = mr_fail_text(err, MR_ERROR_HOST, ENOENT,
				  "another process has removed the region from the session");
	if (rc && !mr_uverbs_destroy(&session->uverbs, kind, entry->handle, &left)) {
		mr_wrap(err, "region %llu was deregistered again, because it cannot be recorded",
			id);
	} else if (rc) {
		mr_wrap(err, "region %llu is registered, but it cannot be recorded", id);
		mr_hint(err, "it still exists, without a name: mrctl dereg %s:%u",
			mr_region_kind_name(kind), entry->handle);
	}
	mr_session_unclaim(session, slot);
	return rc;
}

/* A region that outlives this process must have a handle: without one it could not be deregistered. */
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
		rc = mr_fail(
			err, MR_ERROR_HOST, EOPNOTSUPP, "ibv_alloc_null_mr",
			"a null MR cannot stay in a session: it is not an object of the kernel");
		mr_hint(err, "outside of it: MRCTL_SESSION= mrctl reg --memory null-mr");
		return rc;
	}
	rc = mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "mlx5dv_devx_umem_export",
		     "the umem cannot stay in the session: libmlx5 does not export its handle");
	mr_hint(err, "use --via kernel");
	return rc;
}

int mr_session_register(struct mr_session *session, const struct mr_registrar *registrar,
			const struct mr_region_request *request, struct mr_entry *entry,
			struct mr_error *err)
{
	struct mr_error ignored;
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
	rc = reserve_region(session, slot, err);
	if (!rc)
		rc = register_to_stay(session, registrar, request, &region, err);
	if (rc) {
		/* Without the lock the entry stays, as one whose registration was never finished. */
		if (!mr_table_lock(&session->table, &ignored))
			mr_table_remove(&session->table, slot, entry->id);
		mr_session_unclaim(session, slot);
		return rc;
	}
	mr_entry_fill(entry, request, &region, registrar->via);
	mr_registrant_note(session, entry);
	if (mr_call_row(entry->call)->data_direct && entry->memory_of != MR_MEMORY_OF_RDMA_DEVICE)
		find_binding(session, &entry->binding);
	if (mr_session_is_private(session)) {
		if (request->dmah)
			entry->dmah = MR_NO_HANDLE; /* the backing frees it */
		session->library->held[slot] = (struct mr_held){ .region = region };
		mr_held_move(&session->library->held[slot], request->backing);
	} else {
		mr_region_forget(&region);
	}
	return commit_entry(session, slot, entry, err);
}

/* ---- deregistering ---- */

/* Claims the entry under the lock, and checks that its region may be destroyed. */
static int begin_deregister(struct mr_session *session, uint32_t slot, uint64_t id,
			    bool only_deferred, struct mr_entry *entry, struct mr_error *err)
{
	struct mr_session_region region = { 0 }; /* an analyser does not see that it is set */
	int rc = mr_session_claim(session, slot, id, &region, err);

	if (rc)
		return rc;
	*entry = region.entry;
	if (only_deferred && !mr_entry_is_marked(entry)) {
		rc = mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "region %llu is not deferred",
				  (unsigned long long)id);
	} else if (region.state == MR_STATE_GONE || entry->state == MR_ENTRY_PENDING) {
		mr_table_remove(&session->table, slot, id);
		rc = mr_session_fail_gone(entry, err);
	}
	if (rc)
		mr_table_unclaim(&session->table, slot);
	return rc;
}

/* Frees the memory on the device, or the DMA handle, unless another region uses it. */
static int free_object(const struct mr_session *session, const struct mr_entry *entry,
		       struct mr_error *err)
{
	const bool is_dm = entry->memory_of == MR_MEMORY_OF_RDMA_DEVICE;
	int rc = 0;

	if (is_dm)
		rc = mr_uverbs_destroy(&session->uverbs, MR_KIND_DM, entry->dm, err);
	else if (mr_call_row(entry->call)->dmah && entry->dmah != MR_NO_HANDLE)
		rc = mr_uverbs_destroy(&session->uverbs, MR_KIND_DMAH, entry->dmah, err);
	/*
	 * EBUSY: another region uses it.  ENOENT, EINVAL: the handle is free, or another object's.  EPROTONOSUPPORT: a
	 * holder of the session has written the entry, and there are no such objects.
	 */
	if (!rc || rc == -EBUSY || rc == -ENOENT || rc == -EINVAL || rc == -EPROTONOSUPPORT)
		return 0;
	mr_wrap(err, "region %llu is deregistered, but %s stays", (unsigned long long)entry->id,
		is_dm ? "the memory on the device" : "its DMA handle");
	return rc;
}

/*
 * The library destroys a region that it has registered in this process.  Others are destroyed by their handle.  The
 * entry is claimed, so no other process changes its state, and the lock is not needed.
 */
static int destroy(struct mr_session *session, uint32_t slot, const struct mr_entry *entry,
		   uint64_t *ns, struct mr_error *err)
{
	const struct mr_registrar registrar = { .uverbs = &session->uverbs, .untimed = !ns };
	struct mr_held *held = mr_session_held(session, slot);
	struct mr_region by_handle = { .kind = (uint8_t)mr_region_kind(entry->call),
				       .handle = entry->handle };
	struct mr_region *region = held ? &held->region : &by_handle;
	int rc;

	mr_table_set_state(&session->table, slot, entry->id, MR_ENTRY_IN_DOUBT);
	rc = mr_region_deregister(&registrar, region, err);
	if (rc) {
		mr_table_set_state(&session->table, slot, entry->id, MR_ENTRY_LIVE);
		return rc;
	}
	if (ns)
		*ns = region->dereg_elapsed_ns;
	if (held) /* its memory is unmapped with the last region on it */
		mr_held_move(held, NULL);
	return free_object(session, entry, err) != 0;
}

int mr_session_deregister(struct mr_session *session, uint32_t slot, uint64_t id,
			  bool only_deferred, struct mr_entry *entry, uint64_t *ns,
			  struct mr_error *err)
{
	const unsigned long long number = id;
	struct mr_error lock_error;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	rc = begin_deregister(session, slot, id, only_deferred, entry, err);
	mr_table_unlock(&session->table);
	if (rc)
		return rc;
	rc = destroy(session, slot, entry, ns, err);
	/* Without the lock the entry stays, in doubt. */
	if (!mr_table_lock(&session->table, &lock_error)) {
		if (rc >= 0)
			mr_table_remove(&session->table, slot, id);
	} else if (!rc) {
		*err = lock_error;
		mr_wrap(err,
			"region %llu is deregistered, but its entry stays, in doubt until "
			"mrctl dereg %llu removes it",
			number, number);
		rc = 1;
	}
	mr_session_unclaim(session, slot);
	return rc;
}
