// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads files of a host: processes, groups, CPUs, devices, logs. */
#include "lib/host/host.h"
#include "tests/unit/one_host.h"

EACH_TEST(set_up, tear_down)

/* ---- processes ---- */

static struct mr_process_status status;

static void read_status(const char *text)
{
	recorded_host_put(&recorded, "/proc/self/status", text);
	assert_int_equal(mr_process_status_read(&recorded.host, "self", &status), 0);
}

TEST(status_is_read_by_line)
{
	struct mr_rlimit limit;

	read_status("Name:\tsome name that is long\nTgid:\t11\nPPid:\t12\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\n"
		    "Groups:\t9 10 \nVmLck:\t1 kB\nVmPin:\t2 kB\nCapPrm:\t0000000000004000\n"
		    "CapEff:\t0000000000000002\nCapBnd:\tffffffffffffffff\nSeccomp:\t2\n");
	assert_string_equal(status.name, "some name that ");
	assert_int_equal(status.process.value, 11);
	assert_int_equal(status.parent.value, 12);
	assert_int_equal(status.uid.value, 2);
	assert_int_equal(status.gid.value, 6);
	assert_int_equal(status.group_count, 2);
	assert_int_equal(status.groups[1], 10);
	assert_int_equal(status.locked.value, 1024);
	assert_int_equal(status.pinned.value, 2048);
	assert_int_equal(status.permitted.value, MR_CAP_IPC_LOCK);
	assert_int_equal(status.effective.value, MR_CAP_DAC_OVERRIDE);
	assert_int_equal(status.bounding.value, UINT64_MAX);
	assert_int_equal(status.seccomp.value, 2);
	assert_false(status.no_new_privs.known);
	read_status("PPid:\t-1\nTgid:\t+1\nUid:\t7\nVmPin:\t18014398509481984 kB\nVmLck:\tx\nCapEff:\t\n"
		    "CapPrm:\t10000000000000000\nGid:\t1 2\nPPid");
	assert_false(status.parent.known || status.process.known || status.uid.known);
	assert_false(status.pinned.known || status.locked.known);
	assert_false(status.effective.known || status.permitted.known);
	assert_int_equal(status.gid.value, 2);
	assert_int_equal(mr_process_status_read(&recorded.host, "4711", &status), -ENOENT);
	assert_int_equal(mr_rlimit_read(&recorded.host, "self", MR_MEMLOCK, &limit), -ENOENT);
	recorded_host_put(&recorded, "/proc/self/limits", "Max locked memory  1  bytes");
	assert_int_equal(mr_rlimit_read(&recorded.host, "self", MR_MEMLOCK, &limit), -EINVAL);
}

TEST(permission_is_that_of_the_first_class_that_fits)
{
	static const struct {
		uint32_t mode, uid, gid;
		bool may;
	} permissions[] = {
		{ 0600, 2, 0, true },  { 0066, 2, 6, false }, { 0060, 0, 6, true },   { 0606, 0, 6, false },
		{ 0060, 0, 10, true }, { 0606, 0, 11, true }, { 0664, 0, 11, false }, { 0622, 0, 11, false },
	};

	read_status("Uid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t9 10\nCapEff:\t0\n");
	for (size_t i = 0; i < ARRAY_SIZE(permissions); i++) {
		const struct mr_host_status file = { .mode = permissions[i].mode,
						     .uid = permissions[i].uid,
						     .gid = permissions[i].gid };

		assert_equal_for(row_name(i), mr_process_may_write(&status, &file), permissions[i].may);
	}
	read_status("Uid:\t1\t2\t3\t4\nCapEff:\t2\n");
	assert_true(mr_process_may_write(&status, &(struct mr_host_status){ .mode = 0 }));
}

/* ---- CPUs ---- */

