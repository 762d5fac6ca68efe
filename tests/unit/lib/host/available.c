// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How much memory is available: what leaves least decides. */
#include "lib/host/available.h"

#include <errno.h>

#include "tests/unit/recorded_host.h"

static struct recorded_host recorded;
static struct mr_available available;

static int set_up(void **state)
{
	(void)state;
	recorded_host_begin(&recorded);
	recorded_host_put(&recorded, "/proc/self/cgroup", "0::/a/b");
	recorded_host_put(&recorded, "/proc/self/mountinfo",
			  "31 23 0:28 / /cg rw shared:1 - cgroup2 none rw,x\n");
	recorded_host_put(&recorded, "/proc/meminfo",
			  "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable: 8000 kB\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	recorded_host_end(&recorded);
	return 0;
}

static void assert_available(uint64_t bytes, const char *by)
{
	assert_int_equal(mr_available_read(&recorded.host, &available), 0);
	assert_int_equal(available.bytes, bytes);
	assert_string_equal(available.by, by);
}

TEST(without_limits_it_is_what_the_kernel_estimates)
{
	assert_available(8000 << 10, "MemAvailable");
}

TEST(a_group_above_counts_and_files_in_memory_do_not)
{
	recorded_host_put(&recorded, "/cg/a/memory.max", "5000000\n");
	recorded_host_put(&recorded, "/cg/a/memory.current", "3000000\n");
	recorded_host_put(&recorded, "/cg/a/memory.stat", "anon 1\ninactive_file 1000000\n");
	recorded_host_put(&recorded, "/cg/a/b/memory.max", "max\n");
	recorded_host_put(&recorded, "/cg/a/b/memory.current", "3000000\n");
	assert_available(3000000, "memory.max");
	recorded_host_put(&recorded, "/cg/a/b/memory.high", "3500000\n");
	assert_available(500000, "memory.high");
	recorded_host_put(&recorded, "/cg/a/b/memory.current", "4000000\n");
	assert_available(0, "memory.high");
}

TEST(address_space_that_is_left_counts)
{
	recorded_host_put(&recorded, "/proc/self/limits",
			  "Limit  Soft Limit  Hard Limit  Units\n"
			  "Max address space         5120000              unlimited  bytes\n");
	recorded_host_put(&recorded, "/proc/self/status", "Name: x\nVmSize:\t    1000 kB\n");
	assert_available(4096000, "RLIMIT_AS");
	recorded_host_put(&recorded, "/proc/self/limits",
			  "Max address space  unlimited unlimited bytes\n");
	assert_available(8000 << 10, "MemAvailable");
}

TEST(a_kernel_that_does_not_tell_is_an_error)
{
	recorded_host_put(&recorded, "/proc/meminfo", "MemTotal: 9000 kB\n");
	assert_int_equal(mr_available_read(&recorded.host, &available), -ENODATA);
}

EACH_TEST(set_up, tear_down)
