// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <stddef.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/devices/devices.h"
#include "lib/sim/memory/memory.h"
#include "lib/sim/path/path.h"
#include "lib/sim/state/queues.h"
#include "lib/sim/state/state.h"

#define SEND_WQE_SHIFT 6 /* ilog2(MLX5_SEND_WQE_BB) */
#define DATA_SEGMENT   16u
#define NEXT_SEGMENT   16u /* sizeof(struct mlx5_wqe_srq_next_seg) */
#define LEAST_SRQ_WQE  32u
#define MAX_WQES       (1u << 15) /* log_max_qp_sz, log_max_srq_sz */
#define NO_USER_INDEX  0xffffffu  /* MLX5_IB_DEFAULT_UIDX */

/* Flags of QPs that change nothing here; the others are of types and offloads that are not modelled. */
#define KNOWN_FLAGS                                                                                \
	(MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE | MLX5_QP_FLAG_BFREG_INDEX |    \
	 MLX5_QP_FLAG_UAR_PAGE_INDEX)

static struct sim_ring new_ring(uint64_t start, uint32_t count, uint32_t shift)
{
	return (struct sim_ring){
		.start = start, .size = (uint64_t)count << shift, .count = count, .shift = shift
	};
}

/* ib_umem_get() of a buffer, and mlx5_ib_db_map_user(): all queues of a process share the page of their doorbells. */
static int pin(struct sim_call *call, struct sim_queue_request *request, uint64_t addr,
	       uint64_t length, uint32_t access, uint64_t doorbell)
{
	const enum mr_sim_kernel kernel = call->table->kernel;
	struct sim_queue *queue = &request->queue;
	uint32_t page = 0;
	int rc;

	queue->owner = getpid();
	queue->doorbell_page = sim_round_down(doorbell, sim_page_size());
	queue->pins_doorbell = !sim_doorbell_sharer(call->table, queue);
	sim_call_unlock(call);
	rc = length ? sim_umem_pin(kernel, addr, length, access, &request->pinned) : 0;
	if (!rc && queue->pins_doorbell) {
		rc = sim_umem_pin(kernel, queue->doorbell_page, sim_page_size(), 0, &page);
		if (rc)
			sim_account_cancel(request->pinned);
	}
	request->pinned += page;
	return sim_call_relock(call, rc, request->pinned);
}

/* mlx5_ib_create_cq(), create_cq_user() */
static int create_cq(struct sim_call *call, struct sim_queue_request *request)
{
	const uint32_t max = (uint32_t)call->profile->attributes.max_cqe;
	struct sim_cq *cq = &request->queue.cq;
	struct mlx5_ib_create_cq cmd;
	uint64_t count;
	int rc;

	if (!cq->cqe || cq->cqe > max)
		return -EINVAL;
	rc = sim_call_data(call, &cmd, sizeof(cmd), offsetof(struct mlx5_ib_create_cq, flags));
	if (rc)
		return rc;
	if (cmd.cqe_size != 64 && cmd.cqe_size != 128)
		return -EINVAL;
	count = sim_round_up_to_power((uint64_t)cq->cqe + 1);
	cq->cqe = (uint32_t)count - 1;
	cq->ring = new_ring(cmd.buf_addr, (uint32_t)count, cmd.cqe_size == 64 ? 6 : 7);
	cq->doorbell = cmd.db_addr;
	sim_mlx5_disarm(cq);
	return pin(call, request, cmd.buf_addr, cq->ring.size, IB_UVERBS_ACCESS_LOCAL_WRITE,
		   cmd.db_addr);
}

/* mlx5_ib_create_srq(), create_srq_user() */
static int create_srq(struct sim_call *call, struct sim_queue_request *request)
{
	struct sim_srq *srq = &request->queue.srq;
	struct ib_uverbs_query_srq_resp *attr = &srq->attr;
	struct mlx5_ib_create_srq cmd;
	uint64_t size;
	int rc;

	if (attr->max_wr >= MAX_WQES ||
	    attr->max_sge > (uint32_t)call->profile->attributes.max_srq_sge)
		return -EINVAL;
	rc = sim_call_data(call, &cmd, sizeof(cmd), offsetof(struct mlx5_ib_create_srq, flags));
	if (!rc && (cmd.reserved0 || cmd.reserved1))
		rc = -EINVAL;
	if (rc)
		return rc;
	size = sim_round_up_to_power(NEXT_SEGMENT + attr->max_sge * DATA_SEGMENT);
	if (size < LEAST_SRQ_WQE)
		size = LEAST_SRQ_WQE;
	srq->ring = new_ring(cmd.buf_addr, (uint32_t)sim_round_up_to_power(attr->max_wr + 1),
			     (uint32_t)__builtin_ctzll(size));
	srq->doorbell = cmd.db_addr;
	attr->max_wr = srq->ring.count - 1;
	return pin(call, request, cmd.buf_addr, srq->ring.size, 0, cmd.db_addr);
}

