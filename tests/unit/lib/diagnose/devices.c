// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Devices of a host, and whether a process may open them. */
#include "lib/diagnose/diagnose.h"

#include "tests/unit/lib/diagnose/check.h"

EACH_TEST(set_up, tear_down)

#define CLASS        "/sys/class/infiniband/"
#define SYSFS        "/sys/class/net/lo/ifindex 1\n"
#define DEVICE(name) CLASS name "/node_type 1: CA\n"
#define LISTED(number, name)                                                                                           \
	"/sys/class/infiniband_verbs/uverbs" number "/ibdev " name "\n"                                                \
	"/sys/class/infiniband_verbs/uverbs" number "/dev 231:19" number "\n"
#define NODE_OF(number, mode)                                                                                          \
	"/calls/dev/infiniband/uverbs" number ".stat mode=20" mode " uid=0 gid=44 device=231:19" number "\n"
#define NODE(number)           NODE_OF(number, "666") "/calls/dev/infiniband/uverbs" number ".open ok\n"
#define REFUSED(number, error) "/calls/dev/infiniband/uverbs" number ".open.error " error "\n"
#define MLX5_0                 DEVICE("mlx5_0") LISTED("0", "mlx5_0")
#define MLX5_1                 DEVICE("mlx5_1") LISTED("1", "mlx5_1")

#define USER_WITH(capabilities)                                                                                        \
	"/proc/self/status Uid:\t1000\t1000\t1000\t1000\n"                                                             \
	"/proc/self/status Gid:\t100\t100\t100\t100\n"                                                                 \
	"/proc/self/status Groups:\t100 1000\n/proc/self/status CapEff:\t" capabilities "\n"                           \
	"/proc/self/status NoNewPrivs:\t1\n/proc/self/uid_map 0 0 4294967295\n"
#define USER USER_WITH("0000000000000000")
#define DEV(type)                                                                                                      \
	"/proc/self/mountinfo 24 1 0:6 / /dev rw - devtmpfs udev rw\n"                                                 \
	"/proc/self/mountinfo 90 24 0:50 / /dev rw - " type " dev rw\n"                                                \
	"/proc/self/mountinfo 91 90 0:51 / /dev/pts rw - devpts devpts rw\n"
#define CONTAINER "/calls/proc/self/ns/pid.link pid:[4026532567]\n"
#define NETNS     "/sys/module/ib_core/parameters/netns_mode "

static check_function *const checks[] = {
	mr_check_node,   mr_check_node_access, mr_check_sandbox,     mr_check_selinux, mr_check_netns,
	mr_check_device, mr_check_port,        mr_check_odp,         mr_check_max_mr,  mr_check_fw_pages,
	mr_check_uar,    mr_check_iommu,       mr_check_iommu_group,
};

TEST(a_host_without_devices_lacks_them_and_nothing_else)
{
	static const struct {
		const char *changes;
		enum mr_verdict verdict;
	} rows[] = {
		{ "", UNKNOWN }, { SYSFS, NA }, { "/calls/sys/class/infiniband.list", NA }, /* ib_core is loaded */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		change(rows[i].changes);
		for (size_t j = 0; j < ARRAY_SIZE(checks); j++)
			assert_equal_for(rows[i].changes, look(checks[j], GIB).verdict,
					 checks[j] == mr_check_device && rows[i].verdict == NA ? BAD : rows[i].verdict);
	}
}

/* ---- access ---- */

