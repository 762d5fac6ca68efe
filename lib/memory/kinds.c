// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <stdbool.h>

#include "lib/base/base.h"
#include "lib/memory/kinds.h"

const struct mr_word mr_memory_kinds[MR_MEMORY_TYPES + 1] = {
	[MR_MEMORY_ANON] = MR_WORD("anon", "anonymous pages (default)"),
	[MR_MEMORY_THP] =
		MR_WORD("thp", "anonymous, aligned to 2M, transparent huge pages asked for"),
	[MR_MEMORY_MEMFD] = MR_WORD("memfd", "a shared mapping of a memfd"),
	[MR_MEMORY_HUGETLB] = MR_WORD("hugetlb[:2M|:1G]", "huge pages from the system's pool"),
	[MR_MEMORY_FILE] =
		MR_WORD("file:PATH", "a shared mapping of a file, made if it is missing"),
	[MR_MEMORY_FILE_PRIVATE] = MR_WORD("file-private:PATH", "a private mapping of a file"),
	[MR_MEMORY_NONE] = MR_WORD("none", "no memory: address 0, for implicit on-demand paging"),
	[MR_MEMORY_READONLY] = MR_WORD("readonly", "anonymous, mapped without write permission"),
	[MR_MEMORY_UNMAPPED] = MR_WORD("unmapped", "an address with nothing there"),
	[MR_MEMORY_HOLE] = MR_WORD("hole", "anonymous, but the last page is missing"),
	[MR_MEMORY_DEVICE] = MR_WORD("device:PATH", "mmap of a device node"),
	[MR_MEMORY_CUDA] = MR_WORD("cuda:N", "of GPU N, by its address (peer memory)"),
	[MR_MEMORY_DM] = MR_WORD("dm[:SIZE]", "on the RDMA device (ibv_alloc_dm): reg only"),
	[MR_MEMORY_NULL_MR] = MR_WORD("null-mr", "none: the null MR (ibv_alloc_null_mr): reg only"),
	[MR_MEMORY_TYPES] = { .name = NULL },
};

static int parse_huge_size(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	if (mr_parse_size(text, &kind->huge_size, err))
		return -EINVAL;
	/* mmap() takes the logarithm of the size, where 0 means the default: it cannot mean one byte. */
	if (kind->huge_size < 2 || kind->huge_size & (kind->huge_size - 1))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "invalid huge page size '%s': give a power of two above 1",
				    text);
	return 0;
}

static int parse_dm_size(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	kind->dm_size.known = true;
	return mr_parse_size(text, &kind->dm_size.value, err);
}

static int parse_gpu(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	uint64_t number;
	const int rc = mr_parse_u64(text, INT_MAX, &number, err);

	if (!rc)
		kind->gpu = (int)number;
	return rc;
}

int mr_memory_kind_parse(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	const char *argument;
	int found = mr_word_with_argument(mr_memory_kinds, "memory", text, &argument, err);

	if (found < 0)
		return found;
	*kind = (struct mr_memory_kind){ .type = (enum mr_memory_type)found, .text = text };
	if (kind->type == MR_MEMORY_HUGETLB)
		return argument ? parse_huge_size(argument, kind, err) : 0;
	if (kind->type == MR_MEMORY_DM)
		return argument ? parse_dm_size(argument, kind, err) : 0;
	if (kind->type == MR_MEMORY_CUDA)
		return parse_gpu(argument, kind, err);
	kind->path = argument;
	return 0;
}
