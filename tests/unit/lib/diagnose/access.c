// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/access.h"

#include "tests/unit/lib/diagnose/check.h"

static void remove_file(const char *path)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof(whole), "%s%s", recorded.folder, path);
	assert_int_equal(unlink(whole), 0);
}

static void put_device(int number)
{
	char path[128], text[64];

	snprintf(path, sizeof(path), "/sys/class/infiniband/mlx5_%d/node_type", number);
	put(path, "1: CA\n");
	snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/uverbs%d/ibdev", number);
	snprintf(text, sizeof(text), "mlx5_%d\n", number);
	put(path, text);
	snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/uverbs%d/dev", number);
	snprintf(text, sizeof(text), "231:19%d\n", number);
	put(path, text);
}

/* @error: with which it cannot be opened; NULL: it can be */
static void put_node(int number, const char *mode, const char *error)
{
	char path[128], text[64];

	snprintf(path, sizeof(path), "/dev/infiniband/uverbs%d", number);
	snprintf(text, sizeof(text), "mode=20%s uid=0 gid=44 device=231:19%d\n", mode, number);
	call("stat", path, text);
	call(error ? "open.error" : "open", path, error ? error : "ok");
}

static void put_user(const char *capabilities)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "Name:\tmrctl\nPPid:\t1\nUid:\t1000\t1000\t1000\t1000\n"
		 "Gid:\t100\t100\t100\t100\nGroups:\t100 1000\nCapEff:\t%s\nNoNewPrivs:\t1\n",
		 capabilities);
	put("/proc/self/status", text);
	put("/proc/self/uid_map", "0 0 4294967295\n");
}

#define NO_CAPS      "0000000000000000"
#define DAC_OVERRIDE "0000000000000002"

static void put_dev(const char *type)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "24 1 0:6 / /dev rw - devtmpfs udev rw\n90 24 0:50 / /dev rw - %s dev rw\n"
		 "91 90 0:51 / /dev/pts rw - devpts devpts rw\n",
		 type);
	put("/proc/self/mountinfo", text);
}

TEST(host_without_sysfs_is_unknown)
{
	VERDICT(UNKNOWN, mr_check_node, 0);
	VERDICT(UNKNOWN, mr_check_node_access, 0);
	VERDICT(UNKNOWN, mr_check_sandbox, 0);
	VERDICT(UNKNOWN, mr_check_selinux, 0);
	VERDICT(UNKNOWN, mr_check_netns, 0);
}

TEST(host_without_devices_has_no_business_with_nodes)
{
	put("/sys/class/net/lo/ifindex", "1\n");
	VERDICT(NA, mr_check_node, 0);
	VERDICT(NA, mr_check_node_access, 0);
	VERDICT(NA, mr_check_sandbox, 0);
	VERDICT(NA, mr_check_selinux, 0);
	VERDICT(NA, mr_check_netns, 0);
}

TEST(devices_that_cannot_be_listed_are_unknown)
{
	call("list.error", "/sys/class/infiniband", "EACCES");
	VERDICT(UNKNOWN, mr_check_node, 0);
	VERDICT(UNKNOWN, mr_check_node_access, 0);
	VERDICT(UNKNOWN, mr_check_sandbox, 0);
	VERDICT(UNKNOWN, mr_check_netns, 0);
}

/* ---- presence ---- */

TEST(node_is_there_or_not)
{
	put_device(0);
	put_device(1);
	VERDICT(BAD, mr_check_node, 0);
	VERDICT(NA, mr_check_node_access, 0);
	put_node(1, "666", NULL);
	assert_string_equal(look(mr_check_node, 0).figure, "1 of 2 devices: none for mlx5_0");
	VERDICT(WARN, mr_check_node, 0);
	put_node(0, "666", NULL);
	VERDICT(OK, mr_check_node, 0);
	VERDICT(OK, mr_check_node_access, 0);
}

