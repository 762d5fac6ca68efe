/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creating CQs, QPs and SRQs: wrappers note the bytes of their buffers. */
#ifndef LIB_TRACE_AGENT_QUEUES_H
#define LIB_TRACE_AGENT_QUEUES_H

#include <infiniband/verbs.h>

#include "lib/trace/agent/call.h"

/** queue_note_cq() - note a CQ of at least so many entries; before the call, which may change them */
void queue_note_cq(struct call *call, uint32_t cqe);

/** queue_note_qp() - note a QP; @has_srq: it has no receive queue of its own */
void queue_note_qp(struct call *call, enum ibv_qp_type type, const struct ibv_qp_cap *cap,
		   bool has_srq);

/** queue_note_qp_ex() - note a QP, which may have no queues at all */
void queue_note_qp_ex(struct call *call, const struct ibv_qp_init_attr_ex *attr);

/** queue_note_srq() - note an SRQ */
void queue_note_srq(struct call *call, const struct ibv_srq_attr *attr);

/** queue_end() - end the call, which has returned @queue.  Return: @queue. */
void *queue_end(struct call *call, const struct ibv_context *context, void *queue);

#endif
