// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The protection domains of a session: what the table knows of them, and their locks. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/clean_text.h"
#include "lib/session/table/format.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/pds.h"

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

/* ---- locks ---- */

static int lock_pd(const struct mr_table *table, uint32_t place, short type, struct mr_error *err)
{
	struct flock lock;

	if (table->is_private ||
	    !mr_lock_byte(table->fd, F_SETLK, type, MR_PD_BYTES + place, &lock))
		return 0;
	if (errno != EAGAIN && errno != EACCES)
		return mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_SETLK)",
			       "cannot lock the protection domain");
	mr_fail_text(err, MR_ERROR_HOST, EBUSY,
		     "another process is at work on the protection domain");
	if (!mr_lock_byte(table->fd, F_GETLK, type, MR_PD_BYTES + place, &lock) &&
	    lock.l_type != F_UNLCK)
		mr_lock_blame_holder(&lock, err);
	return -EBUSY;
}

int mr_table_use_pd(const struct mr_table *table, uint32_t place, struct mr_error *err)
{
	return lock_pd(table, place, F_RDLCK, err);
}

int mr_table_claim_pd(const struct mr_table *table, uint32_t place, struct mr_error *err)
{
	return lock_pd(table, place, F_WRLCK, err);
}

void mr_table_leave_pd(const struct mr_table *table, uint32_t place)
{
	struct flock lock;

	if (!table->is_private && place < MR_TABLE_PDS)
		mr_lock_byte(table->fd, F_SETLK, F_UNLCK, MR_PD_BYTES + place, &lock);
}
