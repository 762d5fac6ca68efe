// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Protection domains and memory regions: uverbs_cmd.c, uverbs_std_types_mr.c. */
#include <errno.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "lib/sim/base/abi.h"

/* ---- PD ------------------------------------------------------------------------------------ */

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
	rc = call->table->profile->alloc_pd(call, resp.pd_handle);
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

/* ---- MR ------------------------------------------------------------------------------------ */

/* rdma/ib_verbs.h ib_check_mr_access() */
int sim_access_check(const struct sim_table *table, uint32_t access)
{
	const uint32_t writing = IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC;
	const uint32_t flush = SIM_ACCESS_FLUSH_GLOBAL | SIM_ACCESS_FLUSH_PERSISTENT;

	if (access & writing && !(access & IB_UVERBS_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if (access & IB_UVERBS_ACCESS_OPTIONAL_RANGE && !sim_has_optional_access())
		return -EINVAL;
	if (access & ~SIM_ACCESS_KNOWN ||
	    (access & flush && !sim_holds(table->kernel, SIM_ACCESS_CAPS)))
		return -EINVAL;
	if (access & IB_UVERBS_ACCESS_ON_DEMAND && !sim_odp_caps(table).general_caps)
		return sim_holds(table->kernel, SIM_ACCESS_CAPS) ? -EOPNOTSUPP : -EINVAL;
	return access & table->profile->unknown_access ? -EOPNOTSUPP : 0;
}

/*
 * Pinning takes as long as the memory is large: nobody else shall wait for it.  The kernel holds
 * the PD meanwhile; here it is looked up again.
 */
int sim_mr_take(struct sim_call *call, struct sim_mr_request *request)
{
	int rc, relock;

	sim_call_unlock(call);
	rc = call->table->profile->reg_mr(request);
	relock = sim_call_relock(call);
	if (!rc && relock)
		sim_account_cancel(request->pinned);
	return rc ? rc : relock;
}

void sim_mr_fill(struct sim_table *table, uint32_t handle, uint32_t pd, uint32_t key,
		 const struct sim_mr_request *request)
{
	struct sim_object *object = &table->objects[handle];

	object->parent = pd;
	object->flags = request->flags;
	object->key = key;
	object->addr = request->addr;
	object->length = request->length;
	object->iova = request->iova;
	object->access = request->access;
	object->pinned = request->pinned;
	object->room = request->room;
	object->mm = sim_account_commit(table, request->pinned);
}

static int add(struct sim_table *table, const struct sim_mr_request *request, uint32_t pd,
	       struct ib_uverbs_reg_mr_resp *resp)
{
	struct sim_object *object;
	int rc;

	rc = sim_object_find(table, UVERBS_OBJECT_PD, pd, &object);
	if (!rc)
		rc = sim_object_reserve(table, &resp->mr_handle, &object);
	if (rc)
		return rc;
	sim_mr_fill(table, resp->mr_handle, pd,
		    table->profile->key(table, resp->mr_handle, request->order, 0), request);
	sim_object_commit(table, resp->mr_handle, UVERBS_OBJECT_MR);
	resp->lkey = object->key;
	resp->rkey = object->key;
	return 0;
}

static int check_request(const struct sim_table *table, const struct ib_uverbs_reg_mr *cmd)
{
	struct sim_object *pd;
	int rc;

	if ((cmd->start ^ cmd->hca_va) & ((uint64_t)sysconf(_SC_PAGESIZE) - 1))
		return -EINVAL;
	rc = sim_need_context(table);
	if (!rc)
		rc = sim_access_check(table, cmd->access_flags);
	return rc ? rc : sim_object_find(table, UVERBS_OBJECT_PD, cmd->pd_handle, &pd);
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
		rc = check_request(call->table, &cmd);
	if (rc)
		return rc;
	request = (struct sim_mr_request){
		.kernel = call->table->kernel,
		.addr = cmd.start,
		.length = cmd.length,
		.iova = cmd.hca_va,
		.access = cmd.access_flags,
	};
	rc = sim_mr_take(call, &request);
	if (rc)
		return rc;
	rc = add(call->table, &request, cmd.pd_handle, &resp);
	if (rc) {
		sim_account_cancel(request.pinned);
		return rc;
	}
	rc = sim_attr_put(call, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
	if (rc)
		sim_destroy(call->table, UVERBS_OBJECT_MR, resp.mr_handle);
	return rc;
}

int sim_write_dereg_mr(struct sim_call *call)
{
	struct ib_uverbs_dereg_mr cmd;
	int rc;

	rc = sim_write_request(call, &cmd, sizeof(cmd));
	return rc ? rc : sim_destroy(call->table, UVERBS_OBJECT_MR, cmd.mr_handle);
}

int sim_query_mr(struct sim_call *call)
{
	const struct sim_object *mr = call->object;
	int rc;

	rc = sim_attr_put(call, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &mr->key, sizeof(mr->key));
	if (!rc)
		rc = sim_attr_put(call, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &mr->key, sizeof(mr->key));
	if (!rc)
		rc = sim_attr_put(call, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &mr->length,
				  sizeof(mr->length));
	if (!rc)
		rc = sim_attr_put(call, UVERBS_ATTR_QUERY_MR_RESP_IOVA, &mr->iova,
				  sizeof(mr->iova));
	return rc;
}