TEST(nodes_of_devices)
{
	static const struct check_row rows[] = {
		{ MLX5_0 MLX5_1, 0, BAD, "0 of 2 devices|mknod /dev/infiniband/uverbs0 c 231 190" },
		{ DEV("tmpfs"), 0, BAD, "see MR-SANDBOX" },
		{ NODE("1"), 0, WARN, "1 of 2 devices: no node for mlx5_0" },
		{ DEVICE("mlx5_2"), 0, WARN, "no node for 1|modprobe ib_uverbs" },
		{ NODE("0") "-" CLASS "mlx5_2/node_type\n-" CLASS "mlx5_2", 0, OK, "2 of 2" },
		{ "# no node was made\n" DEVICE("mlx5_0"), 0, BAD, "ib_uverbs" },
		{ "# files that are not the nodes\n" MLX5_0 MLX5_1 NODE("1") "/calls/dev/infiniband/uverbs0.open ok\n"
		  "/calls/dev/infiniband/uverbs0.stat mode=100666 uid=0 gid=0 device=0:0",
		  0, WARN, "1 of 2 devices: another file has the name of the node of mlx5_0|mknod /dev/infiniband/uverbs0 c 231 190" },
		{ "/calls/dev/infiniband/uverbs1.stat mode=20666 uid=0 gid=0 device=231:190", 0, BAD, "0 of 2|mlx5_0, mlx5_1" },
		{ "# a container\n" MLX5_0 CONTAINER, 0, BAD, "--device" },
		{ MLX5_1 NODE("0"), 0, OK, "this container has the nodes of 1 devices" },
		{ "# a closed folder is no missing node\n" MLX5_0 REFUSED(
			  "0", "EACCES") "/calls/dev/infiniband/uverbs0.stat.error EACCES",
		  0, OK, "" },
	};

	CHECK(mr_check_node, rows);
}

TEST(permission_to_open_nodes)
{
	static const struct check_row rows[] = {
		{ "# its group\n" MLX5_0 USER NODE_OF("0", "660") REFUSED("0", "EACCES"), 0, BAD,
		  "EACCES for mlx5_0|usermod -aG 44|this is user 1000" },
		{ NODE_OF("0", "600") MLX5_1 NODE("1"), 0, WARN, "1 of 2 nodes|udev rule" },
		{ NODE_OF("0", "666"), 0, WARN, "security module" },
		{ REFUSED("0", "EPERM"), 0, WARN, "see MR-SANDBOX" },
		{ REFUSED("0", "ENXIO"), 0, WARN, "ENXIO|kernel's log" },
		{ REFUSED("0", "EMFILE"), 0, WARN, "see MR-DESCRIPTORS|!kernel's log" },
		{ REFUSED("0", "EACCES") "/calls/nodev/dev/infiniband/uverbs0.answer 1", 0, WARN,
		  "remount,dev|!security module" },
		{ "/calls/nodev/dev/infiniband/uverbs0.answer 0", 0, WARN, "security module" },
		{ REFUSED("0", "EACCES") "-/calls/dev/infiniband/uverbs0.stat\n"
					 "/calls/dev/infiniband/uverbs0.stat.error EACCES",
		  0, WARN, "chmod|!mode" },
		{ "# a container with one of two devices\n" MLX5_0 MLX5_1 CONTAINER NODE("0"), 0, OK, "1 of 1 nodes" },
	};

	CHECK(mr_check_node_access, rows);
}

TEST(sandbox)
{
	static const struct check_row rows[] = {
		{ MLX5_0 USER DEV("tmpfs") "/proc/self/cgroup 0::/system.slice/trainer.service", 0, BAD,
		  "the process has a private /dev, without|systemctl edit trainer.service|NoNewPrivs|is a tmpfs" },
		{ CONTAINER, 0, BAD, "--device|unit trainer.service" },
		{ MLX5_1 NODE("0"), 0, OK, "the process has a private /dev, with nodes" },
		{ "/proc/self/status Seccomp:\t2", 0, OK, "seccomp|!NoNewPrivs" },
		{ "# device rules\n" MLX5_0 USER DEV("devtmpfs") NODE_OF("0", "666") REFUSED("0", "EPERM"), 0, BAD,
		  "device rules refuse" },
		{ NODE_OF("0", "600"), 0, OK, "" },
		{ USER_WITH("0000000000000002"), 0, BAD, "" },
		{ "/proc/self/uid_map 0 1000 1", 0, OK, "" },
		{ "# a changed root\n" MLX5_0 USER "/proc/self/mountinfo 24 1 8:1 / / rw - ext4 sda rw\n"
		  "/proc/self/mountinfo 25 24 0:5 / /device rw - devtmpfs udev rw",
		  0, BAD, "ordinary directory|bind the host's /dev" },
		{ CONTAINER, 0, BAD, "--device" },
		{ "# ib_uverbs made no node\n" DEVICE("mlx5_0") DEV("tmpfs"), 0, OK, "" },
		{ "# no list of mounts\n" MLX5_0 NODE("0") "/calls/proc/self/mountinfo.read.error EACCES", 0, UNKNOWN,
		  "mountinfo" },
	};

	CHECK(mr_check_sandbox, rows);
}

