// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/diagnose/causes/diagnosis.h"
#include "lib/verbs/access.h"
#include "tests/unit/lib/diagnose/check.h"

#define AT UINT64_C(0x200000000000)

static struct mr_region_request request;
static struct mr_diagnosis diagnosis;
static const char *rdma_core; /* release of the library */

/* Diagnoses a refused ibv_reg_mr of @length bytes at AT, on a kernel. */
static void diagnose(const char *kernel, int errnum, uint64_t length, uint32_t access)
{
	struct mr_environment environment = { .provider = "mlx5" };
	struct mr_refusal refusal = { .call = "ibv_reg_mr",
				      .errnum = errnum,
				      .via = MR_VIA_LIBRARY,
				      .environment = &environment,
				      .request = &request };

	snprintf(environment.rdma_core, sizeof(environment.rdma_core), "%s", rdma_core ?: "");
	snprintf(environment.simulated_kernel, sizeof(environment.simulated_kernel), "%s", kernel);
	request = (struct mr_region_request){
		.call = MR_REG_MR, .addr = AT, .length = length, .access = access
	};
	mr_diagnose(&refusal, &recorded.host, &diagnosis);
}

/* The first cause is @id, so certain, and no other one is certain. */
static void first(const char *id, enum mr_certainty certainty)
{
	assert_true(diagnosis.cause_count > 0);
	assert_string_equal(diagnosis.causes[0].cause->id, id);
	assert_int_equal(diagnosis.causes[0].certainty, certainty);
	assert_true(diagnosis.causes[0].evidence_count > 0);
	assert_true(diagnosis.causes[0].remedy[0]);
	for (size_t i = 1; i < diagnosis.cause_count; i++)
		assert_int_not_equal(diagnosis.causes[i].certainty, MR_CERTAIN);
}

static void nothing(void)
{
	assert_int_equal(diagnosis.cause_count, 0);
}

#define WRITE MR_ACCESS_LOCAL_WRITE

/* Writes the mapping at AT of 64 KiB as /proc/self/maps has it, with its file on the device 8:1. */
static void map(const char *rights, const char *path)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "100000000000-100000001000 rw-p 00000000 00:00 0 \n"
		 "200000000000-200000010000 %s 00000000 08:01 77 %s\n",
		 rights, path);
	put("/proc/self/maps", text);
}

static void mount(const char *type)
{
	char text[256];

	snprintf(
		text, sizeof(text),
		"22 1 0:21 / /sys rw - sysfs sysfs rw\n23 1 8:1 / / rw shared:1 - %s /dev/sda1 rw\n",
		type);
	put("/proc/self/mountinfo", text);
}

static void flags(const char *flags_)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "100000000000-100000001000 rw-p 00000000 00:00 0 \nVmFlags: rd wr pf \n"
		 "200000000000-200000010000 rw-s 00000000 08:01 77 /x\n"
		 "KernelPageSize:        4 kB\nVmFlags: %s \n",
		 flags_);
	put("/proc/self/smaps", text);
}

/* ---- files ---- */

#define FILE_OF(size, dax)                                                                         \
	"mode=100644 device=8:1 inode=77 size=" size " allocated=" size " dax=" dax " free=unknown"

TEST(dax_files_are_refused_whatever_the_access)
{
	map("rw-s", "/pmem/a");
	mount("xfs");
	call("answer", "/file/pmem/a", FILE_OF("65536", "yes"));
	diagnose("6.1", EOPNOTSUPP, 65536, WRITE);
	first("MR-FSDAX", MR_CERTAIN);
	diagnose("7.2", EOPNOTSUPP, 65536, 0);
	first("MR-FSDAX", MR_CERTAIN);
	diagnose("7.2", EFAULT, 65536, 0);
	nothing();
	diagnose("7.2", EOPNOTSUPP, 65536, MR_ACCESS_ON_DEMAND);
	nothing();
}

TEST(a_file_of_another_inode_is_not_the_mapped_one)
{
	map("r--p", "/pmem/a");
	mount("xfs");
	call("answer", "/file/pmem/a",
	     "mode=100644 device=8:1 inode=78 size=1 allocated=0 dax=yes free=0");
	diagnose("7.2", EOPNOTSUPP, 65536, 0);
	nothing();
	diagnose("7.2", EFAULT, 65536, 0);
	nothing();
}

