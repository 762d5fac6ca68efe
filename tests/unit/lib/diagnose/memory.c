// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/memory.h"

#include "tests/unit/lib/diagnose/check.h"

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/"

/* 64 GiB, of which 16 GiB are available, and 8 GiB of swap. */
#define MEMORY                                                                                     \
	"MemTotal:       67108864 kB\nMemFree:         1048576 kB\nMemAvailable:   16777216 kB\n"  \
	"SwapFree:        8388608 kB\n"

TEST(available_memory_is_compared_with_what_is_planned)
{
	put("/proc/meminfo", MEMORY);
	VERDICT(OK, mr_check_available, 0);
	VERDICT(OK, mr_check_available, 16 * GIB);
	VERDICT(WARN, mr_check_available, 16 * GIB + 1);
	VERDICT(WARN, mr_check_available, 24 * GIB);
	VERDICT(BAD, mr_check_available, 24 * GIB + 1);
	FIGURE("16 GiB of 64 GiB are available", mr_check_available, 30 * GIB);
	VERDICT(BAD, mr_check_available, UINT64_MAX);
	FIGURE("has 64 GiB (MemTotal)", mr_check_available, 65 * GIB);
	/* the figure is equal on equal hosts */
	assert_string_equal(look(mr_check_available, 0).figure, "64 GiB (MemTotal)");
}

TEST(little_available_memory_is_told_without_a_plan)
{
	put("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 49999 kB\n");
	VERDICT(WARN, mr_check_available, 0);
	put("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 50000 kB\n");
	VERDICT(OK, mr_check_available, 0);
}

TEST(a_strict_host_promises_no_more_than_its_limit)
{
	put("/proc/meminfo", MEMORY "CommitLimit: 41943040 kB\nCommitted_AS: 33554432 kB\n");
	put("/proc/sys/vm/overcommit_memory", "2\n");
	VERDICT(OK, mr_check_available, 8 * GIB);
	VERDICT(BAD, mr_check_available, 8 * GIB + 1);
	FIGURE("vm.overcommit_memory is 2", mr_check_available, 9 * GIB);
	put("/proc/sys/vm/overcommit_memory", "0\n");
	VERDICT(OK, mr_check_available, 9 * GIB);
	put("/proc/sys/vm/overcommit_memory", "2\n");
	put("/proc/meminfo", MEMORY "CommitLimit: 1 kB\nCommitted_AS: 33554432 kB\n");
	VERDICT(BAD, mr_check_available, 1);
}

TEST(a_meminfo_that_lies_is_unknown)
{
	static const char *const lies[] = {
		"",
		"MemTotal",
		"MemTotal: kB\nMemAvailable: 1 kB\n",
		"MemTotal: -1 kB\nMemAvailable: 1 kB\n",
		"MemTotal: 99999999999999999999 kB\nMemAvailable: 1 kB\n",
		"MemTotal: 18446744073709551615 kB\nMemAvailable: 1 kB\n",
		"MemTotal: 5 kB\n",
		"MemTotal: 5 MB\nMemAvailable: 1 kB\n",
		"\x01\xff\x80MemTotal: 1 kB\n",
	};

	VERDICT(UNKNOWN, mr_check_available, 0);
	VERDICT(UNKNOWN, mr_check_cma, 0);
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		put("/proc/meminfo", lies[i]);
		VERDICT(UNKNOWN, mr_check_available, 0);
		VERDICT(UNKNOWN, mr_check_available, GIB);
	}
}

/* ---- mappings ---- */

static void put_variable(const char *name, const char *answer)
{
	recorded_host_call(&recorded, "answer", name, answer);
}

TEST(mappings_run_out_where_fork_protection_splits_them)
{
	VERDICT(UNKNOWN, mr_check_map_count, 0);
	put("/proc/sys/vm/max_map_count", "65530\n");
	VERDICT(OK, mr_check_map_count, 0);
	put_variable("/environment/RDMAV_FORK_SAFE", "0");
	VERDICT(OK, mr_check_map_count, 0);
	put_variable("/environment/IBV_FORK_SAFE", "set");
	VERDICT(WARN, mr_check_map_count, 0);
	FIGURE("about 32765 regions", mr_check_map_count, 0);
	/* libibverbs protects nothing where the kernel copies */
	put_variable("/rdma/copy-on-fork", "yes");
	VERDICT(OK, mr_check_map_count, 0);
	put_variable("/rdma/copy-on-fork", "no");
	VERDICT(WARN, mr_check_map_count, 0);
	put("/proc/sys/vm/max_map_count", "262144\n");
	VERDICT(OK, mr_check_map_count, 0);
}

TEST(used_mappings_are_told_beside_the_figure)
{
	put("/proc/sys/vm/max_map_count", "1000\n");
	put_variable("/mappings", "899");
	VERDICT(OK, mr_check_map_count, 0);
	assert_null(strstr(look(mr_check_map_count, 0).figure, "899"));
	assert_contains(look(mr_check_map_count, 0).detail, "899");
	put_variable("/mappings", "900");
	VERDICT(BAD, mr_check_map_count, 0);
	put_variable("/mappings", "many");
	VERDICT(OK, mr_check_map_count, 0);
	put("/proc/sys/vm/max_map_count", "none\n");
	VERDICT(UNKNOWN, mr_check_map_count, 0);
}

