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

/* Advises about a range of the region @mr, with flush. */
static int fetch(uint64_t advice, uint64_t addr, uint64_t length)
{
	return advise(mr.lkey, advice, FLUSH, addr, length);
}

TEST(ranges_are_checked_with_flush_alone)
{
	assert_int_equal(reg_at(memory + 5, 3 * PAGE, IOVA + 5, ODP), 0);
	assert_int_equal(fetch(READ, IOVA + 5, 4 * PAGE - 5), 0);
	assert_int_equal(fetch(READ, IOVA + 5, 0), 0);
	assert_int_equal(fetch(READ, IOVA + PAGE, 0), EINVAL); /* nothing at a page */
	assert_int_equal(fetch(READ, IOVA + 4, 1), EFAULT);
	assert_int_equal(fetch(READ, IOVA + PAGE, 3 * PAGE + 1), EFAULT);
	assert_int_equal(fetch(READ, IOVA + 4 * PAGE, 0), EFAULT);
	assert_int_equal(fetch(READ, UINT64_MAX, 1), EFAULT);
	assert_int_equal(advise(mr.lkey, READ, 0, IOVA + PAGE, 0), 0);
	assert_int_equal(advise(mr.lkey, READ, 0, UINT64_MAX, 1), 0);
}

static int register_and_fetch(void)
{
	EXPECT(!reg_at(memory, 4 * PAGE, IOVA, ODP));
	return advise(mr.lkey, READ, FLUSH, IOVA, PAGE);
}

TEST(memory_of_a_process_that_ended_is_not_fetched)
{
	struct mr found;

	assert_int_equal(in_child(register_and_fetch), 0);
	assert_int_equal(query(fd, pd + 1, &found), 0);
	mr.lkey = found.lkey;
	assert_int_equal(fetch(READ, IOVA, PAGE), EINVAL);
	assert_int_equal(fetch(LOOK, IOVA, PAGE), EINVAL);
	assert_int_equal(fetch(READ, IOVA - PAGE, PAGE), EFAULT);
	assert_int_equal(advise(mr.lkey, READ, 0, IOVA, PAGE), 0);
}

TEST(huge_pages_are_fetched_whole)
{
	char *start = map_whole_huge_pages(3);

	munmap(start + 2 * HUGE - PAGE, PAGE);
	assert_int_equal(reg_at(start + PAGE, HUGE, IOVA + PAGE, ODP | HUGETLB), 0);
	assert_int_equal(fetch(LOOK, IOVA + PAGE, PAGE), 0);
	assert_false(is_resident(start));
	/* the whole of the huge page is faulted in, and turns out to be small pages */
	assert_int_equal(fetch(READ, IOVA + PAGE, PAGE), EINVAL);
	assert_int_equal(fetch(LOOK, IOVA + PAGE, PAGE), EINVAL);
	/* behind the region, the huge page has a hole */
	assert_int_equal(fetch(READ, IOVA + HUGE, PAGE), EFAULT);
	assert_int_equal(fetch(READ, IOVA + 2 * HUGE, PAGE), EFAULT);
	assert_true(is_resident(start));
}

static int advise_list(uint32_t domain, size_t size)
{
	const struct ib_uverbs_sge list[2] = { { .length = 1, .lkey = mr.lkey } };
	struct request request;

	init_advice(&request, domain, READ, 0, list, size);
	return send_to(&request, fd);
}

TEST(requests_are_whole_entries_of_keys_in_the_pd)
{
	const size_t one = sizeof(struct ib_uverbs_sge);
	uint32_t other;

	assert_int_equal(reg_at(memory, PAGE, 0, ODP), 0);
	assert_int_equal(alloc_pd(fd, &other), 0);
	assert_int_equal(advise_list(pd, one), 0);
	assert_int_equal(advise_list(pd, one / 2), EINVAL);
	assert_int_equal(advise_list(pd, one + 8), EINVAL);
	assert_int_equal(advise_list(pd, 2 * one), ENOENT); /* a second key of 0 */
	assert_int_equal(advise_list(other, one), EPERM);
	assert_int_equal(advise_list(mr.mr_handle, one), EINVAL);
}

EACH_TEST(open_device, close_device)
