// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>

#include "lib/session/table/claims.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/unnamed.h"

int mr_table_begin_unnamed(struct mr_table *table, struct mr_error *err)
{
	struct flock lock;
	int rc;

	if (table->is_private)
		return 0;
	rc = mr_table_lock(table, err);
	if (rc)
		return rc;
	if (mr_lock_byte(table->fd, F_SETLK, F_RDLCK, MR_UNNAMED_BYTE, &lock))
		rc = mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_SETLK)", NULL);
	mr_table_unlock(table);
	return rc;
}

void mr_table_end_unnamed(const struct mr_table *table)
{
	struct flock lock;

	if (!table->is_private)
		mr_lock_byte(table->fd, F_SETLK, F_UNLCK, MR_UNNAMED_BYTE, &lock);
}

bool mr_table_others_make_objects(const struct mr_table *table)
{
	struct mr_entry entry;
	struct flock lock;

	if (table->is_private)
		return false;
	if (mr_lock_byte(table->fd, F_GETLK, F_WRLCK, MR_UNNAMED_BYTE, &lock) ||
	    lock.l_type != F_UNLCK)
		return true;
	for (uint32_t slot = 0; slot < table->capacity; slot++)
		if (mr_table_is_used(table, slot) && mr_table_get(table, slot, &entry) &&
		    entry.state == MR_ENTRY_PENDING && mr_table_is_claimed(table, slot))
			return true;
	return false;
}
