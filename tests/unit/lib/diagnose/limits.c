// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Limits of a process and of its control groups. */
#include "lib/diagnose/diagnose.h"

#include "tests/unit/lib/diagnose/check.h"

EACH_TEST(set_up, tear_down)

#define LIMIT(process, soft, hard)                                                                                     \
	"/proc/" process "/limits Limit  Soft Limit  Hard Limit  Units\n"                                              \
	"/proc/" process "/limits Max locked memory  " soft "  " hard "  bytes\n"
#define STATUS(process, line) "/proc/" process "/status " line "\n"

/* A process of a user without any right. */
#define PROCESS(process, name, parent, soft, hard)                                                                     \
	LIMIT(process, soft, hard)                                                                                     \
	STATUS(process, "Name:\t" name)                                                                                \
	STATUS(process, "PPid:\t" parent)                                                                              \
	STATUS(process, "Uid:\t1000\t1000\t1000\t1000")                                                                \
	STATUS(process, "VmPin:\t0 kB")                                                                                \
	STATUS(process, "CapPrm:\t0")                                                                                  \
	STATUS(process, "CapEff:\t0")                                                                                  \
	STATUS(process, "CapBnd:\t000001ffffffffff")

#define SELF(soft, hard) PROCESS("self", "mrctl", "0", soft, hard)
#define CHILD            PROCESS("self", "mrctl", "300", "8388608", "8388608")
#define PINNED(kib)                                                                                                    \
	"/proc/self/status PPid:\t0\n/proc/self/status CapEff:\t0\n"                                                   \
	"/proc/self/status VmPin:\t" kib " kB\n"
#define CAPABLE                                                                                                        \
	"/proc/self/status PPid:\t0\n/proc/self/status CapEff:\t0000000000004000\n"                                    \
	"/proc/self/status VmPin:\t64 kB\n"
#define WHOLE_MAP       "/proc/self/uid_map 0 0 4294967295\n"
#define ROOTS_MAP       "/proc/self/uid_map 0 1000 1\n"
#define CONTAINER       "/calls/proc/self/ns/pid.link pid:[4026532567]\n"
#define PAGES_OF(bytes) "/calls/page-size.answer " bytes "\n"

TEST(limit_of_locked_memory)
{
	static const struct check_row rows[] = {
		{ "/proc/self/limits Max locked memory         many lots bytes", 0, UNKNOWN, "!EPERM" },
		{ "/calls/proc/self/limits.read.error EACCES", 0, UNKNOWN, "limits: Permission denied" },
		{ "# the capability may lift it\n" LIMIT("self", "65536", "65536"), 0, UNKNOWN, "it is not known whether" },
		{ CAPABLE, 0, UNKNOWN, "it is not known whether" },
		{ ROOTS_MAP, 0, BAD, "64 KiB < 1 MiB; all ancestors have the same limit" },
		{ WHOLE_MAP, 0, OK, "CAP_IPC_LOCK" },
		{ LIMIT("self", "0", "0"), GIB, OK, "CAP_IPC_LOCK" },
		{ ROOTS_MAP, GIB, BAD, "EPERM" },
		{ "# whole pages count\n" SELF("8388607", "8388607"), 8388607, BAD, "" },
		{ "", 8384512, OK, "" },
		{ "", 8384513, BAD, "" },
		{ "# pages of a host\n" SELF("98304", "98304") PAGES_OF("65536"), 1, OK, "" },
		{ "", 65536, OK, "" },
		{ "", 65537, BAD, "96 KiB < 128 KiB asked" },
		{ "# without a plan\n" SELF("1048575", "1048575"), 0, BAD, "< 1 MiB" },
		{ SELF("1048576", "1048576"), 0, WARN, "< 1 GiB" },
		{ "/proc/meminfo MemTotal: 2048 kB", 0, OK, "half of this host's memory" },
		{ "/proc/meminfo MemTotal: 2052 kB", 0, WARN, "half of this host's memory" },
		{ SELF("1073741824", "1073741824") "-/proc/meminfo", 0, OK, ">= 1 GiB" },
		{ SELF("unlimited", "unlimited"), 1024 * GIB, OK, "unlimited" },
		{ "# each of two devices counts\n" SELF(
			  "8388608",
			  "8388608") "/calls/sys/class/infiniband.list mlx5_0\n/calls/sys/class/infiniband.list mlx5_1",
		  4 * MIB, OK, "on each of 2 devices" },
		{ "", 4 * MIB + 1, BAD, "" },
		{ "", UINT64_MAX, BAD, "" },
		{ "/sys/class/infiniband_verbs/uverbs1/ibdev mlx5_1\n"
		  "/sys/class/infiniband_verbs/uverbs1/dev 231:193\n"
		  "/calls/dev/infiniband/uverbs1.open.error EACCES",
		  8 * MIB, OK, "!devices" },
	};

	CHECK(mr_check_memlock, rows);
}