TEST(lists_of_cpus)
{
	static const struct {
		const char *list;
		uint64_t cpu;
		enum mr_tristate has, ends_before;
	} rows[] = {
		{ "0-3,8", 0, MR_YES, MR_NO },         { "0-3,8", 3, MR_YES, MR_NO },
		{ "0-3,8", 4, MR_NO, MR_NO },          { "0-3,8", 8, MR_YES, MR_NO },
		{ "0-3,8", 9, MR_NO, MR_YES },         { "8,0-3", 5, MR_NO, MR_NO },
		{ "", 0, MR_UNKNOWN, MR_UNKNOWN },     { "0-", 0, MR_UNKNOWN, MR_UNKNOWN },
		{ "1,,2", 0, MR_UNKNOWN, MR_UNKNOWN },
	};
	char line[600] = "Cpus_allowed_list:\t", *list = strchr(line, '\t') + 1;
	struct mr_cpus cpus;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		enum mr_tristate ends_before;

		assert_equal_for(rows[i].list, mr_cpu_list_has(rows[i].list, rows[i].cpu, &ends_before), rows[i].has);
		assert_equal_for(rows[i].list, ends_before, rows[i].ends_before);
	}
	mr_cpus_read(&recorded.host, &cpus);
	assert_true(!cpus.possible[0] && !cpus.allowed[0]);
	change("/sys/devices/system/cpu/possible 0-63\n/proc/thread-self/status Cpus_allowed:\tf0\n"
	       "/proc/thread-self/status Cpus_allowed_list:\t4-7");
	mr_cpus_read(&recorded.host, &cpus);
	assert_string_equal(cpus.possible, "0-63");
	assert_string_equal(cpus.allowed, "4-7");
	/* what may have been cut is not known */
	memset(list, '1', sizeof(line) - 1 - (size_t)(list - line));
	recorded_host_put(&recorded, "/sys/devices/system/cpu/possible", list);
	recorded_host_put(&recorded, "/proc/thread-self/status", line);
	mr_cpus_read(&recorded.host, &cpus);
	assert_string_equal(cpus.possible, "");
	assert_string_equal(cpus.allowed, "");
}

TEST(processors)
{
	struct mr_processor processor;

	change("/proc/cpuinfo processor\t: 0\n/proc/cpuinfo \n/proc/cpuinfo model\t\t: 17\n"
	       "/proc/cpuinfo model name\t: A  CPU\n/proc/cpuinfo processor\t: 1\n"
	       "/proc/cpuinfo model name\t: Another\n"
	       "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor performance\n"
	       "/sys/devices/system/cpu/online 0-191\n/sys/devices/system/node/has_memory 0-1\n"
	       "/sys/devices/system/clocksource/clocksource0/current_clocksource tsc");
	mr_processor_read(&recorded.host, &processor);
	assert_string_equal(processor.model, "A  CPU");
	assert_string_equal(processor.governor, "performance");
	assert_string_equal(processor.online, "0-191");
	assert_string_equal(processor.nodes, "0-1");
	assert_string_equal(processor.clock, "tsc");
	change("# an ARM, which tells numbers only\n/proc/cpuinfo CPU implementer\t: 0x41");
	mr_processor_read(&recorded.host, &processor);
	assert_string_equal(processor.model, "");
	assert_string_equal(processor.governor, "");
}

/* ---- control groups ---- */

#define MOUNTED(root, mount, type, options)                                                                            \
	"31 23 0:28 " root " " mount " rw shared:1 master:2 - " type " none rw," options "\n"
#define CG2(root) MOUNTED(root, "/cg", "cgroup2", "nsdelegate")

