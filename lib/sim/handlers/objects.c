// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Contexts, what they report of the device and its port, and objects other than MRs and queues. */
#include <endian.h>
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
#include "lib/sim/path/path.h"
#include "lib/sim/state/state.h"

/* ---- context ------------------------------------------------------------------------------- */

/* GET_CONTEXT and QUERY_CONTEXT number these two alike */
_Static_assert((int)UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS ==
		       (int)UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
	       "attributes");
_Static_assert((int)UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT ==
		       (int)UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT,
	       "attributes");

static int put_context_answer(struct sim_call *call)
{
	const uint64_t support = getenv(MR_SIM_NO_OPTIONAL_ACCESS_VARIABLE)
					 ? 0
					 : IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;
	const uint32_t vectors = SIM_COMP_VECTORS;

	return SIM_PUT(call, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, vectors)
		       ?: SIM_PUT(call, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, support);
}

/* uverbs_std_types_device.c UVERBS_METHOD_GET_CONTEXT: an open file can have one context */
int sim_get_context(struct sim_call *call)
{
	int rc = put_context_answer(call);

	if (!rc && call->table->header->has_context)
		rc = -EINVAL;
	if (!rc && call->profile->get_context)
		rc = call->profile->get_context(call);
	if (!rc)
		call->table->header->has_context = true;
	return rc;
}

/* uverbs_std_types_device.c UVERBS_METHOD_QUERY_CONTEXT: the answer to GET_CONTEXT once more */
int sim_query_context(struct sim_call *call)
{
	int rc = sim_need_context(call->table);

	if (!rc && !call->profile->query_context)
		rc = -EOPNOTSUPP;
	if (!rc)
		rc = put_context_answer(call);
	return rc ? rc : call->profile->query_context(call);
}

/*
 * uverbs_std_types_device.c UVERBS_METHOD_INFO_HANDLES: the handles of a type, the newest first, as many
 * as fit into the caller's list, and their number.
 */
int sim_info_handles(struct sim_call *call)
{
	const struct sim_table *table = call->table;
	const struct ib_uverbs_attr *list = sim_attr(call, UVERBS_ATTR_INFO_HANDLES_LIST);
	uint64_t type = sim_attr_number(call, UVERBS_ATTR_INFO_OBJECT_ID);
	uint32_t handles[UINT16_MAX / sizeof(uint32_t)], count = 0;
	const uint32_t room = list ? list->len / (uint32_t)sizeof(*handles) : 0;
	const struct sim_object *object;
	int rc;

	if (!list || list->len % sizeof(*handles) || type > UINT16_MAX)
		return -EINVAL;
	if (type == UINT16_MAX) /* UVERBS_IDR_ANY_OBJECT */
		return -ENOMSG;
	if (!sim_is_object_type(call, (uint16_t)type))
		return -ENOENT;
	/* These objects live until their own descriptors are closed, which the simulator cannot see. */
	if (type == UVERBS_OBJECT_ASYNC_EVENT)
		return -EOPNOTSUPP;
	for (object = sim_object_newest(table); object && count < room;
	     object = sim_object_older(table, object))
		if (object->type == type)
			handles[count++] = sim_object_handle(table, object);
	rc = sim_attr_copy(call, UVERBS_ATTR_INFO_HANDLES_LIST, handles, count * sizeof(*handles));
	return rc ?: SIM_COPY(call, UVERBS_ATTR_INFO_TOTAL_HANDLES, count);
}

/* ---- device -------------------------------------------------------------------------------- */

static struct ib_uverbs_query_device_resp device_attributes(const struct sim_profile *profile)
{
	struct ib_uverbs_query_device_resp resp = profile->attributes;

	resp.node_guid = htobe64(profile->node_guid);
	resp.sys_image_guid = resp.node_guid;
	return resp;
}

int sim_write_query_device(struct sim_call *call)
{
	const struct ib_uverbs_query_device_resp resp = device_attributes(call->profile);
	struct ib_uverbs_query_device cmd;
	int rc = sim_need_context(call->table);

	if (!rc)
		rc = sim_write_request(call, &cmd, sizeof(cmd));
	return rc ?: SIM_PUT(call, UVERBS_ATTR_CORE_OUT, resp);
}

