// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines as programs have logged them, from their sources and from reports of their users. */
#include <inttypes.h>

#include "lib/diagnose/log/log.h"
#include "tests/unit/unit.h"

/* A line, and what is read of it: "CALL ERRNO address length access", without what is not there. */
struct sample {
	const char *text, *read;
};

static void add(char *text, size_t size, const char *name, struct mr_opt_u64 number)
{
	if (number.known)
		snprintf(text + strlen(text), size - strlen(text), "%s%" PRIx64, name,
			 number.value);
}

static void expect(const struct sample *sample)
{
	struct mr_log_line line;
	const bool is_read = mr_log_line_read(&line, sample->text, strlen(sample->text));
	char text[160];

	snprintf(text, sizeof(text), "%s %d", line.call ? line.call : "-", line.errnum);
	add(text, sizeof(text), " at ", line.addr);
	add(text, sizeof(text), " of ", line.length);
	add(text, sizeof(text), " access ", line.access);
	if (strcmp(text, sample->read) != 0)
		fail_msg("'%s': '%s', not '%s'", sample->text, text, sample->read);
	assert_equal_for(sample->text, is_read,
			 line.remark || (line.call && (line.errnum || line.has_failed)));
}

/* One sample of each way to write a call, an errno, or a number; tests/cli/explain.bats has more. */
static const struct sample samples[] = {
	/* UCX */
	{ "[1643394930.916487] [n3:1292923:0]  ib_md.c:816  UCX  ERROR ibv_reg_mr("
	  "address=0x7f56f0f20ba0, length=10485760, access=0x10000f) failed: Invalid argument",
	  "ibv_reg_mr 22 at 7f56f0f20ba0 of a00000 access 10000f" },
	{ "ibv_reg_mr(address=0x1000, length=8192, access=0xf) failed: Cannot allocate memory : Please "
	  "set max locked memory (ulimit -l) to 'unlimited' (current: 64 kbytes)",
	  "ibv_reg_mr 12 at 1000 of 2000 access f" },
	{ "ibv_exp_reg_mr(address=0x1000, length=8192, exp_access=0x1f) failed: Bad address",
	  "ibv_reg_mr 14 at 1000 of 2000 access 1f" },
	{ "Error: Out of memory (mlx5_0: mlx5dv_devx_umem_reg(ptr=0x7f3372600000 size=65728) failed: Bad "
	  "address)",
	  "mlx5dv_devx_umem_reg 14 at 7f3372600000 of 100c0" },
	{ "failed to register region 0x55aa [0x7f0000001000..0x7f0000003000]: Input/output error",
	  "ibv_reg_mr 5 at 7f0000001000 of 2000" },
	{ "rcache.c:534  UCX  WARN  failed to register region 0x9c03e0 [0x108abb0..0x108cbb0]: Input/output error",
	  "- 0 at 108abb0 of 2000" },
	{ "ib_iface.c:1017 UCX  ERROR ibv_create_cq(cqe=4096) failed: Cannot allocate memory",
	  "ibv_create_cq 12" },
	/* NCCL */
	{ "n1:4711:4800 [0] misc/ibvwrap.cc:288 NCCL WARN Call to ibv_reg_dmabuf_mr failed with error "
	  "Operation not supported errno 95",
	  "ibv_reg_dmabuf_mr 95" },
	/* libfabric, and programs on it */
	{ "fi_mr_reg failed, ret is:-12", "ibv_reg_mr 12" },
	{ "libfabric::efa:mr:efa_mr_reg_impl():893<warn> Unable to register MR of 11279546368 bytes: Bad "
	  "address, flags 0",
	  "ibv_reg_mr 14 of 2a0503800" },
	{ "fi_mr_regattr(access=0x3c00) = -FI_ENOMEM", "ibv_reg_mr 12" },
	/* others */
	{ "RdmaTransport: Failed to register memory: addr 0x7f4cfa000000 length 4885774336",
	  "ibv_reg_mr 0 at 7f4cfa000000 of 123370000" },
	{ "Couldn't allocate MR with error=14", "ibv_reg_mr 14" },
	{ "Failed to create MR", "ibv_reg_mr 0" },
	{ "PyverbsRDMAError: Failed to register a MR. Errno: 22, Invalid argument",
	  "ibv_reg_mr 22" },
	{ "mlx5_common: Fail to create MR for address (0x7f73b1200000,2147483648), rte_errno=12",
	  "ibv_reg_mr 12 at 7f73b1200000 of 80000000" },
	{ "transport_ib_common.cpp:57: NULL value mem registration failed. Reason: Bad address",
	  "ibv_reg_mr 14" },
	{ "RegisterRdmaMemoryRegion failed! accessFlag:15, errno:22", "ibv_reg_mr 22 access f" },
	{ "Check failed: mr = ibv_reg_mr(pd_, p, size, IBV_ACCESS_LOCAL_WRITE | "
	  "IBV_ACCESS_REMOTE_WRITE): Cannot allocate memory, sa.size()=2359296",
	  "ibv_reg_mr 12 of 240000 access 3" },
	{ "ibv_reg_mr failed [error code: 14]", "ibv_reg_mr 14" },
	{ "ibv_alloc_pd(ctx): ok; ibv_reg_mr(pd, 0x1000, 4096, 1): Bad address", "ibv_reg_mr 14" },
	{ "ibv_alloc_pd(ctx): not ok; ibv_reg_mr(pd): Bad address", "ibv_alloc_pd 14" },
	{ "retrying ibv_open_device: EPERM", "ibv_open_device 1" },
	{ "failed to register memory, length of 8192: EINVAL", "ibv_reg_mr 22 of 2000" },
	{ "failed to register memory: EOPNOTSUPP, dmabuf", "ibv_reg_dmabuf_mr 95" },
	{ "ibv_reg_mr failed, ret=4294966772", "ibv_reg_mr 524" },
	{ "ibv_reg_mr of 2 gigabytes: EINVAL", "ibv_reg_mr 22 of 80000000" },
	{ "ibv_reg_mr: out of memory", "ibv_reg_mr 12" },
	{ "ibv_reg_dmabuf_mr(...) failed: Unknown error 524", "ibv_reg_dmabuf_mr 524" },
	{ "[82047.691057] mlx5_1:mr_umem_get:766:(pid 63518): umem get failed (-95)",
	  "ibv_reg_mr 95" },
	{ "rdma_rxe: err -12 from rxe_umem_get", "ibv_reg_mr 12" },
	{ "cannot deregister memory: Device or resource busy", "ibv_dereg_mr 16" },
	{ "EFAULT: len 0x2000 @ addr=4096 flags: 0x5 by wrap_ibv_reg_mr",
	  "ibv_reg_mr 14 at 1000 of 2000 access 5" },
	{ "efa_domain_hmem_info_init_cuda():177<info> Unable to register CUDA device buffer via dmabuf: Protocol "
	  "not supported. Fall back to ibv_reg_mr",
	  "ibv_reg_dmabuf_mr 93" },
	{ "node1.77 reg_mr failed: 0x7f2200000000:0x7f22003fffff (len 0x400000) access 0x1: Cannot allocate memory",
	  "ibv_reg_mr 12 at 7f2200000000 of 400000 access 1" },
	{ "Unexpected error -28 (No space left on device) from fi_mr_regattr() when binding segment "
	  "[0x7fd2c0000000, 0x7fd6e6800000) to EP 8",
	  "ibv_reg_mr 28 at 7fd2c0000000 of 426800000" },
	{ "Failed to register GPU memory from 0x7c1cda000000 to 0x7c1cdc000000 in mlx5_0: Bad address [14]",
	  "ibv_reg_mr 14 at 7c1cda000000 of 2000000" },
	{ "ibv_reg_mr failed: 14", "ibv_reg_mr 14" },
	{ "mana_0: Failed to create mr -71, 0", "ibv_reg_mr 71" },
	{ "ibv_reg_mr failed at line: 14", "ibv_reg_mr 0" },
	{ "rdma: registration of 8.0 GiB failed with ENOMEM", "ibv_reg_mr 12 of 200000000" },
	{ "reg_mr of 1.5GB at 0x7f0000000000 failed: Cannot allocate memory",
	  "ibv_reg_mr 12 at 7f0000000000 of 60000000" },
	{ "efa_mr_reg_impl():849<warn> Unable to register MR of 146800640 bytes: Bad address, total mr reg "
	  "size 79699968, mr reg count 3",
	  "ibv_reg_mr 14 of 8c00000" },
	{ "infiniband bnxt_re0: Failed to register user MR - rc = 0xfffffff4", "ibv_reg_mr 12" },
	{ "ibv_reg_mr failed, ret=4294967274", "ibv_reg_mr 22" },
	{ "libfabric:gni:mr:create():1345<warn> failed to register memory with uGNI, ret=-22", "- 0" },
	{ "libibverbs: Warning: RLIMIT_MEMLOCK is 32768 bytes.", "ibv_reg_mr 0" },
	{ "ibv_reg_mr err 12 device mlx4_0 addr 0x4000000000 len 8388608 KB",
	  "ibv_reg_mr 12 at 4000000000 of 200000000" },
	{ "ibv_reg_mr(addr=0x1000, len=2G) failed: Bad address (14)",
	  "ibv_reg_mr 14 at 1000 of 80000000" },
	{ "cannot register memory region of 1,073,741,824 bytes: EINVAL",
	  "ibv_reg_mr 22 of 40000000" },
	{ "VERBS: RLIMIT_MEMLOCK is 32768 bytes: register memory failed", "ibv_reg_mr 0" },
	{ "Failed to export DM as dmabuf fd: Operation not supported",
	  "ibv_dm_export_dmabuf_fd 95" },
	{ "mlx5_common: Failed to register umem for CQ.", "mlx5dv_devx_umem_reg 0" },
	{ "Failed registering a memory region of size 2147483648 bytes",
	  "ibv_reg_mr 0 of 80000000" },
	{ "Failed to register local dest ram block!: Cannot allocate memory", "ibv_reg_mr 12" },
	{ "registeration failed with errno: Cannot allocate memory", "ibv_reg_mr 12" },
	{ "mana_0: Failed to get dmabuf umem, -95", "ibv_reg_dmabuf_mr 95" },
	{ "bnxt_re1: Failed to get umem dmabuf: -95", "ibv_reg_dmabuf_mr 95" },
	{ "rdma_create_ep: Cannot allocate memory", "ibv_create_qp 12" },
	{ "Failed to register memory (2 MB pages): EINVAL", "ibv_reg_mr 22" },
	{ "hns_0: failed to alloc mtr bufs, ret = -12.", "ibv_reg_mr 12" },
	{ "rdma_create_qp failed: errno 12: Cannot allocate memory", "ibv_create_qp 12" },
	{ "create qp: failed on ibv_cmd_create_qp with 22", "ibv_create_qp 22" },
	{ "gf_rdma_register_arena] 0-rdma: allocation of mr failed (Cannot allocate memory)", "ibv_reg_mr 12" },
	{ "Registerable memory:     32768 MiB", "ibv_reg_mr 0" },
	{ "create_mkey(0x200) op_mod(0x0) failed, status bad parameter(0x3), syndrome (0x35e6ec)", "ibv_reg_mr 22" },
	{ "Memlock must be big enough for registered memory", "ibv_reg_mr 0" },
	{ "irdma0: [Allocate STag Cmd Error][op_code=9] status=-28 waiting=1", "ibv_reg_mr 28" },
	{ "hns_0: failed to create mpt, ret = -12.", "ibv_reg_mr 12" },
	{ "siw: MR[STag 0x1a2b3c]: pin memory failed, rv -12", "ibv_reg_mr 12" },
	{ "Failed to reg mr starting at 0x7f0000000000 for pd 3 with err 22", "ibv_reg_mr 22 at 7f0000000000" },
	{ "Memory registration failed with -12 at com.ibm.disni", "ibv_reg_mr 12" },
	{ "Can't register 64GB of memory: Cannot allocate memory", "ibv_reg_mr 12 of 1000000000" },
	{ "rdma_create_if: Queue Pair create failed [errno 12]", "ibv_create_qp 12" },
	{ "Unable to create send CQ of size 5080: Cannot allocate memory", "ibv_create_cq 12" },
	{ "failed to register [0x7f0000000000+0x200000]: Bad address",
	  "ibv_reg_mr 14 at 7f0000000000 of 200000" },
	{ "cannot register buffer at 140737488355328 (size 4096): EFAULT",
	  "ibv_reg_mr 14 at 800000000000 of 1000" },
	{ "Unable to register MR buf (Invalid argument): 0x7ffc94c94c40 len: 0",
	  "ibv_reg_mr 22 at 7ffc94c94c40 of 0" },
	{ "ibv_reg_mr: errno=12 buf=0x1000 bytes=65536", "ibv_reg_mr 12 at 1000 of 10000" },
	{ "{\"msg\":\"ibv_reg_mr failed\",\"errno\":12,\"addr\":\"0x1000\",\"length\":4096}",
	  "ibv_reg_mr 12 at 1000 of 1000" },
	{ "\x1b[31mibv_reg_mr: \x1b[1mBad address\x1b[0m", "ibv_reg_mr 14" },
	{ "RDMAStack failed to register 1073741824 bytes of rdma memory: (12) Cannot allocate memory",
	  "ibv_reg_mr 12 of 40000000" },
	{ "mlx4_core 0000:03:00.0: SW2HW_MPT failed (-5)", "ibv_reg_mr 5" },
	/* words of other owners of memory in lines about RDMA, and prefixes that name no program */
	{ "qemu-kvm: rdma migration: Failed to register chunk: Cannot allocate memory", "ibv_reg_mr 12" },
	{ "RuntimeError: failed to register memory: Cannot allocate memory", "ibv_reg_mr 12" },
	{ "node07: failed to register memory: Cannot allocate memory", "ibv_reg_mr 12" },
	{ "trainer[33]: failed to register memory: Cannot allocate memory", "ibv_reg_mr 12" },
	{ "no se pudo registrar la memoria con ibv_reg_mr", "ibv_reg_mr 0" },
	/* memory of other subsystems, and registrations of other things */
	{ "vfio_pin_pages_remote: RLIMIT_MEMLOCK (4194304) exceeded", "- 0" },
	{ "cannot limit locked memory of process 87 to 4294967296: EPERM", "- 1" },
	{ "cufio:1185 cuFileBufRegister error, object allocation failed", "- 0" },
	{ "Failed to register memory cgroup notifier: EINVAL", "- 0" },
	{ "io_uring: failed to register buffers: Cannot allocate memory", "- 0" },
	{ "ivshmem: cannot register memory region for BAR2: EINVAL", "- 22" },
	{ "storage: failed to register memory: Cannot allocate memory", "ibv_reg_mr 12" },
	{ "registering memory failed: EFAULT in jemalloc", "- 14" },
	{ "genpd: failed to create pd node: -12", "- 0" },
	{ "postgres: failed to process memory: registering a region failed: EFAULT", "- 14" },
	{ "node registration failed: Cannot allocate memory", "- 0" },
	{ "registration failed: Connection refused", "- 111" },
	/* numbers that are no errno */
	{ "ERROR 12:30:11 ibv_reg_mr(addr=0x1000)", "ibv_reg_mr 0 at 1000" },
	{ "ibv_reg_mr: error 12:30:11", "ibv_reg_mr 0" },
	{ "ibv_reg_mr: error 12: 30 times", "ibv_reg_mr 12" },
	{ "[ERROR] 14 ibv_reg_mr", "ibv_reg_mr 0" },
	{ "ibv_reg_mr returned -1", "ibv_reg_mr 0" },
	{ "ibv_reg_mr: status 12", "ibv_reg_mr 0" },
	{ "ibv_reg_mr: try 12.", "ibv_reg_mr 0" },
	{ "ibv_reg_mr: error 9999999999999999999999", "ibv_reg_mr 0" },
	{ "ibv_reg_mr: errno=0", "ibv_reg_mr 0" },
	{ "ibv_reg_mr: -14 of 20 failed", "ibv_reg_mr 0" },
	{ "ibv_reg_mr: 14) failed", "ibv_reg_mr 0" },
	{ "ibv_reg_mr: (14 failed", "ibv_reg_mr 0" },
	{ "ibv_reg_mr: (14) failed", "ibv_reg_mr 0" },
	{ "ibv_reg_mr failed, page_shift(14)", "ibv_reg_mr 0" },
	{ "ibv_reg_mr: Bad addresses", "ibv_reg_mr 0" },
	{ "ibv_reg_mr: aBad address", "ibv_reg_mr 0" },
	/* numbers that are no range */
	{ "failed to register memory region [0x3000..0x1000]: Bad address", "ibv_reg_mr 14 at 3000" },
	{ "failed to register memory region [0x1000..0x1000]: Bad address", "ibv_reg_mr 14 at 1000" },
	{ "failed to register memory region [0x1000..8192]: Bad address", "ibv_reg_mr 14 at 1000" },
	{ "failed to register memory region [0x1000.]: Bad address", "ibv_reg_mr 14 at 1000" },
	{ "open of a file: Bad address", "- 0" },
	{ "0x1000..0x", "- 0" },
	/* commands of the firmware; before Linux 5.17 there is no errno */
	{ "mlx5_cmd_check:816:(pid 0): CREATE_MKEY(0x200) op_mod(0x0) failed, status limits "
	  "exceeded(0x8), syndrome (0x59c8a4)",
	  "ibv_reg_mr 12" },
};