TEST(a_page_size_that_is_nonsense_is_not_taken)
{
	static const char *const sizes[] = { "0",     "x",       "4095",   "2048",
					     "12288", "1048576", "-65536", "18446744073709551616" };

	change(SELF("98304", "98304"));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		recorded_host_put(&recorded, "/calls/page-size.answer", sizes[i]);
		assert_equal_for(sizes[i], look(mr_check_memlock, 98304).verdict, OK);
		assert_equal_for(sizes[i], look(mr_check_memlock, 98305).verdict, BAD);
	}
}

/* Two processes above this one: the upper one has no limit. */
#define LAUNCH(name, parent)                                                                                           \
	CHILD PROCESS("300", name, "200", "8388608", "8388608") PROCESS("200", parent, "1", "unlimited", "unlimited")

TEST(where_the_limit_came_from_and_who_may_raise_it)
{
	static const struct check_row rows[] = {
		{ CHILD PROCESS("300", "launcher", "0", "unlimited", "unlimited"), GIB, BAD, "lowered in a child of launcher" },
		{ PROCESS("300", "launcher", "0", "65536", "65536"), GIB, BAD, "set in a child of launcher" },
		{ "# an ancestor\n" CHILD PROCESS("300", "bash", "200", "8388608", "8388608")
			  PROCESS("200", "containerd", "1", "8388608", "8388608")
				  PROCESS("1", "systemd", "0", "unlimited",
					  "unlimited") "/proc/200/cgroup 0::/system.slice/containerd.service",
		  GIB, BAD, "8 MiB < 1 GiB asked; lowered in containerd|containerd (200)" },
		{ "", GIB, BAD, "LimitMEMLOCK=infinity for containerd.service|systemctl edit" },
		{ PROCESS("2", "systemd", "1", "unlimited", "unlimited")
			  PROCESS("200", "app", "2", "8388608", "8388608"),
		  GIB, BAD, "systemctl --user edit" },
		{ "# launchers\n" LAUNCH("bash", "slurmstepd"), GIB, BAD, "PropagateResourceLimitsExcept" },
		{ LAUNCH("sshd", "sshd"), GIB, BAD, "limits.conf (pam_limits)|!else remove" },
		{ LAUNCH("bash", "sshd"), GIB, BAD, "if a new login|limits.conf|else remove \"ulimit -l\"" },
		{ LAUNCH("python3", "containerd-shim"), GIB, BAD, "--ulimit memlock=-1" },
		{ LAUNCH("bash", "bash"), GIB, BAD, "ulimit -l" },
		{ LAUNCH("sh:x", "prterun"), GIB, BAD, "start-up file of this shell" },
		{ LAUNCH("trainer", "prterun"), GIB, BAD, "prterun sets this limit, or trainer does at its start" },
		{ LAUNCH("surprise", "surgeon"), GIB, BAD, "surgeon sets this limit, or surprise does at its start" },
		{ LAUNCH("trainer", "prterun") "/proc/300/cgroup 0::/a.service", GIB, BAD,
		  "prterun sets this limit, or trainer does at its start" },
		{ "# the hard limit allows more\n" SELF("8388608", "unlimited"), GIB, BAD, "ulimit -l unlimited" },
		{ SELF("8388608", "1073741824"), GIB, BAD, "ulimit -H -l" },
		{ SELF("8388608", "1073741823"), GIB, BAD, "!ulimit -H -l|limits.conf, LimitMEMLOCK=" },
		{ "# a parent is hidden\n" CHILD, GIB, BAD, "cannot be read|300" },
		{ "", GIB, BAD, "!lowered" },
		{ PROCESS("300", "bash", "200", "8388608", "8388608"), GIB, BAD, "!of this shell" },
		{ "-/proc/300/limits", GIB, BAD, "the process has the same limit, and its parent" },
		{ "# a circle\n" CHILD PROCESS("300", "a", "200", "8388608", "8388608")
			  PROCESS("200", "b", "300", "8388608", "8388608"),
		  GIB, BAD, "all ancestors have the same limit" },
		{ "# a container\n" PROCESS("self", "mrctl", "1", "8388608", "8388608")
			  PROCESS("1", "sleep", "0", "8388608", "8388608") CONTAINER,
		  GIB, BAD, "in this container|--ulimit memlock=-1" },
		{ "# no parent is told\n" LIMIT("self", "8388608", "8388608") "/proc/self/status CapEff:\t0", GIB, BAD,
		  "the origin of the limit is not known" },
		{ "# control characters\n" CHILD PROCESS("300", "\033[31mred", "200", "8388608", "8388608") PROCESS(
			  "200", "\033]0;x", "0", "unlimited", "unlimited") "/proc/300/cgroup 0::/\033[2J.service",
		  GIB, BAD, "!\033" },
	};

	CHECK(mr_check_memlock, rows);
}

