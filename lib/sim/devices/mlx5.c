// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/devices/devices.h"
#include "lib/sim/memory/memory.h"
#include "lib/sim/path/path.h"
#include "lib/sim/state/state.h"

#define MMAP_DEVICE_MEMORY 8 /* MLX5_IB_MMAP_DEVICE_MEM */
#define MMAP_OFFSET_START  9 /* MLX5_IB_MMAP_OFFSET_START: commands of dynamic entries */
#define MMAP_OFFSET_END    255
#define FIRST_UAR          8

/*
 * rdma_user_mmap_entry_get_pgoff(): the object that an offset is of, and its bytes; the table is locked.  The offset has
 * a command and an index: MLX5_IB_MMAP_CMD_SHIFT, mlx5_ib_mmap_offset().
 */
static const struct sim_object *find_mmap_entry(const struct sim_table *table, uint64_t offset,
						uint64_t *size)
{
	const uint64_t page = offset / sim_page_size(), command = page >> 8 & 0xff;
	const uint64_t index = (page >> 16 << 8 & 0xffff) | (page & 0xff);
	struct sim_object *uar;

	if (command == MMAP_DEVICE_MEMORY)
		return sim_dm_find(table, index, size);
	*size = sim_page_size();
	return command < MMAP_OFFSET_START ||
			       sim_object_find(table, MLX5_IB_OBJECT_UAR,
					       (command - MMAP_OFFSET_START) << 16 | index, &uar)
		       ? NULL
		       : uar;
}

int sim_mlx5_alloc_uar(struct sim_call *call)
{
	uint64_t type = sim_attr_number(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE);
	uint32_t length = (uint32_t)sim_page_size(), page = FIRST_UAR + call->created;
	/* mlx5_entry_to_mmap_offset(); the handle is the number of the entry */
	uint64_t command = MMAP_OFFSET_START + (call->created >> 16);
	uint64_t index = call->created & 0xffff;
	uint64_t offset = ((index >> 8) << 16 | command << 8 | (index & 0xff)) * sim_page_size();

	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return -EOPNOTSUPP;
	if (call->created >> 16 > MMAP_OFFSET_END - MMAP_OFFSET_START)
		return -ENOMEM;
	call->object->iova = sim_random();
	return SIM_PUT(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, offset)
		       ?: SIM_PUT(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, length)
		       ?: SIM_PUT(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, page);
}

/* A UAR is mapped to anonymous memory: the device reads the doorbell records, and no doorbells. */
static void *sim_mlx5_mmap(struct sim_table *table, void *addr, size_t length, int prot, int flags,
			   off_t offset)
{
	const struct sim_object *entry = NULL;
	off_t file_offset = -1;
	uint64_t size;

	if (flags & MAP_SHARED && !sim_table_lock(table)) {
		entry = find_mmap_entry(table, (uint64_t)offset, &size);
		if (entry && entry->type == UVERBS_OBJECT_DM)
			file_offset = sim_dm_file_offset(entry->addr);
		sim_table_unlock(table);
	}
	if (!entry || size != length) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (file_offset < 0)
		return sim_libc()->mmap(addr, length, prot, flags | MAP_ANONYMOUS, -1, 0);
	return sim_table_mmap(table->fd, addr, length, prot, flags, file_offset);
}

/* uverbs_std_types_dmabuf.c UVERBS_METHOD_DMABUF_ALLOC, mlx5_ib_mmap_get_pfns() */
int sim_mlx5_export_dmabuf(struct sim_call *call)
{
	struct sim_export export = { .table = call->table->header->id };
	const struct sim_object *entry;
	uint64_t size;
	int fd, rc;

	entry = find_mmap_entry(call->table, sim_attr_number(call, SIM_ATTR_EXPORT_OFFSET), &size);
	if (!entry)
		return -EINVAL;
	export.id = entry->iova;
	fd = sim_dmabuf_export(&export, size);
	if (fd < 0)
		return fd;
	/* The caller gets the number of the eventfd that new_fd() made.  The dma-buf replaces the eventfd. */
	rc = dup3(fd, (int)call->created, O_CLOEXEC) < 0 ? -errno : 0;
	sim_libc()->close(fd);
	return rc;
}