TEST(shared_files_are_refused_since_linux_6_5)
{
	map("rw-s", "/data/a");
	mount("ext4");
	diagnose("7.2", EFAULT, 65536, WRITE);
	first("MR-FILE-MAPPING", MR_CERTAIN);
	diagnose("6.12", EFAULT, 65536, WRITE);
	first("MR-FILE-MAPPING", MR_CERTAIN);
	diagnose("6.1", EFAULT, 65536, WRITE);
	nothing();
	diagnose("7.2", EFAULT, 65536, MR_ACCESS_REMOTE_READ);
	nothing();
}

TEST(shared_files_of_an_unknown_file_system_are_refused_likely)
{
	map("rw-s", "/data/a");
	mount("overlay");
	diagnose("7.2", EFAULT, 65536, WRITE);
	first("MR-FILE-MAPPING", MR_LIKELY);
	put("/proc/self/mountinfo", "22 1 0:21 / /sys rw - sysfs sysfs rw\n");
	diagnose("7.2", EFAULT, 65536, WRITE);
	first("MR-FILE-MAPPING", MR_LIKELY);
}

/* An overlay at /, whose upper layer is on the device 0:30 of a type. */
static void mount_overlay(const char *type)
{
	char text[512];

	snprintf(
		text, sizeof(text),
		"22 1 0:30 / /layers rw - %s none rw\n"
		"23 1 8:1 / / rw - overlay overlay rw,lowerdir=/low,upperdir=/layers/up,workdir=/w\n",
		type);
	put("/proc/self/mountinfo", text);
}

TEST(of_an_overlay_the_upper_layer_counts)
{
	map("rw-s", "/data/a");
	mount_overlay("tmpfs");
	diagnose("7.2", EFAULT, 65536, WRITE); /* its path leads nowhere, as in a container */
	first("MR-FILE-MAPPING", MR_LIKELY);
	call("answer", "/file/layers/up",
	     "mode=40755 device=0:30 inode=2 size=40 allocated=0 dax=no free=unknown");
	diagnose("7.2", EFAULT, 65536, WRITE);
	nothing();
	mount_overlay("xfs");
	diagnose("7.2", EFAULT, 65536, WRITE);
	first("MR-FILE-MAPPING", MR_CERTAIN);
}

TEST(what_is_certain_comes_before_an_unknown_file_system)
{
	map("rw-s", "/data/a");
	mount("overlay");
	call("answer", "/file/data/a", FILE_OF("4097", "no"));
	diagnose("7.2", EFAULT, 65536, WRITE);
	first("MR-FILE-END", MR_CERTAIN);
}

TEST(ramfs_and_rings_of_perf_events_are_refused)
{
	map("rw-s", "/data/a");
	mount("ramfs");
	diagnose("7.2", EFAULT, 65536, WRITE);
	first("MR-FILE-MAPPING", MR_CERTAIN);
	put("/proc/self/maps",
	    "200000000000-200000010000 rw-s 00000000 00:10 77 anon_inode:[perf_event]\n");
	put("/proc/self/smaps",
	    "200000000000-200000010000 rw-s 00000000 00:10 77 anon_inode:[perf_event]\n"
	    "VmFlags: rd wr sh mr mw me ms de dd \n");
	diagnose("6.12", EFAULT, 65536, WRITE);
	first("MR-FILE-MAPPING", MR_CERTAIN);
	diagnose("6.12", EFAULT, 65536, MR_ACCESS_REMOTE_READ);
	nothing();
}

TEST(files_in_memory_and_private_ones_are_not_refused)
{
	map("rw-s", "/dev/shm/a");
	mount("tmpfs");
	diagnose("7.2", EFAULT, 65536, WRITE);
	nothing();
	map("rw-p", "/data/a");
	mount("ext4");
	diagnose("7.2", EFAULT, 65536, WRITE);
	nothing();
}

TEST(a_truncated_file_ends_before_its_mapping)
{
	map("rw-p", "/data/a");
	mount("ext4");
	call("answer", "/file/data/a", FILE_OF("4097", "no"));
	diagnose("7.2", EFAULT, 65536, WRITE);
	first("MR-FILE-END", MR_CERTAIN);
	assert_contains(diagnosis.causes[0].text, "0x200000002000");
	diagnose("7.2", EFAULT, 8192, WRITE);
	nothing();
}

/* ---- devices ---- */

TEST(memory_of_a_device_is_shown_by_its_flags)
{
	map("rw-s", "/dev/xpmem");
	flags("rd wr sh io pf de dd");
	diagnose("7.2", EFAULT, 65536, WRITE);
	first("MR-PFN-MAPPING", MR_CERTAIN);
	assert_contains(diagnosis.causes[0].text, "/dev/xpmem");
	/* there may be pages behind it */
	flags("rd wr sh io mm de dd");
	diagnose("7.2", EFAULT, 65536, 0);
	first("MR-PFN-MAPPING", MR_LIKELY);
	flags("rd wr sh mr mw me ms");
	diagnose("7.2", EFAULT, 65536, WRITE);
	if (diagnosis.cause_count)
		assert_string_not_equal(diagnosis.causes[0].cause->id, "MR-PFN-MAPPING");
}