TEST(capability_to_lock_memory)
{
	static const struct check_row rows[] = {
		{ STATUS("self", "CapEff:\tzzz"), 0, UNKNOWN, "no CapEff" },
		{ STATUS("self", "CapPrm:\t4000") STATUS("self", "CapEff:\t0"), 0, WARN, "capset" },
		{ STATUS("self", "Uid:\t0\t0\t0\t0") STATUS("self", "CapEff:\t0") STATUS("self", "CapBnd:\t4000"), 0,
		  NA, "none" },
		{ STATUS("self", "Uid:\t1\t1\t1\t1") STATUS("self", "CapEff:\t0") STATUS("self", "CapBnd:\t3fff"), 0,
		  NA, "none" },
		{ "/calls/proc/self/status.read.error EACCES", 0, UNKNOWN, "status: Permission denied" },
	};

	CHECK(mr_check_ipc_lock, rows);
}

TEST(user_namespace)
{
	static const struct check_row rows[] = {
		{ "", 0, UNKNOWN, "neither" },
		{ "/calls/proc/self/ns/user.link user:[4026532700]", 0, WARN, "" },
		{ "-/calls/proc/self/ns/user.link\n" ROOTS_MAP LIMIT("self", "8388608", "8388608"), 0, WARN,
		  "!but the kernel requires" },
		{ LIMIT("self", "unlimited", "unlimited"), 0, OK, "not the initial user namespace" },
		{ "/proc/self/uid_map 0 0 4294967294", 0, OK, "not the initial user namespace" },
		{ "/proc/self/uid_map 1 0 4294967295", 0, OK, "not the initial user namespace" },
	};

	CHECK(mr_check_user_namespace, rows);
}

TEST(memory_that_is_pinned)
{
	static const struct check_row rows[] = {
		{ PINNED("x"), 0, UNKNOWN, "/proc/self/limits" },
		{ LIMIT("self", "8388608", "8388608"), 0, UNKNOWN, "no VmPin" },
		{ PINNED("4096"), 0, OK, "enough" },
		{ "", 4 * MIB, OK, "enough" },
		{ "", 4 * MIB + 1, WARN, "asked" },
		{ PINNED("7372") "/proc/self/status VmLck: 8 kB", 0, OK, "enough" },
		{ PINNED("7376"), 0, WARN, "a tenth" },
		{ PINNED("9000"), 0, WARN, "0 bytes of 8 MiB" },
		{ STATUS("self", "VmPin:\t9000 kB") STATUS("self", "VmLck:\t8 kB"), 0, UNKNOWN,
		  "VmLck 8 KiB|it is not known whether" },
		{ "# whole pages of the limit\n" PINNED("64") LIMIT("self", "196607", "196607"), 98304, OK, "" },
		{ PAGES_OF("65536"), 65536, OK, "" },
		{ "", 65537, WARN, "64 KiB of" },
	};

	CHECK(mr_check_pinned, rows);
}

/* ---- control groups ---- */

#define GROUP "/sys/fs/cgroup/a"

/* The group of the process is /a/b of version 2. */
#define VERSION_2                                                                                                      \
	"/proc/self/cgroup 0::/a/b\n"                                                                                  \
	"/proc/self/mountinfo 31 23 0:28 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n"

