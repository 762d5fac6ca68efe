// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel of a host: release, options, modules, memory management. */
#include "lib/diagnose/diagnose.h"

#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/verbs/verbs.h"
#include "tests/unit/lib/diagnose/check.h"

EACH_TEST(set_up, tear_down)

#define RELEASE(release) "/proc/sys/kernel/osrelease " release "\n"
#define CONFIG           "/boot/config-6.12.1 "
#define OFF(option)      "# CONFIG_" option " is not set\n"
#define PCI              "/sys/bus/pci/devices/0000:c1:00.0/"
#define SYSFS            "/sys/class/net/lo/ifindex 1\n"
#define UVERBS           "/sys/class/infiniband_verbs/abi_version 6\n"
#define DEVICE           "/sys/class/infiniband/mlx5_0/node_type 1: CA\n"
#define MODULE(name)     "/sys/module/" name "/refcnt 0\n"

/* A PCI function, without driver or with one. */
#define BARE(class, vendor)             PCI "class " class "\n" PCI "vendor " vendor "\n"
#define FUNCTION(class, vendor, driver) BARE(class, vendor) DRIVER(driver)
#define DRIVER(driver)                  "/calls" PCI "driver.link ../../../bus/pci/drivers/" driver "\n"
#define HCA                             FUNCTION("0x020000", "0x15b3", "mlx5_core")

TEST(release_of_the_kernel)
{
	static const struct check_row rows[] = {
		{ RELEASE("6.12.107+deb13-amd64"), 0, OK, "6.12.107" },
		{ RELEASE("10.0"), 0, OK, "" },
		{ RELEASE("5.13.0"), 0, OK, "" },
		{ RELEASE("5.12.19"), 0, WARN, "fork (5.13)|!dma-bufs" },
		{ RELEASE("5.11.0"), 0, WARN, "dma-bufs (ibv_reg_dmabuf_mr) (5.12), copying" },
		{ RELEASE("4.19.0-27-amd64"), 0, WARN, "" },
		{ RELEASE("4.18.0-553.el8.x86_64"), 0, NA, "its vendor may have added" },
		{ RELEASE("5.3.18-150300.59.93-default"), 0, NA, "" },
		{ RELEASE("5.3.18-150300.59.93-64kb"), 0, NA, "" },
		{ RELEASE("4.14.355-275.570.amzn2.x86_64"), 0, NA, "" },
		{ RELEASE("4.19.90-52.22.v2207.ky10.x86_64"), 0, NA, "" },
		{ RELEASE("linux"), 0, UNKNOWN, "'linux' is not a kernel release" },
		{ RELEASE("5"), 0, UNKNOWN, "" },
		{ RELEASE("5.10.110") MODULE("mlx_compat"), 0, NA, "its vendor may have added" },
	};

	CHECK(mr_check_kernel, rows);
}

TEST(options_of_the_kernel)
{
	static const struct check_row rows[] = {
		{ RELEASE("6.12.1"), 0, UNKNOWN, "No such file" },
		{ CONFIG OFF("INFINIBAND") CONFIG OFF("INFINIBAND_USER_ACCESS"), 0, NA,
		  "CONFIG_INFINIBAND is not set, and no" },
		{ HCA, 0, BAD, "CONFIG_INFINIBAND is not set" },
		{ CONFIG "CONFIG_INFINIBAND=m\n" CONFIG OFF("INFINIBAND_USER_ACCESS"), 0, BAD, "" },
		{ "# RDMA that is there needs no file\n" RELEASE("6.12.1") SYSFS, 0, NA, "no file lists them" },
		{ HCA, 0, UNKNOWN, "" },
		{ "# files that do not tell\n" RELEASE("6.12.1") CONFIG, 0, UNKNOWN,
		  "does not mention CONFIG_INFINIBAND" },
		{ CONFIG "CONFIG_INFINIBAND", 0, UNKNOWN, "" },
		{ CONFIG "CONFIG_INFINIBAND=maybe", 0, UNKNOWN, "" },
		{ CONFIG "# CONFIG_INFINIBAND is not se", 0, UNKNOWN, "" },
		{ CONFIG "CONFIG_INFINIBAND_USER_ACCESS=m", 0, UNKNOWN, "" },
		{ CONFIG "CONFIG_INFINIBANDS=y", 0, UNKNOWN, "" },
		{ CONFIG "\x7f\x45LF\x02\xff", 0, UNKNOWN, "" },
		{ CONFIG "CONFIG_INFINIBAND=y\n" RELEASE("6.12/../6.12.1"), 0, UNKNOWN, "" },
		{ "/boot/config-6/1 # CONFIG_INFINIBAND is not set\n" RELEASE("6/1"), 0, UNKNOWN, "" },
		{ "# MLNX_OFED has its own\n" RELEASE("6.12.1") CONFIG OFF("INFINIBAND") CONFIG OFF(
			  "INFINIBAND_ON_DEMAND_PAGING") HCA UVERBS MODULE("mlx_compat"),
		  0, OK, "RDMA for programs|!, on-demand paging" },
	};

	CHECK(mr_check_kernel_config, rows);
}

