// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/call/call.h"
#include "lib/sim/devices/devices.h"
#include "lib/sim/memory/memory.h"
#include "lib/sim/path/path.h"
#include "lib/sim/state/state.h"

/* rxe_verbs.h RXE_ACCESS_SUPPORTED_MR: all but zero-based and hugetlb */
#define SUPPORTED_ACCESS                                                                           \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                            \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                           \
	 IB_UVERBS_ACCESS_MW_BIND | IB_UVERBS_ACCESS_ON_DEMAND | SIM_ACCESS_FLUSH_GLOBAL |         \
	 SIM_ACCESS_FLUSH_PERSISTENT | (uint32_t)IB_UVERBS_ACCESS_OPTIONAL_RANGE)

/* Linux 6.2 <rdma/ib_user_verbs.h>: IB_UVERBS_DEVICE_FLUSH_GLOBAL and _PERSISTENT */
#define DEVICE_FLUSH_GLOBAL     (UINT64_C(1) << 38)
#define DEVICE_FLUSH_PERSISTENT (UINT64_C(1) << 39)

/* rxe_mr.c __alloc_mr_page_info(): one piece of 4 MiB, MAX_PAGE_ORDER, has 16 bytes for each page */
#define PAGES_MAX         ((UINT32_C(4) << 20) / 16)

#define FIRST_KEY_INDEX   1 /* rxe_param.h RXE_MIN_MR_INDEX */
#define PORT_GRH_REQUIRED 1 /* IB_UVERBS_QPF_GRH_REQUIRED */

/* rxe_query_device(): there is no driver data in either direction */
static int rxe_query_device(struct sim_call *call)
{
	const struct ib_uverbs_attr *in = sim_attr(call, UVERBS_ATTR_UHW_IN);
	const struct ib_uverbs_attr *out = sim_attr(call, UVERBS_ATTR_UHW_OUT);

	if (!sim_has_change(call->table->kernel, SIM_UDATA))
		return (in && in->len) || (out && out->len) ? -EINVAL : 0;
	if (!sim_attr_is_zero(call, UVERBS_ATTR_UHW_IN, 0))
		return -EOPNOTSUPP;
	return sim_attr_put(call, UVERBS_ATTR_UHW_OUT, NULL, 0);
}

/* rxe_reg_user_mr(), rxe_mr_init_user() */
static int rxe_reg_mr(struct sim_mr_request *request)
{
	int rc;

	if (request->mr.access & ~SUPPORTED_ACCESS &&
	    sim_has_change(request->kernel, SIM_RXE_ACCESS))
		return -EOPNOTSUPP;
	request->mr.flags = sim_access_writable(request->mr.access) ? SIM_MR_WRITABLE : 0;
	if (request->mr.access & IB_UVERBS_ACCESS_ON_DEMAND) {
		/* rxe_odp_mr_init_user(): no implicit ODP */
		request->mr.flags |= SIM_MR_ODP;
		request->mr.owner = getpid();
		if (sim_mr_is_implicit(request->mr.addr, request->mr.length))
			return -EINVAL;
		return sim_umem_check_odp(request->kernel, request->mr.addr, request->mr.length,
					  request->mr.access);
	}
	rc = sim_umem_pin(request->kernel, request->mr.addr, request->mr.length, request->mr.access,
			  &request->mr.pinned);
	if (rc)
		return rc;
	if (request->mr.pinned > PAGES_MAX && sim_has_change(request->kernel, SIM_RXE_PAGES))
		rc = -ENOMEM;
	/* rxe_mr_fill_pages_from_sgt(): flushing to persistence needs persistent memory */
	else if (request->mr.access & SIM_ACCESS_FLUSH_PERSISTENT)
		rc = -EINVAL;
	if (rc)
		sim_account_cancel(request->mr.pinned);
	request->range_unset = true;
	return rc;
}

