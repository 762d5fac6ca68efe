// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/verbs/access.h"

/*
 * The bits are the kernel's ABI (<rdma/ib_user_ioctl_verbs.h>, enum ib_uverbs_access_flags).  They are
 * numbers here, because the verbs.h of rdma-core 44 lacks the flush flags.
 */
const struct mr_word mr_access_flags[] = {
	{ "local-write", "the HCA may write for local requests", MR_ACCESS_LOCAL_WRITE },
	{ "remote-write", "peers may write; needs local-write", 1u << 1 },
	{ "remote-read", "peers may read", 1u << 2 },
	{ "remote-atomic", "peers may use atomics; needs local-write", 1u << 3 },
	{ "mw-bind", "memory windows may be bound to it", 1u << 4 },
	{ "zero-based", "addresses count from the start of the region", MR_ACCESS_ZERO_BASED },
	{ "on-demand", "pages are not pinned but faulted in (ODP)", MR_ACCESS_ON_DEMAND },
	{ "hugetlb", "with on-demand: the memory is huge pages", MR_ACCESS_HUGETLB },
	{ "flush-global", "peers may flush to global visibility", 1u << 8 },
	{ "flush-persistent", "peers may flush to persistence", 1u << 9 },
	{ "relaxed-ordering", "writes may pass one another; optional", MR_ACCESS_RELAXED_ORDERING },
	{ .name = NULL },
};

/* Prefixes of these words in <infiniband/verbs.h> and in the kernel's headers. */
static const char *const prefixes[] = { "IBV_ACCESS_",          "IB_UVERBS_ACCESS_",
					"IB_ACCESS_",           "IB_", /* IB_ZERO_BASED */
					"IBV_REREG_MR_CHANGE_", NULL };

int mr_flags_parse(const struct mr_word *flags, const char *what, const char *text, uint32_t *bits,
		   struct mr_error *err)
{
	uint32_t result = 0, number;
	const char *item;
	size_t length;
	int rc = 0;

	if (mr_word_is(text, strlen(text), "none")) {
		*bits = 0;
		return 0;
	}
	while (!rc && (item = mr_list_item(&text, ",|", &length))) {
		size_t name_length = length;
		const char *name = mr_word_without(item, &name_length, prefixes);
		int found = mr_word_find(flags, name, name_length);

		if (found >= 0)
			result |= flags[found].bit;
		else if (!(rc = mr_word_as_number(flags, what, item, length, &number, err)))
			result |= number;
	}
	if (!rc)
		*bits = result;
	return rc;
}

const char *mr_access_next(uint32_t *bits, char raw[16])
{
	uint32_t bit = *bits & -*bits;

	if (!bit)
		return NULL;
	*bits &= ~bit;
	for (const struct mr_word *f = mr_access_flags; f->name; f++)
		if (f->bit == bit)
			return f->name;
	snprintf(raw, 16, "0x%x", bit);
	return raw;
}
