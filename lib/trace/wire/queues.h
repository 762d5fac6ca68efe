/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The least bytes that the buffers of CQs, QPs and SRQs take on mlx5; 0: not known.
 * providers/mlx5/verbs.c create_cq(), mlx5_calc_sq_size(), mlx5_calc_rq_size(), mlx5_alloc_srq_buf().
 */
#ifndef LIB_TRACE_WIRE_QUEUES_H
#define LIB_TRACE_WIRE_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

struct mr_trace_qp {
	uint32_t type; /**< enum ibv_qp_type */
	uint32_t max_send_wr, max_recv_wr, max_recv_sge;
	bool has_srq; /**< it has no receive queue of its own */
};

/** mr_trace_cq_bytes() - compute the bytes of a CQ of at least @cqe entries */
uint64_t mr_trace_cq_bytes(uint32_t cqe);
/** mr_trace_qp_bytes() - compute the bytes of a QP's queues */
uint64_t mr_trace_qp_bytes(const struct mr_trace_qp *qp);
/** mr_trace_srq_bytes() - compute the bytes of an SRQ of at least @max_wr entries */
uint64_t mr_trace_srq_bytes(uint32_t max_wr);

#endif
