// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The protection domains of a session: what the table knows of them, and their locks. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/session/table/format.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/pds.h"

bool mr_table_pd(const struct mr_table *table, uint32_t pd_slot, struct mr_table_pd *pd)
{
	if (pd_slot >= MR_TABLE_PDS)
		return false;
	mr_copy_out(pd, &table->header->pds[pd_slot], sizeof(*pd));
	mr_clean_text(pd->name, sizeof(pd->name));
	return pd->name[0];
}

uint32_t mr_table_find_pd(const struct mr_table *table, const char *name)
{
	for (uint32_t pd_slot = 0; pd_slot < MR_TABLE_PDS; pd_slot++)
		if (!strncmp(table->header->pds[pd_slot].name, name, MR_NAME_SIZE))
			return pd_slot;
	return MR_NO_SLOT;
}

uint32_t mr_table_add_pd(struct mr_table *table, const char *name, uint32_t handle)
{
	struct mr_table_pd pd;

	for (uint32_t pd_slot = 0; pd_slot < MR_TABLE_PDS; pd_slot++)
		if (mr_table_pd(table, pd_slot, &pd) && pd.handle == handle)
			mr_table_remove_pd(table, pd_slot);
	for (uint32_t pd_slot = 0; pd_slot < MR_TABLE_PDS; pd_slot++) {
		if (mr_table_pd(table, pd_slot, &pd))
			continue;
		table->header->pds[pd_slot].handle = handle;
		table->header->pds[pd_slot].in_doubt = 0;
		snprintf(table->header->pds[pd_slot].name, MR_NAME_SIZE, "%s", name);
		return pd_slot;
	}
	return MR_NO_SLOT;
}

void mr_table_doubt_pd(struct mr_table *table, uint32_t pd_slot, bool in_doubt)
{
	if (pd_slot < MR_TABLE_PDS)
		*(volatile uint32_t *)&table->header->pds[pd_slot].in_doubt = in_doubt;
}

void mr_table_remove_pd(struct mr_table *table, uint32_t pd_slot)
{
	if (pd_slot < MR_TABLE_PDS)
		table->header->pds[pd_slot].name[0] = '\0';
}

/* ---- locks ---- */

static int lock_pd(const struct mr_table *table, uint32_t pd_slot, short type, struct mr_error *err)
{
	struct flock lock;

	if (table->is_private ||
	    !mr_lock_byte(table->fd, F_SETLK, type, MR_PD_BYTES + pd_slot, &lock))
		return 0;
	if (errno != EAGAIN && errno != EACCES)
		return mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_SETLK)",
			       "cannot lock the protection domain");
	mr_fail_text(err, MR_ERROR_HOST, EBUSY,
		     "another process is at work on the protection domain");
	if (!mr_lock_byte(table->fd, F_GETLK, type, MR_PD_BYTES + pd_slot, &lock) &&
	    lock.l_type != F_UNLCK)
		mr_lock_blame_holder(&lock, err);
	return -EBUSY;
}

int mr_table_use_pd(const struct mr_table *table, uint32_t pd_slot, struct mr_error *err)
{
	return lock_pd(table, pd_slot, F_RDLCK, err);
}

int mr_table_claim_pd(const struct mr_table *table, uint32_t pd_slot, struct mr_error *err)
{
	return lock_pd(table, pd_slot, F_WRLCK, err);
}

void mr_table_leave_pd(const struct mr_table *table, uint32_t pd_slot)
{
	struct flock lock;

	if (!table->is_private && pd_slot < MR_TABLE_PDS)
		mr_lock_byte(table->fd, F_SETLK, F_UNLCK, MR_PD_BYTES + pd_slot, &lock);
}
