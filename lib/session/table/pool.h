/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many relaxed regions a session may have. */
#ifndef LIB_SESSION_TABLE_POOL_H
#define LIB_SESSION_TABLE_POOL_H

#include "lib/session/table/table.h"

/** mr_table_pool() - a copy; a look without the lock */
void mr_table_pool(const struct mr_table *table, struct mr_table_pool *pool);

/** mr_table_set_pool() - limit and watermark; the rest of @pool is not used */
void mr_table_set_pool(struct mr_table *table, const struct mr_table_pool *pool);

#endif
