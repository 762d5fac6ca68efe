// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* An imported umem, with what the session knows of its handle. */
struct imported {
	struct mr_region region;
	bool listed;              /* the session has an entry for the handle */
	struct mr_entry entry;    /* if @listed */
	struct mr_umem_blob blob; /* as this process exports it again */
};

static int query_library(struct session_job *job, struct imported *imported, struct mr_error *err)
{
	const struct register_args *args = job->answer.invocation->args;
	struct mr_umem_blob blob = { .size = (uint8_t)(strlen(args->import) / 2) };
	struct mr_device device;
	int rc = mr_device_import(job->session->uverbs.fd, MR_NO_HANDLE, &device, err);

	for (size_t i = 0; i < blob.size; i++)
		sscanf(args->import + 2 * i, "%2hhx", &blob.bytes[i]);
	if (rc) {
		err->hint[0] = '\0'; /* it names another path, which does not exist here */
		return rc;
	}
	rc = mr_umem_import(device.context, &blob, &imported->region, err);
	if (!rc) {
		rc = mr_umem_export(imported->region.umem, &imported->blob, err);
		mr_region_forget(&imported->region);
	}
	mr_device_close(&device);
	return rc;
}

/* The library accepts any blob: the umem may no longer exist, and another umem may have its handle. */
static int query_kernel(struct session_job *job, const struct imported *imported,
			struct mr_error *err)
{
	int rc = mr_session_has_umem(job->session, imported->region.handle, err);

	if (rc < 0)
		return rc;
	if (!rc)
		return mr_fail_text(err, MR_ERROR_ABSENT, ENOENT,
				    "no umem of the session has the handle %u now",
				    imported->region.handle);
	if (imported->listed && imported->entry.umem_id != imported->region.umem_id)
		return mr_fail_text(err, MR_ERROR_ABSENT, ENOENT,
				    "the umem with the id %u no longer exists: its handle %u now "
				    "belongs to umem %u",
				    imported->region.umem_id, imported->region.handle,
				    imported->entry.umem_id);
	return 0;
}

static void print_umem(struct session_job *job, const struct imported *imported, bool live)
{
	const struct mr_uverbs_mr object = { .handle = imported->region.handle };
	struct region_row row = region_row_of_object(MR_KIND_UMEM, &object, NULL);
	struct mr_table_pd pd;
	char text[BLOB_TEXT];

	if (live && imported->listed)
		region_row_fill(&row, &imported->entry, &job->session->table, &pd);
	blob_text(&imported->blob, text);
	row.handle = known(imported->region.handle);
	row.umem_id = known(imported->region.umem_id);
	row.state = live ? "live" : "gone";
	row.export = text;
	row.via = mr_via_name(MR_VIA_LIBRARY);
	answer_row(&job->answer, &row);
}

/*
 * Shows the umem.  The library accepts any blob, so a query of the kernel shows whether the session still has the
 * umem.
 */
static int import_umem(struct session_job *job, struct mr_error *err)
{
	struct imported imported = { .listed = false };
	struct mr_error ignored;
	struct mr_operand found;
	bool live = false;
	char word[32];
	int rc = query_library(job, &imported, err);

	if (rc && err->kind == MR_ERROR_USAGE)
		return rc;
	job->answer.lines = !job->answer.out.style->columns && !job->answer.out.style->no_headings;
	if (!rc) {
		snprintf(word, sizeof(word), "umem:%u", imported.region.handle);
		imported.listed = !mr_operand_find(job->session, word, &found, &ignored) &&
				  found.type == MR_OPERAND_ENTRY;
		if (imported.listed)
			imported.entry = found.entry;
		live = !query_kernel(job, &imported, err);
	}
	if (!live) {
		job->answer.refusal = (struct mr_refusal){ .uverbs = &job->session->uverbs };
		answer_fail(&job->answer, err, 0, 0, rc ? MR_VIA_LIBRARY : MR_VIA_KERNEL);
		mr_error_clear(err); /* it is in the answer */
	}
	answer_begin(&job->answer);
	if (!rc)
		print_umem(job, &imported, live);
	answer_end_rows(&job->answer);
	rc = answer_end(&job->answer, live, err);
	return rc ? rc : answer_status(&job->answer, live, NULL);
}

