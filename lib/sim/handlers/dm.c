// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory on the device: uverbs_std_types_dm.c, hw/mlx5/dm.c.  A piece is in whole pages, all of
 * which count for this context alone: no table knows what the others have.  They are pages of the
 * table's file, so that whoever maps a piece, in whatever process, finds the same memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "lib/sim/base/abi.h"

#define BAR_OFFSET      0x1fc0000u /* of the memory, in the device's BAR */
#define PAGE_SHIFT      12
#define PAGES           (SIM_DM_SIZE >> PAGE_SHIFT)
#define UNIT            64u /* MLX5_MEMIC_BASE_SIZE: lengths are in these */
#define LEAST_ALIGNMENT 6u  /* MLX5_MEMIC_BASE_ALIGN */
#define MOST_ALIGNMENT  12u
#define DM_MR_ACCESS                                                                               \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                            \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                           \
	 IB_UVERBS_ACCESS_ZERO_BASED)

/* as wide as the driver's: what is much too long may be short again */
static uint32_t pages_of(uint64_t length)
{
	return (uint32_t)((length + (1u << PAGE_SHIFT) - 1) >> PAGE_SHIFT);
}

static uint64_t mask_of(uint64_t first, uint64_t count)
{
	return (count == PAGES ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

/*
 * Pages stay as long as somebody has them mapped, who is not known here, or a region is on a
 * dma-buf of them: mlx5_ib_dm_mmap_free().
 */
static uint64_t used_pages(const struct sim_table *table)
{
	uint64_t used = 0;
	uint32_t handle;

	for (handle = table->header->newest; handle != SIM_NO_HANDLE;
	     handle = table->objects[handle].older) {
		const struct sim_object *object = &table->objects[handle];

		if (object->type == UVERBS_OBJECT_DM)
			used |= mask_of(object->addr, pages_of(object->length));
		else if (object->type == UVERBS_OBJECT_MR && object->flags & SIM_MR_DM_EXPORT)
			used |= mask_of(object->kept >> 16, object->kept & 0xffff);
	}
	return used;
}

/* mlx5_cmd_alloc_memic(): the driver looks for pages, then the firmware at the lengths */
static int allocate(const struct sim_table *table, uint64_t length, uint32_t alignment,
		    uint64_t *first)
{
	const uint64_t bytes = (length + UNIT - 1) / UNIT * UNIT, used = used_pages(table);
	const uint32_t pages = pages_of(bytes), room = pages ? pages : 1;

	if (!bytes || length > UINT64_MAX - UNIT ||
	    (alignment > LEAST_ALIGNMENT && alignment > MOST_ALIGNMENT))
		return -EINVAL;
	/* bitmap_find_next_zero_area() finds room for no pages where there is one */
	for (*first = 0; room <= PAGES && *first <= PAGES - room; ++*first) {
		if (used & mask_of(*first, room))
			continue;
		return pages && (uint32_t)bytes <= SIM_DM_MAX ? 0 : -EINVAL;
	}
	return -ENOMEM;
}

off_t sim_dm_place(uint64_t first)
{
	return (off_t)(SIM_DM_START + (first << PAGE_SHIFT));
}

/* The number that the library makes an offset for mmap() of, and where in its page the memory is. */
static int put_place(struct sim_call *call, uint16_t page_id, uint16_t offset_id, uint64_t first)
{
	const uint16_t page = (uint16_t)first;
	const uint64_t offset = 0;
	int rc;

	rc = sim_attr_copy(call, page_id, &page, sizeof(page));
	return rc ? rc : sim_attr_copy(call, offset_id, &offset, sizeof(offset));
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
	/* The other types are for steering tables, which are not modelled. */
	if (type && type->data != MLX5_IB_UAPI_DM_TYPE_MEMIC)
		return -EOPNOTSUPP;
	rc = allocate(call->table, length, alignment, &first);
	/* now rather than on first touch, which a machine without memory answers with SIGBUS */
	if (!rc)
		rc = sim_table_allocate(call->table->fd, sim_dm_place(first),
					pages_of(length) << PAGE_SHIFT);
	if (!rc)
		rc = put_place(call, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX,
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
	int rc;

	rc = put_place(call, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX,
		       MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, dm->addr);
	return rc ? rc
		  : sim_attr_copy(call, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, &dm->length,
				  sizeof(dm->length));
}

const struct sim_object *sim_dm_find(const struct sim_table *table, uint64_t page, uint64_t *size)
{
	uint32_t handle;

	for (handle = table->header->newest; handle != SIM_NO_HANDLE;
	     handle = table->objects[handle].older) {
		const struct sim_object *dm = &table->objects[handle];

		if (dm->type != UVERBS_OBJECT_DM || dm->addr != page)
			continue;
		*size = pages_of(dm->length) << PAGE_SHIFT;
		return dm;
	}
	return NULL;
}

/* uverbs_dmabuf_map(): a dma-buf of what is gone is revoked; of other contexts nothing is known */
int sim_export_take(const struct sim_table *table, struct sim_mr_request *request)
{
	const struct sim_export *export = &request->dmabuf.export;
	uint32_t handle;

	if (export->table != table->header->id)
		return 0;
	for (handle = table->header->newest; handle != SIM_NO_HANDLE;
	     handle = table->objects[handle].older) {
		const struct sim_object *object = &table->objects[handle];

		if (object->iova != export->id || object->type == UVERBS_OBJECT_MR)
			continue;
		if (object->type == UVERBS_OBJECT_DM) {
			request->flags |= SIM_MR_DM_EXPORT;
			request->room = (uint32_t)(object->addr << 16 | pages_of(object->length));
		}
		return 0;
	}
	return -ENODEV;
}

bool sim_export_is_revoked(const struct sim_table *table, const struct sim_object *mr)
{
	uint64_t size;

	return mr->flags & SIM_MR_DM_EXPORT && !sim_dm_find(table, mr->kept >> 16, &size);
}

bool sim_dm_is_used(const struct sim_table *table, uint32_t its_handle)
{
	uint32_t handle;

	for (handle = table->header->newest; handle != SIM_NO_HANDLE;
	     handle = table->objects[handle].older) {
		const struct sim_object *mr = &table->objects[handle];

		if (mr->type == UVERBS_OBJECT_MR && mr->flags & SIM_MR_DM && mr->dm == its_handle)
			return true;
	}
	return false;
}

/* uverbs_std_types_mr.c UVERBS_METHOD_DM_MR_REG, mlx5_ib_reg_dm_mr() */
int sim_reg_dm_mr(struct sim_call *call)
{
	const uint64_t offset = sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_OFFSET);
	const uint32_t pd = (uint32_t)sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_PD_HANDLE);
	const uint32_t handle = (uint32_t)sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_DM_HANDLE);
	struct sim_mr_request request = {
		.length = sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_LENGTH),
		.flags = SIM_MR_DM,
	};
	const struct sim_object *dm = &call->table->objects[handle];
	const uint32_t dm_length = (uint32_t)dm->length; /* as wide as in struct ib_dm */
	uint32_t key;
	int rc;

	rc = sim_attr_flags(call, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, SIM_ACCESS_KNOWN,
			    &request.access);
	if (!rc && !(request.access & IB_UVERBS_ACCESS_ZERO_BASED))
		rc = -EINVAL;
	if (!rc)
		rc = sim_access_check(call->table, request.access);
	if (!rc && (offset > dm_length || request.length > dm_length - offset))
		rc = -EINVAL;
	if (!rc && request.access & ~(uint32_t)DM_MR_ACCESS)
		rc = -EINVAL;
	if (rc)
		return rc;
	request.addr = offset;
	request.iova = BAR_OFFSET + (dm->addr << PAGE_SHIFT) + offset; /* QUERY_MR says so */
	key = call->table->profile->key(call->table, call->created, 0, 0);
	rc = sim_attr_copy(call, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, &key, sizeof(key));
	if (!rc)
		rc = sim_attr_copy(call, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, &key, sizeof(key));
	if (rc)
		return rc;
	sim_mr_fill(call->table, call->created, pd, key, &request);
	call->table->objects[call->created].dm = handle;
	return 0;
}
