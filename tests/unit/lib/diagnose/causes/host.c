// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Causes in limits, control groups, firmware and sandboxes of hosts, recorded ones among them. */
#include "tests/unit/lib/diagnose/causes/cause.h"

EACH_TEST(set_up, tear_down)

static struct mr_region_request request;

/* A refused call about @length bytes at 1 MiB. */
static void refuse(const char *call, int errnum, uint64_t length, uint32_t access)
{
	const bool is_dmabuf = !strcmp(call, "ibv_reg_dmabuf_mr");

	environment = (struct mr_environment){ .provider = "mlx5", .device = "mlx5_0" };
	request = (struct mr_region_request){ .call = is_dmabuf ? MR_REG_DMABUF_MR : MR_REG_MR,
					      .addr = is_dmabuf ? 0 : MIB,
					      .length = length,
					      .access = access };
	refusal =
		(struct mr_refusal){ .call = call, .errnum = errnum, .environment = &environment, .request = &request };
}

static void refuse_call(const struct refused *row)
{
	refuse(row->what, row->errnum, row->length, row->access);
}

#define EXPECT(rows) expect_rows(rows, ARRAY_SIZE(rows), refuse_call)
#define REG          "ibv_reg_mr"
#define DMABUF       "ibv_reg_dmabuf_mr"
#define TIB          (GIB << 10)

/* ---- limits ---- */

#define STATUS(line) "/proc/self/status " line "\n"
#define USER         STATUS("PPid:\t900") STATUS("Uid:\t1000\t1000\t1000\t1000") STATUS("CapEff:\t0")
#define LIMITS(both) "/proc/self/limits Max locked memory " both " " both " bytes\n"
#define CGROUP       "/sys/fs/cgroup/system.slice/"
#define JOB          CGROUP "slurmstepd.scope/job_1/"

TEST(limits)
{
	static const struct refused rows[] = {
		{ "@memlock-lowered", REG, ENOMEM, GIB, WRITE, "MR-MEMLOCK", CERTAIN,
		  "RLIMIT_MEMLOCK is 8 MiB; lowered in containerd" },
		{ "", REG, ENOMEM, GIB, WRITE, "MR-IPC-LOCK", UNRELATED, "" },
		{ "", REG, ENOMEM, 8 * MIB, WRITE, "MR-MEMLOCK", RULED_OUT, "" },
		{ "", REG, ENOMEM, 8 * MIB, WRITE, "", 0, "" },
		/* pages as the kernel counts them: of the limit two and a part */
		{ "/proc/self/limits Max locked memory 12287 unlimited bytes", REG, ENOMEM, 8192, WRITE, "MR-MEMLOCK",
		  RULED_OUT, "" },
		{ "", REG, ENOMEM, 8193, WRITE, "MR-MEMLOCK", CERTAIN, "" },
		{ "", REG, ENOMEM, UINT64_C(1) << 45, WRITE, "", 0, "" }, /* too many to count: EINVAL */
		{ "", REG, ENOMEM, UINT64_MAX - 4096, WRITE, "", 0, "" }, /* wraps: EINVAL */
		{ "", REG, ENOMEM, GIB, ON_DEMAND, "", 0, "" },
		{ "", REG, ENOMEM, GIB, MR_ACCESS_REMOTE_WRITE, "", 0, "" }, /* is EINVAL */
		{ "@memlock-lowered\n" USER STATUS("VmPin:\t8188 kB"), REG, ENOMEM, 4096, WRITE, "MR-MEMLOCK",
		  RULED_OUT, "" },
		{ "", REG, ENOMEM, 4097, WRITE, "MR-MEMLOCK", CERTAIN, "7.9 MiB are pinned, this call needs 8 KiB" },
		{ USER, REG, ENOMEM, 4097, WRITE, "MR-MEMLOCK", UNRELATED, "" },  /* unknown use */
		{ USER, REG, ENOMEM, 9 * MIB, WRITE, "MR-MEMLOCK", CERTAIN, "" }, /* of no matter */
		{ "@healthy\n" LIMITS("0"), REG, EPERM, 4096, WRITE, "MR-MEMLOCK-ZERO", CERTAIN, "" },
		{ "", REG, ENOMEM, 4096, WRITE, "MR-MEMLOCK", POSSIBLE, "" },
		{ LIMITS("65536"), REG, EPERM, 4096, WRITE, "MR-MEMLOCK-ZERO", RULED_OUT, "" },
		{ "", REG, EPERM, 4096, WRITE, "", 0, "" },
		{ "@container-inert-ipc-lock", REG, ENOMEM, GIB, WRITE, "MR-MEMLOCK", CERTAIN, "" },
		{ "", REG, ENOMEM, GIB, WRITE, "MR-IPC-LOCK", LIKELY, "user is not root" },
		{ "", REG, ENOMEM, MIB, WRITE, "MR-IPC-LOCK", UNRELATED, "" },
		{ "@rootless", REG, ENOMEM, GIB, WRITE, "MR-USERNS", LIKELY, "" },
		{ "@container-privileged", REG, ENOMEM, GIB, WRITE, "MR-MEMLOCK", RULED_OUT, "" },
		{ LIMITS("0"), REG, EPERM, GIB, WRITE, "MR-MEMLOCK-ZERO", RULED_OUT, "" },
		{ "", REG, ENOMEM, GIB, WRITE, "", 0, "" },
	};

	EXPECT(rows);
}

