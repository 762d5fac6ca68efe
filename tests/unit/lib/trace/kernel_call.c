// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls to the kernel that libibverbs makes in other ways than in the guests. */
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "lib/trace/trace.h"
#include "tests/unit/unit.h"

/* Compares the whole record of a call that has failed. */
static void is_read_as(struct mr_kernel_event event, struct mr_trace_record expected)
{
	struct mr_trace_record record;

	event.begin_ns = 5;
	event.end_ns = 8;
	event.result = -EFAULT;
	expected.begin_ns = 5;
	expected.elapsed_ns = 3;
	expected.errnum = expected.kernel_errnum = EFAULT;
	expected.kernel_calls = 1;
	expected.flags |= MR_TRACE_KERNEL_SEEN;
	assert_true(mr_kernel_call_read(&event, &record));
	assert_string_equal(mr_traced_call_row(record.call)->name, mr_traced_call_row(expected.call)->name);
	assert_memory_equal(&record, &expected, sizeof(record));
	event.result = 1;
	assert_true(mr_kernel_call_read(&event, &record));
	assert_int_equal(record.errnum, 0);
}

#define COMMAND(name)  IB_USER_VERBS_CMD_##name
#define EXTENDED(name) (COMMAND(name) | IB_USER_VERBS_CMD_FLAG_EXTENDED)
#define CALL(name)     .call = MR_TRACED_##name

TEST(a_command_within_an_ioctl_is_read)
{
	static const struct {
		uint32_t command;
		union {
			struct ib_uverbs_reg_mr reg;
			struct ib_uverbs_rereg_mr rereg;
			struct ib_uverbs_create_cq cq;
			struct ib_uverbs_create_qp qp;
			struct ib_uverbs_create_srq srq;
			struct ib_uverbs_create_xsrq xsrq;
			uint64_t number; /* a request of up to 8 bytes is in the attribute itself */
		} in;
		struct mr_trace_record record;
	} rows[] = {
		{ COMMAND(REG_MR), { .reg = { .start = 16, .length = 9, .hca_va = 16, .access_flags = 1 } },
		  { CALL(IBV_REG_MR), .addr = 16, .iova = 16, .length = 9, .access = 1 } },
		{ COMMAND(REG_MR), { .reg = { .start = 16, .length = 9, .hca_va = 8, .access_flags = 2 } },
		  { CALL(IBV_REG_MR_IOVA), .addr = 16, .iova = 8, .length = 9, .access = 2, .flags = MR_TRACE_HAS_IOVA } },
		{ COMMAND(REREG_MR), { .rereg = { .mr_handle = 3, .flags = 5, .start = 16, .length = 9, .access_flags = 2 } },
		  { CALL(IBV_REREG_MR), .addr = 16, .length = 9, .access = 2, .call_flags = 5, .handle = 3,
		    .result = IBV_REREG_MR_ERR_CMD } },
		{ COMMAND(DEREG_MR), { .number = 3 }, { CALL(IBV_DEREG_MR), .handle = 3 } },
		{ COMMAND(ALLOC_PD), { .number = 0 }, { CALL(IBV_ALLOC_PD) } },
		{ COMMAND(DEALLOC_PD), { .number = 0 }, { CALL(IBV_DEALLOC_PD) } },
		{ COMMAND(CREATE_CQ), { .cq = { .cqe = 3 } }, { CALL(IBV_CREATE_CQ), .queue_bytes = 4 * 64 } },
		{ EXTENDED(CREATE_CQ), { .cq = { .cqe = 3 } }, { CALL(IBV_CREATE_CQ) } },
		{ COMMAND(CREATE_QP),
		  { .qp = { .max_send_wr = 2, .max_recv_wr = 3, .max_recv_sge = 2, .qp_type = IB_UVERBS_QPT_RC } },
		  { CALL(IBV_CREATE_QP), .queue_bytes = 2 * 64 + 3 * 2 * 16 } },
		{ COMMAND(CREATE_QP),
		  { .qp = { .max_send_wr = 2, .max_recv_wr = 3, .is_srq = 1, .qp_type = IB_UVERBS_QPT_RC } },
		  { CALL(IBV_CREATE_QP), .queue_bytes = 2 * 64 } },
		{ EXTENDED(CREATE_QP), { .qp = { .max_send_wr = 2 } }, { CALL(IBV_CREATE_QP) } },
		{ COMMAND(CREATE_SRQ), { .srq = { .max_wr = 3 } }, { CALL(IBV_CREATE_SRQ), .queue_bytes = 3 * 32 } },
		{ COMMAND(CREATE_XSRQ), { .xsrq = { .max_wr = 5 } }, { CALL(IBV_CREATE_SRQ), .queue_bytes = 5 * 32 } },
	};
	struct mr_kernel_event event = { .object = UVERBS_OBJECT_DEVICE, .method = UVERBS_METHOD_INVOKE_WRITE };
	struct mr_trace_record record;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		event.attributes = 2;
		event.attribute[0] = (struct mr_kernel_attribute){ .id = UVERBS_ATTR_CORE_IN, .length = 64 };
		event.attribute[1] = (struct mr_kernel_attribute){ UVERBS_ATTR_WRITE_CMD, 8, 0, rows[i].command };
		memset(event.block[0], 0, sizeof(event.block[0]));
		if (rows[i].command != IB_USER_VERBS_CMD_DEREG_MR)
			memcpy(event.block[0], &rows[i].in, sizeof(rows[i].in));
		else
			event.attribute[0] = (struct mr_kernel_attribute){ UVERBS_ATTR_CORE_IN, 8, 0, rows[i].in.number };
		is_read_as(event, rows[i].record);
	}
	event.attribute[1].data = IB_USER_VERBS_CMD_POLL_CQ;
	assert_false(mr_kernel_call_read(&event, &record));
	event.attribute[1].data = IB_USER_VERBS_CMD_REG_MR;
	event.attributes = 1;
	assert_false(mr_kernel_call_read(&event, &record));
}

