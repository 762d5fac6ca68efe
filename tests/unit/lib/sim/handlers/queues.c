// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CQs, SRQs, QPs and channels of the simulated mlx5 device.  devices/rxe_queues.c has those of rxe. */
#include <poll.h>

#include "tests/unit/lib/sim/queues.h"

#define RECORDS 8192 /* CQs, SRQs and QPs that a context has room for */

static uint32_t cq;

static int open_with_cq(void **state)
{
	open_device(state);
	return create_cq(16, &cq);
}

/* ---- CQs ---- */

TEST(a_cq_has_a_power_of_2_of_entries)
{
	uint32_t other;

	assert_int_equal(cqe, 31);
	assert_int_equal(driver.cq.cqn, cq + 1);
	assert_int_equal(create_cq(15, &other), 0);
	assert_int_equal(cqe, 15);
	assert_int_equal(create_cq(0, &other), EINVAL);
	assert_int_equal(create_cq(1 << 22, &other), EINVAL);
	assert_int_equal(count_in(fd, UVERBS_OBJECT_CQ), 2);
}

/* Creates a CQ with one attribute of the request as @value. */
static int cq_with(size_t index, uint64_t value)
{
	const struct mlx5_ib_create_cq in = cq_data(memory + PAGE);
	struct request request;

	init_cq(&request, &in, 16);
	request.attrs[index].data = value;
	return send_to(&request, fd);
}

TEST(a_cq_with_wrong_attributes_is_refused)
{
	struct mlx5_ib_create_cq in = cq_data(memory + PAGE);

	assert_int_equal(cq_with(CQ_VECTOR, 7), 0);
	assert_int_equal(cq_with(CQ_VECTOR, 8), EINVAL);
	assert_int_equal(cq_with(CQ_RESP, 0), EFAULT);
	in.cqe_size = 32;
	assert_int_equal(cq_with(CQ_IN, (uintptr_t)&in), EINVAL);
	in = cq_data(NOT_MAPPED);
	assert_int_equal(cq_with(CQ_IN, (uintptr_t)&in), EFAULT);
	assert_int_equal(count_in(fd, UVERBS_OBJECT_CQ), 2);
}

static int cq_on(int channel)
{
	const struct mlx5_ib_create_cq in = cq_data(memory + PAGE);
	struct request request;

	init_cq(&request, &in, 16);
	attr(&request, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, 0, (uint64_t)(int64_t)channel);
	return send_to(&request, fd);
}

