// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The ioctl: the checks that come before any driver is asked, in the order of uverbs_ioctl.c and
 * rdma_core.c, since the errno tells which one failed.
 *
 * The table is locked while a method runs, except while it pins memory.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>

#include "lib/sim/base/abi.h"

/* A pointer into the first page gets EFAULT; other wild ones crash the program that has them. */
static bool is_null(uint64_t address)
{
	return address < 4096;
}

static bool is_inline(const struct ib_uverbs_attr *attr)
{
	return attr->len <= sizeof(attr->data);
}

static const void *data_of(const struct ib_uverbs_attr *attr)
{
	return is_inline(attr) ? (const void *)&attr->data : (const void *)(uintptr_t)attr->data;
}

/* ---- what methods ask for ------------------------------------------------------------------ */

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
	if (size && is_null(attr->data))
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
	if (attr->len && is_null(attr->data))
		return -EFAULT;
	if (size < attr->len)
		memset((uint8_t *)(uintptr_t)attr->data + size, 0, attr->len - size);
	return sim_attr_copy(call, id, data, size);
}

int sim_need_context(const struct sim_table *table)
{
	return table->header->has_context ? 0 : -EINVAL;
}

/* ---- attributes ---------------------------------------------------------------------------- */

static int check_data(const struct sim_attr_spec *spec, const struct ib_uverbs_attr *attr)
{
	if (attr->len < spec->min || attr->len > spec->max)
		return -EINVAL;
	if (attr->attr_data.reserved)
		return -EINVAL;
	if (spec->kind == SIM_ATTR_IN && !is_inline(attr) && is_null(attr->data))
		return -EFAULT;
	return 0;
}

static int find_object(struct sim_call *call, const struct sim_attr_spec *spec,
		       const struct ib_uverbs_attr *attr)
{
	if (attr->data_s64 < 0)
		return -EINVAL;
	return sim_object_find(call->table, spec->min, attr->data, &call->object);
}

static int new_object(struct sim_call *call, const struct sim_attr_spec *spec,
		      struct ib_uverbs_attr *attr)
{
	int rc;

	rc = sim_need_context(call->table);
	if (!rc)
		rc = sim_object_reserve(call->table, &call->created, &call->object);
	if (rc)
		return rc;
	attr->data = call->created;
	call->creates = spec;
	return 0;
}

/* What such descriptors report (events of QPs and the port) never happens: it stays silent. */
static int new_fd(struct sim_call *call, const struct sim_attr_spec *spec,
		  struct ib_uverbs_attr *attr)
{
	int rc, fd;

