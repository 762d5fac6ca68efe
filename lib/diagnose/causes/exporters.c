// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Refusals by the driver that made a dma-buf: it lets nobody attach, pin or map it, or not this device. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/devices.h"

/* The kernel's own errno for what is not supported, which user space does not know (include/linux/errno.h). */
#define ENOTSUPP_OF_KERNEL 524

static const struct mr_dmabuf_file *real_dmabuf(struct mr_inquiry *inquiry)
{
	const struct mr_dmabuf_file *file = mr_inquiry_dmabuf(inquiry);

	return file && file->is_dmabuf && file->exporter[0] ? file : NULL;
}

static bool is_by(const struct mr_dmabuf_file *file, const char *exporter)
{
	return !strncmp(file->exporter, exporter, strlen(exporter));
}

static bool is_data_direct(const struct mr_inquiry *inquiry)
{
	return mr_call_row(inquiry->refusal->request->call)->data_direct;
}

/* ---- pinning ------------------------------------------------------------------------------------------ */

/*
 * Who pins a dma-buf: umems, Data Direct, and each driver but mlx5, which follows one that moves.  dma_buf_pin()
 * asks the exporter.
 */
static bool pins(const struct mr_inquiry *inquiry)
{
	return inquiry->operation == MR_OP_UMEM_DMABUF || is_data_direct(inquiry) ||
	       !mr_inquiry_is_driver(inquiry, "mlx5");
}

static void look_at_pin(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmabuf_file *file = real_dmabuf(inquiry);
	const bool is_known = mr_inquiry_kernel_since(inquiry, 7, 3) == MR_NO;
	const bool is_old = mr_inquiry_kernel_since(inquiry, 7, 0) == MR_NO;

	if (!file || !pins(inquiry))
		return;
	mr_evidence_text(suspicion, "exporter", "%s", file->exporter);
	if (is_by(file, "ib_uverbs")) {
		mr_suspect(suspicion, is_known ? MR_CERTAIN : MR_LIKELY,
			   "the dma-buf is of memory on an RDMA device, which cannot be pinned, "
			   "as this call does");
		mr_suspect_remedy(suspicion,
				  "register it by mrctl reg-dmabuf, without Data Direct");
	} else if (is_by(file, "vfio_pci")) {
		mr_suspect(suspicion, is_old ? MR_CERTAIN : MR_POSSIBLE,
			   "the dma-buf is of a device given to VFIO, which %slets nobody pin it "
			   "who cannot give it back",
			   is_old ? "before Linux 7.0 " : "");
	} else {
		mr_rule_out(suspicion, "dma-bufs by %s can be pinned", file->exporter);
	}
}

/* ---- PCIe mappings of GPU memory ------------------------------------------------------------------------ */

static void look_at_mapping(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmabuf_file *file = real_dmabuf(inquiry);

	if (!file || !is_by(file, "nvidia") || is_data_direct(inquiry))
		return;
	mr_evidence_text(suspicion, "exporter", "%s", file->exporter);
	mr_suspect(suspicion, MR_POSSIBLE,
		   "the dma-buf is of NVIDIA's driver: was it exported for PCIe, which is for Data "
		   "Direct alone?");
}

/* ---- IOMMU ----------------------------------------------------------------------------------------------- */

static bool ask(void (*check)(const struct mr_question *, struct mr_finding *),
		struct mr_inquiry *inquiry, struct mr_finding *finding)
{
	const struct mr_region_request *request = inquiry->refusal->request;
	const struct mr_question question = { .host = inquiry->host,
					      .size = { request->length, true } };

	*finding = (struct mr_finding){ .verdict = MR_VERDICT_NA };
	check(&question, finding);
	return finding->verdict != MR_VERDICT_NA;
}

static void look_at_group(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmabuf_file *file = real_dmabuf(inquiry);
	struct mr_finding finding;

	if (!file || !is_by(file, "nvidia") || !ask(mr_check_iommu_group, inquiry, &finding))
		return;
	mr_evidence_text(suspicion, "exporter", "%s", file->exporter);
	mr_evidence_text(suspicion, "iommu_groups", "%.*s", 100, finding.figure);
	if (finding.verdict == MR_VERDICT_OK)
		mr_rule_out(suspicion, "IOMMU groups: %s", finding.figure);
	else
		mr_suspect(suspicion, finding.verdict == MR_VERDICT_WARN ? MR_LIKELY : MR_POSSIBLE,
			   "GPU and RDMA devices have different IOMMU groups");
}

/* ---- any other reason ---------------------------------------------------------------------------------------- */

/* AMD's driver moves its memory to that of the host where it sees no way between the two PCI devices. */
static void say_what_is_known(const struct mr_dmabuf_file *file, struct mr_suspicion *suspicion)
{
	if (is_by(file, "nvidia"))
		mr_suspect_remedy(suspicion,
				  "look into the kernel's log for NVRM; use NVIDIA's open kernel "
				  "modules, and memory by cuMemAlloc or cuMemCreate");
	else if (is_by(file, "amdgpu"))
		mr_suspect_remedy(suspicion, "use a kernel with CONFIG_PCI_P2PDMA and "
					     "CONFIG_DMABUF_MOVE_NOTIFY, and a GPU whose whole "
					     "memory is in its BAR");
}

