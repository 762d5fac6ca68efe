/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which objects the kernel has, by its own lists of handles (INFO_HANDLES). */
#ifndef LIB_SESSION_HANDLES_H
#define LIB_SESSION_HANDLES_H

#include "lib/session/types.h"

/** What kind of object the handles are of. */
enum mr_handle_type {
	MR_HANDLES_OF_MRS,
	MR_HANDLES_OF_PDS,
	MR_HANDLES_OF_DMS,   /**< memory on the device; none where it has no such memory */
	MR_HANDLES_OF_UMEMS, /**< none but of mlx5 */
	MR_HANDLES_OF_UARS,  /**< doorbell pages; none but of mlx5 */
};

/**
 * mr_handles_list() - ask the kernel for the handles of a type
 * @handles: set to the newest objects, at most MR_UVERBS_INFO_MAX, of which the newest comes first.  It can be
 *           used again for another list; mr_handles_release() it, also after a failure
 *
 * Return: 0, or -errno: -ENOENT where the kernel does not know this type of object.
 */
int mr_handles_list(const struct mr_session *session, enum mr_handle_type type,
		    struct mr_handles *handles, struct mr_error *err);

/** mr_handles_release() - free the list */
void mr_handles_release(struct mr_handles *handles);

/** mr_handles_have() - whether a handle is in the list */
static inline bool mr_handles_have(const struct mr_handles *handles, uint32_t handle)
{
	return mr_uverbs_lists(handles->list, handles->count, handle);
}

/** A set of handles; all zeros: it is empty. */
struct mr_handle_set {
	uint64_t *words; /**< a bit for each handle */
	uint32_t count;
};

/**
 * mr_handle_set_add() - add a handle
 * Return: 0 or -ENOMEM.
 */
int mr_handle_set_add(struct mr_handle_set *set, uint32_t handle, struct mr_error *err);

/** mr_handle_set_has() - whether a handle is in the set */
static inline bool mr_handle_set_has(const struct mr_handle_set *set, uint32_t handle)
{
	return handle / 64 < set->count && set->words[handle / 64] >> handle % 64 & 1;
}

/** mr_handle_set_release() - make it empty */
void mr_handle_set_release(struct mr_handle_set *set);

/**
 * mr_session_has_umem() - whether the kernel has a umem with that handle
 *
 * INFO_HANDLES lists the newest MR_UVERBS_INFO_MAX umems.  Where there may be more, a handle that
 * is neither free nor an MR's is taken for a umem's.  That does no harm: the kernel refuses to deregister an
 * object of another type as a umem.
 *
 * Return: 1, 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_session_has_umem(struct mr_session *session, uint32_t handle, struct mr_error *err);

/**
 * mr_session_has_dm() - whether the kernel has memory on the device with that handle
 * Return: 1, 0, or -errno.
 */
int mr_session_has_dm(const struct mr_session *session, uint32_t handle, struct mr_error *err);

#endif
