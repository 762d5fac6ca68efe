// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "lib/base/base.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* ---- invalidating ---- */

/* A flush: which of the marked regions it is to invalidate, what is called for each of them, and what failed first. */
struct flush {
	uint32_t pd;      /* or MR_ALL_PDS */
	bool due;         /* only those whose time is over */
	bool wait;        /* until other processes have given up their claims */
	mr_flushed *call; /* or NULL */
	void *data;
	int rc;               /* 0, or -errno of the first failure */
	struct mr_error *err; /* set to the first failure */
};

/* A region that is to be invalidated. */
struct target {
	uint64_t id;
	uint32_t slot;
};

/*
 * Lists the chosen regions.  The number of steps is limited, as another holder may have made the chain a circle.
 * @targets: set to the list, which is to be freed, also after a failure
 *
 * Return: 0 or -errno.
 */
static int list_targets(struct mr_session *session, const struct flush *flush,
			struct target **targets, size_t *count)
{
	const struct mr_table *table = &session->table;
	uint64_t now = mr_now_ns();
	uint32_t slot = MR_NO_SLOT;
	struct mr_entry entry;
	int rc = mr_table_lock(&session->table, flush->err);

	if (rc)
		return rc;
	for (uint32_t steps = 0; !rc && steps < table->capacity; steps++) {
		struct target *list;

		slot = mr_table_next_marked(table, slot);
		if (slot == MR_NO_SLOT || !mr_table_get(table, slot, &entry))
			break;
		if (flush->pd != MR_ALL_PDS && flush->pd != entry.pd)
			continue;
		/* A mark of a time to come was written by no process that keeps to the rules: it is due as well. */
		if (flush->due && entry.marked_ns <= now && now - entry.marked_ns < entry.defer_ns)
			continue;
		list = reallocarray(*targets, *count + 1, sizeof(*list));
		if (list) {
			*targets = list;
			list[(*count)++] = (struct target){ entry.id, slot };
		} else {
			rc = mr_fail(flush->err, MR_ERROR_HOST, ENOMEM, "reallocarray", NULL);
		}
	}
	mr_table_unlock(&session->table);
	return rc;
}

static bool is_busy(const struct mr_error *err)
{
	return err->kind == MR_ERROR_HOST && err->errnum == EBUSY;
}

/*
 * Return: 1 if the region is invalid now; 2 with @err if its entry stays nonetheless; 0 if it no longer existed
 * or, without @wait, another process has claimed it; or -errno.
 */
static int invalidate_region(struct mr_session *session, const struct target *target, bool wait,
			     struct mr_entry *entry, uint64_t *ns, struct mr_error *err)
{
	struct mr_table_wait pauses = { 0 };
	int rc;

	for (;;) {
		rc = mr_session_deregister(session, target->slot, target->id, true, entry, ns, err);
		if (rc >= 0)
			return 1 + rc;
		if (err->kind == MR_ERROR_ABSENT || (!wait && is_busy(err)))
			return 0;
		if (!is_busy(err) || mr_table_wait(&session->table, &pauses))
			return rc;
	}
}

/*
 * The error where a signal has ended the work.
 * @targets: those that remain
 * @left:    how many of them are still marked is added
 *
 * Return: 0 where none is, else -EINTR.
 */
static int fail_interrupted(const struct mr_table *table, const struct target *targets,
			    size_t count, uint64_t *left, struct mr_error *err)
{
	struct mr_entry entry;

	for (size_t i = 0; i < count; i++)
		*left += mr_table_get(table, targets[i].slot, &entry) &&
			 entry.id == targets[i].id && mr_entry_is_marked(&entry);
	if (!*left)
		return 0;
	return mr_fail_text(err, MR_ERROR_HOST, EINTR,
			    "interrupted: %llu deferred region%s left, and reachable by %s keys",
			    (unsigned long long)*left, *left == 1 ? " is" : "s are",
			    *left == 1 ? "its" : "their");
}

/*
 * @entry:   the region; NULL where @failure is not about one
 * @failure: or NULL: the region was invalidated
 */
static void report_flushed(const struct flush *flush, const struct mr_entry *entry, uint64_t ns,
			   struct mr_error *failure)
{
	if (flush->call)
		flush->call(flush->data, entry, ns, failure);
}

static void keep_first_failure(struct flush *flush, const struct mr_error *failure)
{
	if (flush->rc)
		return;
	flush->rc = -failure->errnum;
	*flush->err = *failure;
}

