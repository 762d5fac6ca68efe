// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include "lib/verbs/attributes.h"
#include "lib/verbs/ioctl.h"

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

const struct mr_device_capability mr_device_capabilities[] = {
	{ "mem-mgt-extensions", IBV_DEVICE_MEM_MGT_EXTENSIONS },
	{ "flush-global", DEVICE_FLUSH_GLOBAL },
	{ "flush-persistent", DEVICE_FLUSH_PERSISTENT },
	{ "atomic-write", DEVICE_ATOMIC_WRITE },
	{ "cc-dma-bounce", DEVICE_CC_DMA_BOUNCE },
	{ .name = NULL },
};

const struct mr_device_capability mr_memory_windows[] = {
	{ "1", IBV_DEVICE_MEM_WINDOW },
	{ "2a", IBV_DEVICE_MEM_WINDOW_TYPE_2A },
	{ "2b", IBV_DEVICE_MEM_WINDOW_TYPE_2B },
	{ .name = NULL },
};

int mr_attributes_query(struct ibv_context *context, struct mr_attributes *attributes,
			struct mr_error *err)
{
	/* A library that is older than the header's structure leaves its last members as they are. */
	struct ibv_device_attr_ex extended = { .comp_mask = 0 };
	const struct ibv_device_attr *plain = &extended.orig_attr;
	int rc = ibv_query_device_ex(context, NULL, &extended);

	if (rc)
		return mr_fail(err, MR_ERROR_REFUSED, rc > 0 ? rc : EIO, "ibv_query_device_ex",
			       NULL);
	*attributes = (struct mr_attributes){
		.vendor_id = plain->vendor_id,
		.vendor_part_id = plain->vendor_part_id,
		.hw_version = plain->hw_ver,
		.max_mr_size = plain->max_mr_size,
		.page_sizes = plain->page_size_cap,
		.max_dm_size = extended.max_dm_size,
		.capabilities = extended.device_cap_flags_ex | plain->device_cap_flags,
		.max_mr = (uint32_t)plain->max_mr,
		.max_pd = (uint32_t)plain->max_pd,
		.max_mw = (uint32_t)plain->max_mw,
		.max_qp = (uint32_t)plain->max_qp,
		.max_cq = (uint32_t)plain->max_cq,
		.max_srq = (uint32_t)plain->max_srq,
		.max_fmr = (uint32_t)plain->max_fmr,
		.max_map_per_fmr = (uint32_t)plain->max_map_per_fmr,
		.max_raw_ipv6_qp = (uint32_t)plain->max_raw_ipv6_qp,
		.max_raw_ethernet_qp = (uint32_t)plain->max_raw_ethy_qp,
		.atomic = plain->atomic_cap,
		.pci_atomics = { extended.pci_atomic_caps.fetch_add, extended.pci_atomic_caps.swap,
				 extended.pci_atomic_caps.compare_swap },
		.odp = { extended.odp_caps.general_caps,
			 extended.odp_caps.per_transport_caps.rc_odp_caps,
			 extended.odp_caps.per_transport_caps.uc_odp_caps,
			 extended.odp_caps.per_transport_caps.ud_odp_caps, extended.xrc_odp_caps },
	};
	return 0;
}

int mr_attributes_ask_kernel(const struct mr_uverbs *uverbs, struct mr_attributes *attributes,
			     struct mr_error *err)
{
	const struct ib_uverbs_ex_query_device in = { .comp_mask = 0 };
	/* An older kernel leaves the last members as they are. */
	struct ib_uverbs_ex_query_device_resp out = { .comp_mask = 0 };
	const struct ib_uverbs_query_device_resp *plain = &out.base;
	struct mr_ioctl request = mr_ioctl_new_write(IB_USER_VERBS_EX_CMD_QUERY_DEVICE |
							     IB_USER_VERBS_CMD_FLAG_EXTENDED,
						     &in, sizeof(in), &out, sizeof(out));
	int rc = mr_ioctl_submit(uverbs, &request, "ioctl(QUERY_DEVICE)", err);

	if (rc)
		return rc;
	*attributes = (struct mr_attributes){
		.vendor_id = plain->vendor_id,
		.vendor_part_id = plain->vendor_part_id,
		.hw_version = plain->hw_ver,
		.max_mr_size = plain->max_mr_size,
		.page_sizes = plain->page_size_cap,
		.max_dm_size = out.max_dm_size,
		.capabilities = out.device_cap_flags_ex | plain->device_cap_flags,
		.max_mr = plain->max_mr,
		.max_pd = plain->max_pd,
		.max_mw = plain->max_mw,
		.max_qp = plain->max_qp,
		.max_cq = plain->max_cq,
		.max_srq = plain->max_srq,
		.max_fmr = plain->max_fmr,
		.max_map_per_fmr = plain->max_map_per_fmr,
		.max_raw_ipv6_qp = plain->max_raw_ipv6_qp,
		.max_raw_ethernet_qp = plain->max_raw_ethy_qp,
		.atomic = plain->atomic_cap,
		.odp = { out.odp_caps.general_caps, out.odp_caps.per_transport_caps.rc_odp_caps,
			 out.odp_caps.per_transport_caps.uc_odp_caps,
			 out.odp_caps.per_transport_caps.ud_odp_caps, out.xrc_odp_caps },
	};
	return 0;
}
