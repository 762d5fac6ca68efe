// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <stddef.h>
#include <string.h>

#include "lib/sim/base/base.h"
#include "lib/sim/call/call.h"
#include "lib/sim/memory/memory.h"
#include "lib/sim/state/state.h"

#define DRIVER_SPACE 0x1000 /* 1U << UVERBS_ID_NS_SHIFT: the first id of a driver's own */

static const struct object_type {
	uint16_t object;
	uint16_t core;  /* bit i: method i exists and is not modelled */
	uint16_t mlx5;  /* bit i: the same of mlx5's method DRIVER_SPACE + i */
	bool mlx5_only; /* no other driver has the type */
	bool tph_only;  /* only devices with TPH have it */
	enum sim_change since;
} types[] = {
	{ UVERBS_OBJECT_DEVICE, .core = 0x7f, .mlx5 = 0x1 },
	{ UVERBS_OBJECT_DEVICE, .core = 0x80, .since = SIM_PORT_SPEED },
	{ UVERBS_OBJECT_PD, .mlx5 = 0x1 },
	{ UVERBS_OBJECT_COMP_CHANNEL, .core = 0 },
	{ UVERBS_OBJECT_CQ, .core = 0 },
	{ UVERBS_OBJECT_QP, .core = 0 },
	{ UVERBS_OBJECT_SRQ, .core = 0 },
	{ UVERBS_OBJECT_AH, .core = 0 },
	{ UVERBS_OBJECT_MR, .core = 0 },
	{ UVERBS_OBJECT_DM, .mlx5 = 0x1, .mlx5_only = true },
	{ UVERBS_OBJECT_MW, .core = 0 },
	{ UVERBS_OBJECT_FLOW, .core = 0x1, .mlx5 = 0x3, .mlx5_only = true },
	{ UVERBS_OBJECT_XRCD, .core = 0x1, .mlx5_only = true },
	{ UVERBS_OBJECT_FLOW_ACTION, .core = 0x2, .mlx5 = 0x3, .mlx5_only = true },
	{ UVERBS_OBJECT_COUNTERS, .core = 0x7, .mlx5_only = true },
	{ UVERBS_OBJECT_ASYNC_EVENT, .core = 0 },
	{ SIM_OBJECT_DMAH, .mlx5_only = true, .tph_only = true, .since = SIM_DMAH },
	{ SIM_OBJECT_DMABUF, .mlx5_only = true, .since = SIM_DMABUF_EXPORT },
	{ MLX5_IB_OBJECT_DEVX, .mlx5 = 0xf, .mlx5_only = true },
	{ MLX5_IB_OBJECT_DEVX_OBJ, .mlx5 = 0x1f, .mlx5_only = true },
	{ MLX5_IB_OBJECT_DEVX_UMEM, .mlx5 = 0x3, .mlx5_only = true },
	{ MLX5_IB_OBJECT_FLOW_MATCHER, .mlx5 = 0x3, .mlx5_only = true },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, .mlx5 = 0x1, .mlx5_only = true },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, .mlx5 = 0x1, .mlx5_only = true },
	{ MLX5_IB_OBJECT_UAR, .mlx5_only = true },
};
#define TYPES (sizeof(types) / sizeof(types[0]))

static bool is_type_for(const struct object_type *type, const struct sim_call *call,
			uint16_t object)
{
	return type->object == object &&
	       (!type->mlx5_only || call->profile->driver_id == RDMA_DRIVER_MLX5) &&
	       (!type->tph_only || getenv(MR_SIM_TPH_VARIABLE)) &&
	       sim_has_change(call->table->kernel, type->since);
}

bool sim_is_object_type(const struct sim_call *call, uint16_t object)
{
	for (size_t i = 0; i < TYPES; i++)
		if (is_type_for(&types[i], call, object))
			return true;
	return false;
}