TEST(a_group_is_found_below_its_mount)
{
	/* A line of /proc/self/cgroup, one of mountinfo, and what is found by them. */
	static const struct {
		const char *member, *mount;
		int error;
		const char *found_mount, *found_path;
		bool is_below;
	} places[] = {
		{ "0::/a/b", CG2("/"), 0, "/cg", "/a/b", false },
		{ "0::/", CG2("/"), 0, "/cg", "", false },
		{ "0::/a/b", CG2("/a"), 0, "/cg", "/b", true },
		{ "0::/a", CG2("/a"), 0, "/cg", "", true },
		{ "0::/ab", CG2("/a"), -EXDEV, NULL, NULL, false },
		{ "0::/", CG2("/../.."), -EXDEV, NULL, NULL, false },
		{ "0::/../x", CG2("/"), -EXDEV, NULL, NULL, false },
		{ "0::/a:b", MOUNTED("/", "/c\\040g\\134", "cgroup2", "x"), 0, "/c g\\", "/a:b", false },
		{ "3:cpu,memory:/a", MOUNTED("/", "/m", "cgroup", "cpu,memory"), 0, "/m", "/a", false },
		{ "3:memory:/a", MOUNTED("/", "/m", "cgroup", "cpu"), -ENOENT, NULL, NULL, false },
		{ "3:memory:/a", MOUNTED("/", "/m", "cgroup2", "memory"), -ENOENT, NULL, NULL, false },
		{ "3:memory_x,xmemory,memor:/a", MOUNTED("/", "/m", "cgroup", "memory"), -ENOENT, NULL, NULL, false },
		{ "0::/a", "", -ENOENT, NULL, NULL, false },
		{ "0::/a", "31 23 - \n - \ncgroup2\n", -ENOENT, NULL, NULL, false },
		{ "memory", MOUNTED("/", "/m", "cgroup", "memory"), -ENOENT, NULL, NULL, false },
		{ "::", MOUNTED("/", "/m", "cgroup2", "memory"), -ENOENT, NULL, NULL, false },
	};
	struct mr_cgroup group;

	assert_int_equal(mr_cgroup_find(&recorded.host, "memory", &group), -ENODATA);
	change("/proc/self/status Name:\tmrctl");
	assert_int_equal(mr_cgroup_find(&recorded.host, "memory", &group), -ENOENT);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		recorded_host_put(&recorded, "/proc/self/cgroup", places[i].member);
		recorded_host_put(&recorded, "/proc/self/mountinfo", places[i].mount);
		assert_equal_for(places[i].member, mr_cgroup_find(&recorded.host, "memory", &group), places[i].error);
		if (places[i].error)
			continue;
		assert_string_equal(group.mount, places[i].found_mount);
		assert_string_equal(group.path, places[i].found_path);
		assert_equal_for(places[i].member, group.is_below, places[i].is_below);
	}
	/* Groups above that of a namespace cannot be seen. */
	change("/proc/self/cgroup 0::/a\n/proc/self/mountinfo " CG2(
		"/") "/calls/proc/self/ns/cgroup.link cgroup:[4026532900]");
	assert_int_equal(mr_cgroup_find(&recorded.host, "memory", &group), 0);
	assert_true(group.is_below && mr_cgroup_up(&group));
	assert_string_equal(group.path, "");
	assert_false(mr_cgroup_up(&group));
	change("/calls/proc/self/cgroup.read.error EACCES");
	assert_int_equal(mr_cgroup_find(&recorded.host, "memory", &group), -EACCES);
}

TEST(a_figure_of_a_group_is_a_number_or_max)
{
	static const struct {
		const char *text;
		struct mr_opt_u64 value;
	} figures[] = {
		{ "max\n", { UINT64_MAX, true } },
		{ "0\n", { 0, true } },
		{ "4096\n", { 4096, true } },
		{ "4611686018427387903", { 4611686018427387903, true } },
		{ "4611686018427387904\n", { UINT64_MAX, true } }, /* as version 1 writes no limit */
		{ "18446744073709551616\n", { 0, false } },
		{ "-1\n", { 0, false } },
		{ "12 kB\n", { 0, false } },
		{ "", { 0, false } },
	};
	const struct mr_cgroup group = { .mount = "/cg", .path = "/a", .version = 2 };

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		struct mr_memory_group memory;

		recorded_host_put(&recorded, "/cg/a/memory.max", figures[i].text);
		mr_memory_group_read(&recorded.host, &group, &memory);
		assert_equal_for(figures[i].text, memory.max.known, figures[i].value.known);
		assert_equal_for(figures[i].text, memory.max.value, figures[i].value.value);
	}
}

#define HEX63 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"
#define ID    HEX63 "f"

