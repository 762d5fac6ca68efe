// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory that is refused: files, devices and kernels that this machine has not, and figures at their limits. */
#include <rdma/ib_user_ioctl_verbs.h>

#include "tests/unit/lib/diagnose/causes/cause.h"

EACH_TEST(set_up, tear_down)

#define AT UINT64_C(0x200000000000)

static struct mr_region_request request;

static void refuse(const char *kernel, int errnum, uint64_t addr, uint64_t length, uint32_t access)
{
	environment = (struct mr_environment){ .provider = "mlx5" };
	snprintf(environment.simulated_kernel, sizeof(environment.simulated_kernel), "%s", kernel);
	request = (struct mr_region_request){ .call = MR_REG_MR, .addr = addr, .length = length, .access = access };
	refusal = (struct mr_refusal){ .call = "ibv_reg_mr",
				       .errnum = errnum,
				       .via = MR_VIA_LIBRARY,
				       .environment = &environment,
				       .request = &request };
}

/* An ibv_reg_mr of memory at AT, by the kernel of the row. */
static void refuse_memory(const struct refused *row)
{
	refuse(row->what, row->errnum, AT, row->length, row->access);
}

#define EXPECT(rows) expect_rows(rows, ARRAY_SIZE(rows), refuse_memory)

/* ---- mappings ---- */

#define SOMETHING "/proc/self/maps 100000000000-100000001000 rw-p 00000000 00:00 0 \n"
/* 64 KiB at AT, of a file on the device 8:1 */
#define MAPS(rights, path) SOMETHING "/proc/self/maps 200000000000-200000010000 " rights " 00000000 08:01 77 " path "\n"
#define FLAGS(flags)                                                                                                   \
	"/proc/self/smaps 100000000000-100000001000 rw-p 00000000 00:00 0 \n"                                          \
	"/proc/self/smaps VmFlags: rd wr pf \n"                                                                        \
	"/proc/self/smaps 200000000000-200000010000 rw-s 00000000 08:01 77 /x\n"                                       \
	"/proc/self/smaps KernelPageSize:        4 kB\n/proc/self/smaps VmFlags: " flags " \n"
#define MOUNT(type)                                                                                                    \
	"/proc/self/mountinfo 22 1 0:21 / /sys rw - sysfs sysfs rw\n"                                                  \
	"/proc/self/mountinfo 23 1 8:1 / / rw shared:1 - " type " /dev/sda1 rw\n"
/* An overlay at /, whose upper layer is on the device 0:30 */
#define OVERLAY(type)                                                                                                  \
	"/proc/self/mountinfo 22 1 0:30 / /layers rw - " type " none rw\n"                                             \
	"/proc/self/mountinfo 23 1 8:1 / / rw - overlay overlay "                                                      \
	"rw,lowerdir=/low,upperdir=/layers/up,workdir=/w\n"
#define FILE_IS(path, inode, size, dax)                                                                                \
	"/calls/file" path ".answer mode=100644 device=8:1 inode=" inode " size=" size " allocated=" size " dax=" dax  \
	" free=unknown\n"
#define RING "200000000000-200000010000 rw-s 00000000 00:10 77 anon_inode:[perf_event]\n"