TEST(control_groups)
{
	static const struct refused rows[] = {
		{ "@cgroup-rdma-full", REG, EAGAIN, 4096, WRITE, "MR-CGROUP-RDMA", CERTAIN,
		  "job_1 has 1000 of 1000 hca_object" },
		/* a handle is left, and an object not always needed */
		{ "", "ibv_open_device", EAGAIN, 0, 0, "MR-CGROUP-RDMA", FIRST_LIKELY, "" },
		{ "", "ibv_rereg_mr", EAGAIN, 4096, WRITE, "MR-CGROUP-RDMA", UNRELATED, "" },
		{ JOB "rdma.max mlx5_1 hca_handle=0 hca_object=0\n" JOB "rdma.current mlx5_1 hca_handle=0 hca_object=0",
		  REG, EAGAIN, 4096, WRITE, "MR-CGROUP-RDMA", UNRELATED, "" },
		{ JOB "rdma.max mlx5_0 hca_handle=100 hca_object=max\n" JOB "rdma.current mlx5_0 hca_handle=96 hca_object=300",
		  "ibv_open_device", EAGAIN, 0, 0, "MR-CGROUP-RDMA", RULED_OUT, "" },
		{ CGROUP "rdma.max mlx5_0 hca_handle=max hca_object=2000\n" CGROUP
			 "rdma.current mlx5_0 hca_handle=9 hca_object=2000",
		  REG, EAGAIN, 4096, WRITE, "MR-CGROUP-RDMA", CERTAIN, "2000 of 2000" },
		{ "@cgroup-job", REG, ENOMEM, TIB, WRITE, "MR-CGROUP-MEMORY", LIKELY, "" },
		{ "", REG, ENOMEM, TIB, WRITE, "", 0, "" },
	};

	EXPECT(rows);
}

TEST(memory_and_sandboxes)
{
	static const struct refused rows[] = {
		{ "@kexec-handover", REG, ENOMEM, 16 * GIB, WRITE, "MR-CMA", FIRST_LIKELY, "kho=off" },
		{ "", REG, ENOMEM, MIB, WRITE, "MR-CMA", POSSIBLE, "" },
		{ "", REG, ENOMEM, GIB, ON_DEMAND, "MR-CMA", UNRELATED, "" },
		{ "@healthy\n/proc/meminfo MemTotal: 527958016 kB\n/proc/meminfo MemFree: 402653184 kB\n"
		  "/proc/meminfo MemAvailable: 478150656 kB\n/proc/meminfo SwapFree: 0 kB\n"
		  "/proc/meminfo CmaTotal: 67108864 kB\n/proc/meminfo CmaFree: 66060288 kB",
		  REG, ENOMEM, 450 * GIB, WRITE, "MR-CMA", FIRST_LIKELY, "" },
		{ "", REG, ENOMEM, GIB, WRITE, "MR-CMA", RULED_OUT, "" },
		{ "@healthy", REG, ENOMEM, TIB, WRITE, "MR-AVAILABLE", LIKELY, "" },
		{ "", REG, ENOMEM, MIB, WRITE, NULL, 0, "" },
		{ "", REG, ENOMEM, MIB, WRITE, "MR-AVAILABLE", RULED_OUT, "" },
		{ "@iommu-translation", DMABUF, ENOMEM, 63 * GIB, WRITE, "MR-IOMMU", FIRST_LIKELY, "iommu=pt" },
		{ "", DMABUF, ENOMEM, GIB - 1, WRITE, "MR-IOMMU", UNRELATED, "" },
		{ "-/calls/sys/bus/pci/devices/0000:c1:00.0/iommu_group.link", DMABUF, ENOMEM, GIB, WRITE, "MR-IOMMU",
		  RULED_OUT, "" },
		{ "@healthy\n" STATUS("Seccomp:\t2"), REG, EPERM, MIB, WRITE, "MR-SECCOMP", POSSIBLE, "" },
		{ STATUS("Seccomp:\t0"), REG, EPERM, MIB, WRITE, "MR-SECCOMP", UNRELATED, "" },
		/* the filter may have answered */
		{ "@memlock-lowered\n" USER STATUS("Seccomp:\t2"), REG, ENOMEM, GIB, WRITE, "MR-MEMLOCK", FIRST_LIKELY,
		  "" },
		{ "", REG, ENOMEM, GIB, WRITE, "MR-SECCOMP", POSSIBLE, "" },
		{ "", REG, EINVAL, 0, MR_ACCESS_REMOTE_WRITE, "MR-ACCESS-LOCAL-WRITE", CERTAIN, "" },
		{ USER STATUS("Seccomp:\t0"), REG, ENOMEM, GIB, WRITE, "MR-MEMLOCK", CERTAIN, "" },
		{ "@healthy", REG, ENOTTY, MIB, WRITE, "MR-SANDBOX-IOCTL", UNRELATED, "" },
		{ "/proc/version Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016", REG, ENOTTY, MIB, WRITE,
		  "MR-SANDBOX-IOCTL", FIRST_LIKELY, "" },
		{ "/proc/version Linux version 4.19.0-gvisor", REG, EINVAL, MIB, WRITE, "MR-SANDBOX-IOCTL", POSSIBLE,
		  "" },
		{ "# segments of shared memory\n/proc/sys/kernel/shmmni 2\n/proc/sysvipc/shm        key      shmid\n"
		  "/proc/sysvipc/shm          0 1\n/proc/sysvipc/shm          0 2",
		  "shmget", ENOSPC, MIB, WRITE, "MR-SHMMNI", LIKELY, "kernel.shmmni is 2" },
		{ "/proc/sys/kernel/shmmni 3", "shmget", ENOSPC, MIB, WRITE, "MR-SHMMNI", RULED_OUT, "" },
		{ "/sys/class/infiniband/mlx5_0/node_guid 0000:0000:0000:0000", "ibv_create_qp", ENODEV, 0, 0,
		  "MR-NODE-GUID", POSSIBLE, "node GUID of mlx5_0 is 0" },
		{ "/sys/class/infiniband/mlx5_0/node_guid 0200:00ff:fe6d:7263", "ibv_create_qp", ENODEV, 0, 0,
		  "MR-NODE-GUID", RULED_OUT, "" },
	};

	EXPECT(rows);
}