/* Finds what a process runs for: the service, and the unit as people name it. */
TEST(units_and_containers_by_the_group)
{
	static const struct {
		const char *groups, *service, *name, *container;
	} rows[] = {
		{ "0::/system.slice/ssh.service\n", "ssh.service", "ssh.service", "" },
		{ "0::/user.slice/user@1000.service/app.slice/x.service/sub\n", "x.service", "x.service", "" },
		{ "4:memory:/other.service\n1:name=systemd:/a.slice/b.service\n", "b.service", "b.service", "" },
		{ "0::/user.slice/user-0.slice/session-3.scope\n", "", "session-3.scope", "" },
		{ "0::/user.slice/user@0.service/app.slice/a.scope\n", "user@0.service", "a.scope", "" },
		{ "0::/.service\n", "", "/.service", "" },
		{ "0::/a.services\n", "", "/a.services", "" },
		{ "0::/system.slice/docker-" ID ".scope\n", "", "docker-0123456789ab", ID },
		{ "0::/docker/" ID "\n", "", "container-0123456789ab", ID },
		{ "0::/kubepods/pod1/cri-containerd-" ID ".scope\n", "", "cri-containerd-0123456789ab", ID },
		/* a service in a container is the container's */
		{ "0::/docker/" ID "/system.slice/a.service\n", "a.service", "container-0123456789ab", ID },
		{ "0::/system.slice/slurmstepd.scope/job_42/step_0/user\n", "", "slurm-job-42", "" },
		{ "0::/x/job_/y\n", "", "/x/job_/y", "" },
		{ "0::/x/job_4a\n", "", "/x/job_4a", "" },
		/* no id: too long, without a mark before it, too short, not hexadecimal */
		{ "0::/docker/" ID "0\n", "", "/docker/" ID "0", "" },
		{ "0::/g" ID "\n", "", "/g" ID, "" },
		{ "0::/docker-x" ID "\n", "", "/docker-x" ID, "" },
		{ "0::/docker-" HEX63 "g\n", "", "/docker-" HEX63 "g", "" },
		/* of several hierarchies one with a name counts */
		{ "5:memory:/m\n4:cpu:/c\n0::/\n", "", "/m", "" },
		{ "garbage\n::\n\n0:\n", "", "", "" },
		{ "", "", "", "" },
		/* hostile */
		{ "0::/a\x1b[31m.service\n", "a?[31m.service", "a?[31m.service", "" },
		{ "0::/../../x\n", "", "/../../x", "" },
	};
	char groups[600];
	struct mr_unit unit;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		recorded_host_put(&recorded, "/proc/7/cgroup", rows[i].groups);
		assert_int_equal(mr_unit_read(&recorded.host, "7", &unit), 0);
		if (strcmp(unit.service, rows[i].service) != 0 || strcmp(unit.name, rows[i].name) != 0 ||
		    strcmp(unit.container, rows[i].container) != 0)
			fail_msg("'%s': '%s', '%s' in '%s'", rows[i].groups, unit.service, unit.name, unit.container);
	}
	assert_int_equal(mr_unit_read(&recorded.host, "8", &unit), -ENOENT);
	assert_string_equal(unit.name, "");
	/* long ones are cut */
	memset(groups, 'a', sizeof(groups));
	memcpy(groups, "0::/", 4);
	strcpy(groups + sizeof(groups) - 10, ".service\n");
	recorded_host_put(&recorded, "/proc/7/cgroup", groups);
	assert_int_equal(mr_unit_read(&recorded.host, "7", &unit), 0);
	assert_int_equal(strlen(unit.name), sizeof(unit.name) - 1);
}

/* ---- RDMA devices ---- */

#define DEVICE "/sys/class/infiniband/mlx5_0"

