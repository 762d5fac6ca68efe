// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>

#include "lib/session/library.h"
#include "lib/verbs/verbs.h"

/* ---- memory that regions are on ---- */

struct mr_backing *mr_backing_new(struct mr_session *session)
{
	struct mr_session_library *library = session->library;
	struct mr_backing *backing = library->spare ? library->spare : malloc(sizeof(*backing));

	library->spare = NULL;
	if (backing)
		*backing = (struct mr_backing){ .library = library, .users = 1 };
	return backing;
}

static void give_up_backing(struct mr_backing *backing)
{
	struct mr_error ignored;

	if (!backing || --backing->users)
		return;
	mr_dmah_free(&backing->dmah, &ignored); /* no region uses it any more */
	mr_dmabuf_close(&backing->dmabuf);
	mr_memory_unmap(&backing->memory);
	if (backing->library->spare)
		free(backing);
	else
		backing->library->spare = backing;
}

void mr_backing_hand_over(struct mr_backing *backing, struct mr_memory *memory,
			  struct mr_dmabuf *dmabuf)
{
	if (!backing) {
		if (dmabuf)
			mr_dmabuf_close(dmabuf);
		mr_memory_unmap(memory);
		return;
	}
	backing->memory = *memory;
	if (dmabuf)
		backing->dmabuf = *dmabuf;
	give_up_backing(backing);
}

void mr_backing_keep_dmah(struct mr_backing *backing, struct mr_session *session,
			  struct mr_dmah *dmah)
{
	backing->dmah = *dmah;
	if (dmah->uverbs) /* the caller's goes with it */
		backing->dmah.uverbs = &session->uverbs;
	*dmah = (struct mr_dmah){ .dmah = NULL };
}

/* A region that could not be deregistered goes with the device, and so does its DMA handle. */
static void forget_held(struct mr_held *held)
{
	mr_region_forget(&held->region);
	if (held->backing)
		held->backing->dmah = (struct mr_dmah){ .dmah = NULL };
}

/* ---- keeping the device ---- */

int mr_session_keep_library(struct mr_session *session, struct mr_error *err)
{
	session->library = calloc(1, sizeof(*session->library));
	return session->library ? 0 : mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
}

void mr_session_close_library(struct mr_session *session)
{
	struct mr_session_library *library = session->library;

	if (!library)
		return;
	for (uint32_t slot = 0; slot < library->capacity; slot++)
		if (library->held[slot].region.live)
			forget_held(&library->held[slot]);
	for (uint32_t pd_slot = 0; pd_slot < MR_TABLE_PDS; pd_slot++) {
		struct ibv_pd *pd = library->pds[pd_slot];

		if (pd && (!mr_session_is_private(session) || ibv_dealloc_pd(pd)))
			ibv_unimport_pd(pd);
	}
	mr_device_close(&library->device);
	for (uint32_t slot = 0; slot < library->capacity; slot++)
		mr_held_move(&library->held[slot], NULL);
	if (mr_session_is_private(session))
		session->uverbs.fd = -1; /* was the device's */
	free(library->held);
	free(library->spare);
	free(library);
	session->library = NULL;
}

/* ---- calls of the library ---- */

/* A PD that was imported before is of no use where another process has put another PD into that slot since. */
static int import_pd(struct mr_session_library *library, uint32_t pd_slot, uint32_t handle,
		     struct mr_error *err)
{
	struct ibv_pd **pd = &library->pds[pd_slot];

	if (*pd && (*pd)->handle == handle)
		return 0;
	if (*pd)
		ibv_unimport_pd(*pd);
	errno = 0;
	*pd = ibv_import_pd(library->device.context, handle);
	return *pd ? 0 : mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_import_pd", NULL);
}

int mr_session_device(struct mr_session *session, uint32_t pd_slot, uint32_t pd_handle,
		      struct mr_device *device, struct mr_error *err)
{
	struct mr_session_library *library = session->library;
	int rc = 0;

	if (!library)
		return mr_device_import(session->uverbs.fd, pd_handle, device, err);
	*device = (struct mr_device){ .imported = true };
	if (!library->device.context)
		rc = mr_device_import(session->uverbs.fd, MR_NO_HANDLE, &library->device, err);
	if (!rc && pd_handle != MR_NO_HANDLE)
		rc = import_pd(library, pd_slot, pd_handle, err);
	if (rc)
		return rc;
	device->context = library->device.context;
	device->pd = pd_handle != MR_NO_HANDLE ? library->pds[pd_slot] : NULL;
	return 0;
}

void mr_session_release_device(const struct mr_session *session, struct mr_device *device)
{
	if (!session->library)
		mr_device_close(device);
}

/* ---- regions ---- */

struct mr_held *mr_session_held(const struct mr_session *session, uint32_t slot)
{
	const struct mr_session_library *library = session->library;

	return library && slot < library->capacity && library->held[slot].region.live
		       ? &library->held[slot]
		       : NULL;
}

enum mr_via mr_session_via(const struct mr_session *session, uint32_t slot)
{
	const struct mr_held *held = mr_session_held(session, slot);

	return held && held->region.mr ? MR_VIA_LIBRARY : MR_VIA_KERNEL;
}

int mr_session_reserve_region(struct mr_session *session, uint32_t slot, struct mr_error *err)
{
	struct mr_session_library *library = session->library;
	uint32_t capacity = session->table.capacity;
	struct mr_held *held;

	if (!mr_session_is_private(session) || slot < library->capacity)
		return 0;
	held = reallocarray(library->held, capacity, sizeof(*held));
	if (!held)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "reallocarray", NULL);
	for (uint32_t i = library->capacity; i < capacity; i++)
		held[i] = (struct mr_held){ .backing = NULL };
	library->held = held;
	library->capacity = capacity;
	return 0;
}

void mr_session_keep_region(struct mr_session *session, uint32_t slot,
			    const struct mr_region *region, struct mr_backing *backing)
{
	session->library->held[slot] = (struct mr_held){ *region, backing, false };
	if (backing)
		backing->users++;
}

void mr_session_forget_region(struct mr_session *session, uint32_t slot)
{
	mr_held_move(&session->library->held[slot], NULL);
	session->library->held[slot].region.live = false;
}

void mr_held_move(struct mr_held *held, struct mr_backing *backing)
{
	if (backing)
		backing->users++;
	give_up_backing(held->backing);
	held->backing = backing;
}

void mr_held_query(const struct mr_held *held, struct mr_uverbs_mr *mr)
{
	const struct mr_region *region = &held->region;

	*mr = (struct mr_uverbs_mr){ region->handle, region->lkey, region->rkey, region->length,
				     region->iova };
}
