// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory of the device (DMs), and MRs of it: uverbs_std_types_dm.c, hw/mlx5/dm.c. */
#include <errno.h>
#include <linux/capability.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "lib/sim/base/random.h"
#include "lib/sim/call/profile.h"
#include "lib/sim/call/registration.h"
#include "lib/sim/handlers/dm.h"
#include "lib/sim/memory/device_memory.h"
#include "lib/sim/state/account.h"
#include "lib/sim/state/keys.h"

#define BAR_OFFSET 0x1fc0000u /* bytes from the start of the device's BAR to its memory */
#define DM_MR_ACCESS                                                                               \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                            \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                           \
	 IB_UVERBS_ACCESS_ZERO_BASED)

/* Answer the first page, from which libraries compute the offset for mmap(), and where the DM begins in it. */
static int put_page_index(struct sim_call *call, uint16_t page_id, uint16_t offset_id,
			  uint64_t first)
{
	const uint16_t page = (uint16_t)first;
	const uint64_t offset = 0;
	int rc;

	rc = sim_attr_copy(call, page_id, &page, sizeof(page));
	return rc ? rc : sim_attr_copy(call, offset_id, &offset, sizeof(offset));
}

/*
 * check_dm_type_support(): the other types are memory for steering tables, which are not modelled, and not for
 * everybody
 */
static int refuse_steering(enum mr_sim_kernel kernel, uint32_t type)
{
	const uint32_t last = sim_has_change(kernel, SIM_DM_ENCAP) ? 4 : 3;

	return type <= last && !(sim_is_capable(CAP_SYS_RAWIO) && sim_is_capable(CAP_NET_RAW))
		       ? -EPERM
		       : -EOPNOTSUPP;
}

int sim_mlx5_alloc_dm(struct sim_call *call)
{
	const struct ib_uverbs_attr *type = sim_attr(call, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE);
	const uint64_t length = sim_attr_number(call, UVERBS_ATTR_ALLOC_DM_LENGTH);
	const uint32_t alignment = (uint32_t)sim_attr_number(call, UVERBS_ATTR_ALLOC_DM_ALIGNMENT);
	struct sim_object *dm = call->object;
	uint64_t first;
	int rc;

	if (type && type->data > UINT32_MAX)
		return -EINVAL;
	if (type && type->data != MLX5_IB_UAPI_DM_TYPE_MEMIC)
		return refuse_steering(call->table->kernel, (uint32_t)type->data);
	rc = sim_dm_allocate(call->table, length, alignment, &first);
	if (!rc)
		rc = put_page_index(call, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX,
				    MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, first);
	if (rc)
		return rc;
	dm->parent = SIM_NO_HANDLE;
	dm->addr = first;
	dm->length = length;
	dm->iova = sim_random();
	return 0;
}

int sim_mlx5_query_dm(struct sim_call *call)
{
	const struct sim_object *dm = call->object;
	int rc;

	rc = put_page_index(call, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX,
			    MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, dm->addr);
	return rc ? rc
		  : sim_attr_copy(call, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, &dm->length,
				  sizeof(dm->length));
}

/* uverbs_std_types_mr.c UVERBS_METHOD_DM_MR_REG, mlx5_ib_reg_dm_mr() */
int sim_reg_dm_mr(struct sim_call *call)
{
	const uint64_t offset = sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_OFFSET);
	const uint32_t pd = (uint32_t)sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_PD_HANDLE);
	const uint32_t handle = (uint32_t)sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_DM_HANDLE);
	struct sim_mr_request request = {
		.length = sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_LENGTH),
		.flags = SIM_MR_DM,
	};
	const struct sim_object *dm = &call->table->objects[handle];
	const uint32_t dm_length = (uint32_t)dm->length; /* 32 bits, as in struct ib_dm */
	uint32_t key;
	int rc;

	rc = sim_attr_flags(call, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, SIM_ACCESS_KNOWN,
			    &request.access);
	if (!rc && !(request.access & IB_UVERBS_ACCESS_ZERO_BASED))
		rc = -EINVAL;
	if (!rc)
		rc = sim_access_check(call, request.access);
	if (!rc && (offset > dm_length || request.length > dm_length - offset))
		rc = -EINVAL;
	if (!rc && request.access & ~(uint32_t)DM_MR_ACCESS)
		rc = -EINVAL;
	if (rc)
		return rc;
	request.addr = offset;
	/* for QUERY_MR: the region itself is zero-based */
	request.iova = BAR_OFFSET + (dm->addr << SIM_DM_PAGE_SHIFT) + offset;
	key = call->profile->make_key(call->table, SIM_KEY_OF_DEVICE);
	rc = sim_attr_copy(call, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, &key, sizeof(key));
	if (!rc)
		rc = sim_attr_copy(call, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, &key, sizeof(key));
	if (rc)
		return rc;
	sim_mr_fill(call->table, call->created, pd, key, &request);
	call->table->objects[call->created].dm = handle;
	return 0;
}