/* ---- firmware ---- */

#define IN(layer) MR_IN_LAYER(layer)

static struct mr_proven proven;

/* It is proven that @function refused, and that the firmware answered @command by @status (0: no answer is known). */
static void prove(const char *function, uint32_t layers, const char *command, uint64_t status)
{
	const struct mr_kernel_function *found = mr_kernel_functions;

	while (found->name && strcmp(found->name, function) != 0)
		found++;
	assert_non_null(found->name);
	proven = (struct mr_proven){ .layers = layers, .layer = MR_LAYER_FIRMWARE };
	proven.chain.count = 1;
	proven.chain.links[0] = (struct mr_chain_link){ found, refusal.errnum };
	snprintf(proven.firmware.command, sizeof(proven.firmware.command), "%s", command);
	proven.firmware.status = (struct mr_opt_u64){ status, status != 0 };
	proven.firmware.syndrome = (struct mr_opt_u64){ 0x5ca1e8, true };
	refusal.proven = &proven;
}

TEST(what_is_proven_of_the_firmware)
{
	static const struct {
		const char *call, *function;
		uint32_t layers;
		const char *command;
		uint64_t status;
		int errnum;
		const char *id;
		unsigned int certainty;
	} rows[] = {
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 8, ENOMEM, "MR-FW-LIMIT", CERTAIN },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 3, ENOMEM, "MR-FW-LIMIT", UNRELATED },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 15, EAGAIN, "MR-FW-RESOURCES", CERTAIN },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 6, EBUSY, "MR-FW-BUSY", CERTAIN },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 1, EIO, "MR-FW-INTERNAL", CERTAIN },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 4, EIO, "MR-FW-INTERNAL", CERTAIN },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 3, EINVAL, "MR-FW-REFUSED", CERTAIN },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 5, EINVAL, "MR-FW-REFUSED", CERTAIN },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 5, EINVAL, "MR-FW-RELAXED-ONLY", UNRELATED },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 3, EINVAL, "MR-FW-RELAXED-ONLY", POSSIBLE },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_UMEM", 3, EINVAL, "MR-FW-RELAXED-ONLY", UNRELATED },
		{ "ibv_open_device", "mlx5_cmd_exec", IN(FIRMWARE), "ALLOC_UAR", 8, ENOMEM, "MR-FW-LIMIT", CERTAIN },
		/* a command that is not known */
		{ "ibv_alloc_pd", "mlx5_cmd_exec", IN(FIRMWARE), "", 0, ENOMEM, "MR-FW-LIMIT", CERTAIN },
		{ "ibv_alloc_pd", "mlx5_cmd_exec", IN(FIRMWARE), "", 0, EAGAIN, "MR-FW-RESOURCES", CERTAIN },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "", 0, EINVAL, "MR-FW-REFUSED", CERTAIN },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE) | IN(DRIVER), "", 0, ENOMEM, "MR-FW-LIMIT", UNRELATED },
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 0, ENOMEM, "MR-FW-LIMIT", UNRELATED },
		{ REG, "cmd_exec", IN(FIRMWARE), "", 0, ENOMEM, "MR-FW-LIMIT", UNRELATED },
		{ REG, "cmd_exec", IN(FIRMWARE) | IN(DRIVER), "", 0, ETIMEDOUT, "MR-FW-COMMANDS", CERTAIN },
		{ REG, "cmd_exec", IN(FIRMWARE) | IN(DRIVER), "", 0, EIO, "MR-FW-COMMANDS", CERTAIN },
		{ REG, "mlx5r_umr_post_send_wait", IN(FIRMWARE), "", 0, EFAULT, "MR-FW-UMR", CERTAIN },
		{ REG, "__get_user_pages", IN(MEMORY), "", 0, EFAULT, "MR-FW-UMR", UNRELATED },
		/* a proof excludes causes of other layers */
		{ REG, "mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 8, ENOMEM, "MR-MEMLOCK", RULED_OUT },
		{ REG, "__get_user_pages", IN(MEMORY), "", 0, ENOMEM, "MR-MEMLOCK", CERTAIN },
	};

	change(LIMITS("1024") USER STATUS("VmPin:\t0 kB"));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		refuse(rows[i].call, rows[i].errnum, 4096, WRITE);
		prove(rows[i].function, rows[i].layers, rows[i].command, rows[i].status);
		expect_cause(rows[i].command, rows[i].id, rows[i].certainty, "");
		if (rows[i].certainty == CERTAIN && rows[i].layers == IN(FIRMWARE))
			assert_int_equal(diagnosis.layer, MR_LAYER_FIRMWARE);
	}
	refuse(REG, EINVAL, 4096, WRITE | MR_ACCESS_RELAXED_ORDERING);
	prove("mlx5_cmd_exec", IN(FIRMWARE), "CREATE_MKEY", 3);
	expect_cause("relaxed", "MR-FW-RELAXED-ONLY", RULED_OUT, "");
	strcpy(environment.provider, "rxe");
	expect_cause("rxe", "MR-FW-RELAXED-ONLY", UNRELATED, "");
}

