/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data path: work requests of RC queues, whose peer is a queue of this device.  A request is carried out at once,
 * or waits (for a page, a receive request, or the peer) and is tried again.
 *
 * Rules and numbers: InfiniBand Architecture Specification 1.4, chapters 9.7 and 10.6; layouts of WQEs and CQEs:
 * libmlx5's mlx5dv.h.
 */
#include "hca.h"

/* syndromes of completions: MLX5_CQE_SYNDROME_... of mlx5dv.h */
enum {
	SYND_NONE = 0, SYND_LENGTH = 1, SYND_QP_OP = 2, SYND_PROTECTION = 4, SYND_FLUSH = 5, SYND_REMOTE_REQUEST = 0x12,
	SYND_REMOTE_ACCESS = 0x13, SYND_REMOTE_OP = 0x14, SYND_RETRY = 0x15, SYND_RNR = 0x16,
};
/* results that are no syndromes: what the request waits for */
enum {
	PATH_WAIT_PEER = -1, PATH_WAIT_RECEIVE = -2,	/* tried again soon */
	PATH_FAULT_REQUEST = -3, PATH_FAULT_RECEIVE = -4, PATH_FAULT_RDMA = -5,	/* a page: of the request's own memory, */
		/* of that of the peer's receive request, of the range that the request names */
};
enum { OP_WRITE = 8, OP_WRITE_IMM = 9, OP_SEND = 0xa, OP_SEND_IMM = 0xb, OP_READ = 0x10, OP_SWAP = 0x11, OP_ADD = 0x12 };
enum { CQE_WRITE_IMM = 0x10, CQE_SEND = 0x20, CQE_SEND_IMM = 0x30, CQE_ERR_RECEIVE = 0xe0 };
enum { NO_KEY = 0x100, LAST_KEY = 0x400 };	/* of a data segment that ends a list: special_contexts() */
enum { INLINE = 1u << 31, MAX_SEGMENTS = 64, MAX_MESSAGE = 1 << 30 };

/* The public numbers that firmware gives as the vendor's part of an error (vendor_err of a work completion). */
uint8_t vendor_syndrome(uint8_t synd)
{
	switch (synd) {
	case SYND_LENGTH: return 0x6b;
	case SYND_QP_OP: return 0x68;
	case SYND_PROTECTION: return 0x51;
	case SYND_FLUSH: return 0xf9;
	case SYND_REMOTE_REQUEST: return 0x8a;
	case SYND_REMOTE_ACCESS: return 0x88;
	case SYND_REMOTE_OP: return 0x89;
	case SYND_RETRY: return 0x81;
	case SYND_RNR: return 0x87;
	default: return 0;
	}
}

/* A piece of memory of a request: the data of a WQE itself, or a range of a key */
struct segment {
	uint8_t *data;		/* in the WQE; NULL: a range of a key */
	uint32_t key, len;
	uint64_t va;
};

struct message {
	struct segment s[MAX_SEGMENTS];
	uint32_t n;
	uint64_t len;
};

/* Adds the data segments that begin at p; false: they are malformed. */
static bool parse_segments(struct message *m, uint8_t *p, const uint8_t *end)
{
	while (p + 16 <= end && m->n < MAX_SEGMENTS) {
		uint32_t count = be32(p);
		struct segment *s = &m->s[m->n];

		if (count & INLINE) {
			count &= ~INLINE;
			if (count > (size_t)(end - p) - 4)
				return false;
			*s = (struct segment){ .data = p + 4, .len = count };
			p += (4 + count + 15) / 16 * 16;
		} else {
			*s = (struct segment){ .key = be32(p + 4), .len = count, .va = be64(p + 8) };
			p += 16;
			if (!count && (s->key == NO_KEY || s->key == LAST_KEY))
				break;
		}
		m->len += s->len;
		m->n++;
	}
	return m->len <= MAX_MESSAGE;
}

