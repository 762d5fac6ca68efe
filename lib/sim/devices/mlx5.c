// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The profile mlx5: the kernel's drivers/infiniband/hw/mlx5. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "lib/sim/base/abi.h"

#define OP_QUERY_HCA_CAP       0x100
#define BLOCK_SHIFT            12
#define MMAP_DEVICE_MEMORY     8 /* MLX5_IB_MMAP_DEVICE_MEM */
#define MMAP_OFFSET_START      9 /* MLX5_IB_MMAP_OFFSET_START: commands of dynamic entries */
#define MMAP_OFFSET_END        255
#define FIRST_KEY_INDEX        0x11 /* what the driver took for itself comes before */
#define FIRST_KEY_VARIANT      4
#define FIRST_PDN              3
#define FIRST_UAR              8
#define IMPLICIT_ORDER         (64 - BLOCK_SHIFT)
#define LEAST_ORDER            2 /* of the keys that older drivers keep */
#define KEY_RENEWED            0x80u
#define RELAXED_ORDERING_WRITE 0xe8  /* bit of the general capabilities */
#define DUMP_FILL_KEY          0x300 /* discards what is written to it, reads as zeros */

/* ---- main.c: the context ------------------------------------------------------------------- */

static int check_request(const struct mlx5_ib_alloc_ucontext_req_v2 *req)
{
	if (req->flags & ~(uint32_t)MLX5_IB_ALLOC_UCTX_DEVX)
		return -EOPNOTSUPP;
	if (req->comp_mask || req->reserved0 || req->reserved1 || req->reserved2)
		return -EOPNOTSUPP;
	/* static UARs, as libraries before rdma-core 28 want them, are not modelled */
	return req->lib_caps & MLX5_LIB_CAP_DYN_UAR ? 0 : -EOPNOTSUPP;
}

/*
 * set_ucontext_resp().  The clocks (CORE_CLOCK_OFFSET, clock_info_versions) are not offered: no page stands behind
 * them.  tot_bfregs is 0 because UARs are dynamic.
 */
static int put_context(struct sim_call *call, uint16_t id)
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
		.log_uar_size = BLOCK_SHIFT,
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
static int get_context(struct sim_call *call)
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
	rc = check_request(&req);
	if (rc)
		return rc;
	call->table->header->cqe_version = req.max_cqe_version ? 1 : 0;
	call->table->header->has_devx = req.flags & MLX5_IB_ALLOC_UCTX_DEVX;
	return put_context(call, UVERBS_ATTR_UHW_OUT);
}

/* mlx5_ib_query_ucontext() */
static int query_context(struct sim_call *call)
{
	return put_context(call, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX);
}