bool sim_is_unmodelled_method(const struct sim_call *call, uint16_t object, uint16_t method)
{
	const unsigned int space = method & UVERBS_ID_NS_MASK;
	const unsigned int bit = method & (unsigned int)~UVERBS_ID_NS_MASK;
	const bool of_driver = space;

	if (bit >= 16 ||
	    (of_driver && (call->profile->driver_id != RDMA_DRIVER_MLX5 || space != DRIVER_SPACE)))
		return false;
	for (size_t i = 0; i < TYPES; i++)
		if (is_type_for(&types[i], call, object) &&
		    (of_driver ? types[i].mlx5 : types[i].core) >> bit & 1)
			return true;
	return false;
}

static const void *data_of(const struct ib_uverbs_attr *attr)
{
	return sim_attr_is_inline(attr) ? (const void *)&attr->data
					: (const void *)(uintptr_t)attr->data;
}

struct ib_uverbs_attr *sim_attr(const struct sim_call *call, uint16_t id)
{
	for (size_t i = 0; i < call->method->count; i++)
		if (call->method->attrs[i].id == id)
			return call->attrs[i];
	return NULL;
}

const void *sim_attr_data(const struct sim_call *call, uint16_t id, size_t *length)
{
	const struct ib_uverbs_attr *attr = sim_attr(call, id);

	*length = attr ? attr->len : 0;
	return attr ? data_of(attr) : NULL;
}

bool sim_attr_is_zero(const struct sim_call *call, uint16_t id, size_t start)
{
	const uint8_t *data;
	size_t length, i;

	data = sim_attr_data(call, id, &length);
	for (i = start; i < length; i++)
		if (data[i])
			return false;
	return true;
}

uint64_t sim_attr_number(const struct sim_call *call, uint16_t id)
{
	return sim_attr(call, id)->data;
}

int sim_attr_flags(const struct sim_call *call, uint16_t id, uint32_t allowed, uint32_t *flags)
{
	const struct ib_uverbs_attr *attr = sim_attr(call, id);
	uint64_t value = 0;

	*flags = 0;
	if (!attr)
		return 0;
	if (attr->len != 4 && attr->len != 8)
		return -EINVAL;
	memcpy(&value, &attr->data, attr->len);
	if (value & ~(uint64_t)allowed)
		return -EINVAL;
	*flags = (uint32_t)value;
	return 0;
}

/* uverbs_copy_to() */
int sim_attr_copy(const struct sim_call *call, uint16_t id, const void *data, size_t size)
{
	struct ib_uverbs_attr *attr = sim_attr(call, id);

	if (!attr)
		return -ENOENT;
	if (size > attr->len)
		size = attr->len;
	if (size && sim_is_null(attr->data))
		return -EFAULT;
	memcpy((void *)(uintptr_t)attr->data, data, size);
	attr->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	return 0;
}

/* uverbs_copy_to_struct_or_zero() */
int sim_attr_put(const struct sim_call *call, uint16_t id, const void *data, size_t size)
{
	struct ib_uverbs_attr *attr = sim_attr(call, id);

	if (!attr)
		return 0;
	if (attr->len && sim_is_null(attr->data))
		return -EFAULT;
	if (size < attr->len)
		memset((uint8_t *)(uintptr_t)attr->data + size, 0, attr->len - size);
	return sim_attr_copy(call, id, data, size);
}

uint32_t sim_attr_fit(const struct sim_call *call, uint16_t id, size_t size)
{
	const struct ib_uverbs_attr *attr = sim_attr(call, id);

	return attr && attr->len < size ? attr->len : (uint32_t)size;
}

int sim_need_context(const struct sim_table *table)
{
	return table->header->has_context ? 0 : -EINVAL;
}

int sim_write_request(const struct sim_call *call, void *request, size_t size)
{
	const void *in;
	size_t length;

	if (!sim_attr_is_zero(call, UVERBS_ATTR_CORE_IN, size))
		return -EOPNOTSUPP;
	in = sim_attr_data(call, UVERBS_ATTR_CORE_IN, &length);
	memset(request, 0, size);
	if (in)
		memcpy(request, in, length < size ? length : size);
	return 0;
}

int sim_call_data(const struct sim_call *call, void *data, size_t size, size_t least)
{
	size_t length;
	const void *in = sim_attr_data(call, UVERBS_ATTR_UHW_IN, &length);

	if (!in || length < least)
		return -EINVAL;
	memset(data, 0, size);
	memcpy(data, in, length < size ? length : size);
	return 0;
}