/* The group is /docker/x of version 1, and the container sees no more than that. */
#define VERSION_1                                                                                                      \
	"/proc/self/cgroup 5:cpu,memory:/docker/x\n"                                                                   \
	"/proc/self/cgroup 4:hugetlb:/docker/x\n/proc/self/cgroup 3:rdma:/docker/x\n"                                  \
	"/proc/self/mountinfo 35 31 0:32 /docker/x /cg/memory ro - cgroup cgroup rw,cpu,memory\n"                      \
	"/proc/self/mountinfo 36 31 0:33 /docker/x /cg/hugetlb ro - cgroup cgroup rw,hugetlb\n"                        \
	"/proc/self/mountinfo 37 31 0:34 /docker/x /cg/rdma ro - cgroup cgroup rw,rdma\n"

#define MAX(figures)  "/cg/rdma/rdma.max mlx5_0 " figures "\n"
#define USED(figures) "/cg/rdma/rdma.current mlx5_0 " figures "\n"

TEST(rdma_objects_of_the_control_group)
{
	static const struct check_row rows[] = {
		{ "/proc/self/status Name:\tmrctl", 0, NA, "" },
		{ "/proc/self/cgroup", 0, NA, "" },
		{ VERSION_2, 0, NA, "" },
		{ GROUP "/rdma.max mlx5_0 hca_handle=max hca_object=max\n" GROUP
			"/rdma.current mlx5_0 hca_handle=1 hca_object=20",
		  0, OK, "no limit" },
		{ "# a group above is full\n" VERSION_2 GROUP "/b/rdma.max mlx5_0 hca_handle=max hca_object=max\n" GROUP
		  "/rdma.max mlx5_0 hca_handle=max hca_object=max\n" GROUP
		  "/rdma.max mlx5_1 hca_handle=10 hca_object=2000\n" GROUP
		  "/rdma.current mlx5_0 hca_handle=9 hca_object=9\n" GROUP
		  "/rdma.current mlx5_1 hca_handle=2 hca_object=1999",
		  0, BAD, "mlx5_1: hca_object 1999 of 2000|raise hca_object|" GROUP },
		{ "# enough is left, or little\n" VERSION_1 MAX("hca_handle=10 hca_object=2000")
			  USED("hca_handle=9 hca_object=1800"),
		  0, OK, "hca_handle at most 10" },
		{ USED("hca_handle=9 hca_object=1801"), 0, WARN, "hca_object 1801" },
		{ USED("hca_handle=10 hca_object=1801"), 0, BAD, "hca_handle 10 of 10" },
		{ USED("hca_handle=11 hca_object=1801"), 0, BAD, "hca_handle 11 of 10" },
		{ "# libmlx5 takes an object\n" VERSION_1 MAX("hca_handle=max hca_object=2")
			  USED("hca_handle=0 hca_object=0"),
		  0, OK, "" },
		{ "/calls/sys/class/infiniband/mlx5_0/device/driver.link ../drivers/mlx5_core", 0, BAD,
		  "hca_object 0 of 2 in use, a registration needs 3" },
		{ MAX("hca_handle=max hca_object=3"), 0, OK, "" },
		{ MAX("hca_handle=0 hca_object=2000"), 0, BAD, "" },
		{ MAX("hca_objects=0 hca_handle="), 0, OK, "no limit" },
		{ "/calls/cg/rdma/rdma.max.read.error EIO", 0, UNKNOWN, "rdma.max: " },
		{ "# what is used is not shown\n" VERSION_1 MAX("hca_handle=10 hca_object=20"), 0, UNKNOWN, "" },
		{ MAX("hca_handle=0 hca_object=20"), 0, BAD, "" },
		{ "# a group above may be limited\n" VERSION_2 "/calls/proc/self/ns/cgroup.link cgroup:[4026532567]\n"
		  "/sys/class/infiniband_verbs/abi_version 6\n"
		  "/proc/cgroups #subsys_name\thierarchy\tnum_cgroups\tenabled\n/proc/cgroups rdma\t0\t105\t1",
		  0, UNKNOWN, "a group that cannot be seen|mrctl stat --probe" },
		{ "/proc/self/mountinfo 1 1 0:5 / /dev rw - tmpfs udev rw", 0,
		  UNKNOWN, "cannot be seen" },
		{ "/proc/cgroups rdma\t0\t1\t1", 0, NA, "" },
		{ "/proc/cgroups rdma\t0\t105\t0", 0, NA, "" },
		{ "/proc/cgroups rdma\t0\t105\t1", 0, UNKNOWN, "" },
		{ "-/sys/class/infiniband_verbs/abi_version\n-/sys/class/infiniband_verbs", 0, NA, "" },
	};

	CHECK(mr_check_rdma_cgroup, rows);
}

