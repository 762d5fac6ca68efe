/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The InfiniBand port: vport queries and access registers. */
#include "hca.h"

static const uint64_t node_guid = 0xb8cef60300a1b2c0, subnet = 0xfe80000000000000;

int vport_context(struct hca *h, struct cmd *c)
{
	uint8_t *v = c->out + 16;

	(void)h;
	SET(v, hca_vport_context__port_physical_state, 5);	/* link up */
	SET(v, hca_vport_context__port_state, 4);		/* active */
	SET(v, hca_vport_context__vport_state, 4);
	SET(v, hca_vport_context__system_image_guid, node_guid);
	SET(v, hca_vport_context__node_guid, node_guid);
	SET(v, hca_vport_context__port_guid, node_guid);
	SET(v, hca_vport_context__cap_mask1, 0x2651e848);
	SET(v, hca_vport_context__lid, 1);
	SET(v, hca_vport_context__sm_lid, 2);
	SET(v, hca_vport_context__subnet_timeout, 18);
	return OK;
}

int vport_gid(struct hca *h, struct cmd *c)
{
	uint32_t i = GET(c->in, query_hca_vport_gid_in__gid_index);
	uint8_t *g = AT(c->out, query_hca_vport_gid_out__gid);

	(void)h;
	SET(c->out, query_hca_vport_gid_out__gids_num, 1);
	put64(g, subnet);
	if (i == 0 || i == 0xffff)
		put64(g + 8, node_guid);
	return OK;
}

int vport_pkey(struct hca *h, struct cmd *c)
{
	uint32_t i = GET(c->in, query_hca_vport_pkey_in__pkey_index);

	(void)h;
	if (i == 0 || i == 0xffff)
		put32(AT(c->out, query_hca_vport_pkey_out__pkey), 0xffff);
	return OK;
}

int vport_state(struct hca *h, struct cmd *c)
{
	(void)h;
	SET(c->out, query_vport_state_out__state, 1);
	SET(c->out, query_vport_state_out__admin_state, 1);
	return OK;
}

int access_reg(struct hca *h, struct cmd *c)
{
	enum { PMTU = 0x5003, PTYS = 0x5004, PPCNT = 0x5008, PVLC = 0x500f,
	       NODE_DESC = 0x6001, ENDIAN = 0x7004 };
	uint32_t reg = GET(c->in, access_register_in__register_id);
	uint8_t *r = AT(c->out, access_register_in__register_data);

	(void)h;
	if (c->inlen < 16 || c->outlen < 16)
		return BAD_INP_LEN;
	note(c, "register %x %s", reg, c->op_mod ? "read" : "write");
	memcpy(r, AT(c->in, access_register_in__register_data),
	       (c->inlen < c->outlen ? c->inlen : c->outlen) - 16);
	switch (reg) {
	case PTYS:
		SET(r, ptys_reg__ib_link_width_capability, 0x3);
		SET(r, ptys_reg__ib_proto_capability, 0x3f);
		SET(r, ptys_reg__ib_link_width_admin, 0x3);
		SET(r, ptys_reg__ib_proto_admin, 0x3f);
		SET(r, ptys_reg__ib_link_width_oper, 0x2);	/* 4x */
		SET(r, ptys_reg__ib_proto_oper, 0x20);		/* EDR */
		return OK;
	case PMTU:
		SET(r, pmtu_reg__max_mtu, 4096);
		SET(r, pmtu_reg__admin_mtu, 4096);
		SET(r, pmtu_reg__oper_mtu, 4096);
		return OK;
	case PVLC:
		SET(r, pvlc_reg__vl_hw_cap, 4);
		SET(r, pvlc_reg__vl_admin, 4);
		SET(r, pvlc_reg__vl_operational, 4);
		return OK;
	case NODE_DESC:
		strcpy((char *)r, "simulated HCA");
		return OK;
	case PPCNT:
	case ENDIAN:
		return OK;
	default:
		return BAD_PARAM;
	}
}
