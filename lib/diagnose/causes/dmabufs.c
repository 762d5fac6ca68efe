// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Registering dma-bufs: what the descriptor is, the range in it, and what the driver needs for it.  The order is
 * that of hw/mlx5/mr.c mlx5_ib_reg_user_mr_dmabuf() and core/umem_dmabuf.c ib_umem_dmabuf_get().
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"
#include "lib/verbs/device.h"
#include "lib/verbs/uverbs.h"

/* <infiniband/verbs.h> enum ibv_odp_general_caps */
#define ODP_SUPPORT  (1U << 0)
#define ODP_IMPLICIT (1U << 1)

static bool is_data_direct(const struct mr_inquiry *inquiry)
{
	const struct mr_region_request *request = inquiry->refusal->request;

	return request && mr_call_row(request->call)->data_direct;
}

/* ---- the driver ------------------------------------------------------------------------------------ */

/* Whether the running kernel was built without on-demand paging.  What is simulated is not the running kernel. */
static bool is_built_without_odp(struct mr_inquiry *inquiry)
{
	const struct mr_environment *environment = inquiry->refusal->environment;
	struct mr_kernel_option option = { .name = "INFINIBAND_ON_DEMAND_PAGING" };
	char release[65], path[128];

	return !(environment && environment->simulated) &&
	       mr_kernel_release(inquiry->host, release, sizeof(release)) &&
	       !mr_kernel_options_read(inquiry->host, release, &option, 1, path, sizeof(path)) &&
	       option.is_on == MR_NO;
}

/*
 * mlx5r_odp_create_eq(): the driver follows a dma-buf that moves as it follows on-demand paging.  Before Linux 7.2
 * it did not look whether the device can.  Data Direct pins the dma-buf, and needs no more than the option of the
 * kernel.
 */
static void look_at_odp(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_attributes *attributes = mr_inquiry_attributes(inquiry);

	if (!mr_inquiry_is_driver(inquiry, "mlx5") || !attributes)
		return;
	mr_evidence_hex(suspicion, "odp_general_caps", attributes->odp.general);
	if (attributes->odp.general & ODP_SUPPORT) {
		mr_rule_out(suspicion, "the device has on-demand paging");
	} else if (is_built_without_odp(inquiry)) {
		mr_evidence_text(suspicion, "CONFIG_INFINIBAND_ON_DEMAND_PAGING", "n");
		/* The modules of OFED were built with options of their own. */
		mr_suspect(suspicion,
			   mr_inquiry_has_ofed(inquiry) == MR_NO ? MR_CERTAIN : MR_LIKELY,
			   "mlx5 needs on-demand paging for dma-bufs, and this kernel was built "
			   "without CONFIG_INFINIBAND_ON_DEMAND_PAGING");
		mr_suspect_remedy(suspicion, "use a kernel with that option");
	} else if (!is_data_direct(inquiry)) {
		mr_suspect(suspicion,
			   mr_inquiry_kernel_since(inquiry, 7, 2) == MR_YES ? MR_CERTAIN
									    : MR_LIKELY,
			   "mlx5 needs on-demand paging for dma-bufs, and the device reports none");
	}
}

/* mlx5/umr.h MLX5_MAX_UMR_PAGES */
#define UMR_PAGES ((UINT64_C(1) << 16) - 0x40)

/*
 * mlx5r_umr_can_load_pas().  The driver reports explicit ODP only where UMR can load translations, and implicit
 * ODP only where it can do so at an extended offset: mlx5/odp.c internal_fill_odp_caps().
 */
static void look_at_umr(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_attributes *attributes = mr_inquiry_attributes(inquiry);
	const struct mr_region_request *request = inquiry->refusal->request;
	const uint64_t most = UMR_PAGES * mr_page_size(inquiry->host);

	if (!mr_inquiry_is_driver(inquiry, "mlx5") || !request)
		return;
	mr_evidence_number(suspicion, "length", request->length);
	if (attributes)
		mr_evidence_hex(suspicion, "odp_general_caps", attributes->odp.general);
	if (attributes && !(attributes->odp.general & ODP_SUPPORT))
		mr_suspect(suspicion, MR_LIKELY,
			   "mlx5 writes the addresses of a dma-buf by UMR, and the device, which "
			   "reports no on-demand paging either, may not allow that");
	else if (attributes && (attributes->odp.general & ODP_IMPLICIT || request->length < most))
		mr_rule_out(suspicion, "the device has on-demand paging, which needs UMR, too");
	else if (request->length >= most)
		mr_suspect(
			suspicion, MR_POSSIBLE,
			"the length is %s, and without extended offsets UMR reaches less than %s",
			mr_size_text(request->length).text, mr_size_text(most).text);
}

/* ---- Data Direct ------------------------------------------------------------------------------------- */

