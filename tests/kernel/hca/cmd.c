/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command queue: entries, mailboxes, dispatch, the trace. */
#include <strings.h>

#include "hca.h"

enum { BLOCK = 512, MAX_LEN = 8 << 20 };
enum {		/* delivery status of an entry: whether the device could read it at all */
	D_OK = 0, D_TOKEN = 2, D_BLOCK = 3, D_OUT_PTR = 4, D_IN_PTR = 5, D_IN_LEN = 7, D_DESCR = 0x10,
};

enum {
#define X(n, v) OP_##n = v,
	OPCODES(X)
#undef X
};

static handler accept_only;

static const struct {
	uint16_t op;
	handler *fn;
} handlers[] = {
	{ OP_QUERY_HCA_CAP, caps_query }, { OP_SET_HCA_CAP, caps_set },
	{ OP_QUERY_ADAPTER, query_adapter }, { OP_INIT_HCA, init_hca },
	{ OP_TEARDOWN_HCA, teardown_hca }, { OP_ENABLE_HCA, enable_hca },
	{ OP_DISABLE_HCA, disable_hca }, { OP_QUERY_PAGES, query_pages },
	{ OP_MANAGE_PAGES, accept_only }, { OP_QUERY_ISSI, query_issi },
	{ OP_SET_ISSI, set_issi }, { OP_SET_DRIVER_VERSION, accept_only },
	{ OP_ACCESS_REG, access_reg }, { OP_QUERY_VUID, query_vuid },
	{ OP_CREATE_MKEY, create_mkey }, { OP_QUERY_MKEY, query_mkey },
	{ OP_DESTROY_MKEY, destroy_mkey }, { OP_QUERY_SPECIAL_CONTEXTS, special_contexts },
	{ OP_PAGE_FAULT_RESUME, page_fault_resume },
	{ OP_ALLOC_MEMIC, alloc_memic }, { OP_DEALLOC_MEMIC, dealloc_memic },
	{ OP_CREATE_UMEM, create_umem }, { OP_DESTROY_UMEM, destroy_umem },
	{ OP_CREATE_UCTX, create_uctx }, { OP_DESTROY_UCTX, destroy_uctx },
	{ OP_CREATE_EQ, create_eq }, { OP_DESTROY_EQ, destroy_eq },
	{ OP_CREATE_CQ, create_cq }, { OP_DESTROY_CQ, destroy_cq },
	{ OP_QUERY_CQ, query_cq }, { OP_MODIFY_CQ, accept_only },
	{ OP_CREATE_QP, create_qp }, { OP_DESTROY_QP, destroy_qp },
	{ OP_RST2INIT_QP, modify_qp }, { OP_INIT2RTR_QP, modify_qp },
	{ OP_RTR2RTS_QP, modify_qp }, { OP_RTS2RTS_QP, modify_qp },
	{ OP_SQERR2RTS_QP, modify_qp }, { OP_2ERR_QP, modify_qp },
	{ OP_2RST_QP, modify_qp }, { OP_INIT2INIT_QP, modify_qp },
	{ OP_QUERY_QP, query_qp },
	{ OP_CREATE_SRQ, create_srq }, { OP_CREATE_XRC_SRQ, create_srq },
	{ OP_CREATE_RMP, create_srq }, { OP_DESTROY_SRQ, destroy_srq },
	{ OP_DESTROY_XRC_SRQ, destroy_srq }, { OP_DESTROY_RMP, destroy_srq },
	{ OP_ARM_RQ, accept_only }, { OP_ARM_XRC_SRQ, accept_only },
	{ OP_ALLOC_PD, alloc_pd }, { OP_DEALLOC_PD, dealloc_pd },
	{ OP_ALLOC_UAR, alloc_uar }, { OP_DEALLOC_UAR, dealloc_uar },
	{ OP_ALLOC_XRCD, alloc_xrcd }, { OP_DEALLOC_XRCD, dealloc_xrcd },
	{ OP_ALLOC_TRANSPORT_DOMAIN, alloc_td }, { OP_DEALLOC_TRANSPORT_DOMAIN, dealloc_td },
	{ OP_ALLOC_Q_COUNTER, alloc_counter }, { OP_DEALLOC_Q_COUNTER, dealloc_counter },
	{ OP_QUERY_Q_COUNTER, accept_only },
	{ OP_CREATE_GENERAL_OBJECT, create_obj }, { OP_DESTROY_GENERAL_OBJECT, destroy_obj },
	{ OP_QUERY_HCA_VPORT_CONTEXT, vport_context },
	{ OP_MODIFY_HCA_VPORT_CONTEXT, accept_only },
	{ OP_QUERY_HCA_VPORT_GID, vport_gid }, { OP_QUERY_HCA_VPORT_PKEY, vport_pkey },
	{ OP_QUERY_VPORT_STATE, vport_state }, { OP_MODIFY_VPORT_STATE, accept_only },
	{ OP_QUERY_VPORT_COUNTER, accept_only },
	{ OP_ATTACH_TO_MCG, accept_only }, { OP_DETACH_FROM_MCG, accept_only },
};

