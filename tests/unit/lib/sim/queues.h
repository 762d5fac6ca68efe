/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queues of the simulated device: short forms of their calls.  Functions that send one return 0 or its errno. */
#ifndef TESTS_UNIT_LIB_SIM_QUEUES_H
#define TESTS_UNIT_LIB_SIM_QUEUES_H

#include <infiniband/verbs.h>
#include <rdma/rdma_user_rxe.h>

#include "tests/unit/lib/sim/device.h"

/* The numbers of attributes that the tests change, by their order in the requests below. */
enum { CQ_CQE = 1, CQ_VECTOR = 3, CQ_RESP = 4, CQ_IN = 5 };
enum { QP_PD = 1, QP_SEND_CQ, QP_RECV_CQ, QP_CAP = 5, QP_TYPE, QP_RESP_CAP, QP_RESP_NUMBER, QP_IN };

/* The driver's answer to the last request. */
static union {
	struct mlx5_ib_create_cq_resp cq;
	struct mlx5_ib_create_srq_resp srq;
	struct mlx5_ib_create_qp_resp qp;
	struct rxe_create_cq_resp rxe_cq;
	struct rxe_create_srq_resp rxe_srq;
	struct rxe_create_qp_resp rxe_qp;
} driver;

static struct ib_uverbs_qp_cap cap = { 16, 16, 2, 2, 0 };
static uint32_t number; /* QPN of the last QP */
static uint32_t cqe;    /* as answered */

static inline void driver_data(struct request *request, const void *in, size_t size, size_t out)
{
	if (DRIVER_ID == RDMA_DRIVER_MLX5)
		pointer(request, UVERBS_ATTR_UHW_IN, size, in);
	pointer(request, UVERBS_ATTR_UHW_OUT, out, &driver);
}

static inline struct mlx5_ib_create_cq cq_data(const void *buffer)
{
	return (struct mlx5_ib_create_cq){ .buf_addr = (uintptr_t)buffer,
					   .db_addr = (uintptr_t)memory,
					   .cqe_size = 64 };
}

