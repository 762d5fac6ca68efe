// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/diagnose/causes/causes.h"
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

/* Whether libmlx5 may have refused the size. */
static bool is_by_libmlx5(const struct mr_inquiry *inquiry)
{
	return is_by_library(inquiry) && mr_inquiry_is_driver(inquiry, "mlx5") &&
	       inquiry->refusal->errnum == EINVAL;
}

/*
 * A device without such memory: mlx5 answers EOPNOTSUPP (hw/mlx5/dm.c check_dm_type_support()), libmlx5 EINVAL to any
 * length (alloc_dm_memic()), and uverbs EPROTONOSUPPORT where the driver has no such method.
 */
static void look_at_none(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const bool is_refused_by_libmlx5 = is_by_libmlx5(inquiry) && refusal->dm_length;
	const uint64_t max = inquiry->attributes.max_dm_size;

	if (is_refused_by_libmlx5)
		suspicion->layer = MR_LAYER_PROVIDER;
	else if (refusal->errnum == EPROTONOSUPPORT)
		suspicion->layer = MR_LAYER_UVERBS;
	if (max)
		mr_rule_out(suspicion, "the device has such memory: at most %s at once",
			    MR_SIZE(max));
	else
		mr_suspect(suspicion, mr_certain_if(is_refused_by_libmlx5),
			   "this device has no device memory (max_dm_size is 0)");
}

/* providers/mlx5/verbs.c alloc_dm_memic(): libmlx5 compares; the kernel leaves it to the firmware. */
static void look_at_size(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t max = inquiry->attributes.max_dm_size, length = inquiry->refusal->dm_length;
	const bool is_certain = is_by_libmlx5(inquiry);

	if (!max)
		return;
	if (!is_certain || !length)
		suspicion->layer = !length || inquiry->refusal->errnum == ENOMEM
					   ? MR_LAYER_DRIVER
					   : MR_LAYER_FIRMWARE;
	mr_evidence_number(suspicion, "asked", length);
	if (!length && mr_inquiry_is_driver(inquiry, "mlx5") &&
	    inquiry->refusal->errnum == EINVAL) {
		mr_suspect(suspicion, MR_CERTAIN,
			   "the request has 0 bytes, which mlx5 does not allocate");
		mr_suspect_remedy(suspicion, "request at least one byte");
		return;
	}
	if (length <= max)
		mr_rule_out(suspicion, "%s is within max_dm_size, %s", MR_SIZE(length),
			    MR_SIZE(max));
	else
		mr_suspect(
			suspicion, mr_certain_if(is_certain),
			"the request has %s, and the device allocates at most %s at once (max_dm_size)",
			MR_SIZE(length), MR_SIZE(max));
	mr_suspect_remedy(suspicion, "request at most %" PRIu64 " bytes", max);
}

static void look_at_rest(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t max = inquiry->attributes.max_dm_size, length = inquiry->refusal->dm_length;

	if (!length || length > max)
		return;
	mr_evidence_number(suspicion, "asked", length);
	mr_suspect(suspicion, MR_POSSIBLE,
		   "%s is within the largest allocation (%s, max_dm_size); the device does not "
		   "report how much is free",
		   MR_SIZE(length), MR_SIZE(max));
}

/* ---- regions ------------------------------------------------------------------------------------ */

static void look_at_zero_based(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->request;

	if (is_by_library(inquiry))
		suspicion->layer = MR_LAYER_LIBIBVERBS;
	if (request->access & MR_ACCESS_ZERO_BASED)
		mr_rule_out(suspicion, "the access has zero-based");
	else
		mr_suspect(suspicion, MR_CERTAIN,
			   "a region on memory of the device requires zero-based, and the access "
			   "lacks it");
}

/* uverbs_std_types_mr.c UVERBS_METHOD_DM_MR_REG: the length is that which was allocated, in 32 bits. */
static void look_at_range(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t addr = inquiry->request->addr, length = inquiry->request->length;
	const uint64_t whole = inquiry->refusal->dm_length;

	if (!whole || whole > UINT32_MAX)
		return;
	mr_evidence_number(suspicion, "offset", addr);
	mr_evidence_number(suspicion, "allocated", whole);
	if (addr <= whole && length <= whole - addr)
		mr_rule_out(suspicion, "the region is within the %" PRIu64 " bytes allocated",
			    whole);
	else
		mr_suspect(suspicion, MR_CERTAIN,
			   "%" PRIu64 " bytes at offset %" PRIu64 " go past the end of the %" PRIu64
			   " bytes allocated",
			   length, addr, whole);
}

