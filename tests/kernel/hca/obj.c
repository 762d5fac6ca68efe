/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Object numbers; objects that are nothing more than a number; user contexts and QPs. */
#include "hca.h"

uint32_t id_alloc(struct idtab *t)
{
	if (t->limit && t->count >= t->limit)
		return 0;
	for (uint32_t i = 0; i < t->n - t->first; i++) {
		uint32_t id = t->next++;

		if (t->next == t->n)
			t->next = t->first;
		if (!t->used[id]) {
			t->used[id] = 1;
			t->count++;
			return id;
		}
	}
	return 0;
}

bool id_used(struct idtab *t, uint32_t id)
{
	return id < t->n && t->used[id];
}

bool id_free(struct idtab *t, uint32_t id)
{
	if (!id_used(t, id))
		return false;
	t->used[id] = 0;
	t->count--;
	return true;
}

static void id_table_init(struct idtab *t, uint32_t first, uint32_t n)
{
	if (!t->used)
		t->used = zalloc(1, n);
	memset(t->used, 0, n);
	t->n = n;
	t->first = t->next = first;
	t->count = 0;
}

void obj_init(struct hca *h)
{
	id_table_init(&h->pd, 1, 1u << LOG_PD);
	id_table_init(&h->uar, FIRST_UAR, MEMIC_START / PAGE);
	id_table_init(&h->td, 1, 1024);
	id_table_init(&h->xrcd, 1, 1024);
	id_table_init(&h->uctx, 1, 1u << LOG_UCTX);
	id_table_init(&h->counter, 1, 256);
	id_table_init(&h->srq, 1, 1u << 12);
	id_table_init(&h->obj, 1, 1u << 12);
	id_table_init(&h->mkey_id, 16, 1u << LOG_MKEY);
	id_table_init(&h->umem_id, 1, 1u << LOG_UMEM);
	id_table_init(&h->eq_id, 1, 1u << LOG_EQ);
	id_table_init(&h->cq_id, 1, 1u << LOG_CQ);
	id_table_init(&h->qp_id, 2, 1u << LOG_QP);
}

int limit_set(struct hca *h, const char *name, uint32_t n)
{
	if (!strcmp(name, "mkey"))
		h->mkey_id.limit = n;
	else if (!strcmp(name, "umem"))
		h->umem_id.limit = n;
	else if (!strcmp(name, "pd"))
		h->pd.limit = n;
	else if (!strcmp(name, "uctx"))
		h->uctx.limit = n;
	else
		return -1;
	return 0;
}

/* How many objects of a type (COUNT_...) there are; of memory keys those that are not free */
uint32_t obj_count(struct hca *h, uint32_t type)
{
	const struct idtab *tables[] = {
		[COUNT_umem] = &h->umem_id, [COUNT_uctx] = &h->uctx, [COUNT_pd] = &h->pd,
		[COUNT_qp] = &h->qp_id, [COUNT_cq] = &h->cq_id, [COUNT_srq] = &h->srq,
		[COUNT_uar] = &h->uar, [COUNT_td] = &h->td, [COUNT_xrcd] = &h->xrcd,
		[COUNT_obj] = &h->obj,
	};
	uint32_t n = 0;

	if (type != COUNT_key)
		return type < ARRAY_SIZE(tables) ? tables[type]->count : 0;
	for (uint32_t i = 0; i < 1u << LOG_MKEY; i++)
		n += h->mkey[i] && !GET(h->mkey[i]->mkc, mkc__free);
	return n;
}

void obj_reset(struct hca *h)
{
	for (uint32_t i = 0; i < 1u << LOG_MKEY; i++)
		if (h->mkey[i]) {
			free(h->mkey[i]->translations);
			free(h->mkey[i]);
			h->mkey[i] = NULL;
		}
	for (uint32_t i = 0; i < 1u << LOG_UMEM; i++)
		if (h->umem[i]) {
			free(h->umem[i]->mtt);
			free(h->umem[i]);
			h->umem[i] = NULL;
		}
	for (uint32_t i = 0; i < 1u << LOG_EQ; i++)
		ring_free(&h->eq[i].r);
	for (uint32_t i = 0; i < 1u << LOG_CQ; i++)
		ring_free(&h->cq[i].r);
	for (uint32_t i = 0; i < 1u << LOG_QP; i++) {
		ring_free(&h->qp[i].r);
		ring_free(&h->qp[i].rq);
	}
	memset(h->memic_size, 0, sizeof(h->memic_size));
	h->n_memic = 0;
	memset(h->eq, 0, sizeof(h->eq));
	memset(h->cq, 0, sizeof(h->cq));
	memset(h->qp, 0, sizeof(h->qp));
	obj_init(h);
}