TEST(a_node_without_flags_is_likely_a_device)
{
	map("rw-s", "/dev/xpmem");
	call("answer", "/file/dev/xpmem",
	     "mode=20666 device=8:1 inode=77 size=0 allocated=0 dax=unknown free=unknown");
	diagnose("7.2", EFAULT, 65536, 0);
	first("MR-PFN-MAPPING", MR_LIKELY);
}

static void put_gpu(const char *bar1)
{
	char text[256];

	put("/sys/bus/pci/devices/0000:c1:00.0/class", "0x030200\n");
	put("/sys/bus/pci/devices/0000:c1:00.0/vendor", "0x10de\n");
	snprintf(text, sizeof(text),
		 "0x00000000d0000000 0x00000000d0ffffff 0x0000000000040200\n%s\n", bar1);
	put("/sys/bus/pci/devices/0000:c1:00.0/resource", text);
	call("list", "/sys/bus/pci/devices", "0000:c1:00.0\n");
}

#define BAR1_32K "0x0000000100000000 0x0000000100007fff 0x000000000014220c"
#define BAR1_1M  "0x0000000100000000 0x00000001000fffff 0x000000000014220c"

TEST(memory_of_a_gpu_needs_its_module)
{
	map("rw-s", "/dev/nvidia0");
	flags("rd wr sh io pf de dd");
	put_gpu(BAR1_32K);
	diagnose("6.12", EFAULT, 65536, WRITE);
	first("MR-PEER-MEMORY", MR_CERTAIN);
}

TEST(a_module_for_gpus_has_a_window_that_is_too_small)
{
	map("rw-s", "/dev/nvidia0");
	flags("rd wr sh io pf de dd");
	put("/sys/module/nvidia_peermem/version", "550\n");
	put_gpu(BAR1_32K);
	diagnose("6.12", EFAULT, 65536, WRITE);
	first("MR-GPU-BAR1", MR_LIKELY);
	put_gpu(BAR1_1M);
	diagnose("6.12", EFAULT, 65536, WRITE);
	first("MR-GPU-POINTER", MR_LIKELY);
}

TEST(memory_of_an_amd_gpu)
{
	map("rw-s", "/dev/dri/renderD128");
	flags("rd wr sh io pf de dd");
	diagnose("6.12", EINVAL, 65536, WRITE);
	first("MR-GPU-POINTER", MR_LIKELY);
}

/* ---- permissions, by kernel ---- */

TEST(old_kernels_pin_private_memory_by_force)
{
	map("---p", "");
	diagnose("6.1", EFAULT, 65536, 0);
	nothing();
	diagnose("6.1", EFAULT, 65536, WRITE);
	first("MR-PROT-NONE", MR_CERTAIN);
	diagnose("6.12", EFAULT, 65536, 0);
	first("MR-PROT-NONE", MR_CERTAIN);
}

TEST(a_distribution_may_have_changed_an_old_kernel)
{
	map("r--s", "");
	diagnose("6.1", EFAULT, 65536, 0);
	first("MR-READ-ONLY", MR_CERTAIN);
	diagnose("5.14", EFAULT, 65536, 0);
	first("MR-READ-ONLY", MR_LIKELY);
	diagnose("6.12", EFAULT, 65536, 0);
	nothing();
}

TEST(the_stack_of_an_old_kernel_grows_into_a_hole)
{
	put("/proc/self/maps", "200000008000-200000010000 rw-p 00000000 00:00 0 [stack]\n");
	diagnose("6.1", EFAULT, 65536, WRITE);
	first("MR-RANGE-HOLE", MR_LIKELY);
	diagnose("6.12", EFAULT, 65536, WRITE);
	first("MR-RANGE-HOLE", MR_CERTAIN);
}

/* ---- pages that cannot be had ---- */

static void put_huge(const char *more_flags, const char *present)
{
	char text[512];

	put("/proc/self/maps",
	    "200000000000-200000400000 rw-p 00000000 00:0f 9 /anon_hugepage (deleted)\n");
	snprintf(text, sizeof(text),
		 "200000000000-200000400000 rw-p 00000000 00:0f 9 /anon_hugepage (deleted)\n"
		 "KernelPageSize:     2048 kB\nPrivate_Hugetlb:  %8s kB\n"
		 "VmFlags: rd wr mr mw me de ht%s \n",
		 present, more_flags);
	put("/proc/self/smaps", text);
}

