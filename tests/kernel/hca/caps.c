/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capabilities, and the commands of device start and stop. */
#include "hca.h"

enum { CAP_GENERAL = 0, CAP_ODP = 2, CAP_ATOMIC = 3, CAP_DEVICE_MEMORY = 0xf, CAP_GENERAL_2 = 0x20 };

/* Capabilities that can be given another value on the command line */
static const struct {
	const char *name;
	unsigned off, w;
} overridable[] = {
#define K(f) { #f, cmd_hca_cap__##f }
	K(pg), K(atomic), K(log_max_mkey), K(log_max_umem), K(log_max_uctx), K(log_max_pd),
	K(umr_modify_entity_size_disabled), K(umr_modify_atomic_disabled),
	K(umr_indirect_mkey_disabled), K(umr_extended_translation_offset),
	K(relaxed_ordering_write), K(relaxed_ordering_read), K(relaxed_ordering_write_umr),
	K(relaxed_ordering_read_umr), K(fixed_buffer_size), K(null_mkey), K(dump_fill_mkey), K(device_memory),
	K(uctx_cap), K(hca_cap_2), K(data_direct), K(crossing_vhca_mkey),
	K(device_frequency_khz),
};

int cap_override(struct hca *h, const char *name, uint64_t v)
{
	for (size_t i = 0; i < ARRAY_SIZE(overridable); i++)
		if (!strcmp(name, overridable[i].name) && h->n_override < 16) {
			h->override[h->n_override].off = overridable[i].off;
			h->override[h->n_override].w = overridable[i].w;
			h->override[h->n_override++].v = v;
			return 0;
		}
	return -1;
}

static void fill_general_caps(struct hca *h, uint8_t *b)
{
	memset(b, 0, 4096);
	SET(b, cmd_hca_cap__vhca_id, 1);
	SET(b, cmd_hca_cap__log_max_srq_sz, 15);
	SET(b, cmd_hca_cap__log_max_qp_sz, 15);
	SET(b, cmd_hca_cap__log_max_qp, LOG_QP);
	SET(b, cmd_hca_cap__log_max_srq, 12);
	SET(b, cmd_hca_cap__log_max_cq_sz, 22);
	SET(b, cmd_hca_cap__log_max_cq, LOG_CQ);
	SET(b, cmd_hca_cap__log_max_eq_sz, 22);
	SET(b, cmd_hca_cap__log_max_eq, LOG_EQ);
	SET(b, cmd_hca_cap__max_num_eqs, N_VEC);
	SET(b, cmd_hca_cap__log_max_mkey, LOG_MKEY);
	SET(b, cmd_hca_cap__log_max_pd, LOG_PD);
	SET(b, cmd_hca_cap__log_max_xrcd, 9);
	SET(b, cmd_hca_cap__log_max_transport_domain, 9);
	SET(b, cmd_hca_cap__log_max_uctx, LOG_UCTX);
	SET(b, cmd_hca_cap__log_max_umem, LOG_UMEM);
	SET(b, cmd_hca_cap__uctx_cap, 3);
	SET(b, cmd_hca_cap__general_obj_types, 1 << 4 | 1 << 5);	/* UCTX, UMEM */

	SET(b, cmd_hca_cap__max_indirection, 4);
	SET(b, cmd_hca_cap__fixed_buffer_size, 1);
	SET(b, cmd_hca_cap__log_max_mrw_sz, 64);
	SET(b, cmd_hca_cap__log_max_bsf_list_size, 6);
	SET(b, cmd_hca_cap__log_max_klm_list_size, 16);
	SET(b, cmd_hca_cap__null_mkey, 1);
	SET(b, cmd_hca_cap__dump_fill_mkey, 1);
	SET(b, cmd_hca_cap__device_memory, 1);
	SET(b, cmd_hca_cap__umr_extended_translation_offset, 1);
	SET(b, cmd_hca_cap__relaxed_ordering_write, 1);
	SET(b, cmd_hca_cap__relaxed_ordering_write_umr, 1);
	SET(b, cmd_hca_cap__relaxed_ordering_read, 1);
	SET(b, cmd_hca_cap__relaxed_ordering_read_umr, 1);
	SET(b, cmd_hca_cap__atomic, 1);
	SET(b, cmd_hca_cap__imaicl, 1);
	SET(b, cmd_hca_cap__umr_fence, 2);
	SET(b, cmd_hca_cap__hca_cap_2, 1);
	SET(b, cmd_hca_cap__data_direct, 1);
	SET(b, cmd_hca_cap__crossing_vhca_mkey, 1);
	SET(b, cmd_hca_cap__pg, 1);	/* ODP; without it the driver refuses dma-buf MRs as well */

	SET(b, cmd_hca_cap__log_max_ra_req_qp, 4);
	SET(b, cmd_hca_cap__log_max_ra_res_qp, 4);
	SET(b, cmd_hca_cap__log_max_msg, 30);
	SET(b, cmd_hca_cap__log_max_mcg, 12);
	SET(b, cmd_hca_cap__max_qp_mcg, 240);
	SET(b, cmd_hca_cap__max_wqe_sz_sq, 1024);
	SET(b, cmd_hca_cap__max_wqe_sz_rq, 512);
	SET(b, cmd_hca_cap__max_sgl_for_optimized_performance, 30);
	SET(b, cmd_hca_cap__local_ca_ack_delay, 16);
	SET(b, cmd_hca_cap__cqe_version, 1);
	SET(b, cmd_hca_cap__cq_oi, 1);
	SET(b, cmd_hca_cap__cq_moderation, 1);
	SET(b, cmd_hca_cap__block_lb_mc, 1);
	SET(b, cmd_hca_cap__qkv, 1);
	SET(b, cmd_hca_cap__pkv, 1);
	SET(b, cmd_hca_cap__set_deth_sqpn, 1);
	SET(b, cmd_hca_cap__xrc, 1);
	SET(b, cmd_hca_cap__rc, 1);
	SET(b, cmd_hca_cap__uc, 1);
	SET(b, cmd_hca_cap__ud, 1);

	/* one InfiniBand port; the driver reads its tables with QUERY_HCA_VPORT_... */
	SET(b, cmd_hca_cap__ib_virt, 1);
	SET(b, cmd_hca_cap__port_type, 0);
	SET(b, cmd_hca_cap__num_ports, 1);
	SET(b, cmd_hca_cap__native_port_num, 1);
	SET(b, cmd_hca_cap__vport_counters, 1);

	SET(b, cmd_hca_cap__bf, 1);
	SET(b, cmd_hca_cap__log_bf_reg_size, 9);
	SET(b, cmd_hca_cap__log_pg_sz, 12);
	SET(b, cmd_hca_cap__uar_sz, 13);
	SET(b, cmd_hca_cap__num_of_uars_per_page, 1);
	SET(b, cmd_hca_cap__driver_version, 1);
	SET(b, cmd_hca_cap__device_frequency_mhz, 156);
	SET(b, cmd_hca_cap__device_frequency_khz, 156250);
	for (int i = 0; i < h->n_override; i++)
		field_set(b, h->override[i].off, h->override[i].w, h->override[i].v);
}

