// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sys/ioctl.h>

#include "lib/trace/agent/devx.h"
#include "lib/trace/wire/calls.h"

/* A header of 16 bytes, and struct mlx5_ifc_cmd_hca_cap_bits. */
#define ANSWER_SIZE (16 + 4096)

/* QUERY_HCA_CAP of the general capabilities.  lib/verbs/capabilities.c makes the same call in mrctl's own contexts. */
static int query_capabilities(int fd)
{
	static const uint8_t in[16] = { 0x01, 0x00, [7] = 0x01 };
	static uint8_t out[ANSWER_SIZE]; /* of all threads: nobody reads it */
	/* The header ends with an array of no length, which the attributes follow. */
	union {
		struct ib_uverbs_ioctl_hdr header;
		struct {
			char before[sizeof(struct ib_uverbs_ioctl_hdr)];
			struct ib_uverbs_attr attrs[2];
		};
	} request = {
		.attrs = { { .attr_id = MLX5_IB_ATTR_DEVX_OTHER_CMD_IN,
			     .len = sizeof(in),
			     .flags = UVERBS_ATTR_F_MANDATORY,
			     .data = (uintptr_t)in },
			   { .attr_id = MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT,
			     .len = sizeof(out),
			     .flags = UVERBS_ATTR_F_MANDATORY,
			     .data = (uintptr_t)out } },
	};

	request.header.length = sizeof(request);
	request.header.object_id = MLX5_IB_OBJECT_DEVX;
	request.header.method_id = MLX5_IB_METHOD_DEVX_OTHER;
	request.header.num_attrs = 2;
	request.header.driver_id = RDMA_DRIVER_MLX5;
	return ioctl(fd, RDMA_VERBS_IOCTL, &request.header) ? errno : 0;
}

void devx_note(struct mr_trace_record *record)
{
	const struct ibv_context *context = (const void *)(uintptr_t)record->context;

	if ((record->call != MR_TRACED_MLX5DV_DEVX_UMEM_REG &&
	     record->call != MR_TRACED_MLX5DV_DEVX_UMEM_REG_EX) ||
	    record->errnum != EINVAL)
		return;
	record->devx_errnum = query_capabilities(context->cmd_fd);
	record->flags |= MR_TRACE_HAS_DEVX;
}
