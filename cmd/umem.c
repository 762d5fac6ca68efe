// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "dmabuf_args.h"
#include "region_row.h"
#include "umem_args.h"
#include "umem_import.h"
#include "umem_trial.h"

static const struct option_spec page_options[] = {
	OPTION(0, "page-sizes", OPTION_PAGES, struct umem_args, page_sizes, "SIZE,...",
	       "page sizes for the HCA: 4K,2M, none, or a mask"),
	OPTION(0, "try-page-sizes", OPTION_FLAG, struct umem_args, try_page_sizes, NULL,
	       "try each page size alone, and list those taken"),
	OPTION_END,
};

static const struct option_spec dmabuf_options[] = {
	OPTION(0, "dmabuf", OPTION_DMABUF, struct umem_args, dmabuf.source, "SOURCE",
	       "a dma-buf in place of memory"),
	OPTION(0, "buffer", OPTION_SIZE, struct umem_args, dmabuf.buffer, "SIZE",
	       DMABUF_BUFFER_HELP),
	OPTION_END,
};

static const struct option_spec share_options[] = {
	OPTION(0, "export", OPTION_FLAG, struct umem_args, common.export, NULL,
	       "print what others can import"),
	OPTION(0, "import", OPTION_STRING, struct umem_args, import, "BLOB",
	       "register nothing, but show the umem that it names"),
	OPTION_END,
};

/* The first option given that makes no sense with --try-page-sizes, or NULL. */
static const char *trial_excludes(const struct umem_args *args)
{
	const struct register_args *common = &args->common;

	return args->page_sizes.known       ? "page-sizes"
	       : common->export             ? "export"
	       : common->memory.count.known ? "count"
	       : common->name               ? "name"
	       : common->hold               ? "hold"
	       : common->hold_for.known     ? "hold-for"
	       : common->expect.given       ? "expect"
	       : common->keep_going         ? "keep-going"
					    : NULL;
}

/* The same of --dmabuf: what only memory has that is mapped. */
static const char *dmabuf_excludes(const struct umem_args *args)
{
	const struct memory_args *memory = &args->common.memory;

	return memory->memory.text  ? "memory"
	       : memory->addr.known ? "addr"
	       : memory->populate   ? "populate"
	       : memory->numa.known ? "numa"
				    : NULL;
}

/* The same of --import, which registers nothing. */
static const char *import_excludes(const struct umem_args *args)
{
	const struct register_args *common = &args->common;

	return args->try_page_sizes          ? "try-page-sizes"
	       : args->dmabuf.source.text    ? "dmabuf"
	       : common->memory.size.known   ? "size"
	       : common->memory.offset.known ? "offset"
	       : dmabuf_excludes(args)       ? dmabuf_excludes(args)
	       : common->access.given        ? "access"
	       : common->via                 ? "via"
					     : trial_excludes(args);
}

static int fail_excluded(const char *option, const char *excluded, struct mr_error *err)
{
	return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--%s excludes --%s", option, excluded);
}

static int check(const struct invocation *invocation, struct mr_error *err)
{
	const struct umem_args *args = invocation->args;

	if (args->try_page_sizes && trial_excludes(args))
		return fail_excluded("try-page-sizes", trial_excludes(args), err);
	if (args->import && import_excludes(args) && strcmp(import_excludes(args), "expect") != 0)
		return fail_excluded("import", import_excludes(args), err);
	if (args->common.export && args->common.via &&
	    !strcmp(args->common.via, mr_via_name(MR_VIA_KERNEL)))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--export is a matter of libmlx5: not with --via kernel");
	if (args->dmabuf.source.text && dmabuf_excludes(args))
		return fail_excluded("dmabuf", dmabuf_excludes(args), err);
	if (args->dmabuf.buffer.known && !args->dmabuf.source.text)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--buffer needs --dmabuf");
	return register_check(invocation, err);
}

static enum mr_region_call call_of(const struct umem_args *args)
{
	if (args->dmabuf.source.text)
		return args->page_sizes.known ? MR_UMEM_REG_EX_DMABUF : MR_UMEM_REG_DMABUF;
	return args->page_sizes.known ? MR_UMEM_REG_EX : MR_UMEM_REG;
}

static int run(const struct invocation *invocation, struct mr_error *err)
{
	const struct umem_args *args = invocation->args;
	const struct mr_region_request pattern = {
		.call = call_of(args),
		.page_sizes = args->page_sizes.value,
	};
	struct mr_dmabuf_request dmabuf = { .data_direct = false };
	struct register_args common = args->common;
	int rc = 0;

	if (args->dmabuf.source.text)
		rc = dmabuf_args_apply(&args->dmabuf, "dmabuf", &common, &dmabuf, err);
	if (rc)
		return rc;
	if (args->import)
		return umem_import(invocation, err);
	if (args->try_page_sizes)
		return umem_try_page_sizes(invocation, &common, err);
	return register_run(invocation, &common, &pattern, err);
}

static const struct option_group page_group = { "Region", page_options, 0 };
static const struct option_group dmabuf_group = { "Memory", dmabuf_options, 0 };
static const struct option_group share_group = { "Region", share_options, 0 };
static const struct option_group *const groups[] = { &memory_group, &dmabuf_group, &umem_group,
						     &page_group,   &share_group,  &trial_group,
						     NULL };
static const struct help_topic *const topics[] = { &topic_memory, &topic_dmabuf, &topic_access,
						   NULL };

const struct command command_umem = {
	.name = "umem",
	.summary = "register memory for DEVX objects of mlx5 (mlx5dv_devx_umem_reg)",
	.description = "Registers memory as a DEVX umem with mlx5dv_devx_umem_reg (with "
		       "--page-sizes or --dmabuf: mlx5dv_devx_umem_reg_ex), prints its id and how "
		       "long it took, and deregisters it. With --hold, or in a session, it stays.",
	.groups = groups,
	.args_size = sizeof(struct umem_args),
	.record = &region_record,
	.columns = "id,name,umem_id,addr,length,access,page_sizes,elapsed_ns,dereg_elapsed_ns",
	.fills = REGION_COLUMNS MADE_COLUMNS ",umem_id,addr,offset,page_sizes,answer,export",
	.topics = topics,
	.examples = (const char *const[]){ "mrctl umem --size 2M --memory thp --page-sizes 4K,2M",
					   "mrctl umem --size 64K --try-page-sizes", NULL },
	.check = check,
	.run = run,
};
