// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Protection domains: uverbs_cmd.c. */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "lib/sim/call/destroy.h"
#include "lib/sim/call/profile.h"
#include "lib/sim/handlers/pd.h"
#include "lib/sim/state/objects.h"

int sim_write_alloc_pd(struct sim_call *call)
{
	struct ib_uverbs_alloc_pd_resp resp = { 0 };
	struct ib_uverbs_alloc_pd cmd;
	struct sim_object *pd;
	int rc;

	rc = sim_write_request(call, &cmd, sizeof(cmd));
	if (!rc)
		rc = sim_need_context(call->table);
	if (!rc)
		rc = sim_object_reserve(call->table, &resp.pd_handle, &pd);
	if (rc)
		return rc;
	rc = call->profile->alloc_pd(call, resp.pd_handle);
	if (!rc)
		rc = sim_attr_put(call, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
	if (rc)
		sim_object_cancel(call->table, resp.pd_handle);
	else
		sim_object_commit(call->table, resp.pd_handle, UVERBS_OBJECT_PD);
	return rc;
}

int sim_write_dealloc_pd(struct sim_call *call)
{
	struct ib_uverbs_dealloc_pd cmd;
	int rc;

	rc = sim_write_request(call, &cmd, sizeof(cmd));
	return rc ? rc : sim_destroy(call->table, UVERBS_OBJECT_PD, cmd.pd_handle);
}
