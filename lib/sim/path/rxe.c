// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queues of rxe, which the driver shares with the program: rxe_queue.h, and providers/rxe of rdma-core. */
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/sim/path/path.h"

#define LID 0 /* of RoCE */

/* An entry of a mapped queue, or NULL where the index or the queue is false: programs can write them. */
static void *entry_of(const struct sim_ring *ring, struct rxe_queue_buf *queue, uint32_t index)
{
	const uint64_t offset =
		sizeof(*queue) + ((uint64_t)(index & (ring->count - 1)) << ring->shift);

	return offset + (1ull << ring->shift) <= ring->size ? (uint8_t *)queue + offset : NULL;
}

/* Copies the next work request of a queue: its bytes, or 0 without one. */
static size_t read_entry(const struct sim_table *table, const struct sim_ring *ring, void *copy,
			 size_t size)
{
	struct rxe_queue_buf *queue = ring->size ? sim_ring_map(table, ring) : NULL;
	size_t length = 0;
	uint32_t producer;
	void *entry;

	if (!queue)
		return 0;
	producer = __atomic_load_n(&queue->producer_index, __ATOMIC_ACQUIRE);
	entry = entry_of(ring, queue, queue->consumer_index);
	if (entry && (producer - queue->consumer_index) & (ring->count - 1)) {
		length = size < 1ull << ring->shift ? size : 1ull << ring->shift;
		memcpy(copy, entry, length);
	}
	munmap(queue, ring->size);
	return length;
}

static void free_entries(const struct sim_table *table, const struct sim_ring *ring, bool all)
{
	struct rxe_queue_buf *queue = ring->size ? sim_ring_map(table, ring) : NULL;

	if (!queue)
		return;
	__atomic_store_n(&queue->consumer_index,
			 (all ? queue->producer_index : queue->consumer_index + 1) &
				 (ring->count - 1),
			 __ATOMIC_RELEASE);
	munmap(queue, ring->size);
}

/* Reads the ranges of @dma, which has @room bytes for them or for the data itself. */
static void read_data(struct sim_work *work, const struct rxe_dma_info *dma, size_t room,
		      bool is_inline)
{
	if (is_inline) {
		work->inline_length = dma->length;
		if (dma->length > room || dma->length > SIM_PATH_INLINE)
			work->op = SIM_OP_UNKNOWN;
		else
			memcpy(work->inline_data, dma->inline_data, dma->length);
		return;
	}
	while (work->sges < dma->num_sge && work->sges < SIM_PATH_SGES &&
	       (work->sges + 1) * sizeof(dma->sge[0]) <= room) {
		const struct rxe_sge *sge = &dma->sge[work->sges];

		work->sge[work->sges++] = (struct sim_sge){ sge->addr, sge->length, sge->lkey };
	}
}

static const struct sim_opcode opcodes[] = {
	{ IBV_WR_SEND, SIM_OP_SEND, false },
	{ IBV_WR_SEND_WITH_IMM, SIM_OP_SEND, true },
	{ IBV_WR_RDMA_WRITE, SIM_OP_WRITE, false },
	{ IBV_WR_RDMA_WRITE_WITH_IMM, SIM_OP_WRITE, true },
	{ IBV_WR_RDMA_READ, SIM_OP_READ, false },
	{ IBV_WR_ATOMIC_CMP_AND_SWP, SIM_OP_COMPARE_SWAP, false },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, SIM_OP_FETCH_ADD, false },
	{ IBV_WR_BIND_MW, SIM_OP_BIND, false },
	{ IBV_WR_LOCAL_INV, SIM_OP_BIND, false },
};

static void read_request(struct sim_work *work, const struct rxe_send_wr *wr)
{
	sim_work_set_opcode(work, wr->opcode, opcodes, sizeof(opcodes) / sizeof(opcodes[0]));
	if (work->op == SIM_OP_WRITE || work->op == SIM_OP_READ) {
		work->remote = wr->wr.rdma.remote_addr;
		work->rkey = wr->wr.rdma.rkey;
	} else if (work->op == SIM_OP_FETCH_ADD || work->op == SIM_OP_COMPARE_SWAP) {
		work->remote = wr->wr.atomic.remote_addr;
		work->rkey = wr->wr.atomic.rkey;
		work->operand = work->op == SIM_OP_FETCH_ADD ? wr->wr.atomic.compare_add
							     : wr->wr.atomic.swap;
		work->compare = wr->wr.atomic.compare_add;
	} else if (work->op == SIM_OP_SEND) {
		work->destination = wr->wr.ud.remote_qpn;
		work->qkey = wr->wr.ud.remote_qkey;
		work->has_grh = true;
	} else if (wr->opcode == IBV_WR_BIND_MW) {
		work->bind = (struct sim_bind){
			.old_key = wr->wr.mw.mw_rkey,
			.new_key = wr->wr.mw.rkey,
			.mr_key = wr->wr.mw.mr_lkey,
			.access = wr->wr.mw.access,
			.addr = wr->wr.mw.addr,
			.length = wr->wr.mw.length,
		};
	} else if (wr->opcode == IBV_WR_LOCAL_INV) {
		work->bind.old_key = work->bind.new_key = wr->ex.invalidate_rkey;
	}
}

