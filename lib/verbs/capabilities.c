// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>

#include "lib/base/base.h"
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

/* An answer of the firmware: its status, 16 bytes in all, and what was asked for. */
#define ANSWER_HEADER 16
#define ANSWER_SIZE   (ANSWER_HEADER + HCA_CAP_SIZE)

/*
 * struct mlx5_ifc_odp_cap_bits: where the capabilities of RC and DC stand in those of a scheme of page faults.  There are
 * two schemes, one behind the other; the bit says that the second one is in use.
 */
#define RC_ODP_CAPS     0x80
#define DC_ODP_CAPS     0x100
#define ODP_SCHEME_BITS 0x200
#define MEM_PAGE_FAULT  0x600
#define ODP_OPERATIONS  6

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

/* Which capabilities QUERY_HCA_CAP answers: twice the number of a group, plus 1 for their current values. */
#define GENERAL_CAPABILITIES 0x01
#define ODP_CAPABILITIES     0x05

/* Asks the firmware for a group of capabilities, by a call of DEVX.  Return: 0, or -errno of the call. */
static int submit_query(const struct mr_uverbs *uverbs, uint8_t group, uint8_t out[ANSWER_SIZE])
{
	struct mr_ioctl request = mr_ioctl_new(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER);
	const uint8_t in[16] = { 0x01, 0x00, [7] = group }; /* the opcode is 0x100 */
	struct mr_error ignored;

	memset(out, 0, ANSWER_SIZE);
	mr_ioctl_add_in(&request, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in, sizeof(in));
	mr_ioctl_add_out(&request, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, ANSWER_SIZE);
	return mr_ioctl_submit(uverbs, &request, "ioctl(DEVX_OTHER)", &ignored);
}

/* The same.  Return: whether the firmware answered. */
static bool query_hca_cap(const struct mr_uverbs *uverbs, uint8_t group, uint8_t out[ANSWER_SIZE])
{
	return !submit_query(uverbs, group, out) && !out[0];
}

int mr_devx_try(const struct mr_uverbs *uverbs)
{
	uint8_t out[ANSWER_SIZE];

	return submit_query(uverbs, GENERAL_CAPABILITIES, out);
}

static enum mr_tristate ask_firmware(const struct mr_uverbs *uverbs)
{
	uint8_t out[ANSWER_SIZE];
	const uint8_t *capabilities = out + ANSWER_HEADER;

	if (!query_hca_cap(uverbs, GENERAL_CAPABILITIES, out))
		return MR_UNKNOWN;
	if (has_bit(capabilities, RELAXED_ORDERING_WRITE))
		return MR_YES;
	return has_bit(capabilities, RELAXED_ORDERING_READ) ||
			       has_bit(capabilities, RELAXED_ORDERING_READ_PCI)
		       ? MR_UNKNOWN
		       : MR_NO;
}

/* The firmware's bits, from @first on, have the order of enum ibv_odp_transport_cap_bits. */
static uint32_t read_operations(const uint8_t *capabilities, unsigned int first)
{
	uint32_t operations = 0;

	for (unsigned int bit = 0; bit < ODP_OPERATIONS; bit++)
		operations |= (uint32_t)has_bit(capabilities, first + bit) << bit;
	return operations;
}

bool mr_dc_odp_caps(const struct mr_uverbs *uverbs, uint32_t *operations)
{
	uint8_t out[ANSWER_SIZE];
	const uint8_t *capabilities = out + ANSWER_HEADER;
	unsigned int scheme;

	*operations = 0;
	if (uverbs->driver_id != RDMA_DRIVER_MLX5 || !query_hca_cap(uverbs, ODP_CAPABILITIES, out))
		return false;
	scheme = has_bit(capabilities, MEM_PAGE_FAULT) ? ODP_SCHEME_BITS : 0;
	*operations = read_operations(capabilities, scheme + DC_ODP_CAPS);
	/* All devices that have on-demand paging have it for RC: without, this is no answer. */
	return read_operations(capabilities, scheme + RC_ODP_CAPS);
}

enum mr_tristate mr_orders_relaxed(const struct mr_uverbs *uverbs)
{
	if (uverbs->driver_id == RDMA_DRIVER_MLX5)
		return ask_firmware(uverbs);
	return mr_driver_find(uverbs->driver_id)->orders_strictly ? MR_NO : MR_UNKNOWN;
}