#define BLOCK_SHIFT      12 /* log2 of the bytes of the blocks that keys are for */
#define HUGE_BLOCK_SHIFT 21 /* the same with on-demand paging of huge pages */
#define IMPLICIT_ORDER   (64 - BLOCK_SHIFT)
#define LEAST_ORDER      2    /* of the keys of kernels without SIM_SMALL_KEYS */
#define FIRST_KEY_INDEX  0x11 /* the driver keeps lower ones to itself */

/* The variants of keys: that of order 0 without a DMA handle, and what one with a DMA handle adds. */
#define FIRST_VARIANT 4
#define VARIANT_DMAH  64

static void set_variant(struct sim_mr_request *request)
{
	const bool huge =
		request->mr.flags & SIM_MR_ODP && request->mr.access & IB_UVERBS_ACCESS_HUGETLB;
	const uint32_t shift = huge ? HUGE_BLOCK_SHIFT : BLOCK_SHIFT;
	const uint64_t first = request->mr.addr >> shift;
	const uint64_t last = (request->mr.addr + request->mr.length - 1) >> shift;
	/* log2, rounded up, of the number of blocks that the range lies in */
	uint32_t order = last == first ? 0 : 64 - (uint32_t)__builtin_clzll(last - first);

	if (order < LEAST_ORDER && !sim_has_change(request->kernel, SIM_SMALL_KEYS))
		order = LEAST_ORDER;
	if (request->mr.flags & SIM_MR_ODP &&
	    sim_mr_is_implicit(request->mr.addr, request->mr.length))
		order = IMPLICIT_ORDER;
	request->key_variant =
		(uint8_t)(FIRST_VARIANT + order + (request->has_dmah ? VARIANT_DMAH : 0));
	if (request->mr.flags & SIM_MR_DATA_DIRECT)
		request->key_variant = SIM_KEY_OF_DEVICE;
}

/* The pages that a key can hold which was made for @pages: older kernels round up to a power of two. */
static uint32_t key_pages_for(enum mr_sim_kernel kernel, uint32_t pages)
{
	uint32_t room = 1u << LEAST_ORDER;

	if (sim_has_change(kernel, SIM_SMALL_KEYS))
		return pages;
	while (room < pages && room < 1u << 31)
		room *= 2;
	return room;
}

/* create_user_odp_mr() */
static int reg_odp(struct sim_mr_request *request)
{
	request->mr.flags |= SIM_MR_ODP;
	request->mr.owner = getpid();
	if (sim_mr_is_implicit(request->mr.addr, request->mr.length)) {
		/* mlx5_ib_alloc_implicit_mr(), ib_umem_odp_alloc_implicit() */
		if (request->mr.iova || request->mr.access & IB_UVERBS_ACCESS_HUGETLB)
			return -EINVAL;
		return 0;
	}
	return sim_umem_check_odp(request->kernel, request->mr.addr, request->mr.length,
				  request->mr.access);
}

/* mlx5_ib_reg_user_mr_dmabuf() */
static int reg_dmabuf(struct sim_mr_request *request)
{
	const uint64_t offset = sim_page_offset(request->mr.iova);
	int rc;

	if (request->data_direct && offset)
		return -EOPNOTSUPP;
	if (request->data_direct && !getenv(MR_SIM_DATA_DIRECT_VARIABLE))
		return -EINVAL;
	request->mr.flags |= SIM_MR_DMABUF;
	if (request->data_direct)
		request->mr.flags |= SIM_MR_DATA_DIRECT;
	rc = sim_dmabuf_get(request->fd, request->mr.addr, request->mr.length, &request->dmabuf);
	/* ib_umem_dmabuf_get_pinned(), uverbs_dmabuf_pin(): exported dma-bufs cannot be pinned */
	return !rc && request->data_direct && request->dmabuf.export.table ? -EOPNOTSUPP : rc;
}