TEST(selinux)
{
	static const struct check_row rows[] = {
		{ MLX5_0 USER NODE_OF("0", "660") REFUSED("0", "EACCES") "/sys/fs/selinux/enforce 1", 0, OK,
		  "enforcing" },
		{ NODE_OF("0", "666"), 0, WARN, "ausearch" },
		{ REFUSED("0", "EPERM"), 0, OK, "" },
		{ REFUSED("0", "EACCES") "/sys/fs/selinux/enforce 0", 0, OK, "permissive" },
		{ "/sys/fs/selinux/enforce 2", 0, UNKNOWN, "" },
		{ "/sys/fs/selinux/enforce 11", 0, UNKNOWN, "" },
		{ "/sys/fs/selinux/enforce", 0, UNKNOWN, "" },
		{ "# labels\n" SYSFS "/proc/self/attr/current docker-default (enforce)", 0, NA, "off" },
		{ "/proc/self/attr/current system_u:system_r:container_t:s0:c1,c2", 0, OK,
		  "unknown mode|container_t" },
	};

	CHECK(mr_check_selinux, rows);
}

TEST(network_namespaces)
{
	static const struct check_row rows[] = {
		{ MLX5_0, 0, OK, "shared" },
		{ NETNS "N\n" LISTED("9", "mlx5_9"), 0, OK, "1 devices are in this namespace, 1 in others" },
		{ NETNS "?", 0, UNKNOWN, "netns_mode" },
		{ "# none is here\n" LISTED("0", "mlx5_0") LISTED("1", "mlx5_1"), 0, UNKNOWN, "none of 2 devices" },
		{ NETNS "N", 0, BAD, "" },
	};

	CHECK(mr_check_netns, rows);
}

/* ---- devices ---- */

#define PCI            "/sys/bus/pci/devices/0000:c1:00.0/"
#define DRIVER(driver) "/calls" PCI "driver.link ../../../../bus/pci/drivers/" driver "\n"
#define ADAPTER        PCI "class 0x020700\n" PCI "vendor 0x15b3\n"
#define HCA                                                                                                            \
	ADAPTER DRIVER("mlx5_core")                                                                                    \
		DEVICE("mlx5_0") "/calls" CLASS "mlx5_0/device.link ../../../0000:c1:00.0\n/calls" CLASS               \
				 "mlx5_0/device/driver.link ../../../../bus/pci/drivers/mlx5_core\n"
#define RXE                         DEVICE("rxe0")
#define REPORTS(device, limits) "/calls/device/" device "/limits.answer " limits "\n"
#define PORT(device, number, state) CLASS device "/ports/" number "/state " state "\n"
#define PHYSICAL(device, state)     CLASS device "/ports/1/phys_state " state "\n"

TEST(devices_that_are_missing_or_not_up_yet)
{
	static const struct check_row rows[] = {
		{ SYSFS ADAPTER, 0, BAD, "none yet|see MR-MODULES" },
		{ DRIVER("bnxt_en"), 0, BAD, "bnxt_en may support RDMA, and bnxt_re is not loaded|modprobe bnxt_re" },
		{ "/sys/module/bnxt_re/refcnt 0", 0, BAD, "no adapter that is known|mrctl sim" },
		{ RXE, 0, OK, "rxe0: software" },
		{ "/calls/simulated.answer yes", 0, OK, "rxe0: simulated" },
		{ "# a node that is there, and a device that does not open\n" RXE LISTED("0", "rxe0") NODE_OF("0", "666")
			  REPORTS("rxe0", "max_mr_size=1 odp=0"),
		  0, OK, "" },
		{ "-/calls/device/rxe0/limits.answer", 0, UNKNOWN, "does not show" },
		{ "/calls/device/rxe0/limits.answer.error EPERM", 0, BAD, "rxe0: cannot be opened: EPERM|mrctl reg" },
		{ HCA REPORTS("mlx5_0", "max_mr_size=1 odp=0"), 0, BAD, "rxe0: cannot be opened" },
		{ LISTED("1", "mlx5_0") NODE_OF("1", "666"), 0, WARN, "rxe0: cannot be opened" },
		{ "-/calls/dev/infiniband/uverbs0.stat\n/calls/device/rxe0/limits.answer.error ENODEV", 0, OK, "" },
	};

	CHECK(mr_check_device, rows);
}

