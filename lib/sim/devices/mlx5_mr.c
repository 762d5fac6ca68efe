// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory regions of the profile mlx5: hw/mlx5/mr.c, and hw/mlx5/odp.c for on-demand paging. */
#include <errno.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/sim/base/environment.h"
#include "lib/sim/devices/mlx5_mr.h"
#include "lib/sim/memory/pin.h"
#include "lib/sim/state/account.h"
#include "lib/sim/state/keys.h"

#define BLOCK_SHIFT      12 /* log2 of the bytes of the blocks that keys are for */
#define HUGE_BLOCK_SHIFT 21 /* the same with on-demand paging of huge pages */
#define IMPLICIT_ORDER   (64 - BLOCK_SHIFT)
#define LEAST_ORDER      2    /* of the keys of kernels without SIM_SMALL_KEYS */
#define FIRST_KEY_INDEX  0x11 /* the driver keeps lower ones to itself */

/* The variants of keys: that of order 0 without a DMA handle, and what one with a DMA handle adds. */
#define FIRST_VARIANT 4
#define VARIANT_DMAH  64

/* log2, rounded up, of the number of blocks that a range lies in. */
static uint32_t order_of(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, uint32_t shift)
{
	uint64_t first = addr >> shift, last = (addr + length - 1) >> shift;
	uint32_t order = last == first ? 0 : 64 - (uint32_t)__builtin_clzll(last - first);

	return order < LEAST_ORDER && !sim_has_change(kernel, SIM_SMALL_KEYS) ? LEAST_ORDER : order;
}

static void set_variant(struct sim_mr_request *request)
{
	const bool huge = request->flags & SIM_MR_ODP && request->access & IB_UVERBS_ACCESS_HUGETLB;
	uint32_t order;

	if (request->flags & SIM_MR_ODP && sim_mr_is_implicit(request->addr, request->length))
		order = IMPLICIT_ORDER;
	else
		order = order_of(request->kernel, request->addr, request->length,
				 huge ? HUGE_BLOCK_SHIFT : BLOCK_SHIFT);
	request->key_variant =
		(uint8_t)(FIRST_VARIANT + order + (request->has_dmah ? VARIANT_DMAH : 0));
	if (request->flags & SIM_MR_DATA_DIRECT)
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
	request->flags |= SIM_MR_ODP;
	request->owner = getpid();
	if (sim_mr_is_implicit(request->addr, request->length)) {
		/* mlx5_ib_alloc_implicit_mr(), ib_umem_odp_alloc_implicit() */
		if (request->iova || request->access & IB_UVERBS_ACCESS_HUGETLB)
			return -EINVAL;
		return 0;
	}
	return sim_umem_check_odp(request->kernel, request->addr, request->length, request->access);
}

/* mlx5_ib_reg_user_mr_dmabuf() */
static int reg_dmabuf(struct sim_mr_request *request)
{
	const uint64_t offset = sim_page_offset(request->iova);
	int rc;

	if (request->data_direct && offset)
		return -EOPNOTSUPP;
	if (request->data_direct && !sim_has_data_direct())
		return -EINVAL;
	request->flags |= SIM_MR_DMABUF;
	if (request->data_direct)
		request->flags |= SIM_MR_DATA_DIRECT;
	rc = sim_dmabuf_get(request->fd, request->addr, request->length, &request->dmabuf);
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

	if (!sim_same_page_offset(request->addr, request->iova))
		return false;
	return !sim_has_change(request->kernel, SIM_IOVA_END) ||
	       (request->length &&
		!__builtin_add_overflow(request->iova, request->length - 1, &last));
}

/* mlx5_ib_reg_user_mr(), mlx5_ib_reg_user_mr_dmabuf(); the memory is not pinned if it fails */
static int get_memory(struct sim_mr_request *request)
{
	int rc;

	if (request->has_dmah && request->access & IB_UVERBS_ACCESS_ON_DEMAND)
		return -EOPNOTSUPP;
	request->flags = sim_access_writable(request->access) ? SIM_MR_WRITABLE : 0;
	if (request->has_dmah)
		request->flags |= SIM_MR_DMAH;
	if (request->is_dmabuf)
		return reg_dmabuf(request);
	if (request->access & IB_UVERBS_ACCESS_ON_DEMAND)
		return reg_odp(request);
	rc = sim_umem_pin(request->kernel, request->addr, request->length, request->access,
			  &request->pinned);
	if (rc)
		return rc;
	if (!has_page_size(request)) {
		sim_account_cancel(request->pinned);
		return -EINVAL;
	}
	request->key_pages = key_pages_for(request->kernel, request->pinned);
	return 0;
}

int sim_mlx5_reg_mr(struct sim_mr_request *request)
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
uint32_t sim_mlx5_make_key(struct sim_table *table, uint8_t variant)
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
	request->addr = rereg->given_addr;
	request->length = rereg->given_length;
	request->iova = rereg->given_iova;
	rereg->translate = true;
	rereg->new_key = true;
	return sim_mlx5_reg_mr(request);
}

/* mlx5_ib_rereg_user_mr() */
int sim_mlx5_rereg_mr(struct sim_rereg *rereg)
{
	struct sim_mr_request *request = &rereg->request;
	const struct sim_object *old = &rereg->old;
	bool plain = !(old->flags & (SIM_MR_ODP | SIM_MR_DMABUF));
	bool in_place = can_change_access(old->access, request->access);
	int rc;

	if (old->flags & (SIM_MR_DATA_DIRECT | SIM_MR_DMAH))
		return -EOPNOTSUPP;
	if (old->flags & SIM_MR_ODP && sim_mr_is_implicit(old->addr, old->length) &&
	    !rereg->translate) {
		if (!(request->access & IB_UVERBS_ACCESS_ON_DEMAND))
			return -EOPNOTSUPP;
		rereg->translate = true;
	}
	if (!rereg->translate && !in_place && !plain)
		return make_anew(rereg);
	if (!rereg->translate) {
		rereg->new_key = !in_place;
		set_variant(request);
		request->key_pages = key_pages_for(request->kernel, old->pinned);
		return 0;
	}
	rc = sim_mlx5_reg_mr(request);
	rereg->new_key = !in_place || !plain || request->flags & SIM_MR_ODP ||
			 request->pinned > old->key_pages;
	return rc;
}

/* get_prefetchable_mr(): MRs with pinned pages count as not found */
int sim_mlx5_check_prefetch(const struct sim_advice *advice, const struct sim_object *mr)
{
	/* Regions of Data Direct are pinned, and not among those with paging (mlx5r_store_odp_mkey()). */
	if (!mr || !(mr->flags & (SIM_MR_ODP | SIM_MR_DMABUF)) || mr->flags & SIM_MR_DATA_DIRECT)
		return -ENOENT;
	return mr->parent != advice->pd || sim_advice_lacks_access(advice, mr) ? -EPERM : 0;
}

/* pagefault_real_mr(): a part may reach to the end of the last page of the MR */
int sim_mlx5_prefetch_address(const struct sim_object *mr, const struct ib_uverbs_sge *part,
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