/* Return: false where the table stays locked, so that the targets that follow would fail, too. */
static bool invalidate_target(struct mr_session *session, const struct target *target,
			      struct flush *flush)
{
	struct mr_error failure = { .call = NULL }, ignored;
	struct mr_entry entry;
	uint64_t ns = 0;
	bool failed;
	int rc;

	if (!mr_table_get(&session->table, target->slot, &entry) || entry.id != target->id)
		return true;
	rc = invalidate_region(session, target, flush->wait, &entry, &ns, &failure);
	/* Note why the region still exists, for other processes. */
	if (rc < 0 && mr_error_is_answer(failure.kind, failure.call) &&
	    !mr_table_lock(&session->table, &ignored)) {
		mr_table_refuse_mark(&session->table, target->slot, target->id, failure.errnum);
		mr_table_unlock(&session->table);
	}
	failed = rc < 0 || rc > 1;
	if (failed)
		keep_first_failure(flush, &failure);
	if (rc)
		report_flushed(flush, &entry, ns, rc < 0 ? &failure : NULL);
	if (rc > 1)
		report_flushed(flush, NULL, 0, &failure);
	return !failed || !session->table.gave_up;
}

/* Return: 0, or -errno of the first failure, with @flush->err. */
static int invalidate_targets(struct mr_session *session, struct flush *flush, uint64_t *left)
{
	mr_auto_free struct target *targets = NULL;
	size_t count = 0, done = 0;
	bool is_interrupted = false;
	struct mr_error failure;

	*left = 0;
	flush->rc = list_targets(session, flush, &targets, &count);
	if (flush->rc) {
		report_flushed(flush, NULL, 0, flush->err);
		count = 0;
	}
	while (done < count && !(is_interrupted = mr_interrupted()) &&
	       invalidate_target(session, &targets[done], flush))
		done++;
	if (is_interrupted &&
	    fail_interrupted(&session->table, targets + done, count - done, left, &failure)) {
		keep_first_failure(flush, &failure);
		report_flushed(flush, NULL, 0, &failure);
	}
	return flush->rc;
}

int mr_flush_relaxed_mr(struct mr_session *session, uint32_t pd, mr_flushed *call, void *data,
			uint64_t *left, struct mr_error *err)
{
	struct flush flush = { .pd = pd, .wait = true, .call = call, .data = data, .err = err };

	return invalidate_targets(session, &flush, left);
}

/* For other commands: a region that fails stays marked, and there is no waiting. */
static void invalidate_marked(struct mr_session *session, bool due)
{
	struct mr_error ignored;
	struct flush flush = { .pd = MR_ALL_PDS, .due = due, .err = &ignored };
	uint64_t left;

	invalidate_targets(session, &flush, &left);
}

void mr_relaxed_expire(struct mr_session *session)
{
	struct mr_table_pool pool;

	mr_table_pool(&session->table, &pool);
	if (pool.marked)
		invalidate_marked(session, true);
}

uint32_t mr_relaxed_overdue(struct mr_session *session, struct mr_entry *first)
{
	uint32_t slot = MR_NO_SLOT, count = 0;
	struct mr_table_pool pool;
	struct mr_error ignored;
	struct mr_entry entry;

	mr_table_pool(&session->table, &pool);
	if (!pool.marked || mr_table_lock(&session->table, &ignored))
		return 0;
	for (uint32_t steps = 0; steps < session->table.capacity; steps++) {
		slot = mr_table_next_marked(&session->table, slot);
		if (slot == MR_NO_SLOT || !mr_table_get(&session->table, slot, &entry))
			break;
		if (entry.mark_errno && !count++)
			*first = entry;
	}
	mr_table_unlock(&session->table);
	return count;
}

/* ---- registering and deregistering ---- */

int mr_reg_mr_relaxed(struct mr_session *session, const struct mr_registrar *registrar,
		      const struct mr_region_request *request, struct mr_entry *entry,
		      struct mr_error *err)
{
	struct mr_table_pool pool;

	mr_table_pool(&session->table, &pool);
	if (pool.relaxed >= pool.limit && pool.marked)
		invalidate_marked(session, false);
	return mr_session_register(session, registrar, request, entry, err);
}

/* Under the lock: mark the region as deferred, where it is a relaxed one that exists. */
static int mark_deferred(struct mr_session *session, uint32_t slot, uint64_t id, uint64_t defer_ns,
			 struct mr_error *err)
{
	struct mr_session_region region;
	const struct mr_entry *entry = &region.entry;
	int rc = mr_session_claim(session, slot, id, &region, err);