static int fetch_send(const struct sim_table *table, const struct sim_qp *qp, struct sim_work *work)
{
	struct {
		struct rxe_send_wqe wqe;
		uint8_t data[SIM_PATH_SGES * sizeof(struct rxe_sge)];
	} request;
	const size_t length = read_entry(table, &qp->sq, &request, sizeof(request));
	const struct rxe_send_wr *wr = &request.wqe.wr;

	if (length < sizeof(request.wqe))
		return 0;
	sim_work_clear(work);
	work->id = wr->wr_id;
	work->signalled = qp->attr.sq_sig_all || wr->send_flags & IBV_SEND_SIGNALED;
	work->solicited = wr->send_flags & IBV_SEND_SOLICITED;
	work->imm = wr->ex.imm_data;
	read_request(work, wr);
	read_data(work, &request.wqe.dma, length - sizeof(request.wqe),
		  wr->send_flags & IBV_SEND_INLINE);
	return 1;
}

static int fetch_receive(const struct sim_table *table, const struct sim_qp *qp,
			 const struct sim_srq *srq, struct sim_work *work)
{
	struct {
		struct rxe_recv_wqe wqe;
		uint8_t data[SIM_PATH_SGES * sizeof(struct rxe_sge)];
	} request;
	const size_t length =
		read_entry(table, srq ? &srq->ring : &qp->rq, &request, sizeof(request));

	if (length < sizeof(request.wqe))
		return 0;
	sim_work_clear(work);
	work->id = request.wqe.wr_id;
	read_data(work, &request.wqe.dma, length - sizeof(request.wqe), false);
	return 1;
}

/* rxe_comp.c wr_to_wc_opcode() */
static uint32_t opcode_of(const struct sim_completion *completion)
{
	if (completion->is_receive)
		return completion->op == SIM_OP_WRITE ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	switch (completion->op) {
	case SIM_OP_WRITE:
		return IBV_WC_RDMA_WRITE;
	case SIM_OP_READ:
		return IBV_WC_RDMA_READ;
	case SIM_OP_COMPARE_SWAP:
		return IBV_WC_COMP_SWAP;
	case SIM_OP_FETCH_ADD:
		return IBV_WC_FETCH_ADD;
	case SIM_OP_BIND:
		return completion->opcode == IBV_WR_BIND_MW ? IBV_WC_BIND_MW : IBV_WC_LOCAL_INV;
	default:
		return IBV_WC_SEND;
	}
}

/* rxe_resp.c do_complete() */
static uint32_t flags_of(const struct sim_completion *completion)
{
	return completion->is_receive && !completion->status
		       ? IBV_WC_GRH | (completion->has_imm ? IBV_WC_WITH_IMM : 0)
		       : 0;
}

/* rxe_cq.c rxe_cq_post(): a completion that has no room is lost */
static void complete(const struct sim_table *table, const struct sim_qp *qp, struct sim_cq *cq,
		     const struct sim_completion *completion)
{
	const struct ib_uverbs_wc wc = {
		.wr_id = completion->id,
		.status = completion->status,
		.opcode = opcode_of(completion),
		.byte_len = completion->length,
		.ex.imm_data = completion->imm,
		.qp_num = qp->number,
		.src_qp = qp->type == IB_UVERBS_QPT_UD ? completion->source : 0,
		.wc_flags = flags_of(completion),
		.slid = LID,
		.port_num = 1,
	};
	struct rxe_queue_buf *queue = sim_ring_map(table, &cq->ring);
	const uint32_t mask = cq->ring.count - 1;
	uint32_t next;
	void *entry;

	if (!queue)
		return;
	next = (queue->producer_index + 1) & mask;
	entry = entry_of(&cq->ring, queue, queue->producer_index);
	if (entry && next != (__atomic_load_n(&queue->consumer_index, __ATOMIC_ACQUIRE) & mask)) {
		memcpy(entry, &wc, sizeof(wc));
		__atomic_store_n(&queue->producer_index, next, __ATOMIC_RELEASE);
	}
	munmap(queue, cq->ring.size);
	if (cq->notify == SIM_CQ_NEXT ||
	    (cq->notify == SIM_CQ_SOLICITED && (completion->solicited || completion->status))) {
		cq->notify = SIM_CQ_QUIET;
		cq->reported = 1;
	}
}

static bool is_armed(struct sim_cq *cq)
{
	const bool is_due = cq->reported;

	cq->reported = 0;
	return is_due;
}

/*
 * rxe_comp.c flush_send_queue() takes all requests of a QP that failed; receive requests that fail end as malformed:
 * rxe_resp.c RESPST_ERR_MALFORMED_WQE.  Datagrams that are too long end well: rxe_req.c rxe_requester(), C10-93.1.1.
 */
const struct sim_path_device sim_path_rxe = {
	.flushes_failed = true,
	.bad_receive = IBV_WC_LOC_QP_OP_ERR,
	.guid = SIM_RXE_GUID + 1,
	.mtu = 1024,
	.long_datagram = IBV_WC_SUCCESS,
	.fetch_send = fetch_send,
	.fetch_receive = fetch_receive,
	.free_entries = free_entries,
	.complete = complete,
	.is_armed = is_armed,
};
