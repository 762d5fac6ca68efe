// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Wrappers of the functions that create CQs, QPs and SRQs. */
#include <errno.h>
#include <infiniband/mlx5dv.h>

#include "lib/trace/agent/queues.h"

enum {
	CQE_BYTES = 64,      /* of an entry of a CQ, at least */
	SEND_BYTES = 64,     /* of a request to send, at least: MLX5_SEND_WQE_BB */
	SEGMENT_BYTES = 16,  /* of a piece of memory to receive into */
	SRQ_ENTRY_BYTES = 32 /* of an entry of an SRQ, at least */
};

void queue_note_cq(struct call *call, uint32_t cqe)
{
	uint64_t entries = 1;

	while (entries < (uint64_t)cqe + 1)
		entries <<= 1;
	call->record.queue_bytes = entries * CQE_BYTES;
}

void queue_note_qp(struct call *call, enum ibv_qp_type type, const struct ibv_qp_cap *cap,
		   bool has_srq)
{
	const uint64_t pieces = cap->max_recv_sge ?: 1;

	if (type != IBV_QPT_RC && type != IBV_QPT_UC && type != IBV_QPT_UD)
		return;
	call->record.queue_bytes = (uint64_t)cap->max_send_wr * SEND_BYTES;
	if (!has_srq)
		call->record.queue_bytes += cap->max_recv_wr * pieces * SEGMENT_BYTES;
}

void queue_note_qp_ex(struct call *call, const struct ibv_qp_init_attr_ex *attr)
{
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE))
		queue_note_qp(call, attr->qp_type, &attr->cap, attr->srq);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_PD)
		call_note_pd(call, attr->pd);
}

void queue_note_srq(struct call *call, const struct ibv_srq_attr *attr)
{
	call->record.queue_bytes = (uint64_t)attr->max_wr * SRQ_ENTRY_BYTES;
}

void *queue_end(struct call *call, const struct ibv_context *context, void *queue)
{
	call_note_context(call, context);
	call->record.object = (uintptr_t)queue;
	call_end(call, !queue, 0);
	return queue;
}

TRACED(struct ibv_cq *, ibv_create_cq,
       (struct ibv_context * context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
	int vector))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_CREATE_CQ, CALLER))
		return REAL(ibv_create_cq)(context, cqe, cq_context, channel, vector);
	queue_note_cq(&call, (uint32_t)cqe);
	return queue_end(&call, context,
			 REAL(ibv_create_cq)(context, cqe, cq_context, channel, vector));
}

TRACED(struct ibv_cq_ex *, mlx5dv_create_cq,
       (struct ibv_context * context, struct ibv_cq_init_attr_ex *attr,
	struct mlx5dv_cq_init_attr *mlx5_attr))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_MLX5DV_CREATE_CQ, CALLER))
		return REAL(mlx5dv_create_cq)(context, attr, mlx5_attr);
	queue_note_cq(&call, attr->cqe);
	return queue_end(&call, context, REAL(mlx5dv_create_cq)(context, attr, mlx5_attr));
}

TRACED(struct ibv_qp *, ibv_create_qp, (struct ibv_pd * pd, struct ibv_qp_init_attr *attr))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_CREATE_QP, CALLER))
		return REAL(ibv_create_qp)(pd, attr);
	queue_note_qp(&call, attr->qp_type, &attr->cap, attr->srq);
	call_note_pd(&call, pd);
	return queue_end(&call, pd->context, REAL(ibv_create_qp)(pd, attr));
}

TRACED(struct ibv_qp *, mlx5dv_create_qp,
       (struct ibv_context * context, struct ibv_qp_init_attr_ex *attr,
	struct mlx5dv_qp_init_attr *mlx5_attr))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_MLX5DV_CREATE_QP, CALLER))
		return REAL(mlx5dv_create_qp)(context, attr, mlx5_attr);
	queue_note_qp_ex(&call, attr);
	return queue_end(&call, context, REAL(mlx5dv_create_qp)(context, attr, mlx5_attr));
}

TRACED(struct ibv_srq *, ibv_create_srq, (struct ibv_pd * pd, struct ibv_srq_init_attr *attr))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_CREATE_SRQ, CALLER))
		return REAL(ibv_create_srq)(pd, attr);
	queue_note_srq(&call, &attr->attr);
	call_note_pd(&call, pd);
	return queue_end(&call, pd->context, REAL(ibv_create_srq)(pd, attr));
}
