// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/session/claim.h"
#include "lib/session/table/claims.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/lock.h"

/*
 * The claim is given up before the lock.  As soon as others have the lock they may put another entry into that
 * slot, which they must be able to claim.
 */
void mr_session_unclaim(struct mr_session *session, uint32_t slot)
{
	mr_table_unclaim(&session->table, slot);
	mr_table_unlock(&session->table);
}

int mr_session_fail_gone(const struct mr_entry *entry, struct mr_error *err)
{
	bool registered = entry->state != MR_ENTRY_PENDING;

	mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "region %llu had gone already: %s",
		     (unsigned long long)entry->id,
		     registered ? "the kernel has no such region"
				: "a process was killed while it registered it");
	if (!registered)
		mr_hint(err,
			"where the kernel has it all the same, mrctl stat shows it as unlisted");
	return -ENOENT;
}

int mr_session_claim(struct mr_session *session, uint32_t slot, uint64_t id,
		     struct mr_session_region *region, struct mr_error *err)
{
	struct mr_table *table = &session->table;

	region->state = MR_STATE_UNKNOWN;
	if (!mr_table_get(table, slot, &region->entry) || region->entry.id != id)
		return mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "no region %llu",
				    (unsigned long long)id);
	if (!mr_table_claim(table, slot))
		return mr_table_fail_claimed(table, slot, id, errno, err);
	mr_session_decide_state(session, slot, true, region, err);
	/*
	 * Where the kernel cannot be asked, the handle may be another region's by now, which must not be
	 * touched.  Only EIO tells enough: the device has gone, and all its regions with it.
	 */
	if (region->state == MR_STATE_PENDING ||
	    (region->state == MR_STATE_UNKNOWN && err->errnum != EIO)) {
		mr_table_unclaim(table, slot);
		return -err->errnum;
	}
	return 0;
}
