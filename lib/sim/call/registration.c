// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What all calls that register memory have in common. */
#include <errno.h>

#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/sim/base/environment.h"
#include "lib/sim/call/profile.h"
#include "lib/sim/call/registration.h"
#include "lib/sim/state/account.h"

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
	if (access & IB_UVERBS_ACCESS_OPTIONAL_RANGE && !sim_has_optional_access())
		return -EINVAL;
	if (access & ~SIM_ACCESS_KNOWN ||
	    (access & flush && !sim_has_change(call->table->kernel, SIM_ACCESS_CAPS)))
		return -EINVAL;
	if (access & IB_UVERBS_ACCESS_ON_DEMAND && !sim_odp_caps(call).general_caps)
		return sim_has_change(call->table->kernel, SIM_ACCESS_CAPS) ? -EOPNOTSUPP : -EINVAL;
	return access & call->profile->unknown_access ? -EOPNOTSUPP : 0;
}

int sim_driver_reg_mr(struct sim_call *call, struct sim_mr_request *request)
{
	int rc;

	sim_call_unlock(call);
	rc = call->profile->reg_mr(request);
	return sim_call_relock(call, rc, request->pinned);
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
	object->key_pages = request->key_pages;
	object->mm = sim_account_commit(table, request->pinned);
}
