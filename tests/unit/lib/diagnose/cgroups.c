// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/cgroups.h"

#include "tests/unit/lib/diagnose/check.h"

/* The group of the process is /a/b of version 2. */
static void put_v2(void)
{
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/proc/self/mountinfo",
	    "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
}

/* The group is /docker/x of version 1, and the container sees no more than that. */
static void put_v1(void)
{
	put("/proc/self/cgroup",
	    "5:cpu,memory:/docker/x\n4:hugetlb:/docker/x\n3:rdma:/docker/x\n0::/\n");
	put("/proc/self/mountinfo",
	    "35 31 0:32 /docker/x /sys/fs/cgroup/cpu,memory ro - cgroup cgroup rw,cpu,memory\n"
	    "36 31 0:33 /docker/x /sys/fs/cgroup/hugetlb ro - cgroup cgroup rw,hugetlb\n"
	    "37 31 0:34 /docker/x /sys/fs/cgroup/rdma ro - cgroup cgroup rw,rdma\n");
}

/* ---- RDMA objects ---- */

TEST(rdma_has_no_control_group)
{
	VERDICT(UNKNOWN, mr_check_rdma_cgroup, 0);
	put("/proc/self/status", "Name:\tmrctl\n");
	VERDICT(NA, mr_check_rdma_cgroup, 0);
	put("/proc/self/cgroup", "");
	VERDICT(NA, mr_check_rdma_cgroup, 0);
	put_v2();
	VERDICT(NA, mr_check_rdma_cgroup, 0);
}

TEST(rdma_has_no_limit)
{
	put_v2();
	put("/sys/fs/cgroup/a/rdma.max", "mlx5_0 hca_handle=max hca_object=max\n");
	put("/sys/fs/cgroup/a/rdma.current", "mlx5_0 hca_handle=1 hca_object=20\n");
	VERDICT(OK, mr_check_rdma_cgroup, 0);
}

TEST(rdma_limit_of_a_group_above_is_full)
{
	put_v2();
	put("/sys/fs/cgroup/a/b/rdma.max", "mlx5_0 hca_handle=max hca_object=max\n");
	put("/sys/fs/cgroup/a/rdma.max",
	    "mlx5_0 hca_handle=max hca_object=max\nmlx5_1 hca_handle=10 hca_object=2000\n");
	put("/sys/fs/cgroup/a/rdma.current",
	    "mlx5_0 hca_handle=9 hca_object=9\nmlx5_1 hca_handle=2 hca_object=1999\n");
	CHECK(mr_check_rdma_cgroup, 0);

	assert_int_equal(found.verdict, MR_VERDICT_BAD);
	assert_contains(found.figure, "mlx5_1: hca_object 1999 of 2000");
	assert_contains(found.detail, "/sys/fs/cgroup/a");
	assert_contains(found.remedy, "hca_object");
}

TEST(rdma_limit_leaves_enough_or_little)
{
	put_v1();
	put("/sys/fs/cgroup/rdma/rdma.max", "mlx5_0 hca_handle=10 hca_object=2000\n");
	put("/sys/fs/cgroup/rdma/rdma.current", "mlx5_0 hca_handle=9 hca_object=1800\n");
	VERDICT(OK, mr_check_rdma_cgroup, 0);
	put("/sys/fs/cgroup/rdma/rdma.current", "mlx5_0 hca_handle=9 hca_object=1801\n");
	VERDICT(WARN, mr_check_rdma_cgroup, 0);
	put("/sys/fs/cgroup/rdma/rdma.current", "mlx5_0 hca_handle=10 hca_object=1801\n");
	VERDICT(BAD, mr_check_rdma_cgroup, 0);
}

