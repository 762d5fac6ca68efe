/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Send queues.  Work requests that update memory keys (UMR) are carried out, and those of RC queues (path.c).  Every
 * other one completes at once without effect: there is no network behind this device. */
#include "hca.h"

enum { UMR = 0x25, CQE_REQ = 0x00, CQE_REQ_ERR = 0xd0, SYND_FLUSH = 5, SYND_UMR = 6 };
enum { F_CHECK_QPN = 1 << 3, F_OFFSET = 1 << 4, F_CHECK_NOT_FREE = 1 << 5, F_CHECK_FREE = 2 << 5, F_INLINE = 1 << 7 };

/* the bits of a UMR's mask, and the field of the memory key that each allows to change */
static const struct {
	uint64_t bit;
	unsigned off, w;
} masked[] = {
	{ 1ull << 0, mkc__len }, { 1ull << 0, mkc__length64 }, { 1ull << 1, mkc__log_page_size },
	{ 1ull << 6, mkc__start_addr }, { 1ull << 7, mkc__pd }, { 1ull << 8, mkc__en_rinval },
	{ 1ull << 12, mkc__bsf_en }, { 1ull << 13, mkc__mkey_7_0 }, { 1ull << 14, mkc__qpn },
	{ 1ull << 17, mkc__lr }, { 1ull << 18, mkc__lw }, { 1ull << 19, mkc__rr },
	{ 1ull << 20, mkc__rw }, { 1ull << 21, mkc__a }, { 1ull << 25, mkc__relaxed_ordering_write },
	{ 1ull << 29, mkc__free }, { 1ull << 47, mkc__relaxed_ordering_read },
};

/* The rules for a UMR of a user's queue: a memory window, which is a key with the key of the region and its
 * address there as the only entry.  Returns why not, or NULL. */
static const char *update_window(struct hca *h, const struct qp *q, uint32_t qpn, const uint8_t *w, struct mkey *m)
{
	const uint8_t *seg = w + 64;
	bool has_entry = be16(w + 20) && (w[16] & F_INLINE);

	if ((w[16] & F_CHECK_QPN) && GET(m->mkc, mkc__qpn) != qpn)
		return "the window is another queue's";
	if (GET(seg, mkc__free)) {
		window_unbind(h, m);
		return NULL;
	}
	if (!has_entry || m->n_translations < 2)
		return "a window without the key that it is bound to";
	return window_bind(h, m, GET(q->ctx, qpc__pd), be32(w + 128 + 4));
}

/* Carries out a UMR of len bytes; returns why not, or NULL. */
static const char *update_mkey(struct hca *h, const struct qp *q, uint32_t qpn, const uint8_t *w, uint32_t len)
{
	uint32_t key = be32(w + 12), octo = be16(w + 20);
	uint64_t mask = be64(w + 24), off = 0, first, n = octo * 2;
	uint8_t flags = w[16];
	const uint8_t *seg = w + 64, *translations = NULL;
	struct mkey *m = key >> 8 < 1u << LOG_MKEY ? h->mkey[key >> 8] : NULL;

	if (!m)
		return "no such mkey";
	if (!GET(m->mkc, mkc__umr_en))
		return "mkey without umr_en";
	if ((flags & F_CHECK_FREE) && GET(m->mkc, mkc__free))
		return "mkey is free";
	if ((flags & F_CHECK_NOT_FREE) && !GET(m->mkc, mkc__free))
		return "mkey is not free";
	if ((mask & 1 << 7) && !id_used(&h->pd, GET(seg, mkc__pd)))
		return "no such pd";
	if ((mask & 1 << 29) && GET(seg, mkc__free) && m->n_windows)
		return "memory windows are bound to it";
	if (flags & F_OFFSET)
		off = be16(w + 22) | (uint64_t)be32(w + 32) << 16;
	first = off * 2;
	if (n && (flags & F_INLINE)) {
		if (128 + 8 * n > len)
			return "short inline list";
		translations = w + 128;
	} else if (n) {
		uint32_t lkey = be32(w + 132);
		struct mkey *l = lkey >> 8 < 1u << LOG_MKEY ? h->mkey[lkey >> 8] : NULL;

		if (!l || GET(l->mkc, mkc__free) || !GET(l->mkc, mkc__lr) ||
		    GET(l->mkc, mkc__mkey_7_0) != (lkey & 0xff))
			return "bad lkey of the list";
		translations = dma_ptr(h, be64(w + 136), n * 8);
		if (!translations)
			return "list outside guest memory";
	}
	if (GET(q->ctx, qpc__st) != QP_REG_UMR) {
		const char *why = update_window(h, q, qpn, w, m);

		if (why)
			return why;
	}
	/* lists are sent in units of 64 bytes: zero entries beyond the key's room are padding */
	for (uint64_t i = 0; i < n; i++) {
		uint64_t e = be64(translations + 8 * i);
		if (first + i < m->n_translations)
			m->translations[first + i] = e;
		else if (e)
			return "list longer than the mkey has room for";
	}
	for (size_t i = 0; i < ARRAY_SIZE(masked); i++)
		if (mask & masked[i].bit)
			field_set(m->mkc, masked[i].off, masked[i].w,
				  field_get64(seg, masked[i].off, masked[i].w));
	trace(h, 2, "umr mkey %x mask %lx flags %x xlt %lu at %lu first %lx: free %u pd %u access "
	      "%u%u%u%u%u ro%u%u start %lx len %lx log_page_size %u", key, mask, flags, n, first,
	      n ? be64(translations) : 0, GET(m->mkc, mkc__free), GET(m->mkc, mkc__pd),
	      GET(m->mkc, mkc__lr), GET(m->mkc, mkc__lw),
	      GET(m->mkc, mkc__rr), GET(m->mkc, mkc__rw),
	      GET(m->mkc, mkc__a), GET(m->mkc, mkc__relaxed_ordering_write),
	      GET(m->mkc, mkc__relaxed_ordering_read), GET64(m->mkc, mkc__start_addr), GET64(m->mkc, mkc__len),
	      GET(m->mkc, mkc__log_page_size));
	return NULL;
}

