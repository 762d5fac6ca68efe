// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>

#include "lib/session/handles.h"
#include "lib/session/library.h"
#include "lib/session/pds.h"
#include "lib/session/table/file.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/pds.h"

static int fail_no_pd(const struct mr_session *session, const char *name, struct mr_error *err)
{
	return mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "the %s has no protection domain '%s'",
			    mr_table_noun(&session->table), name);
}

/* Under the lock.  A PD in doubt is one that a process was deallocating when it was killed: the kernel is asked. */
static void recover_pds(struct mr_session *session)
{
	struct mr_handles handles = { .list = NULL };
	struct mr_error ignored;
	struct mr_table_pd pd;

	if (mr_session_is_private(session)) /* no other process */
		return;
	for (uint32_t pd_slot = 0; pd_slot < MR_TABLE_PDS; pd_slot++) {
		if (!mr_table_pd(&session->table, pd_slot, &pd) || !pd.in_doubt)
			continue;
		if (!handles.list &&
		    mr_handles_list(session, MR_HANDLES_OF_PDS, &handles, &ignored))
			break;
		if (mr_handles_have(&handles, pd.handle))
			mr_table_doubt_pd(&session->table, pd_slot, false);
		else
			mr_table_remove_pd(&session->table, pd_slot);
	}
	mr_handles_release(&handles);
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

static int new_private_pd(struct mr_session *session, const char *name, uint32_t *pd_slot,
			  struct mr_table_pd *pd, struct mr_error *err)
{
	struct mr_session_library *library = session->library;
	struct ibv_pd *allocated;

	errno = 0;
	allocated = ibv_alloc_pd(library->device.context);
	if (!allocated)
		return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_alloc_pd", NULL);
	pd->handle = allocated->handle;
	*pd_slot = mr_table_add_pd(&session->table, name, allocated->handle);
	if (*pd_slot != MR_NO_SLOT) {
		library->pds[*pd_slot] = allocated;
		return 0;
	}
	ibv_dealloc_pd(allocated);
	return mr_fail_text(err, MR_ERROR_HOST, ENOSPC, "a batch has at most %d protection domains",
			    MR_TABLE_PDS);
}

static int dealloc_private_pd(struct mr_session *session, uint32_t pd_slot, struct mr_error *err)
{
	int rc;

	errno = 0;
	rc = ibv_dealloc_pd(session->library->pds[pd_slot]);
	if (rc)
		return mr_fail(err, MR_ERROR_REFUSED, rc > 0 ? rc : mr_call_errno(),
			       "ibv_dealloc_pd", NULL);
	session->library->pds[pd_slot] = NULL;
	return 0;
}

static int new_pd(struct mr_session *session, const char *name, uint32_t *pd_slot,
		  struct mr_table_pd *pd, struct mr_error *err)
{
	int rc;

	if (mr_session_is_private(session))
		return new_private_pd(session, name, pd_slot, pd, err);
	rc = mr_uverbs_alloc_pd(&session->uverbs, &pd->handle, err);
	if (rc)
		return rc;
	*pd_slot = mr_table_add_pd(&session->table, name, pd->handle);
	if (*pd_slot != MR_NO_SLOT)
		return 0;
	mr_uverbs_dealloc_pd(&session->uverbs, pd->handle, err);
	return mr_fail_text(err, MR_ERROR_HOST, ENOSPC,
			    "a session has at most %d protection domains", MR_TABLE_PDS);
}

/* Under the lock.  The name in the copy is compared again: another holder may have changed it since. */
static bool find_pd(const struct mr_session *session, const char *name, uint32_t *pd_slot,
		    struct mr_table_pd *pd)
{
	*pd_slot = mr_table_find_pd(&session->table, name);
	return mr_table_pd(&session->table, *pd_slot, pd) &&
	       (mr_session_is_private(session) || !strcmp(pd->name, name));
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
		rc = mr_table_use_pd(&session->table, *pd_slot, err);
	mr_table_unlock(&session->table);
	return rc;
}

void mr_session_leave_pd(const struct mr_session *session, uint32_t pd_slot)
{
	mr_table_leave_pd(&session->table, pd_slot);
}

/*
 * Under the lock and with a claim on the PD.  Without the claim another process could be about to register in
 * it, and would register in whatever PD gets its handle next.
 */
static int dealloc_pd(struct mr_session *session, uint32_t pd_slot, const struct mr_table_pd *pd,
		      struct mr_error *err)
{
	int rc;

	mr_table_doubt_pd(&session->table, pd_slot, true);
	rc = mr_session_is_private(session)
		     ? dealloc_private_pd(session, pd_slot, err)
		     : mr_uverbs_dealloc_pd(&session->uverbs, pd->handle, err);
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
		rc = mr_table_claim_pd(&session->table, pd_slot, err);
		if (!rc)
			rc = dealloc_pd(session, pd_slot, &pd, err);
		mr_table_leave_pd(&session->table, pd_slot);
	} else {
		rc = fail_no_pd(session, name, err);
	}
	mr_table_unlock(&session->table);
	return rc;
}
