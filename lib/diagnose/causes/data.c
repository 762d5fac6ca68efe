// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Causes of data that does not move: keys, ranges, access, and the path of a queue pair. */
#include <infiniband/verbs.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/verify/verify.h"

static void look_at_range(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_data_row *row = refusal->data;

	mr_evidence_hex(suspicion, "at", row->at);
	mr_evidence_number(suspicion, "bytes", row->length);
	mr_evidence_hex(suspicion, "iova", refusal->region_iova);
	mr_evidence_number(suspicion, "length", refusal->region_length);
	if (row->is_inside)
		mr_rule_out(suspicion, "all bytes of the operation are in the region");
	else
		mr_suspect(suspicion, MR_CERTAIN,
			   "the range of %" PRIu64 " byte%s from 0x%" PRIx64 " is not inside the "
			   "region, which has %" PRIu64 " bytes from 0x%" PRIx64,
			   row->length, row->length == 1 ? "" : "s", row->at,
			   refusal->region_length, refusal->region_iova);
}

static void look_at_page(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_data_row *row = refusal->data;
	const uint64_t addr = refusal->region_addr + (row->at - refusal->region_iova);
	struct mr_mapping mapping;

	if (refusal->is_inert == MR_YES)
		return;
	mr_evidence_hex(suspicion, "at", row->at);
	if (refusal->is_own &&
	    (!mr_mapping_find(inquiry->host, addr, &mapping) || mapping.start > addr))
		mr_suspect(suspicion, MR_LIKELY, "nothing is mapped at 0x%" PRIx64 " any more",
			   addr);
	else
		mr_suspect(suspicion, MR_POSSIBLE,
			   "the page at 0x%" PRIx64 " may not be fetched on demand", addr);
}

/*
 * Finds the last fault of the IOMMU in the kernel's log that is of a PCI function and not older than a time-out can be:
 * dmar.c dmar_fault_do_one() omits the domain of its address.
 */
static bool find_fault(struct mr_host *host, const char *pci_address, char fault[96])
{
	enum { RECENT_S = 60 };
	const char *function = strchr(pci_address, ':');
	char log[MR_KERNEL_LOG_MAX], *rest = log, *line;
	const uint64_t now_s = mr_now_ns() / 1000000000;
	double written;

	fault[0] = '\0';
	if (!function || mr_kernel_log_read(host, log))
		return false;
	while ((line = strsep(&rest, "\n")))
		if ((strstr(line, "fault addr") || strstr(line, "IO_PAGE_FAULT")) &&
		    strstr(line, function + 1) && (line = strchr(line, '[')) &&
		    sscanf(line, "[%lf]", &written) == 1 && written + RECENT_S > (double)now_s)
			snprintf(fault, 96, "%s", line);
	return fault[0];
}

/* Software devices have no PCI bus. */
static void look_at_iommu(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct mr_rdma_device device;
	char fault[96];

	if (mr_inquiry_is_software(inquiry) || mr_is_simulated(inquiry->host))
		return;
	mr_rdma_device_read_place(inquiry->host, inquiry->environment->device, &device);
	if (find_fault(inquiry->host, device.pci_address, fault)) {
		mr_evidence_text(suspicion, "fault", "%s", fault);
		mr_suspect(suspicion, MR_LIKELY, "the kernel's log has a fault of the IOMMU for %s",
			   device.pci_address);
	} else {
		mr_suspect(
			suspicion, MR_POSSIBLE,
			"the IOMMU may have refused the access; then the kernel's log has a fault");
	}
}

static void look_at_bytes(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const char *bug;

	if (refusal->data->answer != MR_DATA_OTHER_DATA)
		return;
	bug = mr_kernel_bug(inquiry->host, mr_driver_id(inquiry->environment->provider),
			    refusal->region_access);
	mr_evidence_hex(suspicion, "at", refusal->data->at);
	mr_suspect(suspicion, mr_certain_if(bug),
		   refusal->is_own
			   ? "the HCA reads other bytes at 0x%" PRIx64 " than the process does%s%s"
			   : "the HCA completes the read at 0x%" PRIx64 ", and no bytes come%s%s",
		   refusal->data->at, bug ? ": " : "", bug ? bug : "");
}

#include "lib/diagnose/causes/data.inc"
