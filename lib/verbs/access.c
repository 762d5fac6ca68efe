// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/choice.h"
#include "lib/base/number.h"
#include "lib/verbs/access.h"

/*
 * The bits are the kernel's ABI (<rdma/ib_user_ioctl_verbs.h>, enum ib_uverbs_access_flags) and
 * written out, because rdma-core 44's verbs.h lacks the flush flags.
 */
const struct mr_access_flag mr_access_flags[] = {
	{ "local-write", MR_ACCESS_LOCAL_WRITE, "the HCA may write for local requests" },
	{ "remote-write", 1u << 1, "peers may write; needs local-write" },
	{ "remote-read", 1u << 2, "peers may read" },
	{ "remote-atomic", 1u << 3, "peers may use atomics; needs local-write" },
	{ "mw-bind", 1u << 4, "memory windows may be bound to it" },
	{ "zero-based", MR_ACCESS_ZERO_BASED, "addresses count from the start of the region" },
	{ "on-demand", MR_ACCESS_ON_DEMAND, "pages are not pinned but faulted in (ODP)" },
	{ "hugetlb", MR_ACCESS_HUGETLB, "with on-demand: the memory is huge pages" },
	{ "flush-global", 1u << 8, "peers may flush to global visibility" },
	{ "flush-persistent", 1u << 9, "peers may flush to persistence" },
	{ "relaxed-ordering", MR_ACCESS_RELAXED_ORDERING, "writes may pass one another; optional" },
	{ NULL, 0, NULL },
};

/* Of <infiniband/verbs.h>, and of the kernel's headers. */
static const char *const prefixes[] = { "IBV_ACCESS_",          "IB_UVERBS_ACCESS_",
					"IB_ACCESS_",           "IB_", /* IB_ZERO_BASED */
					"IBV_REREG_MR_CHANGE_", NULL };

static const struct mr_access_flag *find_name(const struct mr_access_flag *flags, const char *name,
					      size_t length)
{
	name = mr_word_without(name, &length, prefixes);
	for (const struct mr_access_flag *f = flags; f->name; f++)
		if (mr_word_is(name, length, f->name))
			return f;
	return NULL;
}

static int parse_bits(const char *item, size_t length, uint32_t *bits, struct mr_error *err)
{
	char number[16];
	uint64_t value = 0;
	int rc;

	memcpy(number, item, length);
	number[length] = '\0';
	rc = mr_parse_u64(number, UINT32_MAX, &value, err);
	*bits = (uint32_t)value;
	return rc;
}

int mr_flags_parse(const struct mr_access_flag *flags, const char *what, const char *text,
		   uint32_t *bits, struct mr_error *err)
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
		const struct mr_access_flag *flag = find_name(flags, item, length);

		if (flag)
			result |= flag->bit;
		else if (!length || item[0] < '0' || item[0] > '9' || length >= 16)
			return mr_fail_word(err, what, item, length, flags, sizeof(*flags));
		else if (!(rc = parse_bits(item, length, &number, err)))
			result |= number;
	}
	if (!rc)
		*bits = result;
	return rc;
}

int mr_access_parse(const char *text, uint32_t *bits, struct mr_error *err)
{
	return mr_flags_parse(mr_access_flags, "access flag", text, bits, err);
}

const char *mr_access_next(uint32_t *bits, char raw[16])
{
	uint32_t bit = *bits & -*bits;

	if (!bit)
		return NULL;
	*bits &= ~bit;
	for (const struct mr_access_flag *f = mr_access_flags; f->name; f++)
		if (f->bit == bit)
			return f->name;
	snprintf(raw, 16, "0x%x", bit);
	return raw;
}