TEST(lines_of_programs_are_read)
{
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		expect(&samples[i]);
}

static struct mr_log_line read_line(const char *text)
{
	struct mr_log_line line;

	mr_log_line_read(&line, text, strlen(text));
	return line;
}

TEST(the_device_tells_the_provider)
{
	static const char *const names[] = { "mlx5_0",  "mlx4_1",   "rxe0",  "siw_eth0", "efa_0",
					     "erdma_0", "irdma0",   "hns_0", "qedr0",    "ionic_0",
					     "cxgb4_0", "bnxt_re3", "mana_0" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char text[64];
		struct mr_log_line line;

		snprintf(text, sizeof(text), "%s: ibv_reg_mr failed: EINVAL", names[i]);
		line = read_line(text);
		assert_string_equal(line.device, names[i]);
		assert_true(!strncmp(line.device, line.provider, strlen(line.provider)) &&
			    line.provider[0]);
	}
	assert_string_equal(read_line("rdma_rxe: err -12 from rxe_umem_get").provider, "rxe");
}

TEST(commands_of_the_firmware_have_status_and_syndrome)
{
	struct mr_log_line line = read_line(
		"mlx5_core 0000:08:00.1: mlx5_cmd_out_err:808:(pid 194797): CREATE_MKEY(0x200) "
		"op_mod(0x0) failed, status bad parameter(0x3), syndrome (0x3bf6f), err(-22)");

	assert_string_equal(line.command, "CREATE_MKEY");
	assert_string_equal(line.provider, "mlx5");
	assert_int_equal(line.status.value, 3);
	assert_int_equal(line.syndrome.value, 0x3bf6f);
	assert_int_equal(line.errnum, EINVAL);
	assert_int_equal(line.other_errnum, 0);
	line = read_line("CREATE_MKEY(0x200) op_mod(0x0) failed, status limits exceeded(0x8), "
			 "syndrome (0x18af6), err(-11)");
	assert_int_equal(line.other_errnum, ENOMEM);
	line = read_line("MODIFY_QP(0x500) op_mod(0x0) failed, status limits exceeded(0x8), "
			 "syndrome (0x1), err(-12)"); /* registers nothing */
	assert_null(line.call);
	assert_int_equal(line.errnum, ENOMEM);
	assert_string_equal(line.provider, "mlx5");
}