TEST(files)
{
	static const struct refused rows[] = {
		{ MAPS("rw-s", "/pmem/a") MOUNT("xfs") FILE_IS("/pmem/a", "77", "65536", "yes"), "6.1", EOPNOTSUPP,
		  65536, WRITE, "MR-FSDAX", CERTAIN, "" },
		{ "", "7.2", EOPNOTSUPP, 65536, 0, "MR-FSDAX", CERTAIN, "" },
		{ "", "7.2", EFAULT, 65536, 0, NULL, 0, "" },
		{ "", "7.2", EOPNOTSUPP, 65536, ON_DEMAND, NULL, 0, "" },
		{ FILE_IS("/pmem/a", "78", "65536", "yes"), "7.2", EOPNOTSUPP, 65536, 0, NULL, 0, "" },
		{ "# shared files\n" MAPS("rw-s", "/data/a") MOUNT("ext4"), "6.5", EFAULT, 65536, WRITE,
		  "MR-FILE-MAPPING", CERTAIN, "" },
		{ "", "6.4", EFAULT, 65536, WRITE, NULL, 0, "" },
		{ "", "7.2", EFAULT, 65536, MR_ACCESS_REMOTE_READ, NULL, 0, "" },
		{ MAPS("rw-p", "/data/a"), "7.2", EFAULT, 65536, WRITE, NULL, 0, "" },
		{ MAPS("rw-s", "/data/a") MOUNT("ramfs"), "7.2", EFAULT, 65536, WRITE, "MR-FILE-MAPPING", CERTAIN, "" },
		{ MOUNT("tmpfs"), "7.2", EFAULT, 65536, WRITE, NULL, 0, "" },
		{ MOUNT("overlay"), "7.2", EFAULT, 65536, WRITE, "MR-FILE-MAPPING", FIRST_LIKELY, "" },
		{ FILE_IS("/data/a", "77", "4097", "no"), "7.2", EFAULT, 65536, WRITE, "MR-FILE-END", CERTAIN,
		  "0x200000002000" },
		{ "", "7.2", EFAULT, 8192, WRITE, "MR-FILE-MAPPING", FIRST_LIKELY, "" },
		{ "/proc/self/mountinfo 22 1 0:21 / /sys rw - sysfs sysfs rw", "7.2", EFAULT, 8192, WRITE,
		  "MR-FILE-MAPPING", FIRST_LIKELY, "" },
		{ "# the upper layer of an overlay\n" MAPS("rw-s", "/data/a") OVERLAY("tmpfs"), "7.2", EFAULT, 65536,
		  WRITE, "MR-FILE-MAPPING", FIRST_LIKELY, "" },
		{ "/calls/file/layers/up.answer mode=40755 device=0:30 inode=2 size=40 allocated=0 dax=no "
		  "free=unknown",
		  "7.2", EFAULT, 65536, WRITE, NULL, 0, "" },
		{ OVERLAY("xfs"), "7.2", EFAULT, 65536, WRITE, "MR-FILE-MAPPING", CERTAIN, "" },
		{ "# its path is one of another mount namespace\n" MAPS("rw-s", "/data/a") MOUNT("overlay")
			  FILE_IS("/data/a", "77", "65536", "no type=tmpfs"),
		  "7.2", EFAULT, 65536, WRITE, NULL, 0, "" },
		{ "# a ring of perf events\n/proc/self/maps " RING "/proc/self/smaps " RING
		  "/proc/self/smaps VmFlags: rd wr sh mr mw me ms de dd ",
		  "6.12", EFAULT, 65536, WRITE, "MR-FILE-MAPPING", CERTAIN, "" },
		{ "", "6.12", EFAULT, 65536, MR_ACCESS_REMOTE_READ, NULL, 0, "" },
	};

	EXPECT(rows);
}

#define XPMEM MAPS("rw-s", "/dev/xpmem")
#define IO    "rd wr sh io pf de dd"
#define GPU   "/sys/bus/pci/devices/0000:c1:00.0/"
#define BAR1(end)                                                                                                      \
	GPU "class 0x030200\n" GPU "vendor 0x10de\n" GPU                                                               \
	    "resource 0x00000000d0000000 0x00000000d0ffffff 0x0000000000040200\n" GPU                                  \
	    "resource 0x0000000100000000 0x00000001" end " 0x000000000014220c\n"                                       \
	    "/calls/sys/bus/pci/devices.list 0000:c1:00.0\n"