/* Copies len bytes between b and the message from its byte @from on; returns P_NONE, or why not. */
static uint32_t copy_message(struct hca *h, uint32_t pd, const struct message *m, uint64_t from, void *b, uint64_t len,
			     int how)
{
	uint8_t *p = b;

	for (uint32_t i = 0; i < m->n && len; i++) {
		const struct segment *s = &m->s[i];
		uint64_t n;
		uint32_t route, reason;

		if (from >= s->len) {
			from -= s->len;
			continue;
		}
		n = s->len - from < len ? s->len - from : len;
		if (s->data && how == A_READ) {
			memcpy(p, s->data + from, n);
		} else {
			reason = s->data ? P_ACCESS : mkey_access(h, s->key, pd, s->va + from, n, how, p, &route);
			if (reason)
				return reason;
		}
		p += n;
		len -= n;
		from = 0;
	}
	return len ? P_RANGE : P_NONE;
}

/* The receive request that is next, or false: none is posted */
static bool next_receive(struct hca *h, struct qp *q, struct message *m)
{
	uint8_t b[4];
	uint8_t *p;

	if (!q->has_rq || dma_read(h, q->dbr, b, 4) || (be32(b) & 0xffff) == (q->rq_ci & 0xffff))
		return false;
	p = ring_at(h, &q->rq, q->rq_ci);
	return p && parse_segments(m, p, p + (1u << q->rq.log_ent));
}

static void complete_receive(struct hca *h, struct qp *q, uint32_t qpn, uint8_t opcode, uint64_t len, uint32_t imm,
			     uint8_t synd)
{
	uint8_t cqe[64] = { 0 };

	put32(cqe + 32, GET(q->ctx, qpc__user_index));
	put32(cqe + 36, imm);
	put32(cqe + 44, synd ? 0 : (uint32_t)len);
	put32(cqe + 56, qpn);
	put32(cqe + 60, (q->rq_ci & 0xffff) << 16);
	if (synd) {
		cqe[54] = vendor_syndrome(synd);
		cqe[55] = synd;
	}
	cqe[63] = synd ? CQE_ERR_RECEIVE : opcode;
	q->rq_ci++;
	cq_post(h, GET(q->ctx, qpc__cqn_rcv), cqe);
}

/* Completes with an error what was posted and not carried out when a queue fails, and what is posted later: receive
 * requests have no doorbell, so path_retry() looks for them. */
void path_flush(struct hca *h, struct qp *q, uint32_t qpn)
{
	uint8_t b[4];

	q->is_waiting = q->has_rq;
	h->is_waiting |= q->has_rq;
	if (!q->has_rq || dma_read(h, q->dbr, b, 4))
		return;
	for (uint32_t n = 1u << q->rq.log_n; n && (be32(b) & 0xffff) != (q->rq_ci & 0xffff); n--)
		complete_receive(h, q, qpn, 0, 0, 0, SYND_FLUSH);
}

static void fail_queue(struct hca *h, struct qp *q, uint32_t qpn)
{
	q->state = QP_ERR;
	path_flush(h, q, qpn);
}

/* The queue that is connected with q and can receive, or NULL */
static struct qp *peer_of(struct hca *h, const struct qp *q, uint32_t *qpn)
{
	struct qp *peer;

	*qpn = GET(q->ctx, qpc__remote_qpn);
	peer = *qpn < 1u << LOG_QP && h->qp[*qpn].used ? &h->qp[*qpn] : NULL;
	return peer && GET(peer->ctx, qpc__st) == QP_RC && (peer->state == QP_RTR || peer->state == QP_RTS) ? peer : NULL;
}

/* The range of the peer's memory that the remote address segment of a request names */
static struct segment remote_of(const uint8_t *w, uint64_t len)
{
	return (struct segment){ .key = be32(w + 24), .va = be64(w + 16), .len = (uint32_t)len };
}

