// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines as programs have logged them, from their sources and from reports of their users. */
#include <errno.h>

#include "lib/diagnose/log/line.h"
#include "tests/unit/unit.h"

#define NONE UINT64_MAX

struct sample {
	const char *text;
	const char *call; /* NULL: none */
	int errnum;
	uint64_t addr, length, access;
};

static uint64_t value(struct mr_opt_u64 number)
{
	return number.known ? number.value : NONE;
}

static void check(const struct sample *sample)
{
	struct mr_log_line line;
	const bool is_read = mr_log_line_read(&line, sample->text, strlen(sample->text));

	assert_equal_for(sample->text, is_read, sample->call && sample->errnum);
	if (!sample->call != !line.call || (line.call && strcmp(line.call, sample->call) != 0))
		fail_msg("'%s': call %s", sample->text, line.call ? line.call : "none");
	assert_equal_for(sample->text, line.errnum, sample->errnum);
	assert_equal_for(sample->text, value(line.addr), sample->addr);
	assert_equal_for(sample->text, value(line.length), sample->length);
	assert_equal_for(sample->text, value(line.access), sample->access);
}

TEST(lines_of_programs_are_read)
{
	static const struct sample samples[] = {
		/* UCX */
		{ "[1643394930.916487] [n3:1292923:0]  ib_md.c:816  UCX  ERROR "
		  "ibv_reg_mr(address=0x7f56f0f20ba0, length=10485760, access=0x10000f) failed: "
		  "Invalid argument",
		  "ibv_reg_mr", EINVAL, 0x7f56f0f20ba0, 10485760, 0x10000f },
		{ "ibv_reg_mr(address=0x1000, length=8192, access=0xf) failed: Cannot allocate "
		  "memory : Please set max locked memory (ulimit -l) to 'unlimited' (current: 64 "
		  "kbytes)",
		  "ibv_reg_mr", ENOMEM, 0x1000, 8192, 0xf },
		{ "ibv_exp_reg_mr(address=0x1000, length=8192, exp_access=0x1f) failed: Bad address",
		  "ibv_reg_mr", EFAULT, 0x1000, 8192, 0x1f },
		{ "ib_md.c:1759 UCX DEBUG mlx5_0: ibv_reg_dmabuf_mr(fd=-1) returned Protocol not "
		  "supported, dmabuf is not supported",
		  "ibv_reg_dmabuf_mr", EPROTONOSUPPORT, NONE, NONE, NONE },
		{ "Error: Out of memory (mlx5_0: mlx5dv_devx_umem_reg(ptr=0x7f3372600000 "
		  "size=65728) failed: Bad address)",
		  "mlx5dv_devx_umem_reg", EFAULT, 0x7f3372600000, 65728, NONE },
		{ "ib_md.c:1925 UCX WARN ibv_dealloc_pd() failed: Device or resource busy",
		  "ibv_dealloc_pd", EBUSY, NONE, NONE, NONE },
		{ "failed to register region 0x55aa [0x7f0000001000..0x7f0000003000]: "
		  "Input/output error",
		  "ibv_reg_mr", EIO, 0x55aa, NONE, NONE },
		/* NCCL */
		{ "misc/ibvwrap.cc:278 NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot "
		  "allocate memory",
		  "ibv_reg_mr_iova2", ENOMEM, NONE, NONE, NONE },
		{ "n1:4711:4800 [0] misc/ibvwrap.cc:288 NCCL WARN Call to ibv_reg_dmabuf_mr failed "
		  "with error Operation not supported errno 95",
		  "ibv_reg_dmabuf_mr", EOPNOTSUPP, NONE, NONE, NONE },
		/* libfabric, and programs on it */
		{ "fi_mr_reg failed, ret is:-12", "ibv_reg_mr", ENOMEM, NONE, NONE, NONE },
		{ "libfabric:15409:1705531788::efa:mr:efa_mr_reg_impl():850<warn> Unable to "
		  "register MR: Cannot allocate memory",
		  "ibv_reg_mr", ENOMEM, NONE, NONE, NONE },
		{ "libfabric::efa:mr:efa_mr_reg_impl():893<warn> Unable to register MR of "
		  "11279546368 bytes: Bad address, flags 0",
		  "ibv_reg_mr", EFAULT, NONE, 11279546368, NONE },
		{ "libfabric_rail.cpp:1362] fi_mr_reg failed on rail 2: Bad address "
		  "(buffer=0xe15fbdc00000, length=1048576, requested_key=0)",
		  "ibv_reg_mr", EFAULT, 0xe15fbdc00000, 1048576, NONE },
		{ "fi_mr_regattr(access=0x3c00) = -FI_ENOMEM", "ibv_reg_mr", ENOMEM, NONE, NONE,
		  NONE },
		{ "rxm_mr_regv():340<warn> Unable to register MSG MR", "ibv_reg_mr", 0, NONE, NONE,
		  NONE },
		/* Mooncake */
		{ "E1212 12:06:27.214640   865 rdma_context.cpp:205] Failed to register memory "
		  "0x7fd4ad548000: Bad address [14]",
		  "ibv_reg_mr", EFAULT, 0x7fd4ad548000, NONE, NONE },
		{ "RdmaTransport: Failed to register memory: addr 0x7f4cfa000000 length 4885774336",
		  "ibv_reg_mr", 0, 0x7f4cfa000000, 4885774336, NONE },
		/* perftest */
		{ "Couldn't allocate MR with error=14", "ibv_reg_mr", EFAULT, NONE, NONE, NONE },
		{ "Failed to create MR", "ibv_reg_mr", 0, NONE, NONE, NONE },
		/* rdma-core's tests */
		{ "pyverbs.pyverbs_error.PyverbsRDMAError: Failed to register a MR. Errno: 22, "
		  "Invalid argument",
		  "ibv_reg_mr", EINVAL, NONE, NONE, NONE },
		/* others */
		{ "*ERROR* peer.c: 173: rpma_peer_mr_reg: ibv_reg_mr() failed: Invalid argument",
		  "ibv_reg_mr", EINVAL, NONE, NONE, NONE },
		{ "mlx5_common: Fail to create MR for address (0x7f73b1200000,2147483648), "
		  "rte_errno=12",
		  "ibv_reg_mr", ENOMEM, 0x7f73b1200000, 2147483648, NONE },
		{ "transport_ib_common.cpp:57: NULL value mem registration failed. Reason: Bad "
		  "address",
		  "ibv_reg_mr", EFAULT, NONE, NONE, NONE },
		{ "RegisterRdmaMemoryRegion failed! accessFlag:15, errno:22", "ibv_reg_mr", EINVAL,
		  NONE, NONE, 15 },
		{ "Check failed: mr = ibv_reg_mr(pd_, p, size, IBV_ACCESS_LOCAL_WRITE | "
		  "IBV_ACCESS_REMOTE_WRITE): Cannot allocate memory, sa.size()=2359296",
		  "ibv_reg_mr", ENOMEM, NONE, 2359296, 3 },
		{ "ibv_reg_mr failed [error code: 14]", "ibv_reg_mr", EFAULT, NONE, NONE, NONE },
		{ "ibv_reg_dmabuf_mr(...) failed: Unknown error 524", "ibv_reg_dmabuf_mr", 524,
		  NONE, NONE, NONE },
		{ "[82047.691057] mlx5_1:mr_umem_get:766:(pid 63518): umem get failed (-95)",
		  "ibv_reg_mr", EOPNOTSUPP, NONE, NONE, NONE },
		{ "rdma_rxe: err -12 from rxe_umem_get", "ibv_reg_mr", ENOMEM, NONE, NONE, NONE },
		{ "efa_0: Failed to process command REG_MR (opcode 7) comp_status 1 err -12",
		  "ibv_reg_mr", ENOMEM, NONE, NONE, NONE },
		{ "cannot deregister memory: Device or resource busy", "ibv_dereg_mr", EBUSY, NONE,
		  NONE, NONE },
		/* in another order, with other signs */
		{ "EFAULT: len 0x2000 @ addr=4096 flags: 0x5 by wrap_ibv_reg_mr", "ibv_reg_mr",
		  EFAULT, 4096, 0x2000, 5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		check(&samples[i]);
}

TEST(numbers_that_are_no_errno_are_left)
{
	static const struct sample samples[] = {
		{ "ERROR 12:30:11 ibv_reg_mr(addr=0x1000)", "ibv_reg_mr", 0, 0x1000, NONE, NONE },
		{ "[ERROR] 14 ibv_reg_mr", "ibv_reg_mr", 0, NONE, NONE, NONE },
		{ "ibv_reg_mr returned -1", "ibv_reg_mr", 0, NONE, NONE, NONE },
		{ "ibv_reg_mr: status 12", "ibv_reg_mr", 0, NONE, NONE, NONE },
		{ "ibv_reg_mr: error 9999999999999999999999", "ibv_reg_mr", 0, NONE, NONE, NONE },
		{ "ibv_reg_mr: errno=0", "ibv_reg_mr", 0, NONE, NONE, NONE },
		{ "open of a file: Bad address", NULL, EFAULT, NONE, NONE, NONE },
		{ "nothing at all", NULL, 0, NONE, NONE, NONE },
		{ "", NULL, 0, NONE, NONE, NONE },
		{ "(", NULL, 0, NONE, NONE, NONE },
		{ "0x1000..0x", NULL, 0, NONE, NONE, NONE },
		{ "CREATE_MKEY(0x200", NULL, 0, NONE, NONE, NONE },
		{ "errno", NULL, 0, NONE, NONE, NONE },
		{ "-", NULL, 0, NONE, NONE, NONE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		check(&samples[i]);
}

static struct mr_log_line read_line(const char *text)
{
	struct mr_log_line line;

	mr_log_line_read(&line, text, strlen(text));
	return line;
}

TEST(commands_of_the_firmware_are_read)
{
	struct mr_log_line line = read_line(
		"mlx5_core 0000:08:00.1: mlx5_cmd_out_err:808:(pid 194797): CREATE_MKEY(0x200) "
		"op_mod(0x0) failed, status bad parameter(0x3), syndrome (0x3bf6f), err(-22)");

	assert_string_equal(line.command, "CREATE_MKEY");
	assert_string_equal(line.call, "ibv_reg_mr");
	assert_string_equal(line.provider, "mlx5");
	assert_int_equal(value(line.status), 3);
	assert_int_equal(value(line.syndrome), 0x3bf6f);
	assert_int_equal(line.errnum, EINVAL);
	assert_int_equal(line.other_errnum, 0);
	/* before Linux 5.17 there is no errno */
	line = read_line(
		"mlx5_cmd_check:816:(pid 0): CREATE_MKEY(0x200) op_mod(0x0) failed, status "
		"limits exceeded(0x8), syndrome (0x59c8a4)");
	assert_int_equal(line.errnum, ENOMEM);
	line = read_line("CREATE_MKEY(0x200) op_mod(0x0) failed, status limits exceeded(0x8), "
			 "syndrome (0x18af6), err(-11)");
	assert_int_equal(line.errnum, EAGAIN);
	assert_int_equal(line.other_errnum, ENOMEM);
	/* a command that registers nothing */
	line = read_line("CREATE_QP(0x500) op_mod(0x0) failed, status limits exceeded(0x8), "
			 "syndrome (0x1), err(-12)");
	assert_null(line.call);
	assert_int_equal(line.errnum, ENOMEM);
}

TEST(a_request_needs_address_length_and_access)
{
	struct mr_region_request request;
	struct mr_log_line line =
		read_line("ibv_reg_mr(address=0x1000, length=8192, access=0x2): EINVAL");

	assert_true(mr_log_line_request(&line, &request));
	assert_int_equal(request.call, MR_REG_MR);
	assert_int_equal(request.addr, 0x1000);
	assert_int_equal(request.length, 8192);
	assert_int_equal(request.access, 2);
	line = read_line("ibv_reg_mr(address=0x1000, length=8192): EINVAL");
	assert_false(mr_log_line_request(&line, &request));
	line = read_line("ibv_dereg_mr(address=0x1000, length=8192, access=0x2): EINVAL");
	assert_false(mr_log_line_request(&line, &request));
	line = read_line("ibv_reg_mr_iova2(addr=0x1000, length=8192, access=2): EINVAL");
	assert_false(mr_log_line_request(&line, &request));
}

TEST(hostile_lines_end_where_they_end)
{
	static char text[MR_LOG_LINE_MAX + 2];
	static const char parts[] = "(0x1000,[-err(=: \0\xff"
				    "ibv_reg_mr IBV_ACCESS_ _E0x..0x1 CREATE_MKEY(";
	struct mr_log_line line;

	for (size_t seed = 1; seed < 400; seed++) {
		for (size_t i = 0; i < sizeof(text); i++)
			text[i] = parts[(i * seed + i / seed) % sizeof(parts)];
		mr_log_line_read(&line, text, seed * 10 % sizeof(text));
	}
	memset(text, '(', sizeof(text));
	assert_false(mr_log_line_read(&line, text, MR_LOG_LINE_MAX));
	assert_false(mr_log_line_read(&line, text, MR_LOG_LINE_MAX + 1));
}
