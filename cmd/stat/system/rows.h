/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stat --system prints: its records, filled from a census. */
#ifndef CMD_STAT_SYSTEM_ROWS_H
#define CMD_STAT_SYSTEM_ROWS_H

#include "cmd/cli/command.h"
#include "cmd/output/columns.h"
#include "cmd/output/fields.h"
#include "cmd/output/openmetrics.h"
#include "cmd/stat/system/census.h"

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

/** The census with all that rows are filled from. */
struct rows {
	struct census census;
	struct unit_row *units;
	size_t unit_count;
};

/** rows_take() - as census_take(); rows_release() it in any case */
int rows_take(struct rows *rows, char *const *names, void (*fail)(struct mr_error *err, void *data),
	      void *data, struct mr_error *err);
void rows_release(struct rows *rows);

/** rows_total() - sum up all */
void rows_total(struct rows *rows, struct system_totals *totals);

/** Room for a row of any list. */
union any_row {
	struct mr_row mr;
	struct process_row process;
	struct unit_row unit;
	struct device_row device;
};

/** A list of records, one of which --by chooses. */
struct listing {
	const char *word; /**< of --by */
	const char *key;  /**< in JSON */
	struct command_records records;
	const char *order; /**< the field by which it is sorted without --sort; NULL: as it is */
	size_t (*count)(const struct rows *rows);
	void (*fill)(struct rows *rows, size_t n, union any_row *row);
};

/** The lists; the last one has no word, the first one is the usual one. */
extern const struct listing listings[];

#endif
