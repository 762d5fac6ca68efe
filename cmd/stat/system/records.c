// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/output/output.h"
#include "cmd/stat/system/records.h"

static const struct field mr_fields[] = {
	FIELD(struct mr_row, device, FIELD_STRING, 0, "RDMA device"),
	FIELD(struct mr_row, mrn, FIELD_NUMBER, 0, "the kernel's number for it on the device"),
	FIELD(struct mr_row, pid, FIELD_NUMBER, 0, "thread that registered it, if it still runs"),
	FIELD(struct mr_row, comm, FIELD_STRING, 0, "name of that thread"),
	FIELD(struct mr_row, unit, FIELD_STRING, FIELD_DETAIL, "its service, container or job"),
	FIELD(struct mr_row, container, FIELD_STRING, FIELD_DETAIL, "id of its container"),
	FIELD(struct mr_row, kernel, FIELD_STRING, 0, "the kernel's module that registered it"),
	FIELD(struct mr_row, length, FIELD_NUMBER, 0, "bytes"),
	FIELD(struct mr_row, lkey, FIELD_HEX, 0, "local key"),
	FIELD(struct mr_row, rkey, FIELD_HEX, 0, "remote key"),
	FIELD(struct mr_row, pdn, FIELD_NUMBER, FIELD_DETAIL,
	      "the kernel's number for its protection domain"),
	FIELD(struct mr_row, odp, FIELD_STRING, 0, "explicit or implicit, where it uses ODP"),
	FIELD(struct mr_row, page_faults, FIELD_NUMBER, 0, "pages that its device asked for"),
	FIELD(struct mr_row, page_invalidations, FIELD_NUMBER, FIELD_DETAIL,
	      "pages that were taken from its device"),
	FIELD(struct mr_row, page_prefetch, FIELD_NUMBER, FIELD_DETAIL,
	      "pages that were prefetched"),
	FIELD(struct mr_row, gone, FIELD_OPT_BOOL, FIELD_DETAIL,
	      "whether the thread that registered it has ended"),
	FIELD(struct mr_row, session, FIELD_STRING, 0, "session whose region it is"),
	FIELD_END,
};
const struct record mr_record = { "mr", mr_fields, "mrs" };

/* Fields that all rows of sums have. */
#define SUMS(structure)                                                                            \
	FIELD(structure, regions, FIELD_NUMBER, 0, "MRs"),                                         \
		FIELD(structure, bytes, FIELD_NUMBER, 0, "bytes in them"),                         \
		FIELD(structure, odp_regions, FIELD_NUMBER, FIELD_DETAIL,                          \
		      "of these MRs, those that use ODP"),                                         \
		FIELD(structure, odp_bytes, FIELD_NUMBER, 0, "bytes in those that use ODP",        \
		      .usual = "0")

static const struct field process_fields[] = {
	FIELD(struct process_row, pid, FIELD_NUMBER, 0,
	      "number of the process, or of a thread of it"),
	FIELD(struct process_row, comm, FIELD_STRING, 0, "its name"),
	FIELD(struct process_row, unit, FIELD_STRING, 0, "its service, container or job"),
	FIELD(struct process_row, container, FIELD_STRING, FIELD_DETAIL, "id of its container"),
	FIELD(struct process_row, kernel, FIELD_STRING, 0, "module of the kernel in its place"),
	FIELD(struct process_row, gone, FIELD_OPT_BOOL, 0, "whether it has ended", .usual = "no"),
	FIELD(struct process_row, session, FIELD_STRING, 0,
	      "session whose regions those of ended processes are"),
	SUMS(struct process_row),
	FIELD(struct process_row, pinned, FIELD_NUMBER, 0, "bytes pinned for it (VmPin)"),
	FIELD(struct process_row, locked, FIELD_NUMBER, FIELD_DETAIL,
	      "bytes locked by mlock(2) (VmLck)"),
	FIELD_END,
};
const struct record process_record = { "process", process_fields, "processes" };

static const struct field unit_fields[] = {
	FIELD(struct unit_row, unit, FIELD_STRING, 0, "service, container or job"),
	FIELD(struct unit_row, container, FIELD_STRING, FIELD_DETAIL, "id of the container"),
	FIELD(struct unit_row, processes, FIELD_NUMBER, 0, "processes that have MRs"),
	SUMS(struct unit_row),
	FIELD(struct unit_row, pinned, FIELD_NUMBER, 0, "bytes pinned for these (VmPin)"),
	FIELD(struct unit_row, locked, FIELD_NUMBER, FIELD_DETAIL,
	      "bytes locked by mlock(2) (VmLck)"),
	FIELD_END,
};
const struct record unit_record = { "unit", unit_fields, "units" };

