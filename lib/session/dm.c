// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <stdlib.h>

#include "lib/base/cleanup.h"
#include "lib/session/dm.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/lock.h"

int mr_session_free_dm(const struct mr_session *session, const struct mr_entry *entry,
		       struct mr_error *err)
{
	int rc = entry->has_dm == 1 ? mr_uverbs_free_dm(&session->uverbs, entry->dm, err) : 0;

	/* Another region is on it, or it is no such memory any more. */
	if (!rc || rc == -EBUSY || rc == -ENOENT || rc == -EINVAL)
		return 0;
	mr_wrap(err, "region %llu is deregistered, but the memory on the device stays",
		(unsigned long long)entry->id);
	return rc;
}

/* A new array of their handles in @handles. */
static int list(const struct mr_session *session, uint32_t **handles, uint32_t *count,
		struct mr_error *err)
{
	int rc;

	*handles = calloc(MR_UVERBS_INFO_MAX, sizeof(**handles));
	*count = 0;
	if (!*handles)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	rc = mr_uverbs_list(&session->uverbs, UVERBS_OBJECT_DM, *handles, count, err);
	/* Where the device has no memory of its own there is no such type (uapi_get_object()). */
	return rc == -ENOENT ? 0 : rc;
}

int mr_session_has_dm(const struct mr_session *session, uint32_t handle, struct mr_error *err)
{
	mr_auto_free uint32_t *handles = NULL;
	uint32_t count;
	int rc = list(session, &handles, &count, err);

	if (rc)
		return rc;
	return mr_uverbs_lists(handles, count, handle);
}

bool mr_session_dm_is_listed(const struct mr_table *table, uint32_t handle)
{
	struct mr_entry entry;

	for (uint32_t slot = 0; slot < table->capacity; slot++)
		if (mr_table_is_used(table, slot) && mr_table_get(table, slot, &entry) &&
		    entry.has_dm == 1 && entry.dm == handle)
			return true;
	return false;
}

int mr_session_unlisted_dms(struct mr_session *session, mr_unlisted *call, void *data,
			    struct mr_error *err)
{
	mr_auto_free uint32_t *handles = NULL;
	uint32_t count;
	int rc = mr_table_lock(&session->table, err);

	if (rc)
		return rc;
	rc = list(session, &handles, &count, err);
	while (!rc && count-- > 0) { /* the newest come first */
		const struct mr_uverbs_mr dm = { .handle = handles[count] };

		if (!mr_session_dm_is_listed(&session->table, dm.handle))
			call(data, MR_KIND_DM, &dm);
	}
	mr_table_unlock(&session->table);
	return rc;
}
