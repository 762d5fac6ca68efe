// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"
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

bool mr_registrant_needed(const struct mr_entry *entry)
{
	return !mr_region_has_dmah(entry->call) && entry->registrant.pid;
}

static bool depends_on_its_process(const struct mr_entry *entry)
{
	return entry->access & MR_ACCESS_ON_DEMAND || entry->memory_of == MR_MEMORY_OF_GPU;
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
	if (mr_region_has_dmah(entry->call)) /* its hints stand in that place */
		return;
	entry->registrant = (struct mr_registrant){ 0 };
	if (mr_session_is_private(session) || !depends_on_its_process(entry))
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

int mr_handles_list(const struct mr_session *session, uint16_t object, struct mr_handles *handles,
		    struct mr_error *err)
{
	int rc;

	handles->count = 0;
	if (!handles->list)
		handles->list = calloc(MR_UVERBS_INFO_MAX, sizeof(*handles->list));
	if (!handles->list)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	rc = mr_uverbs_list(&session->uverbs, object, handles->list, &handles->count, err);
	/* Where the device has no memory of its own there is no such type (uapi_get_object()). */
	return rc == -ENOENT && object == UVERBS_OBJECT_DM ? 0 : rc;
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
	int rc = mr_handles_list(session, MLX5_IB_OBJECT_DEVX_UMEM, &session->umems, err);

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
	int rc = mr_handles_list(session, UVERBS_OBJECT_DM, &dms, err);

	if (!rc)
		rc = mr_handles_have(&dms, handle);
	mr_handles_release(&dms);
	return rc;
}

/* Return: 0, or -errno: -ENODEV where there is no function.  @binding is 0 where it is not known. */
static int find_binding(const struct mr_session *session, uint32_t *binding)
{
	struct mr_error ignored;
	char path[256];
	int rc = mr_uverbs_data_direct_path(&session->uverbs, path, sizeof(path), &ignored);

	*binding = rc ? 0 : mr_pci_binding(mr_this_host(), path);
	return rc;
}

void mr_session_note_binding(const struct mr_session *session, struct mr_entry *entry)
{
	if (mr_call_row(entry->call)->data_direct && entry->memory_of != MR_MEMORY_OF_RDMA_DEVICE)
		find_binding(session, &entry->binding);
}

enum mr_tristate mr_session_is_revoked(const struct mr_session *session,
				       const struct mr_entry *entry)
{
	uint32_t binding;
	int rc;

	if (!mr_call_row(entry->call)->data_direct || entry->memory_of == MR_MEMORY_OF_RDMA_DEVICE)
		return MR_NO;
	rc = find_binding(session, &binding);
	if (rc)
		return rc == -ENODEV ? MR_YES : MR_UNKNOWN;
	if (!entry->binding)
		return MR_NO;
	return !binding ? MR_UNKNOWN : binding != entry->binding ? MR_YES : MR_NO;
}
