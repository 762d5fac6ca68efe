// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/verbs/verbs.h"

/* ---- the driver ------------------------------------------------------------------------------------ */

/* Whether the running kernel was built without on-demand paging.  A simulated kernel is not the running one. */
static bool is_built_without_odp(struct mr_inquiry *inquiry)
{
	struct mr_kernel_option option = { .name = "INFINIBAND_ON_DEMAND_PAGING" };
	char release[65], path[128];

	return !inquiry->environment->simulated &&
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
	const uint64_t general = inquiry->attributes.odp.general;

	if (general & IBV_ODP_SUPPORT) {
		mr_rule_out(suspicion, "the device has on-demand paging");
	} else if (is_built_without_odp(inquiry)) {
		mr_evidence_text(suspicion, "CONFIG_INFINIBAND_ON_DEMAND_PAGING", "n");
		/* The modules of OFED were built with options of their own. */
		mr_suspect(suspicion, mr_certain_if(mr_inquiry_has_ofed(inquiry) == MR_NO),
			   "mlx5 requires on-demand paging for dma-bufs, and this kernel was "
			   "built without CONFIG_INFINIBAND_ON_DEMAND_PAGING");
		mr_suspect_remedy(suspicion, "use a kernel with that option");
	} else if (!mr_inquiry_is_data_direct(inquiry)) {
		mr_suspect(suspicion, mr_certain_if(mr_inquiry_is_since(inquiry, 7, 2)),
			   "mlx5 requires on-demand paging for dma-bufs, and the device reports "
			   "none");
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
	const uint64_t most = UMR_PAGES * mr_page_size(inquiry->host);
	const uint64_t length = inquiry->request->length;

	if (attributes)
		mr_evidence_hex(suspicion, "odp_general_caps", attributes->odp.general);
	if (attributes && !(attributes->odp.general & IBV_ODP_SUPPORT))
		mr_suspect(suspicion, MR_LIKELY,
			   "mlx5 writes the addresses of a dma-buf by UMR, and the device may not "
			   "allow this: it reports no on-demand paging, which requires UMR, too");
	else if (attributes &&
		 (attributes->odp.general & IBV_ODP_SUPPORT_IMPLICIT || length < most))
		mr_rule_out(suspicion, "the device has on-demand paging, which requires UMR, too");
	else if (length >= most)
		mr_suspect(
			suspicion, MR_POSSIBLE,
			"the length is %s, and without extended offsets UMR reaches less than %s",
			MR_SIZE(length), MR_SIZE(most));
}

/* ---- Data Direct ------------------------------------------------------------------------------------- */

static void look_at_data_direct_iova(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t page = mr_page_size(inquiry->host), iova = inquiry->request->iova;

	mr_evidence_number(suspicion, "page_size", page);
	if (!(iova & (page - 1)))
		mr_rule_out(suspicion, "the IOVA is at the start of a page");
	else
		mr_suspect(suspicion, MR_CERTAIN,
			   "the IOVA 0x%" PRIx64
			   " is not at the start of a page, which Data Direct requires",
			   iova);
	mr_suspect_remedy(suspicion,
			  "register from --offset 0x%" PRIx64 " with --iova 0x%" PRIx64
			  ", with %" PRIu64 " more bytes",
			  inquiry->request->addr & ~(page - 1), iova & ~(page - 1),
			  iova & (page - 1));
}

static void look_at_data_direct(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct mr_error ignored;
	char path[256];
	const int rc =
		mr_uverbs_data_direct_path(inquiry->refusal->uverbs, path, sizeof(path), &ignored);

	if (!rc) {
		mr_evidence_text(suspicion, "data_direct", "%.*s", 100, path + strlen(MR_SYSFS));
		mr_rule_out(suspicion, "the HCA has a Data Direct device");
	} else if (rc == -ENODEV) {
		mr_evidence_text(suspicion, "data_direct", "none");
		mr_suspect(suspicion, MR_CERTAIN, "%s has no Data Direct device bound to it",
			   inquiry->environment->device);
	}
}

/* ---- the descriptor and the range ------------------------------------------------------------------- */

/* drivers/dma-buf/dma-buf.c dma_buf_get(); fget() finds no file that was opened by O_PATH. */
static void look_at_file(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmabuf_file *file = &inquiry->dmabuf;
	const int errnum = inquiry->refusal->errnum;
	const int fd = inquiry->request->fd;

	mr_evidence_number(suspicion, "fd", (uint64_t)fd);
	mr_evidence_text(suspicion, "file", "%s", file->target);
	if (file->is_dmabuf && errnum == EINVAL)
		mr_rule_out(suspicion, "descriptor %d is a dma-buf (%s)", fd,
			    file->exporter[0] ? file->exporter : "simulated");
	else if (file->is_path && errnum == EBADF)
		mr_suspect(
			suspicion, MR_CERTAIN,
			"descriptor %d (%s) was opened with O_PATH, which does not open the file",
			fd, file->target);
	else if (!file->is_dmabuf && !file->is_path && errnum == EINVAL)
		mr_suspect(suspicion, MR_CERTAIN, "descriptor %d is %s, not a dma-buf", fd,
			   file->target[0] ? file->target : "another file");
}

/* ib_umem_dmabuf_get(): offset + length must not wrap, nor go past the end; there must be a page. */
static void look_at_range(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmabuf_file *file = mr_inquiry_dmabuf(inquiry);
	const uint64_t addr = inquiry->request->addr, length = inquiry->request->length;
	const uint64_t size = file && file->is_dmabuf ? file->size.value : 0;
	uint64_t end;

	mr_evidence_number(suspicion, "offset", addr);
	if (__builtin_add_overflow(addr, length, &end)) {
		mr_suspect(suspicion, MR_CERTAIN, "offset and length together exceed 64 bits");
		return;
	}
	if (!length)
		mr_suspect(suspicion, mr_certain_if(!(addr & (mr_page_size(inquiry->host) - 1))),
			   "the length is 0, so there is no page to register");
	if (!file || !file->is_dmabuf || !file->size.known)
		return;
	mr_evidence_number(suspicion, "size", size);
	if (end > size) {
		mr_suspect(suspicion, MR_CERTAIN,
			   "the range ends %" PRIu64 " bytes into a dma-buf of %" PRIu64 " (%s)",
			   end, size, MR_SIZE(size));
		if (addr < size)
			mr_suspect_remedy(suspicion, "register at most --size %" PRIu64 " there",
					  size - addr);
		else
			mr_suspect_remedy(suspicion, "begin before its end");
	} else if (length) {
		mr_rule_out(suspicion, "the range is in the dma-buf, which has %" PRIu64 " bytes",
			    size);
	}
}

/*
 * Without functions of the driver the kernel removes the type of objects, so that the call looks like one that it
 * does not know.  mlx5_ib has them for devices with TPH only (main.c mlx5_ib_stage_caps_init()).
 */
static void look_at_tph(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_environment *environment = inquiry->environment;
	const enum mr_tristate has_type = mr_has_dma_handles(inquiry->refusal->uverbs);
	const enum mr_tristate has_method = mr_uverbs_has_reg_mr(inquiry->refusal->uverbs);

	mr_evidence_text(suspicion, "dma_handles", "%s", has_type == MR_YES ? "yes" : "no");
	if (has_type == MR_YES)
		mr_rule_out(suspicion, "the device has DMA handles");
	else if (has_method == MR_NO)
		mr_rule_out(suspicion, "this kernel has no DMA handles for any device");
	else
		mr_suspect(
			suspicion, mr_certain_if(has_type == MR_NO && has_method == MR_YES),
			mr_inquiry_is_driver(inquiry, "mlx5")
				? "the kernel has DMA handles, and its driver offers none for %s: "
				  "mlx5 requires TPH of the firmware, the PCI function and the PCI port"
				: "the kernel has DMA handles, and the driver of %s offers none",
			environment->device);
}

/* uverbs_std_types_dmah.c UVERBS_METHOD_DMAH_ALLOC: nr_cpu_ids first, then the CPUs of the thread */
static void look_at_cpu(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint32_t cpu = inquiry->refusal->hints->cpu;
	const bool is_permission = inquiry->refusal->errnum == EPERM;
	enum mr_tristate is_refused, ignored;
	struct mr_cpus cpus;

	if (inquiry->refusal->is_of_other_process)
		return;
	mr_cpus_read(inquiry->host, &cpus);
	mr_evidence_number(suspicion, "cpu", cpu);
	if (is_permission) {
		is_refused = mr_cpu_list_has(cpus.allowed, cpu, &ignored);
		if (cpus.allowed[0])
			mr_evidence_text(suspicion, "cpus_allowed", "%s", cpus.allowed);
		if (is_refused == MR_NO)
			mr_suspect(suspicion, MR_CERTAIN,
				   "the process may run on the CPUs %s, but not on CPU %" PRIu32,
				   cpus.allowed, cpu);
		else if (is_refused == MR_YES)
			mr_rule_out(suspicion, "the process may run on CPU %" PRIu32, cpu);
		return;
	}
	mr_cpu_list_has(cpus.possible, cpu, &is_refused);
	if (cpus.possible[0])
		mr_evidence_text(suspicion, "cpus_possible", "%s", cpus.possible);
	if (is_refused == MR_YES)
		mr_suspect(suspicion, MR_CERTAIN,
			   "the CPUs of this machine are %s, and CPU %" PRIu32 " does not exist",
			   cpus.possible, cpu);
	else if (is_refused == MR_NO)
		mr_rule_out(suspicion, "CPU %" PRIu32 " exists", cpu);
}

/* pci/tph.c pcie_tph_get_cpu_st() queries the firmware by a method of ACPI, of the port above the device. */
static void look_at_tag(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmah_hints *hints = inquiry->refusal->hints;
	enum mr_tristate is_beyond;
	struct mr_cpus cpus;

	mr_cpus_read(inquiry->host, &cpus);
	mr_cpu_list_has(cpus.possible, hints->cpu, &is_beyond);
	if (hints->memory >= MR_DMAH_MEMORIES ||
	    (!inquiry->refusal->is_of_other_process && is_beyond == MR_YES))
		return; /* the firmware was not queried */
	mr_evidence_number(suspicion, "cpu", hints->cpu);
	mr_evidence_text(suspicion, "memory", "%s", mr_dmah_memories[hints->memory].name);
	mr_suspect(suspicion, MR_POSSIBLE,
		   "the firmware of this machine may have no steering tag for CPU %" PRIu32
		   " and %s memory",
		   hints->cpu, mr_dmah_memories[hints->memory].name);
}

#include "lib/diagnose/causes/dmabufs.inc"
