// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints a line with the number of objects in the session: those of each type that the kernel lists
 * ("mr=2 pd=1 uar=4"), and the regions and protection domains of the table ("entries=2 pds=1").
 */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/session/open.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/pds.h"

static const struct {
	const char *name;
	uint16_t object;
} objects[] = {
	{ "mr", UVERBS_OBJECT_MR },    { "pd", UVERBS_OBJECT_PD },
	{ "uar", MLX5_IB_OBJECT_UAR }, { "umem", MLX5_IB_OBJECT_DEVX_UMEM },
	{ "dm", UVERBS_OBJECT_DM },
};

int main(void)
{
	static uint32_t list[MR_UVERBS_INFO_MAX];
	const char *where = getenv(MR_SESSION_VARIABLE);
	struct mr_session session;
	uint32_t count, pds = 0;
	struct mr_table_pd pd;
	struct mr_error err;

	if (mr_session_open(where ? where : "", &session, &err)) {
		fprintf(stderr, "session-objects: %s\n", err.text);
		return 1;
	}
	/* Drivers other than mlx5 do not know its types, and refuse to list them. */
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (!mr_uverbs_list(&session.uverbs, objects[i].object, list, &count, &err))
			printf("%s=%u ", objects[i].name, count);
	for (uint32_t slot = 0; slot < MR_TABLE_PDS; slot++)
		pds += mr_table_pd(&session.table, slot, &pd);
	printf("entries=%u pds=%u\n", mr_table_count(&session.table), pds);
	mr_session_close(&session);
	return 0;
}