/* reg_user_mr_dmabuf_by_data_direct() */
static void look_at_data_direct_iova(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->refusal->request;
	const uint64_t page_size = mr_page_size(inquiry->host);

	if (!is_data_direct(inquiry) || !mr_inquiry_is_driver(inquiry, "mlx5"))
		return;
	mr_evidence_hex(suspicion, "iova", request->iova);
	mr_evidence_number(suspicion, "page_size", page_size);
	if (!(request->iova & (page_size - 1))) {
		mr_rule_out(suspicion, "the IOVA is at the start of a page");
		return;
	}
	mr_suspect(suspicion, MR_CERTAIN,
		   "the IOVA 0x%" PRIx64 " is not at the start of a page, as Data Direct needs it",
		   request->iova);
	mr_suspect_remedy(suspicion,
			  "register from --offset 0x%" PRIx64 " with --iova 0x%" PRIx64
			  ", and %" PRIu64 " bytes more",
			  request->addr & ~(page_size - 1), request->iova & ~(page_size - 1),
			  request->iova & (page_size - 1));
}

static void look_at_data_direct(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_uverbs *uverbs = inquiry->refusal->uverbs;
	struct mr_error ignored;
	char path[256];
	int rc;

	if (!is_data_direct(inquiry) || !mr_inquiry_is_driver(inquiry, "mlx5") || !uverbs)
		return;
	rc = mr_uverbs_data_direct_path(uverbs, path, sizeof(path), &ignored);
	if (!rc) {
		mr_evidence_text(suspicion, "data_direct", "%.*s", 100, path);
		mr_rule_out(suspicion, "the Data Direct device is there");
	} else if (rc == -ENODEV) {
		mr_evidence_text(suspicion, "data_direct", "none");
		mr_suspect(suspicion, MR_CERTAIN, "%s has no Data Direct device bound to it",
			   inquiry->refusal->environment->device);
	}
}

/* ---- the descriptor and the range ------------------------------------------------------------------- */

/* drivers/dma-buf/dma-buf.c dma_buf_get(); fget() finds no file that was opened by O_PATH. */
static void look_at_file(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmabuf_file *file = mr_inquiry_dmabuf(inquiry);
	const int errnum = inquiry->refusal->errnum;
	const int fd = file ? inquiry->refusal->request->fd : -1;

	if (!file)
		return;
	mr_evidence_number(suspicion, "fd", (uint64_t)fd);
	mr_evidence_text(suspicion, "file", "%s", file->target);
	if (file->is_dmabuf && errnum == EINVAL)
		mr_rule_out(suspicion, "descriptor %d is a dma-buf (%s)", fd,
			    file->exporter[0] ? file->exporter : "simulated");
	else if (file->is_path && errnum == EBADF)
		mr_suspect(suspicion, MR_CERTAIN,
			   "descriptor %d (%s) was opened by O_PATH, which opens no file", fd,
			   file->target);
	else if (!file->is_dmabuf && !file->is_path && errnum == EINVAL)
		mr_suspect(suspicion, MR_CERTAIN, "descriptor %d is %s, which is no dma-buf", fd,
			   file->target[0] ? file->target : "another file");
}

/* ib_umem_dmabuf_get(): offset + length must not wrap, nor go past the end; there must be a page. */
static void look_at_range(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->refusal->request;
	const struct mr_dmabuf_file *file = mr_inquiry_dmabuf(inquiry);
	const uint64_t page_size = mr_page_size(inquiry->host);
	uint64_t end;

	if (!request || !mr_region_is_dmabuf(request->call))
		return;
	mr_evidence_number(suspicion, "offset", request->addr);
	mr_evidence_number(suspicion, "length", request->length);
	if (__builtin_add_overflow(request->addr, request->length, &end)) {
		mr_suspect(suspicion, MR_CERTAIN, "offset and length together exceed 64 bits");
		return;
	}
	if (!request->length)
		mr_suspect(suspicion, request->addr & (page_size - 1) ? MR_LIKELY : MR_CERTAIN,
			   "the length is 0, and there is no page to register");
	if (!file || !file->is_dmabuf || !file->size.known)
		return;
	mr_evidence_number(suspicion, "size", file->size.value);
	if (end > file->size.value) {
		mr_suspect(suspicion, MR_CERTAIN,
			   "the range ends %" PRIu64 " bytes into a dma-buf of %" PRIu64 " (%s)",
			   end, file->size.value, mr_size_text(file->size.value).text);
		if (request->addr < file->size.value)
			mr_suspect_remedy(suspicion, "register at most --size %" PRIu64 " there",
					  file->size.value - request->addr);
		else
			mr_suspect_remedy(suspicion, "begin before its end");
	} else if (request->length) {
		mr_rule_out(suspicion, "the range is in the dma-buf, which has %" PRIu64 " bytes",
			    file->size.value);
	}
}

