// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <linux/capability.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/call/call.h"
#include "lib/sim/handlers/handlers.h"
#include "lib/sim/memory/memory.h"
#include "lib/sim/state/state.h"

#define ADAPTER_PAGE_SHIFT 12
#define HUGE_PAGE_SHIFT    21

struct umem {
	struct sim_object object; /* addr: of the memory, or bytes from the start of the dma-buf */
	uint64_t page_sizes;      /* that the caller allows: bit i: 2^i bytes */
	bool is_dmabuf;
	int fd;
};

/* A mask of the bits from @low to @high. */
static uint64_t bits(uint32_t high, uint32_t low)
{
	return UINT64_MAX >> (63 - high) & UINT64_MAX << low;
}

/*
 * devx_umem_find_best_pgsize(), ib_umem_find_best_pgsz(): whether a page size that the caller allows fits.
 * Sizes up to that of the machine's pages do.  A larger one must not exceed the pieces, unless the memory
 * lies in a single piece.
 */
static bool has_page_size(const struct umem *umem, bool scattered)
{
	uint32_t shift = (uint32_t)__builtin_ctzll(sim_page_size()), piece = ADAPTER_PAGE_SHIFT;
	uint32_t order = umem->object.length > 1
				 ? 64 - (uint32_t)__builtin_clzll(umem->object.length - 1)
				 : 0;
	uint64_t sizes = umem->page_sizes;

	/* sim_umem_pin() lets a length of 0 pass where the address is not at the start of a page */
	if (!umem->object.length)
		return false;
	sizes &= bits(order > shift ? (order > 63 ? 63 : order) : shift, ADAPTER_PAGE_SHIFT);
	if (!sizes || sizes & bits(shift, ADAPTER_PAGE_SHIFT))
		return sizes;
	/*
	 * log2 of the bytes of the contiguous pieces that the memory consists of.  The kernel would join pieces
	 * that are neighbours in physical memory, which programs cannot find out.
	 */
	if (umem->is_dmabuf && !scattered)
		piece = 63;
	else if (!umem->is_dmabuf && sim_umem_is_huge(umem->object.addr, umem->object.length))
		piece = HUGE_PAGE_SHIFT;
	return umem->object.addr >> piece ==
		       (umem->object.addr + umem->object.length - 1) >> piece ||
	       sizes & bits(piece, ADAPTER_PAGE_SHIFT);
}

static int get_umem(enum mr_sim_kernel kernel, struct umem *umem)
{
	struct sim_dmabuf dmabuf = { .scattered = true };
	int rc = umem->is_dmabuf
			 ? sim_dmabuf_get(umem->fd, umem->object.addr, umem->object.length, &dmabuf)
			 : sim_umem_pin(kernel, umem->object.addr, umem->object.length,
					umem->object.access, &umem->object.pinned);

	/* ib_umem_dmabuf_get_pinned(), uverbs_dmabuf_pin(): exported dma-bufs cannot be pinned */
	if (!rc && dmabuf.export.table)
		rc = -EOPNOTSUPP;
	if (rc || has_page_size(umem, dmabuf.scattered))
		return rc;
	sim_account_cancel(umem->object.pinned);
	return -EINVAL;
}

int sim_mlx5_umem_reg(struct sim_call *call)
{
	const struct ib_uverbs_attr *fd = sim_attr(call, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD);
	const struct ib_uverbs_attr *sizes = sim_attr(call, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP);
	struct umem umem = {
		.object.parent = SIM_NO_HANDLE,
		.object.addr = sim_attr_number(call, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR),
		.object.length = sim_attr_number(call, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN),
		.page_sizes = sizes ? sizes->data : UINT64_MAX,
		.is_dmabuf = fd,
		.fd = fd ? (int)fd->data_s64 : -1,
	};
	const uint32_t allowed = IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |
				 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_RELAXED_ORDERING;
	uint32_t id;
	int rc;

	if (!call->table->header->has_devx)
		return -EINVAL;
	rc = sim_attr_flags(call, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, allowed, &umem.object.access)
		     ?: sim_access_check(call, umem.object.access);
	if (rc)
		return rc;
	sim_call_unlock(call);
	rc = get_umem(call->table->kernel, &umem);
	rc = sim_call_relock(call, rc, umem.object.pinned);
	if (rc)
		return rc;
	id = ++call->table->header->umem_id;
	rc = SIM_COPY(call, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, id);
	if (rc) {
		sim_account_cancel(umem.object.pinned);
		return rc;
	}
	umem.object.key = id;
	umem.object.mm = sim_account_commit(call->table, umem.object.pinned);
	call->table->objects[call->created] = umem.object;
	return 0;
}

/* Answer the first page, from which libraries compute the offset for mmap(), and where the DM begins in it. */
static int put_page_index(struct sim_call *call, uint16_t page_id, uint16_t offset_id,
			  uint64_t first)
{
	const uint16_t page = (uint16_t)first;
	const uint64_t offset = 0;

	return SIM_COPY(call, page_id, page) ?: SIM_COPY(call, offset_id, offset);
}

