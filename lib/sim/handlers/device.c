// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <endian.h>
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "lib/sim/base/base.h"
#include "lib/sim/call/call.h"
#include "lib/sim/handlers/handlers.h"
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
	};
	const struct ib_uverbs_attr *out = sim_attr(call, UVERBS_ATTR_CORE_OUT);
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
	if (out)
		resp.response_length = out->len < sizeof(resp) ? out->len : (uint32_t)sizeof(resp);
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

	if (!rc && (!port || port > call->profile->attributes.phys_port_cnt))
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
	if (!rc && (!port || port > call->profile->attributes.phys_port_cnt ||
		    index >= (uint64_t)call->profile->port.gid_tbl_len))
		rc = -EINVAL;
	if (!rc && index)
		rc = -ENODATA;
	return rc ?: SIM_PUT(call, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, entry);
}