TEST(a_request_needs_address_length_and_access)
{
	static const char *const lacking[] = {
		"ibv_reg_mr(address=0x1000, length=8192): EINVAL",
		"ibv_reg_mr(address=0x1000, access=2): EINVAL",
		"ibv_reg_mr(length=8192, access=2): EINVAL",
		"ibv_dereg_mr(address=0x1000, length=8192, access=0x2): EINVAL",
		"ibv_reg_mr_iova2(addr=0x1000, length=8192, access=2): EINVAL",
	};
	struct mr_region_request request;
	struct mr_log_line line =
		read_line("ibv_reg_mr(address=0x1000, length=8192, access=0x2): EINVAL");

	assert_true(mr_log_line_request(&line, &request));
	assert_int_equal(request.call, MR_REG_MR);
	assert_int_equal(request.addr, 0x1000);
	assert_int_equal(request.length, 8192);
	assert_int_equal(request.access, 2);
	for (size_t i = 0; i < ARRAY_SIZE(lacking); i++) {
		line = read_line(lacking[i]);
		assert_equal_for(lacking[i], mr_log_line_request(&line, &request), false);
	}
}

TEST(a_line_that_is_too_long_is_not_read)
{
	static char text[MR_LOG_LINE_MAX + 1] = "ibv_reg_mr: EINVAL";
	struct mr_log_line line;

	assert_true(mr_log_line_read(&line, text, MR_LOG_LINE_MAX));
	assert_false(mr_log_line_read(&line, text, MR_LOG_LINE_MAX + 1));
}

