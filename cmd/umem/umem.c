// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/cli/help_topics.h"
#include "cmd/cli/option_types.h"
#include "cmd/region/row.h"
#include "cmd/register/register.h"
#include "cmd/umem/args.h"
#include "cmd/umem/import.h"
#include "cmd/umem/try_page_sizes.h"

static const struct option_spec page_options[] = {
	OPTION(0, "page-sizes", pages, struct umem_args, page_sizes, "SIZE,...",
	       "page sizes for the HCA: 4K,2M, none, or a mask"),
	OPTION(0, "try-page-sizes", flag, struct umem_args, try_page_sizes, NULL,
	       "try each page size alone, and list those taken"),
	OPTION_END,
};

static const struct option_spec dmabuf_options[] = {
	OPTION(0, "dmabuf", dmabuf, struct umem_args, dmabuf.source, "SOURCE",
	       "a dma-buf in place of memory"),
	OPTION(0, "buffer", size, struct umem_args, dmabuf.buffer, "SIZE", DMABUF_BUFFER_HELP),
	OPTION_END,
};

static const struct option_spec share_options[] = {
	OPTION(0, "export", flag, struct umem_args, common.export, NULL,
	       "print what others can import"),
	OPTION(0, "import", string, struct umem_args, import, "BLOB",
	       "register nothing, but show the umem that it names"),
	OPTION_END,
};

#define EXCLUDES(option, other)                                                                    \
	{                                                                                          \
		option, OPTION_EXCLUDES, other                                                     \
	}

/*
 * --try-page-sizes chooses the page sizes itself, and leaves nothing registered.  --import registers nothing.
 * Options for mapped memory make no sense for a dma-buf.
 */
static const struct option_rule rules[] = {
	EXCLUDES("try-page-sizes", "page-sizes"),
	EXCLUDES("try-page-sizes", "export"),
	EXCLUDES("try-page-sizes", "count"),
	EXCLUDES("try-page-sizes", "name"),
	EXCLUDES("try-page-sizes", "hold"),
	EXCLUDES("try-page-sizes", "hold-for"),
	EXCLUDES("try-page-sizes", "expect"),
	EXCLUDES("try-page-sizes", "keep-going"),
	EXCLUDES("import", "try-page-sizes"),
	EXCLUDES("import", "dmabuf"),
	EXCLUDES("import", "size"),
	EXCLUDES("import", "memory"),
	EXCLUDES("import", "offset"),
	EXCLUDES("import", "addr"),
	EXCLUDES("import", "populate"),
	EXCLUDES("import", "numa"),
	EXCLUDES("import", "access"),
	EXCLUDES("import", "via"),
	EXCLUDES("import", "page-sizes"),
	EXCLUDES("import", "export"),
	EXCLUDES("import", "count"),
	EXCLUDES("import", "name"),
	EXCLUDES("import", "hold"),
	EXCLUDES("import", "hold-for"),
	EXCLUDES("import", "keep-going"),
	EXCLUDES("dmabuf", "memory"),
	EXCLUDES("dmabuf", "addr"),
	EXCLUDES("dmabuf", "populate"),
	EXCLUDES("dmabuf", "numa"),
	{ "buffer", OPTION_NEEDS, "dmabuf" },
	LIFETIME_RULES,
	OPTION_RULES_END,
};

static struct register_call call_of_umem(const struct invocation *invocation)
{
	const struct umem_args *args = invocation->args;
	const bool has_page_sizes = args->page_sizes.known || args->try_page_sizes;
	struct register_call call = {
		.call = has_page_sizes ? MR_UMEM_REG_EX : MR_UMEM_REG,
		.page_sizes = args->page_sizes.value,
	};

	if (args->dmabuf.source.text) {
		call.call = has_page_sizes ? MR_UMEM_REG_EX_DMABUF : MR_UMEM_REG_DMABUF;
		call.dmabuf = &args->dmabuf;
		call.dmabuf_option = "dmabuf";
	}
	return call;
}

static int check_umem(const struct invocation *invocation, struct mr_error *err)
{
	const struct umem_args *args = invocation->args;
	const struct register_call call = call_of_umem(invocation);

	if (args->common.export && !via_allows(args->common.via, MR_VIA_LIBRARY))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--export is a matter of libmlx5: not with --via kernel");
	return register_check(invocation, &call, err);
}

static int run_umem(const struct invocation *invocation, struct mr_error *err)
{
	const struct umem_args *args = invocation->args;
	const struct register_call call = call_of_umem(invocation);

	if (args->import)
		return umem_import(invocation, err);
	if (args->try_page_sizes)
		return umem_try_page_sizes(invocation, &call, err);
	return register_run(invocation, &call, err);
}

static const struct option_group page_group = { "Region", page_options, 0 };
static const struct option_group dmabuf_group = { "Memory", dmabuf_options, 0 };
static const struct option_group share_group = { "Region", share_options, 0 };
static const struct option_group *const groups[] = { &memory_group, &dmabuf_group, &umem_group,
						     &page_group,   &share_group,  &lifetime_group,
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
	.rules = rules,
	.args_size = sizeof(struct umem_args),
	.record = &region_record,
	.columns = REGION_COLUMNS(id, name, umem_id, addr, length, access, page_sizes, elapsed_ns,
				  dereg_elapsed_ns),
	.fills = REGION_COLUMNS(FIELDS_OF_REGIONS, FIELDS_OF_REGISTERED, umem_id, addr, offset,
				page_sizes, answer, export),
	.topics = topics,
	.examples = (const char *const[]){ "mrctl umem --size 2M --memory thp --page-sizes 4K,2M",
					   "mrctl umem --size 64K --try-page-sizes", NULL },
	.check = check_umem,
	.run = run_umem,
};
