// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/session/changes.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* As the IOVA of a region on memory of the device the kernel tells where that memory is: it is not the region's. */
static void take_from_kernel(struct mr_entry *entry, const struct mr_uverbs_mr *kernel)
{
	entry->lkey = kernel->lkey;
	entry->rkey = kernel->rkey;
	entry->length = kernel->length;
	if (!mr_region_is_dm(entry->call))
		entry->iova = kernel->iova;
}

static int take_unlisted(struct mr_session *session, struct mr_entry *entry, struct mr_error *err)
{
	struct mr_uverbs_mr kernel;
	int rc = mr_session_find_object(session, MR_KIND_MR, entry->handle, &kernel, err);

	if (rc)
		return rc;
	*entry = (struct mr_entry){ .state = MR_ENTRY_LIVE,
				    .handle = kernel.handle,
				    .unsure = MR_CHANGES,
				    .pd = UINT16_MAX };
	take_from_kernel(entry, &kernel);
	return 0;
}

/* The kernel would refuse these as well, but only after the entry was marked as in doubt. */
static int check_kind(const struct mr_entry *entry, struct mr_error *err)
{
	if (entry->call == MR_REG_MR_RELAXED)
		mr_fail_text(err, MR_ERROR_RELAXED, EINVAL,
			     "region %llu is relaxed%s, and such regions cannot be changed",
			     (unsigned long long)entry->id,
			     mr_entry_is_marked(entry) ? " and deferred" : "");
	else if (mr_region_kind(entry->call) != MR_KIND_MR)
		mr_fail_text(err, MR_ERROR_HOST, EINVAL,
			     "region %llu is a umem, and only memory regions can be changed",
			     (unsigned long long)entry->id);
	else
		return 0;
	mr_hint(err, "register another one, and deregister this one");
	return -EINVAL;
}

int mr_session_begin_rereg(struct mr_session *session, uint32_t slot, uint64_t id,
			   struct mr_entry *entry, struct mr_error *err)
{
	struct mr_session_region region = { .entry = *entry };
	int rc;

	if (slot == MR_NO_SLOT)
		return take_unlisted(session, entry, err);
	rc = mr_table_lock(&session->table, err);
	if (rc)
		return rc;
	rc = mr_session_claim(session, slot, id, &region, err);
	*entry = region.entry;
	if (rc) {
		mr_table_unlock(&session->table);
		return rc;
	}
	rc = check_kind(entry, err);
	if (!rc && (region.state == MR_STATE_GONE || entry->state == MR_ENTRY_PENDING))
		rc = mr_session_fail_gone(entry, err);
	else if (!rc && region.state == MR_STATE_UNKNOWN)
		rc = -err->errnum;
	else if (!rc)
		take_from_kernel(entry, &region.kernel);
	if (rc)
		mr_session_unclaim(session, slot);
	else
		mr_table_unlock(&session->table);
	return rc;
}

/* Before the kernel is asked: a process that is killed from here on leaves the entry in doubt. */
static int mark_in_doubt(struct mr_session *session, const struct mr_session_rereg *job,
			 struct mr_error *err)
{
	struct mr_entry marked = *job->before;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	marked.state = MR_ENTRY_IN_DOUBT;
	marked.unsure |= job->request->changes & MR_CHANGES;
	marked.new_length = job->request->length;
	marked.new_iova = job->request->iova;
	if (!mr_table_change(&session->table, job->slot, &marked))
		rc = mr_session_fail_gone(job->before, err);
	mr_table_unlock(&session->table);
	return rc;
}

static bool has_changed(int rc, const struct mr_rereg_failure *failure)
{
	return !rc || failure->old == MR_OLD_REPLACED;
}

/*
 * Whether the kernel refuses such regions first of all: uverbs those on memory of the device
 * (ib_uverbs_rereg_mr(): mr->dm), mlx5 those of Data Direct (mlx5_ib_rereg_user_mr(): mr->data_direct).
 */
static bool is_refused_first(const struct mr_entry *entry, int rc)
{
	return mr_region_is_dm(entry->call)
		       ? rc == -EINVAL
		       : mr_call_row(entry->call)->data_direct && rc == -EOPNOTSUPP;
}

/* Change a region of a private session by the library's own object, which was made when it was registered. */
static int change_held(struct mr_held *held, const struct mr_registrar *registrar,
		       const struct mr_rereg_request *request, struct mr_rereg_failure *failure,
		       struct mr_error *err)
{
	int rc = mr_region_rereg(registrar, request, &held->region, failure, err);

	if (failure->old == MR_OLD_UNUSABLE)
		held->broken = true;
	if (!has_changed(rc, failure))
		return rc;
	if (request->changes & MR_CHANGE_TRANSLATION)
		mr_held_move(held, request->backing);
	return rc;
}

static int change_region(struct mr_session *session, const struct mr_session_rereg *job,
			 const struct mr_rereg_request *request, struct mr_region *region,
			 struct mr_error *err)
{
	struct mr_held *held = mr_session_held(session, job->slot);
	const struct mr_registrar *registrar = job->registrar;
	const struct mr_entry *before = job->before;
	int rc;

