// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/verbs/verbs.h"

/* Bits of enum ibv_odp_transport_cap_bits that are newer than rdma-core 44. */
#define ODP_SUPPORT_FLUSH        (1U << 6)
#define ODP_SUPPORT_ATOMIC_WRITE (1U << 7)

/* Bits of enum ib_uverbs_device_cap_flags (rdma/ib_user_verbs.h), newer than rdma-core 44. */
#define DEVICE_FLUSH_GLOBAL     (1ULL << 38)
#define DEVICE_FLUSH_PERSISTENT (1ULL << 39)
#define DEVICE_ATOMIC_WRITE     (1ULL << 40)
#define DEVICE_CC_DMA_BOUNCE    (1ULL << 41)

const struct mr_word mr_odp_general[] = {
	{ "explicit", "of regions that are registered for it", IBV_ODP_SUPPORT },
	{ "implicit", "of the whole address space as one region", IBV_ODP_SUPPORT_IMPLICIT },
	{ .name = NULL },
};

const struct mr_word mr_odp_operations[] = {
	{ "send", "sends", IBV_ODP_SUPPORT_SEND },
	{ "recv", "receives", IBV_ODP_SUPPORT_RECV },
	{ "write", "RDMA writes", IBV_ODP_SUPPORT_WRITE },
	{ "read", "RDMA reads", IBV_ODP_SUPPORT_READ },
	{ "atomic", "atomic operations", IBV_ODP_SUPPORT_ATOMIC },
	{ "srq-recv", "receives by a shared queue", IBV_ODP_SUPPORT_SRQ_RECV },
	{ "flush", "RDMA flushes", ODP_SUPPORT_FLUSH },
	{ "atomic-write", "atomic writes", ODP_SUPPORT_ATOMIC_WRITE },
	{ .name = NULL },
};

const char *mr_atomic_name(uint32_t atomic)
{
	static const char *const names[] = {
		[IBV_ATOMIC_NONE] = "none",
		[IBV_ATOMIC_HCA] = "hca",
		[IBV_ATOMIC_GLOB] = "global",
	};

	return atomic < sizeof(names) / sizeof(*names) ? names[atomic] : NULL;
}

const struct mr_word mr_device_capabilities[] = {
	{ "mem-mgt-extensions", "work requests that register", IBV_DEVICE_MEM_MGT_EXTENSIONS },
	{ "flush-global", "flushes to all", DEVICE_FLUSH_GLOBAL },
	{ "flush-persistent", "flushes to persistent memory", DEVICE_FLUSH_PERSISTENT },
	{ "atomic-write", "atomic writes", DEVICE_ATOMIC_WRITE },
	{ "cc-dma-bounce", "bounce buffers of confidential guests", DEVICE_CC_DMA_BOUNCE },
	{ .name = NULL },
};

const struct mr_word mr_memory_windows[] = {
	{ "1", "type 1", IBV_DEVICE_MEM_WINDOW },
	{ "2a", "type 2A", IBV_DEVICE_MEM_WINDOW_TYPE_2A },
	{ "2b", "type 2B", IBV_DEVICE_MEM_WINDOW_TYPE_2B },
	{ .name = NULL },
};

/* The answers of libibverbs and of the kernel have members of the same names. */
#define ATTRIBUTES(plain, extended)                                                                \
	(struct mr_attributes)                                                                     \
	{                                                                                          \
		.vendor_id = (plain).vendor_id, .vendor_part_id = (plain).vendor_part_id,          \
		.hw_version = (plain).hw_ver, .max_mr_size = (plain).max_mr_size,                  \
		.page_sizes = (plain).page_size_cap, .max_dm_size = (extended).max_dm_size,        \
		.capabilities = (extended).device_cap_flags_ex | (plain).device_cap_flags,         \
		.max_mr = (uint32_t)(plain).max_mr, .max_pd = (uint32_t)(plain).max_pd,            \
		.max_mw = (uint32_t)(plain).max_mw, .max_qp = (uint32_t)(plain).max_qp,            \
		.max_cq = (uint32_t)(plain).max_cq, .max_srq = (uint32_t)(plain).max_srq,          \
		.max_fmr = (uint32_t)(plain).max_fmr,                                              \
		.max_map_per_fmr = (uint32_t)(plain).max_map_per_fmr,                              \
		.max_raw_ipv6_qp = (uint32_t)(plain).max_raw_ipv6_qp,                              \
		.max_raw_ethernet_qp = (uint32_t)(plain).max_raw_ethy_qp,                          \
		.atomic = (plain).atomic_cap,                                                      \
		.odp = {                                                                           \
			(extended).odp_caps.general_caps,                                          \
			(extended).odp_caps.per_transport_caps.rc_odp_caps,                        \
			(extended).odp_caps.per_transport_caps.uc_odp_caps,                        \
			(extended).odp_caps.per_transport_caps.ud_odp_caps,                        \
			(extended).xrc_odp_caps,                                                   \
		},                                                                                 \
	}