TEST(memory_of_the_control_group)
{
	static const struct check_row rows[] = {
		{ VERSION_2, GIB, NA, "" },
		{ GROUP "/b/memory.max max", GIB, OK, "no limit" },
		{ "# version 1\n" VERSION_1 "/cg/memory/memory.limit_in_bytes 9223372036854771712", GIB, OK,
		  "no limit|cannot be seen" },
		{ "# a group above counts\n" VERSION_2 GROUP "/b/memory.max 4294967296\n" GROUP
		  "/b/memory.current 1000\n" GROUP "/memory.max 2147483648\n" GROUP "/memory.current 1000",
		  0, OK, "at most 2 GiB" },
		{ "", GIB, OK, "2 GiB >= 1 GiB asked" },
		{ "", 2 * GIB, WARN, "memory.max" },
		{ "", 2 * GIB + 1, BAD, "2 GiB < 2 GiB asked|memory.max" },
		{ "# files do not count as used\n" VERSION_2 GROUP "/b/memory.max 2147483648\n" GROUP
		  "/b/memory.current 2147483648",
		  GIB, WARN, "0 bytes of 2 GiB are left" },
		{ "", 0, WARN, "> 95 %" },
		{ GROUP "/b/memory.stat anon 9\n" GROUP "/b/memory.stat inactive_file 1073741824\n" GROUP
			"/b/memory.stat active_file 536870912\n" GROUP "/b/memory.stat workingset_x 3",
		  GIB, OK, "" },
		{ "", 3 * 512 * MIB, OK, "" },
		{ "", 3 * 512 * MIB + 1, WARN, "1.5 GiB of 2 GiB are left" },
		{ "# 95 percent\n" VERSION_2 GROUP "/b/memory.max 2000\n" GROUP "/b/memory.current 1900", 0, OK, "" },
		{ GROUP "/b/memory.current 1901", 0, WARN, "" },
		{ "# use is not known\n" VERSION_2 GROUP "/b/memory.max 2147483648", GIB, UNKNOWN, "use not known" },
		{ "# it slows down\n" VERSION_2 GROUP "/b/memory.max max\n" GROUP "/b/memory.high 1048576", GIB, WARN,
		  "slows down" },
		{ "", MIB, OK, "" },
		{ "# a group that cannot be seen\n" VERSION_1 "/proc/self/cgroup 5:cpu,memory:/docker/other", 0,
		  UNKNOWN, "not below the mount point" },
		{ "/proc/self/cgroup 0::/../other\n"
		  "/proc/self/mountinfo 31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
		  0, UNKNOWN, "not below the mount point" },
		{ "# a hybrid host has it in version 1\n"
		  "/proc/self/cgroup 4:memory:/api/x\n/proc/self/cgroup 0::/\n"
		  "/proc/self/mountinfo 35 31 0:32 / /cg/m rw shared:1 - cgroup cgroup rw,memory\n"
		  "/proc/self/mountinfo 41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n"
		  "/cg/m/api/memory.limit_in_bytes 1048576\n"
		  "/cg/m/api/memory.usage_in_bytes 900000\n"
		  "/cg/m/api/memory.stat inactive_file 900000\n"
		  "/cg/m/api/memory.stat total_inactive_file 400000",
		  GIB, BAD, "1 MiB < 1 GiB" },
		{ "", 548576, OK, "" },
		{ "", 548577, WARN, "" },
	};

	CHECK(mr_check_memory_cgroup, rows);
}

#define POOL(figure, text) "/sys/kernel/mm/hugepages/hugepages-2048kB/" figure " " text "\n"
#define PAGES(total, more) POOL("nr_hugepages", total) POOL("nr_overcommit_hugepages", more)
#define HUGE(figure, text) GROUP "/b/hugetlb.2MB." figure " " text "\n"

