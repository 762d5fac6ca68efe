// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/session/handles.h"
#include "lib/session/library.h"
#include "lib/session/objects.h"
#include "lib/session/table/file.h"

/* Return: 1, 0 where the handle is free or that of another kind of object, or -errno. */
static int has_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
		      struct mr_uverbs_mr *mr, struct mr_error *err)
{
	int rc;

	*mr = (struct mr_uverbs_mr){ .handle = handle };
	if (kind == MR_KIND_UMEM)
		return mr_session_has_umem(session, handle, err);
	if (kind == MR_KIND_DM)
		return mr_session_has_dm(session, handle, err);
	rc = mr_uverbs_query_mr(&session->uverbs, handle, mr, err);
	if (mr_uverbs_is_absent(rc))
		return 0;
	return rc ? rc : 1;
}

static int fail_absent(const struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
		       struct mr_error *err)
{
	static const char *const nouns[] = {
		[MR_KIND_MR] = "memory region",
		[MR_KIND_UMEM] = "umem",
		[MR_KIND_DM] = "memory on the device",
	};

	err->kind = MR_ERROR_ABSENT;
	err->hint[0] = '\0';
	mr_wrap(err, "the %s has no %s with the handle %u", mr_table_noun(&session->table),
		nouns[kind], handle);
	return -err->errnum;
}

int mr_session_find_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
			   struct mr_uverbs_mr *mr, struct mr_error *err)
{
	int rc = has_object(session, kind, handle, mr, err);

	if (rc)
		return rc < 0 ? rc : 0;
	/* The kernel's list lacks it: no call has failed, and @err is not set. */
	if (kind != MR_KIND_MR)
		mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "ioctl(INFO_HANDLES) does not list it");
	return fail_absent(session, kind, handle, err);
}

int mr_session_blame_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
			    struct mr_error *err)
{
	struct mr_error ignored;
	struct mr_uverbs_mr mr;

	return has_object(session, kind, handle, &mr, &ignored)
		       ? -err->errnum
		       : fail_absent(session, kind, handle, err);
}

int mr_session_count_uars(const struct mr_session *session, uint32_t *count, struct mr_error *err)
{
	struct mr_handles uars = { .list = NULL };
	bool own = session->library && session->library->device.context;
	int rc = mr_handles_list(session, MR_HANDLES_OF_UARS, &uars, err);

	*count = uars.count - (own && uars.count);
	mr_handles_release(&uars);
	return rc;
}