/* mlx5_ib_reg_dm_mr(); libmlx5 refuses the same, but for optional flags (MLX5_DM_ALLOWED_ACCESS). */
static void look_at_access(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	uint32_t extra = inquiry->request->access & ~ACCESS_OF_MLX5;
	const char *name;
	char raw[16];

	if (is_by_library(inquiry) && extra & ~MR_ACCESS_OPTIONAL)
		suspicion->layer = MR_LAYER_PROVIDER;
	mr_evidence_hex(suspicion, "not_taken", extra);
	name = mr_access_next(&extra, raw);
	if (!name)
		mr_rule_out(suspicion, "mlx5 accepts all of these flags");
	else
		mr_suspect(suspicion, mr_certain_if(mr_inquiry_kernel_is_known(inquiry)),
			   "mlx5 does not accept %s for memory on the device", name);
	mr_suspect_remedy(suspicion, "omit %s", name ?: "none");
}

#define ADAPTER_PAGE_SHIFT 12 /* MLX5_ADAPTER_PAGE_SHIFT */

/* ---- DEVX ----------------------------------------------------------------------------------------------- */

static void look_at_method(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_uverbs *uverbs = inquiry->refusal->uverbs;
	const struct mr_environment *environment = inquiry->environment;
	int rc;

	mr_evidence_text(suspicion, "driver", "%s", environment->provider);
	if (uverbs->driver_id != RDMA_DRIVER_MLX5) {
		mr_suspect(suspicion, MR_CERTAIN,
			   "umems are objects of mlx5, and the driver of %s is %s",
			   environment->device, environment->provider);
		mr_suspect_remedy(suspicion,
				  "choose an mlx5 device (--device), or register a memory "
				  "region: mrctl reg");
		return;
	}
	rc = mr_devx_try(uverbs);
	if (rc == -EPROTONOSUPPORT)
		mr_suspect(suspicion, MR_CERTAIN,
			   "the driver offers no DEVX for %s, and refuses other DEVX calls, too",
			   environment->device);
	else if (!rc || rc == -EINVAL)
		mr_rule_out(suspicion, "the driver knows other calls of DEVX");
}

/* devx_get_uid(): a context is for DEVX, or is not, from when it was opened. */
static void look_at_context(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_uverbs *uverbs = refusal->is_opened_anew ? NULL : refusal->uverbs;
	int rc;

	/* Answer to another DEVX call in the call's own context */
	if (refusal->devx_errnum.known)
		rc = -(int)refusal->devx_errnum.value;
	else if (uverbs && uverbs->driver_id == RDMA_DRIVER_MLX5)
		rc = mr_devx_try(uverbs);
	else
		return;
	mr_evidence_text(suspicion, "devx_other", "%s", rc ? mr_errno_name(-rc) ?: "?" : "ok");
	if (!rc)
		mr_rule_out(suspicion, "the context accepts other calls of DEVX");
	else if (rc == -EINVAL)
		mr_suspect(suspicion, MR_CERTAIN,
			   "the device was opened without DEVX: the context refuses other calls of "
			   "DEVX, too");
}

/* include/uapi/rdma/mlx5_user_ioctl_cmds.h: attributes of the method, and the releases that brought them. */
static void look_at_attribute(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_kernel_version kernel = inquiry->kernel;
	const bool is_dmabuf = inquiry->operation == MR_OP_UMEM_DMABUF;
	const unsigned int major = is_dmabuf ? 6 : 5, minor = is_dmabuf ? 1 : 11;
	const char *what = is_dmabuf ? "dma-bufs" : "page sizes";

	if (!is_dmabuf && !mr_call_row(inquiry->request->call)->page_sizes)
		return;
	mr_evidence_text(suspicion, "since", "%u.%u", major, minor);
	if (mr_inquiry_is_since(inquiry, major, minor))
		mr_rule_out(suspicion, "this kernel is %u.%u, and Linux supports %s from %u.%u on",
			    kernel.major, kernel.minor, what, major, minor);
	else if (mr_inquiry_has_ofed(inquiry) != MR_NO)
		mr_suspect(suspicion, MR_POSSIBLE,
			   "Linux supports %s of umems from %u.%u on, and the RDMA modules may "
			   "come from OFED, which has its own releases",
			   what, major, minor);
	else
		mr_suspect(suspicion, MR_LIKELY,
			   "this kernel is %u.%u, and Linux supports %s of umems from %u.%u on",
			   kernel.major, kernel.minor, what, major, minor);
}

