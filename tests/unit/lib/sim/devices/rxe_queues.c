// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queues of the simulated rxe device, which programs map.  This runs under "mrctl sim --profile rxe". */
#define DRIVER_ID RDMA_DRIVER_RXE
#define NODE      "/dev/infiniband/uverbs251"
#include "tests/unit/lib/sim/queues.h"

static uint32_t cq;

static int open_with_cq(void **state)
{
	open_device(state);
	return create_cq(100, &cq);
}

static struct rxe_queue_buf *map_ring(const struct mminfo *info)
{
	void *ring = mmap(NULL, info->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			  (off_t)info->offset);

	assert_ptr_not_equal(ring, MAP_FAILED);
	return ring;
}

static void assert_ring(const struct mminfo *info, uint32_t count, uint32_t shift)
{
	struct rxe_queue_buf *ring = map_ring(info);

	assert_int_equal(ring->index_mask, count - 1);
	assert_int_equal(ring->log2_elem_size, shift);
	assert_int_equal(ring->producer_index | ring->consumer_index, 0);
	assert_true(info->size >= sizeof(*ring) + ((uint64_t)count << shift));
	ring->data[((uint64_t)count << shift) - 1] = 1;
	munmap(ring, info->size);
}

TEST(rings_have_a_power_of_2_of_entries)
{
	uint32_t handle;

	assert_int_equal(cqe, 127);
	assert_ring(&driver.rxe_cq.mi, 128, 6);
	assert_int_equal(create_srq(20, 2, &handle), 0);
	assert_int_equal(srq_answer()->max_wr, 31);
	assert_int_equal(driver.rxe_srq.srq_num, handle + 1);
	assert_ring(&driver.rxe_srq.mi, 32, 7);
	cap = (struct ib_uverbs_qp_cap){ 16, 8, 2, 2, 300 };
	assert_int_equal(create_qp(IB_UVERBS_QPT_RC, cq, &handle), 0);
	assert_ring(&driver.rxe_qp.sq_mi, 32, 9);
	assert_ring(&driver.rxe_qp.rq_mi, 16, 7);
	assert_int_equal(cap.max_send_wr, 31);
	assert_int_equal(cap.max_recv_wr, 15);
	assert_int_equal(cap.max_send_sge, 18); /* as many as the inline data has room for */
	assert_int_equal(cap.max_inline_data, 300);
	assert_int_equal(query_qp(handle).max_send_wr, 31);
}

TEST(queues_beyond_the_limits_are_refused)
{
	uint32_t handle;

	assert_int_equal(create_cq(0, &handle), EINVAL);
	assert_int_equal(create_cq(1 << 15, &handle), EINVAL);
	assert_int_equal(create_srq(0, 1, &handle), EINVAL);
	assert_int_equal(create_srq((1 << 20) + 1, 1, &handle), EINVAL);
	assert_int_equal(create_srq(1, 28, &handle), EINVAL);
#define REFUSED_CAP(...)                                                                           \
	do {                                                                                       \
		cap = (struct ib_uverbs_qp_cap){ __VA_ARGS__ };                                    \
		assert_int_equal(create_qp(IB_UVERBS_QPT_RC, cq, &handle), EINVAL);                \
	} while (0)
	REFUSED_CAP((1 << 20) + 1, 1, 1, 1, 0);
	REFUSED_CAP(1, (1 << 20) + 1, 1, 1, 0);
	REFUSED_CAP(1, 1, 33, 1, 0);
	REFUSED_CAP(1, 1, 1, 33, 0);
	REFUSED_CAP(1, 1, 1, 1, 513);
}

TEST(a_ring_is_mapped_at_its_offset_while_its_queue_exists)
{
	const struct mminfo info = driver.rxe_cq.mi;
	struct rxe_queue_buf *ring = map_ring(&info);

	assert_ptr_equal(mmap(NULL, info.size + PAGE, PROT_READ, MAP_SHARED, fd, (off_t)info.offset),
			 MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, (off_t)(info.offset + PAGE)),
			 MAP_FAILED);
	assert_int_equal(destroy_cq(cq), 0);
	assert_ptr_equal(mmap(NULL, info.size, PROT_READ, MAP_SHARED, fd, (off_t)info.offset),
			 MAP_FAILED);
	munmap(ring, info.size);
}

TEST(a_cq_is_armed_by_the_kernel)
{
	struct ib_uverbs_req_notify_cq in = { .cq_handle = cq };
	struct request request;

	init_write(&request, IB_USER_VERBS_CMD_REQ_NOTIFY_CQ, &in, sizeof(in), NULL, 0);
	assert_int_equal(send_to(&request, fd), 0);
	in.cq_handle = pd;
	init_write(&request, IB_USER_VERBS_CMD_REQ_NOTIFY_CQ, &in, sizeof(in), NULL, 0);
	assert_int_equal(send_to(&request, fd), EINVAL);
}

TEST(the_limit_of_an_srq_needs_data_of_the_driver)
{
	const struct rxe_modify_srq_cmd data = { 0 };
	struct ib_uverbs_modify_srq in = { .attr_mask = IBV_SRQ_LIMIT, .srq_limit = 31 };
	struct ib_uverbs_query_srq_resp resp;
	struct request request;

	assert_int_equal(create_srq(20, 2, &in.srq_handle), 0);
	init_write(&request, IB_USER_VERBS_CMD_MODIFY_SRQ, &in, sizeof(in), NULL, 0);
	assert_int_equal(send_to(&request, fd), EINVAL);
	attr(&request, UVERBS_ATTR_UHW_IN, sizeof(data), 0);
	assert_int_equal(send_to(&request, fd), 0);
	assert_int_equal(query_srq(in.srq_handle, &resp), 0);
	assert_int_equal(resp.srq_limit, 31);
	in.srq_limit = 32;
	assert_int_equal(send_to(&request, fd), EINVAL);
}

TEST(a_path_needs_a_gid)
{
	struct ib_uverbs_modify_qp in;
	uint32_t handle;

	cap = (struct ib_uverbs_qp_cap){ 1, 1, 1, 1, 0 };
	assert_int_equal(create_qp(IB_UVERBS_QPT_RC, cq, &handle), 0);
	assert_int_equal(set_state(handle, IBV_QPS_INIT, TO_INIT), 0);
	in = qp_change(handle, IBV_QPS_RTR, TO_RTR);
	in.dest.is_global = 0;
	assert_int_equal(change_qp(&in), EINVAL);
	in.dest.is_global = 1;
	assert_int_equal(change_qp(&in), 0);
	assert_int_equal(set_state(handle, IBV_QPS_RTS, TO_RTS), 0);
	assert_int_equal(set_state(handle, IBV_QPS_SQD, IBV_QP_STATE), 0);
}

EACH_TEST(open_with_cq, close_device)