TEST(rdma_of_mlx5_needs_an_object_for_its_library)
{
	put_v2();
	put("/sys/fs/cgroup/a/rdma.max", "mlx5_0 hca_handle=max hca_object=2\n");
	put("/sys/fs/cgroup/a/rdma.current", "mlx5_0 hca_handle=0 hca_object=0\n");
	VERDICT(OK, mr_check_rdma_cgroup, 0);
	call("link", "/sys/class/infiniband/mlx5_0/device/driver", "../drivers/mlx5_core");
	VERDICT(BAD, mr_check_rdma_cgroup, 0);
	FIGURE("hca_object 0 of 2 in use, a registration needs 3", mr_check_rdma_cgroup, 0);
	put("/sys/fs/cgroup/a/rdma.max", "mlx5_0 hca_handle=max hca_object=3\n");
	VERDICT(OK, mr_check_rdma_cgroup, 0);
}

TEST(rdma_use_is_not_known)
{
	put_v2();
	put("/sys/fs/cgroup/a/rdma.max", "mlx5_0 hca_handle=10 hca_object=2000\n");
	VERDICT(UNKNOWN, mr_check_rdma_cgroup, 0);
	put("/sys/fs/cgroup/a/rdma.max", "mlx5_0 hca_handle=0 hca_object=2000\n");
	VERDICT(BAD, mr_check_rdma_cgroup, 0);
}

TEST(rdma_files_may_hold_anything)
{
	char line[8192];

	put_v2();
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	put("/sys/fs/cgroup/a/rdma.max", line);
	put("/sys/fs/cgroup/a/rdma.current",
	    "\033[2J hca_handle=-4 hca_object=9999999999999999999999\n");
	look(mr_check_rdma_cgroup, 0);
	put("/sys/fs/cgroup/a/rdma.max", "\033[2J hca_handle=0 hca_object=\n");
	CHECK(mr_check_rdma_cgroup, 0);

	assert_null(strchr(found.figure, '\033'));
}

/* ---- memory ---- */

TEST(memory_is_not_limited)
{
	put_v2();
	VERDICT(NA, mr_check_memory_cgroup, GIB);
	put("/sys/fs/cgroup/a/b/memory.max", "max\n");
	VERDICT(OK, mr_check_memory_cgroup, GIB);
	put_v1();
	put("/sys/fs/cgroup/cpu,memory/memory.limit_in_bytes", "9223372036854771712\n");
	CHECK(mr_check_memory_cgroup, GIB);

	assert_int_equal(found.verdict, MR_VERDICT_OK);
	assert_string_equal(found.figure, "no limit");
	assert_contains(found.detail, "cannot be seen");
}

TEST(memory_limit_of_a_group_above_counts)
{
	put_v2();
	put("/sys/fs/cgroup/a/b/memory.max", "4294967296\n");
	put("/sys/fs/cgroup/a/b/memory.current", "1000\n");
	put("/sys/fs/cgroup/a/memory.max", "2147483648\n");
	put("/sys/fs/cgroup/a/memory.current", "1000\n");
	VERDICT(OK, mr_check_memory_cgroup, 0);
	VERDICT(OK, mr_check_memory_cgroup, GIB);
	VERDICT(WARN, mr_check_memory_cgroup, 2 * GIB);
	VERDICT(BAD, mr_check_memory_cgroup, 3 * GIB);
}

TEST(memory_of_files_does_not_count_as_used)
{
	put_v2();
	put("/sys/fs/cgroup/a/b/memory.max", "2147483648\n");
	put("/sys/fs/cgroup/a/b/memory.current", "2147483648\n");
	VERDICT(WARN, mr_check_memory_cgroup, GIB);
	VERDICT(WARN, mr_check_memory_cgroup, 0);
	put("/sys/fs/cgroup/a/b/memory.stat",
	    "anon 9\ninactive_file 1073741824\nactive_file 536870912\nworkingset_x 3\n");
	VERDICT(OK, mr_check_memory_cgroup, GIB);
	VERDICT(OK, mr_check_memory_cgroup, 0);
}

TEST(memory_use_is_not_known)
{
	put_v2();
	put("/sys/fs/cgroup/a/b/memory.max", "2147483648\n");
	VERDICT(UNKNOWN, mr_check_memory_cgroup, GIB);
	VERDICT(OK, mr_check_memory_cgroup, 0);
}

