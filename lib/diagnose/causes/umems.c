// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* DEVX umems: the rules of hw/mlx5/devx.c UVERBS_HANDLER(MLX5_IB_METHOD_DEVX_UMEM_REG). */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/diagnose/causes/pinning.h"
#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"
#include "lib/verbs/device.h"
#include "lib/verbs/uverbs.h"

#define ADAPTER_PAGE_SHIFT 12 /* MLX5_ADAPTER_PAGE_SHIFT */

/* ---- DEVX ----------------------------------------------------------------------------------------------- */

static void look_at_method(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_uverbs *uverbs = inquiry->refusal->uverbs;
	const struct mr_environment *environment = inquiry->refusal->environment;
	int rc;

	if (!uverbs || !environment)
		return;
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
			   "the driver offers no DEVX for %s, so that other calls of DEVX are "
			   "refused as well",
			   environment->device);
	else if (!rc || rc == -EINVAL)
		mr_rule_out(suspicion, "the driver knows other calls of DEVX");
}

/* What another call of DEVX is answered in the call's own context: 0 or -errno.  Return: whether that is known. */
static bool ask_context(const struct mr_refusal *refusal, int *rc)
{
	const struct mr_uverbs *uverbs = refusal->is_opened_anew ? NULL : refusal->uverbs;

	if (refusal->devx_errnum.known)
		*rc = -(int)refusal->devx_errnum.value;
	else if (uverbs && uverbs->driver_id == RDMA_DRIVER_MLX5)
		*rc = mr_devx_try(uverbs);
	else
		return false;
	return true;
}

/* devx_get_uid(): a context is for DEVX, or is not, from when it was opened. */
static void look_at_context(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	int rc;

	if (!ask_context(inquiry->refusal, &rc))
		return;
	mr_evidence_text(suspicion, "devx_other", "%s", rc ? mr_errno_name(-rc) ?: "?" : "ok");
	if (!rc)
		mr_rule_out(suspicion, "the context takes other calls of DEVX");
	else if (rc == -EINVAL)
		mr_suspect(suspicion, MR_CERTAIN,
			   "the device was opened without DEVX: the context refuses other calls of "
			   "DEVX, too");
}

/* include/uapi/rdma/mlx5_user_ioctl_cmds.h: attributes of the method, and the releases that brought them. */
static void look_at_attribute(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->refusal->request;
	const struct mr_kernel_version *kernel = mr_inquiry_kernel(inquiry);
	const bool is_dmabuf = inquiry->operation == MR_OP_UMEM_DMABUF;
	const unsigned int major = is_dmabuf ? 6 : 5, minor = is_dmabuf ? 1 : 11;

	if (!request || !kernel || (!is_dmabuf && !mr_region_has_page_sizes(request->call)) ||
	    !mr_inquiry_is_driver(inquiry, "mlx5"))
		return;
	mr_evidence_text(suspicion, "kernel", "%u.%u", kernel->major, kernel->minor);
	mr_evidence_text(suspicion, "since", "%u.%u", major, minor);
	if (mr_inquiry_kernel_since(inquiry, major, minor) == MR_YES)
		mr_rule_out(suspicion, "this kernel is %u.%u, and Linux takes %s from %u.%u on",
			    kernel->major, kernel->minor, is_dmabuf ? "dma-bufs" : "page sizes",
			    major, minor);
	else if (mr_inquiry_has_ofed(inquiry) != MR_NO)
		mr_suspect(suspicion, MR_POSSIBLE,
			   "Linux takes %s of umems from %u.%u on, and the RDMA modules may be "
			   "those of OFED, of a release of their own",
			   is_dmabuf ? "dma-bufs" : "page sizes", major, minor);
	else
		mr_suspect(suspicion, MR_LIKELY,
			   "this kernel is %u.%u, and Linux takes %s of umems from %u.%u on",
			   kernel->major, kernel->minor, is_dmabuf ? "dma-bufs" : "page sizes",
			   major, minor);
}

/* ---- page sizes ------------------------------------------------------------------------------------------- */

/* Sizes that count: from 4 KiB to the length, rounded up to a power of two, or to a page. */
static uint64_t usable_sizes(const struct mr_region_request *request, uint64_t page_size)
{
	const unsigned int shift = (unsigned int)__builtin_ctzll(page_size);
	unsigned int order =
		request->length > 1 ? 64 - (unsigned int)__builtin_clzll(request->length - 1) : 0;

	if (order < shift)
		order = shift;
	return request->page_sizes & (UINT64_MAX << ADAPTER_PAGE_SHIFT) &
	       (order > 62 ? UINT64_MAX : (UINT64_C(2) << order) - 1);
}

/* Whether the memory was asked for in large pages, so that large sizes may fit. */
static bool may_be_large(const struct mr_refusal *refusal)
{
	const char *memory = refusal->memory ?: "";

	return !strncmp(memory, "hugetlb", 7) || !strncmp(memory, "thp", 3) ||
	       !strncmp(memory, "heap:", 5);
}