/* Commands ALLOC_... and CREATE_... answer with the number in the low 24 bits of word 2, where DEALLOC_... and
 * DESTROY_... take it. */
static int alloc_number(struct idtab *t, struct cmd *c, const char *what)
{
	uint32_t id = id_alloc(t);

	if (!id)
		return LIM_ERR;
	put32(c->out + 8, id);
	note(c, "%s %u", what, id);
	return OK;
}

static int free_number(struct idtab *t, struct cmd *c, const char *what)
{
	uint32_t id = be32(c->in + 8) & 0xffffff;

	note(c, "%s %u", what, id);
	return id_free(t, id) ? OK : BAD_RES;
}

#define PLAIN(al, de, tb, what)							\
	int al(struct hca *h, struct cmd *c) { return alloc_number(&h->tb, c, what); }	\
	int de(struct hca *h, struct cmd *c) { return free_number(&h->tb, c, what); }

PLAIN(alloc_uar, dealloc_uar, uar, "uar")
PLAIN(alloc_td, dealloc_td, td, "td")
PLAIN(alloc_xrcd, dealloc_xrcd, xrcd, "xrcd")
PLAIN(alloc_counter, dealloc_counter, counter, "counter")
PLAIN(create_srq, destroy_srq, srq, "srqn")
PLAIN(create_obj, destroy_obj, obj, "obj")

int alloc_pd(struct hca *h, struct cmd *c)
{
	return alloc_number(&h->pd, c, "pd");
}

int dealloc_pd(struct hca *h, struct cmd *c)
{
	uint32_t pd = be32(c->in + 8) & 0xffffff;

	for (uint32_t i = 0; i < 1u << LOG_MKEY; i++)
		if (h->mkey[i] && GET(h->mkey[i]->mkc, mkc__pd) == pd &&
		    !GET(h->mkey[i]->mkc, mkc__free)) {
			note(c, "pd %u still has mkey %x", pd, i);
			return BAD_RES_STATE;
		}
	return free_number(&h->pd, c, "pd");
}

int create_uctx(struct hca *h, struct cmd *c)
{
	uint32_t id = id_alloc(&h->uctx);

	if (!id)
		return LIM_ERR;
	SET(c->out, create_uctx_out__uid, id);
	note(c, "uctx %u cap %x", id, GET(AT(c->in, create_uctx_in__uctx), uctx__cap));
	return OK;
}

int destroy_uctx(struct hca *h, struct cmd *c)
{
	uint32_t uid = GET(c->in, destroy_uctx_in__uid);

	note(c, "uctx %u", uid);
	if (!id_used(&h->uctx, uid))
		return BAD_RES;
	for (uint32_t i = 0; i < 1u << LOG_UMEM; i++)
		if (h->umem[i] && h->umem[i]->uid == uid) {
			note(c, "still has umem %u", i);
			return BAD_RES_STATE;
		}
	id_free(&h->uctx, uid);
	return OK;
}

int create_qp(struct hca *h, struct cmd *c)
{
	const uint8_t *ctx = AT(c->in, create_qp_in__qpc);
	uint32_t rq = 0, n;
	int err;

	if (GET(ctx, qpc__st) != QP_REG_UMR && !id_used(&h->pd, GET(ctx, qpc__pd)))
		return BAD_RES;
	n = id_alloc(&h->qp_id);
	if (!n)
		return LIM_ERR;
	struct qp *q = &h->qp[n];
	memset(q, 0, sizeof(*q));
	memcpy(q->ctx, ctx, sizeof(q->ctx));
	if (!GET(ctx, qpc__no_sq) && !GET(c->in, create_qp_in__wq_umem_valid)) {
		const uint8_t *pas = AT(c->in, create_qp_in__pas);
		const unsigned shift = GET(ctx, qpc__log_page_size) + 12;
		const uint32_t start = GET(ctx, qpc__page_offset) << (shift - 6);	/* in 64ths of a page */

		if (GET(ctx, qpc__rq_type) == 0) {
			rq = 1u << (GET(ctx, qpc__log_rq_size) + GET(ctx, qpc__log_rq_stride) + 4);
			err = ring_init(&q->rq, pas, bytes_left(c, pas), shift, start, GET(ctx, qpc__log_rq_size),
					GET(ctx, qpc__log_rq_stride) + 4);
			if (err) {
				id_free(&h->qp_id, n);
				return err;
			}
			q->has_rq = true;
		}
		err = ring_init(&q->r, pas, bytes_left(c, pas), shift, start + rq, GET(ctx, qpc__log_sq_size), 6);
		if (err) {
			ring_free(&q->rq);
			id_free(&h->qp_id, n);
			return err;
		}
		q->has_ring = true;
	}
	q->uid = c->uid;
	q->dbr = GET64(ctx, qpc__dbr_addr);
	q->cqn = GET(ctx, qpc__cqn_snd);
	q->used = true;
	SET(c->out, create_qp_out__qpn, n);
	note(c, "qpn %u st %u pd %u sq %u scqn %u", n, GET(ctx, qpc__st),
	     GET(ctx, qpc__pd), 1u << q->r.log_n, q->cqn);
	return OK;
}