TEST(node_that_the_kernel_did_not_make_needs_its_module)
{
	put("/sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
	assert_contains(look(mr_check_node, 0).remedy, "ib_uverbs");
	VERDICT(BAD, mr_check_node, 0);
}

TEST(node_missing_in_a_container_is_for_its_runtime)
{
	put_device(0);
	assert_contains(look(mr_check_node, 0).remedy, "udevadm");
	call("link", "/proc/self/ns/pid", "pid:[4026532567]");
	assert_contains(look(mr_check_node, 0).remedy, "--device");
}

/* ---- permission ---- */

TEST(group_that_may_open_the_node_is_named)
{
	put_device(0);
	put_user(NO_CAPS);
	put_dev("devtmpfs");
	put_node(0, "660", "EACCES");
	call("answer", "/group/44", "rdma");
	VERDICT(BAD, mr_check_node_access, 0);
	assert_contains(look(mr_check_node_access, 0).figure, "EACCES for mlx5_0");
	assert_contains(look(mr_check_node_access, 0).detail, "mode 0660, user 0, group rdma");
	assert_contains(look(mr_check_node_access, 0).remedy, "usermod -aG rdma");
	VERDICT(OK, mr_check_sandbox, 0);
}

TEST(group_without_a_name_is_a_number)
{
	put_device(0);
	put_user(NO_CAPS);
	put_node(0, "660", "EACCES");
	assert_contains(look(mr_check_node_access, 0).remedy, "usermod -aG 44");
}

TEST(some_nodes_that_can_be_opened_are_better_than_none)
{
	put_device(0);
	put_device(1);
	put_user(NO_CAPS);
	put_node(0, "666", NULL);
	put_node(1, "600", "EACCES");
	VERDICT(WARN, mr_check_node_access, 0);
	assert_contains(look(mr_check_node_access, 0).remedy, "udev rule");
}

TEST(hidden_folder_of_nodes_is_a_matter_of_permission)
{
	put_device(0);
	put_user(NO_CAPS);
	call("stat.error", "/dev/infiniband/uverbs0", "EACCES");
	call("open.error", "/dev/infiniband/uverbs0", "EACCES");
	VERDICT(OK, mr_check_node, 0);
	VERDICT(BAD, mr_check_node_access, 0);
	assert_contains(look(mr_check_node_access, 0).remedy, "chmod");
}

TEST(driver_that_has_gone_is_no_matter_of_permission)
{
	put_device(0);
	put_user(NO_CAPS);
	put_dev("devtmpfs");
	put_node(0, "666", "ENXIO");
	assert_contains(look(mr_check_node_access, 0).figure, "ENXIO");
	assert_contains(look(mr_check_node_access, 0).remedy, "kernel's log");
	VERDICT(OK, mr_check_sandbox, 0);
}

/* ---- sandbox ---- */

TEST(private_devices_of_a_unit_are_found)
{
	put_device(0);
	put_user(NO_CAPS);
	put_dev("tmpfs");
	put("/proc/self/cgroup", "0::/system.slice/trainer.service\n");
	VERDICT(BAD, mr_check_sandbox, 0);
	assert_contains(look(mr_check_sandbox, 0).remedy, "systemctl edit trainer.service");
	assert_contains(look(mr_check_sandbox, 0).detail, "NoNewPrivs");
	put_node(0, "666", NULL);
	VERDICT(OK, mr_check_sandbox, 0);
	remove_file("/calls/dev/infiniband/uverbs0.stat");
	remove_file("/calls/dev/infiniband/uverbs0.open");
	put_dev("devtmpfs");
	VERDICT(OK, mr_check_sandbox, 0);
}

TEST(device_rules_answer_eperm_though_the_permission_allows)
{
	put_device(0);
	put_user(NO_CAPS);
	put_dev("devtmpfs");
	put_node(0, "666", "EPERM");
	VERDICT(BAD, mr_check_sandbox, 0);
	VERDICT(BAD, mr_check_node_access, 0);
	assert_contains(look(mr_check_node_access, 0).remedy, "MR-SANDBOX");
	put("/sys/module/ib_core/parameters/netns_mode", "N\n");
	VERDICT(UNKNOWN, mr_check_sandbox, 0);
	put("/sys/module/ib_core/parameters/netns_mode", "Y\n");
	VERDICT(BAD, mr_check_sandbox, 0);
	put_node(0, "600", "EPERM");
	VERDICT(OK, mr_check_sandbox, 0);
	put_user(DAC_OVERRIDE);
	VERDICT(BAD, mr_check_sandbox, 0);
	put("/proc/self/uid_map", "0 1000 1\n");
	VERDICT(OK, mr_check_sandbox, 0);
}

TEST(changed_root_has_a_plain_folder_for_devices)
{
	put_device(0);
	put_user(NO_CAPS);
	put("/proc/self/mountinfo",
	    "24 1 8:1 / / rw - ext4 sda rw\n25 24 0:5 / /device rw - devtmpfs udev rw\n");
	VERDICT(BAD, mr_check_sandbox, 0);
	assert_contains(look(mr_check_sandbox, 0).figure, "plain folder");
	assert_contains(look(mr_check_sandbox, 0).remedy, "bind the host's /dev");
	put_node(0, "666", NULL);
	VERDICT(OK, mr_check_sandbox, 0);
}

TEST(sandbox_without_a_list_of_mounts_is_unknown)
{
	put_device(0);
	put_node(0, "666", NULL);
	call("read.error", "/proc/self/mountinfo", "EACCES");
	VERDICT(UNKNOWN, mr_check_sandbox, 0);
}

/* ---- SELinux ---- */

TEST(selinux_is_suspected_with_evidence_only)
{
	put_device(0);
	put_user(NO_CAPS);
	put_node(0, "660", "EACCES");
	put("/sys/fs/selinux/enforce", "1");
	VERDICT(OK, mr_check_selinux, 0);
	put_node(0, "666", "EACCES");
	VERDICT(WARN, mr_check_selinux, 0);
	put("/sys/fs/selinux/enforce", "0");
	VERDICT(OK, mr_check_selinux, 0);
	put("/sys/fs/selinux/enforce", "2");
	VERDICT(UNKNOWN, mr_check_selinux, 0);
	put("/sys/fs/selinux/enforce", "");
	VERDICT(UNKNOWN, mr_check_selinux, 0);
}

TEST(selinux_of_a_container_is_seen_by_its_label)
{
	put("/sys/class/net/lo/ifindex", "1\n");
	put("/proc/self/attr/current", "docker-default (enforce)\n");
	VERDICT(NA, mr_check_selinux, 0);
	put("/proc/self/attr/current", "system_u:system_r:container_t:s0:c1,c2\n");
	VERDICT(OK, mr_check_selinux, 0);
	assert_contains(look(mr_check_selinux, 0).detail, "container_t");
}

/* ---- network namespaces ---- */

#define MODE "/sys/module/ib_core/parameters/netns_mode"

TEST(network_namespaces_share_devices_or_not)
{
	put_device(0);
	VERDICT(OK, mr_check_netns, 0);
	put(MODE, "Y\n");
	VERDICT(OK, mr_check_netns, 0);
	put(MODE, "N\n");
	put("/sys/class/infiniband_verbs/uverbs9/ibdev", "mlx5_9\n");
	VERDICT(OK, mr_check_netns, 0);
	assert_string_equal(look(mr_check_netns, 0).figure,
			    "exclusive: 1 devices are in this one, 1 in others");
	put(MODE, "?\n");
	VERDICT(UNKNOWN, mr_check_netns, 0);
}

TEST(network_namespace_without_any_device_is_bad_where_others_have_them)
{
	put("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
	put("/sys/class/infiniband_verbs/abi_version", "6\n");
	VERDICT(UNKNOWN, mr_check_netns, 0);
	put(MODE, "N\n");
	VERDICT(BAD, mr_check_netns, 0);
	assert_contains(look(mr_check_netns, 0).remedy, "rdma dev set mlx5_0 netns");
}

EACH_TEST(set_up, tear_down)
