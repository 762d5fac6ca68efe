// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"
#include "lib/verbs/verbs.h"

/* ---- memory that regions are on ---- */

struct mr_backing *mr_backing_new(void)
{
	struct mr_backing *backing = calloc(1, sizeof(*backing));

	if (backing)
		backing->users = 1;
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
	free(backing);
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
	/* A region that could not be deregistered goes with the device, and so does its DMA handle. */
	for (uint32_t slot = 0; slot < library->capacity; slot++) {
		struct mr_held *held = &library->held[slot];

		if (!held->region.live)
			continue;
		mr_region_forget(&held->region);
		if (held->backing)
			held->backing->dmah = (struct mr_dmah){ .dmah = NULL };
	}
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
	free(library);
	session->library = NULL;
}

/* ---- calls of the library ---- */

int mr_session_device(struct mr_session *session, uint32_t pd_slot, uint32_t pd_handle,
		      struct mr_device *device, struct mr_error *err)
{
	struct mr_session_library *library = session->library;
	struct ibv_pd **pd;
	int rc = 0;

	if (!library)
		return mr_device_import(session->uverbs.fd, pd_handle, device, err);
	*device = (struct mr_device){ .imported = true };
	if (!library->device.context)
		rc = mr_device_import(session->uverbs.fd, MR_NO_HANDLE, &library->device, err);
	if (rc)
		return rc;
	device->context = library->device.context;
	if (pd_handle == MR_NO_HANDLE)
		return 0;
	/* A PD that was imported before is of no use where another process has put another one into that slot since. */
	pd = &library->pds[pd_slot];
	if (*pd && (*pd)->handle != pd_handle) {
		ibv_unimport_pd(*pd);
		*pd = NULL;
	}
	errno = 0;
	if (!*pd)
		*pd = ibv_import_pd(device->context, pd_handle);
	device->pd = *pd;
	return *pd ? 0 : mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_import_pd", NULL);
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

void mr_held_move(struct mr_held *held, struct mr_backing *backing)
{
	if (backing)
		backing->users++;
	give_up_backing(held->backing);
	held->backing = backing;
}

void mr_entry_fill(struct mr_entry *entry, const struct mr_region_request *request,
		   const struct mr_region *region, enum mr_via via)
{
	entry->addr = request->addr;
	entry->length = mr_region_is_null(request->call) ? region->length : request->length;
	entry->access = request->access;
	entry->via = (uint8_t)via;
	entry->handle = region->handle;
	entry->elapsed_ns = region->elapsed_ns;
	entry->dm = 0;
	if (request->dm && request->dm->allocated) {
		entry->memory_of = MR_MEMORY_OF_RDMA_DEVICE;
		entry->dm = request->dm->handle;
	} else if (request->call != MR_REG_MR_RELAXED) {
		entry->pinned_access = request->access;
	}
	entry->hints = (struct mr_dmah_hints){ .memory = MR_DMAH_NO_CPU };
	if (request->dmah) {
		entry->hints = request->dmah->hints;
		entry->dmah = request->dmah->handle;
	}
	if (region->kind == MR_KIND_UMEM) {
		entry->page_sizes = request->page_sizes;
		entry->umem_id = region->umem_id;
		return;
	}
	entry->iova = region->iova;
	entry->lkey = region->lkey;
	entry->rkey = region->rkey;
}

bool mr_registrant_needed(const struct mr_entry *entry)
{
	return !mr_call_row(entry->call)->dmah && entry->registrant.pid;
}

uint32_t mr_registrant_start(uint64_t ticks)
{
	uint32_t low = ticks & UINT32_MAX;

	return low || !ticks ? low : 1;
}

/* Once for all regions.  The start stays 0 where this process is in another PID namespace than the session. */
static void identify_self(struct mr_session *session)
{
	struct mr_registrant *self = &session->self;
	uint32_t namespace;
	uint64_t ticks;

	if (self->pid)
		return;
	self->pid = (uint32_t)getpid();
	namespace = mr_process_namespace();
	if (namespace && namespace == session->device.pid_namespace &&
	    mr_process_life(getpid(), &ticks) == MR_PROCESS_LIVES)
		self->start = mr_registrant_start(ticks);
}

void mr_registrant_note(struct mr_session *session, struct mr_entry *entry)
{
	if (mr_call_row(entry->call)->dmah) /* its hints stand in that place */
		return;
	entry->registrant = (struct mr_registrant){ 0 };
	if (mr_session_is_private(session) ||
	    !(entry->access & MR_ACCESS_ON_DEMAND || entry->memory_of == MR_MEMORY_OF_GPU))
		return;
	identify_self(session);
	entry->registrant = session->self;
}

enum mr_tristate mr_registrant_lives(struct mr_session *session, const struct mr_entry *entry)
{
	const struct mr_registrant *registrant = &entry->registrant;
	uint64_t ticks;

	identify_self(session);
	if (!registrant->start || !session->self.start || registrant->pid > INT32_MAX ||
	    !registrant->pid)
		return MR_UNKNOWN;
	switch (mr_process_life((pid_t)registrant->pid, &ticks)) {
	case MR_PROCESS_LIVES:
		return mr_registrant_start(ticks) == registrant->start ? MR_YES : MR_NO;
	case MR_PROCESS_ENDED:
		return MR_NO;
	default:
		return MR_UNKNOWN;
	}
}
