// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Advice about memory that cannot be fetched: by the mappings of a process, as hmm_range_fault() meets them. */
#include <errno.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/diagnose/causes/diagnosis.h"
#include "lib/verbs/access.h"
#include "tests/unit/lib/diagnose/check.h"

static struct mr_diagnosis diagnosis;
static bool has_more_ranges;

/* What was found out about MR-ADVICE-MEMORY of a refused prefetch of two pages, whose mappings are @maps. */
static enum mr_certainty advise(uint32_t advice_number, int errnum, const char *maps)
{
	const struct mr_environment environment = { .device = "mlx5_0", .provider = "mlx5" };
	const struct mr_advice advice = { .advice = advice_number,
					  .flags = IB_UVERBS_ADVISE_MR_FLAG_FLUSH };
	const struct mr_advice_range range = { .addr = 0x10000, .length = 0x2000 };
	const struct mr_refusal refusal = {
		.call = "ibv_advise_mr",
		.errnum = errnum,
		.environment = &environment,
		.advice = &advice,
		.advised = &range,
		.has_more_ranges = has_more_ranges,
		.region_known = true,
		.region_call = MR_REG_MR,
		.region_access = MR_ACCESS_ON_DEMAND | MR_ACCESS_LOCAL_WRITE,
		.region_addr = 0x10000,
		.region_length = 0x2000,
		.region_iova = 0x10000,
	};

	put("/proc/self/maps", maps);
	mr_diagnose(&refusal, &recorded.host, &diagnosis);
	for (size_t i = 0; i < diagnosis.cause_count; i++)
		if (!strcmp(diagnosis.causes[i].cause->id, "MR-ADVICE-MEMORY"))
			return diagnosis.causes[i].certainty;
	for (size_t i = 0; i < diagnosis.ruled_out_count; i++)
		if (!strcmp(diagnosis.ruled_out[i].cause->id, "MR-ADVICE-MEMORY"))
			return MR_RULED_OUT;
	return MR_UNRELATED;
}

#define PREFETCH       IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH
#define PREFETCH_WRITE IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE

TEST(what_may_not_be_read_is_efault_for_reading_and_for_writing)
{
	static const char maps[] = "00010000-00011000 rw-p 00000000 00:00 0\n"
				   "00011000-00012000 ---p 00000000 00:00 0\n";

	assert_int_equal(advise(PREFETCH, EFAULT, maps), MR_CERTAIN);
	assert_contains(diagnosis.causes[0].text, "0x11000 may not be read");
	assert_int_equal(advise(PREFETCH_WRITE, EFAULT, maps), MR_CERTAIN);
	assert_int_equal(advise(PREFETCH_WRITE, EPERM, maps), MR_UNRELATED);
}

TEST(what_may_be_read_and_not_written_is_eperm_for_writing)
{
	static const char maps[] = "00010000-00012000 r--p 00000000 00:00 0\n";

	assert_int_equal(advise(PREFETCH_WRITE, EPERM, maps), MR_CERTAIN);
	assert_int_equal(advise(PREFETCH_WRITE, EFAULT, maps), MR_UNRELATED);
	assert_int_equal(advise(PREFETCH, EFAULT, maps), MR_RULED_OUT);
}

TEST(the_first_mapping_that_cannot_be_fetched_decides)
{
	static const char maps[] = "00010000-00011000 r--p 00000000 00:00 0\n"
				   "00011000-00012000 ---p 00000000 00:00 0\n";

	assert_int_equal(advise(PREFETCH_WRITE, EPERM, maps), MR_CERTAIN);
	assert_int_equal(advise(PREFETCH_WRITE, EFAULT, maps), MR_UNRELATED);
	assert_int_equal(advise(PREFETCH, EFAULT, maps), MR_CERTAIN);
}

TEST(of_several_ranges_the_first_one_may_be_the_cause_and_is_not_ruled_out)
{
	has_more_ranges = true;
	assert_int_equal(advise(PREFETCH, EFAULT, "00010000-00012000 rw-p 0 00:00 0\n"),
			 MR_UNRELATED);
	assert_int_equal(diagnosis.ruled_out_count, 0);
	assert_int_equal(advise(PREFETCH, EFAULT, "00010000-00012000 ---p 0 00:00 0\n"),
			 MR_CERTAIN);
	has_more_ranges = false;
}

TEST(where_all_is_mapped_as_it_should_be_the_memory_is_not_the_cause)
{
	assert_int_equal(advise(PREFETCH_WRITE, EFAULT, "00010000-00012000 rw-p 0 00:00 0\n"),
			 MR_RULED_OUT);
	assert_int_equal(advise(PREFETCH, EFAULT, "00020000-00022000 rw-p 0 00:00 0\n"),
			 MR_CERTAIN);
}

TEST(mappings_that_cannot_be_read_prove_nothing)
{
	assert_int_equal(advise(PREFETCH, EFAULT, "no such line\n"), MR_UNRELATED);
	assert_int_equal(advise(PREFETCH, EFAULT, ""), MR_UNRELATED);
	assert_int_equal(
		advise(PREFETCH, EFAULT, "00001000-00002000 rw-p 0 00:00 0\n00010000-00012"),
		MR_UNRELATED);
}

EACH_TEST(set_up, tear_down)