int sim_mlx5_alloc_dm(struct sim_call *call)
{
	const struct ib_uverbs_attr *type = sim_attr(call, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE);
	const uint64_t length = sim_attr_number(call, UVERBS_ATTR_ALLOC_DM_LENGTH);
	const uint32_t alignment = (uint32_t)sim_attr_number(call, UVERBS_ATTR_ALLOC_DM_ALIGNMENT);
	struct sim_object *dm = call->object;
	uint64_t first;
	int rc;

	if (type && type->data > UINT32_MAX)
		return -EINVAL;
	/*
	 * check_dm_type_support(): the other types are memory for steering tables, which are not modelled, and
	 * not for everybody
	 */
	if (type && type->data != MLX5_IB_UAPI_DM_TYPE_MEMIC)
		return type->data <= (sim_has_change(call->table->kernel, SIM_DM_ENCAP) ? 4 : 3) &&
				       !(sim_is_capable(CAP_SYS_RAWIO) &&
					 sim_is_capable(CAP_NET_RAW))
			       ? -EPERM
			       : -EOPNOTSUPP;
	rc = sim_dm_allocate(call->table, length, alignment, &first);
	if (!rc)
		rc = put_page_index(call, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX,
				    MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, first);
	if (rc)
		return rc;
	dm->parent = SIM_NO_HANDLE;
	dm->addr = first;
	dm->length = length;
	dm->iova = sim_random();
	return 0;
}

int sim_mlx5_query_dm(struct sim_call *call)
{
	const struct sim_object *dm = call->object;

	return put_page_index(call, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX,
			      MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, dm->addr)
		       ?: SIM_COPY(call, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, dm->length);
}

#define PH_BITS 3u /* PCIe has processing hints of two bits */

/* nr_cpu_ids, current->cpus_ptr */
static int check_cpu(uint32_t cpu)
{
	const long configured = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t allowed;

	if (configured > 0 && cpu >= (unsigned long)configured)
		return -EINVAL;
	if (cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(allowed), &allowed))
		return 0; /* of a machine too large for the set it is not known */
	return CPU_ISSET(cpu, &allowed) ? 0 : -EPERM;
}

int sim_mlx5_alloc_dmah(struct sim_call *call)
{
	const struct ib_uverbs_attr *cpu = sim_attr(call, SIM_ATTR_ALLOC_DMAH_CPU_ID);
	const struct ib_uverbs_attr *memory = sim_attr(call, SIM_ATTR_ALLOC_DMAH_MEMORY);
	const struct ib_uverbs_attr *ph = sim_attr(call, SIM_ATTR_ALLOC_DMAH_PH);
	int rc = cpu ? check_cpu((uint32_t)cpu->data) : 0;

	if (rc)
		return rc;
	/* mlx5 needs a processing hint, and a CPU and a kind of memory go together */
	if (!ph || (uint8_t)ph->data & ~PH_BITS || !cpu != !memory)
		return -EINVAL;
	call->object->parent = SIM_NO_HANDLE;
	return 0;
}

/* ib_uverbs_alloc_mw(); mlx5_ib_alloc_mw() and rxe_alloc_mw() take both types */
int sim_write_alloc_mw(struct sim_call *call)
{
	struct ib_uverbs_alloc_mw_resp resp;
	struct ib_uverbs_alloc_mw cmd;
	struct sim_object *pd;
	int rc = sim_write_request(call, &cmd, sizeof(cmd));

	if (!rc)
		rc = sim_call_create(call, UVERBS_OBJECT_MW, NULL);
	if (!rc)
		rc = sim_object_find(call->table, UVERBS_OBJECT_PD, cmd.pd_handle, &pd);
	if (!rc && cmd.mw_type != IBV_MW_TYPE_1 && cmd.mw_type != IBV_MW_TYPE_2)
		rc = -EINVAL;
	if (rc)
		return rc;
	call->object->parent = cmd.pd_handle;
	call->object->key = call->profile->make_key(call->table, SIM_KEY_OF_DEVICE);
	resp = (struct ib_uverbs_alloc_mw_resp){ .mw_handle = call->created,
						 .rkey = call->object->key };
	return SIM_PUT(call, UVERBS_ATTR_CORE_OUT, resp);
}

int sim_write_alloc_pd(struct sim_call *call)
{
	struct ib_uverbs_alloc_pd cmd;
	int rc = sim_write_request(call, &cmd, sizeof(cmd));

	if (!rc)
		rc = sim_call_create(call, UVERBS_OBJECT_PD, NULL);
	if (!rc && call->profile->alloc_pd)
		rc = call->profile->alloc_pd(call);
	/* The answer is the handle alone: struct ib_uverbs_alloc_pd_resp. */
	return rc ?: SIM_PUT(call, UVERBS_ATTR_CORE_OUT, call->created);
}