#define PLACE   "/calls/sys/class/infiniband/mlx5_0/device"
#define LOGGED  PLACE ".link ../../../0000:00:10.0\n/calls/mlx5-log.answer "
#define COUNTER "/sys/kernel/debug/mlx5/0000:c1:00.0/commands/ALLOC_UAR/"

TEST(what_the_kernels_log_and_counters_tell)
{
	static const struct refused rows[] = {
		{ LOGGED "CREATE_MKEY status=8 syndrome=6070760 errno=12 age_ns=2000000000", REG, ENOMEM, 4096, WRITE,
		  "MR-FW-LIMIT", LIKELY, "has just refused CREATE_MKEY by LIM_ERR" },
		{ "", REG, EAGAIN, 4096, WRITE, "MR-FW-RESOURCES", UNRELATED, "" },
		{ "/sys/class/infiniband/mlx5_0/fw_pages 7", REG, ENOMEM, 4096, WRITE, "MR-FW-PAGES", POSSIBLE,
		  "7 pages" },
		{ "/sys/class/infiniband/mlx5_0/fw_pages 0", REG, ENOMEM, 4096, WRITE, "MR-FW-PAGES", UNRELATED, "" },
		{ LOGGED "CREATE_MKEY status=8 syndrome=6070760 errno=12 age_ns=5000000000", REG, ENOMEM, 4096, WRITE,
		  "MR-FW-LIMIT", UNRELATED, "" },
		{ LOGGED "garbage", REG, ENOMEM, 4096, WRITE, "MR-FW-LIMIT", UNRELATED, "" },
		{ "# UARs\n/sys/class/infiniband/mlx5_0/device/vendor 0x15b3\n" PLACE
		  ".link ../../../0000:c1:00.0\n" PLACE "/driver.link ../../../../mlx5_core\n" COUNTER "n 7\n" COUNTER
		  "failed 0",
		  "ibv_open_device", ENOMEM, 0, 0, "MR-UAR", RULED_OUT, "" },
		{ COUNTER "failed 3", "ibv_open_device", ENOMEM, 0, 0, "MR-UAR", FIRST_LIKELY, "" },
	};

	EXPECT(rows);
}