TEST(devices)
{
	static const struct refused rows[] = {
		{ XPMEM FLAGS(IO), "7.2", EFAULT, 65536, WRITE, "MR-PFN-MAPPING", CERTAIN, "/dev/xpmem" },
		/* there may be pages behind it */
		{ FLAGS("rd wr sh io mm de dd"), "7.2", EFAULT, 65536, 0, "MR-PFN-MAPPING", FIRST_LIKELY, "" },
		{ FLAGS("rd wr sh mr mw me ms"), "7.2", EFAULT, 65536, WRITE, "MR-PFN-MAPPING", UNRELATED, "" },
		{ "# a node, of which no flags are told\n" XPMEM
		  "/calls/file/dev/xpmem.answer mode=20666 device=8:1 inode=77 size=0 allocated=0 "
		  "dax=unknown free=unknown",
		  "7.2", EFAULT, 65536, 0, "MR-PFN-MAPPING", FIRST_LIKELY, "" },
		{ "# what it is, is not told\n" XPMEM, "7.2", EFAULT, 65536, 0, "MR-PFN-MAPPING", UNRELATED, "" },
		{ "/proc/self/maps 200000000000-200000010000 r--p 00000000 00:00 0 [vvar]", "7.2", EFAULT, 65536, 0,
		  "MR-PFN-MAPPING", CERTAIN, "" },
		{ "# GPUs\n" MAPS("rw-s", "/dev/nvidia0") FLAGS(IO) BAR1("00007fff"), "6.12", EFAULT, 65536, WRITE,
		  "MR-PEER-MEMORY", CERTAIN, "" },
		{ "/sys/module/nvidia_peermem/version 550", "6.12", EFAULT, 65536, WRITE, "MR-GPU-BAR1", FIRST_LIKELY,
		  "" },
		{ BAR1("0000ffff"), "6.12", EFAULT, 65536, WRITE, "MR-GPU-POINTER", FIRST_LIKELY, "" },
		{ "", "6.12", EFAULT, 65536, WRITE, "MR-GPU-NOT-RDMA", POSSIBLE, "" },
		{ BAR1("0000fffe"), "6.12", EFAULT, 65536, WRITE, "MR-GPU-BAR1", FIRST_LIKELY, "" },
		/* as driver 580 of an H200 has it */
		{ "# memory of cuMemAlloc\n/proc/self/maps 200800000-204000000 rw-s 00000000 00:06 142 /dev/nvidiactl\n"
		  "/proc/self/maps 200000000000-200000010000 ---p 00000000 00:00 0 \n",
		  "6.12", EFAULT, 65536, WRITE, "MR-PROT-NONE", CERTAIN, "that CUDA reserves memory of a GPU" },
		{ "", "6.12", EFAULT, 65536, WRITE, "MR-PEER-MEMORY", LIKELY, "/dev/nvidiactl" },
		{ "# no GPU\n/proc/self/maps 200000000000-200000010000 ---p 00000000 00:00 0 \n", "6.12", EFAULT, 65536,
		  WRITE, "MR-PEER-MEMORY", UNRELATED, "" },
		{ "# amdgpu\n" MAPS("rw-s", "/dev/dri/renderD128") FLAGS(IO), "6.12", EINVAL, 65536, WRITE,
		  "MR-GPU-POINTER", FIRST_LIKELY, "" },
		{ "/calls/kernel/symbol/ib_register_peer_memory_client.answer yes", "6.6", EINVAL, 65536, WRITE,
		  "MR-PEER-SYMBOLS", LIKELY, "" },
		{ "", "6.5", EINVAL, 65536, WRITE, "MR-PEER-SYMBOLS", UNRELATED, "" },
	};

	EXPECT(rows);
}

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/"
#define FREE(pages)                                                                                                    \
	POOL "nr_hugepages 16\n" POOL "free_hugepages " pages "\n" POOL "resv_hugepages 0\n" POOL                      \
	     "surplus_hugepages 0\n" POOL "nr_overcommit_hugepages 0\n"
