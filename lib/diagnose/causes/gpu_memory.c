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
#include "lib/host/pci.h"

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
	  .operations = MR_ON_PINNING,
	  .errnums = { EFAULT },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_COMMON,
	  .look = look_at_module,
	  .what = "The range is memory of an NVIDIA GPU, and no module offers such memory to ib_core.",
	  .recognise =
		  "In /proc/PID/maps the address is of /dev/nvidia..., and neither nvidia_peermem "
		  "nor nv_peer_mem is in /sys/module.",
	  .remedy =
		  "export the memory as a dma-buf and register that (cuMemGetHandleForAddressRange, "
		  "ibv_reg_dmabuf_mr), or modprobe nvidia-peermem where ib_core is that of OFED",
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
		  "large ones do not.",
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
	  .what = "The range is memory of a GPU, and the module that offers such memory did not take "
		  "it: ib_core has no interface for it (that of Linux has not), the GPU has no "
		  "GPUDirect RDMA, or the memory is of the virtual memory API of CUDA (cuMemCreate, "
		  "expandable_segments of PyTorch).",
	  .recognise = "In /proc/PID/maps the address is of a node of a GPU; /proc/kallsyms has no "
		       "ib_register_peer_memory_client; PYTORCH_CUDA_ALLOC_CONF has "
		       "expandable_segments.",
	  .remedy =
		  "export the memory as a dma-buf and register that (ibv_reg_dmabuf_mr), or unset "
		  "PYTORCH_CUDA_ALLOC_CONF",
	  .sources = "NVIDIA/nccl#1939; uccl-project/uccl#839; kvcache-ai/Mooncake#2511" },
	{ .id = NULL },
};
