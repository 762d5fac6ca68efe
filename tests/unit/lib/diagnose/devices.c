// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/devices.h"

#include "tests/unit/lib/diagnose/check.h"

#define DEVICE   "/sys/class/infiniband/mlx5_0"
#define PCI      "/sys/bus/pci/devices/0000:c1:00.0"
#define COMMANDS "/sys/kernel/debug/mlx5/0000:c1:00.0/commands"
#define COUNTER  COMMANDS "/ALLOC_UAR/"

/* An HCA of mlx5. */
static void put_hca(void)
{
	put(PCI "/class", "0x020700\n");
	put(PCI "/vendor", "0x15b3\n");
	call("link", PCI "/driver", "../../../../bus/pci/drivers/mlx5_core");
	put(DEVICE "/node_type", "1: CA\n");
	call("link", DEVICE "/device", "../../../0000:c1:00.0");
	call("link", DEVICE "/device/driver", "../../../../bus/pci/drivers/mlx5_core");
}

/* A software device. */
static void put_rxe(void)
{
	put("/sys/class/infiniband/rxe0/node_type", "1: CA\n");
}

/* A node of the device, that this process gets at. */
static void put_node(int number, const char *device)
{
	char path[128], text[64];

	snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/uverbs%d/ibdev", number);
	put(path, device);
	snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/uverbs%d/dev", number);
	snprintf(text, sizeof(text), "231:%d\n", 192 + number);
	put(path, text);
	snprintf(path, sizeof(path), "/dev/infiniband/uverbs%d", number);
	snprintf(text, sizeof(text), "mode=020666 uid=0 gid=0 device=231:%d\n", 192 + number);
	call("stat", path, text);
	call("open", path, "ok");
}

static void (*const checks[])(const struct mr_question *, struct mr_finding *) = {
	mr_check_device,   mr_check_port, mr_check_odp,   mr_check_max_mr,
	mr_check_fw_pages, mr_check_uar,  mr_check_iommu, mr_check_iommu_group,
};

TEST(a_host_without_devices_is_not_judged)
{
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		VERDICT(UNKNOWN, checks[i], 0);
	put("/sys/class/net/lo/ifindex", "1\n");
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		VERDICT(NA, checks[i], GIB);
	/* ib_core is loaded */
	call("list", "/sys/class/infiniband", "");
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		VERDICT(NA, checks[i], GIB);
}

TEST(a_device_that_is_missing_differs_from_one_that_is_not_up_yet)
{
	put("/sys/class/net/lo/ifindex", "1\n");
	put(PCI "/class", "0x020700\n");
	put(PCI "/vendor", "0x15b3\n");
	VERDICT(NA, mr_check_device, 0);
	FIGURE("not yet", mr_check_device, 0);
	call("link", PCI "/driver", "../../../../bus/pci/drivers/mlx5_core");
	FIGURE("not yet", mr_check_device, 0);
	put("/sys/module/mlx5_ib/refcnt", "0\n");
	VERDICT(BAD, mr_check_device, 0);
	/* a driver whose adapters do RDMA in part */
	call("link", PCI "/driver", "../../../../bus/pci/drivers/bnxt_en");
	put("/sys/module/bnxt_re/refcnt", "0\n");
	VERDICT(NA, mr_check_device, 0);
	put_rxe();
	VERDICT(OK, mr_check_device, 0);
}

TEST(one_active_port_is_enough_for_a_device)
{
	put_hca();
	VERDICT(UNKNOWN, mr_check_port, 0);
	put(DEVICE "/ports/1/state", "1: DOWN\n");
	VERDICT(WARN, mr_check_port, 0);
	put(DEVICE "/ports/2/state", "4: ACTIVE\n");
	VERDICT(OK, mr_check_port, 0);
	assert_string_equal(look(mr_check_port, 0).detail, "mlx5_0 port 1: DOWN");
}

