// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/dereg/operand.h"
#include "cmd/dereg/region.h"
#include "cmd/region/refusal.h"
#include "cmd/region/row.h"
#include "lib/session/library.h"
#include "lib/session/objects.h"
#include "lib/session/operand.h"
#include "lib/session/pds.h"
#include "lib/session/relaxed.h"
#include "lib/verbs/deregister.h"

/*
 * Deferred regions are deregistered for the user, but the kernel still has them, and would answer EBUSY to
 * the PD's deallocation.  So they are invalidated first.
 */
static int dealloc_pd(struct session_job *job, const char *name, struct mr_error *err)
{
	struct mr_table_pd pd;
	uint32_t pd_slot = MR_ALL_PDS;
	bool stopped = !mr_session_pd(job->session, name, false, &pd_slot, &pd, err) &&
		       dereg_flush_pd(job, pd_slot);

	/* If two commands deallocated the PD while both still used it, each would find it busy. */
	mr_session_leave_pd(job->session, pd_slot);
	if (stopped)
		return mr_fail_text(err, MR_ERROR_HOST, EINTR,
				    "interrupted: the protection domain '%s' is not deallocated",
				    name);
	return mr_session_dealloc_pd(job->session, name, err);
}

/*
 * Destroys an object that no entry names.  The kernel refuses a handle of another kind of object.  Once the
 * device has gone, it answers a query with EIO, but destroys: then no more than the handle is known, as of a DM.
 */
static int dereg_object(struct session_job *job, enum mr_region_kind kind, uint32_t handle,
			struct mr_error *err)
{
	bool is_mr = kind == MR_KIND_MR;
	struct mr_uverbs_mr mr = { .handle = handle };
	struct region_row row;
	int query_rc = is_mr ? mr_uverbs_query_mr(&job->session->uverbs, handle, &mr, err) : 0;
	int rc = query_rc == -EIO ? 0 : query_rc;

	if (!rc)
		rc = mr_region_destroy(&job->session->uverbs, kind, handle, err);
	if (rc)
		return mr_session_blame_object(job->session, kind, handle, err);
	row = region_row_of_object(query_rc ? MR_KIND_DM : kind, &mr, "deregistered");
	row.kind = mr_region_kind_name(kind);
	row.via = mr_via_name(MR_VIA_KERNEL);
	answer_row(&job->answer, &row);
	job->done++;
	return 0;
}

/* The path of the calls that destroy what an operand names. */
static enum mr_via path_of(const struct session_job *job, const struct mr_operand *operand)
{
	if (operand->type == MR_OPERAND_ENTRY)
		return mr_session_via(job->session, operand->slot);
	return operand->type == MR_OPERAND_PD && mr_session_is_private(job->session)
		       ? MR_VIA_LIBRARY
		       : MR_VIA_KERNEL;
}

/* @operand: was found; may be of any type */
static struct mr_refusal refusal_of(const struct session_job *job, const struct mr_operand *operand)
{
	if (operand->type == MR_OPERAND_ENTRY)
		return refusal_of_entry(job->session, &operand->entry);
	if (operand->type == MR_OPERAND_OBJECT)
		return refusal_of_object(job->session, operand->kind, operand->handle);
	return (struct mr_refusal){ .uverbs = &job->session->uverbs, .pd = operand->pd };
}

void dereg_operand(struct session_job *job, const char *word, uint64_t index)
{
	struct mr_operand operand;
	struct mr_error err;
	int rc = mr_operand_find(job->session, word, &operand, &err);
	const bool found = !rc;

	if (!rc && operand.type == MR_OPERAND_PD)
		rc = dealloc_pd(job, operand.pd, &err);
	else if (!rc && operand.type == MR_OPERAND_OBJECT)
		rc = dereg_object(job, operand.kind, operand.handle, &err);
	else if (!rc)
		rc = dereg_region(job, operand.slot, &operand.entry, &err);
	if (!rc)
		return;
	if (found)
		job->answer.refusal = refusal_of(job, &operand);
	answer_fail(&job->answer, &err, index, operand.id, path_of(job, &operand));
}