#define MAPPED "200000000000-200000400000 rw-p 00000000 00:0f 9 /anon_hugepage (deleted)\n"
#define HUGE(flags, present)                                                                                           \
	"/proc/self/maps " MAPPED "/proc/self/smaps " MAPPED "/proc/self/smaps KernelPageSize:     2048 kB\n"          \
	"/proc/self/smaps Private_Hugetlb:    " present " kB\n"                                                        \
	"/proc/self/smaps VmFlags: rd wr mr mw me de ht" flags " \n"
#define LIMIT       "/sys/fs/cgroup/pod/hugetlb.2MB."
#define VARIABLE(n) "/calls/environment/" n ".answer set\n"

TEST(pages_that_cannot_be_had)
{
	static const struct refused rows[] = {
		{ HUGE(" nr", "0") FREE("0"), "6.12", EFAULT, 4 * MIB, WRITE, "MR-HUGEPAGES", CERTAIN, "" },
		{ HUGE(" nr", "2048"), "6.12", EFAULT, 4 * MIB, WRITE, "MR-HUGEPAGES", FIRST_LIKELY, "" },
		{ FREE("2"), "6.12", EFAULT, 4 * MIB, WRITE, NULL, 0, "" },
		{ HUGE(" nr", "0"), "6.12", EFAULT, 4 * MIB, WRITE, NULL, 0, "" },
		{ "# a control group without huge pages\n" HUGE("", "0")
			  FREE("8") "/proc/self/cgroup 0::/pod\n"
				    "/proc/self/mountinfo 30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n" LIMIT
				    "max 0\n" LIMIT "current 0",
		  "6.12", EFAULT, 4 * MIB, WRITE, "MR-CGROUP-HUGETLB", CERTAIN, LIMIT "max" },
		{ LIMIT "max max", "6.12", EFAULT, 4 * MIB, WRITE, NULL, 0, "" },
		{ "# bad memory\n" MAPS("rw-p", "") "/proc/meminfo HardwareCorrupted:     8 kB", "6.12", EFAULT, 65536,
		  WRITE, NULL, 0, "" }, /* of which page is not known */
		{ "/proc/meminfo HardwareCorrupted:     0 kB", "6.12", EFAULT, 65536, WRITE, NULL, 0, "" },
		{ "# fork protection\n" HUGE("", "0"), "6.1", EINVAL, 65536, WRITE, NULL, 0, "" },
		{ VARIABLE("RDMAV_FORK_SAFE"), "6.1", EINVAL, 65536, WRITE, "MR-FORK-HUGEPAGES", CERTAIN, "" },
		{ "", "6.1", EINVAL, 2 * MIB, WRITE, NULL, 0, "" },
		{ VARIABLE("RDMAV_HUGEPAGES_SAFE"), "6.1", EINVAL, 65536, WRITE, NULL, 0, "" },
	};

	EXPECT(rows);
	/* It is not needed where the kernel copies, and the library knows that. */
	change("-/calls/environment/RDMAV_HUGEPAGES_SAFE.answer\n/calls/rdma/copy-on-fork.answer yes");
	refuse("6.12", EINVAL, AT, 65536, WRITE);
	strcpy(environment.rdma_core, "56.1");
	expect_cause("56.1", NULL, 0, "");
	refuse("6.1", EINVAL, AT, 65536, WRITE);
	strcpy(environment.rdma_core, "44.0");
	expect_cause("44.0", "MR-FORK-HUGEPAGES", CERTAIN, "");
}

