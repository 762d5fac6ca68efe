/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stat --system prints and measures. */
#ifndef CMD_STAT_SYSTEM_RECORDS_H
#define CMD_STAT_SYSTEM_RECORDS_H

#include "cmd/output/output.h"

struct mr_row {
	const char *device;
	struct mr_opt_u64 mrn;
	struct mr_opt_u64 pid;
	const char *comm;
	const char *unit;
	const char *container;
	const char *kernel;
	struct mr_opt_u64 length;
	struct mr_opt_u64 lkey, rkey;
	struct mr_opt_u64 pdn;
	const char *odp;
	struct mr_opt_u64 page_faults, page_invalidations, page_prefetch;
	struct opt_bool gone;
	const char *session;
};

struct process_row {
	struct mr_opt_u64 pid;
	const char *comm;
	const char *unit;
	const char *container;
	const char *kernel;
	struct opt_bool gone;
	const char *session;
	struct mr_opt_u64 regions, bytes, odp_regions, odp_bytes;
	struct mr_opt_u64 pinned, locked;
};

struct unit_row {
	const char *unit;
	const char *container;
	struct mr_opt_u64 processes;
	struct mr_opt_u64 regions, bytes, odp_regions, odp_bytes;
	struct mr_opt_u64 pinned, locked;
};

struct device_row {
	const char *device;
	struct mr_opt_u64 regions, bytes, odp_regions, odp_bytes;
	struct mr_opt_u64 counted, pinned;
};

struct system_totals {
	struct mr_opt_u64 regions, bytes, odp_regions, odp_bytes;
	struct mr_opt_u64 counted;
	struct mr_opt_u64 processes;
	struct mr_opt_u64 kernel_regions, kernel_bytes;
	struct mr_opt_u64 gone_regions, gone_bytes;
	struct mr_opt_u64 session_regions, session_bytes;
	struct mr_opt_u64 pinned, locked, pinned_by_all;
	struct mr_opt_u64 not_pinned, pinned_by_others;
};

extern const struct record mr_record, process_record, unit_record, counted_device_record,
	system_totals_record;
extern const struct metric system_metrics[];

/** The usual columns of each list. */
#define MR_COLUMNS                                                                                 \
	COLUMNS(struct mr_row, device, mrn, pid, comm, kernel, length, lkey, rkey, odp,            \
		page_faults, session)
#define PROCESS_COLUMNS                                                                            \
	COLUMNS(struct process_row, pid, comm, unit, kernel, gone, session, regions, bytes,        \
		odp_bytes, pinned)
#define UNIT_COLUMNS   COLUMNS(struct unit_row, unit, processes, regions, bytes, odp_bytes, pinned)
#define DEVICE_COLUMNS COLUMNS(struct device_row, device, regions, bytes, odp_bytes, pinned)

#endif