TEST(a_channel_is_open_and_empty)
{
	struct pollfd poll_channel = { .events = POLLIN };

	assert_int_equal(create_channel(&poll_channel.fd), 0);
	assert_int_equal(fcntl(poll_channel.fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(poll(&poll_channel, 1, 0), 0);
	assert_int_equal(cq_on(poll_channel.fd), 0);
	assert_int_equal(cq_on(fd), EBADF);
	close(poll_channel.fd);
	assert_int_equal(cq_on(poll_channel.fd), EBADF);
}

TEST(programs_of_mlx5_arm_cqs_without_the_kernel)
{
	const struct ib_uverbs_req_notify_cq arm = { .cq_handle = cq };
	struct request request;

	init_write(&request, IB_USER_VERBS_CMD_REQ_NOTIFY_CQ, &arm, sizeof(arm), NULL, 0);
	assert_int_equal(send_to(&request, fd), EOPNOTSUPP);
}

/* ---- SRQs ---- */

TEST(an_srq_has_a_power_of_2_of_entries)
{
	struct ib_uverbs_query_srq_resp resp;
	uint32_t srq;

	assert_int_equal(create_srq(100, 3, &srq), 0);
	assert_int_equal(srq_answer()->max_wr, 127);
	assert_int_equal(driver.srq.srqn, srq + 1);
	assert_int_equal(query_srq(srq, &resp), 0);
	assert_int_equal(resp.max_wr, 127);
	assert_int_equal(resp.max_sge, 3);
	assert_int_equal(create_srq(1 << 15, 1, &srq), EINVAL);
	assert_int_equal(create_srq(1, 32, &srq), EINVAL);
}

static int change_srq(uint32_t srq, uint32_t mask, uint32_t limit)
{
	const struct ib_uverbs_modify_srq in = {
		.srq_handle = srq, .attr_mask = mask, .max_wr = 50, .srq_limit = limit
	};
	struct request request;

	init_write(&request, IB_USER_VERBS_CMD_MODIFY_SRQ, &in, sizeof(in), NULL, 0);
	return send_to(&request, fd);
}

TEST(the_limit_of_an_srq_can_be_changed_and_its_size_not)
{
	struct ib_uverbs_query_srq_resp resp;
	uint32_t srq;

	assert_int_equal(create_srq(15, 1, &srq), 0);
	assert_int_equal(change_srq(srq, IBV_SRQ_LIMIT, 16), EINVAL);
	assert_int_equal(change_srq(srq, IBV_SRQ_LIMIT, 15), 0);
	assert_int_equal(change_srq(srq, IBV_SRQ_MAX_WR, 0), EINVAL);
	assert_int_equal(query_srq(srq, &resp), 0);
	assert_int_equal(resp.srq_limit, 15);
}

/* ---- QPs ---- */

TEST(qps_have_numbers_of_their_own)
{
	uint32_t first, second, numbers[2];

	assert_int_equal(create_qp(IB_UVERBS_QPT_RC, cq, &first), 0);
	numbers[0] = number;
	assert_int_equal(create_qp(IB_UVERBS_QPT_UD, cq, &second), 0);
	numbers[1] = number;
	assert_int_not_equal(numbers[0], numbers[1]);
	for (size_t i = 0; i < 2; i++)
		assert_true(numbers[i] > 1 && numbers[i] < 1 << 24);
	assert_int_equal(query_qp(first).max_recv_sge, 2);
}

/* Creates a QP with one attribute of the request as @value. */
static int qp_with(size_t index, uint64_t value)
{
	const struct mlx5_ib_create_qp in = qp_data(memory + 2 * PAGE);
	struct request request;

	init_qp(&request, &in, IB_UVERBS_QPT_RC, cq);
	request.attrs[index].data = value;
	return send_to(&request, fd);
}

TEST(a_qp_with_wrong_attributes_is_refused)
{
	struct mlx5_ib_create_qp in;

	assert_int_equal(qp_with(QP_TYPE, IB_UVERBS_QPT_XRC_INI), EOPNOTSUPP);
	assert_int_equal(qp_with(QP_TYPE, IB_UVERBS_QPT_DRIVER), EOPNOTSUPP);
	assert_int_equal(qp_with(QP_TYPE, 77), EINVAL);
	assert_int_equal(qp_with(QP_PD, cq), EINVAL);
	assert_int_equal(qp_with(QP_SEND_CQ, pd), EINVAL);
	assert_int_equal(qp_with(QP_RECV_CQ, 99), ENOENT);
	assert_int_equal(qp_with(QP_RESP_NUMBER, 0), EFAULT);
#define REFUSED_WITH(error, member, value)                                                         \
	do {                                                                                       \
		in = qp_data(memory + 2 * PAGE);                                                   \
		in.member = value;                                                                 \
		assert_int_equal(qp_with(QP_IN, (uintptr_t)&in), error);                           \
	} while (0)
	REFUSED_WITH(EINVAL, sq_wqe_count, 24);
	REFUSED_WITH(EINVAL, sq_wqe_count, 1 << 16);
	REFUSED_WITH(EINVAL, rq_wqe_count, 1 << 16);
	REFUSED_WITH(EINVAL, rq_wqe_shift, 40);
	REFUSED_WITH(EINVAL, uidx, 0xffffff);
	REFUSED_WITH(EFAULT, buf_addr, (uintptr_t)NOT_MAPPED);
	REFUSED_WITH(EOPNOTSUPP, flags, MLX5_QP_FLAG_TYPE_DCI);
	assert_int_equal(count_in(fd, UVERBS_OBJECT_QP), 0);
}

TEST(the_states_of_a_qp_follow_the_specification)
{
	struct ib_uverbs_query_qp_resp qp;
	uint32_t handle;

	assert_int_equal(create_qp(IB_UVERBS_QPT_RC, cq, &handle), 0);
	assert_int_equal(set_state(handle, IBV_QPS_RTR, TO_RTR), EINVAL);
	assert_int_equal(set_state(handle, IBV_QPS_ERR, IBV_QP_STATE), EINVAL);
	assert_int_equal(set_state(handle, IBV_QPS_INIT, TO_INIT & ~IBV_QP_PORT), EINVAL);
	assert_int_equal(set_state(handle, IBV_QPS_INIT, TO_INIT | IBV_QP_QKEY), EINVAL);
	assert_int_equal(set_state(handle, IBV_QPS_INIT, TO_INIT), 0);
	assert_int_equal(set_state(handle, IBV_QPS_RTR, TO_RTR), 0);
	assert_int_equal(set_state(handle, IBV_QPS_RTS, TO_RTS | IBV_QP_CUR_STATE), EINVAL);
	assert_int_equal(set_state(handle, IBV_QPS_RTS, TO_RTS), 0);
	qp = query_qp(handle);
	assert_int_equal(qp.qp_state, IBV_QPS_RTS);
	assert_int_equal(qp.qp_access_flags, IBV_ACCESS_REMOTE_READ);
	assert_int_equal(qp.path_mtu, IBV_MTU_1024);
	assert_int_equal(qp.dest_qp_num, number);
	assert_int_equal(qp.dest.sl, 3);
	assert_int_equal(qp.rq_psn, 7); /* 24 bits */
	assert_int_equal(qp.max_rd_atomic, 4);
	assert_int_equal(qp.retry_cnt, 7);
	assert_int_equal(set_state(handle, IBV_QPS_SQD, IBV_QP_STATE), EINVAL); /* not on mlx5 */
	assert_int_equal(set_state(handle, IBV_QPS_ERR, IBV_QP_STATE), 0);
	assert_int_equal(set_state(handle, IBV_QPS_RTS, TO_RTS), EINVAL);
	assert_int_equal(set_state(handle, IBV_QPS_RESET, IBV_QP_STATE), 0);
	assert_int_equal(query_qp(handle).qp_state, IBV_QPS_RESET);
	assert_int_equal(set_state(handle, 7, IBV_QP_STATE), EINVAL);
	assert_int_equal(set_state(handle, IBV_QPS_INIT, 1u << 25), EOPNOTSUPP);
}

TEST(datagrams_need_a_qkey_and_no_path)
{
	const uint32_t to_init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
	uint32_t handle;

	assert_int_equal(create_qp(IB_UVERBS_QPT_UD, cq, &handle), 0);
	assert_int_equal(set_state(handle, IBV_QPS_INIT, TO_INIT), EINVAL);
	assert_int_equal(set_state(handle, IBV_QPS_INIT, to_init), 0);
	assert_int_equal(set_state(handle, IBV_QPS_RTR, IBV_QP_STATE | IBV_QP_AV), EINVAL);
	assert_int_equal(set_state(handle, IBV_QPS_RTR, IBV_QP_STATE), 0);
	assert_int_equal(set_state(handle, IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
}

TEST(a_path_names_a_port_and_a_gid_that_exist)
{
	struct ib_uverbs_modify_qp in;
	uint32_t handle;

	assert_int_equal(create_qp(IB_UVERBS_QPT_RC, cq, &handle), 0);
	in = qp_change(handle, IBV_QPS_INIT, TO_INIT);
	in.port_num = 2;
	assert_int_equal(change_qp(&in), EINVAL);
	in.port_num = 1;
	in.pkey_index = 8;
	assert_int_equal(change_qp(&in), EINVAL);
	in.pkey_index = 0;
	assert_int_equal(change_qp(&in), 0);
#define REFUSED_PATH(error, member, value)                                                         \
	do {                                                                                       \
		in = qp_change(handle, IBV_QPS_RTR, TO_RTR);                                       \
		in.member = value;                                                                 \
		assert_int_equal(change_qp(&in), error);                                           \
	} while (0)
	REFUSED_PATH(EINVAL, dest.port_num, 2);
	REFUSED_PATH(ENODATA, dest.sgid_index, 1);
	REFUSED_PATH(EINVAL, dest.sgid_index, 8);
	REFUSED_PATH(EINVAL, path_mtu, 0);
	REFUSED_PATH(EINVAL, max_dest_rd_atomic, 17);
	assert_int_equal(query_qp(handle).qp_state, IBV_QPS_INIT);
}

TEST(the_extended_command_changes_a_qp_too)
{
	struct ib_uverbs_ex_modify_qp in = { 0 };
	struct ib_uverbs_ex_modify_qp_resp resp;
	struct request request;
	uint32_t handle;

	assert_int_equal(create_qp(IB_UVERBS_QPT_RC, cq, &handle), 0);
	in.base = qp_change(handle, IBV_QPS_INIT, TO_INIT);
	init_write(&request, IB_USER_VERBS_EX_CMD_MODIFY_QP | IB_USER_VERBS_CMD_FLAG_EXTENDED, &in,
		   sizeof(in), &resp, sizeof(resp));
	assert_int_equal(send_to(&request, fd), 0);
	assert_int_equal(resp.response_length, sizeof(resp));
	assert_int_equal(query_qp(handle).qp_state, IBV_QPS_INIT);
}

/* ---- all of them ---- */

TEST(objects_that_a_qp_uses_are_busy)
{
	uint32_t srq, qp;
	struct request request;
	struct mlx5_ib_create_qp in = qp_data(memory + 2 * PAGE);

	assert_int_equal(create_srq(16, 1, &srq), 0);
	in.rq_wqe_count = in.rq_wqe_shift = 0;
	init_qp(&request, &in, IB_UVERBS_QPT_RC, cq);
	attr(&request, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, 0, srq);
	assert_int_equal(send_to(&request, fd), 0);
	qp = (uint32_t)request.attrs[0].data;
	assert_int_equal(destroy_cq(cq), EBUSY);
	assert_int_equal(destroy_srq(srq), EBUSY);
	assert_int_equal(dealloc_pd(pd), EBUSY);
	assert_int_equal(destroy_qp(qp), 0);
	assert_int_equal(destroy_qp(qp), ENOENT);
	assert_int_equal(destroy_cq(srq), EINVAL);
	assert_int_equal(destroy_cq(cq), 0);
	assert_int_equal(dealloc_pd(pd), EBUSY); /* the SRQ */
	assert_int_equal(destroy_srq(srq), 0);
	assert_int_equal(dealloc_pd(pd), 0);
}

/* The doorbells of all queues are in the first page of the memory. */
TEST_IN_CHILD(buffers_of_queues_and_their_doorbell_page_are_locked_memory)
{
	uint32_t handles[3], more;

	EXPECT(!may_lock(5));
	EXPECT(!create_cq(100, &handles[0]));                  /* 2 pages, and the doorbells */
	EXPECT(!create_srq(100, 1, &handles[1]));              /* 1 page */
	EXPECT(!create_qp(IB_UVERBS_QPT_RC, cq, &handles[2])); /* 1 page */
	EXPECT(reg(memory, 1, LOCAL) == ENOMEM);
	EXPECT(create_cq(16, &more) == ENOMEM);
	/* the others keep the page with the doorbells */
	EXPECT(!destroy_cq(handles[0]));
	EXPECT(!reg(memory, 2 * PAGE, LOCAL));
	EXPECT(create_qp(IB_UVERBS_QPT_RC, cq, &more) == ENOMEM);
	EXPECT(!destroy_qp(handles[2]));
	EXPECT(!destroy_srq(handles[1]));
	EXPECT(!reg(memory, 3 * PAGE, LOCAL));
	EXPECT(reg(memory, 1, LOCAL) == ENOMEM);
	return 0;
}

TEST(a_doorbell_record_must_be_mapped)
{
	struct mlx5_ib_create_cq in = cq_data(memory + PAGE);

	in.db_addr = (uintptr_t)NOT_MAPPED;
	assert_int_equal(cq_with(CQ_IN, (uintptr_t)&in), EFAULT);
	assert_int_equal(count_in(fd, UVERBS_OBJECT_CQ), 1);
}

TEST(a_context_has_room_for_8192_queues)
{
	struct mlx5_ib_create_qp in = qp_data(NULL);
	struct request request;
	uint32_t last = 0;

	for (size_t i = 0; i < RECORDS; i++) {
		init_qp(&request, &in, IB_UVERBS_QPT_RC, cq);
		assert_int_equal(send_to(&request, fd), i < RECORDS - 1 ? 0 : ENOMEM);
		last = i < RECORDS - 1 ? (uint32_t)request.attrs[0].data : last;
	}
	assert_int_equal(destroy_qp(last), 0);
	assert_int_equal(create_qp(IB_UVERBS_QPT_RC, cq, &last), 0);
}

TEST(an_address_handle_keeps_its_pd_busy)
{
	struct ib_uverbs_create_ah in = { .pd_handle = pd, .attr = { .dlid = 1, .port_num = 1 } };
	struct ib_uverbs_create_ah_resp out;
	struct request request;

	destroy_cq(cq);
	init_write(&request, IB_USER_VERBS_CMD_CREATE_AH, &in, sizeof(in), &out, sizeof(out));
	assert_int_equal(send_to(&request, fd), 0);
	assert_int_equal(dealloc_pd(pd), EBUSY);
	assert_int_equal(destroy(fd, UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY,
				 UVERBS_ATTR_DESTROY_AH_HANDLE, out.ah_handle),
			 0);
	assert_int_equal(dealloc_pd(pd), 0);
	in.attr.port_num = 2;
	assert_int_equal(alloc_pd(fd, &in.pd_handle), 0);
	assert_int_equal(send_to(&request, fd), EINVAL);
}

EACH_TEST(open_with_cq, close_device)