static const struct option_spec page_options[] = {
	REGISTER_OPTION(0, "page-sizes", pages, page_sizes, "SIZE,...",
			"allow these page sizes: 4K,2M, none, or a mask"),
	REGISTER_OPTION(0, "try-page-sizes", flag, try_page_sizes, NULL,
			"try each page size alone, and list accepted ones"),
	OPTION_END,
};

static const struct option_spec dmabuf_options[] = {
	REGISTER_OPTION(0, "dmabuf", dmabuf, dmabuf, "SOURCE",
			"register a dma-buf in place of memory"),
	REGISTER_OPTION(0, "buffer", size, buffer, "SIZE", DMABUF_BUFFER_HELP),
	OPTION_END,
};

static const struct option_spec share_options[] = {
	REGISTER_OPTION(0, "export", flag, export, NULL,
			"print data that other processes can import"),
	REGISTER_OPTION(0, "import", string, import, "BLOB",
			"show the umem of an exported BLOB; register nothing"),
	OPTION_END,
};

static enum mr_region_call call_of_umem(const struct register_args *args)
{
	const bool has_page_sizes = args->page_sizes.known || args->try_page_sizes;

	if (args->dmabuf.text)
		return has_page_sizes ? MR_UMEM_REG_EX_DMABUF : MR_UMEM_REG_DMABUF;
	return has_page_sizes ? MR_UMEM_REG_EX : MR_UMEM_REG;
}

static int check_umem(const struct invocation *invocation, struct mr_error *err)
{
	const struct register_args *args = invocation->args;
	const size_t length = args->import ? strlen(args->import) : 0;

	if (args->buffer.known && !args->dmabuf.text)
		return mr_fail_usage(err, "--buffer requires --dmabuf");
	if (args->import && (!length || length % 2 || length >= BLOB_TEXT ||
			     args->import[strspn(args->import, "0123456789abcdefABCDEF")]))
		return mr_fail_usage(err,
				     "--import requires the output of --export: two hexadecimal "
				     "digits for each byte");
	if (args->export && !via_allows(args->via, MR_VIA_LIBRARY))
		return mr_fail_usage(err, "--export excludes --via kernel: it requires libmlx5");
	return register_check(invocation, call_of_umem(args), err);
}

static int run_umem(const struct invocation *invocation, struct mr_error *err)
{
	const struct register_args *args = invocation->args;

	if (args->import)
		return session_job_run(invocation, &args->expect, import_umem, err);
	return register_run(invocation, call_of_umem(args), err);
}

static const struct option_group page_group = { "Region", page_options };
static const struct option_group dmabuf_group = { "Memory", dmabuf_options };
static const struct option_group share_group = { "Region", share_options };
static const struct option_group *const groups[] = { &memory_group, &dmabuf_group, &umem_group,
						     &page_group,   &share_group,  &lifetime_group,
						     NULL };

const struct command command_umem = {
	.name = "umem",
	.summary = "register memory for DEVX objects of mlx5 (mlx5dv_devx_umem_reg)",
	.description = "Registers memory as a DEVX umem with mlx5dv_devx_umem_reg (with "
		       "--page-sizes or --dmabuf: mlx5dv_devx_umem_reg_ex), prints the id of the "
		       "umem and the time of the call, and deregisters the umem. With --hold, or "
		       "in a session, it stays registered.",
	.groups = groups,
	.rules = register_rules,
	.args_size = sizeof(struct register_args),
	.record = &region_record,
	.fills = FIELDS_OF_REGIONS FIELDS_OF_REGISTERED
	",umem_id,addr,offset,page_sizes,answer,export",
	.topics = TOPIC_MEMORY | TOPIC_DMABUF | TOPIC_ACCESS,
	.examples = (const char *const[]){ "mrctl umem --size 2M --memory thp --page-sizes 4K,2M",
					   "mrctl umem --size 64K --try-page-sizes", NULL },
	.check = check_umem,
	.run = run_umem,
};
