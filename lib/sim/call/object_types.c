// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The types of objects that the kernel knows (uverbs_uapi.c), and those of their methods that the
 * simulator does not model; uverbs/methods.c has the methods that it does.
 *
 * The kernel disables the types that no method of the driver creates, and those that the device lacks
 * (uapi_finalize_disable()).  On these devices they are work queues, packet pacing and more, and have
 * no row.
 */
#include <stddef.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "lib/sim/base/abi.h"
#include "lib/sim/base/environment.h"
#include "lib/sim/call/object_types.h"
#include "lib/sim/call/profile.h"

#define DRIVER_SPACE 0x1000 /* 1U << UVERBS_ID_NS_SHIFT: the first id of a driver's own */

static const struct object_type {
	uint16_t object;
	uint16_t core;  /* bit i: method i exists and is not modelled */
	uint16_t mlx5;  /* bit i: the same of mlx5's method DRIVER_SPACE + i */
	bool mlx5_only; /* no other driver has the type */
	bool tph_only;  /* only devices with TPH have it */
	enum sim_change since;
} types[] = {
	{ UVERBS_OBJECT_DEVICE, .core = 0x7f, .mlx5 = 0x1 },
	{ UVERBS_OBJECT_DEVICE, .core = 0x80, .since = SIM_PORT_SPEED },
	{ UVERBS_OBJECT_PD, .mlx5 = 0x1 },
	{ UVERBS_OBJECT_COMP_CHANNEL, .core = 0 },
	{ UVERBS_OBJECT_CQ, .core = 0x3 },
	{ UVERBS_OBJECT_QP, .core = 0x3 },
	{ UVERBS_OBJECT_SRQ, .core = 0x3 },
	{ UVERBS_OBJECT_AH, .core = 0x1 },
	{ UVERBS_OBJECT_MR, .core = 0 },
	{ UVERBS_OBJECT_DM, .mlx5 = 0x1, .mlx5_only = true },
	{ UVERBS_OBJECT_MW, .core = 0 },
	{ UVERBS_OBJECT_FLOW, .core = 0x1, .mlx5 = 0x3, .mlx5_only = true },
	{ UVERBS_OBJECT_XRCD, .core = 0x1, .mlx5_only = true },
	{ UVERBS_OBJECT_FLOW_ACTION, .core = 0x2, .mlx5 = 0x3, .mlx5_only = true },
	{ UVERBS_OBJECT_COUNTERS, .core = 0x7, .mlx5_only = true },
	{ UVERBS_OBJECT_ASYNC_EVENT, .core = 0 },
	{ SIM_OBJECT_DMAH, .mlx5_only = true, .tph_only = true, .since = SIM_DMAH },
	{ SIM_OBJECT_DMABUF, .mlx5_only = true, .since = SIM_DMABUF_EXPORT },
	{ MLX5_IB_OBJECT_DEVX, .mlx5 = 0xf, .mlx5_only = true },
	{ MLX5_IB_OBJECT_DEVX_OBJ, .mlx5 = 0x1f, .mlx5_only = true },
	{ MLX5_IB_OBJECT_DEVX_UMEM, .mlx5 = 0x3, .mlx5_only = true },
	{ MLX5_IB_OBJECT_FLOW_MATCHER, .mlx5 = 0x3, .mlx5_only = true },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, .mlx5 = 0x1, .mlx5_only = true },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, .mlx5 = 0x1, .mlx5_only = true },
	{ MLX5_IB_OBJECT_UAR, .mlx5_only = true },
};
#define TYPES (sizeof(types) / sizeof(types[0]))

static bool is_type_for(const struct object_type *type, const struct sim_call *call,
			uint16_t object)
{
	return type->object == object &&
	       (!type->mlx5_only || call->profile->driver_id == RDMA_DRIVER_MLX5) &&
	       (!type->tph_only || sim_has_tph()) &&
	       sim_has_change(call->table->kernel, type->since);
}

bool sim_is_object_type(const struct sim_call *call, uint16_t object)
{
	size_t i;

	for (i = 0; i < TYPES; i++)
		if (is_type_for(&types[i], call, object))
			return true;
	return false;
}

bool sim_is_unmodelled_method(const struct sim_call *call, uint16_t object, uint16_t method)
{
	const unsigned int space = method & UVERBS_ID_NS_MASK;
	const unsigned int bit = method & (unsigned int)~UVERBS_ID_NS_MASK;
	const bool of_driver = space;
	size_t i;

	if (bit >= 16 ||
	    (of_driver && (call->profile->driver_id != RDMA_DRIVER_MLX5 || space != DRIVER_SPACE)))
		return false;
	for (i = 0; i < TYPES; i++)
		if (is_type_for(&types[i], call, object) &&
		    (of_driver ? types[i].mlx5 : types[i].core) >> bit & 1)
			return true;
	return false;
}