/* ---- huge pages ---- */

static void put_pool(const char *total, const char *free, const char *reserved)
{
	put(POOL "nr_hugepages", total);
	put(POOL "free_hugepages", free);
	put(POOL "resv_hugepages", reserved);
	put(POOL "surplus_hugepages", "0\n");
	put(POOL "nr_overcommit_hugepages", "0\n");
}

TEST(huge_pages_are_judged_by_what_can_be_had)
{
	VERDICT(UNKNOWN, mr_check_huge_pages, 0);
	put("/sys/kernel/mm/ksm/run", "0\n");
	VERDICT(NA, mr_check_huge_pages, 0);
	put_pool("0\n", "0\n", "0\n");
	VERDICT(NA, mr_check_huge_pages, GIB);
	put_pool("1024\n", "512\n", "0\n");
	VERDICT(OK, mr_check_huge_pages, 0);
	VERDICT(OK, mr_check_huge_pages, GIB);
	VERDICT(WARN, mr_check_huge_pages, GIB + 1);
	assert_string_equal(look(mr_check_huge_pages, 0).figure, "1024 of 2 MiB");
	put_pool("1024\n", "512\n", "1\n");
	VERDICT(WARN, mr_check_huge_pages, GIB);
	put(POOL "nr_overcommit_hugepages", "1\n");
	VERDICT(OK, mr_check_huge_pages, GIB);
	/* all are in use or promised */
	put_pool("1024\n", "512\n", "512\n");
	VERDICT(OK, mr_check_huge_pages, 0);
	VERDICT(WARN, mr_check_huge_pages, 1);
	put_pool("1024\n", "x", "512\n");
	VERDICT(UNKNOWN, mr_check_huge_pages, 0);
}

TEST(huge_pages_are_shown_by_node)
{
	put_pool("8\n", "8\n", "0\n");
	put("/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages", "8\n");
	put("/sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages", "7\n");
	put("/sys/devices/system/node/has_cpu", "0-1\n");
	assert_contains(look(mr_check_huge_pages, 0).detail, "node1: 8 of 2 MiB, 7 free");
}

TEST(folders_that_are_no_pools_do_not_count)
{
	put("/sys/kernel/mm/hugepages/hugepages-kB/nr_hugepages", "1\n");
	put("/sys/kernel/mm/hugepages/hugepages-18446744073709551615kB/nr_hugepages", "1\n");
	put("/sys/kernel/mm/hugepages/pages/nr_hugepages", "1\n");
	VERDICT(NA, mr_check_huge_pages, 0);
	put_pool("18446744073709551615\n", "18446744073709551615\n", "0\n");
	put(POOL "nr_overcommit_hugepages", "18446744073709551615\n");
	VERDICT(OK, mr_check_huge_pages, UINT64_MAX);
}

TEST(transparent_huge_pages_matter_for_large_plans)
{
	VERDICT(UNKNOWN, mr_check_thp, 0);
	put("/sys/kernel/mm/ksm/run", "0\n");
	VERDICT(NA, mr_check_thp, 0);
	put("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
	VERDICT(OK, mr_check_thp, 0);
	VERDICT(OK, mr_check_thp, GIB - 1);
	VERDICT(WARN, mr_check_thp, GIB);
	put("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
	VERDICT(OK, mr_check_thp, GIB);
	put("/sys/kernel/mm/transparent_hugepage/enabled", "always [maybe] never\n");
	VERDICT(UNKNOWN, mr_check_thp, 0);
	put("/sys/kernel/mm/transparent_hugepage/enabled", "");
	VERDICT(UNKNOWN, mr_check_thp, 0);
	put("/sys/kernel/mm/transparent_hugepage/enabled", "[");
	VERDICT(UNKNOWN, mr_check_thp, 0);
}

/* ---- contiguous memory ---- */

TEST(nothing_stays_pinned_in_contiguous_memory)
{
	put("/proc/meminfo", MEMORY);
	VERDICT(NA, mr_check_cma, 0);
	put("/proc/meminfo", MEMORY "CmaTotal: 0 kB\nCmaFree: 0 kB\n");
	VERDICT(NA, mr_check_cma, GIB);
	put("/proc/meminfo", MEMORY "CmaTotal: 33554432 kB\nCmaFree: 33554432 kB\n");
	VERDICT(OK, mr_check_cma, 0);
	VERDICT(OK, mr_check_cma, 32 * GIB);
	VERDICT(BAD, mr_check_cma, 32 * GIB + 1);
	put("/proc/meminfo", MEMORY "CmaTotal: 0 kB\nCmaFree: 4 kB\n");
	VERDICT(WARN, mr_check_cma, 0);
	put("/proc/meminfo", MEMORY "CmaTotal: 134217728 kB\nCmaFree: 0 kB\n");
	VERDICT(BAD, mr_check_cma, 1);
}

EACH_TEST(set_up, tear_down)
