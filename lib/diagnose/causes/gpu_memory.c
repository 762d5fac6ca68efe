// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory of GPUs that a process has mapped, registered by its address.  The kernel cannot pin it.  An ib_core of
 * OFED asks the modules then that have registered with it (ib_register_peer_memory_client()); that of Linux
 * itself knows dma-bufs alone.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/diagnose/causes/pinning.h"
#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/host.h"

/* The module that offers memory of NVIDIA's GPUs to ib_core, or NULL. */
static const char *find_module(struct mr_inquiry *inquiry)
{
	static const char *const modules[] = { "nvidia_peermem", "nv_peer_mem" };

	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++)
		if (mr_kernel_has_module(inquiry->host, modules[i]))
			return modules[i];
	return NULL;
}

/* The mapping of a GPU that stops the registration. */
static const struct mr_obstacle *meet_gpu(struct mr_inquiry *inquiry,
					  struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = mr_obstacle_find(inquiry);

	if (!obstacle || obstacle->kind != MR_OBSTACLE_DEVICE ||
	    !mr_is_gpu_mapping(&obstacle->mapping))
		return NULL;
	mr_evidence_hex(suspicion, "address", obstacle->addr);
	mr_evidence_text(suspicion, "file", "%.90s", obstacle->mapping.path);
	return obstacle;
}

static bool is_nvidia(const struct mr_obstacle *obstacle)
{
	return !strncmp(obstacle->mapping.path, "/dev/nvidia", 11) ||
	       !strncmp(obstacle->mapping.path, "cuda:", 5);
}

static void look_at_module(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = meet_gpu(inquiry, suspicion);
	const char *module;

	if (!obstacle || !is_nvidia(obstacle))
		return;
	module = find_module(inquiry);
	if (module)
		mr_rule_out(suspicion, "%s is loaded", module);
	else
		mr_suspect(suspicion, obstacle->is_sure ? MR_CERTAIN : MR_LIKELY,
			   "0x%" PRIx64
			   " is memory of a GPU (%s), and nvidia_peermem is not loaded",
			   obstacle->addr, obstacle->mapping.path);
}

/* The largest BAR1 of NVIDIA's GPUs, through which RDMA devices reach their memory. */
static void take_gpu(const struct mr_pci_function *function, void *data)
{
	struct {
		struct mr_host *host;
		uint64_t largest;
	} *search = data;
	uint64_t size;

	if (function->kind != MR_PCI_GPU || function->vendor != MR_PCI_NVIDIA)
		return;
	size = mr_pci_region(search->host, function->address, 1);
	if (size > search->largest)
		search->largest = size;
}

static void look_at_window(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct {
		struct mr_host *host;
		uint64_t largest;
	} search = { inquiry->host, 0 };
	const struct mr_obstacle *obstacle = meet_gpu(inquiry, suspicion);
	struct mr_range range;

	if (!obstacle || !is_nvidia(obstacle) || !find_module(inquiry) ||
	    !mr_inquiry_range(inquiry, &range))
		return;
	mr_pci_list(inquiry->host, take_gpu, &search);
	if (!search.largest)
		return;
	mr_evidence_number(suspicion, "bar1", search.largest);
	mr_evidence_number(suspicion, "length", range.length);
	if (range.length <= search.largest)
		mr_rule_out(suspicion, "%s fit into BAR1 of %s", mr_size_text(range.length).text,
			    mr_size_text(search.largest).text);
	else
		mr_suspect(suspicion, MR_LIKELY,
			   "%s of GPU memory are more than BAR1 of the largest GPU, %s",
			   mr_size_text(range.length).text, mr_size_text(search.largest).text);
}

/*
 * Since Linux 6.6 (and in stable kernels from September 2023 on) symbol_get() gives no function that is not exported
 * as GPL (kernel/module/main.c __symbol_get()).  That of OFED's ib_core is not, and amdgpu asks for it in this way.
 */
static void look_at_symbols(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = meet_gpu(inquiry, suspicion);
	const struct mr_kernel_version *kernel = mr_inquiry_kernel(inquiry);

	if (!obstacle || is_nvidia(obstacle) || !kernel ||
	    mr_kernel_has_symbol(inquiry->host, "ib_register_peer_memory_client") != MR_YES)
		return;
	mr_evidence_text(suspicion, "kernel", "%u.%u", kernel->major, kernel->minor);
	if (kernel->major > 6 || (kernel->major == 6 && kernel->minor >= 6))
		mr_suspect(
			suspicion, MR_LIKELY,
			"0x%" PRIx64 " is memory of a GPU (%s), and Linux %u.%u does not give the "
			"GPU's driver ib_register_peer_memory_client, which is not exported as GPL",
			obstacle->addr, obstacle->mapping.path, kernel->major, kernel->minor);
}

/* What flags memory was allocated with, /proc does not show. */
static void look_at_flags(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = meet_gpu(inquiry, suspicion);

	if (!obstacle || !is_nvidia(obstacle) || !find_module(inquiry))
		return;
	mr_suspect(suspicion, MR_POSSIBLE,
		   "0x%" PRIx64 " is memory of a GPU (%s), which may be of cuMemCreate without "
		   "gpuDirectRDMACapable",
		   obstacle->addr, obstacle->mapping.path);
}

static void look_at_pointer(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = meet_gpu(inquiry, suspicion);
	const char *module;

	if (!obstacle)
		return;
	module = is_nvidia(obstacle) ? find_module(inquiry) : NULL;
	if (is_nvidia(obstacle) && !module)
		return;
	mr_suspect(suspicion, MR_LIKELY,
		   "0x%" PRIx64
		   " is memory of a GPU (%s), which is not registered by its address%s%s",
		   obstacle->addr, obstacle->mapping.path, module ? ", although there is " : "",
		   module ?: "");
}

