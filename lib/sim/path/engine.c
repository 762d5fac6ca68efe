// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reliable connections, as the InfiniBand specification describes them in chapter 9: requests are sent one after the
 * other, each after the answer to the one before.  What a message carries has no packets: its PSN is a number of
 * messages.  Unreliable connections and datagrams have no answers: what cannot be delivered is lost.
 */
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/sim/base/base.h"
#include "lib/sim/path/path.h"

#define PSN_MASK      0xffffffu
#define NO_LIMIT      7 /* value of rnr_retry */
#define STATUS_RNR    1000u
#define STATUS_PSN    1001u             /* the PSN is not the next one */
#define LEAST_TIMEOUT UINT64_C(1000000) /* nanoseconds */
#define MOST_MESSAGES 16

/* Names the QP that a function serves, and all that it needs. */
struct context {
	struct sim_table *table;
	const struct sim_path_device *device;
	struct sim_queue *queue;
	struct sim_qp *qp;
	struct sim_srq *srq; /* NULL: receive requests are in the QP */
	uint32_t pd;
	struct sim_path_buffers *buffers;
};

const struct sim_path_device *sim_path_device_of(const struct sim_table *table)
{
	return table->kind == MR_SIM_MLX5 ? &sim_path_mlx5 : &sim_path_rxe;
}

static bool is_datagram(const struct sim_qp *qp)
{
	return qp->type == IB_UVERBS_QPT_UD;
}

static void fail(struct context *context)
{
	context->qp->attr.qp_state = context->qp->attr.cur_qp_state = IBV_QPS_ERR;
}

static void complete(struct context *context, const struct sim_completion *completion)
{
	const uint32_t handle =
		completion->is_receive ? context->qp->recv_cq : context->qp->send_cq;
	struct sim_queue *queue;

	if (!sim_queue_find(context->table, UVERBS_OBJECT_CQ, handle, &queue) &&
	    queue->owner == context->queue->owner && queue->cq.ring.count)
		context->device->complete(context->table, context->qp, &queue->cq, completion);
}

static void free_entry(struct context *context, const struct sim_ring *ring)
{
	if (context->device->free_entries)
		context->device->free_entries(context->table, ring, false);
}

/* ---- data ---------------------------------------------------------------------------------- */

static uint64_t total_length(const struct sim_work *work)
{
	uint64_t length = work->inline_length;

	for (uint32_t i = 0; i < work->sges; i++)
		length += work->sge[i].length;
	return length;
}

/* Finds the memory of a range of a work request: as sim_key_access(). */
static int find_local(struct context *context, const struct sim_sge *range, uint32_t access,
		      struct sim_extent *extent)
{
	const uint32_t null_key = context->device->null_key;

	*extent = (struct sim_extent){ .kind = SIM_EXTENT_NONE, .length = range->length };
	if (!range->length || (null_key && range->key == null_key))
		return 0;
	return sim_key_access(context->table, context->pd, range, access, extent);
}

/* Copies all data of a work request: as sim_key_access().  Nothing is written unless all of it may be. */
static int copy(struct context *context, const struct sim_work *work, uint8_t *data,
		uint64_t length, uint32_t access)
{
	struct sim_extent extents[SIM_PATH_SGES];
	uint64_t done = 0;
	uint32_t count = 0;
	int rc;

	for (; count < work->sges && done < length; count++) {
		struct sim_sge part = work->sge[count];

		if (part.length > length - done)
			part.length = (uint32_t)(length - done);
		rc = find_local(context, &part, access, &extents[count]);
		if (rc)
			return rc;
		done += part.length;
	}
	for (uint32_t i = 0; i < count; data += extents[i++].length) {
		if (access)
			sim_extent_write(context->table, &extents[i], data);
		else
			sim_extent_read(context->table, &extents[i], data);
	}
	return 0;
}

static int gather(struct context *context, const struct sim_work *work, uint8_t *data,
		  uint64_t length)
{
	if (work->inline_length) {
		memcpy(data, work->inline_data, work->inline_length);
		return 0;
	}
	return copy(context, work, data, length, 0);
}

static int scatter(struct context *context, const struct sim_work *work, const void *data,
		   uint64_t length)
{
	return copy(context, work, (uint8_t *)(uintptr_t)data, length,
		    IB_UVERBS_ACCESS_LOCAL_WRITE);
}

/* ---- responder ----------------------------------------------------------------------------- */

/* rxe_param.h rnrnak_usec: the times of the codes */
static uint64_t rnr_time(uint8_t code)
{
	const uint64_t unit = 10000; /* nanoseconds */

	code &= 31;
	return code < 2   ? (code ? unit : 65536 * unit)
	       : code % 2 ? (UINT64_C(3) << (code - 3) / 2) * unit
			  : (UINT64_C(1) << code / 2) * unit;
}