int sim_write_query_device_ex(struct sim_call *call)
{
	const struct sim_profile *profile = call->profile;
	struct ib_uverbs_ex_query_device_resp resp = {
		.base = device_attributes(profile),
		.odp_caps = sim_odp_caps(call),
		.xrc_odp_caps = profile->xrc_odp,
		.max_dm_size = profile->max_dm_size,
		.response_length = sim_attr_fit(call, UVERBS_ATTR_CORE_OUT, sizeof(resp)),
	};
	struct ib_uverbs_ex_query_device cmd;
	int rc = sim_need_context(call->table);

	if (!rc)
		rc = sim_write_request(call, &cmd, sizeof(cmd));
	if (!rc && (cmd.comp_mask || cmd.reserved))
		rc = -EINVAL;
	if (!rc)
		rc = profile->query_device(call);
	if (rc)
		return rc;
	resp.device_cap_flags_ex = resp.base.device_cap_flags;
	if (sim_has_change(call->table->kernel, SIM_ACCESS_CAPS))
		resp.device_cap_flags_ex |= profile->flush_capabilities;
	return SIM_PUT(call, UVERBS_ATTR_CORE_OUT, resp);
}

/* ---- port ---------------------------------------------------------------------------------- */

int sim_query_port(struct sim_call *call)
{
	const struct ib_uverbs_query_port_resp_ex resp = {
		.legacy_resp = call->profile->port,
	};
	uint64_t port = sim_attr_number(call, UVERBS_ATTR_QUERY_PORT_PORT_NUM);
	int rc = sim_need_context(call->table);

	if (!rc && !sim_has_port(call->profile, port))
		rc = -EINVAL;
	return rc ?: SIM_PUT(call, UVERBS_ATTR_QUERY_PORT_RESP, resp);
}

static struct ib_uverbs_gid_entry only_gid(const struct sim_profile *profile)
{
	return (struct ib_uverbs_gid_entry){
		.gid = { htobe64(SIM_GID_PREFIX), htobe64(profile->node_guid + 1) },
		.port_num = 1,
		.gid_type = profile->gid_type,
	};
}

/* uverbs_std_types_device.c UVERBS_METHOD_QUERY_GID_TABLE: the buffer must hold whole entries */
int sim_query_gid_table(struct sim_call *call)
{
	const struct ib_uverbs_gid_entry entry = only_gid(call->profile);
	struct ib_uverbs_attr *entries = sim_attr(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES);
	uint64_t size = sim_attr_number(call, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE), count = 1;
	uint32_t flags;
	int rc = sim_attr_flags(call, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0, &flags);

	if (!rc && (!size || !entries->len || entries->len % size))
		rc = -EINVAL;
	if (!rc)
		rc = sim_need_context(call->table);
	if (!rc)
		rc = sim_attr_put(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, &entry,
				  size < sizeof(entry) ? size : sizeof(entry));
	return rc ?: SIM_PUT(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, count);
}

int sim_query_gid_entry(struct sim_call *call)
{
	const struct ib_uverbs_gid_entry entry = only_gid(call->profile);
	uint64_t port = sim_attr_number(call, UVERBS_ATTR_QUERY_GID_ENTRY_PORT);
	uint64_t index = sim_attr_number(call, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX);
	uint32_t flags;
	int rc = sim_attr_flags(call, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0, &flags);

	if (!rc)
		rc = sim_need_context(call->table);
	if (!rc && (!sim_has_port(call->profile, port) ||
		    index >= (uint64_t)call->profile->port.gid_tbl_len))
		rc = -EINVAL;
	if (!rc && index)
		rc = -ENODATA;
	return rc ?: SIM_PUT(call, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, entry);
}

/* ---- objects ------------------------------------------------------------------------------- */

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
	int rc = sim_write_request(call, &cmd, sizeof(cmd))
			 ?: sim_call_create(call, UVERBS_OBJECT_MW, NULL)
			 ?: sim_object_find(call->table, UVERBS_OBJECT_PD, cmd.pd_handle, &pd);

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
	int rc = sim_write_request(call, &cmd, sizeof(cmd))
			 ?: sim_call_create(call, UVERBS_OBJECT_PD, NULL);

	if (!rc && call->profile->alloc_pd)
		rc = call->profile->alloc_pd(call);
	/* The answer is the handle alone: struct ib_uverbs_alloc_pd_resp. */
	return rc ?: SIM_PUT(call, UVERBS_ATTR_CORE_OUT, call->created);
}
