// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory windows, which can be allocated but not bound: uverbs_cmd.c. */
#include <errno.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "lib/sim/call/destroy.h"
#include "lib/sim/call/profile.h"
#include "lib/sim/handlers/mw.h"
#include "lib/sim/state/keys.h"
#include "lib/sim/state/objects.h"

static int add_mw(struct sim_call *call, uint32_t pd, struct ib_uverbs_alloc_mw_resp *resp)
{
	struct sim_object *object;
	int rc = sim_object_reserve(call->table, &resp->mw_handle, &object);

	if (rc)
		return rc;
	object->parent = pd;
	object->key = call->profile->make_key(call->table, SIM_KEY_OF_DEVICE);
	sim_object_commit(call->table, resp->mw_handle, UVERBS_OBJECT_MW);
	resp->rkey = object->key;
	return 0;
}

/* ib_uverbs_alloc_mw(); mlx5_ib_alloc_mw() and rxe_alloc_mw() take both types */
int sim_write_alloc_mw(struct sim_call *call)
{
	struct ib_uverbs_alloc_mw_resp resp = { 0 };
	struct ib_uverbs_alloc_mw cmd;
	struct sim_object *pd;
	int rc;

	rc = sim_write_request(call, &cmd, sizeof(cmd));
	if (!rc)
		rc = sim_need_context(call->table);
	if (!rc && !sim_object_has_room(call->table))
		rc = -EAGAIN;
	if (!rc)
		rc = sim_object_find(call->table, UVERBS_OBJECT_PD, cmd.pd_handle, &pd);
	if (!rc && cmd.mw_type != IBV_MW_TYPE_1 && cmd.mw_type != IBV_MW_TYPE_2)
		rc = -EINVAL;
	if (!rc)
		rc = add_mw(call, cmd.pd_handle, &resp);
	if (rc)
		return rc;
	rc = sim_attr_put(call, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
	if (rc)
		sim_destroy(call->table, UVERBS_OBJECT_MW, resp.mw_handle);
	return rc;
}

int sim_write_dealloc_mw(struct sim_call *call)
{
	struct ib_uverbs_dealloc_mw cmd;
	int rc;

	rc = sim_write_request(call, &cmd, sizeof(cmd));
	return rc ? rc : sim_destroy(call->table, UVERBS_OBJECT_MW, cmd.mw_handle);
}