/* Returns the access flags that QP and key must have. */
static uint32_t needed_access(const struct sim_message *request)
{
	return request->op == SIM_OP_WRITE  ? IB_UVERBS_ACCESS_REMOTE_WRITE
	       : request->op == SIM_OP_READ ? IB_UVERBS_ACCESS_REMOTE_READ
	       : request->op == SIM_OP_SEND ? 0
					    : IB_UVERBS_ACCESS_REMOTE_ATOMIC;
}

static bool is_atomic(enum sim_op op)
{
	return op == SIM_OP_COMPARE_SWAP || op == SIM_OP_FETCH_ADD;
}

/* Finds the memory of a request: an IBV_WC_..., for the requester. */
static uint32_t find_remote(struct context *context, const struct sim_message *request,
			    struct sim_extent *extent)
{
	const uint32_t access = needed_access(request);
	const struct sim_sge range = { request->remote, (uint32_t)request->length, request->rkey };

	*extent = (struct sim_extent){ .kind = SIM_EXTENT_NONE };
	if ((context->qp->attr.qp_access_flags & access) != access ||
	    (is_atomic(request->op) && (request->remote % 8 || request->length != 8)))
		return IBV_WC_REM_INV_REQ_ERR;
	/* a key is not checked for 0 bytes: C9-88 */
	if (!access || !request->length)
		return IBV_WC_SUCCESS;
	return request->length > UINT32_MAX ||
			       sim_key_access(context->table, context->pd, &range, access, extent)
		       ? IBV_WC_REM_ACCESS_ERR
		       : IBV_WC_SUCCESS;
}

static int fetch_receive(struct context *context, struct sim_work *work)
{
	return context->device->fetch_receive(context->table, context->qp, context->srq, work);
}

/* Ends a receive request. */
static void finish_receive(struct context *context, const struct sim_work *work,
			   struct sim_completion *completion)
{
	struct sim_srq *srq = context->srq;

	completion->is_receive = true;
	completion->index = work->index;
	completion->id = work->id;
	if (srq) {
		srq->received++;
		srq->next = work->next;
	} else {
		context->qp->path.received++;
	}
	free_entry(context, srq ? &srq->ring : &context->qp->rq);
	complete(context, completion);
}

/* Delivers what consumes a receive request: an IBV_WC_... for the requester, or STATUS_RNR. */
static uint32_t receive(struct context *context, const struct sim_message *request,
			const struct sim_payload *payload)
{
	struct sim_completion completion = {
		.op = request->op,
		.solicited = request->solicited,
		.has_imm = request->has_imm,
		.has_grh = request->has_grh,
		.imm = request->imm,
		.source = request->source,
		.length = (uint32_t)request->length,
	};
	struct sim_work work;
	uint32_t status = IBV_WC_SUCCESS;

	if (!fetch_receive(context, &work))
		return STATUS_RNR;
	if (request->op == SIM_OP_SEND && request->length > total_length(&work)) {
		/* rxe_resp.c check_length(): such a datagram is lost, and the request stays */
		if (is_datagram(context->qp) && context->device->bad_receive)
			return IBV_WC_SUCCESS;
		completion.status = IBV_WC_LOC_LEN_ERR;
		status = IBV_WC_REM_INV_REQ_ERR;
	} else if (request->op == SIM_OP_SEND &&
		   scatter(context, &work, payload->bytes, request->length)) {
		completion.status = IBV_WC_LOC_PROT_ERR;
		status = IBV_WC_REM_OP_ERR;
	}
	if (completion.status && context->device->bad_receive) {
		completion.status = context->device->bad_receive;
		status = IBV_WC_REM_OP_ERR;
	}
	if (completion.status)
		fail(context);
	finish_receive(context, &work, &completion);
	return status;
}

static void run_atomic(struct context *context, const struct sim_message *request,
		       const struct sim_extent *extent)
{
	uint64_t *found = &context->qp->path.result, value;

	sim_extent_read(context->table, extent, found);
	value = request->op == SIM_OP_FETCH_ADD ? *found + request->operand
		: *found == request->compare    ? request->operand
						: *found;
	sim_extent_write(context->table, extent, &value);
}

