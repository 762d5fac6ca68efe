// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "lib/base/tristate.h"
#include "lib/verbs/capabilities.h"
#include "lib/verbs/drivers.h"
#include "lib/verbs/ioctl.h"

/* Room for struct mlx5_ib_alloc_ucontext_resp, and for what later kernels may add to it. */
#define CONTEXT_ANSWER_SIZE 512

/* struct mlx5_ifc_cmd_hca_cap_bits: its size in bytes, and the numbers of some bits in it. */
#define HCA_CAP_SIZE              4096
#define RELAXED_ORDERING_WRITE    0xe8
#define RELAXED_ORDERING_READ_PCI 0xe9
#define RELAXED_ORDERING_READ     0x32a

enum mr_tristate mr_has_optional_access(const struct mr_uverbs *uverbs)
{
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	uint8_t answer[CONTEXT_ANSWER_SIZE];
	struct mr_error ignored;
	uint64_t support = 0;

	mr_ioctl_add_out(&request, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, &support,
			 sizeof(support));
	if (uverbs->driver_id == RDMA_DRIVER_MLX5)
		mr_ioctl_add_out(&request, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, answer,
				 sizeof(answer));
	if (mr_ioctl_submit(uverbs, &request, "ioctl(QUERY_CONTEXT)", &ignored))
		return MR_UNKNOWN;
	return support & IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS ? MR_YES : MR_NO;
}

/* Bits are numbered from the most significant one of the first byte. */
static bool has_bit(const uint8_t *capabilities, unsigned int bit)
{
	return capabilities[bit / 8] >> (7 - bit % 8) & 1;
}

static enum mr_tristate ask_firmware(const struct mr_uverbs *uverbs)
{
	struct mr_ioctl request = mr_ioctl_new(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER);
	/* The opcode QUERY_HCA_CAP (0x100), and its modifier: the current values of the general ones. */
	const uint8_t in[16] = { 0x01, 0x00, [7] = 0x01 };
	uint8_t out[16 + HCA_CAP_SIZE] = { 0 };
	const uint8_t *capabilities = out + 16;
	struct mr_error ignored;

	mr_ioctl_add_in(&request, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in, sizeof(in));
	mr_ioctl_add_out(&request, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, sizeof(out));
	if (mr_ioctl_submit(uverbs, &request, "ioctl(DEVX_OTHER)", &ignored) || out[0])
		return MR_UNKNOWN;
	if (has_bit(capabilities, RELAXED_ORDERING_WRITE))
		return MR_YES;
	return has_bit(capabilities, RELAXED_ORDERING_READ) ||
			       has_bit(capabilities, RELAXED_ORDERING_READ_PCI)
		       ? MR_UNKNOWN
		       : MR_NO;
}

enum mr_tristate mr_orders_relaxed(const struct mr_uverbs *uverbs)
{
	if (uverbs->driver_id == RDMA_DRIVER_MLX5)
		return ask_firmware(uverbs);
	return mr_driver_find(uverbs->driver_id)->orders_strictly ? MR_NO : MR_UNKNOWN;
}
