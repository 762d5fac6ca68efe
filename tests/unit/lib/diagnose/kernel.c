// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/kernel.h"

#include "tests/unit/lib/diagnose/check.h"

#define CONFIG "/boot/config-6.12.1"
#define PCI    "/sys/bus/pci/devices/0000:c1:00.0"

/* ---- release and options ---- */

TEST(releases_are_judged_by_what_mainline_has)
{
	static const struct {
		const char *release;
		enum mr_verdict verdict;
	} cases[] = {
		{ "6.12.107+deb13-amd64", MR_VERDICT_OK },
		{ "5.13.0", MR_VERDICT_OK },
		{ "5.12.19", MR_VERDICT_WARN },
		{ "4.19.0-27-amd64", MR_VERDICT_WARN },
		{ "10.0", MR_VERDICT_OK },
		{ "4.18.0-553.el8.x86_64", MR_VERDICT_NA },
		{ "5.3.18-150300.59.93-default", MR_VERDICT_NA },
		{ "5.3.18-150300.59.93-64kb", MR_VERDICT_NA },
		{ "4.14.355-275.570.amzn2.x86_64", MR_VERDICT_NA },
		{ "linux", MR_VERDICT_UNKNOWN },
		{ "5", MR_VERDICT_UNKNOWN },
		{ "", MR_VERDICT_UNKNOWN },
	};

	VERDICT(UNKNOWN, mr_check_kernel, 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put("/proc/sys/kernel/osrelease", cases[i].release);
		assert_equal_for(cases[i].release, look(mr_check_kernel, 0).verdict,
				 cases[i].verdict);
	}
	put("/proc/sys/kernel/osrelease", "5.12.19\n");
	assert_null(strstr(look(mr_check_kernel, 0).figure, "dma-buf"));
	put("/proc/sys/kernel/osrelease", "5.11.0\n");
	FIGURE("dma-buf", mr_check_kernel, 0);
	put("/sys/module/mlx_compat/taint", "OE\n");
	VERDICT(NA, mr_check_kernel, 0);
}

static void put_function(const char *class, const char *vendor, const char *driver)
{
	put(PCI "/class", class);
	put(PCI "/vendor", vendor);
	if (driver)
		call("link", PCI "/driver", driver);
}

TEST(options_are_read_from_the_file_of_this_kernel)
{
	VERDICT(UNKNOWN, mr_check_kernel_config, 0);
	put("/proc/sys/kernel/osrelease", "6.12.1\n");
	VERDICT(UNKNOWN, mr_check_kernel_config, 0);
	put("/boot/config-6.12.2", "# CONFIG_INFINIBAND is not set\n");
	VERDICT(UNKNOWN, mr_check_kernel_config, 0);
	put("/lib/modules/6.12.1/config", "CONFIG_INFINIBAND=m\n");
	VERDICT(OK, mr_check_kernel_config, 0);
	put(CONFIG, "# CONFIG_INFINIBAND is not set\n");
	VERDICT(NA, mr_check_kernel_config, 0);
	put_function("0x020000\n", "0x15b3\n", "../../../bus/pci/drivers/mlx5_core");
	VERDICT(BAD, mr_check_kernel_config, 0);
	put(CONFIG, "CONFIG_INFINIBAND=m\n# CONFIG_INFINIBAND_USER_ACCESS is not set\n");
	VERDICT(BAD, mr_check_kernel_config, 0);
	put(CONFIG, "CONFIG_INFINIBAND=y\n# CONFIG_INFINIBAND_ON_DEMAND_PAGING is not set\n");
	VERDICT(WARN, mr_check_kernel_config, 0);
	put(CONFIG, "CONFIG_INFINIBAND=y\n# CONFIG_UDMABUF is not set\n");
	VERDICT(OK, mr_check_kernel_config, 0);
	assert_contains(look(mr_check_kernel_config, 0).detail, "UDMABUF off");
}

TEST(options_of_the_kernel_do_not_matter_to_rdma_that_is_there)
{
	put("/proc/sys/kernel/osrelease", "6.12.1\n");
	put("/sys/class/net/lo/ifindex", "1\n");
	VERDICT(NA, mr_check_kernel_config, 0);
	put_function("0x020000\n", "0x15b3\n", "../../../bus/pci/drivers/mlx5_core");
	VERDICT(UNKNOWN, mr_check_kernel_config, 0);
	put("/sys/class/infiniband_verbs/abi_version", "6\n");
	VERDICT(OK, mr_check_kernel_config, 0);
	put(CONFIG, "# CONFIG_INFINIBAND is not set\n");
	VERDICT(OK, mr_check_kernel_config, 0);
	put(CONFIG, "CONFIG_INFINIBAND=y\n# CONFIG_INFINIBAND_ON_DEMAND_PAGING is not set\n");
	VERDICT(WARN, mr_check_kernel_config, 0);
	/* MLNX_OFED has brought its own */
	put("/sys/module/mlx_compat/taint", "OE\n");
	VERDICT(OK, mr_check_kernel_config, 0);
}