TEST(modules)
{
	static const struct check_row rows[] = {
		{ BARE("0x020000", "0x15b3"), 0, WARN, "an adapter has no driver|modprobe mlx5_ib" },
		{ MODULE("mlx5_core"), 0, WARN, "echo 0000:c1:00.0 > /sys/bus/pci/drivers/mlx5_core/bind" },
		{ DRIVER("mlx5_core"), 0, WARN, "mlx5_ib is not loaded|0000:c1:00.0|modprobe mlx5_ib" },
		{ UVERBS DEVICE, 0, WARN, "" },
		{ "/calls/sys/class/infiniband/mlx5_0/device/driver.link ../drivers/mlx5_core", 0, OK,
		  "none is shown, although devices exist" },
		{ MODULE("mlx5_ib") MODULE("ib_core"), 0, OK, "ib_core, mlx5_ib" },
		{ "# a kernel that was replaced\n" RELEASE("6.12.1") BARE("0x020000", "0x15b3"), 0, WARN,
		  "modprobe mlx5_ib" },
		{ "/lib/modules/6.12.2/modules.dep", 0, WARN, "boot: " },
		{ "/lib/modules/6.12.1/modules.dep", 0, WARN, "modprobe mlx5_ib" },
		{ "# adapters that are none of RDMA\n" SYSFS FUNCTION("0x020000", "0x15b3", "vfio-pci"), 0, NA, "" },
		{ FUNCTION("0x020000", "0x8086", "ice"), 0, NA, "" },
		{ "# modules of devices\n" DEVICE, 0, BAD, "mlx5_0, and no|modprobe ib_uverbs" },
		{ UVERBS, 0, OK, "none is shown" },
		{ MODULE("ib_uverbs"), 0, OK, "ib_uverbs" },
	};

	CHECK(mr_check_modules, rows);
}

#define SYMBOL(answer) "/calls/kernel/symbol/ib_register_peer_memory_client.answer " answer "\n"
#define NVIDIA(name)   "/proc/driver/nvidia/version NVRM version: NVIDIA UNIX " name " for x86_64  570.124.06\n"

TEST(memory_of_gpus)
{
	static const struct check_row rows[] = {
		{ "# the module alone\n" DEVICE FUNCTION("0x030200", "0x10de", "nvidia") MODULE("nv_peer_mem")
			  SYMBOL("yes"),
		  0, OK, "nv_peer_mem" },
		{ "# amdgpu\n" RELEASE("6.12.1") DEVICE FUNCTION("0x120000", "0x1002", "amdgpu"), 0, NA,
		  "amdgpu is not loaded" },
		{ MODULE("amdgpu"), 0, UNKNOWN, "" },
		{ CONFIG "CONFIG_PCI_P2PDMA=y", 0, OK, "" },
		{ CONFIG "# CONFIG_PCI_P2PDMA is not set", 0, WARN, "" },
		{ "# the open driver, and the proprietary one\n" DEVICE FUNCTION("0x030200", "0x10de", "nvidia")
			  MODULE("nvidia") NVIDIA("Open Kernel Module"),
		  0, OK, "" },
		{ NVIDIA("x86_64 Kernel Module"), 0, WARN, "" },
		{ MODULE("nvidia_peermem"), 0, UNKNOWN, "" }, /* the symbols are hidden */
		{ SYMBOL("no"), 0, WARN, "" },
		{ SYMBOL("yes"), 0, OK, "" },
		{ "# ib_core without devices\n" FUNCTION("0x030200", "0x10de", "nvidia") "/calls/sys/class/infiniband.list\n",
		  0, NA, "no RDMA devices" },
		{ "# a display of a server, and a GPU of a guest\n" DEVICE FUNCTION("0x030000", "0x1a03", "ast"), 0, NA,
		  "no GPU" },
		{ FUNCTION("0x030200", "0x10de", "vfio-pci"), 0, NA, "no GPU" },
	};

	CHECK(mr_check_peer_memory, rows);
}

