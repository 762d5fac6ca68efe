/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Event and completion queues: entries, doorbells, interrupts. */
#include "hca.h"

static struct eq *eq_get(struct hca *h, uint32_t eqn)
{
	return eqn < 1u << LOG_EQ && h->eq[eqn].used ? &h->eq[eqn] : NULL;
}

void eq_post(struct hca *h, uint32_t eqn, uint32_t type, const void *data, size_t len)
{
	struct eq *e = eq_get(h, eqn);
	uint8_t *p = e ? ring_at(h, &e->r, e->pi) : NULL;

	if (!p) {
		trace(h, 1, "event %x for EQ %u lost", type, eqn);
		return;
	}
	memset(p, 0, 63);
	p[1] = (uint8_t)type;
	p[3] = (uint8_t)(type >> 8);
	memcpy(p + 32, data, len);
	__atomic_store_n(p + 63, e->pi >> e->r.log_n & 1, __ATOMIC_RELEASE);
	e->pi++;
	irq_raise(h, e->intr);
}

/* The driver writes how far it has read (its consumer index), and whether it wants an interrupt for the next
 * entry.  If there is an unread entry already, the interrupt comes at once. */
void eq_doorbell(struct hca *h, uint32_t val, bool arm)
{
	struct eq *e = eq_get(h, val >> 24);

	if (e && arm && ((e->pi ^ val) & 0xffffff))
		irq_raise(h, e->intr);
}

static void cq_event(struct hca *h, uint32_t cqn)
{
	uint8_t d[28] = { 0 };

	put32(d + 24, cqn);
	h->cq[cqn].armed = false;
	eq_post(h, h->cq[cqn].eqn, 0, d, sizeof(d));
}

void cq_doorbell(struct hca *h, uint32_t w0, uint32_t w1)
{
	uint32_t cqn = w1 & 0xffffff;

	if (cqn >= 1u << LOG_CQ || !h->cq[cqn].used)
		return;
	h->cq[cqn].armed = true;
	if ((h->cq[cqn].pi ^ w0) & 0xffffff)
		cq_event(h, cqn);
}

/* cqe: 64 bytes; the high half of the last one is the opcode, the low half is set here (the owner bit) */
void cq_post(struct hca *h, uint32_t cqn, uint8_t *cqe)
{
	struct cq *c = cqn < 1u << LOG_CQ && h->cq[cqn].used ? &h->cq[cqn] : NULL;
	uint8_t *p = c ? ring_at(h, &c->r, c->pi) : NULL;

	if (!p) {
		trace(h, 1, "completion for CQ %u lost", cqn);
		return;
	}
	p += (1u << c->r.log_ent) - 64;
	memcpy(p, cqe, 63);
	__atomic_store_n(p + 63, (cqe[63] & 0xf0) | (c->pi >> c->r.log_n & 1), __ATOMIC_RELEASE);
	c->pi++;
	if (c->armed)
		cq_event(h, cqn);
}

int create_eq(struct hca *h, struct cmd *c)
{
	const uint8_t *ctx = AT(c->in, create_eq_in__eq_context_entry);
	uint32_t n = id_alloc(&h->eq_id);
	int err;

	if (!n)
		return LIM_ERR;
	struct eq *e = &h->eq[n];
	memset(e, 0, sizeof(*e));
	err = ring_init(&e->r, AT(c->in, create_eq_in__pas), bytes_left(c, AT(c->in, create_eq_in__pas)),
			GET(ctx, eqc__log_page_size) + 12, 0, GET(ctx, eqc__log_eq_size), 6);
	if (err) {
		id_free(&h->eq_id, n);
		return err;
	}
	e->intr = GET(ctx, eqc__intr);
	e->used = true;
	uint64_t mask = be64(AT(c->in, create_eq_in__event_bitmask));
	if (mask >> 0xa & 1)
		h->cmd_eqn = n;
	if (mask >> 0xc & 1)
		h->page_fault_eqn = n;
	SET(c->out, create_eq_out__eq_number, n);
	note(c, "eqn %u size %u vector %u events %lx", n, 1u << e->r.log_n, e->intr, mask);
	return OK;
}

int destroy_eq(struct hca *h, struct cmd *c)
{
	uint32_t n = GET(c->in, destroy_eq_in__eq_number);

	if (!id_free(&h->eq_id, n))
		return BAD_RES;
	ring_free(&h->eq[n].r);
	h->eq[n].used = false;
	if (h->cmd_eqn == n)
		h->cmd_eqn = 0;
	note(c, "eqn %u", n);
	return OK;
}

int create_cq(struct hca *h, struct cmd *c)
{
	const uint8_t *ctx = AT(c->in, create_cq_in__cq_context);
	const unsigned shift = GET(ctx, cqc__log_page_size) + 12;
	uint32_t n;
	int err = OK;

	if (!eq_get(h, GET(ctx, cqc__c_eqn_or_apu_element)))
		return BAD_RES;
	n = id_alloc(&h->cq_id);
	if (!n)
		return LIM_ERR;
	struct cq *q = &h->cq[n];
	memset(q, 0, sizeof(*q));
	if (!GET(c->in, create_cq_in__cq_umem_valid))
		err = ring_init(&q->r, AT(c->in, create_cq_in__pas),
				bytes_left(c, AT(c->in, create_cq_in__pas)), shift,
				GET(ctx, cqc__page_offset) << (shift - 6),	/* in 64ths of a page */
				GET(ctx, cqc__log_cq_size),
				6 + GET(ctx, cqc__cqe_sz));
	if (err) {
		id_free(&h->cq_id, n);
		return err;
	}
	memcpy(q->ctx, ctx, sizeof(q->ctx));
	q->eqn = GET(ctx, cqc__c_eqn_or_apu_element);
	q->dbr = GET64(ctx, cqc__dbr_addr);
	q->used = true;
	SET(c->out, create_cq_out__cqn, n);
	note(c, "cqn %u size %u eqn %u", n, 1u << q->r.log_n, q->eqn);
	return OK;
}

int destroy_cq(struct hca *h, struct cmd *c)
{
	uint32_t n = GET(c->in, destroy_cq_in__cqn);

	if (!id_free(&h->cq_id, n))
		return BAD_RES;
	ring_free(&h->cq[n].r);
	h->cq[n].used = false;
	note(c, "cqn %u", n);
	return OK;
}

int query_cq(struct hca *h, struct cmd *c)
{
	uint32_t n = GET(c->in, destroy_cq_in__cqn);

	if (!id_used(&h->cq_id, n))
		return BAD_RES;
	memcpy(AT(c->out, query_cq_out__cq_context), h->cq[n].ctx, sizeof(h->cq[n].ctx));
	return OK;
}