/* ib_umem_dmabuf_get() looks at the range before it asks the exporter. */
static bool is_range_refused(const struct mr_inquiry *inquiry, const struct mr_dmabuf_file *file)
{
	const struct mr_region_request *request = inquiry->refusal->request;
	uint64_t end;

	return inquiry->refusal->errnum == EINVAL && file->size.known &&
	       (__builtin_add_overflow(request->addr, request->length, &end) ||
		end > file->size.value);
}

static void look_at_exporter(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmabuf_file *file = real_dmabuf(inquiry);
	const bool is_internal = inquiry->refusal->errnum == ENOTSUPP_OF_KERNEL;

	if (!file || is_range_refused(inquiry, file))
		return;
	mr_evidence_text(suspicion, "exporter", "%s", file->exporter);
	mr_evidence_number(suspicion, "size", file->size.value);
	if (is_internal)
		mr_suspect(suspicion, MR_LIKELY,
			   "the driver %s, which made the dma-buf, lets out the kernel's internal "
			   "errno 524: it does not let this device attach or map it",
			   file->exporter);
	else
		mr_suspect(suspicion, MR_POSSIBLE,
			   "the driver %s, which made the dma-buf, may not let this device attach "
			   "or map it",
			   file->exporter);
	say_what_is_known(file, suspicion);
}

const struct mr_cause mr_causes_of_exporters[] = {
	{ .id = "MR-DMABUF-PIN",
	  .subject = "a dma-buf that cannot be pinned",
	  .operations = MR_ON_DMABUFS,
	  .errnums = { EOPNOTSUPP },
	  .layer = MR_LAYER_DMABUF,
	  .frequency = MR_RARE,
	  .look = look_at_pin,
	  .what = "Umems, Data Direct and most drivers pin a dma-buf for as long as it is "
		  "registered.  Some exporters let nobody do so, as they may have to take it back.",
	  .recognise =
		  "The line exp_name of /proc/PID/fdinfo/N is ib_uverbs or vfio_pci_core; mrctl "
		  "umem --dmabuf udmabuf works on the same device.",
	  .remedy = "register it on an mlx5 device by ibv_reg_dmabuf_mr, which follows a dma-buf "
		    "that is taken back; or use Linux 7.0 or newer",
	  .sources = "drivers/dma-buf/dma-buf.c dma_buf_pin(); drivers/vfio/pci/"
		     "vfio_pci_dmabuf.c; drivers/infiniband/core/uverbs_std_types_dmabuf.c" },
	{ .id = "MR-DMABUF-PCIE",
	  .is_of_gpu = true,
	  .subject = "memory of a GPU exported for PCIe",
	  .operations = MR_ON(REG_DMABUF),
	  .errnums = { EOPNOTSUPP, ENOTSUPP_OF_KERNEL },
	  .layer = MR_LAYER_DMABUF,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_mapping,
	  .what = "Where CPU and GPU have coherent memory, NVIDIA's driver exports a dma-buf for "
		  "the host's mapping or for PCIe.  One for PCIe can be registered by Data Direct "
		  "alone.",
	  .recognise =
		  "The errno is 524, the dma-buf was made with "
		  "CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE, and the call is "
		  "ibv_reg_dmabuf_mr.  mrctl reg-dmabuf --from cuda:0 exports without it, and with "
		  "--data-direct with it.",
	  .remedy = "export it without that flag, or register it with --data-direct",
	  .sources = "openucx/ucx#11571, openucx/ucx#11584" },
	{ .id = "MR-IOMMU-GROUP",
	  .is_of_gpu = true,
	  .subject = "IOMMU groups of GPU and RDMA device",
	  .operations = MR_ON_DMABUFS,
	  .errnums = { EOPNOTSUPP, EINVAL, ENOTSUPP_OF_KERNEL },
	  .layer = MR_LAYER_DMABUF,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_group,
	  .what = "On machines where CPU and GPU have coherent memory, NVIDIA's driver maps its "
		  "dma-bufs only for devices of the same IOMMU group.",
	  .recognise =
		  "mrctl stat --host --only MR-IOMMU-GROUP names both groups; mrctl reg-dmabuf "
		  "--from cuda:0 is refused in the same way.",
	  .remedy = "load nvidia with NVreg_GrdmaPciTopoCheckOverride=1, or set ACS by rdma_topo "
		    "(rdma-core 61)",
	  .sources = "Azure/azhpc-images#589; Documentation/ABI/testing/sysfs-kernel-"
		     "iommu_groups" },
	{ .id = "MR-DMABUF-EXPORTER",
	  .is_of_gpu = true,
	  .subject = "the exporter of the dma-buf",
	  .operations = MR_ON_DMABUFS,
	  .errnums = { EOPNOTSUPP, EINVAL, EBUSY, ENODEV, ENOTSUPP_OF_KERNEL },
	  .layer = MR_LAYER_DMABUF,
	  .frequency = MR_OCCASIONAL,
	  .cured_by = MR_CURED_BY(UDMABUF),
	  .look = look_at_exporter,
	  .what = "The driver that made the dma-buf decides which device may attach, pin and map "
		  "it, and its errno comes out of the registration.",
	  .recognise = "Another dma-buf (mrctl reg-dmabuf --from udmabuf) can be registered on the "
		       "same device; the line exp_name of /proc/PID/fdinfo/N names the exporter.",
	  .remedy = "look into the kernel's log for messages of that driver",
	  .sources =
		  "drivers/dma-buf/dma-buf.c dma_buf_dynamic_attach(), dma_buf_map_attachment(); "
		  "NVIDIA/open-gpu-kernel-modules#1130" },
	{ .id = NULL },
};