TEST(kernels_that_corrupt_on_demand_regions_of_rxe)
{
	static const struct {
		const char *release;
		uint32_t driver, access;
		bool is_bad;
	} rows[] = {
		{ "7.2.13+deb14-amd64", RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND, true },
		{ "6.15.0", RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND | MR_ACCESS_REMOTE_READ, true },
		{ "7.3.0", RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND, false },
		{ "8.0.0", RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND, false },
		{ "linux", RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND, false },
		{ "7.2.13", RDMA_DRIVER_MLX5, MR_ACCESS_ON_DEMAND, false },
		{ "7.2.13", RDMA_DRIVER_RXE, MR_ACCESS_REMOTE_READ, false },
	};

	assert_null(mr_kernel_bug(&recorded.host, RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		recorded_host_put(&recorded, "/proc/sys/kernel/osrelease", rows[i].release);
		assert_equal_for(rows[i].release, !!mr_kernel_bug(&recorded.host, rows[i].driver, rows[i].access),
				 rows[i].is_bad);
	}
	change("/calls/simulated.answer yes\n" RELEASE("7.2.13"));
	assert_null(mr_kernel_bug(&recorded.host, RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND));
}

/* ---- memory ---- */

#define MEMINFO(line)           "/proc/meminfo " line " kB\n"
#define HAS(total, available)   MEMINFO("MemTotal: " total) MEMINFO("MemAvailable: " available)
#define OF_64_GIB               HAS("67108864", "16777216") MEMINFO("SwapFree: 8388608")
#define COMMIT(limit, promised) MEMINFO("CommitLimit: " limit) MEMINFO("Committed_AS: " promised)
#define MODE(overcommit)        "/proc/sys/vm/overcommit_memory " overcommit "\n"
#define POOLS                   "/sys/kernel/mm/hugepages/hugepages-2048kB/"
#define POOL(total, free, reserved, more)                                                                              \
	POOLS "nr_hugepages " total "\n" POOLS "free_hugepages " free "\n" POOLS "resv_hugepages " reserved "\n" POOLS \
	      "surplus_hugepages 0\n" POOLS "nr_overcommit_hugepages " more "\n"

TEST(memory_that_is_available)
{
	static const struct check_row rows[] = {
		{ "", 0, UNKNOWN, "/proc/meminfo|mount /proc|!mount /proc/" },
		{ "/calls/proc/meminfo.read.error EACCES", 0, UNKNOWN, "run as a user who may read /proc/meminfo" },
		{ "/calls/proc/meminfo.read.error EPERM", 0, UNKNOWN, "run as a user who may read /proc/meminfo" },
		{ "/calls/proc/meminfo.read.error ENOMEM", 0, UNKNOWN, "try again: no memory or descriptor" },
		{ "/calls/proc/meminfo.read.error EMFILE", 0, UNKNOWN, "try again" },
		{ "/calls/proc/meminfo.read.error ENFILE", 0, UNKNOWN, "try again" },
		{ "/calls/proc/meminfo.read.error EISDIR", 0, UNKNOWN, "check its type: ls -ld /proc/meminfo" },
		{ "-/calls/proc/meminfo.read.error\n" OF_64_GIB, 0, OK, "64 GiB (MemTotal)|16 GiB available" },
		{ "", 16 * GIB, OK, "" },
		{ "", 16 * GIB + 1, WARN, "swapped out" },
		{ "", 24 * GIB, WARN, "" },
		{ "", 24 * GIB + 1, BAD, "!swapped out" },
		{ "", 30 * GIB, BAD, "16 GiB of 64 GiB are available" },
		{ "", 64 * GIB, BAD, "16 GiB of 64 GiB are available" },
		{ "", 64 * GIB + 1, BAD, "has 64 GiB (MemTotal)" },
		{ "", UINT64_MAX, BAD, "has 64 GiB" },
		{ POOL("16384", "16384", "0", "0"), 32 * GIB, WARN, "only free huge pages have room" },
		{ "", 32 * GIB + 1, BAD, "" },
		{ "# little is left\n" HAS("1000000", "49999"), 0, WARN, "of 976.5 MiB|!without huge" },
		{ HAS("1000000", "50000"), 0, OK, "" },
		{ POOL("100", "100", "0", "0") HAS("1000000", "39760"), 0, OK, "" },
		{ HAS("1000000", "39759"), 0, WARN, "without huge pages" },
		{ POOL("18446744073709551615", "1", "0", "0"), 0, OK, "" },
		{ "# strict overcommit\n" OF_64_GIB COMMIT("41943040", "33554432") MODE("2"), 8 * GIB, OK, "" },
		{ "", 8 * GIB + 1, BAD, "vm.overcommit_memory is 2: CommitLimit is 40 GiB" },
		{ MODE("0"), 9 * GIB, OK, "" },
		{ MODE("2") OF_64_GIB COMMIT("1", "33554432"), 1, BAD, "CommitLimit" },
		{ OF_64_GIB MEMINFO("CommitLimit: 1"), 1, OK, "" },
		{ "# lies\n" MEMINFO("MemTotal: x") MEMINFO("MemAvailable: 1"), GIB, UNKNOWN, "" },
		{ HAS("-1", "1"), 0, UNKNOWN, "" },
		{ HAS("18446744073709551615", "1"), 0, UNKNOWN, "" },
		{ MEMINFO("MemTotal: 5"), GIB, UNKNOWN, "" },
		{ "/proc/meminfo MemTotal: 5 MB\n" MEMINFO("MemAvailable: 1"), 0, UNKNOWN, "No data available" },
	};

	CHECK(mr_check_available, rows);
}

#define COPIES(answer) "/calls/rdma/copy-on-fork.answer " answer "\n"
#define MAPS(max)      "/proc/sys/vm/max_map_count " max "\n"

TEST(mappings_of_a_process)
{
	static const struct check_row rows[] = {
		{ MAPS("65530"), 0, OK, "is 65530|!this process has" },
		{ "/calls/environment/IBV_FORK_SAFE.answer set", 0, WARN, "about 32765 regions" },
		{ COPIES("yes"), 0, OK, "" },
		{ COPIES("no"), 0, WARN, "" },
		{ MAPS("65531"), 0, OK, "" },
		{ "# used ones\n" MAPS("1000") "/calls/mappings.answer 899", 0, OK, "has 899|is 1000" },
		{ "/calls/mappings.answer 900", 0, BAD, "900 of 1000" },
		{ "# what opening a device maps\n" MAPS("160") "/calls/mappings.answer 60", 0, OK, "" },
		{ "/calls/mappings.answer 61", 0, BAD, "61 of 160|some 100 more" },
	};

	CHECK(mr_check_map_count, rows);
}

TEST(huge_pages)
{
	static const struct check_row rows[] = {
		{ POOL("0", "0", "0", "0"), GIB, NA, "none are reserved" },
		{ "", 0, BAD, "1 huge page of 2048 KiB requested; 0 free", 2 * MIB },
		{ POOL("0", "0", "0", "1"), 2 * MIB, OK, "0 of 2 MiB" },
		{ "", 2 * MIB, OK, "", 2 * MIB },
		{ "", 2 * MIB + 1, BAD, "2 huge pages", 2 * MIB },
		{ POOL("1024", "512", "0", "0"), 0, OK, "1024 of 2 MiB|512 free, 0 reserved" },
		{ "", 2 * GIB, OK, "" },
		{ "", GIB, OK, "", 2 * MIB },
		{ "", GIB + 1, BAD, "513 huge pages of 2048 KiB requested; 512 free|nr_hugepages", 2 * MIB },
		{ POOL("1024", "512", "1", "0"), GIB, BAD, "(1 reserved)", 2 * MIB },
		{ POOL("1024", "512", "1", "1"), GIB, OK, "", 2 * MIB },
		{ POOLS "surplus_hugepages 1", GIB, BAD, "1 surplus", 2 * MIB },
		{ POOL("1024", "512", "513", "0"), 0, OK, "" },
		{ "", 1, BAD, "0 overcommit", 2 * MIB },
		{ "", 1, BAD, "this kernel has no huge pages of 1 GiB", GIB },
		{ "/proc/meminfo MemTotal: 1048576 kB", GIB + 1, BAD, "1048576 KiB of memory (MemTotal)|request fewer", 2 * MIB },
		{ "-/proc/meminfo", GIB, BAD, "!request fewer", 2 * MIB },
		{ POOL("1024", "x", "512", "0"), 0, UNKNOWN, "" },
		{ "", 0, UNKNOWN, "", 2 * MIB },
		{ POOL("8", "8", "0",
		       "0") "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages 8\n"
			    "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages 7\n"
			    "/sys/devices/system/node/node2/hugepages/hugepages-2048kB/nr_hugepages 0\n"
			    "/sys/devices/system/node/has_cpu 0-1",
		  0, OK, "node1: 8 of 2 MiB, 7 free|!node2" },
		{ "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages 1", 0, UNKNOWN, "" },
		{ "# folders that are no pools\n/sys/kernel/mm/hugepages/hugepages-kB/nr_hugepages 1\n"
		  "/sys/kernel/mm/hugepages/hugepages-0kB/nr_hugepages 1\n"
		  "/sys/kernel/mm/hugepages/hugepages-18446744073709551615kB/nr_hugepages 1\n"
		  "/sys/kernel/mm/hugepages/hugepages-8kb/nr_hugepages 1\n"
		  "/sys/kernel/mm/hugepages/pages/nr_hugepages 1",
		  0, NA, "" },
		{ POOL("18446744073709551615", "18446744073709551615", "0", "18446744073709551615"), UINT64_MAX, OK,
		  "" },
		{ "# not a folder\n/calls/sys/kernel/mm/hugepages.list.error EACCES", 0, UNKNOWN,
		  "as a user who may read" },
	};

	CHECK(mr_check_huge_pages, rows);
}

#define THP(modes) "/sys/kernel/mm/transparent_hugepage/enabled " modes "\n"

TEST(transparent_huge_pages)
{
	static const struct check_row rows[] = {
		{ THP("always madvise [never]"), 0, OK, "never" },
		{ "", GIB - 1, OK, "" },
		{ "", GIB, WARN, "slow in small pages" },
		{ THP("always [madvise] never"), GIB, OK, "madvise" },
		{ THP("always [maybe] never"), 0, UNKNOWN, "" },
		{ THP("[neverever]"), 0, UNKNOWN, "" },
		{ THP(""), 0, UNKNOWN, "" },
		{ THP("["), 0, UNKNOWN, "" },
		{ "-/sys/kernel/mm/transparent_hugepage/enabled\n/sys/kernel/mm/ksm/run 0", 0, NA, "" },
	};

	CHECK(mr_check_thp, rows);
}

#define CMA(total, free) OF_64_GIB MEMINFO("CmaTotal: " total) MEMINFO("CmaFree: " free)

TEST(memory_of_the_contiguous_allocator)
{
	static const struct check_row rows[] = {
		{ MEMINFO("CmaTotal: 1") MEMINFO("CmaFree: 1"), 0, UNKNOWN, "" },
		{ OF_64_GIB MEMINFO("CmaTotal: 9"), 0, NA, "CONFIG_CMA" },
		{ CMA("0", "0"), GIB, NA, "no memory is reserved" },
		{ CMA("33554432", "33554432"), 0, OK, "" },
		{ "", 32 * GIB, OK, "" },
		{ "", 32 * GIB + 1, BAD, "32 GiB are free outside CMA" },
		{ CMA("0", "4"), 0, WARN, "kho=off" },
		{ CMA("134217728", "0"), 1, BAD, "0 bytes are free" },
	};

	CHECK(mr_check_cma, rows);
}