/*
 * umem.c ib_umem_find_best_pgsz() finds no page size for an IOVA with another offset in its page, nor, in newer
 * kernels, for one that wraps and for 0 bytes, which sim_umem_pin() lets pass where the address is not at the start
 * of a page.  Only make_anew() leads here with such an offset.
 */
static bool has_page_size(const struct sim_mr_request *request)
{
	uint64_t last;

	if (!sim_same_page_offset(request->mr.addr, request->mr.iova))
		return false;
	return !sim_has_change(request->kernel, SIM_IOVA_END) ||
	       (request->mr.length &&
		!__builtin_add_overflow(request->mr.iova, request->mr.length - 1, &last));
}

/* mlx5_ib_reg_user_mr(), mlx5_ib_reg_user_mr_dmabuf(); the memory is not pinned if it fails */
static int get_memory(struct sim_mr_request *request)
{
	int rc;

	if (request->has_dmah && request->mr.access & IB_UVERBS_ACCESS_ON_DEMAND)
		return -EOPNOTSUPP;
	request->mr.flags = sim_access_writable(request->mr.access) ? SIM_MR_WRITABLE : 0;
	if (request->has_dmah)
		request->mr.flags |= SIM_MR_DMAH;
	if (request->is_dmabuf)
		return reg_dmabuf(request);
	if (request->mr.access & IB_UVERBS_ACCESS_ON_DEMAND)
		return reg_odp(request);
	rc = sim_umem_pin(request->kernel, request->mr.addr, request->mr.length, request->mr.access,
			  &request->mr.pinned);
	if (rc)
		return rc;
	if (!has_page_size(request)) {
		sim_account_cancel(request->mr.pinned);
		return -EINVAL;
	}
	request->mr.key_pages = key_pages_for(request->kernel, request->mr.pinned);
	return 0;
}

/* Functions of struct sim_profile. */
static int sim_mlx5_reg_mr(struct sim_mr_request *request)
{
	int rc = get_memory(request);

	if (!rc)
		set_variant(request);
	return rc;
}

/*
 * A key has 24 bits of index, which the device chose, and 8 bits of variant.  The driver keeps freed keys by the
 * number of their blocks and uses the last one again first: _mlx5_mr_cache_alloc(), core/frmr_pools.c.  Here the
 * numbers are rounded up to powers of two, as by kernels without SIM_SMALL_KEYS.  Newer ones take each number, up
 * to the double, that the device's earlier regions had.
 */
