// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/session/table/format.h"
#include "lib/session/table/pool.h"

void mr_table_pool(const struct mr_table *table, struct mr_table_pool *pool)
{
	mr_copy_out(pool, &table->header->pool, sizeof(*pool));
}

void mr_table_set_pool(struct mr_table *table, const struct mr_table_pool *pool)
{
	table->header->pool.limit = pool->limit;
	table->header->pool.watermark = pool->watermark;
}