	if (rc)
		return rc;
	if (region.state == MR_STATE_GONE || entry->state == MR_ENTRY_PENDING) {
		mr_table_remove(&session->table, slot, id);
		rc = mr_session_fail_gone(entry, err);
	} else if (entry->call != MR_REG_MR_RELAXED) {
		rc = mr_fail_text(err, MR_ERROR_HOST, EINVAL, "region %llu is not relaxed",
				  (unsigned long long)id);
	} else if (mr_entry_is_marked(entry)) {
		rc = mr_fail(err, MR_ERROR_RELAXED, EALREADY, "mr_dereg_mr_relaxed",
			     "cannot deregister region %llu again", (unsigned long long)id);
		mr_hint(err, "it is deferred, and its keys work until it is invalidated: mrctl "
			     "dereg --flush does that now");
	} else {
		mr_table_mark(&session->table, slot, id, mr_now_ns(), defer_ns);
	}
	mr_table_unclaim(&session->table, slot);
	return rc;
}

int mr_dereg_mr_relaxed(struct mr_session *session, uint32_t slot, uint64_t id, uint64_t defer_ns,
			bool *deferred, struct mr_error *err)
{
	struct mr_table_pool pool;
	struct mr_entry entry;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	rc = mark_deferred(session, slot, id, defer_ns, err);
	mr_table_unlock(&session->table);
	if (rc)
		return rc;
	mr_table_pool(&session->table, &pool);
	if (pool.marked >= pool.watermark)
		invalidate_marked(session, false);
	*deferred = mr_table_get(&session->table, slot, &entry) && entry.id == id;
	return 0;
}

/* ---- changing a region ---- */

/* For device memory the kernel reports the place of the memory as the IOVA, which is not the region's. */
static void take_from_kernel(struct mr_entry *entry, const struct mr_uverbs_mr *kernel)
{
	entry->lkey = kernel->lkey;
	entry->rkey = kernel->rkey;
	entry->length = kernel->length;
	if (!mr_region_is_dm(entry->call))
		entry->iova = kernel->iova;
}

