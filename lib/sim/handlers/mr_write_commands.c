// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The write commands REG_MR and DEREG_MR: uverbs_cmd.c. */
#include <errno.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "lib/sim/call/destroy.h"
#include "lib/sim/call/profile.h"
#include "lib/sim/call/registration.h"
#include "lib/sim/handlers/mr_write_commands.h"
#include "lib/sim/state/account.h"
#include "lib/sim/state/objects.h"

/* Make the object of a registered MR; -errno if its PD is gone, or the table has no room. */
static int add_mr(struct sim_call *call, const struct sim_mr_request *request, uint32_t pd,
		  struct ib_uverbs_reg_mr_resp *resp)
{
	struct sim_table *table = call->table;
	struct sim_object *object;
	int rc;

	rc = sim_object_find(table, UVERBS_OBJECT_PD, pd, &object);
	if (!rc)
		rc = sim_object_reserve(table, &resp->mr_handle, &object);
	if (rc)
		return rc;
	sim_mr_fill(table, resp->mr_handle, pd,
		    call->profile->make_key(table, request->key_variant), request);
	sim_object_commit(table, resp->mr_handle, UVERBS_OBJECT_MR);
	resp->lkey = object->key;
	resp->rkey = object->key;
	return 0;
}

static int check_registration(const struct sim_call *call, const struct ib_uverbs_reg_mr *cmd)
{
	struct sim_object *pd;
	int rc;

	if (!sim_same_page_offset(cmd->start, cmd->hca_va))
		return -EINVAL;
	rc = sim_need_context(call->table);
	if (!rc && !sim_object_has_room(call->table))
		rc = -EAGAIN;
	if (!rc)
		rc = sim_access_check(call, cmd->access_flags);
	return rc ? rc : sim_object_find(call->table, UVERBS_OBJECT_PD, cmd->pd_handle, &pd);
}

/* uverbs_cmd.c ib_uverbs_reg_mr() */
int sim_write_reg_mr(struct sim_call *call)
{
	struct ib_uverbs_reg_mr_resp resp = { 0 };
	struct sim_mr_request request;
	struct ib_uverbs_reg_mr cmd;
	int rc;

	rc = sim_write_request(call, &cmd, sizeof(cmd));
	if (!rc)
		rc = check_registration(call, &cmd);
	if (rc)
		return rc;
	request = (struct sim_mr_request){
		.kernel = call->table->kernel,
		.addr = cmd.start,
		.length = cmd.length,
		.iova = cmd.hca_va,
		.access = cmd.access_flags,
	};
	rc = sim_driver_reg_mr(call, &request);
	if (rc)
		return rc;
	rc = add_mr(call, &request, cmd.pd_handle, &resp);
	if (rc) {
		sim_account_cancel(request.pinned);
		return rc;
	}
	rc = sim_attr_put(call, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
	if (rc)
		sim_destroy(call->table, UVERBS_OBJECT_MR, resp.mr_handle);
	return rc;
}

/* uverbs_cmd.c ib_uverbs_dereg_mr() */
int sim_write_dereg_mr(struct sim_call *call)
{
	struct ib_uverbs_dereg_mr cmd;
	int rc;

	rc = sim_write_request(call, &cmd, sizeof(cmd));
	return rc ? rc : sim_destroy(call->table, UVERBS_OBJECT_MR, cmd.mr_handle);
}
