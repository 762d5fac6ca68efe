// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Queues of mlx5: work requests, completions and doorbell records, as providers/mlx5 of rdma-core writes and reads
 * them.  The doorbell records say all: writes to the UAR are not needed.
 */
#include <endian.h>
#include <infiniband/mlx5dv.h>
#include <string.h>

#include "lib/sim/path/path.h"

#define NULL_KEY      0x300u /* mlx5-abi.h dump_fill_mkey, as devices/mlx5.c answers */
#define INDEX_MASK    0xffffu
#define CONSUMER_MASK 0xffffffu
#define SOLICITED     (1u << 24) /* cq.c MLX5_CQ_DB_REQ_NOT_SOL */
#define QPN_MASK      0xffffffu
#define GRH           (1u << 28) /* of flags_rqpn */
#define LID           1
#define ARM_RECORD    1 /* mlx5.h MLX5_CQ_ARM_DB */

/* ---- work requests ------------------------------------------------------------------------- */

/* Whether the doorbell record has a work request at an index. */
static bool is_posted(uint64_t doorbell, size_t record, uint32_t index)
{
	__be32 producer;

	return sim_own_read(doorbell + record * sizeof(producer), &producer, sizeof(producer)) &&
	       ((be32toh(producer) - index) & INDEX_MASK);
}

/* Reads @size bytes of a queue from an entry on; behind the last entry comes the first one. */
static bool read_ring(const struct sim_ring *ring, uint32_t index, void *data, size_t size)
{
	const uint64_t offset = (uint64_t)(index & (ring->count - 1)) << ring->shift;
	const uint64_t total = (uint64_t)ring->count << ring->shift;
	const size_t first = size < total - offset ? size : total - offset;

	return sim_own_read(ring->start + offset, data, first) &&
	       (first == size || sim_own_read(ring->start, (uint8_t *)data + first, size - first));
}

static const struct sim_opcode opcodes[] = {
	{ MLX5_OPCODE_NOP, SIM_OP_NOP, false },
	{ MLX5_OPCODE_SEND, SIM_OP_SEND, false },
	{ MLX5_OPCODE_SEND_IMM, SIM_OP_SEND, true },
	{ MLX5_OPCODE_RDMA_WRITE, SIM_OP_WRITE, false },
	{ MLX5_OPCODE_RDMA_WRITE_IMM, SIM_OP_WRITE, true },
	{ MLX5_OPCODE_RDMA_READ, SIM_OP_READ, false },
	{ MLX5_OPCODE_ATOMIC_CS, SIM_OP_COMPARE_SWAP, false },
	{ MLX5_OPCODE_ATOMIC_FA, SIM_OP_FETCH_ADD, false },
	{ MLX5_OPCODE_UMR, SIM_OP_BIND, false },
};

static void add_sge(struct sim_work *work, const struct mlx5_wqe_data_seg *segment)
{
	work->sge[work->sges++] = (struct sim_sge){
		.addr = be64toh(segment->addr),
		.length = be32toh(segment->byte_count),
		.key = be32toh(segment->lkey),
	};
}

/* Reads data segments, or one with the data itself. */
static void read_data(struct sim_work *work, const uint8_t *at, const uint8_t *end)
{
	const struct mlx5_wqe_data_seg *segment = (const void *)at;
	uint32_t length;

	if (at >= end)
		return;
	length = be32toh(segment->byte_count);
	if (length & MLX5_INLINE_SEG) {
		length &= ~(uint32_t)MLX5_INLINE_SEG;
		if (length > (size_t)(end - at) - sizeof(segment->byte_count)) {
			work->op = SIM_OP_UNKNOWN;
			return;
		}
		work->inline_length = length;
		memcpy(work->inline_data, at + sizeof(segment->byte_count), length);
		return;
	}
	for (; (const uint8_t *)(segment + 1) <= end; segment++)
		add_sge(work, segment);
}

/* set_bind_wr(): a window is bound by an UMR */
static void read_bind(struct sim_work *work, const uint8_t *at, const uint8_t *end)
{
	const struct mlx5_wqe_umr_ctrl_seg *control = (const void *)at;
	const struct mlx5_wqe_mkey_context_seg *context = (const void *)(control + 1);
	const struct mlx5_wqe_umr_klm_seg *klm = (const void *)(context + 1);
	struct sim_bind *bind = &work->bind;

	if ((const uint8_t *)(context + 1) > end) {
		work->op = SIM_OP_UNKNOWN;
		return;
	}
	bind->old_key = be32toh(work->imm);
	bind->new_key = (bind->old_key & ~0xffu) | (be32toh(context->qpn_mkey) & 0xff);
	if (context->free || (const uint8_t *)(klm + 1) > end)
		return;
	bind->length = be64toh(context->len);
	bind->addr = be64toh(klm->address);
	bind->mr_key = be32toh(klm->mkey);
	if (context->access_flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE)
		bind->access |= IBV_ACCESS_REMOTE_WRITE;
	if (context->access_flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ)
		bind->access |= IBV_ACCESS_REMOTE_READ;
	if (context->access_flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC)
		bind->access |= IBV_ACCESS_REMOTE_ATOMIC;
	if (!context->start_addr)
		bind->access |= IBV_ACCESS_ZERO_BASED;
}