static void look_at_page_sizes(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->request;
	const uint64_t page_size = mr_page_size(inquiry->host), length = request->length;
	const struct mr_dmabuf_file *file = mr_inquiry_dmabuf(inquiry);
	/* Whether the memory can be pinned, which comes first and is answered otherwise, as far as is known. */
	const bool is_pinned = inquiry->operation == MR_OP_UMEM_DMABUF ? file && file->is_dmabuf
								       : mr_is_pinned(inquiry);
	const char *memory = inquiry->refusal->memory ?: "";
	/* The memory was requested in large pages, so large sizes may fit. */
	const bool may_be_large = !strncmp(memory, "hugetlb", 7) || !strncmp(memory, "thp", 3) ||
				  !strncmp(memory, "heap:", 5);
	/* Sizes that count: from 4 KiB to the length, rounded up to a power of two, or to a page. */
	const unsigned int shift = (unsigned int)__builtin_ctzll(page_size);
	unsigned int order = length > 1 ? 64 - (unsigned int)__builtin_clzll(length - 1) : 0;
	uint64_t sizes;

	if (!mr_call_row(request->call)->page_sizes || !length)
		return;
	order = order < shift ? shift : order;
	sizes = request->page_sizes & (UINT64_MAX << ADAPTER_PAGE_SHIFT) &
		(order > 62 ? UINT64_MAX : (UINT64_C(2) << order) - 1);
	mr_evidence_hex(suspicion, "page_sizes", request->page_sizes);
	mr_evidence_hex(suspicion, "usable_page_sizes", sizes);
	if (!request->page_sizes)
		mr_suspect(suspicion, mr_certain_if(is_pinned), "no page size is allowed");
	else if (!sizes)
		mr_suspect(suspicion, mr_certain_if(is_pinned),
			   "no allowed page size is from 4 KiB to the length, which is %s",
			   MR_SIZE(length));
	else if (sizes & page_size)
		mr_rule_out(suspicion, "pages of %s are allowed, which any memory has",
			    MR_SIZE(page_size));
	else
		mr_suspect(suspicion, mr_likely_if(!may_be_large),
			   "the smallest allowed page size is %s, and the memory may have "
			   "smaller contiguous pieces",
			   MR_SIZE(sizes & -sizes));
	mr_suspect_remedy(suspicion, "allow pages of %s, too: --page-sizes 0x%" PRIx64,
			  MR_SIZE(page_size), request->page_sizes | page_size);
}

/*
 * Opens the device as ibv_open_device() does, which takes a context without DEVX, too, and makes a call of DEVX
 * there.  Return: as mr_devx_try(); -ENODATA where it cannot be opened.
 */
static int try_devx(const struct mr_inquiry *inquiry)
{
	const char *name = inquiry->environment->device;
	struct mr_environment environment;
	struct mr_device device;
	struct mr_uverbs uverbs;
	struct mr_error ignored;
	uint32_t no_pd;
	int rc;

	mr_environment_init(&environment);
	if (inquiry->refusal->is_of_other_process || !name[0] ||
	    mr_is_simulated(inquiry->host) != mr_is_simulated(mr_this_host()) ||
	    mr_device_open_alone(name, false, &device, &environment, &ignored))
		return -ENODATA;
	uverbs = mr_device_uverbs(&device, &environment, &no_pd);
	rc = mr_devx_try(&uverbs);
	mr_device_close(&device);
	return rc;
}

/*
 * mlx5_ib_devx_create() answers EINVAL without log_max_uctx of the firmware, EOPNOTSUPP without the option of the
 * kernel.  In both cases the driver has no calls of DEVX (devx_is_supported()).
 */
static void look_at_devx(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_environment *environment = inquiry->environment;
	int rc;

	if (!mr_inquiry_is_call(inquiry, "mlx5dv_open_device"))
		return;
	mr_evidence_text(suspicion, "firmware", "%s", environment->firmware);
	rc = try_devx(inquiry);
	if (rc != -ENODATA)
		mr_evidence_text(suspicion, "devx_other", "%s",
				 rc ? mr_errno_name(-rc) ?: "?" : "ok");
	if (rc == -EPROTONOSUPPORT)
		mr_suspect(suspicion, MR_CERTAIN,
			   "a context with DEVX was requested, and the driver of %s has no calls "
			   "of DEVX (the device can be opened without DEVX)",
			   environment->device);
	else if (rc == -EINVAL)
		mr_suspect(suspicion, MR_LIKELY,
			   "a context with DEVX was requested, and %s can be opened only without "
			   "DEVX",
			   environment->device);
	else if (!rc)
		mr_rule_out(suspicion, "%s, opened again, accepts calls of DEVX",
			    environment->device);
	else
		mr_suspect(suspicion, MR_POSSIBLE,
			   "a context with DEVX was requested, and firmware %s or the driver may "
			   "not support DEVX",
			   environment->firmware[0] ? environment->firmware : "of unknown version");
}

#include "lib/diagnose/causes/device_memory.inc"