static void put_pool(const char *free_pages)
{
	put("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "16\n");
	put("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", free_pages);
	put("/sys/kernel/mm/hugepages/hugepages-2048kB/resv_hugepages", "0\n");
	put("/sys/kernel/mm/hugepages/hugepages-2048kB/surplus_hugepages", "0\n");
	put("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_overcommit_hugepages", "0\n");
}

TEST(huge_pages_that_were_not_reserved)
{
	put_huge(" nr", "0");
	put_pool("0\n");
	diagnose("6.12", EFAULT, 4 * MIB, WRITE);
	first("MR-HUGEPAGES", MR_CERTAIN);
	put_huge(" nr", "2048");
	diagnose("6.12", EFAULT, 4 * MIB, WRITE);
	first("MR-HUGEPAGES", MR_LIKELY);
	put_pool("2\n");
	diagnose("6.12", EFAULT, 4 * MIB, WRITE);
	nothing();
}

TEST(a_control_group_without_huge_pages)
{
	put_huge("", "0");
	put_pool("8\n");
	put("/proc/self/cgroup", "0::/pod\n");
	put("/proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put("/sys/fs/cgroup/pod/hugetlb.2MB.max", "0\n");
	put("/sys/fs/cgroup/pod/hugetlb.2MB.current", "0\n");
	diagnose("6.12", EFAULT, 4 * MIB, WRITE);
	first("MR-CGROUP-HUGETLB", MR_CERTAIN);
	assert_contains(diagnosis.causes[0].remedy, "/sys/fs/cgroup/pod/hugetlb.2MB.max");
	put("/sys/fs/cgroup/pod/hugetlb.2MB.max", "max\n");
	diagnose("6.12", EFAULT, 4 * MIB, WRITE);
	nothing();
}

TEST(bad_memory_is_possible_where_all_is_mapped)
{
	put("/proc/self/maps", "200000000000-200000010000 rw-p 00000000 00:00 0 \n");
	put("/proc/meminfo", "HardwareCorrupted:     8 kB\n");
	diagnose("6.12", EFAULT, 65536, WRITE);
	first("MR-POISONED-PAGES", MR_POSSIBLE);
	put("/proc/meminfo", "HardwareCorrupted:     0 kB\n");
	diagnose("6.12", EFAULT, 65536, WRITE);
	nothing();
}

/* ---- fork protection ---- */

TEST(fork_protection_splits_no_huge_page)
{
	put_huge("", "0");
	diagnose("6.1", EINVAL, 65536, WRITE);
	nothing();
	call("answer", "/environment/RDMAV_FORK_SAFE", "set");
	diagnose("6.1", EINVAL, 65536, WRITE);
	first("MR-FORK-HUGEPAGES", MR_CERTAIN);
	diagnose("6.1", EINVAL, 2 * MIB, WRITE);
	nothing();
	call("answer", "/environment/RDMAV_HUGEPAGES_SAFE", "set");
	diagnose("6.1", EINVAL, 65536, WRITE);
	nothing();
}

TEST(fork_protection_is_not_needed_where_the_kernel_copies_and_the_library_knows)
{
	put_huge("", "0");
	call("answer", "/environment/RDMAV_FORK_SAFE", "set");
	call("answer", "/rdma/copy-on-fork", "yes");
	rdma_core = "56.1";
	diagnose("6.12", EINVAL, 65536, WRITE);
	nothing();
	rdma_core = "44.0";
	diagnose("6.1", EINVAL, 65536, WRITE);
	first("MR-FORK-HUGEPAGES", MR_CERTAIN);
	rdma_core = NULL;
}

/* ---- what cannot be read, or lies ---- */

TEST(without_mappings_nothing_is_said)
{
	diagnose("7.2", EFAULT, 65536, WRITE);
	nothing();
	call("read.error", "/proc/self/maps", "EACCES");
	diagnose("7.2", EFAULT, 65536, WRITE);
	nothing();
}

TEST(nonsense_in_maps_is_passed_over)
{
	put("/proc/self/maps", "zzz\n\n200000010000-200000000000 rw-p 0 0:0 0\n"
			       "200000000000-200000010000 rw\n-\n"
			       "200000000000-200000010000 rw-p 00000000 00:00 0\n");
	diagnose("7.2", EFAULT, 65536, WRITE);
	nothing();
}

EACH_TEST(set_up, tear_down)
