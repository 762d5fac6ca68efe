/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The records of stat --system, filled from a census. */
#ifndef CMD_STAT_SYSTEM_ROWS_H
#define CMD_STAT_SYSTEM_ROWS_H

#include "cmd/cli/cli.h"
#include "cmd/stat/system/census.h"
#include "cmd/stat/system/records.h"

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
