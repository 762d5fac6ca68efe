/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memfd of a session table: made, mapped, grown. */
#ifndef LIB_SESSION_TABLE_FILE_H
#define LIB_SESSION_TABLE_FILE_H

#include "lib/session/table/table.h"

/** mr_table_create() - a new table.  Return: 0 or -errno with MR_ERROR_HOST. */
int mr_table_create(const struct mr_table_device *device, struct mr_table *table,
		    struct mr_error *err);

/**
 * mr_table_open() - map a table that another process made
 * @fd: taken over, also on failure
 *
 * Return: 0, or -EPROTO with MR_ERROR_ABSENT for anything that is no sound table of this version.
 */
int mr_table_open(int fd, struct mr_table *table, struct mr_error *err);

void mr_table_close(struct mr_table *table);

/** mr_table_noun() - what users call what it is the table of: "session", or "batch" */
const char *mr_table_noun(const struct mr_table *table);

/** mr_table_device() - what its maker wrote down; strings are terminated */
void mr_table_device(const struct mr_table *table, struct mr_table_device *device);

/** mr_table_size() - bytes of the table */
uint64_t mr_table_size(const struct mr_table *table);

/* For the files of this folder: */

/**
 * mr_table_map() - map what the header says there is, if the file really has it
 *
 * Also where another process has let the table grow.  What was mapped before is not mapped any more.
 */
int mr_table_map(struct mr_table *table, struct mr_error *err);

/**
 * mr_table_grow() - under the lock: make room for more entries
 *
 * The table is mapped anew: addresses of entries are no longer valid.
 */
int mr_table_grow(struct mr_table *table, struct mr_error *err);

/** mr_table_fail_unsound() - the error for a table that another holder has damaged */
int mr_table_fail_unsound(struct mr_error *err, const char *why);

#endif
