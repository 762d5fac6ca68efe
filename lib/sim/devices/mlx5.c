// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The profile mlx5: the kernel's drivers/infiniband/hw/mlx5. */
#include <errno.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "lib/sim/base/abi.h"
#include "lib/sim/base/environment.h"
#include "lib/sim/devices/mlx5.h"
#include "lib/sim/devices/mlx5_mmap.h"
#include "lib/sim/devices/mlx5_mr.h"
#include "lib/sim/memory/device_memory.h"
#include "lib/sim/state/objects.h"

#define OP_QUERY_HCA_CAP       0x100
#define UAR_SHIFT              12
#define FIRST_PDN              3
#define RELAXED_ORDERING_WRITE 0xe8  /* bit number in the general capabilities */
#define DUMP_FILL_KEY          0x300 /* key of memory that discards writes and reads as zeros */

/* ---- contexts and PDs (main.c) --------------------------------------------------------------- */

static int mlx5_check_request(const struct mlx5_ib_alloc_ucontext_req_v2 *req)
{
	if (req->flags & ~(uint32_t)MLX5_IB_ALLOC_UCTX_DEVX)
		return -EOPNOTSUPP;
	if (req->comp_mask || req->reserved0 || req->reserved1 || req->reserved2)
		return -EOPNOTSUPP;
	/* static UARs, as libraries before rdma-core 28 want them, are not modelled */
	return req->lib_caps & MLX5_LIB_CAP_DYN_UAR ? 0 : -EOPNOTSUPP;
}

/*
 * set_ucontext_resp().  The clocks (CORE_CLOCK_OFFSET, clock_info_versions) are not offered: there is no
 * page to read them from.  tot_bfregs is 0 because UARs are dynamic.
 */
static int mlx5_put_context(struct sim_call *call, uint16_t id)
{
	const struct ib_uverbs_attr *out = sim_attr(call, id);
	struct mlx5_ib_alloc_ucontext_resp resp = {
		.qp_tab_size = 1 << 18,
		.bf_reg_size = 512,
		.cache_line_size = 64,
		.max_sq_desc_sz = 1024,
		.max_rq_desc_sz = 512,
		.max_send_wqebb = 1 << 15,
		.max_recv_wr = 1 << 15,
		.max_srq_recv_wr = 1 << 15,
		.num_ports = 1,
		.cqe_version = call->table->header->cqe_version,
		.cmds_supp_uhw =
			MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE | MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.log_uar_size = UAR_SHIFT,
		.num_uars_per_page = 1,
		.comp_mask = MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_DUMP_FILL_MKEY,
		.dump_fill_mkey = DUMP_FILL_KEY,
		.response_length = sizeof(resp),
	};

	if (out && out->len < sizeof(resp))
		resp.response_length = out->len;
	return sim_attr_put(call, id, &resp, sizeof(resp));
}

/* mlx5_ib_alloc_ucontext() */
static int mlx5_get_context(struct sim_call *call)
{
	const size_t least = offsetof(struct mlx5_ib_alloc_ucontext_req_v2, max_cqe_version);
	struct mlx5_ib_alloc_ucontext_req_v2 req = { 0 };
	const void *in;
	size_t length;
	int rc;

	in = sim_attr_data(call, UVERBS_ATTR_UHW_IN, &length);
	if (length != sizeof(struct mlx5_ib_alloc_ucontext_req) && length < least)
		return -EINVAL;
	memcpy(&req, in, length < sizeof(req) ? length : sizeof(req));
	rc = mlx5_check_request(&req);
	if (rc)
		return rc;
	call->table->header->cqe_version = req.max_cqe_version ? 1 : 0;
	call->table->header->has_devx = req.flags & MLX5_IB_ALLOC_UCTX_DEVX;
	return mlx5_put_context(call, UVERBS_ATTR_UHW_OUT);
}

/* mlx5_ib_query_ucontext() */
static int mlx5_query_context(struct sim_call *call)
{
	return mlx5_put_context(call, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX);
}