int sim_call_create(struct sim_call *call, uint16_t type, struct ib_uverbs_attr *attr)
{
	int rc = sim_need_context(call->table);

	if (!rc)
		rc = sim_object_reserve(call->table, &call->created, &call->object);
	if (rc)
		return rc;
	call->creates = type;
	call->new_attr = attr;
	if (attr)
		attr->data = call->created;
	return 0;
}

void sim_call_unlock(struct sim_call *call)
{
	if (call->creates)
		sim_object_cancel(call->table, call->created);
	sim_table_unlock(call->table);
}

/* The handle is reserved anew: while the table was unlocked, a repair could have given the old one away. */
int sim_call_relock(struct sim_call *call, int rc, uint32_t pinned)
{
	int relock;

	relock = sim_table_lock(call->table);
	call->unlocked = relock;
	if (call->creates && !relock)
		relock = sim_object_reserve(call->table, &call->created, &call->object);
	if (relock)
		call->creates = 0;
	else if (call->creates && call->new_attr)
		call->new_attr->data = call->created;
	if (!rc && relock)
		sim_account_cancel(pinned);
	return rc ? rc : relock;
}

struct ib_uverbs_odp_caps sim_odp_caps(const struct sim_call *call)
{
	return sim_has_change(call->table->kernel, call->profile->odp_since)
		       ? call->profile->odp
		       : (struct ib_uverbs_odp_caps){ 0 };
}

/* rdma/ib_verbs.h ib_check_mr_access() */
int sim_access_check(const struct sim_call *call, uint32_t access)
{
	const uint32_t writing = IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC;
	const uint32_t flush = SIM_ACCESS_FLUSH_GLOBAL | SIM_ACCESS_FLUSH_PERSISTENT;

	if (access & writing && !(access & IB_UVERBS_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if (access & IB_UVERBS_ACCESS_OPTIONAL_RANGE && getenv(MR_SIM_NO_OPTIONAL_ACCESS_VARIABLE))
		return -EINVAL;
	if (access & ~SIM_ACCESS_KNOWN ||
	    (access & flush && !sim_has_change(call->table->kernel, SIM_ACCESS_CAPS)))
		return -EINVAL;
	if (access & IB_UVERBS_ACCESS_ON_DEMAND && !sim_odp_caps(call).general_caps)
		return sim_has_change(call->table->kernel, SIM_ACCESS_CAPS) ? -EOPNOTSUPP : -EINVAL;
	return access & call->profile->unknown_access ? -EOPNOTSUPP : 0;
}

/* Returns whether an MR is of a DM, or has a DMA handle: uverbs_std_types_dmah.c uverbs_free_dmah().  @flag: of such MRs */
static bool has_mr(const struct sim_table *table, uint16_t flag, uint32_t handle)
{
	const struct sim_object *mr;

	for (mr = sim_object_newest(table); mr; mr = sim_object_older(table, mr))
		if (mr->type == UVERBS_OBJECT_MR && mr->flags & flag &&
		    (flag == SIM_MR_DM ? mr->dm : mr->dmah) == handle)
			return true;
	return false;
}

int sim_destroy_object(struct sim_table *table, const struct sim_object *object)
{
	const uint32_t handle = sim_object_handle(table, object);
	const uint32_t mm = object->mm, key = object->key;
	uint32_t pinned = object->pinned;
	const bool has_key = object->type == UVERBS_OBJECT_MR;

	if (object->users ||
	    ((object->type == UVERBS_OBJECT_CQ || object->type == UVERBS_OBJECT_SRQ) &&
	     sim_queue_is_used(table, handle)) ||
	    (object->type == UVERBS_OBJECT_DM && has_mr(table, SIM_MR_DM, handle)) ||
	    (object->type == SIM_OBJECT_DMAH && has_mr(table, SIM_MR_DMAH, handle)))
		return -EBUSY;
	if (sim_has_queue(object))
		pinned -= sim_doorbell_hand_over(table, object);
	sim_object_delete(table, handle);
	if (has_key)
		sim_key_free(table, key);
	sim_account_release(table, mm, pinned);
	return 0;
}
