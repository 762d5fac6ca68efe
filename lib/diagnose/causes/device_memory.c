// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory on the device: allocating it, regions on it, and dma-bufs of it. */
#include <errno.h>
#include <inttypes.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/size_text.h"
#include "lib/verbs/verbs.h"

/* hw/mlx5/mlx5_ib.h MLX5_IB_DM_MEMIC_ALLOWED_ACCESS */
#define ACCESS_OF_MLX5                                                                             \
	(MR_ACCESS_LOCAL_WRITE | MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_READ |                  \
	 MR_ACCESS_REMOTE_ATOMIC | MR_ACCESS_ZERO_BASED)

/* Whether a library was called, and the kernel is not known to have refused. */
static bool is_by_library(const struct mr_inquiry *inquiry)
{
	return inquiry->refusal->via == MR_VIA_LIBRARY && inquiry->refusal->by_kernel != MR_YES;
}

/*
 * A device without such memory: mlx5 answers EOPNOTSUPP (hw/mlx5/dm.c check_dm_type_support()), libmlx5 EINVAL to any
 * length (alloc_dm_memic()), and uverbs EPROTONOSUPPORT where the driver has no such method.
 */
static void look_at_none(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_attributes *attributes = mr_inquiry_attributes(inquiry);
	const struct mr_refusal *refusal = inquiry->refusal;
	const bool is_refused_by_libmlx5 = is_by_library(inquiry) &&
					   mr_inquiry_is_driver(inquiry, "mlx5") &&
					   refusal->errnum == EINVAL && refusal->dm_length;

	if (!attributes)
		return;
	if (is_refused_by_libmlx5)
		suspicion->layer = MR_LAYER_PROVIDER;
	else if (refusal->errnum == EPROTONOSUPPORT)
		suspicion->layer = MR_LAYER_UVERBS;
	mr_evidence_number(suspicion, "max_dm_size", attributes->max_dm_size);
	if (attributes->max_dm_size) {
		mr_rule_out(suspicion, "the device has such memory: at most %s at once",
			    mr_size_text(attributes->max_dm_size).text);
		return;
	}
	mr_suspect(suspicion, is_refused_by_libmlx5 ? MR_CERTAIN : MR_LIKELY,
		   "this device has no memory of its own (max_dm_size is 0)");
}

/* providers/mlx5/verbs.c alloc_dm_memic(): libmlx5 compares; the kernel leaves it to the firmware. */
static void look_at_size(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_attributes *attributes = mr_inquiry_attributes(inquiry);
	const uint64_t length = inquiry->refusal->dm_length;
	const bool is_certain = is_by_library(inquiry) && mr_inquiry_is_driver(inquiry, "mlx5") &&
				inquiry->refusal->errnum == EINVAL;

	if (!attributes || !attributes->max_dm_size)
		return;
	if (!is_certain || !length)
		suspicion->layer = !length || inquiry->refusal->errnum == ENOMEM
					   ? MR_LAYER_DRIVER
					   : MR_LAYER_FIRMWARE;
	mr_evidence_number(suspicion, "asked", length);
	mr_evidence_number(suspicion, "max_dm_size", attributes->max_dm_size);
	if (!length && mr_inquiry_is_driver(inquiry, "mlx5") &&
	    inquiry->refusal->errnum == EINVAL) {
		mr_suspect(suspicion, MR_CERTAIN,
			   "this asks for 0 bytes, which mlx5 does not give");
		mr_suspect_remedy(suspicion, "ask for at least one byte");
		return;
	}
	if (length <= attributes->max_dm_size) {
		mr_rule_out(suspicion, "%s is within max_dm_size, %s", mr_size_text(length).text,
			    mr_size_text(attributes->max_dm_size).text);
		return;
	}
	mr_suspect(suspicion, is_certain ? MR_CERTAIN : MR_LIKELY,
		   "this asks for %s, and the device gives at most %s at once (max_dm_size)",
		   mr_size_text(length).text, mr_size_text(attributes->max_dm_size).text);
	mr_suspect_remedy(suspicion, "ask for at most %" PRIu64 " bytes", attributes->max_dm_size);
}