/* The producer index of the send queue, from its doorbell record in guest memory */
static uint32_t doorbell_index(struct hca *h, struct qp *q)
{
	uint8_t b[8];

	if (dma_read(h, q->dbr, b, 8))
		return q->ci;
	return be32(b + 4) & 0xffff;
}

static void post_completion(struct hca *h, struct qp *q, uint32_t qpn, const uint8_t *w, uint32_t ctr,
		     const struct result *r)
{
	uint8_t cqe[64] = { 0 }, synd = r->synd;

	if (!synd && !(w[11] & 8))	/* successful, and no completion was asked for */
		return;
	put32(cqe + 32, GET(q->ctx, qpc__user_index));
	put32(cqe + 44, synd ? 0 : r->byte_count);
	put32(cqe + 56, (uint32_t)w[3] << 24 | qpn);
	put32(cqe + 60, ctr << 16);
	cqe[54] = vendor_syndrome(synd);
	cqe[55] = synd;
	cqe[63] = synd ? CQE_REQ_ERR : CQE_REQ;
	cq_post(h, q->cqn, cqe);
}

void qp_drain(struct hca *h, struct qp *q, uint32_t qpn)
{
	uint32_t pi = doorbell_index(h, q), n = 1u << q->r.log_n;

	if (q->is_faulted)
		return;
	while (n-- && q->has_ring && q->ci != pi && (q->state == QP_RTS || q->state == QP_ERR)) {
		uint8_t w[1024] = { 0 };
		uint8_t *p = ring_at(h, &q->r, q->ci);
		uint32_t ctr = q->ci, ds, bb;
		struct result r = { .synd = 0 };

		if (!p)
			return;
		ds = p[7] & 0x3f;
		bb = (ds + 3) / 4;
		if (!bb || bb > 16)
			bb = 1;
		for (uint32_t i = 0; i < bb; i++)
			if ((p = ring_at(h, &q->r, q->ci + i)))
				memcpy(w + 64 * i, p, 64);
		if (q->state == QP_ERR) {
			r.synd = SYND_FLUSH;
		} else if (w[3] == UMR) {
			const char *e = fail_take(h, OP_UMR) >= 0 ? "injected" : update_mkey(h, q, qpn, w, ds * 16);

			if (e) {
				trace(h, 1, "umr mkey %x: refused: %s", be32(w + 12), e);
				r.synd = SYND_UMR;
				q->state = QP_ERR;
			}
		} else if (GET(q->ctx, qpc__st) == QP_RC) {
			if (!path_execute(h, q, qpn, w, ds * 16, &r))
				return;
		} else {
			trace(h, 2, "qp %u: work request %x dropped", qpn, w[3]);
		}
		q->ci = (q->ci + bb) & 0xffff;
		post_completion(h, q, qpn, w, ctr, &r);
	}
}

void qp_doorbell(struct hca *h, uint32_t qpn)
{
	if (qpn < 1u << LOG_QP && h->qp[qpn].used)
		qp_drain(h, &h->qp[qpn], qpn);
}