#define RXE_PORT(state, physical) PORT("rxe0", "1", state) PHYSICAL("rxe0", physical)

TEST(ports)
{
	static const struct check_row rows[] = {
		{ PORT("mlx5_0", "1", "1: DOWN"), 0, WARN, "no active port" },
		{ PORT("mlx5_0", "2", "4: ACTIVE"), 0, OK, "mlx5_0 port 1: DOWN" },
		{ "# a second device, without a link\n" HCA LISTED("0", "mlx5_0") NODE("0") RXE LISTED("1", "rxe0")
			  NODE("1") PORT("mlx5_0", "1", "4: ACTIVE") RXE_PORT("1: DOWN", "1: Sleep"),
		  0, OK, "mlx5_0: active; rxe0: no link|DOWN, Sleep" },
		{ PHYSICAL("rxe0", "2: Polling"), 0, OK, "" },
		{ PHYSICAL("rxe0", "3: Disabled"), 0, OK, "" },
		{ PHYSICAL("rxe0", "4: PortConfigurationTraining"), 0, WARN, "" },
		{ PHYSICAL("rxe0", "5: LinkUp"), 0, WARN, "" },
		{ PHYSICAL("rxe0", ""), 0, WARN, "" },
		{ RXE_PORT("2: INIT", "5: LinkUp"), 0, WARN, "rxe0: no active port" },
		{ RXE_PORT("", "2: Polling"), 0, UNKNOWN, "" },
		{ RXE_PORT("1: DOWN", "2: Polling") PORT("mlx5_0", "1", "1: DOWN") PHYSICAL("mlx5_0", "3: Disabled"), 0,
		  WARN, "mlx5_0, rxe0: no link: registration works" },
		{ "# devices of other containers do not count\n" HCA PORT("mlx5_0", "1", "4: ACTIVE")
			  RXE LISTED("1", "rxe0") NODE("1") RXE_PORT("1: DOWN", "2: Polling"),
		  0, WARN, "rxe0: no link" },
	};

	CHECK(mr_check_port, rows);
}

TEST(on_demand_paging)
{
	static const struct check_row rows[] = {
		{ HCA, 0, NA, "no node" },
		{ REPORTS("mlx5_0", "max_mr_size= odp=3"), 0, UNKNOWN, "" },
		{ RXE REPORTS("mlx5_0", "max_mr_size=1 odp=3") REPORTS("rxe0", "max_mr_size=1 odp=1"), 0, OK,
		  "mlx5_0: explicit and implicit; rxe0: explicit only" },
		{ REPORTS("rxe0", "max_mr_size=1 odp=3"), 0, OK, "mlx5_0, rxe0: explicit and implicit" },
		{ "-/calls/device/rxe0/limits.answer\n" LISTED("0", "mlx5_0") NODE("0") LISTED("1", "rxe0"), 0, OK,
		  "mlx5_0: explicit and implicit|!rxe0" },
		{ "# software\n" RXE REPORTS("rxe0", "max_mr_size=1 odp=0"), 0, NA, "rxe0: it has none" },
	};

	CHECK(mr_check_odp, rows);
}

TEST(size_of_a_region)
{
	static const struct check_row rows[] = {
		{ HCA, GIB, NA, "no node" },
		{ LISTED("0", "mlx5_0") NODE_OF("0", "666"), GIB, UNKNOWN, "see MR-DEVICE|mrctl reg --device" },
		{ "/calls/device/mlx5_0/limits.answer.error ENODEV", GIB, UNKNOWN, "" },
		{ "-/calls/device/mlx5_0/limits.answer.error\n" RXE REPORTS("mlx5_0",
									    "max_mr_size=18446744073709551615 odp=3")
			  REPORTS("rxe0", "max_mr_size=1073741824 odp=0"),
		  0, OK, "any size; rxe0: max_mr_size is" },
		{ "", GIB, OK, "" },
		{ "", GIB + 1, BAD, "rxe0: max_mr_size is 1 GiB, and 1 GiB are planned|--max-size" },
		{ "-/calls/device/rxe0/limits.answer\n" NODE("0") LISTED("1", "rxe0"), GIB + 1, OK, "any size|!rxe0" },
	};

	CHECK(mr_check_max_mr, rows);
}