/* Executes a request that has not been executed: the status for the requester. */
static uint32_t execute(struct context *context, const struct sim_message *request,
			const struct sim_payload *payload)
{
	struct sim_extent extent;
	uint32_t status = find_remote(context, request, &extent);

	if (status)
		return status;
	/* before the completion of an immediate */
	if (request->op == SIM_OP_WRITE && request->length)
		sim_extent_write(context->table, &extent, payload->bytes);
	else if (is_atomic(request->op))
		run_atomic(context, request, &extent);
	return request->op == SIM_OP_SEND || request->has_imm ? receive(context, request, payload)
							      : IBV_WC_SUCCESS;
}

/* Reads what a READ is to answer. */
static bool read_remote(struct context *context, const struct sim_message *request,
			struct sim_payload *payload)
{
	struct sim_extent extent;

	if (find_remote(context, request, &extent) ||
	    !sim_payload_make(payload, request->length, context->buffers->sent))
		return false;
	if (request->length)
		sim_extent_read(context->table, &extent, payload->bytes);
	return true;
}

static void respond(struct context *context, const struct sim_message *request,
		    const struct sim_payload *data)
{
	struct sim_progress *path = &context->qp->path;
	const uint32_t ahead = (request->psn - path->expected) & PSN_MASK;
	struct sim_message answer = {
		.source = context->qp->number,
		.is_answer = true,
		.psn = request->psn,
		.op = request->op,
	};
	struct sim_payload payload = { .fd = -1 };

	/* The request before the expected one comes again if its answer was lost. */
	if (ahead && ahead != PSN_MASK)
		answer.status = STATUS_PSN;
	else if (!ahead)
		answer.status = execute(context, request, data);
	if (!answer.status && request->op == SIM_OP_READ) {
		answer.has_data = read_remote(context, request, &payload);
		if (!answer.has_data)
			answer.status = IBV_WC_REM_OP_ERR;
		answer.length = payload.length;
	}
	if (answer.status == STATUS_RNR)
		path->result = rnr_time(context->qp->attr.min_rnr_timer);
	answer.result = path->result;
	if (!answer.status && !ahead)
		path->expected = (path->expected + 1) & PSN_MASK;
	sim_wire_send(context->table, path->socket - 1, request->source, &answer, &payload);
	sim_payload_free(&payload);
	if (answer.status && answer.status < STATUS_RNR)
		fail(context);
}

/* ---- requester ----------------------------------------------------------------------------- */

static bool is_sent(const struct sim_work *work)
{
	return work->op >= SIM_OP_SEND && work->op <= SIM_OP_FETCH_ADD;
}

/* InfiniBand specification, table 38 */
static bool is_supported(const struct sim_qp *qp, const struct sim_work *work)
{
	const enum sim_op last = qp->type == IB_UVERBS_QPT_RC   ? SIM_OP_FETCH_ADD
				 : qp->type == IB_UVERBS_QPT_UC ? SIM_OP_WRITE
								: SIM_OP_SEND;

	return !is_sent(work) || work->op <= last;
}

/* Ends the request at the head of the send queue. */
static void finish(struct context *context, const struct sim_work *work, uint32_t status)
{
	struct sim_progress *path = &context->qp->path;
	const struct sim_completion completion = {
		.status = status,
		.op = work->op,
		.opcode = work->opcode,
		.length = work->op == SIM_OP_READ || is_atomic(work->op)
				  ? (uint32_t)total_length(work)
				  : 0,
		.index = path->sent,
		.id = work->id,
	};

	path->sent += work->blocks;
	/* before the completion, after which the program may post to a queue that was full */
	free_entry(context, &context->qp->sq);
	if (status || work->signalled)
		complete(context, &completion);
	path->psn = (path->psn + is_sent(work)) & PSN_MASK;
	path->is_waiting = false;
	path->retries = path->rnr_retries = 0;
	path->due = 0;
	if (status)
		fail(context);
}

/* Local ACK timeout: 4.096 us * 2^timeout; 0: none */
static uint64_t timeout_of(const struct sim_qp *qp)
{
	const uint64_t time =
		qp->attr.timeout ? UINT64_C(4096) << (qp->attr.timeout & 31) : 100 * LEAST_TIMEOUT;

	return time < LEAST_TIMEOUT ? LEAST_TIMEOUT : time;
}

/* Counts an attempt that has not reached the peer: false when there were too many. */
static bool may_retry(struct context *context)
{
	struct sim_qp *qp = context->qp;

	if (qp->attr.timeout && qp->path.retries++ >= qp->attr.retry_cnt)
		return false;
	qp->path.is_waiting = true;
	qp->path.due = mr_now_ns() + timeout_of(qp);
	return true;
}

/* Returns the status of a request that fails on its own side. */
static uint32_t own_status(const struct context *context, uint32_t status)
{
	return context->device->flushes_failed &&
			       sim_has_change(context->table->kernel, SIM_RXE_FLUSH)
		       ? IBV_WC_WR_FLUSH_ERR
		       : status;
}