static inline void init_cq(struct request *request, const struct mlx5_ib_create_cq *in,
			   uint32_t count)
{
	init(request, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	attr(request, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
	attr(request, UVERBS_ATTR_CREATE_CQ_CQE, 4, count);
	attr(request, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8, 0x1234);
	attr(request, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4, 0);
	pointer(request, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4, &cqe);
	driver_data(request, in, sizeof(*in),
		    DRIVER_ID == RDMA_DRIVER_MLX5 ? sizeof(driver.cq) : sizeof(driver.rxe_cq));
}

static inline int create_cq(uint32_t count, uint32_t *handle)
{
	const struct mlx5_ib_create_cq in = cq_data(memory + PAGE);
	struct request request;
	int rc;

	init_cq(&request, &in, count);
	rc = send_to(&request, fd);
	*handle = (uint32_t)request.attrs[0].data;
	return rc;
}

static inline int destroy_answered(uint16_t object, uint16_t method, uint16_t id, uint16_t resp_id,
				   size_t size, uint64_t handle, void *resp)
{
	struct request request;

	init(&request, object, method);
	attr(&request, id, 0, handle);
	pointer(&request, resp_id, size, resp);
	return send_to(&request, fd);
}

static inline int destroy_cq(uint64_t handle)
{
	struct ib_uverbs_destroy_cq_resp resp;

	return destroy_answered(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY,
				UVERBS_ATTR_DESTROY_CQ_HANDLE, UVERBS_ATTR_DESTROY_CQ_RESP,
				sizeof(resp), handle, &resp);
}

static inline struct ib_uverbs_query_srq_resp *srq_answer(void)
{
	static struct ib_uverbs_query_srq_resp answer;

	return &answer;
}

static inline int create_srq(uint32_t max_wr, uint32_t max_sge, uint32_t *handle)
{
	const struct mlx5_ib_create_srq in = { .buf_addr = (uintptr_t)(memory + PAGE),
					       .db_addr = (uintptr_t)memory };
	struct request request;
	int rc;

	init(&request, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	attr(&request, UVERBS_ATTR_CREATE_SRQ_HANDLE, 0, 0);
	attr(&request, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, 0, pd);
	attr(&request, UVERBS_ATTR_CREATE_SRQ_TYPE, 8, IB_UVERBS_SRQT_BASIC);
	attr(&request, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 8, 0);
	attr(&request, UVERBS_ATTR_CREATE_SRQ_MAX_WR, 4, max_wr);
	attr(&request, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 4, max_sge);
	attr(&request, UVERBS_ATTR_CREATE_SRQ_LIMIT, 4, 0);
	pointer(&request, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 4, &srq_answer()->max_wr);
	pointer(&request, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4, &srq_answer()->max_sge);
	driver_data(&request, &in, sizeof(in),
		    DRIVER_ID == RDMA_DRIVER_MLX5 ? sizeof(driver.srq) : sizeof(driver.rxe_srq));
	rc = send_to(&request, fd);
	*handle = (uint32_t)request.attrs[0].data;
	return rc;
}

static inline int destroy_srq(uint64_t handle)
{
	struct ib_uverbs_destroy_srq_resp resp;

	return destroy_answered(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY,
				UVERBS_ATTR_DESTROY_SRQ_HANDLE, UVERBS_ATTR_DESTROY_SRQ_RESP,
				sizeof(resp), handle, &resp);
}

static inline int query_srq(uint32_t handle, struct ib_uverbs_query_srq_resp *resp)
{
	const struct ib_uverbs_query_srq in = { .srq_handle = handle };
	struct request request;

	init_write(&request, IB_USER_VERBS_CMD_QUERY_SRQ, &in, sizeof(in), resp, sizeof(*resp));
	return send_to(&request, fd);
}

/* A QP with 16 entries in each queue, of 32 and 64 bytes on mlx5. */
static inline struct mlx5_ib_create_qp qp_data(const void *buffer)
{
	return (struct mlx5_ib_create_qp){ .buf_addr = (uintptr_t)buffer,
					   .db_addr = (uintptr_t)memory,
					   .sq_wqe_count = 16,
					   .rq_wqe_count = 16,
					   .rq_wqe_shift = 5,
					   .uidx = 7 };
}

static inline void init_qp(struct request *request, const struct mlx5_ib_create_qp *in, uint64_t type,
			   uint32_t cq)
{
	init(request, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	attr(request, UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0);
	attr(request, UVERBS_ATTR_CREATE_QP_PD_HANDLE, 0, pd);
	attr(request, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, 0, cq);
	attr(request, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, 0, cq);
	attr(request, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8, 0);
	pointer(request, UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap), &cap);
	attr(request, UVERBS_ATTR_CREATE_QP_TYPE, 8, type);
	pointer(request, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(cap), &cap);
	pointer(request, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4, &number);
	driver_data(request, in, sizeof(*in),
		    DRIVER_ID == RDMA_DRIVER_MLX5 ? sizeof(driver.qp) : sizeof(driver.rxe_qp));
}

static inline int create_qp(uint64_t type, uint32_t cq, uint32_t *handle)
{
	const struct mlx5_ib_create_qp in = qp_data(memory + 2 * PAGE);
	struct request request;
	int rc;

	init_qp(&request, &in, type, cq);
	rc = send_to(&request, fd);
	*handle = (uint32_t)request.attrs[0].data;
	return rc;
}

static inline int destroy_qp(uint64_t handle)
{
	struct ib_uverbs_destroy_qp_resp resp;

	return destroy_answered(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY,
				UVERBS_ATTR_DESTROY_QP_HANDLE, UVERBS_ATTR_DESTROY_QP_RESP,
				sizeof(resp), handle, &resp);
}

#define TO_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define TO_RTR                                                                                     \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |            \
	 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define TO_RTS                                                                                     \
	(IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |     \
	 IBV_QP_MAX_QP_RD_ATOMIC)

/* A change that is right for any state. */
static inline struct ib_uverbs_modify_qp qp_change(uint32_t handle, uint8_t state, uint32_t mask)
{
	return (struct ib_uverbs_modify_qp){
		.dest = { .dlid = 1, .port_num = 1, .is_global = 1, .sl = 3 },
		.qp_handle = handle,
		.attr_mask = mask,
		.qp_state = state,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ,
		.port_num = 1,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = number,
		.rq_psn = 0x1000007,
		.sq_psn = 9,
		.max_rd_atomic = 3,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 12,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 6,
	};
}

static inline int change_qp(const struct ib_uverbs_modify_qp *in)
{
	struct request request;

	init_write(&request, IB_USER_VERBS_CMD_MODIFY_QP, in, sizeof(*in), NULL, 0);
	return send_to(&request, fd);
}

static inline int set_state(uint32_t handle, uint8_t state, uint32_t mask)
{
	const struct ib_uverbs_modify_qp in = qp_change(handle, state, mask);

	return change_qp(&in);
}

static inline struct ib_uverbs_query_qp_resp query_qp(uint32_t handle)
{
	const struct ib_uverbs_query_qp in = { .qp_handle = handle };
	struct ib_uverbs_query_qp_resp resp = { 0 };
	struct request request;

	init_write(&request, IB_USER_VERBS_CMD_QUERY_QP, &in, sizeof(in), &resp, sizeof(resp));
	assert_int_equal(send_to(&request, fd), 0);
	return resp;
}

static inline int create_channel(int *channel)
{
	const struct ib_uverbs_create_comp_channel in = { 0 };
	struct ib_uverbs_create_comp_channel_resp out;
	struct request request;
	int rc;

	init_write(&request, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, &in, sizeof(in), &out,
		   sizeof(out));
	rc = send_to(&request, fd);
	*channel = (int)out.fd;
	return rc;
}

#endif
