// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The ioctl RDMA_VERBS_IOCTL: checks of the call and its attributes, creating and destroying of objects.
 * The checks are in the order of uverbs_ioctl.c and rdma_core.c, which decides about the errno of a call
 * that would fail several.
 *
 * The table is locked while a method runs, except while it pins memory.
 */
#include <errno.h>
#include <limits.h>
#include <sys/eventfd.h>

#include <rdma/ib_user_ioctl_cmds.h>

#include "lib/sim/base/libc.h"
#include "lib/sim/base/pages.h"
#include "lib/sim/call/attrs.h"
#include "lib/sim/call/destroy.h"
#include "lib/sim/call/object_types.h"
#include "lib/sim/devices/profiles.h"
#include "lib/sim/state/fault.h"
#include "lib/sim/state/lock.h"
#include "lib/sim/state/objects.h"
#include "lib/sim/uverbs/ioctl.h"
#include "lib/sim/uverbs/methods.h"
#include "lib/sim/uverbs/write_commands.h"

/* ---- attributes ---------------------------------------------------------------------------- */

/* uverbs_process_attr() of UVERBS_ATTR_TYPE_ENUM_IN */
static int check_enum(const struct sim_attr_spec *spec, const struct ib_uverbs_attr *attr)
{
	if (attr->attr_data.enum_data.elem_id >= spec->max)
		return -EOPNOTSUPP;
	return attr->attr_data.enum_data.reserved || attr->len ? -EINVAL : 0;
}

static int check_data(const struct sim_attr_spec *spec, const struct ib_uverbs_attr *attr)
{
	if (spec->kind == SIM_ATTR_ENUM)
		return check_enum(spec, attr);
	if (attr->len < spec->min || attr->len > spec->max)
		return -EINVAL;
	if (attr->attr_data.reserved)
		return -EINVAL;
	if (spec->kind == SIM_ATTR_IN && !sim_attr_is_inline(attr) && sim_is_null(attr->data))
		return -EFAULT;
	return 0;
}

/* rdma_lookup_get_uobject(), which knows the attribute even where the device has no objects of the type */
static int find_object(struct sim_call *call, const struct sim_attr_spec *spec,
		       const struct ib_uverbs_attr *attr)
{
	if (attr->data_s64 < 0 || !sim_is_object_type(call, spec->min))
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

/*
 * Make the descriptor that a method creates.  Nothing can ever be read from it: events of QPs and of the
 * port, which the kernel reports by it, never occur here.
 */
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
static int accept_attr(struct sim_call *call, struct ib_uverbs_attr *attr)
{
	const struct sim_attr_spec *spec;
	size_t i;
	int rc;

	for (i = 0; i < call->method->count; i++)
		if (call->method->attrs[i].id == attr->attr_id &&
		    sim_has_change(call->table->kernel, call->method->attrs[i].since))
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

static int accept_attrs(struct sim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	size_t i;
	int rc;

	for (i = 0; i < hdr->num_attrs; i++) {
		rc = accept_attr(call, &hdr->attrs[i]);
		if (rc)
			return rc;
	}
	for (i = 0; i < call->method->count; i++)
		if (call->method->attrs[i].mandatory && !call->attrs[i])
			return -EINVAL;
	return 0;
}

/* ---- methods ------------------------------------------------------------------------------- */

static bool destroys_object(const struct sim_call *call)
{
	return call->object && call->method->attrs[0].kind == SIM_ATTR_DESTROY;
}

/* Let what the method creates exist if the method has succeeded; else free its handle or descriptor. */
static void finish_creation(struct sim_call *call, int rc)
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

static int run_method(struct sim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	struct ib_uverbs_attr *driver_out;
	int rc;

	rc = accept_attrs(call, hdr);
	if (!rc && destroys_object(call))
		rc = sim_destroy_object(call->table, call->object);
	if (!rc && call->method->handle)
		rc = call->method->handle(call);
	finish_creation(call, rc);
	/* The kernel flags the driver's answer as valid even if the driver wrote none. */
	driver_out = sim_attr(call, UVERBS_ATTR_UHW_OUT);
	if (!rc && driver_out)
		driver_out->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	return rc;
}

static int serve_locked(struct sim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	int rc;

	rc = sim_table_lock(call->table);
	if (rc)
		return rc;
	rc = run_method(call, hdr);
	if (!call->unlocked)
		sim_table_unlock(call->table);
	return rc;
}

int sim_uverbs_ioctl(struct sim_table *table, struct ib_uverbs_ioctl_hdr *hdr)
{
	struct sim_call call = { .table = table, .profile = sim_profile_of(table->kind) };
	struct sim_fault fault;
	int rc;

	if (sim_is_null((uintptr_t)hdr))
		return -EFAULT;
	if (hdr->length > sim_page_size() ||
	    hdr->length != sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0]))
		return -EINVAL;
	if (hdr->reserved1 || hdr->reserved2)
		return -EPROTONOSUPPORT;
	if (hdr->driver_id != call.profile->driver_id)
		return -EINVAL;
	rc = sim_method_find(&call, hdr->object_id, hdr->method_id);
	if (rc)
		return rc;
	fault = sim_fault_enter(call.method->handle == sim_invoke_write ? sim_invoke_write_call(hdr)
									: call.method->call);
	if (fault.error)
		return fault.error;
	rc = serve_locked(&call, hdr);
	sim_fault_leave(&fault);
	return rc;
}
