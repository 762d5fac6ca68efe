// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>

#include "lib/probe/capability.h"
#include "lib/probe/context.h"
#include "lib/verbs/capabilities.h"
#include "lib/verbs/uverbs.h"

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

/* @name: of mr_device_capabilities */
static bool reports(const struct mr_attributes *attributes, const char *name)
{
	for (const struct mr_device_capability *row = mr_device_capabilities; row->name; row++)
		if (!strcmp(row->name, name))
			return attributes->capabilities & row->bit;
	return false;
}

static bool has_windows_2(const struct mr_attributes *attributes)
{
	return reports(attributes, "mem-window-type-2a") ||
	       reports(attributes, "mem-window-type-2b");
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
		return yes_if(reports(attributes, "mem-window") || has_windows_2(attributes));
	case MR_CAPABILITY_WINDOWS_1:
		return yes_if(reports(attributes, "mem-window"));
	case MR_CAPABILITY_WINDOWS_2:
		return yes_if(has_windows_2(attributes));
	case MR_CAPABILITY_FLUSH_GLOBAL:
		return yes_if(reports(attributes, "flush-global"));
	case MR_CAPABILITY_FLUSH_PERSISTENT:
		return yes_if(reports(attributes, "flush-persistent"));
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