static int remote_failure(uint32_t reason, const struct segment *remote, struct segment *fault)
{
	*fault = *remote;
	return reason == P_PAGE ? PATH_FAULT_RDMA : SYND_REMOTE_ACCESS;
}

static int local_failure(uint32_t reason)
{
	return reason == P_PAGE ? PATH_FAULT_REQUEST : SYND_PROTECTION;
}

static int transfer(struct hca *h, struct qp *q, const uint8_t *w, const struct message *m, struct qp *peer,
		    struct segment *fault)
{
	const struct segment remote = remote_of(w, m->len);
	const bool is_read = w[3] == OP_READ;
	const int how = is_read ? A_REMOTE : A_REMOTE | A_WRITE;
	uint32_t pd = GET(q->ctx, qpc__pd), peer_pd = GET(peer->ctx, qpc__pd), route, reason;
	uint8_t b[PAGE];

	/* a message without bytes needs no key: 9.7.4.1.3 */
	if (!m->len)
		return SYND_NONE;
	/* a queue that is not to serve such requests knows none: 9.7.4.1.2 */
	if (!(is_read ? GET(peer->ctx, qpc__rre) : GET(peer->ctx, qpc__rwe)))
		return SYND_REMOTE_REQUEST;
	/* the peer checks the whole range before the first byte */
	reason = mkey_access(h, remote.key, peer_pd, remote.va, m->len, how, NULL, &route);
	if (reason)
		return remote_failure(reason, &remote, fault);
	for (uint64_t done = 0; done < m->len; done += sizeof(b)) {
		uint64_t n = m->len - done < sizeof(b) ? m->len - done : sizeof(b);

		if (is_read)
			mkey_access(h, remote.key, peer_pd, remote.va + done, n, how, b, &route);
		reason = copy_message(h, pd, m, done, b, n, is_read ? A_WRITE : A_READ);
		if (reason)
			return local_failure(reason);
		if (!is_read)
			mkey_access(h, remote.key, peer_pd, remote.va + done, n, how, b, &route);
	}
	return SYND_NONE;
}

static int atomic(struct hca *h, struct qp *q, const uint8_t *w, const struct message *m, struct qp *peer,
		  struct segment *fault)
{
	const struct segment remote = remote_of(w, sizeof(uint64_t));
	const uint64_t operand = be64(w + 32), compare = be64(w + 40);
	const uint32_t peer_pd = GET(peer->ctx, qpc__pd);
	uint64_t was, is;
	uint32_t route, reason;

	if (remote.va % sizeof(was) || !GET(peer->ctx, qpc__rae))
		return SYND_REMOTE_REQUEST;
	reason = mkey_access(h, remote.key, peer_pd, remote.va, sizeof(is), A_ATOMIC | A_WRITE, NULL, &route);
	if (reason)
		return remote_failure(reason, &remote, fault);
	mkey_access(h, remote.key, peer_pd, remote.va, sizeof(was), A_ATOMIC, &was, &route);
	/* the answer is written first: where it cannot be, the operation is not repeated */
	reason = copy_message(h, GET(q->ctx, qpc__pd), m, 0, &was, sizeof(was), A_WRITE);
	if (reason)
		return local_failure(reason);
	is = w[3] == OP_ADD ? was + operand : was == compare ? operand : was;
	mkey_access(h, remote.key, peer_pd, remote.va, sizeof(is), A_ATOMIC | A_WRITE, &is, &route);
	return SYND_NONE;
}