/* The kernel would refuse these as well, but only after the entry was marked as in doubt. */
static int check_kind(const struct mr_entry *entry, struct mr_error *err)
{
	if (entry->call == MR_REG_MR_RELAXED)
		mr_fail_text(err, MR_ERROR_RELAXED, EINVAL,
			     "region %llu is relaxed%s, and relaxed regions cannot be changed",
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

int mr_session_begin_rereg(struct mr_session *session, struct mr_session_rereg *job, uint64_t id,
			   struct mr_error *err)
{
	const uint32_t slot = job->slot;
	struct mr_entry *entry = &job->before;
	struct mr_session_region region = { .entry = *entry };
	int rc;

	if (slot == MR_NO_SLOT) {
		rc = mr_session_find_object(session, MR_KIND_MR, entry->handle, &region.kernel,
					    err);
		*entry = (struct mr_entry){ .state = MR_ENTRY_LIVE,
					    .handle = region.kernel.handle,
					    .in_doubt = MR_CHANGES,
					    .pd = UINT16_MAX };
		take_from_kernel(entry, &region.kernel);
		return rc;
	}
	rc = mr_table_lock(&session->table, err);
	if (rc)
		return rc;
	rc = mr_session_claim(session, slot, id, &region, err);
	*entry = region.entry;
	if (rc) {
		mr_table_unlock(&session->table);
		return rc;
	}
	if (check_kind(entry, err)) {
		rc = -EINVAL;
	} else if (region.state == MR_STATE_GONE || entry->state == MR_ENTRY_PENDING) {
		rc = mr_session_fail_gone(entry, err);
	} else if (region.state == MR_STATE_UNKNOWN) {
		rc = -err->errnum;
	} else {
		take_from_kernel(entry, &region.kernel);
		mr_table_unlock(&session->table);
		return 0;
	}
	mr_session_unclaim(session, slot);
	return rc;
}

/* Before the call: a process that is killed from here on leaves the entry in doubt. */
static int mark_in_doubt(struct mr_session *session, const struct mr_session_rereg *job,
			 struct mr_error *err)
{
	struct mr_entry marked = job->before;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	marked.state = MR_ENTRY_IN_DOUBT;
	marked.in_doubt |= job->request.changes & MR_CHANGES;
	marked.new_length = job->request.length;
	marked.new_iova = job->request.iova;
	if (!mr_table_change(&session->table, job->slot, &marked))
		rc = mr_session_fail_gone(&job->before, err);
	mr_table_unlock(&session->table);
	return rc;
}

static bool has_changed(int rc, const struct mr_rereg_failure *failure)
{
	return !rc || failure->old == MR_OLD_REPLACED;
}

static int change_region(struct mr_session *session, struct mr_session_rereg *job,
			 struct mr_region *region, struct mr_error *err)
{
	const struct mr_rereg_request *request = &job->request;
	struct mr_held *held = mr_session_held(session, job->slot);
	const struct mr_registrar *registrar = &job->registrar;
	const struct mr_entry *before = &job->before;
	int rc;

	/* The library has its own object of a region of a private session, which was made when it was registered. */
	if (held && (held->region.mr || registrar->via == MR_VIA_KERNEL)) {
		rc = mr_region_rereg(registrar, request, &held->region, &job->failure, err);
		if (job->failure.old == MR_OLD_UNUSABLE)
			held->broken = true;
		if (has_changed(rc, &job->failure) && request->changes & MR_CHANGE_TRANSLATION)
			mr_held_move(held, request->backing);
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
	rc = mr_region_rereg(registrar, request, region, &job->failure, err);
	job->failure.imported = registrar->via == MR_VIA_LIBRARY;
	mr_region_forget(region);
	return rc;
}

/* Sets the table entry of a region that was changed; each changed property is certain again. */
static void note_change(struct mr_session *session, struct mr_session_rereg *job,
			const struct mr_region *region)
{
	const struct mr_rereg_request *request = &job->request;
	struct mr_held *held = mr_session_held(session, job->slot);
	struct mr_entry *after = &job->after;
	uint8_t changes = request->changes & MR_CHANGES;

	after->state = MR_ENTRY_LIVE;
	after->addr = region->addr;
	after->length = region->length;
	after->iova = region->iova;
	after->lkey = region->lkey;
	after->rkey = region->rkey;
	after->elapsed_ns = region->elapsed_ns;
	after->via = (uint8_t)job->registrar.via;
	if (changes & MR_CHANGE_ACCESS)
		after->access = request->access;
	/* The driver makes a region of all memory again (mlx5_ib_rereg_user_mr()). */
	if (changes & MR_CHANGE_TRANSLATION || region->length == UINT64_MAX)
		after->pinned_access = after->access;
	after->in_doubt = job->before.in_doubt & (uint8_t)~changes;
	after->refused = job->before.refused & (uint8_t)~changes;
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
	const struct mr_entry *before = &job->before;
	struct mr_error lock_error;

	/* Where the lock cannot be had the entry stays in doubt. */
	if (mr_table_lock(&session->table, &lock_error)) {
		if (!rc) {
			*err = lock_error;
			mr_wrap(err, "region %llu has changed, but this cannot be recorded",
				(unsigned long long)before->id);
			rc = -err->errnum;
		}
	} else if (!mr_table_change(&session->table, job->slot, &job->after)) {
		mr_table_remove(&session->table, job->slot, before->id);
		if (!rc)
			rc = mr_session_fail_gone(before, err);
	}
	return rc;
}

int mr_session_rereg(struct mr_session *session, struct mr_session_rereg *job, struct mr_error *err)
{
	const bool listed = job->slot != MR_NO_SLOT;
	struct mr_rereg_failure *failure = &job->failure;
	struct mr_region region;
	int rc = 0;

	job->request.origin = !listed                                  ? MR_ORIGIN_UNKNOWN
			      : mr_region_has_offset(job->before.call) ? MR_ORIGIN_OTHER
								       : MR_ORIGIN_PLAIN;
	*failure = (struct mr_rereg_failure){ .old = MR_OLD_UNTOUCHED };
	if (listed)
		rc = mark_in_doubt(session, job, err);
	if (rc) {
		mr_session_unclaim(session, job->slot);
		return rc;
	}
	rc = change_region(session, job, &region, err);
	/*
	 * The kernel refuses such regions first of all: uverbs those on memory of the device (ib_uverbs_rereg_mr():
	 * mr->dm), mlx5 those of Data Direct (mlx5_ib_rereg_user_mr(): mr->data_direct).
	 */
	if (failure->old == MR_OLD_UNKNOWN &&
	    (mr_region_is_dm(job->before.call)
		     ? rc == -EINVAL
		     : mr_call_row(job->before.call)->data_direct && rc == -EOPNOTSUPP)) {
		failure->old = MR_OLD_VALID;
		mr_hint(err, "the region is as before");
	}
	if (has_changed(rc, failure)) {
		note_change(session, job, &region);
	} else {
		job->after = job->before;
		job->after.state = MR_ENTRY_LIVE;
		if (failure->old != MR_OLD_UNTOUCHED && failure->old != MR_OLD_VALID)
			job->after.refused |= job->request.changes & MR_CHANGES;
	}
	if (!listed)
		return rc;
	rc = commit_change(session, job, rc, err);
	mr_session_unclaim(session, job->slot);
	return rc;
}
