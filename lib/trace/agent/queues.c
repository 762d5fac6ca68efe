// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Wrappers of the functions that create CQs, QPs and SRQs. */
#include <errno.h>
#include <infiniband/mlx5dv.h>

#include "lib/trace/agent/queues.h"
#include "lib/trace/wire/queues.h"

void queue_note_cq(struct call *call, uint32_t cqe)
{
	call->record.queue_bytes = mr_trace_cq_bytes(cqe);
}

void queue_note_qp(struct call *call, enum ibv_qp_type type, const struct ibv_qp_cap *cap,
		   bool has_srq)
{
	call->record.queue_bytes =
		mr_trace_qp_bytes(&(struct mr_trace_qp){ .type = type,
							 .max_send_wr = cap->max_send_wr,
							 .max_recv_wr = cap->max_recv_wr,
							 .max_recv_sge = cap->max_recv_sge,
							 .has_srq = has_srq });
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
	call->record.queue_bytes = mr_trace_srq_bytes(attr->max_wr);
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