TEST(a_device_is_read_as_far_as_sysfs_shows_it)
{
	struct mr_rdma_port ports[MR_RDMA_PORTS];
	struct mr_rdma_device device;
	struct mr_rdma_node node;

	change(DEVICE "/node_type 1: CA\n" DEVICE "/node_desc \n" DEVICE "/fw_pages 7\n" DEVICE
		      "/device/numa_node -1\n" DEVICE "/ports/10/state 4: ACTIVE\n" DEVICE
		      "/ports/2/state 1: DOWN\n" DEVICE "/ports/0/state 1: DOWN\n" DEVICE
		      "/ports/3x/state 1: DOWN\n/calls" DEVICE "/device.link ../../../0000:c1:00.0\n"
		      "/calls" DEVICE "/device/driver.link ../../bus/pci/drivers/mlx5_core");
	mr_rdma_device_read(&recorded.host, "mlx5_0", &device);
	mr_rdma_device_identify(&recorded.host, &device);
	assert_string_equal(device.node_type, "CA");
	assert_string_equal(device.node_desc, "");
	assert_string_equal(device.pci_address, "0000:c1:00.0");
	assert_string_equal(device.driver, "mlx5_core");
	assert_true(device.fw_pages.known && device.fw_pages.value == 7);
	assert_false(device.numa_node.known || device.reg_pages.known);
	assert_int_equal(mr_rdma_ports_read(&recorded.host, "mlx5_0", ports), 2);
	assert_int_equal(ports[0].number, 2);
	assert_string_equal(ports[0].state, "DOWN");
	assert_string_equal(ports[1].state, "ACTIVE");
	assert_false(ports[1].lid.known);
	assert_false(mr_rdma_node_read(&recorded.host, "mlx5_0", &node));
	change("/sys/class/infiniband_verbs/uverbs3/ibdev mlx5_0\n"
	       "/sys/class/infiniband_verbs/uverbs3/dev 231:195");
	assert_true(mr_rdma_node_read(&recorded.host, "mlx5_0", &node));
	assert_string_equal(node.path, "/dev/infiniband/uverbs3");
	assert_true(node.error < 0 && !node.mode.known);
	change("/calls" DEVICE "/device.link ../../../vdpa:00.0"); /* no PCI function */
	mr_rdma_device_read(&recorded.host, "mlx5_0", &device);
	assert_string_equal(device.pci_address, "");
}

#define COMMANDS "/sys/kernel/debug/mlx5/0000:c1:00.0/commands"

TEST(damaged_answers_are_refused)
{
	struct mr_descriptors descriptors;
	struct mr_mlx5_log_line line;

	change("/calls/descriptors.answer error=x limit=1\n/calls/mlx5-log.answer CREATE_MKEY status=x\n"
	       "/calls/sys/class/infiniband/mlx5_0/device.link ../../../0000:c1:00.0");
	assert_int_equal(mr_descriptors_try(&recorded.host, &descriptors), -EINVAL);
	assert_int_equal(mr_mlx5_log_read(&recorded.host, "mlx5_0", &line), -EINVAL);
}

TEST(counters_of_commands)
{
	struct mr_mlx5_command commands[MR_MLX5_COMMANDS];
	struct mr_error err;

	assert_int_equal(mr_mlx5_commands_read(&recorded.host, "0000:c1:00.0", commands, &err), -ENOENT);
	assert_contains(err.hint, "mount -t debugfs");
	change(COMMANDS "/CREATE_MKEY/n 12\n" COMMANDS "/CREATE_MKEY/failed 3\n" COMMANDS
			"/CREATE_MKEY/last_failed_mbox_status 8\n" COMMANDS
			"/CREATE_MKEY/last_failed_syndrome 0x005ca1e8\n" COMMANDS "/CREATE_UMEM/n many");
	assert_int_equal(mr_mlx5_commands_read(&recorded.host, "0000:c1:00.0", commands, &err), 0);
	assert_string_equal(commands[0].name, "CREATE_MKEY");
	assert_int_equal(commands[0].sent.value, 12);
	assert_int_equal(commands[0].failed.value, 3);
	assert_string_equal(mr_mlx5_status_name(commands[0].last_status.value), "LIM_ERR");
	assert_int_equal(commands[0].last_syndrome.value, 0x005ca1e8);
	assert_false(commands[0].refused.known || commands[0].last_errno.known);
	for (size_t i = 1; i < MR_MLX5_COMMANDS; i++)
		assert_false(commands[i].sent.known);
	assert_null(mr_mlx5_status_name(0xee));
	change("/calls" COMMANDS ".list.error EACCES\n/calls/sys/kernel/debug.list.error EACCES");
	assert_int_equal(mr_mlx5_commands_read(&recorded.host, "0000:c1:00.0", commands, &err), -EACCES);
	assert_contains(err.hint, "root");
}

/* ---- the kernel's log, which holds what any driver or user has written to it ---- */

#define MLX5(rest) "[1.1] mlx5_core 0000:00:10.0: x:1:(pid 164)" rest
#define REFUSED                                                                                                        \
	"<3>[   20.119095] mlx5_core 0000:00:10.0: mlx5_cmd_out_err:822:(pid 164): "                                   \
	"CREATE_MKEY(0x200) op_mod(0x0) failed, status limits exceeded(0x8), syndrome "                                \
	"(0x5ca1e8), err(-12)"

