// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/dereg/operand.h"
#include "cmd/dereg/region.h"
#include "cmd/region/refusal.h"
#include "cmd/region/row.h"
#include "lib/session/changes.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/*
 * Deferred regions are deregistered for the user, but the kernel still has them, and would answer EBUSY to
 * the PD's deallocation.  So they are invalidated first.
 */
static int dealloc_pd(struct session_job *job, const char *name, struct mr_error *err)
{
	struct mr_table_pd pd;
	uint32_t pd_slot = MR_ALL_PDS;
	bool stopped = !mr_session_pd(job->session, name, NULL, &pd_slot, &pd, err) &&
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

static bool is_on_dm(const struct mr_entry *entry, uint32_t dm)
{
	return entry->memory_of == MR_MEMORY_OF_RDMA_DEVICE && entry->dm == dm;
}

/* Regions in a PD, or on memory of the device. */
static uint64_t count_users(const struct mr_table *table, const struct mr_operand *operand)
{
	const uint32_t pd =
		operand->type == MR_OPERAND_PD ? mr_table_find_pd(table, operand->pd) : MR_NO_SLOT;
	struct mr_entry entry;
	uint64_t count = 0;

	for (uint32_t slot = 0; slot < table->capacity; slot++)
		count += mr_table_get(table, slot, &entry) &&
			 (operand->type == MR_OPERAND_PD ? entry.pd == pd
							 : is_on_dm(&entry, operand->handle));
	return count;
}

/* @operand: was found; may be of any type */
static struct mr_refusal refusal_of(const struct session_job *job, const struct mr_operand *operand)
{
	struct mr_refusal refusal = { .uverbs = &job->session->uverbs, .pd = operand->pd };

	if (operand->type == MR_OPERAND_ENTRY)
		return refusal_of_entry(job->session, &operand->entry);
	if (operand->type == MR_OPERAND_OBJECT)
		refusal = refusal_of_object(job->session, operand->kind, operand->handle);
	if (operand->type == MR_OPERAND_PD || operand->kind == MR_KIND_DM)
		refusal.users =
			(struct mr_opt_u64){ count_users(&job->session->table, operand), true };
	return refusal;
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
