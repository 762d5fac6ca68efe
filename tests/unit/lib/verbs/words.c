// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words that users write: access flags, advice, and hints of a DMA handle. */
#include <infiniband/verbs.h>

#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

static struct mr_error err;

static int parse(const char *text, uint32_t *bits)
{
	return mr_flags_parse(mr_access_flags, "access flag", text, bits, &err);
}

/* ---- access flags ---- */

TEST(access_flags_are_read_as_words_numbers_and_as_they_stand_in_sources)
{
	static const struct {
		const char *text;
		uint32_t bits;
	} cases[] = {
		{ "local-write,remote-write,remote-read,remote-atomic", 0xf },
		{ "mw-bind", IBV_ACCESS_MW_BIND },
		{ "zero-based", IBV_ACCESS_ZERO_BASED },
		{ "on-demand", IBV_ACCESS_ON_DEMAND },
		{ "hugetlb", IBV_ACCESS_HUGETLB },
		{ "flush-global", 1 << 8 },
		{ "flush-persistent", 1 << 9 },
		{ "relaxed-ordering", IBV_ACCESS_RELAXED_ORDERING },
		{ "remote-read,local-write", 5 },
		{ "local-write,local-write", 1 },
		{ "IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_HUGETLB", 0x81 },
		{ "IB_ACCESS_REMOTE_WRITE|IB_ZERO_BASED|1", 0x23 },
		{ "IB_UVERBS_ACCESS_FLUSH_GLOBAL", 1 << 8 },
		{ "remote_write", 2 },
		{ "LOCAL-WRITE,Remote_Read", 5 },
		{ " local-write\t,  0x8000 ", 0x8001 },
		{ "none", 0 },
		{ "None", 0 },
		{ "0", 0 },
		{ "32768", 0x8000 },
		{ "local-write,0x80000000", 0x80000001 },
		{ "4294967295", 0xffffffff },
		{ "0x0ffffffff", 0xffffffff },
	};
	uint32_t bits;

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		assert_equal_for(c->text, parse(c->text, &bits), 0);
		assert_equal_for(c->text, bits, c->bits);
	}
}

TEST(other_access_flags_are_usage_errors_that_name_them)
{
	static const struct {
		const char *text, *named;
		int errnum;
	} cases[] = {
		{ "", "''", EINVAL },
		{ ",", "''", EINVAL },
		{ "local-write,", "''", EINVAL },
		{ "local-write|", "''", EINVAL },
		{ ",local-write", "''", EINVAL },
		{ "none,local-write", "'none'", EINVAL },
		{ "local-write,none", "'none'", EINVAL },
		{ "IBV_ACCESS_", "'IBV_ACCESS_'", EINVAL },
		{ "IBV_ACCESS_LOCAL", "'IBV_ACCESS_LOCAL'", EINVAL },
		{ "local-writes", "'local-writes'", EINVAL },
		{ "local-write remote-read", "'local-write remote-read'", EINVAL },
		{ "remote-read,bogus,mw-bind", "'bogus'", EINVAL },
		{ "-1", "'-1'", EINVAL },
		{ "0x", "'0x'", EINVAL },
		{ "1K", "'1K'", EINVAL },
		{ "local-write,4294967296", "'4294967296'", ERANGE },
		{ "99999999999999999999999999", "99999999999999999999999999", EINVAL },
	};

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		uint32_t bits = 42;

		assert_failure(parse(c->text, &bits), -c->errnum, err, MR_ERROR_USAGE, c->named);
		assert_equal_for(c->text, bits, 42);
	}
}

/* ---- advice ---- */

