/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many relaxed regions a session may have. */
#ifndef LIB_SESSION_TABLE_POOL_H
#define LIB_SESSION_TABLE_POOL_H

#include "lib/session/table/table.h"

/** mr_table_pool() - copy the pool; needs no lock */
void mr_table_pool(const struct mr_table *table, struct mr_table_pool *pool);

/** mr_table_set_pool() - set limit and watermark to those of @pool */
void mr_table_set_pool(struct mr_table *table, const struct mr_table_pool *pool);

#endif
