// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/host/pinned_pages.h"

#include "tests/unit/recorded_host.h"

static struct recorded_host recorded;

static int set_up(void **state)
{
	(void)state;
	recorded_host_begin(&recorded);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	recorded_host_end(&recorded);
	return 0;
}

static struct mr_opt_u64 pinned_with(const char *text)
{
	recorded_host_put(&recorded, "/proc/vmstat", text);
	return mr_pinned_pages(&recorded.host);
}

TEST(what_is_released_is_not_pinned)
{
	const struct mr_opt_u64 pinned = pinned_with(
		"nr_free_pages 7\nnr_foll_pin_acquired 12\nnr_foll_pin_released 9\nnr_x 1\n");

	assert_true(pinned.known);
	assert_int_equal(pinned.value, 3 * sysconf(_SC_PAGESIZE));
}

TEST(more_released_than_acquired_is_nothing_pinned)
{
	const struct mr_opt_u64 pinned =
		pinned_with("nr_foll_pin_acquired 9\nnr_foll_pin_released 12\n");

	assert_true(pinned.known);
	assert_int_equal(pinned.value, 0);
}

TEST(without_both_counters_it_is_not_known)
{
	static const char *const texts[] = {
		"",
		"nr_foll_pin_acquired 9\n",
		"nr_foll_pin_released 9\n",
		"nr_foll_pin_acquired\nnr_foll_pin_released 9\n",
		"nr_foll_pin_acquired 9x\nnr_foll_pin_released 9\n",
		"nr_foll_pin_acquired -1\nnr_foll_pin_released 9\n",
		"nr_foll_pin_acquired 99999999999999999999\nnr_foll_pin_released 9\n",
		/* more bytes than a number can hold */
		"nr_foll_pin_acquired 18446744073709551615\nnr_foll_pin_released 9\n",
	};

	assert_false(mr_pinned_pages(&recorded.host).known);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_equal_for(texts[i], pinned_with(texts[i]).known, false);
}

EACH_TEST(set_up, tear_down)