/* mlx5_ib_query_device(): offloads of QPs, of which there are none */
static int query_device(struct sim_call *call)
{
	struct mlx5_ib_query_device_resp resp = { .response_length = sizeof(resp) };
	struct ib_uverbs_attr *out = sim_attr(call, UVERBS_ATTR_UHW_OUT);
	const size_t least = offsetof(struct mlx5_ib_query_device_resp, tso_caps);

	if (out && out->len && out->len < least)
		return -EINVAL;
	if (!sim_attr_is_zero(call, UVERBS_ATTR_UHW_IN, 0))
		return sim_holds(call->table->kernel, SIM_UDATA) ? -EOPNOTSUPP : -EINVAL;
	if (out && out->len < sizeof(resp))
		resp.response_length = out->len;
	return sim_attr_put(call, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
}

static uint32_t pdn_of(uint32_t handle)
{
	return FIRST_PDN + handle;
}

/* mlx5_ib_alloc_pd(): without room for the number older kernels answer EFAULT, from copy_to_user() */
static int alloc_pd(struct sim_call *call, uint32_t handle)
{
	struct mlx5_ib_alloc_pd_resp resp = { .pdn = pdn_of(handle) };
	const struct ib_uverbs_attr *out = sim_attr(call, UVERBS_ATTR_UHW_OUT);

	if ((!out || out->len < sizeof(resp)) && !sim_holds(call->table->kernel, SIM_UDATA))
		return -EFAULT;
	return sim_attr_put(call, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
}

/* std_types.c MLX5_IB_METHOD_PD_QUERY */
int sim_mlx5_query_pd(struct sim_call *call)
{
	uint32_t pdn = pdn_of((uint32_t)(call->object - call->table->objects));

	return sim_attr_copy(call, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, &pdn, sizeof(pdn));
}

/* ---- mr.c ---------------------------------------------------------------------------------- */

static uint32_t order_of(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length)
{
	uint64_t first = addr >> BLOCK_SHIFT, last = (addr + length - 1) >> BLOCK_SHIFT;
	uint32_t order = last == first ? 0 : 64 - (uint32_t)__builtin_clzll(last - first);

	return order < LEAST_ORDER && !sim_holds(kernel, SIM_SMALL_KEYS) ? LEAST_ORDER : order;
}

/* Pages that fit a key made for so many: before 7.2 keys came in sizes of powers of two. */
static uint32_t room_for(enum mr_sim_kernel kernel, uint32_t pages)
{
	uint32_t room = 1u << LEAST_ORDER;

	if (sim_holds(kernel, SIM_SMALL_KEYS))
		return pages;
	while (room < pages && room < 1u << 31)
		room *= 2;
	return room;
}

/* create_user_odp_mr() */
static int reg_odp(struct sim_mr_request *request)
{
	request->flags |= SIM_MR_ODP;
	if (!request->addr && request->length == UINT64_MAX) {
		/* mlx5_ib_alloc_implicit_mr(), ib_umem_odp_alloc_implicit() */
		if (request->iova || request->access & IB_UVERBS_ACCESS_HUGETLB)
			return -EINVAL;
		request->order = IMPLICIT_ORDER;
		return 0;
	}
	request->order = order_of(request->kernel, request->addr, request->length);
	return sim_umem_check_odp(request->addr, request->length, request->access);
}

static bool has_data_direct(void)
{
	return getenv(SIM_DATA_DIRECT_VARIABLE) != NULL;
}

/* mlx5_ib_reg_user_mr_dmabuf() */
static int reg_dmabuf(struct sim_mr_request *request)
{
	const uint64_t offset = request->iova & ((uint64_t)sysconf(_SC_PAGESIZE) - 1);
	int rc;

	if (request->data_direct && offset)
		return -EOPNOTSUPP;
	if (request->data_direct && !has_data_direct())
		return -EINVAL;
	request->flags |= SIM_MR_DMABUF;
	if (request->data_direct)
		request->flags |= SIM_MR_DATA_DIRECT;
	request->order = order_of(request->kernel, request->addr, request->length);
	rc = sim_dmabuf_get(request->fd, request->addr, request->length, &request->dmabuf);
	/* ib_umem_dmabuf_get_pinned(), uverbs_dmabuf_pin() */
	return !rc && request->data_direct && request->dmabuf.export.table ? -EOPNOTSUPP : rc;
}

static int reg_mr(struct sim_mr_request *request)
{
	uint64_t last;
	int rc;

	request->flags = sim_access_writable(request->access) ? SIM_MR_WRITABLE : 0;
	if (request->is_dmabuf)
		return reg_dmabuf(request);
	if (request->access & IB_UVERBS_ACCESS_ON_DEMAND)
		return reg_odp(request);
	rc = sim_umem_pin(request->kernel, request->addr, request->length, request->access,
			  &request->pinned);
	if (rc)
		return rc;
	/*
	 * umem.c ib_umem_find_best_pgsz() finds no page size for an IOVA that wraps, nor for no bytes
	 * (which are a page to pin, at an odd address)
	 */
	if (sim_holds(request->kernel, SIM_IOVA_END) &&
	    (!request->length ||
	     __builtin_add_overflow(request->iova, request->length - 1, &last))) {
		sim_account_cancel(request->pinned);
		return -EINVAL;
	}
	request->order = order_of(request->kernel, request->addr, request->length);
	request->room = room_for(request->kernel, request->pinned);
	return 0;
}

/*
 * A key is an index that the device chose and 8 bits of variant.  The driver keeps freed keys by
 * size and gives them out again at once.  So does this: the index follows the handle, and the
 * variant the size.  An MR that changes its key still has the old one when it gets the new one.
 */
static uint32_t key(struct sim_table *table, uint32_t handle, uint32_t order, uint32_t before)
{
	uint32_t variant = FIRST_KEY_VARIANT + order;

	(void)table;
	if (before)
		variant |= ~before & KEY_RENEWED;
	return ((handle + FIRST_KEY_INDEX) & 0xffffff) << 8 | variant;
}

static uint32_t handle_of(uint32_t its_key)
{
	return ((its_key >> 8) - FIRST_KEY_INDEX) & 0xffffff;
}

static bool is_implicit(const struct sim_object *mr)
{
	return mr->flags & SIM_MR_ODP && !mr->addr && mr->length == UINT64_MAX;
}

/* can_use_umr_rereg_access() */
static bool can_change_access(uint32_t from, uint32_t to)
{
	const uint32_t changeable = IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |
				    IB_UVERBS_ACCESS_REMOTE_READ |
				    IB_UVERBS_ACCESS_RELAXED_ORDERING |
				    IB_UVERBS_ACCESS_REMOTE_ATOMIC;

	return !((from ^ to) & ~changeable);
}

/* mlx5_ib_rereg_user_mr() */
static int rereg_mr(struct sim_rereg *rereg)
{
	struct sim_mr_request *request = &rereg->request;
	const struct sim_object *old = &rereg->old;
	bool plain = !(old->flags & (SIM_MR_ODP | SIM_MR_DMABUF));
	bool in_place = can_change_access(old->access, request->access);
	int rc;

	if (old->flags & SIM_MR_DATA_DIRECT)
		return -EOPNOTSUPP;
	if (is_implicit(old) && !rereg->translate) {
		if (!(request->access & IB_UVERBS_ACCESS_ON_DEMAND))
			return -EOPNOTSUPP;
		rereg->translate = true;
	}
	if (!rereg->translate) {
		rereg->new_key = !in_place;
		request->order = order_of(request->kernel, old->addr, old->length);
		request->room = room_for(request->kernel, old->pinned);
		return in_place || plain ? 0 : -EOPNOTSUPP;
	}
	rc = reg_mr(request);
	rereg->new_key =
		!in_place || !plain || request->flags & SIM_MR_ODP || request->pinned > old->room;
	return rc;
}

/* ---- devx.c -------------------------------------------------------------------------------- */

int sim_mlx5_devx_other(struct sim_call *call)
{
	const uint8_t *in;
	/* status and syndrome, then struct mlx5_ifc_cmd_hca_cap_bits: no capability but this */
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
	if (!rc && !has_data_direct())
		rc = -ENODEV;
	if (!rc && out->len < sizeof(path))
		rc = -ENOSPC;
	return rc ? rc : sim_attr_copy(call, SIM_ATTR_DATA_DIRECT_PATH, path, sizeof(path));
}

/* ---- main.c: UARs -------------------------------------------------------------------------- */

/* mlx5_entry_to_mmap_offset(), with the entries numbered by the handles of their UARs */
static uint64_t uar_offset(uint32_t handle)
{
	uint64_t command = MMAP_OFFSET_START + (handle >> 16), index = handle & 0xffff;

	return ((index >> 8) << 16 | command << 8 | (index & 0xff)) *
	       (uint64_t)sysconf(_SC_PAGESIZE);
}

/* What an offset for mmap() says: MLX5_IB_MMAP_CMD_SHIFT, mlx5_ib_mmap_offset(). */
static uint64_t command_of(uint64_t offset, uint64_t *index)
{
	const uint64_t page = offset / (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t entry = (page >> 8 & 0xff) << 16 | (page >> 16) << 8 | (page & 0xff);

	*index = entry & 0xffff;
	return entry >> 16;
}

/* rdma_user_mmap_entry_get_pgoff(): what an offset is of, and its bytes; the table is locked */
static const struct sim_object *entry_of(const struct sim_table *table, uint64_t offset,
					 uint64_t *size)
{
	uint64_t index, command = command_of(offset, &index);
	struct sim_object *uar;

	if (command == MMAP_DEVICE_MEMORY)
		return sim_dm_find(table, index, size);
	*size = (uint64_t)sysconf(_SC_PAGESIZE);
	return command < MMAP_OFFSET_START ||
			       sim_object_find(table, MLX5_IB_OBJECT_UAR,
					       (command - MMAP_OFFSET_START) << 16 | index, &uar)
		       ? NULL
		       : uar;
}

int sim_mlx5_alloc_uar(struct sim_call *call)
{
	uint64_t type = sim_attr_number(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE);
	uint32_t length = (uint32_t)sysconf(_SC_PAGESIZE), page = FIRST_UAR + call->created;
	uint64_t offset = uar_offset(call->created);
	int rc;

	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return -EOPNOTSUPP;
	if (call->created >> 16 > MMAP_OFFSET_END - MMAP_OFFSET_START)
		return -ENOMEM;
	rc = sim_attr_put(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset, sizeof(offset));
	if (!rc)
		rc = sim_attr_put(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &length,
				  sizeof(length));
	if (!rc)
		rc = sim_attr_put(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &page, sizeof(page));
	call->object->iova = sim_random();
	return rc;
}

static void *map_of_table(const struct sim_table *table, void *addr, size_t length, int prot,
			  int flags, off_t place)
{
	int fd = sim_table_reopen(table->fd, O_RDWR);
	void *address;

	if (fd < 0) {
		errno = -fd;
		return MAP_FAILED;
	}
	address = sim_libc()->mmap(addr, length, prot, flags, fd, place);
	sim_libc()->close(fd);
	return address;
}

/* Behind a UAR there is memory that nobody reads: doorbells of queues that do not exist. */
static void *map_page(struct sim_table *table, void *addr, size_t length, int prot, int flags,
		      off_t offset)
{
	const struct sim_object *entry = NULL;
	off_t place = -1;
	uint64_t size;

	if (flags & MAP_SHARED && !sim_table_lock(table)) {
		entry = entry_of(table, (uint64_t)offset, &size);
		if (entry && entry->type == UVERBS_OBJECT_DM)
			place = sim_dm_place(entry->addr);
		sim_table_unlock(table);
	}
	if (!entry || size != length) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (place < 0)
		return sim_libc()->mmap(addr, length, prot, flags | MAP_ANONYMOUS, -1, 0);
	return map_of_table(table, addr, length, prot, flags, place);
}

/* uverbs_std_types_dmabuf.c UVERBS_METHOD_DMABUF_ALLOC, mlx5_ib_mmap_get_pfns() */
int sim_mlx5_export_dmabuf(struct sim_call *call)
{
	struct sim_export export = { .table = call->table->header->id };
	const struct sim_object *entry;
	uint64_t size;
	int fd, rc;

	entry = entry_of(call->table, sim_attr_number(call, SIM_ATTR_EXPORT_OFFSET), &size);
	if (!entry)
		return -EINVAL;
	export.id = entry->iova;
	fd = sim_dmabuf_export(&export, size);
	if (fd < 0)
		return fd;
	/* the answer has the number of its descriptor already */
	rc = dup3(fd, (int)call->created, O_CLOEXEC) < 0 ? -errno : 0;
	sim_libc()->close(fd);
	return rc;
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
	.get_context = get_context,
	.query_context = query_context,
	.query_device = query_device,
	.alloc_pd = alloc_pd,
	.reg_mr = reg_mr,
	.rereg_mr = rereg_mr,
	.key = key,
	.handle_of = handle_of,
	.mmap = map_page,
};
