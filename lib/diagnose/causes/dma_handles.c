// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* DMA handles: core/uverbs_std_types_dmah.c, hw/mlx5/dmah.c, drivers/pci/tph.c. */
#include <errno.h>
#include <inttypes.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/host/host.h"
#include "lib/verbs/device.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

/*
 * Without functions of the driver the kernel removes the type of objects, so that the call looks like one that it
 * does not know.  mlx5_ib has them for devices with TPH only (main.c mlx5_ib_stage_caps_init()).
 */
static void look_at_tph(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_uverbs *uverbs = inquiry->refusal->uverbs;
	const struct mr_environment *environment = inquiry->refusal->environment;
	enum mr_tristate has_type, has_method;

	if (!uverbs || !environment)
		return;
	has_type = mr_has_dma_handles(uverbs);
	has_method = mr_uverbs_has_reg_mr(uverbs);
	mr_evidence_text(suspicion, "provider", "%s", environment->provider);
	mr_evidence_text(suspicion, "dma_handles", "%s", has_type == MR_YES ? "yes" : "no");
	if (has_type == MR_YES)
		mr_rule_out(suspicion, "the device has DMA handles");
	else if (has_method == MR_NO)
		mr_rule_out(suspicion, "this kernel has no DMA handles for any device");
	else if (mr_inquiry_is_driver(inquiry, "mlx5"))
		mr_suspect(
			suspicion,
			has_type == MR_NO && has_method == MR_YES ? MR_CERTAIN : MR_LIKELY,
			"the kernel has DMA handles, and its driver offers none for %s: mlx5 has "
			"them where firmware, PCI function and PCI port have TPH",
			environment->device);
	else
		mr_suspect(suspicion,
			   has_type == MR_NO && has_method == MR_YES ? MR_CERTAIN : MR_LIKELY,
			   "the kernel has DMA handles, and the driver of %s offers none",
			   environment->device);
}

/* uverbs_std_types_dmah.c UVERBS_METHOD_DMAH_ALLOC: nr_cpu_ids first, then the CPUs of the thread */
static void look_at_cpu(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmah_hints *hints = inquiry->refusal->hints;
	const bool is_permission = inquiry->refusal->errnum == EPERM;
	enum mr_tristate is_beyond, is_allowed;
	struct mr_cpus cpus;

	if (!hints || !hints->memory || inquiry->refusal->is_elsewhere)
		return;
	mr_cpus_read(inquiry->host, &cpus);
	is_beyond = mr_cpu_list_ends_before(cpus.possible, hints->cpu);
	is_allowed = mr_cpu_list_has(cpus.allowed, hints->cpu);
	mr_evidence_number(suspicion, "cpu", hints->cpu);
	if (is_permission && cpus.allowed[0])
		mr_evidence_text(suspicion, "cpus_allowed", "%s", cpus.allowed);
	if (!is_permission && cpus.possible[0])
		mr_evidence_text(suspicion, "cpus_possible", "%s", cpus.possible);
	if (is_permission && is_allowed == MR_NO)
		mr_suspect(suspicion, MR_CERTAIN,
			   "the process may run on the CPUs %s, and not on CPU %" PRIu32,
			   cpus.allowed, hints->cpu);
	else if (!is_permission && is_beyond == MR_YES)
		mr_suspect(suspicion, MR_CERTAIN,
			   "the CPUs of this machine are %s, and CPU %" PRIu32 " is beyond",
			   cpus.possible, hints->cpu);
	else if (is_permission && is_allowed == MR_YES)
		mr_rule_out(suspicion, "the process may run on CPU %" PRIu32, hints->cpu);
	else if (!is_permission && is_beyond == MR_NO)
		mr_rule_out(suspicion, "there is a CPU %" PRIu32, hints->cpu);
}

/* pci/tph.c pcie_tph_get_cpu_st(): the firmware is asked by a method of ACPI, of the port above the device. */
static void look_at_tag(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmah_hints *hints = inquiry->refusal->hints;
	struct mr_cpus cpus;

	if (!hints || !hints->memory || hints->memory >= MR_DMAH_MEMORIES)
		return;
	mr_cpus_read(inquiry->host, &cpus);
	if (!inquiry->refusal->is_elsewhere &&
	    mr_cpu_list_ends_before(cpus.possible, hints->cpu) == MR_YES)
		return; /* the firmware was not asked */
	mr_evidence_number(suspicion, "cpu", hints->cpu);
	mr_evidence_text(suspicion, "memory", "%s", mr_dmah_memories[hints->memory].name);
	mr_suspect(suspicion, MR_POSSIBLE,
		   "the firmware of this machine may have no steering tag for CPU %" PRIu32
		   " and %s memory",
		   hints->cpu, mr_dmah_memories[hints->memory].name);
}

