// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "lib/diagnose/causes/causes.h"

/* Memory of a GPU that stops a registration. */
struct gpu_memory {
	uint64_t addr;
	const char *node; /* of the GPU's driver, or "cuda:N" */
	const char *is;   /* what is known of the address, a clause */
	bool is_decisive; /* it is of that node, and nothing else can explain the refusal */
	bool is_nvidia;
	const char *module; /* mr_nvidia_module() */
};

static bool find_gpu(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion,
		     struct gpu_memory *gpu)
{
	const struct mr_obstacle *obstacle = mr_obstacle_find(inquiry);
	const struct mr_mapping *node = obstacle ? mr_obstacle_gpu(inquiry, obstacle) : NULL;
	const bool is_reserved = node && node != &obstacle->mapping;

	if (!node)
		return false;
	*gpu = (struct gpu_memory){
		.addr = obstacle->addr,
		.node = node->path,
		.is = is_reserved ? "is reserved in the way that CUDA reserves memory of a GPU"
				  : "is memory of a GPU",
		.is_decisive = obstacle->is_decisive && !is_reserved,
		.is_nvidia =
			!strncmp(node->path, "/dev/nvidia", 11) || !strncmp(node->path, "cuda:", 5)
	};
	if (gpu->is_nvidia)
		gpu->module = mr_nvidia_module(inquiry->host);
	mr_evidence_hex(suspicion, "address", gpu->addr);
	mr_evidence_text(suspicion, "file", "%.90s", gpu->node);
	return true;
}

static void look_at_module(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct gpu_memory gpu;

	if (!find_gpu(inquiry, suspicion, &gpu) || !gpu.is_nvidia)
		return;
	if (gpu.module)
		mr_rule_out(suspicion, "%s is loaded", gpu.module);
	else
		mr_suspect(suspicion, mr_certain_if(gpu.is_decisive),
			   "0x%" PRIx64 " %s (%s), and nvidia_peermem is not loaded", gpu.addr,
			   gpu.is, gpu.node);
}

/* The largest BAR1 of NVIDIA's GPUs, through which RDMA devices reach their memory. */
struct bar_search {
	struct mr_host *host;
	uint64_t largest;
};

static void take_gpu(const struct mr_pci_function *function, void *data)
{
	struct bar_search *search = data;
	uint64_t size;

	if (function->kind != MR_PCI_GPU || function->vendor != MR_PCI_NVIDIA)
		return;
	size = mr_pci_region(search->host, function->address, 1);
	if (size > search->largest)
		search->largest = size;
}

static void look_at_window(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t length = inquiry->range.length;
	struct bar_search search = { inquiry->host, 0 };
	struct gpu_memory gpu;

	if (!find_gpu(inquiry, suspicion, &gpu) || !gpu.module)
		return;
	mr_pci_list(inquiry->host, take_gpu, &search);
	if (!search.largest)
		return;
	mr_evidence_number(suspicion, "bar1", search.largest);
	if (length <= search.largest)
		mr_rule_out(suspicion, "%s fit into BAR1 of %s", MR_SIZE(length),
			    MR_SIZE(search.largest));
	else
		mr_suspect(suspicion, MR_LIKELY,
			   "%s of GPU memory are more than BAR1 of the largest GPU, %s",
			   MR_SIZE(length), MR_SIZE(search.largest));
}

/*
 * Since Linux 6.6 (and in stable kernels from September 2023 on) symbol_get() gives no function that is not exported
 * as GPL (kernel/module/main.c __symbol_get()).  OFED's ib_core does not export it as GPL, and amdgpu uses it.
 */
static void look_at_symbols(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_kernel_version kernel = inquiry->kernel;
	struct gpu_memory gpu;

	if (!find_gpu(inquiry, suspicion, &gpu) || gpu.is_nvidia ||
	    !mr_kernel_is_since(kernel, 6, 6) ||
	    mr_kernel_has_symbol(inquiry->host, "ib_register_peer_memory_client") != MR_YES)
		return;
	mr_suspect(suspicion, MR_LIKELY,
		   "0x%" PRIx64 " %s (%s), and Linux %u.%u does not give the "
		   "GPU's driver ib_register_peer_memory_client, which is not exported as GPL",
		   gpu.addr, gpu.is, gpu.node, kernel.major, kernel.minor);
}

/* The flags of the allocation are unknown: /proc does not show them. */
static void look_at_flags(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct gpu_memory gpu;

	if (find_gpu(inquiry, suspicion, &gpu) && gpu.module)
		mr_suspect(suspicion, MR_POSSIBLE,
			   "0x%" PRIx64
			   " %s (%s), which may come from cuMemCreate without gpuDirectRDMACapable",
			   gpu.addr, gpu.is, gpu.node);
}

static void look_at_pointer(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct gpu_memory gpu;

	if (find_gpu(inquiry, suspicion, &gpu) && (gpu.module || !gpu.is_nvidia))
		mr_suspect(suspicion, MR_LIKELY,
			   "0x%" PRIx64 " %s (%s), which cannot be registered by its address%s%s",
			   gpu.addr, gpu.is, gpu.node, gpu.module ? " with the module " : "",
			   gpu.module ?: "");
}

/* ---- making such memory ------------------------------------------------------------------------------- */