/* Whether the memory can be pinned, which comes first and is answered otherwise, as far as is known. */
static bool is_pinned(struct mr_inquiry *inquiry)
{
	const struct mr_dmabuf_file *file = mr_inquiry_dmabuf(inquiry);

	return inquiry->operation == MR_OP_UMEM_DMABUF ? file && file->is_dmabuf
						       : mr_is_pinned(inquiry);
}

/* devx_umem_find_best_pgsize() */
static void look_at_page_sizes(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->refusal->request;
	const uint64_t page_size = mr_page_size(inquiry->host);
	const enum mr_certainty sure = is_pinned(inquiry) ? MR_CERTAIN : MR_LIKELY;
	uint64_t sizes;

	if (!request || !mr_region_has_page_sizes(request->call) || !request->length)
		return;
	sizes = usable_sizes(request, page_size);
	mr_evidence_hex(suspicion, "page_sizes", request->page_sizes);
	mr_evidence_hex(suspicion, "usable_page_sizes", sizes);
	mr_evidence_number(suspicion, "length", request->length);
	if (!request->page_sizes)
		mr_suspect(suspicion, sure, "no page size is allowed");
	else if (!sizes)
		mr_suspect(suspicion, sure,
			   "no page size of 0x%" PRIx64 " is from 4 KiB to the length, which is %s",
			   request->page_sizes, mr_size_text(request->length).text);
	else if (sizes & page_size)
		mr_rule_out(suspicion, "pages of %s, which any memory has, are allowed",
			    mr_size_text(page_size).text);
	else
		mr_suspect(suspicion, may_be_large(inquiry->refusal) ? MR_POSSIBLE : MR_LIKELY,
			   "the smallest page size allowed is %s, and the memory may not lie in "
			   "pieces that large",
			   mr_size_text(sizes & -sizes).text);
	mr_suspect_remedy(suspicion, "allow pages of %s, too: --page-sizes 0x%" PRIx64,
			  mr_size_text(page_size).text, request->page_sizes | page_size);
}

const struct mr_cause mr_causes_of_umems[] = {
	{ .id = "MR-DEVX-METHOD",
	  .subject = "a driver without DEVX",
	  .operations = MR_ON(UMEM) | MR_ON(UMEM_DMABUF),
	  .errnums = { EPROTONOSUPPORT },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_method,
	  .what = "Umems are objects of DEVX, which only mlx5_ib has: where the firmware has user "
		  "contexts (log_max_uctx), and the kernel was built with "
		  "CONFIG_INFINIBAND_USER_ACCESS.",
	  .recognise = "The driver of the device is another one (rdma dev), or mrctl stat --device "
		       "says that it has no DEVX.",
	  .remedy = "enable user contexts in the firmware, or register a memory region: mrctl reg",
	  .sources = "drivers/infiniband/hw/mlx5/devx.c mlx5_ib_devx_is_enabled(); "
		     "drivers/infiniband/core/uverbs_ioctl.c; openucx/ucx#7229" },
	{ .id = "MR-UMEM-ATTRIBUTE",
	  .driver = "mlx5",
	  .subject = "an attribute of umems that the kernel does not know",
	  .operations = MR_ON(UMEM) | MR_ON(UMEM_DMABUF),
	  .errnums = { EPROTONOSUPPORT },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_attribute,
	  .what = "Page sizes and dma-bufs of umems came later than umems.  An older kernel refuses "
		  "the call that has them.",
	  .recognise = "A plain umem can be registered: mrctl umem.",
	  .remedy = "use Linux 6.1 or newer (5.11 for page sizes); or do without: mrctl umem",
	  .sources = "include/uapi/rdma/mlx5_user_ioctl_cmds.h; mlx5dv_devx_umem_reg(3)" },
	{ .id = "MR-DEVX-CONTEXT",
	  .driver = "mlx5",
	  .subject = "a context without DEVX",
	  .operations = MR_ON(UMEM) | MR_ON(UMEM_DMABUF),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_context,
	  .what = "A device is opened with DEVX or without, and umems need a context with it.",
	  .recognise = "Each call of DEVX is EINVAL in that context.",
	  .remedy = "open the device by mlx5dv_open_device() with MLX5DV_CONTEXT_FLAGS_DEVX, as "
		    "mrctl does where the device can",
	  .sources = "mlx5dv_open_device(3); drivers/infiniband/hw/mlx5/devx.c" },
	{ .id = "MR-UMEM-PAGE-SIZES",
	  .driver = "mlx5",
	  .subject = "page sizes that do not fit",
	  .operations = MR_ON(UMEM) | MR_ON(UMEM_DMABUF),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_OCCASIONAL,
	  .cured_by = MR_CURED_BY(ANY_PAGE_SIZE),
	  .look = look_at_page_sizes,
	  .what = "The driver takes the largest page size of the list whose pieces the memory "
		  "consists of.  Sizes below 4 KiB and those larger than the umem do not count.",
	  .recognise = "mrctl umem --try-page-sizes lists the sizes that are taken one by one.",
	  .remedy = "allow pages of 4 KiB, too",
	  .sources = "mlx5dv_devx_umem_reg(3); drivers/infiniband/hw/mlx5/devx.c "
		     "devx_umem_find_best_pgsize()" },
	{ .id = NULL },
};
