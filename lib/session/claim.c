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
void mr_session_unclaim_run(struct mr_session *session, uint32_t slot, uint32_t count)
{
	mr_table_unclaim_run(&session->table, slot, count);
	mr_table_unlock(&session->table);
}

void mr_session_unclaim(struct mr_session *session, uint32_t slot)
{
	mr_session_unclaim_run(session, slot, 1);
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

static int fail_absent(uint64_t id, struct mr_error *err)
{
	return mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "no region %llu", (unsigned long long)id);
}

/*
 * Where the kernel cannot be asked, the handle may be another region's by now, which must not be touched.  Only EIO
 * tells enough: the device has gone, and all its regions with it.
 */
int mr_session_make_sure(struct mr_session *session, uint32_t slot, uint64_t id,
			 struct mr_session_region *region, struct mr_error *err)
{
	region->state = MR_STATE_UNKNOWN;
	if (!mr_table_get(&session->table, slot, &region->entry) || region->entry.id != id)
		return fail_absent(id, err);
	mr_session_decide_state(session, slot, true, region, err);
	return region->state == MR_STATE_PENDING ||
			       (region->state == MR_STATE_UNKNOWN && err->errnum != EIO)
		       ? -err->errnum
		       : 0;
}

int mr_session_claim(struct mr_session *session, uint32_t slot, uint64_t id,
		     struct mr_session_region *region, struct mr_error *err)
{
	struct mr_table *table = &session->table;
	int rc;

	if (!mr_table_has_id(table, slot, id))
		return fail_absent(id, err);
	if (!mr_table_claim(table, slot))
		return mr_table_fail_claimed(table, slot, id, errno, err);
	rc = mr_session_make_sure(session, slot, id, region, err);
	if (rc)
		mr_table_unclaim(table, slot);
	return rc;
}
