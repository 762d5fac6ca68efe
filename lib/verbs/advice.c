// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>

#include "lib/base/base.h"
#include "lib/verbs/advice.h"
#include "lib/verbs/uverbs.h"

/* Bytes of one request, whose length has 32 bits: whole pages, so that no page is in two requests. */
#define PART_MAX UINT64_C(0xfffff000)

#define FLUSH    3 /* index of the flag below; the index of each word before it is its number */

const struct mr_word mr_advice_words[] = {
	[IBV_ADVISE_MR_ADVICE_PREFETCH] = MR_WORD("prefetch", "fetch the pages, for reading"),
	[IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE] =
		MR_WORD("prefetch-write", "fetch them for writing too"),
	[IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT] =
		MR_WORD("prefetch-no-fault", "only those that are in memory already"),
	[FLUSH] = MR_WORD("flush", "after one of these and a comma: answer when it is done"),
	{ .name = NULL },
};

/* Prefixes of these words in <infiniband/verbs.h> and in the kernel's header. */
static const char *const prefixes[] = { "IBV_ADVISE_MR_ADVICE_", "IB_UVERBS_ADVISE_MR_ADVICE_",
					"IBV_ADVISE_MR_FLAG_", "IB_UVERBS_ADVISE_MR_FLAG_", NULL };

/* The index of a word in mr_advice_words, or -1. */
static int find_word(const char *item, size_t length)
{
	item = mr_word_without(item, &length, prefixes);
	return mr_word_find(mr_advice_words, item, length);
}

static int parse_advice(const char *item, size_t length, uint32_t *advice, struct mr_error *err)
{
	int found = find_word(item, length);

	if (found == FLUSH)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "'flush' stands behind an advice, as in prefetch,flush");
	if (found < 0)
		return mr_word_as_number(mr_advice_words, "advice", item, length, advice, err);
	*advice = (uint32_t)found;
	return 0;
}

static int parse_flag(const char *item, size_t length, uint32_t *flag, struct mr_error *err)
{
	int found = find_word(item, length);

	*flag = IBV_ADVISE_MR_FLAG_FLUSH;
	if (found >= 0 && found < FLUSH)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "one advice at a time: '%.*s' is a second one", (int)length,
				    item);
	if (found == FLUSH)
		return 0;
	return mr_word_as_number(&mr_advice_words[FLUSH], "flag", item, length, flag, err);
}

int mr_advice_parse(const char *text, struct mr_advice *advice, struct mr_error *err)
{
	const char *rest = text, *item;
	uint32_t flag;
	size_t length;
	int rc;

	*advice = (struct mr_advice){ .text = text };
	item = mr_list_item(&rest, ",|", &length);
	rc = parse_advice(item, length, &advice->advice, err);
	while (!rc && (item = mr_list_item(&rest, ",|", &length))) {
		rc = parse_flag(item, length, &flag, err);
		if (!rc)
			advice->flags |= flag;
	}
	return rc;
}

static int advise_part(const struct mr_registrar *registrar, const struct mr_advice *advice,
		       uint64_t addr, uint32_t length, uint32_t lkey, struct mr_error *err)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };
	const struct mr_uverbs_advice request = {
		.advice = advice->advice,
		.flags = advice->flags,
		.pd_handle = registrar->pd_handle,
		.lkey = lkey,
		.addr = addr,
		.length = length,
	};
	int rc;

	if (registrar->via == MR_VIA_KERNEL)
		return mr_uverbs_advise_mr(registrar->uverbs, &request, err);
	rc = ibv_advise_mr(registrar->pd, advice->advice, advice->flags, &sge, 1);
	return rc ? mr_fail(err, MR_ERROR_REFUSED, rc, "ibv_advise_mr", NULL) : 0;
}

int mr_advise(const struct mr_registrar *registrar, const struct mr_advice *advice,
	      const struct mr_advice_range *range, uint64_t *ns, struct mr_error *err)
{
	uint64_t start = mr_now_ns(), addr = range->addr, left = range->length;
	int rc;

	do {
		uint64_t part = left < PART_MAX ? left : PART_MAX;

		rc = advise_part(registrar, advice, addr, (uint32_t)part, range->lkey, err);
		addr += part;
		left -= part;
	} while (!rc && left);
	*ns = mr_now_ns() - start;
	return rc;
}
