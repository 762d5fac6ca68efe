/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memfd of a session table: creating, mapping and growing it. */
#ifndef LIB_SESSION_TABLE_FILE_H
#define LIB_SESSION_TABLE_FILE_H

#include "lib/session/table/table.h"

/** mr_table_create() - create a new table.  Return: 0 or -errno with MR_ERROR_HOST. */
int mr_table_create(const struct mr_table_device *device, struct mr_table *table,
		    struct mr_error *err);

/**
 * mr_table_open() - map a table that another process has created
 * @fd: taken over, also on failure
 *
 * Return: 0; -EPROTO with MR_ERROR_ABSENT for anything that is no sound table of this version; or another
 * -errno with MR_ERROR_HOST.
 */
int mr_table_open(int fd, struct mr_table *table, struct mr_error *err);

/** mr_table_close() - unmap it and close its descriptor: with that all locks of this process are gone */
void mr_table_close(struct mr_table *table);

/** mr_table_noun() - what the table is of, for messages: "session", or "batch" where it is private */
const char *mr_table_noun(const struct mr_table *table);

/** mr_table_device() - copy the facts about the session; texts are terminated, and printable ASCII */
void mr_table_device(const struct mr_table *table, struct mr_table_device *device);

/** mr_table_size() - bytes of the table */
uint64_t mr_table_size(const struct mr_table *table);

/* For the files of this folder: */

/**
 * mr_table_map() - map the table in the size that its header says, if the file has as much
 *
 * It replaces an earlier mapping, as after another process has let the table grow: addresses of entries are
 * no longer valid then.
 *
 * Return: as mr_table_open().
 */
int mr_table_map(struct mr_table *table, struct mr_error *err);

/**
 * mr_table_grow() - under the lock: make room for more entries
 *
 * The table is mapped anew: addresses of entries are no longer valid.
 *
 * Return: 0 or -errno.
 */
int mr_table_grow(struct mr_table *table, struct mr_error *err);

/** mr_table_fail_unsound() - the error for a table that another holder has damaged.  Return: -EPROTO. */
int mr_table_fail_unsound(struct mr_error *err, const char *why);

#endif