/* Puts a message into the receive request of the peer. */
static int deliver(struct hca *h, struct qp *q, const struct message *m, struct qp *peer, uint32_t peer_qpn,
		   uint8_t opcode, uint32_t imm)
{
	struct message r = { .n = 0 };
	uint8_t b[PAGE];

	if (!next_receive(h, peer, &r))
		return PATH_WAIT_RECEIVE;
	if (opcode == CQE_WRITE_IMM) {
		complete_receive(h, peer, peer_qpn, opcode, m->len, imm, SYND_NONE);
		return SYND_NONE;
	}
	if (r.len < m->len) {
		complete_receive(h, peer, peer_qpn, 0, 0, 0, SYND_LENGTH);
		fail_queue(h, peer, peer_qpn);
		return SYND_REMOTE_REQUEST;
	}
	for (uint64_t done = 0; done < m->len; done += sizeof(b)) {
		uint64_t n = m->len - done < sizeof(b) ? m->len - done : sizeof(b);
		uint32_t reason = copy_message(h, GET(q->ctx, qpc__pd), m, done, b, n, A_READ);

		if (reason)
			return local_failure(reason);
		reason = copy_message(h, GET(peer->ctx, qpc__pd), &r, done, b, n, A_WRITE);
		if (reason == P_PAGE)
			return PATH_FAULT_RECEIVE;
		if (reason) {
			complete_receive(h, peer, peer_qpn, 0, 0, 0, SYND_PROTECTION);
			fail_queue(h, peer, peer_qpn);
			return SYND_REMOTE_OP;
		}
	}
	complete_receive(h, peer, peer_qpn, opcode, m->len, imm, SYND_NONE);
	return SYND_NONE;
}

/* Carries out the work request w of len bytes; returns SYND_NONE, a syndrome, or PATH_... */
static int execute(struct hca *h, struct qp *q, uint8_t *w, uint32_t len, uint32_t *byte_count, struct segment *fault)
{
	uint32_t peer_qpn, imm = be32(w + 12);
	struct qp *peer = peer_of(h, q, &peer_qpn);
	uint8_t opcode = w[3], *data = w + 16;
	struct message m = { .n = 0 };
	int synd;

	if (opcode == OP_WRITE || opcode == OP_WRITE_IMM || opcode == OP_READ)
		data = w + 32;
	else if (opcode == OP_SWAP || opcode == OP_ADD)
		data = w + 48;
	else if (opcode != OP_SEND && opcode != OP_SEND_IMM)
		return opcode ? SYND_QP_OP : SYND_NONE; /* 0: no operation */
	if (!parse_segments(&m, data, w + len))
		return SYND_LENGTH;
	*byte_count = (uint32_t)m.len;
	if (!peer)
		return PATH_WAIT_PEER;
	switch (opcode) {
	case OP_READ:
		return transfer(h, q, w, &m, peer, fault);
	case OP_SWAP:
	case OP_ADD:
		return atomic(h, q, w, &m, peer, fault);
	case OP_WRITE:
	case OP_WRITE_IMM:
		/* the receive request is there before the bytes are written: else they were written twice */
		if (opcode == OP_WRITE_IMM && !next_receive(h, peer, &(struct message){ .n = 0 }))
			return PATH_WAIT_RECEIVE;
		synd = transfer(h, q, w, &m, peer, fault);
		return synd || opcode == OP_WRITE ? synd : deliver(h, q, &m, peer, peer_qpn, CQE_WRITE_IMM, imm);
	default:
		return deliver(h, q, &m, peer, peer_qpn, opcode == OP_SEND ? CQE_SEND : CQE_SEND_IMM, imm);
	}
}

enum { EVENT_PAGE_FAULT = 0xc, OF_WQE = 0 << 8, OF_RDMA = 1 << 8 };	/* subtypes */
enum { FAULT_REQUESTOR = 1 << 24, FAULT_WRITE = 2 << 24, FAULT_RDMA = 4 << 24 };
enum { MAX_TRIES = 100 };	/* of a request, at intervals of a millisecond, or of page faults */

