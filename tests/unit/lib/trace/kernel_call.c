// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls to the kernel that libibverbs makes in other ways than in the guests. */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "lib/trace/trace.h"
#include "tests/unit/unit.h"

/* A call of INVOKE_WRITE with that command and a request of so many bytes. */
static struct mr_kernel_event invoked(uint32_t command, size_t size)
{
	return (struct mr_kernel_event){
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_INVOKE_WRITE,
		.attributes = 2,
		.attribute = { { .id = UVERBS_ATTR_CORE_IN, .length = (uint16_t)size },
			       { .id = UVERBS_ATTR_WRITE_CMD, .length = 8, .data = command } },
	};
}

TEST(a_command_within_an_ioctl_is_read)
{
	const struct ib_uverbs_reg_mr in = {
		.start = 0x7000, .length = 4096, .hca_va = 0x7000, .access_flags = 1
	};
	struct mr_kernel_event event = invoked(IB_USER_VERBS_CMD_REG_MR, sizeof(in));
	struct mr_trace_record record;

	event.begin_ns = 5;
	event.end_ns = 8;
	event.result = -EFAULT;
	memcpy(event.block[0], &in, sizeof(in));
	assert_true(mr_kernel_call_read(&event, &record));
	assert_int_equal(record.call, MR_TRACED_IBV_REG_MR);
	assert_int_equal(record.addr, 0x7000);
	assert_int_equal(record.length, 4096);
	assert_int_equal(record.access, 1);
	assert_int_equal(record.errnum, EFAULT);
	assert_int_equal(record.elapsed_ns, 3);
	event.attribute[1].data = IB_USER_VERBS_CMD_POLL_CQ;
	assert_false(mr_kernel_call_read(&event, &record));
}

/* A process may count more attributes than are copied. */
TEST(an_ioctl_is_read_by_its_attributes_in_any_order)
{
	struct mr_kernel_event event = {
		.object = UVERBS_OBJECT_MR,
		.method = UVERBS_METHOD_REG_DMABUF_MR,
		.attributes = 60000,
		.attribute = { { .id = UVERBS_ATTR_REG_DMABUF_MR_LENGTH, .length = 8, .data = 4096 },
			       { .id = UVERBS_ATTR_REG_DMABUF_MR_FD, .data = 7 },
			       { .id = UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
				 .length = 4,
				 .data = UINT64_C(0xffffffff00000005) } },
	};
	struct mr_trace_record record;

	assert_true(mr_kernel_call_read(&event, &record));
	assert_int_equal(record.call, MR_TRACED_IBV_REG_DMABUF_MR);
	assert_int_equal(record.length, 4096);
	assert_int_equal(record.fd, 7);
	assert_int_equal(record.access, 5);
	assert_int_equal(record.flags & (MR_TRACE_HAS_FD | MR_TRACE_HAS_IOVA), MR_TRACE_HAS_FD);
	assert_int_equal(record.errnum, 0);
	event.object = UVERBS_OBJECT_WQ;
	assert_false(mr_kernel_call_read(&event, &record));
}

TEST(queues_are_read_with_the_bytes_of_their_buffers)
{
	const struct ib_uverbs_create_qp qp = {
		.max_send_wr = 2, .max_recv_wr = 3, .max_recv_sge = 2, .qp_type = IB_UVERBS_QPT_RC
	};
	const struct ib_uverbs_qp_cap cap = { .max_send_wr = 4, .max_recv_wr = 1 };
	struct mr_kernel_event event = invoked(IB_USER_VERBS_CMD_CREATE_QP, sizeof(qp));
	struct mr_trace_record record;

	memcpy(event.block[0], &qp, sizeof(qp));
	assert_true(mr_kernel_call_read(&event, &record));
	assert_int_equal(record.call, MR_TRACED_IBV_CREATE_QP);
	assert_int_equal(record.queue_bytes, 2 * 64 + 3 * 2 * 16);
	event.attribute[1].data |= IB_USER_VERBS_CMD_FLAG_EXTENDED;
	assert_true(mr_kernel_call_read(&event, &record));
	assert_int_equal(record.call, MR_TRACED_IBV_CREATE_QP);
	assert_int_equal(record.queue_bytes, 0);
	event = (struct mr_kernel_event){
		.object = UVERBS_OBJECT_QP,
		.method = UVERBS_METHOD_QP_CREATE,
		.attributes = 2,
		.attribute = { { .id = UVERBS_ATTR_CREATE_QP_TYPE, .data = IB_UVERBS_QPT_UD },
			       { .id = UVERBS_ATTR_CREATE_QP_CAP, .length = sizeof(cap) } },
	};
	memcpy(event.block[1], &cap, sizeof(cap));
	assert_true(mr_kernel_call_read(&event, &record));
	assert_int_equal(record.queue_bytes, 4 * 64 + 16);
}