int destroy_qp(struct hca *h, struct cmd *c)
{
	uint32_t n = GET(c->in, destroy_qp_in__qpn);

	note(c, "qpn %u", n);
	if (!id_free(&h->qp_id, n))
		return BAD_RES;
	ring_free(&h->qp[n].r);
	ring_free(&h->qp[n].rq);
	h->qp[n].used = false;
	return OK;
}

/* The fields of a queue's context that the path needs, where the command has them */
static void update_qp(struct qp *q, const struct cmd *c)
{
	/* MLX5_QP_OPTPAR_RRE, _RAE and _RWE */
	enum { OPT_RRE = 1 << 1, OPT_RAE = 1 << 2, OPT_RWE = 1 << 3 };
	const uint8_t *ctx = AT(c->in, rst2init_qp_in__qpc);
	const uint32_t opt = be32(AT(c->in, rst2init_qp_in__opt_param_mask));

	if (opt & OPT_RRE)
		SET(q->ctx, qpc__rre, GET(ctx, qpc__rre));
	if (opt & OPT_RAE)
		SET(q->ctx, qpc__rae, GET(ctx, qpc__rae));
	if (opt & OPT_RWE)
		SET(q->ctx, qpc__rwe, GET(ctx, qpc__rwe));
	if (q->state == QP_RTR)
		SET(q->ctx, qpc__remote_qpn, GET(ctx, qpc__remote_qpn));
	if ((c->op & 15) == 4)	/* RTR2RTS */
		SET(q->ctx, qpc__rnr_retry, GET(ctx, qpc__rnr_retry));
}

int modify_qp(struct hca *h, struct cmd *c)
{
	/* the state after a command, by the last digit of its opcode: 0x502 RST2INIT, 503 INIT2RTR, 504 RTR2RTS,
	 * 505 RTS2RTS, 506 SQERR2RTS, 507 2ERR, 50a 2RST, 50e INIT2INIT */
	static const uint8_t to[16] = { [2] = 1, [3] = 2, [4] = 3, [5] = 3, [6] = 3, [7] = 6, [0xe] = 1 };
	uint32_t n = GET(c->in, rst2init_qp_in__qpn);

	note(c, "qpn %u", n);
	if (!id_used(&h->qp_id, n))
		return BAD_RES;
	struct qp *q = &h->qp[n];
	q->state = to[c->op & 15];
	if (q->state == QP_INIT || q->state == QP_RTR || q->state == QP_RTS)
		update_qp(q, c);
	if (q->state == QP_RST)
		q->ci = q->rq_ci = q->tries = 0;
	if (q->state == QP_RST || q->state == QP_ERR)
		q->is_faulted = q->is_waiting = q->page_missing = false;
	if (q->state == QP_ERR) {
		qp_drain(h, q, n);
		path_flush(h, q, n);
	}
	note(c, "state %u", q->state);
	return OK;
}

int query_qp(struct hca *h, struct cmd *c)
{
	uint32_t n = GET(c->in, query_qp_in__qpn);

	if (!id_used(&h->qp_id, n))
		return BAD_RES;
	uint8_t *ctx = AT(c->out, query_qp_out__qpc);
	memcpy(ctx, h->qp[n].ctx, sizeof(h->qp[n].ctx));
	SET(ctx, qpc__state, h->qp[n].state);
	return OK;
}