TEST(lines_of_mlx5)
{
	static const char *const others[] = {
		"",
		"[",
		"mlx5_core 0000:00:10.0: (pid 164): X(0x1) failed, status a(0x1), syndrome (0x1)",
		"status a(0x1), syndrome (0x1)",
		MLX5(": (0x1) failed, status a(0x1), syndrome (0x1)"),
		MLX5(": A(0x1) failed, status a(0x1), syndrome ("),
		MLX5(": A(0x1) failed, status syndrome (0x1)"),
		MLX5(": A(0x1) failed, status a(-1), syndrome (0x1)"),
		MLX5(":"),
		MLX5(": reg umr failed (x)"),
		MLX5(": AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA(0x1) failed, status "
		     "a(0x1), syndrome (0x1)"),
	};
	static const char address[] = "0000:00:10.0";
	struct mr_mlx5_log_line line;

	assert_true(mr_mlx5_log_parse(REFUSED, address, 164, &line));
	assert_string_equal(line.command, "CREATE_MKEY");
	assert_int_equal(line.status, 8);
	assert_int_equal(line.syndrome, 0x5ca1e8);
	assert_int_equal(line.errnum, ENOMEM);
	assert_int_equal(line.age_ns, 20119095000);
	/* older kernels tell no errno */
	assert_true(mr_mlx5_log_parse(MLX5(": CREATE_MKEY(0x200) failed, status no resources(0xf), "
					   "syndrome (0x2aac7c)"),
				      address, 164, &line));
	assert_int_equal(line.status, 0xf);
	assert_int_equal(line.errnum, 0);
	assert_true(mr_mlx5_log_parse("[1.1] infiniband mlx5_0: mlx5r_umr_post_send_wait:400:(pid 164): reg umr "
				      "failed (6). Trying to recover, mkey = 23370",
				      address, 164, &line));
	assert_string_equal(line.command, "UMR");
	assert_int_equal(line.status, 6);
	assert_false(mr_mlx5_log_parse(REFUSED, address, 16, &line));
	assert_false(mr_mlx5_log_parse(REFUSED, "0000:00:10.1", 164, &line));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_equal_for(others[i], mr_mlx5_log_parse(others[i], address, 164, &line), false);
	/* a line that is cut anywhere before its last number */
	for (size_t length = 0; length < strlen(REFUSED) - strlen("5ca1e8), err(-12)"); length++) {
		char cut[sizeof(REFUSED)];

		snprintf(cut, sizeof(cut), "%.*s", (int)length, REFUSED);
		assert_equal_for(cut, mr_mlx5_log_parse(cut, address, 164, &line), false);
	}
}

TEST(the_newest_lines_of_use_that_fit_are_chosen)
{
	static const struct {
		const char *log;
		size_t size;
		const char *chosen;
	} rows[] = {
		{ "a\nmlx5_core x\nb\nOut of memory: y\n", 512, "mlx5_core x\nOut of memory: y\n" },
		{ "x RDMA", 512, "x RDMA\n" },
		{ "assiw\nexrxe\n\n\n", 512, "" }, /* words that end with one */
		{ "", 512, "" },
		{ "mlx5 1\nmlx5 2\nmlx5 3\n", 15, "mlx5 2\nmlx5 3\n" },
		{ "mlx5 1\nmlx5 2\nmlx5 3\n", 14, "mlx5 3\n" },
		{ "mlx5 1\n", 1, "" },
		/* a warning is kept whole, or left out */
		{ "x\n[1] ------------[ cut here ]------------\nWARNING: a\nModules: rdma_rxe\nRIP: b\n"
		  "[1] ---[ end trace 0 ]---\ny\n",
		  512,
		  "[1] ------------[ cut here ]------------\nWARNING: a\nModules: rdma_rxe\nRIP: b\n"
		  "[1] ---[ end trace 0 ]---\n" },
		{ "--[ cut here ]--\nWARNING: a\n---[ end trace 0 ]---\nmlx5 1\n", 512, "mlx5 1\n" },
		{ "mlx5 1\n---[ end trace 0 ]---\n", 512, "mlx5 1\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char log[512], text[512];

		strcpy(log, rows[i].log);
		mr_kernel_log_choose(log, text, rows[i].size);
		assert_string_equal(text, rows[i].chosen);
	}
}