static const char *op_name(uint32_t op)
{
	static char b[16];

	switch (op) {
#define X(n, v) case v: return #n;
	OPCODES(X)
#undef X
	}
	snprintf(b, sizeof(b), "0x%x", op);
	return b;
}

int cmd_op_by_name(const char *name)
{
	if (!strcasecmp(name, "UMR"))
		return OP_UMR;
#define X(n, v) if (!strcasecmp(name, #n)) return v;
	OPCODES(X)
#undef X
	return -1;
}

static const char *status_name(int s)
{
	switch (s) {
#define X(name, value) case name: return #name;
	STATUSES(X)
#undef X
	default: return "ERROR";
	}
}

void note(struct cmd *c, const char *fmt, ...)
{
	size_t n = strlen(c->note);
	va_list ap;

	if (n && n < sizeof(c->note) - 1)
		c->note[n++] = ' ';
	va_start(ap, fmt);
	vsnprintf(c->note + n, sizeof(c->note) - n, fmt, ap);
	va_end(ap);
}

void trace(struct hca *h, int level, const char *fmt, ...)
{
	va_list ap;

	if (level > h->trace_level)
		return;
	va_start(ap, fmt);
	vfprintf(h->trace, fmt, ap);
	va_end(ap);
	fputc('\n', h->trace);
	fflush(h->trace);
}

static int accept_only(struct hca *h, struct cmd *c)
{
	(void)h, (void)c;
	return OK;
}

/* Copies the part of a message that is in mailboxes: from byte 16 on, the first 16 are in the entry itself.
 * A mailbox is 512 bytes of data, the address of the next one, its number in the chain, and the token. */
static int copy_mailboxes(struct hca *h, uint64_t mailbox, uint8_t *b, uint32_t len, uint8_t token, bool out)
{
	uint32_t off = 16;

	for (uint32_t block = 0; off < len; block++) {
		uint8_t *m = dma_ptr(h, mailbox, 576);
		uint32_t n = len - off < BLOCK ? len - off : BLOCK;

		if (!m || mailbox & 511)
			return out ? D_OUT_PTR : D_IN_PTR;
		if (m[573] != token)
			return D_TOKEN;
		if (be32(m + 568) != block)
			return D_BLOCK;
		if (out)
			memcpy(m, b + off, n);
		else
			memcpy(b + off, m, n);
		off += n;
		mailbox = be64(m + 560);
	}
	return D_OK;
}

void fail_add(struct hca *h, int op, int status, int nth)
{
	int i = 0;

	while (i < h->n_fail && h->fail[i].status)
		i++;
	if (i == 16)
		return;
	h->fail[i].op = op;
	h->fail[i].status = status;
	h->fail[i].skip = nth - 1;
	if (i == h->n_fail)
		h->n_fail++;
}