static void read_segments(const struct sim_qp *qp, struct sim_work *work, const uint8_t *at,
			  const uint8_t *end)
{
	if (work->op == SIM_OP_BIND) {
		read_bind(work, at, end);
		return;
	}
	if (qp->type == IB_UVERBS_QPT_UD) {
		const struct mlx5_wqe_av *av = (const void *)at;
		const uint32_t key = be32toh(av->key.qkey.qkey);

		/* with the highest bit it is that of the QP: C10-15 */
		work->qkey = key >> 31 ? qp->attr.qkey : key;
		work->destination = be32toh(av->dqp_dct) & QPN_MASK;
		work->has_grh = be32toh(av->grh_gid_fl) >> 30 & 1;
		at += sizeof(*av);
	}
	if (work->op >= SIM_OP_WRITE && work->op <= SIM_OP_FETCH_ADD) {
		const struct mlx5_wqe_raddr_seg *segment = (const void *)at;

		work->remote = be64toh(segment->raddr);
		work->rkey = be32toh(segment->rkey);
		at += sizeof(*segment);
	}
	if (work->op == SIM_OP_COMPARE_SWAP || work->op == SIM_OP_FETCH_ADD) {
		const struct mlx5_wqe_atomic_seg *segment = (const void *)at;

		work->operand = be64toh(segment->swap_add);
		work->compare = be64toh(segment->compare);
		at += sizeof(*segment);
	}
	read_data(work, at, end);
}

static int fetch_send(const struct sim_table *table, const struct sim_qp *qp, struct sim_work *work)
{
	const uint32_t index = qp->path.sent;

	/* a request of 6 bits of 16 bytes, and what a false one may lack */
	_Alignas(16) uint8_t request[64 * 16] = { 0 };
	const struct mlx5_wqe_ctrl_seg *control = (const void *)request;
	size_t size;

	(void)table;
	sim_work_clear(work);
	if (!qp->sq.count || !is_posted(qp->doorbell, MLX5_SND_DBR, index))
		return 0;
	if (!read_ring(&qp->sq, index, request, sizeof(*control)))
		return 1;
	size = (be32toh(control->qpn_ds) & 0x3f) * 16;
	if (!size || !read_ring(&qp->sq, index, request, size))
		return 1;
	work->blocks = (uint32_t)((size + MLX5_SEND_WQE_BB - 1) / MLX5_SEND_WQE_BB);
	sim_work_set_opcode(work, be32toh(control->opmod_idx_opcode) & 0xff, opcodes,
			    sizeof(opcodes) / sizeof(opcodes[0]));
	work->signalled = control->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE;
	work->solicited = control->fm_ce_se & MLX5_WQE_CTRL_SOLICITED;
	work->imm = control->imm;
	read_segments(qp, work, request + sizeof(*control), request + size);
	return 1;
}

/* A request of an SRQ begins with the entry of the next one: srq.c mlx5_post_srq_recv(). */
static int fetch_receive(const struct sim_table *table, const struct sim_qp *qp,
			 const struct sim_srq *srq, struct sim_work *work)
{
	const struct sim_ring *ring = srq ? &srq->ring : &qp->rq;
	struct mlx5_wqe_data_seg segments[SIM_PATH_SGES];
	const size_t room = ring->count ? (1ull << ring->shift) / sizeof(segments[0]) : 0;
	const size_t count = room < SIM_PATH_SGES ? room : SIM_PATH_SGES;
	const struct mlx5_wqe_srq_next_seg *next = (const void *)segments;

	(void)table;
	sim_work_clear(work);
	work->index = srq ? srq->next : qp->path.received;
	if (!count || !is_posted(srq ? srq->doorbell : qp->doorbell, MLX5_RCV_DBR,
				 srq ? srq->received : qp->path.received))
		return 0;
	if (!read_ring(ring, work->index, segments, count * sizeof(segments[0])))
		return 1;
	if (srq)
		work->next = be16toh(next->next_wqe_index);
	for (size_t i = srq ? 1 : 0; i < count; i++) {
		if (be32toh(segments[i].lkey) == MLX5_INVALID_LKEY && !segments[i].byte_count)
			break;
		add_sge(work, &segments[i]);
	}
	return 1;
}

/* ---- completions --------------------------------------------------------------------------- */

