// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The attributes of a call, by which the caller passes data in and gets answers. */
#include <errno.h>
#include <string.h>

#include <rdma/ib_user_ioctl_cmds.h>

#include "lib/sim/call/attrs.h"
#include "lib/sim/state/account.h"
#include "lib/sim/state/lock.h"
#include "lib/sim/state/objects.h"

static const void *data_of(const struct ib_uverbs_attr *attr)
{
	return sim_attr_is_inline(attr) ? (const void *)&attr->data
					: (const void *)(uintptr_t)attr->data;
}

struct ib_uverbs_attr *sim_attr(const struct sim_call *call, uint16_t id)
{
	size_t i;

	for (i = 0; i < call->method->count; i++)
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
		call->creates = NULL;
	else if (call->creates)
		sim_attr(call, call->creates->id)->data = call->created;
	if (!rc && relock)
		sim_account_cancel(pinned);
	return rc ? rc : relock;
}