TEST(many_findings_are_counted)
{
	char changes[256];

	for (int i = 0; i < 40; i++) {
		snprintf(changes, sizeof(changes),
			 CLASS "dev%02d/node_type 1: CA\n" REPORTS("dev%02d", "max_mr_size=%d odp=0"), i, i, i + 1);
		change(changes);
	}
	static const struct check_row rows[] = {
		{ "", GIB, BAD, "dev00: max_mr_size is 1 bytes| more" },
		{ "", 1, OK, "" },
		{ "", 2, BAD, "dev00: max_mr_size is 1 bytes|!more" },
		{ REPORTS("dev39", ""), 0, UNKNOWN, "dev39: cannot be opened|!more" },
	};

	CHECK(mr_check_max_mr, rows);
}

#define FW_PAGES CLASS "mlx5_0/fw_pages "

TEST(memory_of_the_firmware)
{
	static const struct check_row rows[] = {
		{ HCA, 0, UNKNOWN, "fw_pages" },
		{ FW_PAGES "262144", 0, UNKNOWN, "/proc/meminfo" }, /* 1 GiB */
		{ "/proc/meminfo MemTotal: 10485760 kB", 0, OK, "less than a tenth|fw_pages 262144|!reg_" },
		{ FW_PAGES "262145\n" CLASS "mlx5_0/reg_pages 9", 0, WARN, "1 GiB, more|reg_pages 9" },
		{ FW_PAGES "18446744073709551615", 0, UNKNOWN, "" },
		{ FW_PAGES "4503599627370494\n" RXE CLASS "rxe0/fw_pages 4503599627370494", 0, WARN, "" },
		{ "# software\n" RXE, 0, NA, "rxe0: the driver does not count them" },
	};

	CHECK(mr_check_fw_pages, rows);
}

#define COMMANDS "/sys/kernel/debug/mlx5/0000:c1:00.0/commands"

TEST(uars_for_open_contexts)
{
	static const struct check_row rows[] = {
		{ HCA, 0, NA, "not known" },
		{ "/calls" COMMANDS ".list.error EPERM", 0, NA, "only root" },
		{ "/calls" COMMANDS ".list.error EIO", 0, UNKNOWN, "ls /sys/kernel/debug" },
		{ "-/calls" COMMANDS ".list.error\n" COMMANDS "/ALLOC_UAR/n 7", 0, NA, "not known" },
		{ "# software\n" RXE, 0, NA, "rxe0: the driver does not count them" },
	};

	CHECK(mr_check_uar, rows);
}

/* ---- IOMMU ---- */

#define IN_GROUP(group)     "/calls" PCI "iommu_group.link ../../../../kernel/iommu_groups/" group "\n"
#define TYPE(type)          "/sys/kernel/iommu_groups/41/type " type "\n"
#define GPU                 "/sys/bus/pci/devices/0000:c4:00.0/"
#define NVIDIA              GPU "class 0x030200\n" GPU "vendor 0x10de\n"
#define GPU_IN_GROUP(group) "/calls" GPU "iommu_group.link ../../kernel/iommu_groups/" group "\n"
#define OVERRIDE(value)                                                                                                \
	"/proc/driver/nvidia/params Mobile: 0\n"                                                                       \
	"/proc/driver/nvidia/params GrdmaPciTopoCheckOverride: " value "\n"

TEST(translation_by_the_iommu)
{
	static const struct check_row rows[] = {
		{ HCA, 4 * GIB, OK, "no IOMMU" },
		{ IN_GROUP("41"), 0, OK, "not known" },
		{ "", 2 * GIB, UNKNOWN, "not known" },
		{ TYPE("identity"), 4 * GIB, OK, "passed through" },
		{ TYPE("DMA"), 2 * GIB - 1, OK, "translated (DMA)" },
		{ "", 2 * GIB, WARN, "iommu=pt" },
		{ NVIDIA, 0, OK, "" },
		{ "/calls" GPU "driver.link ../bus/pci/drivers/nvidia", 0, WARN, "" },
		{ TYPE("unmanaged"), 0, UNKNOWN, "unmanaged|!booted" },
		{ "/calls/kernel/words.answer intel_iommu=on", 0, UNKNOWN, "booted with intel_iommu=on" },
		{ "# software\n" RXE, GIB, NA, "rxe0: no PCI device" },
	};

	CHECK(mr_check_iommu, rows);
}

