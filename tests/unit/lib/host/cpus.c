// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists of CPUs, as a host has them. */
#include "lib/host/cpus.h"

#include "tests/unit/recorded_host.h"

static struct recorded_host recorded;
static struct mr_cpus cpus;

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

TEST(a_list_has_single_cpus_and_ranges)
{
	assert_int_equal(mr_cpu_list_has("0-3,8", 0), MR_YES);
	assert_int_equal(mr_cpu_list_has("0-3,8", 3), MR_YES);
	assert_int_equal(mr_cpu_list_has("0-3,8", 8), MR_YES);
	assert_int_equal(mr_cpu_list_has("0-3,8", 4), MR_NO);
	assert_int_equal(mr_cpu_list_has("0-3,8", 9), MR_NO);
	assert_int_equal(mr_cpu_list_ends_before("0-3,8", 9), MR_YES);
	assert_int_equal(mr_cpu_list_ends_before("0-3,8", 8), MR_NO);
	assert_int_equal(mr_cpu_list_ends_before("8,0-3", 5), MR_NO);
}

TEST(what_is_no_list_is_not_known)
{
	static const char *const texts[] = { "",     "x",   "0-",          "-3",           "0-x",
					     "1,,2", "0 1", "99999999999", "0-99999999999" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_equal_for(texts[i], mr_cpu_list_has(texts[i], 0), MR_UNKNOWN);
		assert_equal_for(texts[i], mr_cpu_list_ends_before(texts[i], 0), MR_UNKNOWN);
	}
}

TEST_WITH(both_lists_are_read, set_up, tear_down)
{
	recorded_host_put(&recorded, "/sys/devices/system/cpu/possible", "0-63\n");
	recorded_host_put(&recorded, "/proc/thread-self/status",
			  "Name:\tx\nCpus_allowed:\tf0\nCpus_allowed_list:\t4-7\n");
	mr_cpus_read(&recorded.host, &cpus);
	assert_string_equal(cpus.possible, "0-63");
	assert_string_equal(cpus.allowed, "4-7");
}

TEST_WITH(what_is_missing_or_too_long_is_not_known, set_up, tear_down)
{
	char line[600] = "Cpus_allowed_list:\t", *list = strchr(line, '\t') + 1;

	mr_cpus_read(&recorded.host, &cpus);
	assert_string_equal(cpus.possible, "");
	assert_string_equal(cpus.allowed, "");
	memset(list, '1', sizeof(line) - 1 - (size_t)(list - line));
	recorded_host_put(&recorded, "/sys/devices/system/cpu/possible", list);
	recorded_host_put(&recorded, "/proc/thread-self/status", line);
	mr_cpus_read(&recorded.host, &cpus);
	assert_string_equal(cpus.possible, "");
	assert_string_equal(cpus.allowed, "");
}
