// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prefetching pages of regions on demand.  tests/cli/advise.bats has more answers. */
#include "tests/unit/lib/sim/device.h"

TEST(pages_are_there_at_once_with_flush_alone)
{
	assert_int_equal(reg_at(memory, 4 * PAGE, IOVA, ODP), 0);
	assert_int_equal(advise(mr.lkey, WRITE, 0, IOVA, PAGE), 0);
	assert_int_equal(advise(mr.lkey, LOOK, FLUSH, IOVA, PAGE), 0);
	assert_int_equal(advise(mr.lkey, WRITE, FLUSH, IOVA + PAGE, 2 * PAGE), 0);
	assert_false(is_resident(memory));
	assert_true(is_resident(memory + PAGE));
	assert_true(is_resident(memory + 2 * PAGE));
	assert_false(is_resident(memory + 3 * PAGE));
}

struct range_case {
	const char *name;
	uint64_t advice, addr, length;
	int error;
};

static void assert_ranges(const struct range_case *cases, size_t count)
{
	for (const struct range_case *c = cases; c < cases + count; c++)
		assert_equal_for(c->name, advise(mr.lkey, c->advice, FLUSH, c->addr, c->length),
				 c->error);
}

TEST(ranges_are_checked_with_flush_alone)
{
	static const struct range_case cases[] = {
		{ "all", READ, IOVA + 5, 4 * PAGE - 5, 0 },
		{ "nothing", READ, IOVA + 5, 0, 0 },
		{ "nothing at a page", READ, IOVA + PAGE, 0, EINVAL },
		{ "before", READ, IOVA + 4, 1, EFAULT },
		{ "past the end", READ, IOVA + PAGE, 3 * PAGE + 1, EFAULT },
		{ "behind it", READ, IOVA + 4 * PAGE, 0, EFAULT },
		{ "far", READ, UINT64_MAX, 1, EFAULT },
	};

	assert_int_equal(reg_at(memory + 5, 3 * PAGE, IOVA + 5, ODP), 0);
	assert_ranges(cases, ARRAY_SIZE(cases));
	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++)
		assert_equal_for(c->name, advise(mr.lkey, READ, 0, c->addr, c->length), 0);
}

static int register_and_fetch(void)
{
	EXPECT(!reg_at(memory, 4 * PAGE, IOVA, ODP));
	return advise(mr.lkey, READ, FLUSH, IOVA, PAGE);
}

TEST(memory_of_a_process_that_ended_is_not_fetched)
{
	static const struct range_case cases[] = {
		{ "read", READ, IOVA, PAGE, EINVAL },
		{ "no fault", LOOK, IOVA, PAGE, EINVAL },
		{ "before it", READ, IOVA - PAGE, PAGE, EFAULT },
	};
	struct mr found;

	in_child(register_and_fetch);
	assert_int_equal(query(fd, pd + 1, &found), 0);
	mr.lkey = found.lkey;
	assert_ranges(cases, ARRAY_SIZE(cases));
	assert_int_equal(advise(mr.lkey, READ, 0, IOVA, PAGE), 0);
}

TEST(huge_pages_are_fetched_whole)
{
	char *start = map_whole_huge_pages(3);
	const struct range_case cases[] = {
		/* the whole of the huge page is faulted in, and turns out to be small pages */
		{ "read", READ, IOVA + PAGE, PAGE, EINVAL },
		{ "no fault", LOOK, IOVA + PAGE, PAGE, EINVAL },
		/* behind the region, the huge page has a hole */
		{ "the next", READ, IOVA + HUGE, PAGE, EFAULT },
		{ "behind", READ, IOVA + 2 * HUGE, PAGE, EFAULT },
	};

	munmap(start + 2 * HUGE - PAGE, PAGE);
	assert_int_equal(reg_at(start + PAGE, HUGE, IOVA + PAGE, ODP | HUGETLB), 0);
	assert_int_equal(advise(mr.lkey, LOOK, FLUSH, IOVA + PAGE, PAGE), 0);
	assert_false(is_resident(start));
	assert_ranges(cases, ARRAY_SIZE(cases));
	assert_true(is_resident(start));
}

TEST(requests_are_whole_entries_of_keys_in_the_pd)
{
	struct ib_uverbs_sge list[2] = { { .length = 1 } };
	struct request request;
	const struct {
		const char *name;
		size_t size;
		uint32_t domain;
		int error;
	} cases[] = {
		{ "one", sizeof(*list), pd, 0 },
		{ "half", sizeof(*list) / 2, pd, EINVAL },
		{ "one and a half", sizeof(*list) + 8, pd, EINVAL },
		{ "a second key of 0", 2 * sizeof(*list), pd, ENOENT },
		{ "another PD", sizeof(*list), pd + 2, EPERM },
		{ "no PD", sizeof(*list), pd + 1, EINVAL },
	};
	uint32_t other;

	assert_int_equal(reg_at(memory, PAGE, 0, ODP), 0);
	list[0].lkey = mr.lkey;
	assert_int_equal(alloc_pd(fd, &other), 0);
	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		init_advice(&request, c->domain, READ, 0, list, c->size);
		assert_equal_for(c->name, send_to(&request, fd), c->error);
	}
}

EACH_TEST(open_device, close_device)
