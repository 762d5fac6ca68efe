/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Processes that make objects before an entry names them. */
#ifndef LIB_SESSION_TABLE_UNNAMED_H
#define LIB_SESSION_TABLE_UNNAMED_H

#include "lib/session/table/table.h"

/**
 * mr_table_begin_unnamed() - this process is about to make objects that no entry names at first
 *
 * Takes the table's lock for a moment.  It ends with mr_table_end_unnamed(), or with the process.
 */
int mr_table_begin_unnamed(struct mr_table *table, struct mr_error *err);

/** mr_table_end_unnamed() - all of them have entries now, or are gone */
void mr_table_end_unnamed(const struct mr_table *table);

/**
 * mr_table_others_make_objects() - under the lock: whether another process is making objects
 *
 * What the kernel has of these may have no entry yet.  A killed process makes nothing.
 */
bool mr_table_others_make_objects(const struct mr_table *table);

#endif