TEST(a_file_that_does_not_tell_of_options_is_unknown)
{
	static const char *const files[] = {
		"",
		"\n\n",
		"CONFIG_INFINIBAND\n",
		"CONFIG_INFINIBAND=maybe\n",
		"# CONFIG_INFINIBAND is not se",
		"CONFIG_INFINIBAND_USER_ACCESS=m\n",
		"\x7f\x45LF\x02\xff",
		"CONFIG_INFINIBANDS=y\n",
	};

	put("/proc/sys/kernel/osrelease", "6.12.1\n");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		put(CONFIG, files[i]);
		assert_equal_for(files[i], look(mr_check_kernel_config, 0).verdict,
				 MR_VERDICT_UNKNOWN);
	}
	/* a release that would lead elsewhere */
	put("/proc/sys/kernel/osrelease", "6.12/../6.12.1\n");
	put(CONFIG, "CONFIG_INFINIBAND=y\n");
	VERDICT(UNKNOWN, mr_check_kernel_config, 0);
}

/* ---- modules ---- */

static void put_module(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", name);
	put(path, "0\n");
}

TEST(an_adapter_needs_its_driver_and_its_rdma_module)
{
	VERDICT(UNKNOWN, mr_check_modules, 0);
	put("/sys/class/net/lo/ifindex", "1\n");
	VERDICT(NA, mr_check_modules, 0);
	put_function("0x020000\n", "0x15b3\n", NULL);
	VERDICT(WARN, mr_check_modules, 0);
	FIGURE("an adapter has no driver", mr_check_modules, 0);
	call("link", PCI "/driver", "../../../../bus/pci/drivers/mlx5_core");
	FIGURE("mlx5_ib is not loaded", mr_check_modules, 0);
	/* a module that is built in shows by its devices alone */
	put("/sys/class/infiniband_verbs/abi_version", "6\n");
	put("/sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
	VERDICT(WARN, mr_check_modules, 0);
	call("link", "/sys/class/infiniband/mlx5_0/device/driver", "../bus/pci/drivers/mlx5_core");
	VERDICT(OK, mr_check_modules, 0);
	put_module("mlx5_ib");
	put_module("ib_core");
	VERDICT(OK, mr_check_modules, 0);
	assert_string_equal(look(mr_check_modules, 0).figure, "ib_core, mlx5_ib");
}

TEST(a_virtual_function_without_driver_is_kept_for_a_guest)
{
	put("/sys/class/net/lo/ifindex", "1\n");
	put_function("0x020000\n", "0x15b3\n", NULL);
	VERDICT(WARN, mr_check_modules, 0);
	call("link", PCI "/physfn", "../0000:c1:00.1");
	VERDICT(NA, mr_check_modules, 0);
}

TEST(modules_of_a_kernel_that_was_replaced_cannot_be_loaded)
{
	put_function("0x020000\n", "0x15b3\n", NULL);
	put("/proc/sys/kernel/osrelease", "6.12.1\n");
	assert_contains(look(mr_check_modules, 0).remedy, "modprobe mlx5_core");
	put("/lib/modules/6.12.2/modules.dep", "");
	assert_contains(look(mr_check_modules, 0).remedy, "boot: ");
	put("/lib/modules/6.12.1/modules.dep", "");
	assert_contains(look(mr_check_modules, 0).remedy, "modprobe mlx5_core");
}

TEST(adapters_that_are_none_of_rdma_need_nothing)
{
	put("/sys/class/net/lo/ifindex", "1\n");
	put_function("0x020000\n", "0x15b3\n", "../../../bus/pci/drivers/vfio-pci");
	VERDICT(NA, mr_check_modules, 0);
	put_function("0x020000\n", "0x8086\n", "../../../bus/pci/drivers/ice");
	VERDICT(NA, mr_check_modules, 0);
	put_function("0x010802\n", "0x15b3\n", "../../../bus/pci/drivers/nvme");
	VERDICT(NA, mr_check_modules, 0);
	put_function("class\n", "\n", "");
	VERDICT(NA, mr_check_modules, 0);
}

TEST(devices_without_nodes_cannot_be_opened)
{
	put("/sys/class/infiniband/rxe0/node_type", "1: CA\n");
	VERDICT(BAD, mr_check_modules, 0);
	put("/sys/class/infiniband_verbs/abi_version", "6\n");
	VERDICT(OK, mr_check_modules, 0);
}

/* ---- memory of GPUs ---- */

#define SYMBOL "/kernel/symbol/ib_register_peer_memory_client"

TEST(memory_of_an_nvidia_gpu_needs_a_module_or_the_open_driver)
{
	VERDICT(NA, mr_check_peer_memory, 0);
	put("/sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
	put_function("0x030200\n", "0x10de\n", "../../../bus/pci/drivers/nvidia");
	VERDICT(NA, mr_check_peer_memory, 0);
	put("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550\n");
	VERDICT(WARN, mr_check_peer_memory, 0);
	put_module("nvidia_peermem");
	VERDICT(UNKNOWN, mr_check_peer_memory, 0);
	call("answer", SYMBOL, "perhaps");
	VERDICT(UNKNOWN, mr_check_peer_memory, 0);
	call("answer", SYMBOL, "no");
	VERDICT(WARN, mr_check_peer_memory, 0);
	FIGURE("EFAULT", mr_check_peer_memory, 0);
	call("answer", SYMBOL, "yes");
	VERDICT(OK, mr_check_peer_memory, 0);
	call("answer", SYMBOL, "no");
	put("/proc/driver/nvidia/version",
	    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570\n");
	VERDICT(OK, mr_check_peer_memory, 0);
	FIGURE("dma-buf", mr_check_peer_memory, 0);
}

TEST(memory_of_an_amd_gpu_needs_access_among_devices)
{
	put("/proc/sys/kernel/osrelease", "6.12.1\n");
	put("/sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
	put_function("0x120000\n", "0x1002\n", "../../../bus/pci/drivers/amdgpu");
	VERDICT(NA, mr_check_peer_memory, 0);
	put_module("amdgpu");
	VERDICT(UNKNOWN, mr_check_peer_memory, 0);
	put(CONFIG, "CONFIG_PCI_P2PDMA=y\n");
	VERDICT(OK, mr_check_peer_memory, 0);
	put(CONFIG, "# CONFIG_PCI_P2PDMA is not set\n");
	VERDICT(WARN, mr_check_peer_memory, 0);
}

TEST(a_display_adapter_of_a_server_is_no_gpu)
{
	put_function("0x030000\n", "0x1a03\n", "../../../bus/pci/drivers/ast");
	VERDICT(NA, mr_check_peer_memory, 0);
	put_function("0x030200\n", "0x10de\n", "../../../bus/pci/drivers/vfio-pci");
	VERDICT(NA, mr_check_peer_memory, 0);
}

/* ---- conveniences, and fork ---- */

TEST(dma_bufs_to_try_with_never_fail_a_node)
{
	VERDICT(NA, mr_check_udmabuf, 0);
	VERDICT(NA, mr_check_dma_heap, 0);
	call("open.error", "/dev/udmabuf", "EACCES");
	VERDICT(OK, mr_check_udmabuf, 0);
	FIGURE("other users", mr_check_udmabuf, 0);
	call("open.error", "/dev/udmabuf", "ENXIO");
	VERDICT(UNKNOWN, mr_check_udmabuf, 0);
	call("open", "/dev/dma_heap/system", "ok");
	VERDICT(OK, mr_check_dma_heap, 0);
}

TEST(registered_memory_survives_a_fork)
{
	VERDICT(UNKNOWN, mr_check_fork, 0);
	put("/sys/class/net/lo/ifindex", "1\n");
	VERDICT(NA, mr_check_fork, 0);
	put("/sys/class/infiniband/rxe0/node_type", "1: CA\n");
	VERDICT(UNKNOWN, mr_check_fork, 0);
	call("answer", "/rdma/copy-on-fork", "no");
	VERDICT(WARN, mr_check_fork, 0);
	call("answer", "/environment/RDMAV_FORK_SAFE", "set");
	VERDICT(OK, mr_check_fork, 0);
	assert_contains(look(mr_check_fork, 0).detail, "RDMAV_HUGEPAGES_SAFE");
	call("answer", "/environment/RDMAV_HUGEPAGES_SAFE", "0");
	assert_string_equal(look(mr_check_fork, 0).detail, "");
	call("answer", "/rdma/copy-on-fork", "yes");
	FIGURE("the kernel copies", mr_check_fork, 0);
}

EACH_TEST(set_up, tear_down)
