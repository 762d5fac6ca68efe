// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl umem --import */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/region/in_session.h"
#include "cmd/region/row.h"
#include "cmd/umem/args.h"
#include "cmd/umem/import.h"
#include "lib/session/session.h"
#include "lib/verbs/device.h"
#include "lib/verbs/verbs.h"

static int parse_blob(const char *text, struct mr_umem_blob *blob, struct mr_error *err)
{
	size_t length = strlen(text);

	*blob = (struct mr_umem_blob){ .size = (uint8_t)(length / 2) };
	if (!length || length % 2 || length / 2 > sizeof(blob->bytes) ||
	    text[strspn(text, "0123456789abcdefABCDEF")])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--import: give what --export printed, two hexadecimal digits "
				    "for each byte");
	for (size_t i = 0; i < blob->size; i++)
		sscanf(text + 2 * i, "%2hhx", &blob->bytes[i]);
	return 0;
}

/* An imported umem, with what the session knows of its handle. */
struct imported {
	uint32_t handle;
	uint32_t id;
	bool listed;              /* the session has an entry for the handle */
	struct mr_entry entry;    /* if @listed */
	struct mr_umem_blob blob; /* as this process exports it again */
};

static int ask_library(struct session_job *job, const struct mr_umem_blob *blob,
		       struct imported *imported, struct mr_error *err)
{
	struct mlx5dv_devx_umem *umem;
	struct mr_device device;
	int rc = mr_device_import(job->session->uverbs.fd, MR_NO_HANDLE, &device, err);

	if (rc) {
		err->hint[0] = '\0'; /* it names another path, and there is none here */
		return rc;
	}
	rc = mr_umem_import(device.context, blob, &umem, err);
	if (!rc) {
		imported->handle = mr_umem_handle(umem);
		imported->id = mr_umem_id(umem);
		rc = mr_umem_export(umem, &imported->blob, err);
		mr_umem_forget(umem);
	}
	mr_device_close(&device);
	return rc;
}

static void find_entry(struct session_job *job, struct imported *imported)
{
	struct mr_operand found;
	struct mr_error ignored;
	char word[32];

	snprintf(word, sizeof(word), "umem:%u", imported->handle);
	imported->listed = !mr_operand_find(job->session, word, &found, &ignored) &&
			   found.type == MR_OPERAND_ENTRY;
	if (imported->listed)
		imported->entry = found.entry;
}

/* The library accepts any blob: the umem may have gone, and its handle may be another umem's now. */
static int ask_kernel(struct session_job *job, const struct imported *imported,
		      struct mr_error *err)
{
	int rc = mr_session_has_umem(job->session, imported->handle, err);

	if (rc < 0)
		return rc;
	if (!rc)
		return mr_fail_text(err, MR_ERROR_ABSENT, ENOENT,
				    "the session has no umem with the handle %u (any more)",
				    imported->handle);
	if (imported->listed && imported->entry.umem_id != imported->id)
		return mr_fail_text(err, MR_ERROR_ABSENT, ENOENT,
				    "the umem with the id %u has gone: its handle %u is that of "
				    "umem %u now",
				    imported->id, imported->handle, imported->entry.umem_id);
	return 0;
}

static void print_umem(struct session_job *job, const struct imported *imported, bool live)
{
	const struct mr_uverbs_mr object = { .handle = imported->handle };
	struct region_row row = region_row_of_object(MR_KIND_UMEM, &object, NULL);
	struct mr_table_pd pd;
	char text[BLOB_TEXT];

	if (live && imported->listed)
		region_row_fill(&row, &imported->entry, &job->session->table, &pd);
	blob_text(&imported->blob, text);
	row.handle = known(imported->handle);
	row.umem_id = known(imported->id);
	row.state = live ? "live" : "gone";
	row.export = text;
	row.via = mr_via_name(MR_VIA_LIBRARY);
	answer_row(&job->answer, &row);
}

static int import_umem(struct session_job *job, struct mr_error *err)
{
	struct imported imported = { .listed = false };
	struct mr_error refusal = { .text = "" };
	bool live = false;
	int rc = ask_library(job, job->data, &imported, &refusal);

	if (rc && refusal.kind == MR_ERROR_USAGE) {
		*err = refusal;
		return rc;
	}
	job->answer.lines = !job->answer.out.style->columns && !job->answer.out.style->no_headings;
	if (!rc) {
		find_entry(job, &imported);
		live = !ask_kernel(job, &imported, &refusal);
	}
	if (!live) {
		job->answer.refusal = (struct mr_refusal){ .uverbs = &job->session->uverbs };
		answer_fail(&job->answer, &refusal, 0, 0, rc ? MR_VIA_LIBRARY : MR_VIA_KERNEL);
	}
	answer_begin(&job->answer);
	if (!rc)
		print_umem(job, &imported, live);
	answer_end_rows(&job->answer);
	rc = answer_end(&job->answer, live, err);
	return rc ? rc : answer_status(&job->answer, live, NULL);
}

int umem_import(const struct invocation *invocation, struct mr_error *err)
{
	const struct umem_args *args = invocation->args;
	struct mr_umem_blob blob;
	int rc = parse_blob(args->import, &blob, err);

	return rc ? rc : session_job_run(invocation, &args->common.expect, import_umem, &blob, err);
}