/* mlx5_ib_query_device(): the answer is about offloads of QPs, none of which the device has */
static int mlx5_query_device(struct sim_call *call)
{
	struct mlx5_ib_query_device_resp resp = { .response_length = sizeof(resp) };
	struct ib_uverbs_attr *out = sim_attr(call, UVERBS_ATTR_UHW_OUT);
	const size_t least = offsetof(struct mlx5_ib_query_device_resp, tso_caps);

	if (out && out->len && out->len < least)
		return -EINVAL;
	if (!sim_attr_is_zero(call, UVERBS_ATTR_UHW_IN, 0))
		return sim_has_change(call->table->kernel, SIM_UDATA) ? -EOPNOTSUPP : -EINVAL;
	if (out && out->len < sizeof(resp))
		resp.response_length = out->len;
	return sim_attr_put(call, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
}

static uint32_t pdn_of(uint32_t handle)
{
	return FIRST_PDN + handle;
}

/*
 * mlx5_ib_alloc_pd(): older kernels write the PD's number where the attribute points to, whatever its length
 * is (ib_copy_to_udata())
 */
static int mlx5_alloc_pd(struct sim_call *call, uint32_t handle)
{
	struct mlx5_ib_alloc_pd_resp resp = { .pdn = pdn_of(handle) };
	const struct ib_uverbs_attr *out = sim_attr(call, UVERBS_ATTR_UHW_OUT);

	if (sim_has_change(call->table->kernel, SIM_UDATA))
		return sim_attr_put(call, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	if (!out || sim_is_null(out->data))
		return -EFAULT;
	memcpy((void *)(uintptr_t)out->data, &resp, sizeof(resp));
	return 0;
}

/* std_types.c MLX5_IB_METHOD_PD_QUERY */
int sim_mlx5_query_pd(struct sim_call *call)
{
	uint32_t pdn = pdn_of(sim_object_handle(call->table, call->object));

	return sim_attr_copy(call, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, &pdn, sizeof(pdn));
}

/* ---- DEVX and Data Direct (devx.c, data_direct.c) -------------------------------------------- */

/* devx.c MLX5_IB_METHOD_DEVX_OTHER: no firmware command but QUERY_HCA_CAP */
int sim_mlx5_devx_other(struct sim_call *call)
{
	const uint8_t *in;
	/* status and syndrome, then struct mlx5_ifc_cmd_hca_cap_bits with this capability alone */
	const uint8_t out[48] = { [16 + RELAXED_ORDERING_WRITE / 8] = 0x80 };
	size_t length;
	int rc;

	rc = sim_need_context(call->table);
	if (rc)
		return rc;
	if (!call->table->header->has_devx)
		return -EINVAL;
	in = sim_attr_data(call, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, &length);
	if ((in[0] << 8 | in[1]) != OP_QUERY_HCA_CAP)
		return -EOPNOTSUPP;
	return sim_attr_put(call, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, sizeof(out));
}

/* data_direct.c, main.c MLX5_IB_METHOD_GET_DATA_DIRECT_SYSFS_PATH */
int sim_mlx5_data_direct_path(struct sim_call *call)
{
	static const char path[] = "/devices/pci0000:00/0000:00:1d.0/0000:02:00.0";
	const struct ib_uverbs_attr *out = sim_attr(call, SIM_ATTR_DATA_DIRECT_PATH);
	int rc;

	rc = sim_need_context(call->table);
	if (!rc && !sim_has_data_direct())
		rc = -ENODEV;
	if (!rc && out->len < sizeof(path))
		rc = -ENOSPC;
	return rc ? rc : sim_attr_copy(call, SIM_ATTR_DATA_DIRECT_PATH, path, sizeof(path));
}

/* ---- the device ---------------------------------------------------------------------------- */

#define ODP_UD (IBV_ODP_SUPPORT_SEND)
#define ODP_RC                                                                                     \
	(IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE |                     \
	 IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC | IBV_ODP_SUPPORT_SRQ_RECV)

const struct sim_profile sim_mlx5_profile = {
	.kind = MR_SIM_MLX5,
	.node = "/dev/infiniband/uverbs250",
	.major = 231,
	.minor = 192 + 250,
	.driver_id = RDMA_DRIVER_MLX5,
	.node_guid = 0x020000fffe6d7263, /* locally administered */
	.attributes = {
		.fw_ver = 16ull << 32 | 35ull << 16 | 4030,
		.max_mr_size = UINT64_MAX,
		.page_size_cap = ~0xfffull,
		.vendor_id = 0x02c9,
		.vendor_part_id = 4119,
		.max_qp = 1 << 18,
		.max_qp_wr = 1 << 15,
		.device_cap_flags = IBV_DEVICE_BAD_PKEY_CNTR | IBV_DEVICE_BAD_QKEY_CNTR |
				    IBV_DEVICE_AUTO_PATH_MIG | IBV_DEVICE_CHANGE_PHY_PORT |
				    IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID |
				    IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_MEM_WINDOW |
				    IBV_DEVICE_XRC | IBV_DEVICE_MEM_MGT_EXTENSIONS |
				    IBV_DEVICE_MEM_WINDOW_TYPE_2B,
		.max_sge = 30,
		.max_sge_rd = 30,
		.max_cq = 1 << 24,
		.max_cqe = (1 << 22) - 1,
		.max_mr = 1 << 24,
		.max_pd = 1 << 24,
		.max_qp_rd_atom = 16,
		.max_res_rd_atom = 16 << 18,
		.max_qp_init_rd_atom = 16,
		.atomic_cap = IBV_ATOMIC_HCA,
		.max_mw = 1 << 24,
		.max_mcast_grp = 1 << 12,
		.max_mcast_qp_attach = 240,
		.max_total_mcast_qp_attach = 240 << 12,
		.max_ah = INT32_MAX,
		.max_srq = 1 << 16,
		.max_srq_wr = (1 << 15) - 1,
		.max_srq_sge = 31,
		.max_pkeys = 8,
		.local_ca_ack_delay = 16,
		.phys_port_cnt = 1,
	},
	.odp = {
		.general_caps = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT,
		.per_transport_caps = { .rc_odp_caps = ODP_RC, .ud_odp_caps = ODP_UD },
	},
	.xrc_odp = ODP_RC,
	.max_dm_size = SIM_DM_MAX,
	.port = {
		.port_cap_flags = IBV_PORT_SL_MAP_SUP | IBV_PORT_SYS_IMAGE_GUID_SUP |
				  IBV_PORT_EXTENDED_SPEEDS_SUP | IBV_PORT_CM_SUP |
				  IBV_PORT_CLIENT_REG_SUP,
		.max_msg_sz = 1 << 30,
		.gid_tbl_len = 8,
		.pkey_tbl_len = 8,
		.lid = 1,
		.sm_lid = 1,
		.state = IBV_PORT_ACTIVE,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_4096,
		.max_vl_num = 3,
		.subnet_timeout = 18,
		.active_width = 2,
		.active_speed = 32,
		.phys_state = 5,
		.link_layer = IBV_LINK_LAYER_INFINIBAND,
	},
	.gid_type = IB_UVERBS_GID_TYPE_IB,
	.has_dmabuf = true,
	.unknown_access = SIM_ACCESS_FLUSH_GLOBAL | SIM_ACCESS_FLUSH_PERSISTENT,
	.get_context = mlx5_get_context,
	.query_context = mlx5_query_context,
	.query_device = mlx5_query_device,
	.alloc_pd = mlx5_alloc_pd,
	.reg_mr = sim_mlx5_reg_mr,
	.rereg_mr = sim_mlx5_rereg_mr,
	.check_prefetch = sim_mlx5_check_prefetch,
	.prefetch_address = sim_mlx5_prefetch_address,
	.make_key = sim_mlx5_make_key,
	.mmap = sim_mlx5_mmap,
};