static void look_at_rest(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_attributes *attributes = mr_inquiry_attributes(inquiry);
	const uint64_t length = inquiry->refusal->dm_length;

	if (!attributes || !length || length > attributes->max_dm_size)
		return;
	mr_evidence_number(suspicion, "asked", length);
	mr_evidence_number(suspicion, "max_dm_size", attributes->max_dm_size);
	mr_suspect(suspicion, MR_POSSIBLE,
		   "%s is within what the device gives at once (%s, max_dm_size), and it does not "
		   "tell how much of that is free",
		   mr_size_text(length).text, mr_size_text(attributes->max_dm_size).text);
}

/* ---- regions ------------------------------------------------------------------------------------ */

static const struct mr_region_request *request_of(const struct mr_inquiry *inquiry)
{
	const struct mr_region_request *request = inquiry->refusal->request;

	return request && mr_region_is_dm(request->call) ? request : NULL;
}

/* libibverbs/cmd_mr.c ibv_cmd_reg_dm_mr(), and the kernel's UVERBS_METHOD_DM_MR_REG */
static void look_at_zero_based(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = request_of(inquiry);

	if (!request)
		return;
	if (is_by_library(inquiry))
		suspicion->layer = MR_LAYER_LIBIBVERBS;
	mr_evidence_hex(suspicion, "access", request->access);
	if (request->access & MR_ACCESS_ZERO_BASED)
		mr_rule_out(suspicion, "zero-based was asked for");
	else
		mr_suspect(
			suspicion, MR_CERTAIN,
			"a region on memory of the device needs zero-based, and access lacks it");
}

/* uverbs_std_types_mr.c UVERBS_METHOD_DM_MR_REG: the length is that which was allocated, in 32 bits. */
static void look_at_range(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = request_of(inquiry);
	const uint64_t whole = inquiry->refusal->dm_length;

	if (!request || !whole || whole > UINT32_MAX)
		return;
	mr_evidence_number(suspicion, "offset", request->addr);
	mr_evidence_number(suspicion, "length", request->length);
	mr_evidence_number(suspicion, "allocated", whole);
	if (request->addr <= whole && request->length <= whole - request->addr) {
		mr_rule_out(suspicion, "the region is within the %" PRIu64 " bytes allocated",
			    whole);
		return;
	}
	mr_suspect(suspicion, MR_CERTAIN,
		   "%" PRIu64 " bytes at offset %" PRIu64 " go past the end of the %" PRIu64
		   " bytes allocated",
		   request->length, request->addr, whole);
}

/* mlx5_ib_reg_dm_mr(); libmlx5 refuses the same, but for optional flags (MLX5_DM_ALLOWED_ACCESS). */
static void look_at_access(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = request_of(inquiry);
	const char *name;
	char raw[16];
	uint32_t extra;

	if (!request || !mr_inquiry_is_driver(inquiry, "mlx5"))
		return;
	extra = request->access & ~ACCESS_OF_MLX5;
	if (is_by_library(inquiry) && extra & ~MR_ACCESS_OPTIONAL)
		suspicion->layer = MR_LAYER_PROVIDER;
	mr_evidence_hex(suspicion, "access", request->access);
	mr_evidence_hex(suspicion, "not_taken", extra);
	if (!extra) {
		mr_rule_out(suspicion, "mlx5 takes all of these flags");
		return;
	}
	name = mr_access_next(&extra, raw);
	mr_suspect(suspicion,
		   mr_inquiry_kernel_since(inquiry, 7, 3) == MR_NO ? MR_CERTAIN : MR_LIKELY,
		   "mlx5 takes no %s for memory on the device", name);
	mr_suspect_remedy(suspicion, "leave out %s", name);
}