static uint32_t execute_local(struct context *context, const struct sim_work *work)
{
	return work->op == SIM_OP_UNKNOWN || is_sent(work) ? IBV_WC_LOC_QP_OP_ERR
	       : work->op == SIM_OP_BIND && sim_key_bind(context->table, context->pd, &work->bind)
		       ? own_status(context, IBV_WC_MW_BIND_ERR)
		       : IBV_WC_SUCCESS;
}

/* Writes what a datagram begins with in memory: a GRH, or as many zeros. */
static void write_grh(const struct context *context, const struct sim_work *work, uint64_t length,
		      uint8_t *bytes)
{
	const bool is_rxe = context->table->kind == MR_SIM_RXE;
	const union ibv_gid gid = { .global = { htobe64(SIM_GID_PREFIX),
						htobe64(context->device->guid) } };
	/* BTH, DETH, ICRC, the immediate and, with RoCE, the header of UDP */
	const uint64_t headers = 12 + 8 + 4 + 4u * work->has_imm + 8u * is_rxe;
	struct ibv_grh grh = { 0 };

	if (work->has_grh)
		grh = (struct ibv_grh){
			.version_tclass_flow = htobe32(6u << 28),
			.paylen = htobe16((uint16_t)(headers + ((length + 3) & ~UINT64_C(3)))),
			.next_hdr = is_rxe ? IPPROTO_UDP : 0x1b,
			.hop_limit = 64,
			.sgid = gid,
			.dgid = gid,
		};
	memcpy(bytes, &grh, sizeof(grh));
}

/* Sends the request at the head of the send queue. */
static void send_request(struct context *context, const struct sim_work *work)
{
	struct sim_qp *qp = context->qp;
	const bool has_data = work->op == SIM_OP_SEND || work->op == SIM_OP_WRITE;
	const uint64_t length = is_atomic(work->op) ? 8 : total_length(work);
	const size_t grh = is_datagram(qp) ? sizeof(struct ibv_grh) : 0;
	const struct sim_message request = {
		.source = qp->number,
		.type = (uint8_t)qp->type,
		.psn = qp->path.psn,
		.op = (uint8_t)work->op,
		.has_imm = work->has_imm,
		.has_grh = work->has_grh,
		.solicited = work->solicited,
		.qkey = work->qkey,
		.imm = work->imm,
		.rkey = work->rkey,
		.remote = work->remote,
		.length = grh + length,
		.operand = work->operand,
		.compare = work->compare,
		.has_data = has_data,
	};
	struct sim_payload payload;
	int rc;

	if (grh && length > context->device->mtu) {
		finish(context, work, context->device->long_datagram);
		return;
	}
	if (!sim_payload_make(&payload, has_data ? grh + length : 0, context->buffers->sent)) {
		finish(context, work, IBV_WC_LOC_QP_OP_ERR);
		return;
	}
	if (grh)
		write_grh(context, work, length, payload.bytes);
	rc = has_data ? gather(context, work, payload.bytes + grh, length) : 0;
	if (rc) {
		sim_payload_free(&payload);
		/* rxe_req.c rxe_requester() has another status for a key that it does not find */
		finish(context, work,
		       rc == -EINVAL && context->table->kind == MR_SIM_RXE
			       ? own_status(context, IBV_WC_LOC_QP_OP_ERR)
			       : own_status(context, IBV_WC_LOC_PROT_ERR));
		return;
	}
	rc = sim_wire_send(context->table, qp->path.socket - 1,
			   grh ? work->destination : qp->attr.dest_qp_num, &request, &payload);
	sim_payload_free(&payload);
	/* A request that was delivered is answered some time: the peer lives, even if it is slow. */
	qp->path.is_waiting = true;
	qp->path.due = mr_now_ns() + (rc == -EAGAIN ? LEAST_TIMEOUT : timeout_of(qp));
	if (rc == -EAGAIN)
		return;
	if (qp->type != IB_UVERBS_QPT_RC)
		finish(context, work, IBV_WC_SUCCESS);
	else if (rc && !may_retry(context))
		finish(context, work, IBV_WC_RETRY_EXC_ERR);
}

static bool request(struct context *context)
{
	struct sim_progress *path = &context->qp->path;
	struct sim_work work;

	if (path->is_waiting && mr_now_ns() < path->due)
		return false;
	if (!context->device->fetch_send(context->table, context->qp, &work))
		return false;
	if (is_sent(&work) && is_supported(context->qp, &work))
		send_request(context, &work);
	else
		finish(context, &work, execute_local(context, &work));
	return true;
}