TEST(a_device_with_a_link_needs_an_active_port)
{
	static const struct {
		const char *state, *physical;
		enum mr_verdict verdict;
	} cases[] = {
		{ "1: DOWN", "1: Sleep", MR_VERDICT_OK },
		{ "1: DOWN", "2: Polling", MR_VERDICT_OK },
		{ "1: DOWN", "3: Disabled", MR_VERDICT_OK },
		{ "1: DOWN", "4: PortConfigurationTraining", MR_VERDICT_WARN },
		{ "1: DOWN", "5: LinkUp", MR_VERDICT_WARN },
		{ "1: DOWN", "6: LinkErrorRecovery", MR_VERDICT_WARN },
		{ "1: DOWN", "", MR_VERDICT_WARN },
		{ "2: INIT", "5: LinkUp", MR_VERDICT_WARN },
		{ "3: ARMED", "5: LinkUp", MR_VERDICT_WARN },
		{ "0: NOP", "2: Polling", MR_VERDICT_WARN },
		{ "", "2: Polling", MR_VERDICT_UNKNOWN },
	};

	put_hca();
	put_node(0, "mlx5_0");
	put(DEVICE "/ports/1/state", "4: ACTIVE\n");
	put_rxe();
	put_node(1, "rxe0");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put("/sys/class/infiniband/rxe0/ports/1/state", cases[i].state);
		put("/sys/class/infiniband/rxe0/ports/1/phys_state", cases[i].physical);
		assert_equal_for(cases[i].physical, look(mr_check_port, 0).verdict,
				 cases[i].verdict);
	}
	put("/sys/class/infiniband/rxe0/ports/1/state", "1: DOWN\n");
	FIGURE("mlx5_0: active; rxe0: no link", mr_check_port, 0);
	/* no device has one */
	put(DEVICE "/ports/1/state", "1: DOWN\n");
	put(DEVICE "/ports/1/phys_state", "3: Disabled\n");
	VERDICT(WARN, mr_check_port, 0);
	FIGURE("mlx5_0, rxe0: no link: registering works", mr_check_port, 0);
}

TEST(ports_of_devices_of_other_containers_do_not_count)
{
	put_hca();
	put(DEVICE "/ports/1/state", "4: ACTIVE\n");
	put_rxe();
	put_node(1, "rxe0");
	put("/sys/class/infiniband/rxe0/ports/1/state", "1: DOWN\n");
	put("/sys/class/infiniband/rxe0/ports/1/phys_state", "2: Polling\n");
	VERDICT(WARN, mr_check_port, 0);
	put("/sys/class/infiniband/rxe0/ports/1/state", "4: ACTIVE\n");
	put(DEVICE "/ports/1/state", "2: INIT\n");
	VERDICT(OK, mr_check_port, 0);
	FIGURE("rxe0: active", mr_check_port, 0);
}