/* Syndromes of mlx5dv.h, and vendor syndromes as logs of applications on ConnectX have them. */
static const struct syndrome {
	enum ibv_wc_status status;
	uint8_t number, vendor;
} syndromes[] = {
	{ IBV_WC_LOC_LEN_ERR, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, 0 },
	{ IBV_WC_LOC_QP_OP_ERR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, 0 },
	{ IBV_WC_LOC_PROT_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, 0x51 },
	{ IBV_WC_WR_FLUSH_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR, 0xf9 },
	{ IBV_WC_MW_BIND_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR, 0 },
	{ IBV_WC_REM_INV_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, 0x8a },
	{ IBV_WC_REM_ACCESS_ERR, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, 0x88 },
	{ IBV_WC_REM_OP_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR, 0x89 },
	{ IBV_WC_RETRY_EXC_ERR, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR, 0x81 },
	{ IBV_WC_RNR_RETRY_EXC_ERR, MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR, 0x87 },
};

static uint8_t write_syndrome(struct mlx5_err_cqe *cqe, const struct sim_completion *completion)
{
	for (size_t i = 0; i < sizeof(syndromes) / sizeof(syndromes[0]); i++)
		if (syndromes[i].status == completion->status) {
			cqe->syndrome = syndromes[i].number;
			cqe->vendor_err_synd = syndromes[i].vendor;
		}
	return completion->is_receive ? MLX5_CQE_RESP_ERR : MLX5_CQE_REQ_ERR;
}

static uint8_t opcode_of(const struct sim_completion *completion)
{
	return !completion->is_receive          ? MLX5_CQE_REQ
	       : completion->op == SIM_OP_WRITE ? MLX5_CQE_RESP_WR_IMM
	       : completion->has_imm            ? MLX5_CQE_RESP_SEND_IMM
						: MLX5_CQE_RESP_SEND;
}

static void complete(const struct sim_table *table, const struct sim_qp *qp, struct sim_cq *cq,
		     const struct sim_completion *completion)
{
	const struct sim_ring *ring = &cq->ring;
	const uint32_t index = cq->produced++;
	/* of 128 bytes of a CQE, the second half is as one of 64 bytes */
	const uint64_t start = ring->start +
			       ((uint64_t)(index & (ring->count - 1)) << ring->shift) +
			       (1ull << ring->shift) - sizeof(struct mlx5_cqe64);
	struct mlx5_cqe64 cqe = {
		.srqn_uidx = htobe32(table->header->cqe_version ? qp->user_index : 0),
		.byte_cnt = htobe32(completion->length),
		.sop_drop_qpn = htobe32((uint32_t)completion->opcode << 24 | qp->number),
		.wqe_counter = htobe16((uint16_t)completion->index),
	};
	uint8_t opcode = opcode_of(completion);

	_Static_assert(sizeof(struct mlx5_err_cqe) == sizeof(cqe), "a CQE of an error");
	if (completion->is_receive) {
		cqe.imm_inval_pkey = completion->imm;
		cqe.flags_rqpn = htobe32(completion->source | (completion->has_grh ? GRH : 0));
		cqe.slid = htobe16(LID);
	}
	if (completion->status != IBV_WC_SUCCESS)
		opcode = write_syndrome((void *)&cqe, completion);
	if (completion->solicited || completion->status != IBV_WC_SUCCESS)
		cq->solicited = cq->produced;
	/* the last byte makes it valid: get_sw_cqe() */
	cqe.op_own = (uint8_t)(opcode << 4 | !!(index & ring->count));
	sim_own_write(start, &cqe, sizeof(cqe) - 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	sim_own_write(start + sizeof(cqe) - 1, &cqe.op_own, 1);
}

void sim_mlx5_disarm(struct sim_cq *cq)
{
	/* no arming has this value, while zeros are the first arming of an empty CQ */
	cq->reported = UINT32_MAX;
	sim_own_write(cq->doorbell + ARM_RECORD * sizeof(cq->reported), &cq->reported,
		      sizeof(cq->reported));
}

/*
 * mlx5_arm_cq(): the number in the record tells one arming from the next.  mlx5_ifc.h last_notified_index: a completion
 * causes one event at most.
 */
static bool is_armed(struct sim_cq *cq)
{
	__be32 record;
	uint32_t armed, last;

	if (!sim_own_read(cq->doorbell + ARM_RECORD * sizeof(record), &record, sizeof(record)))
		return false;
	armed = be32toh(record);
	last = armed & SOLICITED ? cq->solicited : cq->produced;
	/* completions that came since the program read its consumer index, and since the last event */
	if (cq->reported == armed || (int32_t)(last - cq->notified) <= 0 ||
	    ((last - armed) & CONSUMER_MASK) - 1 >= cq->ring.count)
		return false;
	cq->reported = armed;
	cq->notified = cq->produced;
	return true;
}

const struct sim_path_device sim_path_mlx5 = {
	.null_key = NULL_KEY,
	.guid = SIM_MLX5_GUID + 1,
	.mtu = 4096,
	.long_datagram = IBV_WC_LOC_LEN_ERR,
	.fetch_send = fetch_send,
	.fetch_receive = fetch_receive,
	.complete = complete,
	.is_armed = is_armed,
};