const struct mr_cause mr_causes_of_device_memory[] = {
	{ .id = "MR-DM-NONE",
	  .subject = "a device without memory of its own",
	  .operations = MR_ON(ALLOC_DM),
	  .errnums = { EOPNOTSUPP, EINVAL, EPROTONOSUPPORT, ENOMEM },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_none,
	  .what = "ibv_alloc_dm(3) allocates memory on the device, which many devices do not have.",
	  .recognise = "ibv_query_device_ex(3) reports a max_dm_size of 0 (mrctl stat --device).",
	  .remedy = "use memory of the host, or a device with memory of its own",
	  .sources = "drivers/infiniband/hw/mlx5/dm.c check_dm_type_support(); ibv_alloc_dm(3)" },
	{ .id = "MR-DM-SIZE",
	  .subject = "more memory than the device gives at once",
	  .operations = MR_ON(ALLOC_DM),
	  .errnums = { EINVAL, ENOMEM, EAGAIN },
	  .layer = MR_LAYER_PROVIDER,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_size,
	  .what = "A piece of memory on the device has at most max_dm_size bytes, and not 0.",
	  .recognise = "The length is larger than max_dm_size (mrctl stat --device).",
	  .remedy = "ask for at most max_dm_size bytes",
	  .sources = "rdma-core: providers/mlx5/verbs.c alloc_dm_memic(); ibv_alloc_dm(3)" },
	{ .id = "MR-DM-FULL",
	  .subject = "memory of the device that others have",
	  .operations = MR_ON(ALLOC_DM),
	  .errnums = { ENOMEM },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_RARE,
	  .look = look_at_rest,
	  .what = "All processes share the memory on a device, and it does not tell how much of it "
		  "is free.",
	  .recognise = "The length is within max_dm_size, and a smaller one succeeds.",
	  .remedy = "ask for less, or end the programs that have memory on the device",
	  .sources = "drivers/infiniband/hw/mlx5/dm.c mlx5_cmd_alloc_memic()" },
	{ .id = "MR-DM-ZERO-BASED",
	  .subject = "a region on memory of the device that is not zero-based",
	  .operations = MR_ON(REG_DM),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_zero_based,
	  .what = "Memory on the device has no address in the process, so regions on it count from "
		  "0 and need the flag zero-based.",
	  .recognise = "The access flags of the call.",
	  .remedy = "add zero-based to the access",
	  .sources = "drivers/infiniband/core/uverbs_std_types_mr.c UVERBS_METHOD_DM_MR_REG; "
		     "rdma-core: libibverbs/cmd_mr.c ibv_cmd_reg_dm_mr()" },
	{ .id = "MR-DM-RANGE",
	  .subject = "a region beyond the end of the memory on the device",
	  .operations = MR_ON(REG_DM),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_range,
	  .what = "A region lies all within the memory that was allocated on the device.",
	  .recognise = "Offset and length together are more than the length that was allocated.",
	  .remedy = "shorten the region, or allocate more",
	  .sources = "drivers/infiniband/core/uverbs_std_types_mr.c UVERBS_METHOD_DM_MR_REG" },
	{ .id = "MR-DM-ACCESS",
	  .subject = "access flags that memory on the device does not take",
	  .operations = MR_ON(REG_DM),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_RARE,
	  .look = look_at_access,
	  .what = "Beside zero-based, mlx5 takes local-write, remote-read, remote-write and "
		  "remote-atomic for a region on its memory.",
	  .recognise = "The access flags of the call.",
	  .remedy = "leave out the other flags",
	  .sources = "drivers/infiniband/hw/mlx5/mr.c mlx5_ib_reg_dm_mr(), mlx5_ib.h "
		     "MLX5_IB_DM_MEMIC_ALLOWED_ACCESS" },
	{ .id = NULL },
};