/* rxe_rereg_user_mr(): PD and access can change, the memory cannot */
static int rxe_rereg_mr(struct sim_rereg *rereg)
{
	return rereg->translate || rereg->request.mr.access & ~SUPPORTED_ACCESS ? -EOPNOTSUPP : 0;
}

/* rxe_mr.c lookup_mr(), rxe_ib_prefetch_sg_list() */
static int rxe_check_prefetch(const struct sim_advice *advice, const struct sim_object *mr)
{
	if (!mr || mr->parent != advice->pd || !(mr->access & IB_UVERBS_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return advice->flush && sim_advice_lacks_access(advice, mr) ? -EPERM : 0;
}

/*
 * rxe_odp_do_pagefault_and_lock(): the driver takes the addresses for those of the memory, whatever the
 * IOVA is.  It treats MRs with pinned pages like those on demand, and then finds no memory of theirs.
 */
static int rxe_prefetch_address(const struct sim_object *mr, const struct ib_uverbs_sge *part,
				uint64_t *addr)
{
	const uint64_t page_size = sim_mr_page_size(mr);
	const uint64_t end = part->addr + part->length; /* it may wrap, as in the kernel */

	*addr = part->addr;
	if (!(mr->flags & SIM_MR_ODP) || part->addr < sim_round_down(mr->addr, page_size) ||
	    end > sim_round_up(mr->addr + mr->length, page_size))
		return -EFAULT;
	/* walk_page_range() refuses a range that wraps, and one without pages */
	return sim_round_up(end, page_size) <= sim_round_down(part->addr, page_size) ? -EINVAL : 0;
}

/*
 * rxe_mr_init(), __rxe_add_to_pool(): a key has 24 bits of index, and 8 random bits, which here count up.  The
 * driver uses indexes in turn, so that a freed key does not return soon.
 */
static uint32_t rxe_make_key(struct sim_table *table, uint8_t variant)
{
	(void)variant;
	return sim_key_index(table, FIRST_KEY_INDEX) << 8 | table->header->next_key++;
}

/* ---- queues (rxe_queue.c, rxe_cq.c, rxe_srq.c, rxe_qp.c) ---------------------------------------- */

#define CQE_SIZE    64u  /* sizeof(struct rxe_cqe) */
#define LEAST_ENTRY 64u  /* cache_line_size() */
#define INLINE_MAX  512u /* rxe_param.h RXE_MAX_INLINE_DATA */
#define TIMEOUT_MAX 31

/* rxe_queue_init(), do_mmap_info(): a queue in the table's file, with room for more than @entries */
static int new_ring(struct sim_table *table, struct sim_ring *ring, uint64_t entries,
		    uint64_t entry_size)
{
	struct rxe_queue_buf *buffer;
	int rc;

	entry_size = sim_round_up_to_power(entry_size < LEAST_ENTRY ? LEAST_ENTRY : entry_size);
	ring->shift = (uint32_t)__builtin_ctzll(entry_size);
	ring->count = (uint32_t)sim_round_up_to_power(entries + 1);
	ring->size = sim_round_up(sizeof(*buffer) + ring->count * entry_size, sim_page_size());
	rc = sim_ring_allocate(table, ring);
	if (rc)
		return rc;
	buffer = sim_ring_map(table, ring);
	if (!buffer) {
		sim_ring_free(table, ring);
		return -ENOMEM;
	}
	buffer->log2_elem_size = ring->shift;
	buffer->index_mask = ring->count - 1;
	munmap(buffer, ring->size);
	return 0;
}

static struct mminfo mmap_info(const struct sim_ring *ring)
{
	return (struct mminfo){ .offset = ring->start, .size = (uint32_t)ring->size };
}

static uint64_t receive_size(uint32_t sges)
{
	return sizeof(struct rxe_recv_wqe) + sges * sizeof(struct rxe_sge);
}

static bool has_room_for(const struct sim_call *call, size_t size)
{
	const struct ib_uverbs_attr *out = sim_attr(call, UVERBS_ATTR_UHW_OUT);

	return out && out->len >= size;
}

/* rxe_cq_chk_attr() */
static bool is_cqe(const struct sim_call *call, uint32_t cqe)
{
	return cqe && cqe <= (uint32_t)call->profile->attributes.max_cqe;
}

static int create_cq(struct sim_call *call, struct sim_queue_request *request)
{
	struct sim_cq *cq = &request->queue.cq;
	int rc;

	if (!has_room_for(call, sizeof(struct rxe_create_cq_resp)))
		return -EINVAL;
	if (request->flags)
		return -EOPNOTSUPP;
	if (!is_cqe(call, cq->cqe))
		return -EINVAL;
	rc = new_ring(call->table, &cq->ring, cq->cqe, CQE_SIZE);
	cq->cqe = cq->ring.count - 1;
	return rc;
}

static int create_srq(struct sim_call *call, struct sim_queue_request *request)
{
	const struct ib_uverbs_query_device_resp *limits = &call->profile->attributes;
	struct ib_uverbs_query_srq_resp *attr = &request->queue.srq.attr;
	struct sim_ring *ring = &request->queue.srq.ring;
	int rc;

	if (!has_room_for(call, sizeof(struct rxe_create_srq_resp)) || !attr->max_wr ||
	    attr->max_wr > limits->max_srq_wr || attr->max_sge > limits->max_srq_sge)
		return -EINVAL;
	if (!attr->max_sge)
		attr->max_sge = 1; /* RXE_MIN_SRQ_SGE */
	rc = new_ring(call->table, ring, attr->max_wr, receive_size(attr->max_sge));
	attr->max_wr = ring->count - 1;
	return rc;
}

/* rxe_qp_chk_cap() */
static bool are_limits(const struct ib_uverbs_query_device_resp *limits,
		       const struct ib_uverbs_qp_cap *cap, bool has_rq)
{
	return cap->max_send_wr <= limits->max_qp_wr && cap->max_send_sge <= limits->max_sge &&
	       (!has_rq ||
		(cap->max_recv_wr <= limits->max_qp_wr && cap->max_recv_sge <= limits->max_sge)) &&
	       cap->max_inline_data <= INLINE_MAX;
}

static int create_qp(struct sim_call *call, struct sim_queue_request *request)
{
	const struct ib_uverbs_attr *in = sim_attr(call, UVERBS_ATTR_UHW_IN);
	struct ib_uverbs_qp_cap *cap = &request->cap;
	struct sim_qp *qp = &request->queue.qp;
	const bool has_rq = qp->srq == SIM_NO_HANDLE;
	uint32_t data;
	int rc;

	if (!has_room_for(call, sizeof(struct rxe_create_qp_resp)))
		return -EINVAL;
	if (request->flags)
		return -EOPNOTSUPP;
	if ((in && in->len) || !are_limits(&call->profile->attributes, cap, has_rq))
		return -EINVAL;
	data = cap->max_send_sge * (uint32_t)sizeof(struct rxe_sge);
	if (data < cap->max_inline_data)
		data = cap->max_inline_data;
	rc = new_ring(call->table, &qp->sq, cap->max_send_wr, sizeof(struct rxe_send_wqe) + data);
	if (!rc && has_rq)
		rc = new_ring(call->table, &qp->rq, cap->max_recv_wr,
			      receive_size(cap->max_recv_sge));
	if (rc) {
		sim_ring_free(call->table, &qp->sq);
		return rc;
	}
	cap->max_send_wr = qp->sq.count - 1;
	cap->max_send_sge = data / (uint32_t)sizeof(struct rxe_sge);
	cap->max_inline_data = data;
	if (has_rq)
		cap->max_recv_wr = qp->rq.count - 1;
	qp->attr.max_send_wr = cap->max_send_wr;
	qp->attr.max_send_sge = cap->max_send_sge;
	qp->attr.max_inline_data = data;
	qp->attr.max_recv_wr = has_rq ? cap->max_recv_wr : 0;
	qp->attr.max_recv_sge = has_rq ? cap->max_recv_sge : 0;
	qp->attr.path_mtu = IBV_MTU_256;
	return 0;
}

static int rxe_create_queue(struct sim_call *call, struct sim_queue_request *request)
{
	return request->type == UVERBS_OBJECT_CQ    ? create_cq(call, request)
	       : request->type == UVERBS_OBJECT_SRQ ? create_srq(call, request)
						    : create_qp(call, request);
}

static int rxe_answer_queue(const struct sim_call *call, const struct sim_queue_request *request)
{
	const struct sim_queue *queue = &request->queue;
	const struct rxe_create_qp_resp qp = { mmap_info(&queue->qp.rq), mmap_info(&queue->qp.sq) };
	const struct rxe_create_srq_resp srq = { .mi = mmap_info(&queue->srq.ring),
						 .srq_num = queue->srq.number };
	const struct rxe_create_cq_resp cq = { mmap_info(&queue->cq.ring) };

	return request->type == UVERBS_OBJECT_CQ    ? SIM_PUT(call, UVERBS_ATTR_UHW_OUT, cq)
	       : request->type == UVERBS_OBJECT_SRQ ? SIM_PUT(call, UVERBS_ATTR_UHW_OUT, srq)
						    : SIM_PUT(call, UVERBS_ATTR_UHW_OUT, qp);
}

/* rxe_srq_chk_attr(); resizing is not modelled */
static int rxe_modify_srq(const struct sim_call *call, struct sim_srq *srq,
			  const struct ib_uverbs_modify_srq *cmd)
{
	const struct ib_uverbs_attr *in = sim_attr(call, UVERBS_ATTR_UHW_IN);

	if (!in || in->len < sizeof(struct rxe_modify_srq_cmd))
		return -EINVAL;
	if (cmd->attr_mask & IBV_SRQ_MAX_WR)
		return -EOPNOTSUPP;
	return sim_set_srq_limit(srq, cmd);
}

/* rxe_qp_chk_attr() */
static int rxe_check_qp(const struct sim_call *call, const struct ib_uverbs_modify_qp *cmd,
			uint8_t from, uint8_t to)
{
	const uint32_t mask = cmd->attr_mask;

	(void)from;
	(void)to;
	return (mask & IBV_QP_PATH_MTU && cmd->path_mtu > call->profile->port.max_mtu) ||
			       (mask & IBV_QP_MAX_QP_RD_ATOMIC &&
				cmd->max_rd_atomic > call->profile->attributes.max_qp_rd_atom) ||
			       (mask & IBV_QP_TIMEOUT && cmd->timeout > TIMEOUT_MAX)
		       ? -EINVAL
		       : 0;
}

static int rxe_answer_ah(const struct sim_call *call)
{
	const struct rxe_create_ah_resp resp = { .ah_num = call->created + 1 };

	return SIM_PUT(call, UVERBS_ATTR_UHW_OUT, resp);
}

/* rxe_mmap() */
static void *rxe_mmap(struct sim_table *table, void *addr, size_t length, int prot, int flags,
		      off_t offset)
{
	const struct sim_ring *ring;
	uint64_t size = 0;

	if (!sim_table_lock(table)) {
		ring = sim_ring_find(table, (uint64_t)offset);
		size = ring ? ring->size : 0;
		sim_table_unlock(table);
	}
	if (length > size) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return sim_table_mmap(table->fd, addr, length, prot, flags, offset);
}

/* ---- the device ---------------------------------------------------------------------------- */

static const struct sim_profile sim_rxe_profile = {
	.kind = MR_SIM_RXE,
	.node = "/dev/infiniband/uverbs251",
	.major = 231,
	.minor = 192 + 251,
	.driver_id = RDMA_DRIVER_RXE,
	.node_guid = SIM_RXE_GUID,
	.attributes = {
		.max_mr_size = UINT64_MAX,
		.page_size_cap = 0xfffff000,
		.vendor_id = 0xffffff,
		.max_qp = (1 << 20) - 16,
		.max_qp_wr = 1 << 20,
		.device_cap_flags = IBV_DEVICE_BAD_PKEY_CNTR | IBV_DEVICE_BAD_QKEY_CNTR |
				    IBV_DEVICE_AUTO_PATH_MIG | IBV_DEVICE_CHANGE_PHY_PORT |
				    IBV_DEVICE_UD_AV_PORT_ENFORCE | IBV_DEVICE_PORT_ACTIVE_EVENT |
				    IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_RC_RNR_NAK_GEN |
				    IBV_DEVICE_SRQ_RESIZE | IBV_DEVICE_MEM_WINDOW |
				    IBV_DEVICE_MEM_MGT_EXTENSIONS | IBV_DEVICE_MEM_WINDOW_TYPE_2B,
		.max_sge = 32,
		.max_sge_rd = 32,
		.max_cq = 1 << 20,
		.max_cqe = (1 << 15) - 1,
		.max_mr = 1 << 24,
		.max_pd = 1 << 24,
		.max_qp_rd_atom = 128,
		.max_res_rd_atom = 0x3f000,
		.max_qp_init_rd_atom = 128,
		.atomic_cap = IBV_ATOMIC_HCA,
		.max_mw = 1 << 20,
		.max_mcast_grp = 8192,
		.max_mcast_qp_attach = 56,
		.max_total_mcast_qp_attach = 0x70000,
		.max_ah = 1 << 15,
		.max_srq = 1 << 15,
		.max_srq_wr = 1 << 20,
		.max_srq_sge = 27,
		.max_pkeys = 1,
		.local_ca_ack_delay = 15,
		.phys_port_cnt = 1,
	},
	.flush_capabilities = DEVICE_FLUSH_GLOBAL | DEVICE_FLUSH_PERSISTENT,
	.odp_since = SIM_RXE_ODP,
	.rereg_since = SIM_RXE_REREG,
	.odp = {
		.general_caps = IBV_ODP_SUPPORT,
		.per_transport_caps = {
			.rc_odp_caps = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV |
				       IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ |
				       IBV_ODP_SUPPORT_ATOMIC | IBV_ODP_SUPPORT_SRQ_RECV,
			.ud_odp_caps = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV |
				       IBV_ODP_SUPPORT_SRQ_RECV,
		},
	},
	.port = {
		.port_cap_flags = IBV_PORT_CM_SUP,
		.max_msg_sz = 0x800000,
		.gid_tbl_len = 8,
		.pkey_tbl_len = 1,
		.state = IBV_PORT_ACTIVE,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_1024,
		.max_vl_num = 1,
		.active_width = 1,
		.active_speed = 1,
		.phys_state = 5,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.flags = PORT_GRH_REQUIRED,
	},
	.gid_type = IB_UVERBS_GID_TYPE_ROCE_V2,
	.query_device = rxe_query_device,
	.reg_mr = rxe_reg_mr,
	.rereg_mr = rxe_rereg_mr,
	.check_prefetch = rxe_check_prefetch,
	.prefetch_address = rxe_prefetch_address,
	.create_queue = rxe_create_queue,
	.answer_queue = rxe_answer_queue,
	.check_qp = rxe_check_qp,
	.modify_srq = rxe_modify_srq,
	.answer_ah = rxe_answer_ah,
	.make_key = rxe_make_key,
	.mmap = rxe_mmap,
};

static const struct sim_profile *const profiles[MR_SIM_PROFILES + 1] = {
	[MR_SIM_MLX5] = &sim_mlx5_profile,
	[MR_SIM_RXE] = &sim_rxe_profile,
	[MR_SIM_PROFILES] = NULL,
};

const struct sim_profile *sim_profile_of(enum mr_sim_profile kind)
{
	return profiles[kind];
}