int mr_attributes_query(struct ibv_context *context, struct mr_attributes *attributes,
			struct mr_error *err)
{
	/* A library that is older than the header's structure leaves its last members as they are. */
	struct ibv_device_attr_ex extended = { .comp_mask = 0 };
	int rc = ibv_query_device_ex(context, NULL, &extended);

	if (rc)
		return mr_fail(err, MR_ERROR_REFUSED, rc > 0 ? rc : EIO, "ibv_query_device_ex",
			       NULL);
	*attributes = ATTRIBUTES(extended.orig_attr, extended);
	attributes->pci_atomics = (struct mr_pci_atomics){ extended.pci_atomic_caps.fetch_add,
							   extended.pci_atomic_caps.swap,
							   extended.pci_atomic_caps.compare_swap };
	return 0;
}

int mr_attributes_query_kernel(const struct mr_uverbs *uverbs, struct mr_attributes *attributes,
			       struct mr_error *err)
{
	const struct ib_uverbs_ex_query_device in = { .comp_mask = 0 };
	/* An older kernel leaves the last members as they are. */
	struct ib_uverbs_ex_query_device_resp out = { .comp_mask = 0 };
	struct mr_ioctl request = mr_ioctl_new_write(IB_USER_VERBS_EX_CMD_QUERY_DEVICE |
							     IB_USER_VERBS_CMD_FLAG_EXTENDED,
						     &in, sizeof(in), &out, sizeof(out));
	int rc = mr_ioctl_submit(uverbs, &request, "ioctl(QUERY_DEVICE)", err);

	if (rc)
		return rc;
	*attributes = ATTRIBUTES(out.base, out);
	return 0;
}

/* Room for struct mlx5_ib_alloc_ucontext_resp, and for what later kernels may add to it. */
#define CONTEXT_ANSWER_SIZE 512

/* struct mlx5_ifc_cmd_hca_cap_bits: its size in bytes, and the numbers of some bits in it. */
#define HCA_CAP_SIZE              4096
#define RELAXED_ORDERING_WRITE    0xe8
#define RELAXED_ORDERING_READ_PCI 0xe9
#define RELAXED_ORDERING_READ     0x32a

/* An answer of the firmware: its status, 16 bytes in all, and the requested data. */
#define ANSWER_HEADER 16
#define ANSWER_SIZE   (ANSWER_HEADER + HCA_CAP_SIZE)

/*
 * struct mlx5_ifc_odp_cap_bits: the places of the capabilities of RC and DC in those of a scheme of page faults.
 * There are
 * two schemes, one behind the other; the bit shows that the second one is in use.
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

/* The firmware's bits, from @first on, have the order of enum ibv_odp_transport_cap_bits. */
static uint32_t read_operations(const uint8_t *capabilities, unsigned int first)
{
	uint32_t operations = 0;

	for (unsigned int bit = 0; bit < ODP_OPERATIONS; bit++)
		operations |= (uint32_t)has_bit(capabilities, first + bit) << bit;
	return operations;
}

/*
 * Returns which operations of the transport DC may use on-demand paging. Only mlx5 has DC, and no verb reports it, so
 * the firmware is queried, which requires a context with DEVX. Return: whether it is known.
 */
static bool mr_dc_odp_caps(const struct mr_uverbs *uverbs, uint32_t *operations)
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
	uint8_t out[ANSWER_SIZE];
	const uint8_t *capabilities = out + ANSWER_HEADER;

	if (uverbs->driver_id != RDMA_DRIVER_MLX5)
		return mr_driver_find(uverbs->driver_id)->orders_strictly ? MR_NO : MR_UNKNOWN;
	if (!query_hca_cap(uverbs, GENERAL_CAPABILITIES, out))
		return MR_UNKNOWN;
	if (has_bit(capabilities, RELAXED_ORDERING_WRITE))
		return MR_YES;
	return has_bit(capabilities, RELAXED_ORDERING_READ) ||
			       has_bit(capabilities, RELAXED_ORDERING_READ_PCI)
		       ? MR_UNKNOWN
		       : MR_NO;
}

typedef int mr_dv_data_direct_path(struct ibv_context *context, char *path, size_t size);

void mr_data_direct_path(const struct mr_registrar *registrar, char *path, size_t size)
{
	const size_t used = strlen(MR_SYSFS);
	mr_dv_data_direct_path *get;
	struct mr_error ignored;

	if (registrar->via == MR_VIA_KERNEL) {
		mr_uverbs_data_direct_path(registrar->uverbs, path, size, &ignored);
		return;
	}
	memset(path, 0, size);
	get = (mr_dv_data_direct_path *)mr_symbol_find(MR_SYMBOL_DATA_DIRECT_PATH, &ignored);
	if (get && !get(registrar->context, path + used, size - used - 1))
		memcpy(path, MR_SYSFS, used);
}

/* A type of objects that is newer than the headers of Linux 6.1 (rdma/ib_user_ioctl_cmds.h). */
#define OBJECT_DMABUF 18