const struct mr_cause mr_causes_of_dmabufs[] = {
	{ .id = "MR-DMABUF-ODP",
	  .subject = "dma-bufs without on-demand paging",
	  .operations = MR_ON(REG_DMABUF),
	  .errnums = { EOPNOTSUPP },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_odp,
	  .what = "mlx5 registers dma-bufs by what it has for on-demand paging.  It needs a kernel "
		  "with CONFIG_INFINIBAND_ON_DEMAND_PAGING, and, from Linux 7.2 on, a device with "
		  "ODP.",
	  .recognise =
		  "mrctl stat --device shows \"general: none\" for on-demand paging, and mrctl stat --host says "
		  "MR-ODP and MR-KERNEL-CONFIG; mrctl reg-dmabuf --from udmabuf is refused, too.",
	  .remedy = "enable on-demand paging in the device's firmware, or use another device",
	  .sources = "drivers/infiniband/hw/mlx5/mr.c mlx5_ib_reg_user_mr_dmabuf(); "
		     "drivers/infiniband/hw/mlx5/odp.c mlx5r_odp_create_eq()" },
	{ .id = "MR-DMABUF-UMR",
	  .driver = "mlx5",
	  .subject = "UMR that cannot load the addresses of a dma-buf",
	  .operations = MR_ON(REG_DMABUF),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_RARE,
	  .look = look_at_umr,
	  .what = "mlx5 has the device itself write the addresses of a dma-buf into its table "
		  "(UMR).  Some functions may not do that, or not for a long range.",
	  .recognise = "The device reports no on-demand paging, which needs UMR as well; a short "
		       "range of a dma-buf is refused like a long one: mrctl reg-dmabuf --from "
		       "udmabuf --size 64K.",
	  .remedy = "register parts of less than 255 MiB, or use another function of the device",
	  .sources = "drivers/infiniband/hw/mlx5/umr.h mlx5r_umr_can_load_pas()" },
	{ .id = "MR-DATA-DIRECT-IOVA",
	  .driver = "mlx5",
	  .subject = "an I/O virtual address that Data Direct cannot have",
	  .operations = MR_ON(REG_DMABUF),
	  .errnums = { EOPNOTSUPP },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_OCCASIONAL,
	  .cured_by = MR_CURED_BY(NO_DATA_DIRECT),
	  .look = look_at_data_direct_iova,
	  .what = "A region by Data Direct begins at the start of a page, in the dma-buf and in "
		  "the addresses of the HCA.  The errno does not mean that Data Direct is missing.",
	  .recognise = "The lower 12 bits of the IOVA are not 0 (with pages of 4 KiB).",
	  .remedy = "begin at the start of a page, and register what is before the data as well",
	  .sources = "drivers/infiniband/hw/mlx5/mr.c reg_user_mr_dmabuf_by_data_direct(); "
		     "meta-pytorch/torchcomms#3027" },
	{ .id = "MR-DATA-DIRECT",
	  .driver = "mlx5",
	  .subject = "an HCA without its Data Direct device",
	  .operations = MR_ON(REG_DMABUF),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_OCCASIONAL,
	  .cured_by = MR_CURED_BY(NO_DATA_DIRECT),
	  .look = look_at_data_direct,
	  .what = "Data Direct is a second PCI function of the HCA.  mlx5_ib has bound none to "
		  "this device: there is none, or its driver was removed from it.",
	  .recognise = "mlx5dv_get_data_direct_sysfs_path answers ENODEV; mrctl shows no "
		       "data_direct.",
	  .remedy = "register without --data-direct; or look whether lspci shows the function",
	  .sources = "mlx5dv_reg_dmabuf_mr(3); drivers/infiniband/hw/mlx5/data_direct.c; "
		     "NVIDIA/nccl#1866" },
	{ .id = "MR-DMABUF-FILE",
	  .subject = "a descriptor that is no dma-buf",
	  .operations = MR_ON_DMABUFS,
	  .errnums = { EINVAL, EBADF },
	  .layer = MR_LAYER_DMABUF,
	  .frequency = MR_OCCASIONAL,
	  .cured_by = MR_CURED_BY(UDMABUF),
	  .look = look_at_file,
	  .what = "The descriptor stands for another kind of file.  Only files that a driver "
		  "exported as dma-bufs can be registered by their descriptor.",
	  .recognise =
		  "/proc/PID/fdinfo/N of a dma-buf has a line exp_name; mrctl reg-dmabuf --from "
		  "fd:3 registers the descriptor 3 that it inherits.",
	  .remedy = "export the memory as a dma-buf (of a GPU, by udmabuf, or by a dma-heap), and "
		    "give that descriptor",
	  .sources = "drivers/dma-buf/dma-buf.c dma_buf_get()" },
	{ .id = "MR-DMABUF-RANGE",
	  .subject = "a range that is not in the dma-buf",
	  .operations = MR_ON_DMABUFS,
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_DMABUF,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_range,
	  .what = "The range must be in the dma-buf, and have at least one byte.  A GPU's memory "
		  "that was allocated as a part of something is exported as a whole: the offset "
		  "counts from the start of the whole.",
	  .recognise =
		  "Offset and length together are more than the line size of "
		  "/proc/PID/fdinfo/N; mrctl reg-dmabuf --from udmabuf --size 64K is not refused.",
	  .remedy = "give a length of at least 1, and an offset from the start of the dma-buf",
	  .sources = "drivers/infiniband/core/umem_dmabuf.c ib_umem_dmabuf_get(); "
		     "kvcache-ai/Mooncake#2035" },
	{ .id = NULL },
};