/* A function that the library lacks is named as the call.  /sys/module shows no module in some sandboxes. */
static void look_at_driver(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	if (mr_inquiry_is_call(inquiry, "dlopen"))
		mr_suspect(suspicion, MR_CERTAIN, "CUDA's library cannot be loaded");
	else if (inquiry->refusal->errnum == ENOSYS)
		mr_suspect(suspicion, MR_CERTAIN, "CUDA's library lacks the function %s",
			   inquiry->refusal->call);
	else if (mr_inquiry_is_call(inquiry, "cuInit"))
		mr_suspect(suspicion, MR_LIKELY, "%s",
			   mr_kernel_has_module(inquiry->host, "nvidia")
				   ? "CUDA finds no GPU, or its library does not match the "
				     "kernel module"
				   : "the kernel module nvidia is not loaded");
}

static void look_at_number(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const char *visible = getenv("CUDA_VISIBLE_DEVICES");

	(void)inquiry;
	if (visible)
		mr_evidence_text(suspicion, "visible", "%.90s", visible);
	mr_suspect(suspicion, MR_CERTAIN, "CUDA has no GPU with that number%s%s",
		   visible ? "; CUDA_VISIBLE_DEVICES is " : "", visible ?: "");
}

static void look_at_room(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const uint64_t size = refusal->dmabuf    ? refusal->dmabuf->size
			      : refusal->mapping ? refusal->mapping->length
						 : 0;

	mr_evidence_number(suspicion, "asked", size);
	mr_suspect(suspicion, MR_CERTAIN, "the GPU has no %s of memory free", MR_SIZE(size));
}

static void look_at_export(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const bool is_pcie = inquiry->refusal->dmabuf && inquiry->refusal->dmabuf->data_direct;

	mr_suspect(suspicion, MR_LIKELY, "the driver exports no memory of this GPU%s",
		   is_pcie ? " for PCIe, which Data Direct requires" : " as a dma-buf");
	if (is_pcie)
		mr_suspect_remedy(
			suspicion,
			"register it without --data-direct, which is for GPUs whose memory "
			"is coherent with that of the CPU (CUDA 12.8 or newer)");
}

/* ---- dma-bufs ----------------------------------------------------------------------------------------- */

static bool is_by(const struct mr_inquiry *inquiry, const char *exporter)
{
	return !strncmp(inquiry->dmabuf.exporter, exporter, strlen(exporter));
}

static void look_at_pin(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const bool is_old = mr_inquiry_kernel_since(inquiry, 7, 0) == MR_NO;

	/* mlx5 follows a dma-buf that moves; otherwise dma_buf_pin() calls the exporter. */
	if (inquiry->operation != MR_OP_UMEM_DMABUF && !mr_inquiry_is_data_direct(inquiry) &&
	    mr_inquiry_is_driver(inquiry, "mlx5"))
		return;
	if (is_by(inquiry, "ib_uverbs")) {
		mr_suspect(suspicion, mr_certain_if(mr_inquiry_kernel_is_known(inquiry)),
			   "the dma-buf is memory of an RDMA device, which this call cannot pin");
		mr_suspect_remedy(suspicion,
				  "register it by mrctl reg-dmabuf, without Data Direct");
	} else if (is_by(inquiry, "vfio_pci")) {
		mr_suspect(
			suspicion, is_old ? MR_CERTAIN : MR_POSSIBLE,
			"the dma-buf belongs to a device of VFIO, which %spermits only revocable "
			"use and no pinning",
			is_old ? "before Linux 7.0 " : "");
	} else {
		mr_rule_out(suspicion, "dma-bufs of %s can be pinned", inquiry->dmabuf.exporter);
	}
}

static void look_at_group(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct mr_finding finding;

	if (!is_by(inquiry, "nvidia"))
		return;
	finding = mr_inquiry_check(inquiry, "MR-IOMMU-GROUP", NULL);
	mr_evidence_text(suspicion, "iommu_groups", "%.*s", 100, finding.figure);
	if (finding.verdict == MR_VERDICT_OK)
		mr_rule_out(suspicion, "IOMMU groups: %s", finding.figure);
	else if (finding.verdict != MR_VERDICT_NA)
		mr_suspect(suspicion, mr_likely_if(finding.verdict == MR_VERDICT_WARN),
			   "GPU and RDMA devices have different IOMMU groups");
}

static void look_at_exporter(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmabuf_file *file = &inquiry->dmabuf;
	const struct mr_region_request *request = inquiry->request;
	uint64_t end;

	/* ib_umem_dmabuf_get() checks the range before it calls the exporter. */
	if (inquiry->refusal->errnum == EINVAL && file->size.known &&
	    (__builtin_add_overflow(request->addr, request->length, &end) ||
	     end > file->size.value))
		return;
	mr_evidence_number(suspicion, "size", file->size.value);
	if (inquiry->refusal->errnum == ENOTSUPP_OF_KERNEL)
		mr_suspect(suspicion, MR_LIKELY,
			   "the driver %s, which exported the dma-buf, does not let this device "
			   "attach or map it: it returns the kernel's internal errno 524",
			   file->exporter);
	else
		mr_suspect(suspicion, MR_POSSIBLE,
			   "the driver %s, which exported the dma-buf, may not let this device "
			   "attach or map it",
			   file->exporter);
	/* AMD's driver moves its memory to that of the host where it sees no way between the two PCI devices. */
	if (is_by(inquiry, "nvidia"))
		mr_suspect_remedy(suspicion,
				  "look for NVRM in the kernel's log; use NVIDIA's open kernel "
				  "modules, and memory of cuMemAlloc or cuMemCreate");
	else if (is_by(inquiry, "amdgpu"))
		mr_suspect_remedy(suspicion, "use a kernel with CONFIG_PCI_P2PDMA and "
					     "CONFIG_DMABUF_MOVE_NOTIFY, and a GPU whose whole "
					     "memory is in its BAR");
}

#include "lib/diagnose/causes/gpu_memory.inc"
