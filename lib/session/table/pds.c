// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The protection domains in the session table. */
#include <stdio.h>

#include "lib/session/table/format.h"

bool mr_table_pd(const struct mr_table *table, uint32_t place, struct mr_table_pd *pd)
{
	if (place >= MR_TABLE_PDS)
		return false;
	mr_copy_out(pd, &table->header->pds[place], sizeof(*pd));
	mr_clean_text(pd->name, sizeof(pd->name));
	return pd->name[0];
}

uint32_t mr_table_find_pd(const struct mr_table *table, const char *name)
{
	for (uint32_t place = 0; place < MR_TABLE_PDS; place++)
		if (!strncmp(table->header->pds[place].name, name, MR_NAME_SIZE))
			return place;
	return MR_NO_SLOT;
}

uint32_t mr_table_add_pd(struct mr_table *table, const char *name, uint32_t handle)
{
	struct mr_table_pd pd;

	for (uint32_t place = 0; place < MR_TABLE_PDS; place++)
		if (mr_table_pd(table, place, &pd) && pd.handle == handle)
			mr_table_remove_pd(table, place);
	for (uint32_t place = 0; place < MR_TABLE_PDS; place++) {
		if (mr_table_pd(table, place, &pd))
			continue;
		table->header->pds[place].handle = handle;
		table->header->pds[place].in_doubt = 0;
		snprintf(table->header->pds[place].name, MR_NAME_SIZE, "%s", name);
		return place;
	}
	return MR_NO_SLOT;
}

void mr_table_doubt_pd(struct mr_table *table, uint32_t place, bool in_doubt)
{
	if (place < MR_TABLE_PDS)
		*(volatile uint32_t *)&table->header->pds[place].in_doubt = in_doubt;
}

void mr_table_remove_pd(struct mr_table *table, uint32_t place)
{
	if (place < MR_TABLE_PDS)
		table->header->pds[place].name[0] = '\0';
}