static const struct field device_fields[] = {
	FIELD(struct device_row, device, FIELD_STRING, 0, "RDMA device"),
	SUMS(struct device_row),
	FIELD(struct device_row, counted, FIELD_NUMBER, FIELD_DETAIL,
	      "MRs that the kernel counted after they were listed"),
	FIELD(struct device_row, pinned, FIELD_NUMBER, 0,
	      "bytes that the driver counts (reg_pages)"),
	FIELD_END,
};
const struct record counted_device_record = { "device", device_fields, "devices" };

static const struct field totals_fields[] = {
	SUMS(struct system_totals),
	FIELD(struct system_totals, counted, FIELD_NUMBER, FIELD_DETAIL,
	      "MRs that the kernel counted after they were listed"),
	FIELD(struct system_totals, processes, FIELD_NUMBER, 0, "processes that have MRs"),
	FIELD(struct system_totals, kernel_regions, FIELD_NUMBER, FIELD_DETAIL,
	      "MRs of the kernel itself"),
	FIELD(struct system_totals, kernel_bytes, FIELD_NUMBER, FIELD_DETAIL, "bytes in them"),
	FIELD(struct system_totals, gone_regions, FIELD_NUMBER, 0, "MRs whose thread has ended"),
	FIELD(struct system_totals, gone_bytes, FIELD_NUMBER, 0, "bytes in them"),
	FIELD(struct system_totals, session_regions, FIELD_NUMBER, 0,
	      "MRs that are regions of sessions"),
	FIELD(struct system_totals, session_bytes, FIELD_NUMBER, 0, "bytes in them"),
	FIELD(struct system_totals, pinned, FIELD_NUMBER, 0,
	      "bytes pinned for the processes (VmPin)"),
	FIELD(struct system_totals, locked, FIELD_NUMBER, 0,
	      "bytes that they locked by mlock(2) (VmLck)"),
	FIELD(struct system_totals, pinned_by_all, FIELD_NUMBER, 0,
	      "bytes pinned on the whole machine, for whatever purpose"),
	FIELD(struct system_totals, not_pinned, FIELD_NUMBER, 0,
	      "bytes registered without ODP that this does not account for"),
	FIELD(struct system_totals, pinned_by_others, FIELD_NUMBER, 0,
	      "bytes pinned that registrations do not account for"),
	FIELD_END,
};
const struct record system_totals_record = { "totals", totals_fields, NULL };

/* A process is named by its comm: the number of each new one would be a new time series. */
const struct metric system_metrics[] = {
	{ &mr_record, "mrctl_mr_count", NULL, "Memory regions in the kernel", NULL, "device,comm",
	  METRIC_GAUGE },
	{ &mr_record, "mrctl_mr_bytes", "bytes", "Bytes in memory regions", "length", "device,comm",
	  METRIC_GAUGE },
	{ &mr_record, "mrctl_mr_page_faults_total", NULL,
	  "Pages that devices asked for in the memory regions that exist", "page_faults",
	  "device,comm", METRIC_COUNTER },
	{ &mr_record, "mrctl_mr_page_invalidations_total", NULL,
	  "Pages that were taken from devices in the memory regions that exist",
	  "page_invalidations", "device,comm", METRIC_COUNTER },
	{ &mr_record, "mrctl_mr_page_prefetches_total", NULL,
	  "Pages that were prefetched into the memory regions that exist", "page_prefetch",
	  "device,comm", METRIC_COUNTER },
	{ &unit_record, "mrctl_mr_unit_count", NULL, "Memory regions of a unit's processes",
	  "regions", "unit", METRIC_GAUGE },
	{ &unit_record, "mrctl_mr_unit_bytes", "bytes",
	  "Bytes in memory regions of a unit's processes", "bytes", "unit", METRIC_GAUGE },
	{ &unit_record, "mrctl_mr_unit_pinned_bytes", "bytes",
	  "Bytes that are pinned for a unit's processes that have memory regions", "pinned", "unit",
	  METRIC_GAUGE },
	{ &counted_device_record, "mrctl_mr_device_pinned_bytes", "bytes",
	  "Bytes that the device's driver counts as registered", "pinned", "device", METRIC_GAUGE },
	{ &system_totals_record, "mrctl_mr_gone_count", NULL,
	  "Memory regions whose thread has ended", "gone_regions", NULL, METRIC_GAUGE },
	{ &system_totals_record, "mrctl_mr_gone_bytes", "bytes",
	  "Bytes in memory regions whose thread has ended", "gone_bytes", NULL, METRIC_GAUGE },
	{ &system_totals_record, "mrctl_mr_not_pinned_bytes", "bytes",
	  "Bytes registered without on-demand paging beyond those that are pinned", "not_pinned",
	  NULL, METRIC_GAUGE },
	{ &system_totals_record, "mrctl_pinned_bytes", "bytes",
	  "Bytes that are pinned on the whole machine", "pinned_by_all", NULL, METRIC_GAUGE },
	{ &system_totals_record, "mrctl_pinned_by_others_bytes", "bytes",
	  "Bytes that are pinned beyond those registered without on-demand paging",
	  "pinned_by_others", NULL, METRIC_GAUGE },
	METRIC_END,
};