static uint32_t sim_mlx5_make_key(struct sim_table *table, uint8_t variant)
{
	const uint32_t key = variant == SIM_KEY_OF_DEVICE ? 0 : sim_key_reuse(table, variant);

	return key ? key : sim_key_index(table, FIRST_KEY_INDEX) << 8 | variant;
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

/* An MR that has no pages to keep is to change without a translation. */
static int make_anew(struct sim_rereg *rereg)
{
	struct sim_mr_request *request = &rereg->request;

	if (sim_has_change(request->kernel, SIM_REREG_REFUSED))
		return -EOPNOTSUPP;
	rereg->given.access = request->mr.access;
	request->mr = rereg->given;
	rereg->translate = true;
	rereg->new_key = true;
	return sim_mlx5_reg_mr(request);
}

/* mlx5_ib_rereg_user_mr() */
static int sim_mlx5_rereg_mr(struct sim_rereg *rereg)
{
	struct sim_mr_request *request = &rereg->request;
	const struct sim_object *old = &rereg->old;
	bool plain = !(old->flags & (SIM_MR_ODP | SIM_MR_DMABUF));
	bool in_place = can_change_access(old->access, request->mr.access);
	int rc;

	if (old->flags & (SIM_MR_DATA_DIRECT | SIM_MR_DMAH))
		return -EOPNOTSUPP;
	if (old->flags & SIM_MR_ODP && sim_mr_is_implicit(old->addr, old->length) &&
	    !rereg->translate) {
		if (!(request->mr.access & IB_UVERBS_ACCESS_ON_DEMAND))
			return -EOPNOTSUPP;
		rereg->translate = true;
	}
	if (!rereg->translate && !in_place && !plain)
		return make_anew(rereg);
	if (!rereg->translate) {
		rereg->new_key = !in_place;
		set_variant(request);
		request->mr.key_pages = key_pages_for(request->kernel, old->pinned);
		return 0;
	}
	rc = sim_mlx5_reg_mr(request);
	rereg->new_key = !in_place || !plain || request->mr.flags & SIM_MR_ODP ||
			 request->mr.pinned > old->key_pages;
	return rc;
}

/* get_prefetchable_mr(): MRs with pinned pages count as not found */
static int sim_mlx5_check_prefetch(const struct sim_advice *advice, const struct sim_object *mr)
{
	/* Regions of Data Direct are pinned, and not among those with paging (mlx5r_store_odp_mkey()). */
	if (!mr || !(mr->flags & (SIM_MR_ODP | SIM_MR_DMABUF)) || mr->flags & SIM_MR_DATA_DIRECT)
		return -ENOENT;
	return mr->parent != advice->pd || sim_advice_lacks_access(advice, mr) ? -EPERM : 0;
}

/* pagefault_real_mr(): a part may reach to the end of the last page of the MR */
static int sim_mlx5_prefetch_address(const struct sim_object *mr, const struct ib_uverbs_sge *part,
				     uint64_t *addr)
{
	const uint64_t end = sim_round_up(mr->addr + mr->length, sim_mr_page_size(mr));

	if (sim_mr_is_implicit(mr->addr, mr->length)) {
		*addr = part->addr;
		return 0;
	}
	if (part->addr < mr->iova ||
	    __builtin_add_overflow(part->addr - mr->iova, mr->addr, addr) || *addr >= end ||
	    end - *addr < part->length)
		return -EFAULT;
	/* mlx5r_umr_update_xlt() refuses a range without pages */
	return !part->length && !(*addr & (sim_page_size() - 1)) ? -EINVAL : 0;
}

#define OP_QUERY_HCA_CAP       0x100
#define UAR_SHIFT              12
#define FIRST_PDN              3
#define RELAXED_ORDERING_WRITE 0xe8  /* bit number in the general capabilities */
#define DUMP_FILL_KEY          0x300 /* key of memory that discards writes and reads as zeros */

/* ---- contexts and PDs (main.c) --------------------------------------------------------------- */

/*
 * set_ucontext_resp().  The clocks (CORE_CLOCK_OFFSET, clock_info_versions) are not offered: there is no
 * page to read them from.  tot_bfregs is 0 because UARs are dynamic.
 */
static int mlx5_put_context(struct sim_call *call, uint16_t id)
{
	const struct mlx5_ib_alloc_ucontext_resp resp = {
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
		.response_length = sim_attr_fit(call, id, sizeof(resp)),
	};

	return sim_attr_put(call, id, &resp, sizeof(resp));
}

/* mlx5_ib_alloc_ucontext() */
static int mlx5_get_context(struct sim_call *call)
{
	const size_t least = offsetof(struct mlx5_ib_alloc_ucontext_req_v2, max_cqe_version);
	struct mlx5_ib_alloc_ucontext_req_v2 req = { 0 };
	size_t length;
	const void *in = sim_attr_data(call, UVERBS_ATTR_UHW_IN, &length);

	if (length != sizeof(struct mlx5_ib_alloc_ucontext_req) && length < least)
		return -EINVAL;
	memcpy(&req, in, length < sizeof(req) ? length : sizeof(req));
	if (req.flags & ~(uint32_t)MLX5_IB_ALLOC_UCTX_DEVX || req.comp_mask || req.reserved0 ||
	    req.reserved1 || req.reserved2)
		return -EOPNOTSUPP;
	/* static UARs, as libraries before rdma-core 28 want them, are not modelled */
	if (!(req.lib_caps & MLX5_LIB_CAP_DYN_UAR))
		return -EOPNOTSUPP;
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
	const struct mlx5_ib_query_device_resp resp = {
		.response_length = sim_attr_fit(call, UVERBS_ATTR_UHW_OUT, sizeof(resp)),
	};
	struct ib_uverbs_attr *out = sim_attr(call, UVERBS_ATTR_UHW_OUT);
	const size_t least = offsetof(struct mlx5_ib_query_device_resp, tso_caps);

	if (out && out->len && out->len < least)
		return -EINVAL;
	if (!sim_attr_is_zero(call, UVERBS_ATTR_UHW_IN, 0))
		return sim_has_change(call->table->kernel, SIM_UDATA) ? -EOPNOTSUPP : -EINVAL;
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
static int mlx5_alloc_pd(struct sim_call *call)
{
	struct mlx5_ib_alloc_pd_resp resp = { .pdn = pdn_of(call->created) };
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

	return SIM_COPY(call, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, pdn);
}

/* ---- DEVX and Data Direct (devx.c, data_direct.c) -------------------------------------------- */

/* devx.c MLX5_IB_METHOD_DEVX_OTHER: no firmware command but QUERY_HCA_CAP */
int sim_mlx5_devx_other(struct sim_call *call)
{
	const uint8_t *in;
	/* status and syndrome, then struct mlx5_ifc_cmd_hca_cap_bits with this capability alone */
	const uint8_t out[48] = { [16 + RELAXED_ORDERING_WRITE / 8] = 0x80 };
	size_t length;
	int rc = sim_need_context(call->table);

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
	int rc = sim_need_context(call->table);

	if (!rc && !getenv(MR_SIM_DATA_DIRECT_VARIABLE))
		rc = -ENODEV;
	if (!rc && out->len < sizeof(path))
		rc = -ENOSPC;
	return rc ? rc : sim_attr_copy(call, SIM_ATTR_DATA_DIRECT_PATH, path, sizeof(path));
}

/* ---- queues (cq.c, srq.c, qp.c) -------------------------------------------------------------- */

#define SEND_WQE_SHIFT 6 /* ilog2(MLX5_SEND_WQE_BB) */
#define DATA_SEGMENT   16u
#define NEXT_SEGMENT   16u /* sizeof(struct mlx5_wqe_srq_next_seg) */
#define LEAST_SRQ_WQE  32u
#define MAX_WQES       (1u << 15) /* log_max_qp_sz, log_max_srq_sz */
#define NO_USER_INDEX  0xffffffu  /* MLX5_IB_DEFAULT_UIDX */

/* Flags of QPs that change nothing here; the others are of types and offloads that are not modelled. */
#define KNOWN_FLAGS                                                                                \
	(MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE | MLX5_QP_FLAG_BFREG_INDEX |    \
	 MLX5_QP_FLAG_UAR_PAGE_INDEX)

static struct sim_ring new_ring(uint64_t start, uint32_t count, uint32_t shift)
{
	return (struct sim_ring){
		.start = start, .size = (uint64_t)count << shift, .count = count, .shift = shift
	};
}

/* ib_umem_get() of a buffer, and mlx5_ib_db_map_user(): all queues of a process share the page of their doorbells. */
static int pin(struct sim_call *call, struct sim_queue_request *request, uint64_t addr,
	       uint64_t length, uint32_t access, uint64_t doorbell)
{
	const enum mr_sim_kernel kernel = call->table->kernel;
	struct sim_queue *queue = &request->queue;
	uint32_t page = 0;
	int rc;

	queue->owner = getpid();
	queue->doorbell_page = sim_round_down(doorbell, sim_page_size());
	queue->pins_doorbell = !sim_doorbell_sharer(call->table, queue);
	sim_call_unlock(call);
	rc = length ? sim_umem_pin(kernel, addr, length, access, &request->pinned) : 0;
	if (!rc && queue->pins_doorbell) {
		rc = sim_umem_pin(kernel, queue->doorbell_page, sim_page_size(), 0, &page);
		if (rc)
			sim_account_cancel(request->pinned);
	}
	request->pinned += page;
	return sim_call_relock(call, rc, request->pinned);
}

/* mlx5_ib_create_cq(), create_cq_user() */
static int create_cq(struct sim_call *call, struct sim_queue_request *request)
{
	const uint32_t max = (uint32_t)call->profile->attributes.max_cqe;
	struct sim_cq *cq = &request->queue.cq;
	struct mlx5_ib_create_cq cmd;
	uint64_t count;
	int rc;

	if (!cq->cqe || cq->cqe > max)
		return -EINVAL;
	rc = sim_call_data(call, &cmd, sizeof(cmd), offsetof(struct mlx5_ib_create_cq, flags));
	if (rc)
		return rc;
	if (cmd.cqe_size != 64 && cmd.cqe_size != 128)
		return -EINVAL;
	count = sim_round_up_to_power((uint64_t)cq->cqe + 1);
	cq->cqe = (uint32_t)count - 1;
	cq->ring = new_ring(cmd.buf_addr, (uint32_t)count, cmd.cqe_size == 64 ? 6 : 7);
	cq->doorbell = cmd.db_addr;
	sim_mlx5_disarm(cq);
	return pin(call, request, cmd.buf_addr, cq->ring.size, IB_UVERBS_ACCESS_LOCAL_WRITE,
		   cmd.db_addr);
}

/* mlx5_ib_create_srq(), create_srq_user() */
static int create_srq(struct sim_call *call, struct sim_queue_request *request)
{
	struct sim_srq *srq = &request->queue.srq;
	struct ib_uverbs_query_srq_resp *attr = &srq->attr;
	struct mlx5_ib_create_srq cmd;
	uint64_t size;
	int rc;

	if (attr->max_wr >= MAX_WQES ||
	    attr->max_sge > (uint32_t)call->profile->attributes.max_srq_sge)
		return -EINVAL;
	rc = sim_call_data(call, &cmd, sizeof(cmd), offsetof(struct mlx5_ib_create_srq, flags));
	if (!rc && (cmd.reserved0 || cmd.reserved1))
		rc = -EINVAL;
	if (rc)
		return rc;
	size = sim_round_up_to_power(NEXT_SEGMENT + attr->max_sge * DATA_SEGMENT);
	if (size < LEAST_SRQ_WQE)
		size = LEAST_SRQ_WQE;
	srq->ring = new_ring(cmd.buf_addr, (uint32_t)sim_round_up_to_power(attr->max_wr + 1),
			     (uint32_t)__builtin_ctzll(size));
	srq->doorbell = cmd.db_addr;
	attr->max_wr = srq->ring.count - 1;
	return pin(call, request, cmd.buf_addr, srq->ring.size, 0, cmd.db_addr);
}

/* get_qp_user_index(): with version 1 of CQEs the program numbers its QPs */
static int set_user_index(const struct sim_call *call, const struct mlx5_ib_create_qp *cmd,
			  struct sim_qp *qp)
{
	qp->user_index = NO_USER_INDEX;
	if (!call->table->header->cqe_version)
		return cmd->uidx == NO_USER_INDEX ? 0 : -EINVAL;
	if (cmd->uidx >= NO_USER_INDEX)
		return -EINVAL;
	qp->user_index = cmd->uidx;
	return 0;
}

/* create_user_qp(), set_rq_size(), set_user_buf_size() */
static int create_qp(struct sim_call *call, struct sim_queue_request *request)
{
	const size_t least = offsetof(struct mlx5_ib_create_qp, bfreg_index);
	const bool has_rq = request->queue.qp.srq == SIM_NO_HANDLE;
	struct sim_qp *qp = &request->queue.qp;
	struct mlx5_ib_create_qp cmd;
	int rc = sim_call_data(call, &cmd, sizeof(cmd), least);

	/* multicast is not modelled, and so nothing blocks its loopback */
	if (!rc && (cmd.flags & ~(uint32_t)KNOWN_FLAGS ||
		    request->flags & ~(uint32_t)IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK))
		rc = -EOPNOTSUPP;
	if (!rc)
		rc = set_user_index(call, &cmd, qp);
	if (rc)
		return rc;
	if (request->cap.max_recv_wr > MAX_WQES || cmd.sq_wqe_count > MAX_WQES ||
	    (cmd.sq_wqe_count & (cmd.sq_wqe_count - 1)) || cmd.rq_wqe_count > MAX_WQES ||
	    cmd.rq_wqe_shift > 31)
		return -EINVAL;
	if (!has_rq) {
		if (cmd.rq_wqe_count || cmd.rq_wqe_shift)
			return -EINVAL;
		request->cap.max_recv_wr = request->cap.max_recv_sge = 0;
	}
	qp->rq = new_ring(cmd.buf_addr, cmd.rq_wqe_count, cmd.rq_wqe_shift);
	qp->sq = new_ring(cmd.buf_addr + qp->rq.size, cmd.sq_wqe_count, SEND_WQE_SHIFT);
	qp->doorbell = cmd.db_addr;
	/* mlx5_ib_query_qp(): programs know the limits of sending */
	qp->attr.max_recv_wr = cmd.rq_wqe_count;
	qp->attr.max_recv_sge = has_rq ? (1u << cmd.rq_wqe_shift) / DATA_SEGMENT : 0;
	return pin(call, request, cmd.buf_addr, cmd.buf_addr ? qp->rq.size + qp->sq.size : 0, 0,
		   cmd.db_addr);
}

static int mlx5_create_queue(struct sim_call *call, struct sim_queue_request *request)
{
	return request->type == UVERBS_OBJECT_CQ    ? create_cq(call, request)
	       : request->type == UVERBS_OBJECT_SRQ ? create_srq(call, request)
						    : create_qp(call, request);
}

/* Numbers of CQs and SRQs follow from their handles: sim_create_queue(). */
static int mlx5_answer_queue(const struct sim_call *call, const struct sim_queue_request *request)
{
	const struct mlx5_ib_create_cq_resp resp = { .cqn = call->created + 1 };
	const struct mlx5_ib_create_qp_resp qp = { 0 }; /* of programs with UARs of their own */

	_Static_assert(sizeof(resp) == sizeof(struct mlx5_ib_create_srq_resp), "CQN or SRQN");
	return request->type == UVERBS_OBJECT_QP ? SIM_PUT(call, UVERBS_ATTR_UHW_OUT, qp)
						 : SIM_PUT(call, UVERBS_ATTR_UHW_OUT, resp);
}

/* mlx5_ib_modify_qp(), __mlx5_ib_modify_qp() */
static int mlx5_check_qp(const struct sim_call *call, const struct ib_uverbs_modify_qp *cmd,
			 uint8_t from, uint8_t to)
{
	const struct ib_uverbs_query_device_resp *limits = &call->profile->attributes;
	const uint32_t mask = cmd->attr_mask;

	/* the driver has no command that drains the send queue */
	if (to == IBV_QPS_SQD || from == IBV_QPS_SQD)
		return to == IBV_QPS_RESET || to == IBV_QPS_ERR ? 0 : -EINVAL;
	if ((mask & IBV_QP_PKEY_INDEX && cmd->pkey_index >= limits->max_pkeys) ||
	    (mask & IBV_QP_MAX_QP_RD_ATOMIC && cmd->max_rd_atomic > limits->max_qp_init_rd_atom) ||
	    (mask & IBV_QP_MAX_DEST_RD_ATOMIC &&
	     cmd->max_dest_rd_atomic > limits->max_qp_rd_atom) ||
	    (mask & IBV_QP_PATH_MTU &&
	     (cmd->path_mtu < IBV_MTU_256 || cmd->path_mtu > IBV_MTU_4096)))
		return -EINVAL;
	return 0;
}

/* mlx5_ib_modify_srq() */
static int mlx5_modify_srq(const struct sim_call *call, struct sim_srq *srq,
			   const struct ib_uverbs_modify_srq *cmd)
{
	(void)call;
	return cmd->attr_mask & IBV_SRQ_MAX_WR ? -EINVAL : sim_set_srq_limit(srq, cmd);
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
	.node_guid = SIM_MLX5_GUID,
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
	.create_queue = mlx5_create_queue,
	.answer_queue = mlx5_answer_queue,
	.check_qp = mlx5_check_qp,
	.modify_srq = mlx5_modify_srq,
	.make_key = sim_mlx5_make_key,
	.mmap = sim_mlx5_mmap,
};