#define METHOD(object_, method_, count)                                                                                \
	.object = UVERBS_OBJECT_##object_, .method = UVERBS_METHOD_##method_, .attributes = (count)
#define REG_MR .object = UVERBS_OBJECT_MR, .method = 5 /* UVERBS_METHOD_REG_MR */, .attributes = 3
#define UMEM_REG(count)                                                                                                \
	.object = MLX5_IB_OBJECT_DEVX_UMEM, .method = MLX5_IB_METHOD_DEVX_UMEM_REG, .attributes = (count)
#define ATTR(name, number) { .id = UVERBS_ATTR_##name, .data = (number) }
#define UMEM(name, number) { .id = MLX5_IB_ATTR_DEVX_UMEM_REG_##name, .data = (number) }
#define ALL_PAGES          (~UINT64_C(4095))

TEST(an_ioctl_is_read_by_its_attributes_in_any_order)
{
	static const struct {
		struct mr_kernel_event event;
		struct mr_trace_record record;
	} rows[] = {
		{ { METHOD(MR, REG_DMABUF_MR, 4),
		    .attribute = { ATTR(REG_DMABUF_MR_OFFSET, 8), ATTR(REG_DMABUF_MR_IOVA, 16),
				   { .id = 1U << UVERBS_ID_NS_SHIFT, .data = 1 }, ATTR(REG_DMABUF_MR_FD, 7),
				   ATTR(REG_DMABUF_MR_LENGTH, 9) /* beyond those that are counted */ } },
		  { CALL(MLX5DV_REG_DMABUF_MR), .addr = 8, .iova = 16, .call_flags = 1, .fd = 7,
		    .flags = MR_TRACE_HAS_FD | MR_TRACE_HAS_IOVA } },
		{ { REG_MR, .attribute = { { .id = 4, .data = 16 }, { .id = 8, .data = 6 }, { .id = 3, .data = 1 } } },
		  { CALL(IBV_REG_MR_EX), .addr = 16, .iova = 1, .flags = MR_TRACE_HAS_IOVA } },
		{ { REG_MR, .attribute = { { .id = 7, .data = 3 }, { .id = 8, .data = 6 }, { .id = 5, .data = 9 } } },
		  { CALL(IBV_REG_MR_EX), .addr = 6, .length = 9, .fd = 3, .flags = MR_TRACE_HAS_FD } },
		{ { METHOD(MR, MR_DESTROY, 1), .attribute = { ATTR(DESTROY_MR_HANDLE, 3) } },
		  { CALL(IBV_DEREG_MR), .handle = 3 } },
		{ { METHOD(PD, PD_DESTROY, 0) }, { CALL(IBV_DEALLOC_PD) } },
		{ { UMEM_REG(4), .attribute = { UMEM(ADDR, 16), UMEM(PGSZ_BITMAP, ALL_PAGES), UMEM(LEN, 9), UMEM(ACCESS, 1) } },
		  { CALL(MLX5DV_DEVX_UMEM_REG), .addr = 16, .length = 9, .access = 1, .page_sizes = ALL_PAGES } },
		{ { UMEM_REG(1), .attribute = { UMEM(PGSZ_BITMAP, 4096) } },
		  { CALL(MLX5DV_DEVX_UMEM_REG_EX), .page_sizes = 4096, .flags = MR_TRACE_HAS_PAGE_SIZES } },
		{ { UMEM_REG(1), .attribute = { UMEM(DMABUF_FD, 7) } },
		  { CALL(MLX5DV_DEVX_UMEM_REG_EX), .fd = 7, .flags = MR_TRACE_HAS_FD } },
		{ { METHOD(MR, ADVISE_MR, 3),
		    .attribute = { ATTR(ADVISE_MR_ADVICE, 1), { UVERBS_ATTR_ADVISE_MR_SGE_LIST, 2 * 16, 0, 0 },
				   ATTR(ADVISE_MR_FLAGS, 1) },
		    .block[1] = { 8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 0, 0, 3 } },
		  { CALL(IBV_ADVISE_MR), .access = 1, .call_flags = 1, .addr = 0x102030405060708, .length = 9, .lkey = 3,
		    .range_count = 2 } },
		{ { METHOD(CQ, CQ_CREATE, 1), .attribute = { ATTR(CREATE_CQ_CQE, 4) } },
		  { CALL(IBV_CREATE_CQ), .queue_bytes = 8 * 64 } },
		{ { METHOD(SRQ, SRQ_CREATE, 1), .attribute = { ATTR(CREATE_SRQ_MAX_WR, 4) } },
		  { CALL(IBV_CREATE_SRQ), .queue_bytes = 4 * 32 } },
		{ { METHOD(QP, QP_CREATE, 2), .attribute = { ATTR(CREATE_QP_TYPE, IB_UVERBS_QPT_UD), ATTR(CREATE_QP_CAP, 0) },
		    .block[1] = { 4, 0, 0, 0, 1 } },
		  { CALL(IBV_CREATE_QP), .queue_bytes = 4 * 64 + 16 } },
		{ { METHOD(QP, QP_CREATE, 3),
		    .attribute = { ATTR(CREATE_QP_SRQ_HANDLE, 0), ATTR(CREATE_QP_CAP, 0),
				   ATTR(CREATE_QP_TYPE, IB_UVERBS_QPT_RC) },
		    .block[1] = { 4, 0, 0, 0, 1 } },
		  { CALL(IBV_CREATE_QP), .queue_bytes = 4 * 64 } },
	};
	/* A process may count more attributes than are copied. */
	struct mr_kernel_event event = { METHOD(MR, REG_DMABUF_MR, 60000),
					 .attribute = { ATTR(REG_DMABUF_MR_LENGTH, 4096), ATTR(REG_DMABUF_MR_FD, 7),
							{ UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, 0,
							  UINT64_C(0xffffffff00000005) } } };
	struct mr_trace_record record;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		is_read_as(rows[i].event, rows[i].record);
	is_read_as(event, (struct mr_trace_record){ CALL(IBV_REG_DMABUF_MR), .length = 4096, .fd = 7, .access = 5,
						    .flags = MR_TRACE_HAS_FD });
	event.object = UVERBS_OBJECT_WQ;
	assert_false(mr_kernel_call_read(&event, &record));
}