TEST(memory_that_slows_down_is_a_warning)
{
	put_v2();
	put("/sys/fs/cgroup/a/b/memory.max", "max\n");
	put("/sys/fs/cgroup/a/b/memory.high", "1048576\n");
	VERDICT(WARN, mr_check_memory_cgroup, GIB);
}

TEST(memory_of_a_group_that_cannot_be_seen_is_unknown)
{
	put_v1();
	put("/proc/self/cgroup", "5:cpu,memory:/docker/other\n");
	VERDICT(UNKNOWN, mr_check_memory_cgroup, 0);
	put("/proc/self/cgroup", "0::/../other\n");
	put("/proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	VERDICT(UNKNOWN, mr_check_memory_cgroup, 0);
}

TEST(memory_of_a_hybrid_host_is_that_of_version_1)
{
	put("/proc/self/cgroup", "4:memory:/api/x\n0::/\n");
	put("/proc/self/mountinfo",
	    "35 31 0:32 / /cgroup\\040dir/memory rw shared:1 - cgroup cgroup rw,memory\n"
	    "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
	put("/cgroup dir/memory/api/memory.limit_in_bytes", "1048576\n");
	VERDICT(BAD, mr_check_memory_cgroup, GIB);
}

/* ---- huge pages ---- */

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/"

static void put_pool(const char *pages)
{
	put(POOL "nr_hugepages", pages);
	put(POOL "free_hugepages", pages);
	put(POOL "resv_hugepages", "0\n");
	put(POOL "surplus_hugepages", "0\n");
	put(POOL "nr_overcommit_hugepages", "0\n");
}

TEST(huge_pages_that_are_not_there_need_no_limit)
{
	put_v2();
	VERDICT(NA, mr_check_hugetlb_cgroup, 0);
	put_pool("0\n");
	put("/sys/fs/cgroup/a/b/hugetlb.2MB.max", "0\n");
	VERDICT(NA, mr_check_hugetlb_cgroup, 0);
	put_pool("512\n");
	VERDICT(WARN, mr_check_hugetlb_cgroup, 0);
}

TEST(huge_pages_have_a_limit_that_is_large_enough_or_not)
{
	put_v2();
	put_pool("512\n");
	VERDICT(NA, mr_check_hugetlb_cgroup, 0);
	put("/sys/fs/cgroup/a/b/hugetlb.2MB.max", "max\n");
	VERDICT(OK, mr_check_hugetlb_cgroup, GIB);
	put("/sys/fs/cgroup/a/hugetlb.2MB.rsvd.max", "1073741824\n");
	VERDICT(UNKNOWN, mr_check_hugetlb_cgroup, GIB);
	put("/sys/fs/cgroup/a/hugetlb.2MB.rsvd.current", "0\n");
	VERDICT(OK, mr_check_hugetlb_cgroup, GIB);
	VERDICT(WARN, mr_check_hugetlb_cgroup, GIB + 1);
	put("/sys/fs/cgroup/a/hugetlb.2MB.rsvd.current", "2097152\n");
	VERDICT(OK, mr_check_hugetlb_cgroup, 0);
	VERDICT(WARN, mr_check_hugetlb_cgroup, GIB);
}

TEST(huge_pages_of_version_1_have_a_limit)
{
	put_v1();
	put_pool("512\n");
	put("/sys/fs/cgroup/hugetlb/hugetlb.2MB.limit_in_bytes", "0\n");
	CHECK(mr_check_hugetlb_cgroup, 0);

	assert_int_equal(found.verdict, MR_VERDICT_WARN);
	assert_contains(found.figure, "hugetlb.2MB.limit_in_bytes is 0");
}

TEST(huge_pages_in_an_unreadable_hierarchy_are_unknown)
{
	put_pool("512\n");
	VERDICT(UNKNOWN, mr_check_hugetlb_cgroup, 0);
}

EACH_TEST(set_up, tear_down)