const struct mr_word mr_reg_mr_ex_words[MR_REG_MR_EX_ANSWERS + 1] = {
	[MR_REG_MR_EX_ABSENT] = MR_WORD("absent", "the library does not have the function"),
	[MR_REG_MR_EX_REFUSED] = MR_WORD("refused", "the provider does not have the function"),
	[MR_REG_MR_EX_EMULATED] = MR_WORD("emulated", "libibverbs calls an older function"),
	[MR_REG_MR_EX_PROVIDER] = MR_WORD("provider", "the provider has the function"),
};

/*
 * The library passes descriptor -1 on, and the kernel looks for the dma-buf last, so EBADF means that all else
 * is right (mlx5_ib mr.c mlx5_ib_reg_user_mr_dmabuf()).
 */
static enum mr_tristate try_dmabuf(struct mr_device *device)
{
	struct mr_error ignored;
	struct ibv_mr *mr;

	if (!device->pd && mr_device_alloc_pd(device, &ignored))
		return MR_UNKNOWN;
	errno = 0;
	mr = ibv_reg_dmabuf_mr(device->pd, 0, 4096, 0, -1, IBV_ACCESS_LOCAL_WRITE);
	if (mr) { /* of a dma-buf that does not exist: the answer means nothing */
		ibv_dereg_mr(mr);
		return MR_UNKNOWN;
	}
	switch (errno) {
	case EBADF:
		return MR_YES;
	case EOPNOTSUPP:      /* provider or driver, or the kernel's configuration */
	case EPROTONOSUPPORT: /* the kernel is older than the method (Linux 5.12) */
		return MR_NO;
	default:
		return MR_UNKNOWN;
	}
}

/* Whether the kernel has a type of objects for this driver: one that a driver has no functions for is removed. */
static enum mr_tristate has_object(const struct mr_uverbs *uverbs, uint16_t object)
{
	struct mr_handles handles;
	struct mr_error ignored;
	int rc = mr_uverbs_list(uverbs, object, &handles, &ignored);

	return !rc ? MR_YES : rc == -ENOENT ? MR_NO : MR_UNKNOWN;
}

enum mr_tristate mr_has_dma_handles(const struct mr_uverbs *uverbs)
{
	return has_object(uverbs, MR_OBJECT_DMAH);
}

/* Only the provider mlx5 of rdma-core 59 to 65 has the operation. */
static enum mr_reg_mr_ex find_reg_mr_ex(const struct mr_environment *environment, bool has_symbol)
{
	const unsigned long release = strtoul(environment->rdma_core, NULL, 10);

	if (!has_symbol)
		return MR_REG_MR_EX_ABSENT;
	if (!strcmp(environment->provider, "mlx5"))
		return MR_REG_MR_EX_PROVIDER;
	if (!release)
		return MR_REG_MR_EX_UNKNOWN;
	return release < 64 ? MR_REG_MR_EX_REFUSED : MR_REG_MR_EX_EMULATED;
}

void mr_features_find(struct mr_device *device, const struct mr_environment *environment,
		      const struct mr_attributes *attributes, enum mr_tristate devx,
		      struct mr_features *features)
{
	uint32_t pd_handle, operations;
	const struct mr_uverbs uverbs = mr_device_uverbs(device, environment, &pd_handle);
	struct mr_error ignored;
	int rc;

	*features = (struct mr_features){ .devx = devx };
	for (enum mr_symbol symbol = MR_SYMBOL_NONE + 1; symbol < MR_SYMBOLS; symbol++)
		features->has_symbol[symbol] = mr_symbol_find(symbol, &ignored) != NULL;
	features->optional_access = mr_has_optional_access(&uverbs);
	features->relaxed_ordering = mr_orders_relaxed(&uverbs);
	features->dmabuf = try_dmabuf(device);
	/*
	 * mlx5_ib refuses a real dma-buf where the device has no on-demand paging, but answers EBADF to descriptor
	 * -1 before that.  Seen on Linux 7.2: tests/cli/probe/sid-mlx5_0-no-odp.
	 */
	if (features->dmabuf == MR_YES && !strcmp(environment->provider, "mlx5") && attributes &&
	    !(attributes->odp.general & IBV_ODP_SUPPORT))
		features->dmabuf = MR_NO;
	rc = mr_uverbs_data_direct_path(&uverbs, features->data_direct_path,
					sizeof(features->data_direct_path), &ignored);
	features->data_direct = !rc || rc == -ENOSPC ? MR_YES
				: rc == -ENODEV || rc == -EOPNOTSUPP || rc == -EPROTONOSUPPORT
					? MR_NO
					: MR_UNKNOWN;
	features->dma_handles = mr_has_dma_handles(&uverbs);
	/* Requirements to export memory of the device; only a trial can show that it works. */
	features->dm_dmabuf = !features->has_symbol[MR_SYMBOL_DM_EXPORT] ||
					      (attributes && !attributes->max_dm_size) ||
					      has_object(&uverbs, OBJECT_DMABUF) == MR_NO
				      ? MR_NO
				      : MR_UNKNOWN;
	features->reg_mr_ex =
		find_reg_mr_ex(environment, features->has_symbol[MR_SYMBOL_REG_MR_EX]);
	features->dc_odp.known = mr_dc_odp_caps(&uverbs, &operations);
	features->dc_odp.value = operations;
}