TEST(a_line_about_several_calls_has_a_part_for_each)
{
	static const struct {
		const char *text;
		size_t part; /* 0: all of it */
	} rows[] = {
		{ "ibv_reg_dmabuf_mr: EINVAL, ibv_reg_mr: EFAULT", 27 },
		{ "ibv_reg_dmabuf_mr: EINVAL, falling back to ibv_reg_mr: EFAULT", 0 },
		{ "ibv_reg_dmabuf_mr or ibv_reg_mr: EFAULT", 0 },
		{ "ibv_reg_mr: EINVAL, ibv_reg_mr", 0 },
		{ "ibv_reg_mr: EINVAL, ibv_reg_mr: EINVAL", 0 },
		{ "ibv_alloc_pd(ctx): ok; ibv_reg_mr(pd): Bad address", 0 },
		{ "ibv_reg_mr: EINVAL, ibv_reg_mr: EFAULT", 20 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const size_t length = strlen(rows[i].text);

		assert_equal_for(rows[i].text, mr_log_line_part(rows[i].text, length),
				 rows[i].part ? rows[i].part : length);
	}
}

static bool has_topic(const char *text, const char *id)
{
	const uint64_t topics = read_line(text).topics;

	for (size_t i = 0; mr_log_topics[i].id; i++)
		if (topics >> i & 1 && !strcmp(mr_log_topics[i].id, id))
			return true;
	return false;
}

TEST(what_a_line_is_about_beside_its_call)
{
	assert_true(read_line("failed to register address 0x1000 (cuda): EFAULT").is_on_gpu);
	assert_false(read_line("failed to register the pgpu memory: EFAULT").is_on_gpu);
	assert_int_equal(read_line("ibv_reg_mr failed, ulimit -l (current: 64 kbytes)").limit.value,
			 65536);
	assert_int_equal(read_line("cannot register memory, Memlock limit: 65536").limit.value,
			 65536);
	assert_int_equal(read_line("cannot register memory, max locked memory (kbytes, -l) 64").limit.value,
			 65536);
	assert_true(read_line("ibv_reg_mr failed, memlock=unlimited").limit.value == UINT64_MAX);
	assert_false(read_line("ibv_reg_mr failed, set ulimit -l to 'unlimited'").limit.known);
	assert_true(has_topic("ibv_reg_mr err 12: increase device MTTs", "MR-MLX4-MTT"));
	assert_false(has_topic("ibv_reg_mr err 12", "MR-MLX4-MTT"));
	assert_true(read_line("RLIMIT_MEMLOCK too small").is_reason);
	assert_false(read_line("ibv_reg_mr failed: RLIMIT_MEMLOCK too small").is_reason);
	assert_non_null(read_line("libfabric:1:cxi:mr: Failed to register memory: EINVAL").remark);
	assert_non_null(read_line("nvme nvme0: failed to initialize MR pool sized 128").remark);
	assert_null(read_line("ibv_reg_mr failed: EINVAL").remark);
}
