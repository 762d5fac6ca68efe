/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that make objects before an entry names them.  They hold a record lock meanwhile, by which others
 * know that an object without an entry may be one of these.
 */
#ifndef LIB_SESSION_TABLE_UNNAMED_H
#define LIB_SESSION_TABLE_UNNAMED_H

#include "lib/session/table/table.h"

/**
 * mr_table_begin_unnamed() - this process is about to make objects that no entry names at first
 *
 * It takes the table's lock for a moment.  What it notes ends with mr_table_end_unnamed(), or with the process.
 *
 * Return: 0 or -errno.
 */
int mr_table_begin_unnamed(struct mr_table *table, struct mr_error *err);

/** mr_table_end_unnamed() - all these objects have entries now, or are destroyed */
void mr_table_end_unnamed(const struct mr_table *table);

/**
 * mr_table_others_make_objects() - under the lock: whether another process is making objects
 *
 * Their objects may have no entry yet.  What a killed process has left does not count: its locks have gone.
 */
bool mr_table_others_make_objects(const struct mr_table *table);

#endif
