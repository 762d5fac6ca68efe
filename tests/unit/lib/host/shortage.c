// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Why memory could not be mapped, by the files of a machine that each test makes up. */
#include <sys/resource.h>

#include "lib/host/shortage.h"
#include "tests/unit/recorded_host.h"

#define MIB UINT64_C(1048576)

static struct recorded_host recorded;

static void put(const char *path, const char *text)
{
	recorded_host_put(&recorded, path, text);
}

static void put_pool(const char *free, const char *reserved, const char *more, const char *surplus)
{
#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/"
	put(POOL "free_hugepages", free);
	put(POOL "resv_hugepages", reserved);
	put(POOL "nr_overcommit_hugepages", more);
	put(POOL "surplus_hugepages", surplus);
}

static const char *hint(struct mr_shortage shortage)
{
	static char text[sizeof(struct mr_shortage_reason) + 2];
	struct mr_shortage_reason reason;

	text[0] = '\0';
	if (mr_shortage_find(&shortage, &recorded.host, &reason))
		snprintf(text, sizeof(text), "%s: %s", reason.text, reason.remedy);
	return text;
}

static const char *hint_huge(uint64_t pages)
{
	return hint((struct mr_shortage){ .length = pages * 2 * MIB, .huge_size = 2 * MIB });
}

TEST(too_few_huge_pages_are_counted)
{
	put("/proc/self/cgroup", "0::/\n");
	put_pool("16", "0", "0", "0");
	assert_contains(hint_huge(17), "17 huge pages of 2048 KiB are wanted; 16 are free");
	assert_contains(hint_huge(17), "hugepages-2048kB/nr_hugepages");
	assert_string_equal(hint_huge(16), "");
	/* free pages may be reserved for others */
	put_pool("16", "15", "0", "0");
	assert_contains(hint_huge(2), "16 are free, of which others have reserved 15");
	put_pool("0", "0", "8", "3");
	assert_string_equal(hint_huge(5), "");
	assert_contains(hint_huge(6), "and 5 may be made on demand");
}

TEST(a_control_group_that_may_reserve_too_little_is_named)
{
	put_pool("16", "0", "0", "0");
	put("/proc/self/mountinfo",
	    "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
	    "31 20 0:27 / /sys/fs/cgroup/hugetlb rw - cgroup cgroup rw,hugetlb\n");
	put("/proc/self/cgroup", "3:cpu:/other\n0::/pods/mine\n");
	put("/sys/fs/cgroup/pods/mine/hugetlb.2MB.rsvd.max", "max");
	put("/sys/fs/cgroup/pods/mine/hugetlb.2MB.rsvd.current", "0");
	assert_string_equal(hint_huge(1), "");
	/* the control group above it */
	put("/sys/fs/cgroup/pods/hugetlb.2MB.rsvd.max", "4194304");
	put("/sys/fs/cgroup/pods/hugetlb.2MB.rsvd.current", "2097152");
	assert_string_equal(hint_huge(1), "");
	assert_contains(hint_huge(2),
			"may reserve 4194304 bytes in huge pages of 2048 KiB, has 2097152, "
			"and 4194304 more were asked for: raise "
			"/sys/fs/cgroup/pods/hugetlb.2MB.rsvd.max");
	/* where there are too few pages, that comes first */
	assert_contains(hint_huge(17), "nr_hugepages");

	/* no path of a group, as a damaged record of a machine may have it */
	put("/proc/self/cgroup", "0::pods\n");
	assert_string_equal(hint_huge(2), "");

	put("/proc/self/cgroup", "7:hugetlb:/old\n0::/\n");
	put("/sys/fs/cgroup/hugetlb/old/hugetlb.2MB.rsvd.limit_in_bytes", "0");
	put("/sys/fs/cgroup/hugetlb/old/hugetlb.2MB.rsvd.usage_in_bytes", "0");
	assert_contains(hint_huge(1), "/old/hugetlb.2MB.rsvd.limit_in_bytes");
}

TEST(a_limit_is_named_only_where_it_is_too_small)
{
	struct mr_shortage data = { .length = 100 * MIB, .is_private = true };
	struct rlimit before, limit;

	put("/proc/self/status", "VmSize:\t  20480 kB\nVmData:\t  10240 kB\n");
	put("/proc/sys/vm/overcommit_memory", "1");
	getrlimit(RLIMIT_DATA, &before);
	limit = (struct rlimit){ 110 * MIB, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
	assert_string_equal(hint(data), "");
	data.length++;
	assert_contains(hint(data), "RLIMIT_DATA is 115343360 bytes, and the process has 10485760");
	data.is_private = false;
	assert_string_equal(hint(data), "");
	setrlimit(RLIMIT_DATA, &before);
	data.is_private = true;
	assert_string_equal(hint(data), "");

	getrlimit(RLIMIT_AS, &before);
	limit = (struct rlimit){ 64 * MIB * MIB, before.rlim_max }; /* enough for ASan */
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	data.length = 64 * MIB * MIB - 20 * MIB;
	assert_string_equal(hint(data), "");
	data.length++;
	assert_contains(hint(data),
			"RLIMIT_AS is 70368744177664 bytes, and the process has 20971520");
	data.huge_size = 2 * MIB;
	assert_contains(hint(data), "RLIMIT_AS");
	setrlimit(RLIMIT_AS, &before);
}

TEST(memory_that_is_committed_is_compared_with_its_limit)
{
	struct mr_shortage data = { .length = 3000 * MIB, .is_private = true };

	put("/proc/meminfo", "MemTotal: 2048000 kB\nSwapTotal: 1024000 kB\n"
			     "CommitLimit: 2048000 kB\nCommitted_AS: 1024000 kB\n");
	put("/proc/sys/vm/overcommit_memory", "0");
	assert_string_equal(hint(data), "");
	data.length++;
	assert_contains(hint(data), "2097152000 bytes of memory and 1048576000 of swap");
	put("/proc/sys/vm/overcommit_memory", "1");
	assert_string_equal(hint(data), "");
	put("/proc/sys/vm/overcommit_memory", "2");
	data.length = 1000 * MIB;
	assert_string_equal(hint(data), "");
	data.length++;
	assert_contains(hint(data), "at most 2097152000 bytes (CommitLimit in /proc/meminfo), and "
				    "has promised 1048576000");
}

TEST(missing_figures_give_no_hint)
{
	const struct mr_shortage huge = { .length = MIB << 30, .huge_size = 2 * MIB };
	const struct mr_shortage data = { .length = UINT64_MAX, .is_private = true };

	recorded_host_end(&recorded);
	recorded_host_begin(&recorded);
	assert_string_equal(hint(huge), "");
	assert_string_equal(hint(data), "");
}

static int remove_machine(void **state)
{
	(void)state;
	recorded_host_end(&recorded);
	return 0;
}

static int make_machine(void **state)
{
	(void)state;
	recorded_host_begin(&recorded);
	return 0;
}

ALL_TESTS(make_machine, remove_machine)