/* hw/mlx5/mr.c mlx5_ib_reg_user_mr(), before it looks at anything else */
static void look_at_odp(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_region_request *request = inquiry->refusal->request;

	if (!request || !mr_region_has_dmah(request->call) ||
	    !mr_inquiry_is_driver(inquiry, "mlx5"))
		return;
	mr_evidence_hex(suspicion, "access", request->access);
	if (request->access & MR_ACCESS_ON_DEMAND)
		mr_suspect(suspicion, MR_CERTAIN,
			   "access has on-demand, and mlx5 takes no DMA handle with on-demand "
			   "paging");
	else
		mr_rule_out(suspicion, "access has no on-demand");
}

/* hw/mlx5/mr.c mlx5_ib_rereg_user_mr(), before it looks at what is to change */
static void look_at_rereg(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;

	if (!refusal->rereg || !refusal->region_known ||
	    !mr_region_has_dmah(refusal->region_call) || !mr_inquiry_is_driver(inquiry, "mlx5"))
		return;
	mr_evidence_text(suspicion, "region_call", "%s", mr_call_row(refusal->region_call)->name);
	mr_suspect(suspicion, MR_CERTAIN,
		   "the region has a DMA handle, and mlx5 changes no such region");
}

const struct mr_cause mr_causes_of_dma_handles[] = {
	{ .id = "MR-DMAH-TPH",
	  .subject = "a device without TPH, or a driver without DMA handles",
	  .operations = MR_ON(ALLOC_DMAH),
	  .errnums = { EPROTONOSUPPORT },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_COMMON,
	  .look = look_at_tph,
	  .what = "A DMA handle stands for hints that PCIe calls TPH (TLP Processing Hints).  Of the "
		  "kernel's drivers only mlx5_ib has such handles, for devices whose firmware "
		  "(mkey_pcie_tph), PCI function and root port have TPH.",
	  .recognise = "mrctl stat --device says dma_handles false, on Linux 6.17 or newer; lspci "
		       "-vv (as root) shows no Transaction Processing Hints, or the kernel was "
		       "booted with pci=notph.",
	  .remedy = "use a device with TPH, in a machine whose PCIe ports have it; or register "
		    "without --dmah",
	  .sources = "drivers/infiniband/hw/mlx5/main.c mlx5_ib_stage_caps_init(); "
		     "drivers/net/ethernet/mellanox/mlx5/core/lib/st.c mlx5_st_create(); "
		     "drivers/pci/tph.c pcie_enable_tph()" },
	{ .id = "MR-DMAH-CPU",
	  .subject = "a CPU that there is not, or that the process may not run on",
	  .operations = MR_ON(ALLOC_DMAH),
	  .errnums = { EINVAL, EPERM },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_cpu,
	  .what = "The CPU of a DMA handle must have a number that the kernel knows (EINVAL), and be "
		  "one that the calling thread may run on (EPERM).",
	  .recognise = "taskset -cp PID and /sys/devices/system/cpu/possible.",
	  .remedy = "give a CPU that the process may run on; taskset(1) or the job's cpuset says "
		    "which",
	  .sources = "drivers/infiniband/core/uverbs_std_types_dmah.c UVERBS_METHOD_DMAH_ALLOC" },
	{ .id = "MR-DMAH-TAG",
	  .subject = "a steering tag that the firmware does not give",
	  .operations = MR_ON(ALLOC_DMAH),
	  .errnums = { EINVAL, ENODEV },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_RARE,
	  .look = look_at_tag,
	  .what = "For a CPU and a kind of memory the driver asks the firmware of the machine for a "
		  "steering tag, by a method of ACPI (_DSM).",
	  .recognise = "The same with ph=N alone succeeds.",
	  .remedy = "leave out cpu and mem, or update the BIOS",
	  .sources = "drivers/pci/tph.c pcie_tph_get_cpu_st()" },
	{ .id = "MR-DMAH-ODP",
	  .subject = "a DMA handle with on-demand paging",
	  .operations = MR_ON(REG),
	  .errnums = { EOPNOTSUPP },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_RARE,
	  .needs_access = MR_ACCESS_ON_DEMAND,
	  .look = look_at_odp,
	  .what = "mlx5 registers no on-demand region with a DMA handle.",
	  .recognise = "The request has a DMA handle and the access flag on-demand.",
	  .remedy = "leave out on-demand, or --dmah",
	  .sources = "drivers/infiniband/hw/mlx5/mr.c mlx5_ib_reg_user_mr()" },
	{ .id = "MR-REREG-DMAH",
	  .subject = "changing a region with a DMA handle",
	  .operations = MR_ON(REREG),
	  .errnums = { EOPNOTSUPP },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_RARE,
	  .look = look_at_rereg,
	  .what = "mlx5 changes neither memory nor PD nor access of a region with a DMA handle.",
	  .recognise = "mrctl stat -v shows dmah_ph of the region.",
	  .remedy = "register another region, and deregister this one",
	  .sources = "drivers/infiniband/hw/mlx5/mr.c mlx5_ib_rereg_user_mr()" },
	{ .id = NULL },
};