TEST(advice_is_read_as_words_and_numbers)
{
	static const struct {
		const char *text;
		uint32_t advice, flags;
	} cases[] = {
		{ "prefetch", IBV_ADVISE_MR_ADVICE_PREFETCH, 0 },
		{ "prefetch-write", IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0 },
		{ "prefetch-write,flush", IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
		  IBV_ADVISE_MR_FLAG_FLUSH },
		{ "0", 0, 0 },
		{ "0xffffffff,0x80000000", UINT32_MAX, 0x80000000 },
		{ "7,flush,2", 7, 3 },
		{ "IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE", IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0 },
		{ "Prefetch_No_Fault, IBV_ADVISE_MR_FLAG_FLUSH",
		  IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT, IBV_ADVISE_MR_FLAG_FLUSH },
	};
	struct mr_advice parsed;

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		assert_equal_for(c->text, mr_advice_parse(c->text, &parsed, &err), 0);
		assert_equal_for(c->text, parsed.advice, c->advice);
		assert_equal_for(c->text, parsed.flags, c->flags);
		assert_ptr_equal(parsed.text, c->text);
	}
}

TEST(other_advice_is_a_usage_error_that_names_it)
{
	static const struct {
		const char *text, *named;
		int rc;
	} cases[] = {
		{ "", "''", -EINVAL },
		{ "flush", "'flush'", -EINVAL },
		{ "prefetch,", "''", -EINVAL },
		{ "FLUSH,prefetch", "prefetch,flush", -EINVAL },
		{ "prefetch,prefetch", "second", -EINVAL },
		{ "prefetch|prefetch-write", "'prefetch-write'", -EINVAL },
		{ "prefetc", "'prefetc'", -EINVAL },
		{ "prefetch,flus", "'flus'", -EINVAL },
		{ "-1", "'-1'", -EINVAL },
		{ "prefetch flush", "'prefetch flush'", -EINVAL },
		{ "4294967296", "4294967296", -ERANGE },
		{ "prefetch,4294967296", "4294967296", -ERANGE },
		{ "00000000000000000001", "'00000000000000000001'", -EINVAL },
	};
	struct mr_advice parsed;

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++)
		assert_failure(mr_advice_parse(c->text, &parsed, &err), c->rc, err, MR_ERROR_USAGE,
			       c->named);
}

/* ---- hints of a DMA handle ---- */

TEST(hints_are_read_in_any_order_or_change_nothing)
{
	static const struct {
		const char *text;
		int rc;
		uint32_t cpu;
		enum mr_dmah_memory memory;
		uint8_t ph;
	} cases[] = {
		{ "cpu=5,mem=volatile,ph=1", 0, 5, MR_DMAH_VOLATILE, 1 },
		{ "ph=3, mem=persistent, cpu=0x10", 0, 16, MR_DMAH_PERSISTENT, 3 },
		{ "PH=2,CPU=4294967295,MEM=Persistent", 0, UINT32_MAX, MR_DMAH_PERSISTENT, 2 },
		{ "ph=0", 0, 0, MR_DMAH_NO_CPU, 0 },
		{ "ph=3", 0, 0, MR_DMAH_NO_CPU, 3 },
		{ .text = "", .rc = -EINVAL },
		{ .text = ",", .rc = -EINVAL },
		{ .text = "ph=", .rc = -EINVAL },
		{ .text = "ph=4", .rc = -ERANGE },
		{ .text = "ph=256", .rc = -ERANGE },
		{ .text = "ph=1 ph=2", .rc = -EINVAL },
		{ .text = "=1", .rc = -EINVAL },
		{ .text = "cpu=-1,mem=volatile,ph=1", .rc = -EINVAL },
		{ .text = "cpu=0,mem=volatile,ph=1,", .rc = -EINVAL },
	};

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		struct mr_dmah_hints hints = { .cpu = 7, .memory = MR_DMAH_VOLATILE, .ph = 2 };
		const bool bad = c->rc;

		assert_equal_for(c->text, mr_dmah_parse(c->text, &hints, &err), c->rc);
		if (bad)
			assert_equal_for(c->text, err.kind, MR_ERROR_USAGE);
		assert_equal_for(c->text, hints.cpu, bad ? 7 : c->cpu);
		assert_equal_for(c->text, hints.ph, bad ? 2 : c->ph);
		assert_equal_for(c->text, hints.memory, bad ? MR_DMAH_VOLATILE : c->memory);
	}
}