void caps_reset(struct hca *h)
{
	fill_general_caps(h, h->general_caps);
}

int caps_query(struct hca *h, struct cmd *c)
{
	uint8_t *b = c->out + 16;
	bool cur = c->op_mod & 1;

	if (c->outlen < 16 + 4096)
		return BAD_OUTP_LEN;
	note(c, "type %x %s", c->op_mod >> 1, cur ? "cur" : "max");
	switch (c->op_mod >> 1) {
	case CAP_GENERAL:
		if (cur)
			memcpy(b, h->general_caps, 4096);
		else
			fill_general_caps(h, b);
		return OK;
	case CAP_ODP:
		/* page faults are handled for send, receive, write, read, atomic and SRQ receive */
		put32(AT(b, odp_cap__transport_page_fault_scheme_cap_rc_odp_caps), 0xfc000000);
		put32(AT(b, odp_cap__transport_page_fault_scheme_cap_ud_odp_caps), 0x80000000);
		return OK;
	case CAP_ATOMIC:
		SET(b, atomic_caps__supported_atomic_req_8B_endianness_mode_1, 1);
		SET(b, atomic_caps__atomic_req_8B_endianness_mode, 1);
		SET(b, atomic_caps__atomic_operations, 0xf);
		SET(b, atomic_caps__atomic_size_qp, 8);
		SET(b, atomic_caps__atomic_size_dc, 8);
		return OK;
	case CAP_GENERAL_2:
		SET(b, cmd_hca_cap_2__query_vuid, 1);
		return OK;
	case CAP_DEVICE_MEMORY:
		memic_caps(b);
		return OK;
	default:
		return BAD_PARAM;
	}
}

int caps_set(struct hca *h, struct cmd *c)
{
	note(c, "type %x", c->op_mod >> 1);
	if (h->is_initialized)
		return BAD_SYS_STATE;
	if (c->op_mod >> 1 == CAP_GENERAL && c->inlen >= 16 + 4096)
		memcpy(h->general_caps, c->in + 16, 4096);
	return OK;
}

int query_issi(struct hca *h, struct cmd *c)
{
	SET(c->out, query_issi_out__current_issi, h->issi);
	SET(c->out, query_issi_out__supported_issi_dw0, 3);
	return OK;
}

int set_issi(struct hca *h, struct cmd *c)
{
	h->issi = GET(c->in, set_issi_in__current_issi);
	return h->issi <= 1 ? OK : BAD_PARAM;
}

int query_pages(struct hca *h, struct cmd *c)
{
	(void)h;
	SET(c->out, query_pages_out__num_pages, 0);	/* this firmware needs no memory of the host */
	return OK;
}

int enable_hca(struct hca *h, struct cmd *c)
{
	(void)h, (void)c;
	return OK;
}

int disable_hca(struct hca *h, struct cmd *c)
{
	(void)c;
	h->is_initialized = false;
	h->cmd_eqn = 0;
	h->issi = 0;
	caps_reset(h);
	obj_reset(h);
	return OK;
}

int init_hca(struct hca *h, struct cmd *c)
{
	(void)c;
	h->is_initialized = true;
	return OK;
}

/* A correct driver has freed all objects before; the trace shows what is left. */
int teardown_hca(struct hca *h, struct cmd *c)
{
	note(c, "left: mkey %u umem %u uctx %u pd %u qp %u cq %u eq %u uar %u td %u xrcd %u srq %u "
	     "memic %u",
	     h->mkey_id.count, h->umem_id.count, h->uctx.count, h->pd.count, h->qp_id.count,
	     h->cq_id.count, h->eq_id.count, h->uar.count, h->td.count, h->xrcd.count,
	     h->srq.count, h->n_memic);
	h->is_initialized = false;
	return OK;
}

int query_adapter(struct hca *h, struct cmd *c)
{
	uint8_t *a = c->out + 16;

	(void)h;
	SET(a, query_adapter_param_block__ieee_vendor_id, 0x2c9);
	memcpy(AT(a, query_adapter_param_block__vsd_contd_psid), "SIM0000000001", 13);
	return OK;
}