TEST(iommu_groups_of_gpus)
{
	static const struct check_row rows[] = {
		{ HCA IN_GROUP("41"), 0, NA, "" },
		{ NVIDIA GPU_IN_GROUP("41"), 0, OK, "the same" },
		{ GPU_IN_GROUP("42"), 0, UNKNOWN, "grep Grdma" },
		{ "/calls/uname/machine.answer aarch64", 0, UNKNOWN, "" },
		{ OVERRIDE("0"), 0, WARN, "GPU 0000:c4:00.0" },
	};

	CHECK(mr_check_iommu_group, rows);
}

/* ---- known combinations ---- */

#define MODULE(name) "/sys/module/" name "/refcnt 0\n"
#define WORDS(words) "/calls/kernel/words.answer " words "\n"
#define MTT(figures) "/sys/module/mlx4_core/parameters/log_num_mtt " figures "\n"
#define HEALTHY                                                                                                        \
	HCA "/proc/meminfo MemTotal: 67108864 kB\n/proc/meminfo CmaTotal: 0 kB\n"                                      \
	    "/proc/meminfo CmaFree: 8 kB\n/sys/class/infiniband_verbs/abi_version 6\n" REPORTS(                        \
		    "mlx5_0", "max_mr_size=1 odp=1") MODULE("mlx5_core") MODULE("mlx5_ib")

TEST(combinations_known_to_fail)
{
	static const struct check_row rows[] = {
		{ HEALTHY, 0, OK, "none of" },
		{ "/calls/cpu/address-bits.answer 57", 0, WARN, "57-bit addresses, and mlx5_0" },
		{ "-/calls/device/mlx5_0/limits.answer\n/calls/device/mlx5_0/limits.answer.error EPERM", 0, UNKNOWN,
		  "mlx5_0 cannot be opened: see MR-DEVICE" },
		{ "-/calls/device/mlx5_0/limits.answer.error\n" REPORTS("mlx5_0", "max_mr_size=1 odp=3"), 0, OK, "" },
		{ WORDS("iommu=pt kho=on"), 0, WARN, "kexec handover" },
		{ WORDS("kho=off"), 0, OK, "" },
		{ "/sys/module/mlx5_core/version\n/sys/module/mlx5_ib/version 24.10-0.7.0\n"
		  "/sys/module/mlx5_ib/taint OE",
		  0, WARN, "is the kernel's, mlx5_ib is 24.10-0.7.0" },
		{ "/sys/module/mlx5_core/version 24.10-0.7.0", 0, OK, "" },
		{ MODULE("nvidia_peermem"), 0, OK, "" },
		{ MODULE("nv_peer_mem"), 0, WARN, "rmmod" },
		{ "/sys/class/infiniband_verbs/abi_version 7", 0, BAD, "ABI is 7|both loaded" },
		{ "/sys/class/infiniband_verbs/abi_version 3", 0, WARN, "both loaded" },
		{ "/sys/class/infiniband_verbs/abi_version 2", 0, BAD, "ABI is 2" },
		{ "# translations of mlx4\n" HEALTHY MTT("0") "/sys/module/mlx4_core/parameters/log_mtts_per_seg 3", 0,
		  OK, "" },
		{ MTT("20"), 32 * GIB, WARN, "at most 32 GiB (log_num_mtt 20)" },
		{ "", 32 * GIB + 1, BAD, "" },
		{ MTT("21"), 64 * GIB, OK, "" },
		{ "", 64 * GIB + 1, BAD, "" },
		{ "/calls/page-size.answer 65536", 65 * GIB, OK, "" },
		{ MTT("32"), 64 * GIB, OK, "" },
		{ MTT("18446744073709551615"), 64 * GIB, OK, "" },
		{ "# software\n" RXE CLASS "rxe0/parent eth0\n/proc/sys/kernel/osrelease 7.2.13\n" REPORTS(
			  "rxe0", "max_mr_size=1 odp=0"),
		  0, OK, "" },
		{ REPORTS("rxe0", "max_mr_size=1 odp=1"), 0, WARN, "corrupts data of on-demand regions (rxe0)" },
	};

	CHECK(mr_check_known_bad, rows);
}
