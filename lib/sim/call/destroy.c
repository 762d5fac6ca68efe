// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Destroying objects: the kernel's drivers/infiniband/core/rdma_core.c. */
#include <errno.h>

#include <rdma/ib_user_ioctl_cmds.h>

#include "lib/sim/base/abi.h"
#include "lib/sim/call/destroy.h"
#include "lib/sim/memory/device_memory.h"
#include "lib/sim/state/account.h"
#include "lib/sim/state/keys.h"
#include "lib/sim/state/objects.h"

/* uverbs_std_types_dmah.c uverbs_free_dmah() */
static bool is_dmah_used(const struct sim_table *table, uint32_t handle)
{
	const struct sim_object *mr;

	for (mr = sim_object_newest(table); mr; mr = sim_object_older(table, mr))
		if (mr->type == UVERBS_OBJECT_MR && mr->flags & SIM_MR_DMAH && mr->dmah == handle)
			return true;
	return false;
}

int sim_destroy_object(struct sim_table *table, const struct sim_object *object)
{
	const uint32_t handle = sim_object_handle(table, object);
	const uint32_t mm = object->mm, pinned = object->pinned, key = object->key;
	const bool has_key = object->type == UVERBS_OBJECT_MR;

	if (object->users || (object->type == UVERBS_OBJECT_DM && sim_dm_is_used(table, handle)) ||
	    (object->type == SIM_OBJECT_DMAH && is_dmah_used(table, handle)))
		return -EBUSY;
	sim_object_delete(table, handle);
	if (has_key)
		sim_key_free(table, key);
	sim_account_release(table, mm, pinned);
	return 0;
}

int sim_destroy(struct sim_table *table, uint16_t type, uint64_t handle)
{
	struct sim_object *object;
	int rc;

	rc = sim_object_find(table, type, handle, &object);
	return rc ? rc : sim_destroy_object(table, object);
}