	rc = sim_need_context(call->table);
	if (rc)
		return rc;
	fd = eventfd(0, EFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	call->created = (uint32_t)fd;
	call->creates = spec;
	attr->data_s64 = fd;
	return 0;
}

static int check_object(struct sim_call *call, const struct sim_attr_spec *spec,
			struct ib_uverbs_attr *attr)
{
	if (attr->attr_data.reserved || attr->len)
		return -EINVAL;
	switch (spec->kind) {
	case SIM_ATTR_NEW:
		return new_object(call, spec, attr);
	case SIM_ATTR_NEW_FD:
		return new_fd(call, spec, attr);
	case SIM_ATTR_RAW_FD:
		return attr->data_s64 < INT_MIN || attr->data_s64 > INT_MAX ? -EINVAL : 0;
	default:
		return find_object(call, spec, attr);
	}
}

/* uverbs_set_attr() */
static int take_attr(struct sim_call *call, struct ib_uverbs_attr *attr)
{
	const struct sim_attr_spec *spec;
	size_t i;
	int rc;

	for (i = 0; i < call->method->count; i++)
		if (call->method->attrs[i].id == attr->attr_id &&
		    sim_holds(call->table->kernel, call->method->attrs[i].since))
			break;
	if (i == call->method->count)
		return attr->flags & UVERBS_ATTR_F_MANDATORY ? -EPROTONOSUPPORT : 0;
	if (call->attrs[i])
		return -EINVAL;
	spec = &call->method->attrs[i];
	rc = spec->kind <= SIM_ATTR_OUT ? check_data(spec, attr) : check_object(call, spec, attr);
	if (!rc)
		call->attrs[i] = attr;
	return rc;
}

static int take_attrs(struct sim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	size_t i;
	int rc;

	for (i = 0; i < hdr->num_attrs; i++) {
		rc = take_attr(call, &hdr->attrs[i]);
		if (rc)
			return rc;
	}
	for (i = 0; i < call->method->count; i++)
		if (call->method->attrs[i].mandatory && !call->attrs[i])
			return -EINVAL;
	return 0;
}

/* ---- methods ------------------------------------------------------------------------------- */

/* uobj_destroy() and the destroy_hw() of the type */
static int destroy(struct sim_table *table, const struct sim_object *object)
{
	uint32_t mm = object->mm, pinned = object->pinned;

	if (object->users || (object->type == UVERBS_OBJECT_DM &&
			      sim_dm_is_used(table, (uint32_t)(object - table->objects))))
		return -EBUSY;
	sim_object_delete(table, (uint32_t)(object - table->objects));
	sim_account_release(table, mm, pinned);
	return 0;
}

int sim_destroy(struct sim_table *table, uint16_t type, uint64_t handle)
{
	struct sim_object *object;
	int rc;

	rc = sim_object_find(table, type, handle, &object);
	return rc ? rc : destroy(table, object);
}

static bool destroys(const struct sim_call *call)
{
	return call->object && call->method->attrs[0].kind == SIM_ATTR_DESTROY;
}

void sim_call_unlock(struct sim_call *call)
{
	if (call->creates)
		sim_object_cancel(call->table, call->created);
	sim_table_unlock(call->table);
}

/* A handle that was reserved meanwhile could be lost to a repair of the table. */
int sim_call_relock(struct sim_call *call)
{
	int rc;

	rc = sim_table_lock(call->table);
	call->unlocked = rc;
	if (call->creates && !rc)
		rc = sim_object_reserve(call->table, &call->created, &call->object);
	if (rc)
		call->creates = NULL;
	else if (call->creates)
		sim_attr(call, call->creates->id)->data = call->created;
	return rc;
}

/* What the method was to create comes into being with its success. */
static void finish(struct sim_call *call, int rc)
{
	const struct sim_attr_spec *spec = call->creates;

	if (!spec)
		return;
	if (spec->kind == SIM_ATTR_NEW_FD) {
		if (rc)
			sim_libc()->close((int)call->created);
		return;
	}
	if (rc)
		sim_object_cancel(call->table, call->created);
	else
		sim_object_commit(call->table, call->created, spec->min);
}

static int run(struct sim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	struct ib_uverbs_attr *driver_out;
	int rc;

	rc = take_attrs(call, hdr);
	if (!rc && destroys(call))
		rc = destroy(call->table, call->object);
	if (!rc && call->method->handle)
		rc = call->method->handle(call);
	finish(call, rc);
	/* the kernel trusts its drivers to have answered */
	driver_out = sim_attr(call, UVERBS_ATTR_UHW_OUT);
	if (!rc && driver_out)
		driver_out->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	return rc;
}

static int serve(struct sim_table *table, const struct sim_method *method,
		 struct ib_uverbs_ioctl_hdr *hdr)
{
	struct sim_call call = { .table = table, .method = method };
	int rc;

	rc = sim_table_lock(table);
	if (rc)
		return rc;
	rc = run(&call, hdr);
	if (!call.unlocked)
		sim_table_unlock(table);
	return rc;
}

int sim_uverbs_ioctl(struct sim_table *table, struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct sim_method *method;
	struct sim_fault fault;
	int rc;

	if (is_null((uintptr_t)hdr))
		return -EFAULT;
	if (hdr->length > sysconf(_SC_PAGESIZE) ||
	    hdr->length != sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0]))
		return -EINVAL;
	if (hdr->reserved1 || hdr->reserved2)
		return -EPROTONOSUPPORT;
	if (hdr->driver_id != table->profile->driver_id)
		return -EINVAL;
	rc = sim_method_find(table, hdr->object_id, hdr->method_id, &method);
	if (rc)
		return rc;
	fault = sim_fault_enter(method->handle == sim_invoke_write ? sim_write_name(hdr)
								   : method->call);
	if (fault.error)
		return fault.error;
	rc = serve(table, method, hdr);
	sim_fault_leave(&fault);
	return rc;
}