	if (held && (held->region.mr || registrar->via == MR_VIA_KERNEL)) {
		rc = change_held(held, registrar, request, job->failure, err);
		*region = held->region;
		return rc;
	}
	*region = (struct mr_region){ .addr = before->addr,
				      .length = before->length,
				      .iova = before->iova,
				      .handle = before->handle };
	if (registrar->via == MR_VIA_LIBRARY) {
		rc = mr_region_import(registrar, before->handle, region, err);
		if (rc)
			return rc;
	}
	rc = mr_region_rereg(registrar, request, region, job->failure, err);
	job->failure->imported = registrar->via == MR_VIA_LIBRARY;
	mr_region_forget(region);
	return rc;
}

static enum mr_origin origin_of(const struct mr_entry *entry, bool listed)
{
	if (!listed)
		return MR_ORIGIN_UNKNOWN;
	return mr_region_has_offset(entry->call) ? MR_ORIGIN_OTHER : MR_ORIGIN_PLAIN;
}

/* What the table is to say of a region that was not changed. */
static void note_unchanged(const struct mr_session_rereg *job)
{
	enum mr_old_region old = job->failure->old;

	*job->after = *job->before;
	job->after->state = MR_ENTRY_LIVE;
	if (old != MR_OLD_UNTOUCHED && old != MR_OLD_VALID)
		job->after->refused |= job->request->changes & MR_CHANGES;
}

/* What the table is to say of a region that was changed: nothing that was changed is unsure any more. */
static void note_change(struct mr_session *session, const struct mr_session_rereg *job,
			const struct mr_region *region)
{
	const struct mr_rereg_request *request = job->request;
	struct mr_held *held = mr_session_held(session, job->slot);
	struct mr_entry *after = job->after;
	uint8_t changes = request->changes & MR_CHANGES;

	after->state = MR_ENTRY_LIVE;
	after->addr = region->addr;
	after->length = region->length;
	after->iova = region->iova;
	after->lkey = region->lkey;
	after->rkey = region->rkey;
	after->elapsed_ns = region->elapsed_ns;
	after->via = (uint8_t)job->registrar->via;
	if (changes & MR_CHANGE_ACCESS)
		after->access = request->access;
	/* A region of all memory is made anew (mlx5_ib_rereg_user_mr()). */
	if (changes & MR_CHANGE_TRANSLATION || region->length == UINT64_MAX)
		after->pinned_access = after->access;
	after->unsure = job->before->unsure & (uint8_t)~changes;
	after->refused = job->before->refused & (uint8_t)~changes;
	after->new_length = region->length;
	after->new_iova = region->iova;
	if (changes & MR_CHANGE_TRANSLATION) {
		if (after->memory_of == MR_MEMORY_OF_GPU) /* new memory is the host's */
			after->memory_of = MR_MEMORY_OF_HOST;
		mr_registrant_note(session, after);
	}
	/*
	 * All that was refused before has been changed since.  mlx5 gives a key that it has withdrawn back
	 * with new memory, and refuses to change the access of one (mlx5r_umr_rereg_pd_access()).
	 */
	if (held && !after->refused)
		held->broken = false;
}

/*
 * Write what the region is now into the table.  An entry that has lost its handle meanwhile is removed.
 * @rc: of the change, with @err
 *
 * Return: @rc, or where that is 0 -errno of noting it.
 */
static int commit_change(struct mr_session *session, const struct mr_session_rereg *job, int rc,
			 struct mr_error *err)
{
	const struct mr_entry *before = job->before;
	struct mr_error lock_error;

	/* Where the lock cannot be had the entry stays in doubt. */
	if (mr_table_lock(&session->table, &lock_error)) {
		if (!rc) {
			*err = lock_error;
			mr_wrap(err, "region %llu has changed, but this cannot be noted",
				(unsigned long long)before->id);
			rc = -err->errnum;
		}
	} else if (!mr_table_change(&session->table, job->slot, job->after)) {
		mr_table_remove(&session->table, job->slot, before->id);
		if (!rc)
			rc = mr_session_fail_gone(before, err);
	}
	return rc;
}

int mr_session_rereg(struct mr_session *session, const struct mr_session_rereg *job,
		     struct mr_error *err)
{
	const bool listed = job->slot != MR_NO_SLOT;
	struct mr_rereg_failure *failure = job->failure;
	struct mr_rereg_request request = *job->request;
	struct mr_region region;
	int rc = 0;

	request.origin = origin_of(job->before, listed);
	*failure = (struct mr_rereg_failure){ .old = MR_OLD_UNTOUCHED };
	if (listed)
		rc = mark_in_doubt(session, job, err);
	if (rc) {
		mr_session_unclaim(session, job->slot);
		return rc;
	}
	rc = change_region(session, job, &request, &region, err);
	if (failure->old == MR_OLD_UNKNOWN && is_refused_first(job->before, rc)) {
		failure->old = MR_OLD_VALID;
		mr_hint(err, "the region is as before");
	}
	if (has_changed(rc, failure))
		note_change(session, job, &region);
	else
		note_unchanged(job);
	if (!listed)
		return rc;
	rc = commit_change(session, job, rc, err);
	mr_session_unclaim(session, job->slot);
	return rc;
}
