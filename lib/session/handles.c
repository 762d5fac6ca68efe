// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <stdlib.h>
#include <string.h>

#include "lib/session/handles.h"

int mr_handles_list(const struct mr_session *session, enum mr_handle_type type,
		    struct mr_handles *handles, struct mr_error *err)
{
	const struct mr_uverbs *uverbs = &session->uverbs;
	uint32_t *count = &handles->count;
	int rc;

	*count = 0;
	if (!handles->list)
		handles->list = calloc(MR_UVERBS_INFO_MAX, sizeof(*handles->list));
	if (!handles->list)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	switch (type) {
	case MR_HANDLES_OF_MRS:
		return mr_uverbs_list(uverbs, UVERBS_OBJECT_MR, handles->list, count, err);
	case MR_HANDLES_OF_PDS:
		return mr_uverbs_list(uverbs, UVERBS_OBJECT_PD, handles->list, count, err);
	case MR_HANDLES_OF_DMS:
		rc = mr_uverbs_list(uverbs, UVERBS_OBJECT_DM, handles->list, count, err);
		/* Where the device has no memory of its own there is no such type (uapi_get_object()). */
		return rc == -ENOENT ? 0 : rc;
	case MR_HANDLES_OF_UMEMS:
		return mr_uverbs_list_umems(uverbs, handles->list, count, err);
	case MR_HANDLES_OF_UARS:
		return mr_uverbs_list_uars(uverbs, handles->list, count, err);
	}
	return 0;
}

void mr_handles_release(struct mr_handles *handles)
{
	free(handles->list);
	*handles = (struct mr_handles){ .list = NULL };
}

/* The kernel gives the lowest handle that is free, so the highest one is about as high as there are objects. */
int mr_handle_set_add(struct mr_handle_set *set, uint32_t handle, struct mr_error *err)
{
	uint32_t count = set->count;
	uint64_t *words;

	if (handle / 64 >= count) {
		count = handle / 32 + 64;
		words = realloc(set->words, count * sizeof(*words));
		if (!words)
			return mr_fail(err, MR_ERROR_HOST, ENOMEM, "realloc", NULL);
		memset(words + set->count, 0, (count - set->count) * sizeof(*words));
		*set = (struct mr_handle_set){ words, count };
	}
	set->words[handle / 64] |= UINT64_C(1) << handle % 64;
	return 0;
}

void mr_handle_set_release(struct mr_handle_set *set)
{
	free(set->words);
	*set = (struct mr_handle_set){ .words = NULL };
}

int mr_session_has_umem(struct mr_session *session, uint32_t handle, struct mr_error *err)
{
	struct mr_uverbs_mr mr;
	int rc = mr_handles_list(session, MR_HANDLES_OF_UMEMS, &session->umems, err);

	if (rc)
		return rc;
	if (mr_handles_have(&session->umems, handle))
		return 1;
	return session->umems.count == MR_UVERBS_INFO_MAX &&
	       mr_uverbs_query_mr(&session->uverbs, handle, &mr, err) == -EINVAL;
}

int mr_session_has_dm(const struct mr_session *session, uint32_t handle, struct mr_error *err)
{
	struct mr_handles dms = { .list = NULL };
	int rc = mr_handles_list(session, MR_HANDLES_OF_DMS, &dms, err);

	if (!rc)
		rc = mr_handles_have(&dms, handle);
	mr_handles_release(&dms);
	return rc;
}