TEST(on_demand_paging_is_told_by_the_device)
{
	put_hca();
	/* it has no node, as that of another container */
	VERDICT(NA, mr_check_odp, 0);
	VERDICT(NA, mr_check_max_mr, 0);
	put("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
	put("/sys/class/infiniband_verbs/uverbs0/dev", "231:192\n");
	call("stat", "/dev/infiniband/uverbs0", "mode=020666 uid=0 gid=0 device=231:192\n");
	VERDICT(UNKNOWN, mr_check_odp, 0);
	VERDICT(UNKNOWN, mr_check_max_mr, 0);
	call("answer", "/device/mlx5_0/limits", "max_mr_size=1 odp=3");
	FIGURE("mlx5_0: explicit and implicit", mr_check_odp, 0);
	call("answer", "/device/mlx5_0/limits", "max_mr_size=1 odp=1");
	FIGURE("mlx5_0: explicit only", mr_check_odp, 0);
	call("answer", "/device/mlx5_0/limits", "max_mr_size=1 odp=0");
	VERDICT(WARN, mr_check_odp, 0);
	call("answer", "/device/mlx5_0/limits", "max_mr_size= odp=3");
	VERDICT(UNKNOWN, mr_check_odp, 0);
}

TEST(each_device_is_named_with_what_was_found_of_it)
{
	put_hca();
	put_rxe();
	call("answer", "/device/mlx5_0/limits", "max_mr_size=1 odp=3");
	call("answer", "/device/rxe0/limits", "max_mr_size=1 odp=1");
	FIGURE("mlx5_0: explicit and implicit; rxe0: explicit only", mr_check_odp, 0);
	call("answer", "/device/rxe0/limits", "max_mr_size=1 odp=3");
	FIGURE("mlx5_0, rxe0: explicit and implicit", mr_check_odp, 0);
}

TEST(many_findings_are_counted)
{
	char path[128], answer[64];

	for (int i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/dev%02d/node_type", i);
		put(path, "1: CA\n");
		snprintf(path, sizeof(path), "/device/dev%02d/limits", i);
		snprintf(answer, sizeof(answer), "max_mr_size=%d odp=0", i + 1);
		call("answer", path, answer);
	}
	VERDICT(BAD, mr_check_max_mr, GIB);
	FIGURE("dev00: max_mr_size is 1 bytes", mr_check_max_mr, GIB);
	FIGURE(" more", mr_check_max_mr, GIB);
	VERDICT(OK, mr_check_max_mr, 1);
	VERDICT(BAD, mr_check_max_mr, 2);
	/* the worst may be the last */
	call("answer", "/device/dev39/limits", "");
	VERDICT(UNKNOWN, mr_check_max_mr, 0);
	FIGURE("dev39: could not be asked", mr_check_max_mr, 0);
}

TEST(a_software_device_needs_no_on_demand_paging)
{
	put_rxe();
	call("answer", "/device/rxe0/limits", "max_mr_size=1 odp=0");
	VERDICT(NA, mr_check_odp, 0);
}

TEST(a_plan_is_compared_with_each_device)
{
	put_hca();
	put_rxe();
	call("answer", "/device/mlx5_0/limits", "max_mr_size=18446744073709551615 odp=3");
	call("answer", "/device/rxe0/limits", "max_mr_size=1073741824 odp=0");
	VERDICT(OK, mr_check_max_mr, 0);
	VERDICT(OK, mr_check_max_mr, GIB);
	VERDICT(BAD, mr_check_max_mr, GIB + 1);
	FIGURE("rxe0: max_mr_size is 1 GiB", mr_check_max_mr, 2 * GIB);
}

TEST(firmware_may_have_a_tenth_of_the_memory)
{
	put_hca();
	VERDICT(UNKNOWN, mr_check_fw_pages, 0);
	put(DEVICE "/fw_pages", "262144\n"); /* 1 GiB */
	VERDICT(UNKNOWN, mr_check_fw_pages, 0);
	put("/proc/meminfo", "MemTotal: 10485760 kB\n");
	VERDICT(OK, mr_check_fw_pages, 0);
	assert_null(strstr(look(mr_check_fw_pages, 0).figure, "262144"));
	put(DEVICE "/fw_pages", "262145\n");
	VERDICT(WARN, mr_check_fw_pages, 0);
	put(DEVICE "/fw_pages", "18446744073709551615\n");
	VERDICT(UNKNOWN, mr_check_fw_pages, 0);
	put(DEVICE "/fw_pages", "-1\n");
	VERDICT(UNKNOWN, mr_check_fw_pages, 0);
}

TEST(refused_uars_are_counted_by_the_driver)
{
	char error[PATH_MAX];

	put_hca();
	VERDICT(NA, mr_check_uar, 0);
	call("list.error", COMMANDS, "EACCES\n");
	FIGURE("root alone", mr_check_uar, 0);
	VERDICT(NA, mr_check_uar, 0);
	call("list.error", COMMANDS, "EIO\n");
	VERDICT(UNKNOWN, mr_check_uar, 0);
	snprintf(error, sizeof(error), "%s/calls%s.list.error", recorded.folder, COMMANDS);
	assert_int_equal(remove(error), 0);
	put(COUNTER "n", "7\n");
	VERDICT(NA, mr_check_uar, 0);
	put(COUNTER "failed", "0\n");
	VERDICT(OK, mr_check_uar, 0);
	put(COUNTER "failed", "3\n");
	VERDICT(WARN, mr_check_uar, 0);
	/* the count differs between hosts that are equal */
	assert_null(strchr(look(mr_check_uar, 0).figure, '3'));
	assert_contains(look(mr_check_uar, 0).detail, "3 refused");
}

/* ---- IOMMU ---- */

static void put_group(const char *type)
{
	call("link", PCI "/iommu_group", "../../../../kernel/iommu_groups/41");
	if (type)
		put("/sys/kernel/iommu_groups/41/type", type);
}

TEST(translation_matters_for_large_plans_and_gpus)
{
	put_hca();
	VERDICT(OK, mr_check_iommu, 4 * GIB);
	FIGURE("no IOMMU", mr_check_iommu, 0);
	put_group(NULL);
	VERDICT(OK, mr_check_iommu, 0);
	VERDICT(UNKNOWN, mr_check_iommu, 2 * GIB);
	put_group("identity\n");
	VERDICT(OK, mr_check_iommu, 4 * GIB);
	put_group("DMA\n");
	VERDICT(OK, mr_check_iommu, 2 * GIB - 1);
	VERDICT(WARN, mr_check_iommu, 2 * GIB);
	put("/sys/bus/pci/devices/0000:c4:00.0/class", "0x030200\n");
	put("/sys/bus/pci/devices/0000:c4:00.0/vendor", "0x10de\n");
	VERDICT(OK, mr_check_iommu, 0);
	call("link", "/sys/bus/pci/devices/0000:c4:00.0/driver", "../bus/pci/drivers/nvidia");
	VERDICT(WARN, mr_check_iommu, 0);
	put_group("DMA-FQ\n");
	FIGURE("translated (DMA-FQ)", mr_check_iommu, 0);
	put_group("unmanaged\n");
	VERDICT(UNKNOWN, mr_check_iommu, 0);
	call("answer", "/kernel/words", "intel_iommu=on");
	assert_contains(look(mr_check_iommu, 0).detail, "intel_iommu=on");
}

TEST(groups_matter_where_the_driver_compares_them)
{
	put_hca();
	put_group("identity\n");
	VERDICT(NA, mr_check_iommu_group, 0);
	put("/sys/bus/pci/devices/0000:c4:00.0/class", "0x030200\n");
	put("/sys/bus/pci/devices/0000:c4:00.0/vendor", "0x10de\n");
	call("link", "/sys/bus/pci/devices/0000:c4:00.0/iommu_group",
	     "../../../../kernel/iommu_groups/41");
	VERDICT(OK, mr_check_iommu_group, 0);
	call("link", "/sys/bus/pci/devices/0000:c4:00.0/iommu_group",
	     "../../../../kernel/iommu_groups/42");
	VERDICT(UNKNOWN, mr_check_iommu_group, 0);
	call("answer", "/uname/machine", "x86_64");
	VERDICT(OK, mr_check_iommu_group, 0);
	call("answer", "/uname/machine", "aarch64");
	VERDICT(UNKNOWN, mr_check_iommu_group, 0);
	put("/proc/driver/nvidia/params", "Mobile: 0\nGrdmaPciTopoCheckOverride: 0\n");
	VERDICT(WARN, mr_check_iommu_group, 0);
	put("/proc/driver/nvidia/params", "Mobile: 0\nGrdmaPciTopoCheckOverride: 1\n");
	VERDICT(OK, mr_check_iommu_group, 0);
}

/* ---- known combinations ---- */

static void put_healthy(void)
{
	put_hca();
	put("/proc/meminfo", "MemTotal: 67108864 kB\nCmaTotal: 0 kB\nCmaFree: 8 kB\n");
	call("answer", "/device/mlx5_0/limits", "max_mr_size=1 odp=1");
	put("/sys/class/infiniband_verbs/abi_version", "6\n");
	put("/sys/module/mlx5_core/refcnt", "0\n");
	put("/sys/module/mlx5_ib/refcnt", "0\n");
}

TEST(combinations_show_their_evidence)
{
	VERDICT(UNKNOWN, mr_check_known_bad, 0);
	put_healthy();
	VERDICT(OK, mr_check_known_bad, 0);
	call("answer", "/cpu/address-bits", "57");
	VERDICT(WARN, mr_check_known_bad, 0);
	FIGURE("57-bit addresses, and mlx5_0", mr_check_known_bad, 0);
	call("answer", "/device/mlx5_0/limits", "max_mr_size=1 odp=3");
	VERDICT(OK, mr_check_known_bad, 0);
	call("answer", "/kernel/words", "iommu=pt kho=on");
	FIGURE("kexec handover", mr_check_known_bad, 0);
	call("answer", "/kernel/words", "kho=off");
	VERDICT(OK, mr_check_known_bad, 0);
	/* both are of the kernel */
	put("/sys/module/mlx5_core/version", "5.0-0\n");
	VERDICT(OK, mr_check_known_bad, 0);
	put("/sys/module/mlx5_core/version", "");
	put("/sys/module/mlx5_ib/version", "24.10-0.7.0\n");
	put("/sys/module/mlx5_ib/taint", "OE\n");
	FIGURE("mlx5_core is the kernel's, mlx5_ib is 24.10-0.7.0", mr_check_known_bad, 0);
	put("/sys/module/mlx5_core/version", "24.10-0.7.0\n");
	VERDICT(OK, mr_check_known_bad, 0);
	put("/sys/module/nvidia_peermem/refcnt", "0\n");
	VERDICT(OK, mr_check_known_bad, 0);
	put("/sys/module/nv_peer_mem/refcnt", "0\n");
	VERDICT(WARN, mr_check_known_bad, 0);
}

TEST(the_worst_combination_is_the_figure_and_all_are_in_the_detail)
{
	put_healthy();
	call("answer", "/cpu/address-bits", "57");
	put("/sys/class/infiniband_verbs/abi_version", "7\n");
	VERDICT(BAD, mr_check_known_bad, 0);
	FIGURE("ABI is 7", mr_check_known_bad, 0);
	assert_contains(look(mr_check_known_bad, 0).detail, "57-bit");
}

TEST(mlx4_registers_as_much_as_it_has_translations_for)
{
	put_healthy();
	put("/sys/module/mlx4_core/parameters/log_num_mtt", "0\n");
	put("/sys/module/mlx4_core/parameters/log_mtts_per_seg", "3\n");
	VERDICT(OK, mr_check_known_bad, 0);
	put("/sys/module/mlx4_core/parameters/log_num_mtt", "20\n"); /* 32 GiB */
	VERDICT(WARN, mr_check_known_bad, 32 * GIB);
	VERDICT(BAD, mr_check_known_bad, 32 * GIB + 1);
	put("/sys/module/mlx4_core/parameters/log_num_mtt", "21\n");
	VERDICT(OK, mr_check_known_bad, 64 * GIB);
	VERDICT(BAD, mr_check_known_bad, 65 * GIB);
	call("answer", "/page-size", "65536");
	VERDICT(OK, mr_check_known_bad, 65 * GIB);
	put("/sys/module/mlx4_core/parameters/log_num_mtt", "18446744073709551615\n");
	VERDICT(OK, mr_check_known_bad, 64 * GIB);
}

/* ---- names and contents that lie ---- */

TEST(names_of_devices_may_be_anything)
{
	char name[256], path[512];

	memset(name, 'x', 255);
	name[255] = '\0';
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/node_type", name);
	put(path, "1: CA\n");
	for (int i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/mlx5_%d/node_type", i);
		put(path, "\x1b[31m\xff");
	}
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		assert_true(look(checks[i], GIB).verdict < MR_VERDICTS);
	assert_contains(look(mr_check_device, 0).figure, " more");
}

EACH_TEST(set_up, tear_down)