TEST(huge_pages_of_the_control_group)
{
	static const struct check_row rows[] = {
		{ VERSION_2, 0, NA, "" },
		{ PAGES("0", "0") HUGE("max", "0"), 0, NA, "the host has no huge pages" },
		{ PAGES("0", "512"), 0, WARN, "hugetlb.2MB.max is 0" },
		{ HUGE("max", "2097151"), 0, WARN, "hugetlb.2MB.max is 2097151" },
		{ HUGE("max", "2097152"), 0, OK, "at most 2 MiB" },
		{ "", GIB, NA, "no huge pages are planned" },
		{ HUGE("max", "0"), GIB, BAD, "hugetlb.2MB.max is 0", 2 * MIB },
		{ "", GIB, OK, "no limit", GIB },
		{ HUGE("max", "max"), GIB, OK, "no limit", 2 * MIB },
		{ HUGE("rsvd.max", "1073741824"), GIB, UNKNOWN, "use not known", 2 * MIB },
		{ HUGE("rsvd.current", "0"), GIB, OK, "at most 1 GiB", 2 * MIB },
		{ "", GIB + 1, BAD, "hugetlb.2MB.rsvd.max: 1 GiB of 1 GiB are left", 2 * MIB },
		{ HUGE("rsvd.current", "2097152"), 0, OK, "" },
		{ "", GIB, BAD, "hugetlb.2MB.rsvd.max", 2 * MIB },
		{ "", GIB - 2 * MIB, OK, "", 2 * MIB },
		{ HUGE("rsvd.current", "2147483648"), 1, BAD, "0 bytes of 1 GiB", 2 * MIB },
		{ "", UINT64_MAX, BAD, "rsvd.max", 2 * MIB },
		{ "# version 1\n" VERSION_1 PAGES("512", "0") "/cg/hugetlb/hugetlb.2MB.limit_in_bytes 0", 0, WARN,
		  "hugetlb.2MB.limit_in_bytes is 0" },
		{ "# pages of 1 GiB and 64 KiB\n" VERSION_2
		  "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages 1\n"
		  "/sys/kernel/mm/hugepages/hugepages-64kB/nr_hugepages 1\n" GROUP "/hugetlb.1GB.max 0",
		  0, WARN, "hugetlb.1GB.max is 0" },
		{ GROUP "/hugetlb.1GB.max max\n" GROUP "/hugetlb.64KB.max 0", 0, WARN, "hugetlb.64KB.max is 0" },
		{ "# a hierarchy that cannot be read\n" PAGES("512", "0"), 0, UNKNOWN, "" },
	};

	CHECK(mr_check_hugetlb_cgroup, rows);
}

TEST(files_that_can_be_opened)
{
	static const struct check_row rows[] = {
		{ "/calls/descriptors.answer error=0 limit=1024", 0, OK, "RLIMIT_NOFILE is 1024" },
		{ "/calls/descriptors.answer error=24 limit=4", 0, BAD, "3 more cannot be opened|LimitNOFILE" },
		{ "/calls/descriptors.answer error=23 limit=1024", 0, BAD, "fs.file-max|!LimitNOFILE" },
		{ "-/calls/descriptors.answer", 0, UNKNOWN, "ulimit -n" },
	};

	CHECK(mr_check_descriptors, rows);
}

#define SPACE(all, data)                                                                                               \
	"/proc/self/limits Max address space  " all "  unlimited  bytes\n"                         \
	"/proc/self/limits Max data size  " data "  unlimited  bytes\n"

TEST(address_space_of_a_process)
{
	static const struct check_row rows[] = {
		{ "/proc/self/status VmSize:\t  20480 kB\n/proc/self/status VmData:\t  10240 kB", 0, UNKNOWN, "" },
		{ SPACE("unlimited", "unlimited"), 1024 * GIB, OK, "unlimited" },
		{ "", UINT64_MAX, OK, "" },
		{ SPACE("1073741824", "unlimited"), 0, OK, "RLIMIT_AS is 1 GiB, RLIMIT_DATA is unlimited" },
		{ "", 1000 * MIB, OK, "" },
		{ "", 1000 * MIB + 1, BAD, "RLIMIT_AS is 1073741824 bytes, and the process has 20971520|ulimit -v" },
		{ "", UINT64_MAX, BAD, "" },
		{ SPACE("25165823", "unlimited"), 0, BAD, "RLIMIT_AS is 25165823" },
		{ SPACE("unlimited", "1073741824"), 1010 * MIB, OK, "" },
		{ "", 1011 * MIB, BAD, "RLIMIT_DATA|ulimit -d" },
	};

	CHECK(mr_check_address_space, rows);
}
