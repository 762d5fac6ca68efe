// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Why a device is not found or not opened, on recorded hosts. */
#include <errno.h>

#include "lib/diagnose/causes/diagnosis.h"
#include "tests/unit/lib/diagnose/check.h"

static struct mr_environment environment;
static struct mr_diagnosis diagnosis;

/* An HCA with its node, and a user who may open it, on a host without containers or sandboxes. */
static void put_healthy_host(void)
{
	put("/sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
	put("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
	put("/sys/class/infiniband_verbs/uverbs0/dev", "231:192\n");
	put("/sys/class/infiniband_verbs/abi_version", "6\n");
	put("/proc/self/status", "Name:\tmrctl\nPPid:\t1\nUid:\t1000\t1000\t1000\t1000\n"
				 "Gid:\t100\t100\t100\t100\nGroups:\t100\n"
				 "CapEff:\t0000000000000000\n");
	put("/proc/self/uid_map", "0 0 4294967295\n");
	put("/proc/self/mountinfo", "24 1 0:6 / /dev rw - devtmpfs udev rw\n");
	call("link", "/proc/self/ns/pid", "pid:[4026531836]");
	call("answer", "/descriptors", "error=0 limit=1024");
}

/* @error: with which the node cannot be opened; NULL: it can be */
static void put_node(const char *status, const char *error)
{
	call("stat", "/dev/infiniband/uverbs0", status);
	call(error ? "open.error" : "open", "/dev/infiniband/uverbs0", error ? error : "ok");
}

#define FOR_ALL   "mode=20666 uid=0 gid=0 device=231:192"
#define FOR_GROUP "mode=20660 uid=0 gid=44 device=231:192"

static void diagnose(const char *call_name, int errnum, const char *device)
{
	const struct mr_refusal refusal = {
		.call = call_name, .errnum = errnum, .environment = &environment, .device = device
	};

	environment = (struct mr_environment){ .simulated = false };
	mr_diagnose(&refusal, &recorded.host, &diagnosis);
}

static void assert_first(const char *id, enum mr_certainty certainty)
{
	assert_true(diagnosis.cause_count);
	assert_string_equal(diagnosis.causes[0].cause->id, id);
	assert_int_equal(diagnosis.causes[0].certainty, certainty);
	assert_true(diagnosis.causes[0].evidence_count);
	assert_true(diagnosis.causes[0].text[0]);
	assert_true(diagnosis.causes[0].remedy[0]);
	for (size_t i = 1; i < diagnosis.cause_count; i++)
		assert_int_not_equal(diagnosis.causes[i].certainty, MR_CERTAIN);
}

static void assert_none_certain(void)
{
	for (size_t i = 0; i < diagnosis.cause_count; i++)
		assert_int_not_equal(diagnosis.causes[i].certainty, MR_CERTAIN);
}

#define FIND(...)            diagnose("ibv_get_device_list", ENODEV, __VA_ARGS__)
#define OPEN(errnum)         diagnose("ibv_open_device", errnum, "mlx5_0")
#define FIRST(id, certainty) assert_first(id, MR_##certainty)
#define TEXT(part)           assert_contains(diagnosis.causes[0].text, part)
#define REMEDY(part)         assert_contains(diagnosis.causes[0].remedy, part)

TEST(a_container_without_the_node)
{
	put_healthy_host();
	call("link", "/proc/self/ns/pid", "pid:[4026532567]");
	put("/proc/self/mountinfo", "24 1 0:50 / /dev rw - tmpfs tmpfs rw\n");
	FIND(NULL);
	FIRST("MR-NODE", CERTAIN);
	REMEDY("--device=/dev/infiniband");
	FIND("mlx5_0");
	FIRST("MR-NODE", CERTAIN);
}

TEST(a_host_without_the_node)
{
	put_healthy_host();
	FIND(NULL);
	FIRST("MR-NODE", CERTAIN);
	REMEDY("udevadm trigger");
	OPEN(ENOENT);
	FIRST("MR-NODE", CERTAIN);
	OPEN(ENODEV); /* which is not the errno of that */
	assert_none_certain();
}

TEST(a_service_with_private_devices)
{
	put_healthy_host();
	put("/proc/self/mountinfo", "24 1 0:6 / /dev rw - devtmpfs udev rw\n"
				    "90 26 0:52 / /dev ro - tmpfs tmpfs rw,mode=755\n");
	put("/proc/self/cgroup", "0::/system.slice/trainer.service\n");
	FIND(NULL);
	FIRST("MR-SANDBOX", CERTAIN);
	TEXT("/dev is a tmpfs");
	REMEDY("systemctl edit trainer.service");
}

TEST(a_service_with_rules_for_devices)
{
	put_healthy_host();
	put("/proc/self/cgroup", "0::/system.slice/trainer.service\n");
	put_node(FOR_ALL, "EPERM");
	OPEN(EPERM);
	FIRST("MR-SANDBOX", LIKELY);
	REMEDY("DeviceAllow");
}

TEST(a_device_in_another_network_namespace)
{
	put_healthy_host();
	put("/sys/module/ib_core/parameters/netns_mode", "N\n");
	put_node(FOR_ALL, "EPERM");
	OPEN(EPERM); /* the /sys of before still shows it */
	FIRST("MR-NETNS", POSSIBLE);
	assert_none_certain();
}

TEST(a_device_that_sysfs_does_not_show)
{
	put("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
	put("/sys/class/infiniband_verbs/uverbs0/dev", "231:192\n");
	put("/sys/module/ib_core/parameters/netns_mode", "N\n");
	put_node(FOR_ALL, "EPERM");
	FIND(NULL);
	FIRST("MR-NETNS", CERTAIN);
	FIND("mlx5_0");
	FIRST("MR-NETNS", CERTAIN);
}

TEST(a_node_of_a_group)
{
	put_healthy_host();
	put_node(FOR_GROUP, "EACCES");
	call("answer", "/group/44", "rdma");
	OPEN(EACCES);
	FIRST("MR-NODE-ACCESS", CERTAIN);
	TEXT("mode 0660, user 0 and group rdma, and this is user 1000");
	REMEDY("usermod -aG rdma");
}

TEST(a_folder_that_may_not_be_searched)
{
	put_healthy_host();
	call("stat.error", "/dev/infiniband/uverbs0", "EACCES");
	call("open.error", "/dev/infiniband/uverbs0", "EACCES");
	diagnose("stat", EACCES, NULL);
	FIRST("MR-NODE-ACCESS", CERTAIN);
	TEXT("may not be searched");
	OPEN(EACCES);
	FIRST("MR-NODE-ACCESS", CERTAIN);
}

TEST(a_node_on_a_file_system_with_nodev)
{
	put_healthy_host();
	put_node(FOR_ALL, "EACCES");
	call("answer", "/nodev/dev/infiniband/uverbs0", "1");
	put("/sys/fs/selinux/enforce", "1\n");
	OPEN(EACCES);
	FIRST("MR-NODEV", CERTAIN);
}

TEST(a_node_that_selinux_may_forbid)
{
	put_healthy_host();
	put_node(FOR_ALL, "EACCES");
	call("answer", "/nodev/dev/infiniband/uverbs0", "0");
	put("/sys/fs/selinux/enforce", "1\n");
	put("/proc/self/attr/current", "system_u:system_r:trainer_t:s0");
	OPEN(EACCES);
	FIRST("MR-SELINUX", LIKELY);
	put("/sys/fs/selinux/enforce", "0\n");
	OPEN(EACCES);
	assert_int_equal(diagnosis.cause_count, 0);
}

TEST(a_module_that_is_not_loaded)
{
	put("/sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
	FIND(NULL);
	FIRST("MR-MODULES", CERTAIN);
	REMEDY("modprobe ib_uverbs");
}

TEST(an_adapter_without_its_module)
{
	put("/sys/class/net/lo/ifindex", "1\n");
	put("/sys/bus/pci/devices/0000:21:00.0/class", "0x020000\n");
	put("/sys/bus/pci/devices/0000:21:00.0/vendor", "0x15b3\n");
	put("/sys/bus/pci/devices/0000:21:00.0/device", "0x1017\n");
	put("/proc/modules", "ext4 1 0 - Live 0x0\n");
	FIND(NULL);
	FIRST("MR-MODULES", CERTAIN);
	TEXT("adapter");
}

TEST(a_kernel_whose_interface_is_not_known)
{
	put_healthy_host();
	put_node(FOR_ALL, NULL);
	put("/sys/class/infiniband_verbs/abi_version", "7\n");
	FIND(NULL);
	FIRST("MR-UVERBS-ABI", CERTAIN);
}

TEST(a_device_without_provider)
{
	put_healthy_host();
	put_node(FOR_ALL, NULL);
	put("/etc/libibverbs.d/rxe.driver", "driver rxe\n");
	FIND(NULL);
	FIRST("MR-PROVIDER", LIKELY);
	TEXT("none of the 1 provider");
}

TEST(a_name_that_no_device_has)
{
	put_healthy_host();
	FIND("mlx5_7");
	FIRST("MR-DEVICE-NAME", CERTAIN);
	TEXT("mlx5_0");
}

TEST(no_device_at_all)
{
	put("/sys/class/net/lo/ifindex", "1\n");
	FIND("mlx5_0");
	FIRST("MR-DEVICE", CERTAIN);
	/* A context that is open holds ib_uverbs: without its class this is another sysfs. */
	diagnose("ibv_reg_mr", EIO, "mlx5_0");
	assert_none_certain();
	put("/sys/class/infiniband_verbs/abi_version", "6\n");
	diagnose("ibv_reg_mr", EIO, "mlx5_0");
	FIRST("MR-DEVICE-GONE", CERTAIN);
}

TEST(a_host_without_sysfs_proves_nothing)
{
	put("/proc/self/uid_map", "0 0 4294967295\n");
	FIND(NULL);
	FIRST("MR-DEVICE", LIKELY);
	diagnose("ibv_reg_mr", EIO, "mlx5_0");
	assert_none_certain();
}

TEST(an_adapter_without_driver_is_likely_that_of_a_named_device)
{
	put("/sys/class/net/lo/ifindex", "1\n");
	put("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x15b3\n");
	put("/sys/bus/pci/devices/0000:01:00.0/device", "0x101b\n");
	put("/sys/bus/pci/devices/0000:01:00.0/class", "0x020000\n");
	FIND(NULL);
	FIRST("MR-MODULES", CERTAIN);
	FIND("rxe0");
	FIRST("MR-MODULES", LIKELY);
	TEXT("an adapter has no driver");
}

/* Opening /dev/udmabuf, to make a dma-buf, is refused. */
static void refuse_udmabuf(int errnum)
{
	const struct mr_dmabuf_request dmabuf = { .source = { .type = MR_DMABUF_UDMABUF } };
	const struct mr_refusal refusal = {
		.call = "open", .errnum = errnum, .environment = &environment, .dmabuf = &dmabuf
	};

	mr_diagnose(&refusal, &recorded.host, &diagnosis);
}

TEST(a_permission_is_eacces_and_rules_for_devices_are_eperm)
{
	put_healthy_host();
	call("stat", "/dev/udmabuf", "mode=20600 uid=0 gid=0 device=10:126");
	refuse_udmabuf(EACCES);
	FIRST("MR-UDMABUF", CERTAIN);
	TEXT("has mode 0600");
	refuse_udmabuf(EPERM);
	FIRST("MR-UDMABUF", LIKELY);
	TEXT("rules for devices");
}

TEST(a_node_with_another_number)
{
	put_healthy_host();
	put_node("mode=20666 uid=0 gid=0 device=231:7", "ENXIO");
	OPEN(ENXIO);
	FIRST("MR-NODE-NUMBER", CERTAIN);
	OPEN(ENOENT);
	FIRST("MR-NODE-NUMBER", CERTAIN);
	/* libibverbs finds the right one there */
	call("stat", "/dev/char/231:192", FOR_ALL);
	OPEN(ENOENT);
	assert_none_certain();
}

TEST(a_node_that_is_a_file)
{
	put_healthy_host();
	put_node("mode=100666 uid=0 gid=0 device=0:0", NULL);
	OPEN(ENOENT);
	FIRST("MR-NODE-NUMBER", CERTAIN);
	TEXT("no character device");
}

TEST(no_more_files)
{
	put_healthy_host();
	put_node(FOR_ALL, NULL);
	call("answer", "/descriptors", "error=24 limit=256");
	diagnose("ibv_get_device_list", EMFILE, NULL);
	FIRST("MR-DESCRIPTORS", CERTAIN);
	TEXT("its limit is 256");
	diagnose("ibv_import_device", ENODEV, "mlx5_0");
	FIRST("MR-DESCRIPTORS", CERTAIN);
	diagnose("ibv_get_device_list", ENFILE, NULL);
	assert_none_certain();
	call("answer", "/descriptors", "error=23 limit=256");
	diagnose("ibv_get_device_list", ENFILE, NULL);
	FIRST("MR-DESCRIPTORS", CERTAIN);
	call("answer", "/descriptors", "lies");
	diagnose("ibv_get_device_list", ENFILE, NULL);
	assert_none_certain();
}

TEST(a_healthy_host_has_no_certain_cause)
{
	static const int errnums[] = { EACCES, EPERM,  ENOENT, ENXIO,      ENODEV, EIO,   ENOMEM,
				       EMFILE, ENFILE, EINVAL, EOPNOTSUPP, EAGAIN, ENOSYS };
	static const char *const calls[] = { "ibv_get_device_list", "ibv_open_device", "stat",
					     "ibv_import_device", "ibv_alloc_pd" };

	put_healthy_host();
	put_node(FOR_ALL, NULL);
	call("answer", "/nodev/dev/infiniband/uverbs0", "0");
	for (size_t i = 0; i < sizeof(errnums) / sizeof(*errnums); i++)
		for (size_t j = 0; j < sizeof(calls) / sizeof(*calls); j++) {
			diagnose(calls[j], errnums[i], "mlx5_0");
			assert_none_certain();
			diagnose(calls[j], errnums[i], NULL);
			assert_none_certain();
		}
}

EACH_TEST(set_up, tear_down)
