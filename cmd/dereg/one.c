// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>

#include "cmd/dereg/one.h"
#include "cmd/region/row.h"
#include "lib/base/clock.h"
#include "lib/session/library.h"
#include "lib/session/objects.h"
#include "lib/session/operand.h"
#include "lib/session/pds.h"
#include "lib/session/regions.h"
#include "lib/session/relaxed.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/pds.h"
#include "lib/verbs/deregister.h"

static void print_region(struct session_job *job, const struct mr_entry *entry, const char *state,
			 uint64_t ns)
{
	struct region_row row;
	struct mr_table_pd pd;

	job->done++;
	if (!answer_has_rows(&job->answer))
		return;
	region_row_fill(&row, entry, &job->session->table, &pd);
	row.state = state;
	row.dereg_elapsed_ns = known(ns);
	answer_row(&job->answer, &row);
}

/* Whether dereg_flush() will report the region. */
static bool is_flushed(const struct session_job *job, const struct mr_entry *entry)
{
	const struct dereg_args *args = job->answer.invocation->args;

	return args->flush &&
	       (!args->pd || mr_table_find_pd(&job->session->table, args->pd) == entry->pd);
}

static int dereg_relaxed(struct session_job *job, uint32_t slot, struct mr_entry *entry,
			 struct mr_error *err)
{
	const struct dereg_args *args = job->answer.invocation->args;
	uint64_t defer = args->defer_for.known ? args->defer_for.value : MR_RELAXED_DEFER_NS;
	uint64_t start = mr_now_ns();
	bool deferred = true;
	struct mr_entry now;
	int rc = mr_dereg_mr_relaxed(job->session, slot, entry->id, defer, &deferred, err);
	uint64_t ns = mr_now_ns() - start;

	if (deferred && (!rc || rc == -EALREADY) && is_flushed(job, entry)) {
		job->answer.total--;
		return 0;
	}
	if (rc)
		return rc;
	/* Read the entry again: it says since when it is deferred, unless another region has its slot by now. */
	if (deferred && mr_table_get(&job->session->table, slot, &now) && now.id == entry->id)
		*entry = now;
	print_region(job, entry, deferred ? "deferred" : "deregistered", ns);
	return 0;
}

int dereg_entry(struct session_job *job, uint32_t slot, struct mr_entry *entry,
		struct mr_error *err)
{
	uint64_t ns = 0;
	int rc;

	if (entry->call == MR_REG_MR_RELAXED)
		return dereg_relaxed(job, slot, entry, err);
	rc = mr_session_deregister(job->session, slot, entry->id, entry,
				   answer_has_rows(&job->answer) ? &ns : NULL, err);
	if (rc >= 0)
		print_region(job, entry, "deregistered", ns);
	return rc;
}

static void print_flushed(void *data, const struct mr_entry *entry, uint64_t ns,
			  struct mr_error *err)
{
	struct session_job *job = data;

	job->answer.total += entry != NULL;
	if (err && entry)
		mr_wrap(err, "cannot invalidate region %" PRIu64, entry->id);
	if (err)
		answer_fail(&job->answer, err, 0, entry ? entry->id : 0, MR_VIA_KERNEL);
	else
		print_region(job, entry, "deregistered", ns);
}

/* Invalidates the deferred regions of a PD.  Return: whether a signal came before all were invalid. */
static bool flush_pd(struct session_job *job, uint32_t pd)
{
	struct mr_error reported; /* by print_flushed() */
	uint64_t left;

	mr_flush_relaxed_mr(job->session, pd, print_flushed, job, &left, &reported);
	job->answer.total += left;
	return left;
}

void dereg_flush(struct session_job *job, const char *name)
{
	struct mr_table_pd pd;
	struct mr_error err;
	uint32_t place = MR_ALL_PDS;

	if (name && mr_session_pd(job->session, name, false, &place, &pd, &err))
		answer_fail(&job->answer, &err, 0, 0, MR_VIA_KERNEL);
	else
		flush_pd(job, place);
	mr_session_leave_pd(job->session, place);
	mr_relaxed_expire(job->session);
}

/* A user has deregistered the deferred regions of the PD, which still keep the kernel from freeing it. */
static int dealloc_pd(struct session_job *job, const char *name, struct mr_error *err)
{
	struct mr_table_pd pd;
	uint32_t place = MR_ALL_PDS;
	bool stopped =
		!mr_session_pd(job->session, name, false, &place, &pd, err) && flush_pd(job, place);

	/* Two commands that both used the PD here would each find it busy. */
	mr_session_leave_pd(job->session, place);
	if (stopped)
		return mr_fail_text(err, MR_ERROR_HOST, EINTR,
				    "interrupted: the protection domain '%s' is left", name);
	return mr_session_dealloc_pd(job->session, name, err);
}

/* Destroys an object that no entry names.  The kernel refuses a handle of another kind of object. */
static int dereg_handle(struct session_job *job, enum mr_region_kind kind, uint32_t handle,
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

/* The path of the calls that destroy a region or protection domain. */
static enum mr_via path_of(const struct session_job *job, const struct mr_operand *selection)
{
	if (selection->type == MR_OPERAND_ENTRY)
		return mr_session_via(job->session, selection->slot);
	return selection->type == MR_OPERAND_PD && mr_session_is_private(job->session)
		       ? MR_VIA_LIBRARY
		       : MR_VIA_KERNEL;
}

void dereg_word(struct session_job *job, const char *word, uint64_t index)
{
	struct mr_operand selection;
	struct mr_error err;
	int rc = mr_operand_find(job->session, word, &selection, &err);

	if (!rc && selection.type == MR_OPERAND_PD)
		rc = dealloc_pd(job, selection.pd, &err);
	else if (!rc && selection.type == MR_OPERAND_OBJECT)
		rc = dereg_handle(job, selection.kind, selection.handle, &err);
	else if (!rc)
		rc = dereg_entry(job, selection.slot, &selection.entry, &err);
	if (rc)
		answer_fail(&job->answer, &err, index, selection.id, path_of(job, &selection));
}