/* get_qp_user_index(): with version 1 of CQEs the program numbers its QPs */
static int set_user_index(const struct sim_call *call, const struct mlx5_ib_create_qp *cmd,
			  struct sim_qp *qp)
{
	qp->user_index = NO_USER_INDEX;
	if (!call->table->header->cqe_version)
		return cmd->uidx == NO_USER_INDEX ? 0 : -EINVAL;
	if (cmd->uidx >= NO_USER_INDEX)
		return -EINVAL;
	qp->user_index = cmd->uidx;
	return 0;
}

/* create_user_qp(), set_rq_size(), set_user_buf_size() */
static int create_qp(struct sim_call *call, struct sim_queue_request *request)
{
	const size_t least = offsetof(struct mlx5_ib_create_qp, bfreg_index);
	const bool has_rq = request->queue.qp.srq == SIM_NO_HANDLE;
	struct sim_qp *qp = &request->queue.qp;
	struct mlx5_ib_create_qp cmd;
	int rc = sim_call_data(call, &cmd, sizeof(cmd), least);

	/* multicast is not modelled, and so nothing blocks its loopback */
	if (!rc && (cmd.flags & ~(uint32_t)KNOWN_FLAGS ||
		    request->flags & ~(uint32_t)IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK))
		rc = -EOPNOTSUPP;
	if (!rc)
		rc = set_user_index(call, &cmd, qp);
	if (rc)
		return rc;
	if (request->cap.max_recv_wr > MAX_WQES || cmd.sq_wqe_count > MAX_WQES ||
	    (cmd.sq_wqe_count & (cmd.sq_wqe_count - 1)) || cmd.rq_wqe_count > MAX_WQES ||
	    cmd.rq_wqe_shift > 31)
		return -EINVAL;
	if (!has_rq) {
		if (cmd.rq_wqe_count || cmd.rq_wqe_shift)
			return -EINVAL;
		request->cap.max_recv_wr = request->cap.max_recv_sge = 0;
	}
	qp->rq = new_ring(cmd.buf_addr, cmd.rq_wqe_count, cmd.rq_wqe_shift);
	qp->sq = new_ring(cmd.buf_addr + qp->rq.size, cmd.sq_wqe_count, SEND_WQE_SHIFT);
	qp->doorbell = cmd.db_addr;
	/* mlx5_ib_query_qp(): programs know the limits of sending */
	qp->attr.max_recv_wr = cmd.rq_wqe_count;
	qp->attr.max_recv_sge = has_rq ? (1u << cmd.rq_wqe_shift) / DATA_SEGMENT : 0;
	return pin(call, request, cmd.buf_addr, cmd.buf_addr ? qp->rq.size + qp->sq.size : 0, 0,
		   cmd.db_addr);
}

int sim_mlx5_create_queue(struct sim_call *call, struct sim_queue_request *request)
{
	return request->type == UVERBS_OBJECT_CQ    ? create_cq(call, request)
	       : request->type == UVERBS_OBJECT_SRQ ? create_srq(call, request)
						    : create_qp(call, request);
}

/* Numbers of CQs and SRQs follow from their handles: sim_create_queue(). */
int sim_mlx5_answer_queue(const struct sim_call *call, const struct sim_queue_request *request)
{
	const struct mlx5_ib_create_cq_resp resp = { .cqn = call->created + 1 };
	const struct mlx5_ib_create_qp_resp qp = { 0 }; /* of programs with UARs of their own */

	_Static_assert(sizeof(resp) == sizeof(struct mlx5_ib_create_srq_resp), "CQN or SRQN");
	return request->type == UVERBS_OBJECT_QP ? SIM_PUT(call, UVERBS_ATTR_UHW_OUT, qp)
						 : SIM_PUT(call, UVERBS_ATTR_UHW_OUT, resp);
}

/* mlx5_ib_modify_qp(), __mlx5_ib_modify_qp() */
int sim_mlx5_check_qp(const struct sim_call *call, const struct ib_uverbs_modify_qp *cmd,
		      uint8_t from, uint8_t to)
{
	const struct ib_uverbs_query_device_resp *limits = &call->profile->attributes;
	const uint32_t mask = cmd->attr_mask;

	/* the driver has no command that drains the send queue */
	if (to == IBV_QPS_SQD || from == IBV_QPS_SQD)
		return to == IBV_QPS_RESET || to == IBV_QPS_ERR ? 0 : -EINVAL;
	if ((mask & IBV_QP_PKEY_INDEX && cmd->pkey_index >= limits->max_pkeys) ||
	    (mask & IBV_QP_MAX_QP_RD_ATOMIC && cmd->max_rd_atomic > limits->max_qp_init_rd_atom) ||
	    (mask & IBV_QP_MAX_DEST_RD_ATOMIC &&
	     cmd->max_dest_rd_atomic > limits->max_qp_rd_atom) ||
	    (mask & IBV_QP_PATH_MTU &&
	     (cmd->path_mtu < IBV_MTU_256 || cmd->path_mtu > IBV_MTU_4096)))
		return -EINVAL;
	return 0;
}

/* mlx5_ib_modify_srq() */
int sim_mlx5_modify_srq(const struct sim_call *call, struct sim_srq *srq,
			const struct ib_uverbs_modify_srq *cmd)
{
	(void)call;
	return cmd->attr_mask & IBV_SRQ_MAX_WR ? -EINVAL : sim_set_srq_limit(srq, cmd);
}