int fail_take(struct hca *h, int op)
{
	int s = -1;

	for (int i = 0; i < h->n_fail; i++)
		if (h->fail[i].op == op && h->fail[i].status && h->fail[i].skip-- <= 0 && s < 0) {
			s = h->fail[i].status;
			h->fail[i].status = 0;
		}
	return s;
}

static int run_handler(struct hca *h, struct cmd *c)
{
	int s = fail_take(h, (int)c->op);

	if (s >= 0) {
		note(c, "(injected)");
		return s;
	}
	for (size_t i = 0; i < ARRAY_SIZE(handlers); i++)
		if (handlers[i].op == c->op)
			return handlers[i].fn(h, c);
	c->syndrome = 0x1;
	return BAD_OP;
}

/* Executes the command of an entry; returns its delivery status.  Input and output are padded by more than
 * the fixed part of any structure: handlers need not check the length of that. */
static int execute_entry(struct hca *h, uint8_t *e)
{
	enum { PAD = 1024 };
	uint32_t inlen = be32(e + 4), outlen = be32(e + 56);
	struct cmd c = { .inlen = inlen, .outlen = outlen };
	int d, s;

	if (e[0] != 7)
		return D_DESCR;
	if (inlen < 8 || outlen < 8 || inlen > MAX_LEN || outlen > MAX_LEN)
		return D_IN_LEN;
	c.in = zalloc(1, inlen + PAD);
	c.out = zalloc(1, outlen + PAD);
	memcpy(c.in, e + 16, 16);
	d = copy_mailboxes(h, be64(e + 8), c.in, inlen, e[60], false);
	if (d == D_OK) {
		c.op = be32(c.in) >> 16;
		c.uid = be32(c.in) & 0xffff;
		c.op_mod = be32(c.in + 4) & 0xffff;
		s = run_handler(h, &c);
		if (s != OK)
			memset(c.out, 0, outlen);
		c.out[0] = (uint8_t)s;
		put32(c.out + 4, s != OK && !c.syndrome ? 0x5ca1e0u | (uint32_t)s : c.syndrome);
		memcpy(e + 32, c.out, 16);
		d = copy_mailboxes(h, be64(e + 48), c.out, outlen, e[60], true);
		h->n_cmd++;
		trace(h, s == OK ? 2 : 1, "cmd %s%s%.*x%s%.*u -> %s%s%s", op_name(c.op),
		      c.op_mod ? " mod " : "", c.op_mod ? 1 : 0, c.op_mod,
		      c.uid ? " uid " : "", c.uid ? 1 : 0, c.uid, status_name(s),
		      *c.note ? ": " : "", c.note);
	}
	free(c.in);
	free(c.out);
	return d;
}

void cmd_doorbell(struct hca *h, uint32_t vec)
{
	uint64_t q = (uint64_t)h->cmdq_h << 32 | h->cmdq_l;

	for (uint32_t i = 0; i < 32; i++) {
		uint8_t *e, d[4];
		int st;
		uint32_t eqn = h->cmd_eqn;	/* a command that makes or destroys this EQ is not reported to it */

		if (!(vec >> i & 1))
			continue;
		e = dma_ptr(h, q + 64 * i, 64);
		if (!e || !(e[63] & 1)) {
			trace(h, 1, "command doorbell %u: no command there", i);
			continue;
		}
		st = execute_entry(h, e);
		if (st)
			trace(h, 1, "command entry %u: delivery status %x", i, st);
		__atomic_store_n(e + 63, (uint8_t)(st << 1), __ATOMIC_RELEASE);
		if (eqn && eqn == h->cmd_eqn) {
			put32(d, 1u << i);
			eq_post(h, h->cmd_eqn, 0xa, d, 4);
		}
	}
}