static void handle_answer(struct context *context, const struct sim_message *answer,
			  const struct sim_payload *payload)
{
	struct sim_qp *qp = context->qp;
	struct sim_work work;
	uint32_t status = answer->status;

	if (!qp->path.is_waiting || answer->psn != qp->path.psn ||
	    !context->device->fetch_send(context->table, context->qp, &work))
		return;
	if (status == STATUS_RNR) {
		if (qp->attr.rnr_retry != NO_LIMIT && qp->path.rnr_retries++ >= qp->attr.rnr_retry)
			finish(context, &work, IBV_WC_RNR_RETRY_EXC_ERR);
		else
			qp->path.due = mr_now_ns() + answer->result;
		return;
	}
	if (status == STATUS_PSN) {
		if (!may_retry(context))
			finish(context, &work, IBV_WC_RETRY_EXC_ERR);
		return;
	}
	if (!status && ((work.op == SIM_OP_READ &&
			 (payload->length != total_length(&work) ||
			  scatter(context, &work, payload->bytes, payload->length))) ||
			(is_atomic(work.op) &&
			 scatter(context, &work, &answer->result, sizeof(answer->result)))))
		status = IBV_WC_LOC_PROT_ERR;
	finish(context, &work, status < STATUS_RNR ? status : IBV_WC_BAD_RESP_ERR);
}

/* ---- steps --------------------------------------------------------------------------------- */

static void handle_message(struct context *context, const struct sim_message *message,
			   const struct sim_payload *payload)
{
	const struct sim_qp *qp = context->qp;

	if ((is_datagram(qp) ? message->qkey != qp->attr.qkey
			     : message->source != qp->attr.dest_qp_num) ||
	    (qp->attr.qp_state == IBV_QPS_ERR && context->device->flushes_failed))
		return;
	if (message->is_answer)
		handle_answer(context, message, payload);
	else if (message->type != qp->type || qp->attr.qp_state == IBV_QPS_ERR)
		return;
	else if (qp->type == IB_UVERBS_QPT_RC)
		respond(context, message, payload);
	else
		execute(context, message, payload);
}

/* Handles what has come: whether there was anything. */
static bool handle_messages(struct context *context)
{
	struct sim_qp *qp = context->qp;
	struct sim_payload payload;
	struct sim_message message = { 0 };
	int count = 0;

	for (;
	     count < MOST_MESSAGES && qp->path.socket &&
	     sim_wire_receive(qp->path.socket - 1, &message, &payload, context->buffers->received);
	     count++) {
		handle_message(context, &message, &payload);
		sim_payload_free(&payload);
	}
	return count;
}

/* Ends all work requests of a QP in the error state; those of an SRQ are for other QPs. */
static bool flush(struct context *context)
{
	struct sim_work work;
	bool any = false;

	for (; context->device->fetch_send(context->table, context->qp, &work); any = true)
		finish(context, &work, IBV_WC_WR_FLUSH_ERR);
	for (; !context->srq && fetch_receive(context, &work); any = true) {
		struct sim_completion completion = { .status = IBV_WC_WR_FLUSH_ERR };

		finish_receive(context, &work, &completion);
	}
	return any;
}

bool sim_path_is_active(const struct sim_table *table, const struct sim_queue *queue)
{
	return table->objects[queue->object].type == UVERBS_OBJECT_QP && queue->owner == getpid() &&
	       queue->qp.attr.qp_state >= IBV_QPS_RTR;
}

bool sim_path_step(struct sim_table *table, struct sim_queue *queue,
		   struct sim_path_buffers *buffers)
{
	struct sim_qp *qp = &queue->qp;
	struct sim_queue *srq;
	const bool has_srq = !sim_queue_find(table, UVERBS_OBJECT_SRQ, qp->srq, &srq) &&
			     srq->owner == queue->owner;
	struct context context = {
		.table = table,
		.device = sim_path_device_of(table),
		.queue = queue,
		.qp = qp,
		.srq = has_srq ? &srq->srq : NULL,
		.pd = table->objects[queue->object].parent,
		.buffers = buffers,
	};
	/* An answer that came before the QP failed is that of the request: also if the QP is its own peer. */
	bool any = handle_messages(&context);

	if (qp->attr.qp_state == IBV_QPS_RTS && request(&context))
		any = true;
	if (qp->attr.qp_state != IBV_QPS_ERR)
		return any;
	any = handle_messages(&context) || any;
	if (qp->path.socket)
		sim_libc()->close(qp->path.socket - 1);
	qp->path.socket = 0;
	return flush(&context) || any;
}