const struct mr_cause mr_causes_of_gpu_memory[] = {
	{ .id = "MR-PEER-MEMORY",
	  .is_of_gpu = true,
	  .cured_by = MR_CURED_BY(FRESH_MEMORY),
	  .subject = "memory of a GPU without its module",
	  .operations = MR_ON_LOCKING,
	  .errnums = { EFAULT },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_COMMON,
	  .look = look_at_module,
	  .what = "The range is memory of an NVIDIA GPU, and no module offers such memory to ib_core.",
	  .recognise =
		  "In /proc/PID/maps the address is of /dev/nvidia..., and neither nvidia_peermem "
		  "nor nv_peer_mem is in /sys/module.  mrctl reg --memory cuda:0 makes the same call.",
	  .remedy =
		  "export the memory as a dma-buf and register that (cuMemGetHandleForAddressRange, "
		  "ibv_reg_dmabuf_mr; mrctl reg-dmabuf --from cuda:0 tells whether it works), or "
		  "modprobe nvidia-peermem where ib_core is that of OFED",
	  .sources = "linux-rdma/perftest#126; Mellanox/nv_peer_memory#36; openucx/ucx#11383" },
	{ .id = "MR-GPU-BAR1",
	  .is_of_gpu = true,
	  .subject = "window to the memory of a GPU",
	  .operations = MR_ON_PINNING,
	  .errnums = { EFAULT, ENOMEM },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_window,
	  .what = "RDMA devices reach the memory of a GPU through its BAR1, which has 256 MiB on many "
		  "cards.  All that is registered has to fit into it.",
	  .recognise =
		  "nvidia-smi -q -d MEMORY says \"BAR1 Memory Usage\"; small buffers register, and "
		  "large ones do not: compare mrctl reg --memory cuda:0 --size 64K with the size "
		  "that was refused.",
	  .remedy = "register smaller buffers, switch on Resizable BAR (above 4G decoding) in the "
		    "firmware of the machine, or use a GPU with a large BAR1",
	  .sources = "openucx/ucx#8049; Mellanox/nv_peer_memory#101; openucx/ucx#4513" },
	{ .id = "MR-GPU-POINTER",
	  .is_of_gpu = true,
	  .cured_by = MR_CURED_BY(FRESH_MEMORY),
	  .subject = "memory of a GPU by its address",
	  .operations = MR_ON_PINNING,
	  .errnums = { EFAULT, EINVAL },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_pointer,
	  .what = "The range is memory of a GPU, and no module that offers such memory took it: "
		  "ib_core has no interface for it (that of Linux has not), or the GPU has no "
		  "GPUDirect RDMA.",
	  .recognise = "In /proc/PID/maps the address is of a node of a GPU; /proc/kallsyms has no "
		       "ib_register_peer_memory_client; mrctl reg --memory cuda:0 is refused, and "
		       "mrctl reg-dmabuf --from cuda:0 is not.",
	  .remedy = "export the memory as a dma-buf and register that (ibv_reg_dmabuf_mr)",
	  .sources = "NVIDIA/nccl#1939; flagos-ai/FlagCX#61; ROCm/mori#481" },
	{ .id = "MR-PEER-SYMBOLS",
	  .is_of_gpu = true,
	  .cured_by = MR_CURED_BY(FRESH_MEMORY),
	  .subject = "ib_core's functions for memory of GPUs",
	  .operations = MR_ON_PINNING,
	  .errnums = { EFAULT, EINVAL },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_symbols,
	  .what = "A driver of GPUs or its module did not get ib_register_peer_memory_client.  "
		  "That of Linux has none; a module that was built for another ib_core does not fit; "
		  "and since Linux 6.6 the kernel gives no function that is not exported as GPL to "
		  "those that ask for it at run time, as amdgpu does.",
	  .recognise = "The kernel's log has \"failing symbol_get of non-GPLONLY symbol\", "
		       "\"Unknown symbol ib_register_peer_memory_client\" or \"disagrees about "
		       "version of symbol\".  mrctl reg --memory cuda:0 is refused, too.",
	  .remedy =
		  "register the memory as a dma-buf (mrctl reg-dmabuf --from cuda:0 tells whether "
		  "that works), or build the GPU's driver anew after OFED was installed",
	  .sources = "kernel/module/main.c __symbol_get(); ROCm/mori#560; "
		     "Mellanox/nv_peer_memory#79, Mellanox/nv_peer_memory#8" },
	{ .id = "MR-GPU-NOT-RDMA",
	  .is_of_gpu = true,
	  .cured_by = MR_CURED_BY(FRESH_MEMORY),
	  .subject = "memory of a GPU that was not made for RDMA",
	  .operations = MR_ON_PINNING | MR_ON_DMABUFS,
	  .errnums = { EFAULT, EINVAL },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_flags,
	  .what = "Memory of CUDA's virtual memory API (cuMemCreate, expandable_segments of "
		  "PyTorch) can be registered only where it was made with gpuDirectRDMACapable; on "
		  "machines with an SMMU (GB200) that is so for all memory.",
	  .recognise = "PYTORCH_CUDA_ALLOC_CONF has expandable_segments, or "
		       "CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE is 0.  Memory of "
		       "cuMemAlloc registers: mrctl reg --memory cuda:0.",
	  .remedy = "allocate it with allocFlags.gpuDirectRDMACapable = 1, or unset "
		    "PYTORCH_CUDA_ALLOC_CONF",
	  .sources = "meta-pytorch/torchcomms#1354; openucx/ucx#10007; "
		     "uccl-project/uccl#839; kvcache-ai/Mooncake#2511" },
	{ .id = NULL },
};
