// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>

#include "lib/probe/capability.h"
#include "lib/probe/context.h"
#include "lib/verbs/device.h"
#include "lib/verbs/uverbs.h"

/* Linux 6.2 <rdma/ib_user_verbs.h>, enum ib_uverbs_device_cap_flags */
#define FLUSH_GLOBAL     (UINT64_C(1) << 38)
#define FLUSH_PERSISTENT (UINT64_C(1) << 39)

#define WINDOWS_1        ((uint64_t)IBV_DEVICE_MEM_WINDOW)
#define WINDOWS_2        ((uint64_t)(IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B))

static enum mr_tristate yes_if(bool condition)
{
	return condition ? MR_YES : MR_NO;
}

/* hw/mlx5/main.c UVERBS_HANDLER(MLX5_IB_METHOD_GET_DATA_DIRECT_SYSFS_PATH) answers ENODEV where there is none. */
static enum mr_tristate ask_data_direct(const struct mr_probe *probe)
{
	char path[256] = "";
	struct mr_error ignored;

	switch (mr_uverbs_data_direct_path(&probe->uverbs, path, sizeof(path), &ignored)) {
	case 0:
	case -ENOSPC:
		return MR_YES;
	case -ENODEV:
	case -EOPNOTSUPP: /* no device of mlx5 */
		return MR_NO;
	default:
		return MR_UNKNOWN;
	}
}

static enum mr_tristate ask_attributes(const struct mr_attributes *attributes,
				       enum mr_capability capability)
{
	switch (capability) {
	case MR_CAPABILITY_ATOMICS:
		return yes_if(attributes->atomic != IBV_ATOMIC_NONE);
	case MR_CAPABILITY_ODP:
		return yes_if(attributes->odp.general & IBV_ODP_SUPPORT);
	case MR_CAPABILITY_IMPLICIT:
		return yes_if(attributes->odp.general & IBV_ODP_SUPPORT_IMPLICIT);
	case MR_CAPABILITY_WINDOWS:
		return yes_if(attributes->capabilities & (WINDOWS_1 | WINDOWS_2));
	case MR_CAPABILITY_WINDOWS_1:
		return yes_if(attributes->capabilities & WINDOWS_1);
	case MR_CAPABILITY_WINDOWS_2:
		return yes_if(attributes->capabilities & WINDOWS_2);
	case MR_CAPABILITY_FLUSH_GLOBAL:
		return yes_if(attributes->capabilities & FLUSH_GLOBAL);
	case MR_CAPABILITY_FLUSH_PERSISTENT:
		return yes_if(attributes->capabilities & FLUSH_PERSISTENT);
	case MR_CAPABILITY_DM:
		return yes_if(attributes->max_dm_size);
	default:
		return MR_UNKNOWN;
	}
}

enum mr_tristate mr_capability_ask(struct mr_probe *probe, enum mr_capability capability)
{
	switch (capability) {
	case MR_CAPABILITY_NONE:
		return MR_UNKNOWN;
	case MR_CAPABILITY_FORBIDDEN:
		return MR_NO;
	case MR_CAPABILITY_RELAXED:
		return mr_orders_relaxed(&probe->uverbs);
	case MR_CAPABILITY_DATA_DIRECT:
		return ask_data_direct(probe);
	default:
		return probe->has_attributes ? ask_attributes(&probe->attributes, capability)
					     : MR_UNKNOWN;
	}
}