TEST(permissions_by_kernel_and_mappings_that_tell_nothing)
{
	static const struct refused rows[] = {
		{ "", "7.2", EFAULT, 65536, WRITE, NULL, 0, "" },
		{ MAPS("---p", ""), "6.1", EFAULT, 65536, 0, NULL, 0, "" },
		{ MAPS("r--s", ""), "6.1", EFAULT, 65536, 0, "MR-READ-ONLY", CERTAIN, "" },
		/* a distribution may have changed it */
		{ "", "5.14", EFAULT, 65536, 0, "MR-READ-ONLY", FIRST_LIKELY, "" },
		{ "", "6.12", EFAULT, 65536, 0, NULL, 0, "" },
		{ "/proc/self/maps 200000008000-200000010000 rw-p 00000000 00:00 0 [stack]", "6.1", EFAULT, 65536,
		  WRITE, "MR-RANGE-HOLE", FIRST_LIKELY, "" },
		{ "/proc/self/maps zzz\n/proc/self/maps 200000010000-200000000000 rw-p 0 0:0 0\n"
		  "/proc/self/maps 200000000000-200000010000 rw\n/proc/self/maps -\n"
		  "/proc/self/maps 200000000000-200000010000 rw-p 00000000 00:00 0",
		  "7.2", EFAULT, 65536, WRITE, NULL, 0, "" },
		{ "/calls/proc/self/maps.read.error EACCES", "7.2", EFAULT, 65536, WRITE, NULL, 0, "" },
	};

	EXPECT(rows);
}

/* ---- advice: two pages at 0x10000 ---- */

#define PREFETCH       IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH
#define PREFETCH_WRITE IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE
#define ONE(rights)    "00010000-00012000 " rights " 00000000 00:00 0\n"
#define TWO(first, second)                                                                                             \
	"00010000-00011000 " first " 00000000 00:00 0\n00011000-00012000 " second " 00000000 00:00 0\n"

TEST(memory_that_cannot_be_fetched)
{
	static const struct {
		const char *maps;
		uint32_t advice;
		int errnum;
		enum mr_certainty certainty;
		bool has_more_ranges;
	} rows[] = {
		{ TWO("rw-p", "---p"), PREFETCH, EFAULT, CERTAIN, false },
		{ TWO("rw-p", "---p"), PREFETCH_WRITE, EFAULT, CERTAIN, false },
		{ TWO("r--p", "---p"), PREFETCH_WRITE, EPERM, CERTAIN, false }, /* the first one decides */
		{ TWO("r--p", "---p"), PREFETCH_WRITE, EFAULT, UNRELATED, false },
		{ ONE("r--p"), PREFETCH, EFAULT, RULED_OUT, false },
		{ ONE("rw-p"), PREFETCH, EFAULT, UNRELATED, true }, /* it may be another range */
		{ ONE("---p"), PREFETCH, EFAULT, CERTAIN, true },
		{ "00020000-00022000 rw-p 0 00:00 0\n", PREFETCH, EFAULT, CERTAIN, false },
		{ "no such line\n", PREFETCH, EFAULT, UNRELATED, false },
		{ "00001000-00002000 rw-p 0 00:00 0\n00010000-00012", PREFETCH, EFAULT, UNRELATED, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mr_advice advice = { .advice = rows[i].advice, .flags = IB_UVERBS_ADVISE_MR_FLAG_FLUSH };
		const struct mr_advice_range range = { .addr = 0x10000, .length = 0x2000 };

		environment = (struct mr_environment){ .device = "mlx5_0", .provider = "mlx5" };
		refusal = (struct mr_refusal){ .call = "ibv_advise_mr",
					       .errnum = rows[i].errnum,
					       .environment = &environment,
					       .advice = &advice,
					       .advised = &range,
					       .has_more_ranges = rows[i].has_more_ranges,
					       .region_known = true,
					       .region_call = MR_REG_MR,
					       .region_access = ON_DEMAND | WRITE,
					       .region_addr = 0x10000,
					       .region_length = 0x2000,
					       .region_iova = 0x10000 };
		recorded_host_put(&recorded, "/proc/self/maps", rows[i].maps);
		print_message("row %zu\n", i);
		expect_cause(rows[i].maps, "MR-ADVICE-MEMORY", rows[i].certainty, "");
	}
}