/* Asks the driver for a page; page_fault_resume() goes on.  struct mlx5_eqe_page_fault; the token is the queue. */
static void ask_for_page(struct hca *h, struct qp *q, uint32_t qpn, int kind, const struct segment *fault, bool is_read)
{
	uint8_t d[28] = { 0 };
	uint32_t of = kind == PATH_FAULT_RECEIVE ? GET(q->ctx, qpc__remote_qpn) : qpn;
	uint32_t index = kind == PATH_FAULT_RECEIVE ? h->qp[of].rq_ci : q->ci;

	q->is_faulted = true;
	if (kind == PATH_FAULT_RDMA) {
		put32(d + 4, fault->key);
		put32(d + 8, PAGE);
		put32(d + 12, fault->len);
		put64(d + 16, fault->va);
		put32(d + 24, FAULT_RDMA | (is_read ? 0u : FAULT_WRITE) | qpn);
	} else {
		put32(d + 4, index & 0xffff);
		put32(d + 8, PAGE);
		put32(d + 12, qpn);
		put32(d + 24, (kind == PATH_FAULT_REQUEST ? FAULT_REQUESTOR : FAULT_WRITE) | of);
	}
	trace(h, 2, "qp %u: page fault %d of key %x at %lx", qpn, kind, fault->key, fault->va);
	eq_post(h, h->page_fault_eqn, EVENT_PAGE_FAULT | (kind == PATH_FAULT_RDMA ? OF_RDMA : OF_WQE), d, sizeof(d));
}

int page_fault_resume(struct hca *h, struct cmd *c)
{
	uint32_t qpn = GET(c->in, page_fault_resume_in__token);
	struct qp *q = qpn < 1u << LOG_QP && h->qp[qpn].used ? &h->qp[qpn] : NULL;

	note(c, "qp %u%s", qpn, GET(c->in, page_fault_resume_in__error) ? " error" : "");
	if (q && q->is_faulted) {
		q->is_faulted = false;
		q->page_missing = GET(c->in, page_fault_resume_in__error);
		qp_drain(h, q, qpn);
	}
	return OK;
}

/* The syndrome of a request that has waited long enough, or the result itself */
static int give_up(struct qp *q, int result)
{
	uint32_t limit = result == PATH_WAIT_RECEIVE && GET(q->ctx, qpc__rnr_retry) == 7 ? UINT32_MAX : MAX_TRIES;

	if (!q->page_missing && q->tries++ < limit)
		return result;
	switch (result) {
	case PATH_WAIT_PEER: return SYND_RETRY;
	case PATH_WAIT_RECEIVE: return SYND_RNR;
	case PATH_FAULT_REQUEST: return SYND_PROTECTION;
	case PATH_FAULT_RDMA: return SYND_REMOTE_ACCESS;
	default: return SYND_REMOTE_OP;
	}
}

bool path_execute(struct hca *h, struct qp *q, uint32_t qpn, uint8_t *w, uint32_t len, struct result *r)
{
	struct segment fault = { .key = 0 };
	int result = execute(h, q, w, len, &r->byte_count, &fault);

	if (result < 0)
		result = give_up(q, result);
	if (result < 0) {
		if (result == PATH_WAIT_PEER || result == PATH_WAIT_RECEIVE)
			h->is_waiting = q->is_waiting = true;
		else
			ask_for_page(h, q, qpn, result, &fault, w[3] == OP_READ);
		return false;
	}
	q->tries = 0;
	q->page_missing = false;
	r->synd = (uint8_t)result;
	/* the peer that refuses a request fails as well: 9.9.3 */
	if (result == SYND_REMOTE_ACCESS || result == SYND_REMOTE_REQUEST) {
		uint32_t peer_qpn;
		struct qp *peer = peer_of(h, q, &peer_qpn);

		if (peer && peer != q)
			fail_queue(h, peer, peer_qpn);
	}
	if (result)
		fail_queue(h, q, qpn);
	return true;
}

void path_retry(struct hca *h)
{
	h->is_waiting = false;
	for (uint32_t i = 0; i < 1u << LOG_QP; i++)
		if (h->qp[i].used && h->qp[i].is_waiting) {
			h->qp[i].is_waiting = false;
			qp_drain(h, &h->qp[i], i);
			if (h->qp[i].state == QP_ERR)
				path_flush(h, &h->qp[i], i);
		}
}
