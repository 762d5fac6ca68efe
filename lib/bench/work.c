// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls that are measured, and the devices that they are measured on. */
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/bench/bench.h"
#include "lib/base/signals.h"
#include "lib/session/library.h"
#include "lib/session/open.h"
#include "lib/session/pds.h"
#include "lib/session/relaxed.h"
#include "lib/session/table/index.h"
#include "lib/verbs/access.h"
#include "lib/verbs/advice.h"
#include "lib/verbs/deregister.h"
#include "lib/verbs/region.h"
#include "lib/verbs/rereg.h"

int mr_bench_place_open(struct mr_bench_place *place, enum mr_region_kind kind,
			struct mr_error *err)
{
	int rc;

	place->kind = kind;
	mr_environment_init(&place->environment);
	rc = kind == MR_KIND_UMEM
		     ? mr_device_open_devx(place->name, &place->device, &place->environment, err)
		     : mr_device_open(place->name, &place->device, &place->environment, err);
	if (!rc)
		place->uverbs =
			mr_device_uverbs(&place->device, &place->environment, &place->pd_handle);
	return rc;
}

struct mr_registrar mr_bench_place_registrar(struct mr_bench_place *place, enum mr_via via)
{
	if (via == MR_VIA_KERNEL)
		return (struct mr_registrar){ .via = via,
					      .uverbs = &place->uverbs,
					      .pd_handle = place->pd_handle };
	return (struct mr_registrar){ .via = via,
				      .context = place->device.context,
				      .pd = place->device.pd };
}

static int map_occupied(struct mr_bench_place *place, uint64_t bytes, struct mr_error *err)
{
	const struct mr_memory_request request = { .kind = { .type = MR_MEMORY_ANON,
							     .text = "anon" },
						   .length = bytes,
						   .populate = true };
	int rc;

	if (place->occupied)
		return 0;
	rc = mr_memory_map(&request, &place->occupied_memory, err);
	if (rc)
		return rc;
	/* A child of fork(2) would get copies of pages that are pinned. */
	madvise(place->occupied_memory.map, place->occupied_memory.map_length, MADV_DONTFORK);
	place->occupied = calloc(place->most_occupied, sizeof(*place->occupied));
	return place->occupied ? 0 : mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
}

static int add_occupied(struct mr_bench_place *place, const struct mr_registrar *registrar,
			uint64_t bytes, struct mr_error *err)
{
	const struct mr_region_request request = {
		.call = place->kind == MR_KIND_UMEM ? MR_UMEM_REG : MR_REG_MR,
		.addr = place->occupied_memory.start,
		.length = bytes,
		.access = IBV_ACCESS_LOCAL_WRITE,
	};
	int rc = mr_region_register(registrar, &request, &place->occupied[place->occupied_count],
				    err);

	place->occupied_count += !rc;
	return rc;
}

static int drop_occupied(struct mr_bench_place *place, const struct mr_registrar *registrar,
			 struct mr_error *err)
{
	int rc = mr_region_deregister(registrar, &place->occupied[place->occupied_count - 1], err);

	place->occupied_count -= !rc;
	return rc;
}

int mr_bench_place_occupy(struct mr_bench_place *place, uint64_t count, uint64_t bytes,
			  struct mr_error *err)
{
	const struct mr_registrar registrar = mr_bench_place_registrar(place, MR_VIA_LIBRARY);
	int rc = count ? map_occupied(place, bytes, err) : 0;

	while (!rc && place->occupied_count > count)
		rc = drop_occupied(place, &registrar, err);
	while (!rc && place->occupied_count < count && !mr_interrupted())
		rc = add_occupied(place, &registrar, bytes, err);
	return rc;
}

void mr_bench_place_close(struct mr_bench_place *place)
{
	const struct mr_registrar registrar = mr_bench_place_registrar(place, MR_VIA_LIBRARY);
	struct mr_error ignored;

	/* What cannot be deregistered ends with the device's file. */
	while (place->occupied_count && !drop_occupied(place, &registrar, &ignored))
		;
	free(place->occupied);
	place->occupied = NULL;
	mr_device_close(&place->device);
	mr_memory_unmap(&place->occupied_memory);
}

/* ---- memory ---- */

static int map(const struct mr_bench_work *work, struct mr_memory *memory, struct mr_error *err)
{
	const struct mr_bench_point *point = work->point;
	const struct mr_memory_request request = {
		.kind = point->memory,
		.length = point->size,
		.populate = true,
	};

	return mr_memory_map(&request, memory, err);
}

static int get_memory(struct mr_bench_work *work, struct mr_error *err)
{
	const struct mr_dmabuf_request dmabuf = { .source = work->point->from,
						  .size = work->point->size };
	int rc;

	if (mr_region_is_dmabuf(work->request.call)) {
		rc = mr_dmabuf_open(&dmabuf, &work->dmabuf, err);
		work->request.fd = work->dmabuf.fd;
		return rc;
	}
	rc = map(work, &work->memory, err);
	if (!rc && work->point->what->two_memories)
		rc = map(work, &work->other, err);
	work->request.addr = work->request.iova = work->memory.start;
	work->request.page_size = work->memory.page_size;
	return rc;
}

/* ---- steps ---- */

static int register_region(struct mr_bench_work *work, struct mr_error *err)
{
	return mr_region_register(&work->registrar, &work->request, &work->region, err);
}

static int deregister_region(struct mr_bench_work *work, struct mr_error *err)
{
	return work->region.live ? mr_region_deregister(&work->registrar, &work->region, err) : 0;
}

static int measure_register(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	int rc = register_region(work, err);

	*ns = work->region.elapsed_ns;
	return rc;
}

static int measure_deregister(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	int rc = deregister_region(work, err);

	*ns = work->region.dereg_elapsed_ns;
	return rc;
}

/* The region goes to and fro between two memories. */
static int measure_rereg(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	const struct mr_memory memory = work->memory;
	const struct mr_rereg_request request = { .changes = MR_CHANGE_TRANSLATION,
						  .addr = work->other.start,
						  .length = work->request.length,
						  .iova = work->other.start,
						  .origin = MR_ORIGIN_PLAIN };
	struct mr_rereg_failure failure = { .old = MR_OLD_UNTOUCHED };
	int rc = mr_region_rereg(&work->registrar, &request, &work->region, &failure, err);

	*ns = work->region.elapsed_ns;
	if (!rc) {
		work->memory = work->other;
		work->other = memory;
	}
	return rc;
}

static int measure_advise(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	static const struct mr_advice advice = { .text = "prefetch-write,flush",
						 .advice = IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
						 .flags = IBV_ADVISE_MR_FLAG_FLUSH };
	const struct mr_advice_range range = { .addr = work->region.iova,
					       .length = work->region.length,
					       .lkey = work->region.lkey };

	return mr_advise(&work->registrar, &advice, &range, ns, err);
}

static int measure_relaxed(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	const uint64_t start = mr_now_ns();
	int rc;

	work->entry = (struct mr_entry){ .pd = work->entry.pd };
	rc = mr_reg_mr_relaxed(work->session, &work->registrar, &work->request, &work->entry, err);
	*ns = mr_now_ns() - start;
	return rc;
}

/* One region at a time is there, so that each call does the same. */
static int flush_relaxed(struct mr_bench_work *work, struct mr_error *err)
{
	const uint32_t slot = mr_table_find(&work->session->table, MR_BY_ID, work->entry.id);
	uint64_t left;
	bool deferred;
	int rc = mr_dereg_mr_relaxed(work->session, slot, work->entry.id, MR_RELAXED_DEFER_NS,
				     &deferred, err);

	return rc ? rc : mr_flush_relaxed_mr(work->session, MR_ALL_PDS, NULL, NULL, &left, err);
}

const struct mr_bench_case mr_bench_cases[] = {
	{ .name = "reg",
	  .help = "ibv_reg_mr",
	  .call = MR_REG_MR,
	  .registers = true,
	  .measure = measure_register,
	  .after = deregister_region },
	{ .name = "reg-iova",
	  .help = "ibv_reg_mr_iova",
	  .call = MR_REG_MR_IOVA,
	  .registers = true,
	  .measure = measure_register,
	  .after = deregister_region },
	{ .name = "reg-dmabuf",
	  .help = "ibv_reg_dmabuf_mr",
	  .call = MR_REG_DMABUF_MR,
	  .measure = measure_register,
	  .after = deregister_region },
	{ .name = "rereg",
	  .help = "ibv_rereg_mr to other memory of the same size",
	  .call = MR_REG_MR,
	  .two_memories = true,
	  .begin = register_region,
	  .measure = measure_rereg },
	{ .name = "umem",
	  .help = "mlx5dv_devx_umem_reg",
	  .call = MR_UMEM_REG,
	  .registers = true,
	  .measure = measure_register,
	  .after = deregister_region },
	{ .name = "advise",
	  .help = "ibv_advise_mr prefetch-write,flush of a region on demand that is new",
	  .call = MR_REG_MR,
	  .access = MR_ACCESS_ON_DEMAND,
	  .before = register_region,
	  .measure = measure_advise,
	  .after = deregister_region },
	{ .name = "dereg",
	  .help = "ibv_dereg_mr",
	  .call = MR_REG_MR,
	  .before = register_region,
	  .measure = measure_deregister },
	{ .name = "relaxed",
	  .help = "the relaxed mode's registration (reg --relaxed)",
	  .call = MR_REG_MR_RELAXED,
	  .private_session = true,
	  .measure = measure_relaxed,
	  .after = flush_relaxed },
	{ .name = NULL },
};

const struct mr_bench_case *mr_bench_case_find(const char *name)
{
	for (const struct mr_bench_case *what = mr_bench_cases; what->name; what++)
		if (!strcmp(what->name, name))
			return what;
	return NULL;
}

uint32_t mr_bench_access(const struct mr_bench_point *point)
{
	return point->access | point->what->access;
}

/* ---- a worker's work ---- */

/* A session is not for threads, so that each worker has its own. */
static int open_session(struct mr_bench_work *work, struct mr_error *err)
{
	struct mr_table_pd pd = { .handle = MR_NO_HANDLE };
	struct mr_environment environment;
	struct mr_device device;
	uint32_t pd_slot;
	bool made;
	int rc;

	work->session = calloc(1, sizeof(*work->session));
	if (!work->session)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	rc = mr_session_open_private(work->place->environment.device, work->session, &environment,
				     err);
	if (rc) {
		free(work->session);
		work->session = NULL;
		return rc;
	}
	rc = mr_session_pd(work->session, MR_DEFAULT_PD, &made, &pd_slot, &pd, err);
	if (!rc)
		rc = mr_session_device(work->session, pd_slot, pd.handle, &device, err);
	if (rc)
		return rc;
	work->entry.pd = (uint16_t)pd_slot;
	work->registrar = (struct mr_registrar){ .via = MR_VIA_LIBRARY,
						 .context = device.context,
						 .pd = device.pd };
	return 0;
}

int mr_bench_work_open(struct mr_bench_work *work, const struct mr_bench_point *point,
		       struct mr_bench_place *place, struct mr_error *err)
{
	const struct mr_bench_case *what = point->what;
	int rc = 0;

	*work = (struct mr_bench_work){
		.point = point,
		.place = place,
		.registrar = mr_bench_place_registrar(place, point->via),
		.request = { .call = what->call,
			     .length = point->size,
			     .access = mr_bench_access(point) },
	};
	if (what->private_session)
		rc = open_session(work, err);
	if (!rc)
		rc = get_memory(work, err);
	if (!rc && what->begin)
		rc = what->begin(work, err);
	return rc;
}

int mr_bench_work_call(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	const struct mr_bench_case *what = work->point->what;
	int rc = what->before ? what->before(work, err) : 0;

	if (!rc)
		rc = what->measure(work, ns, err);
	if (!rc && what->after)
		rc = what->after(work, err);
	return rc;
}

void mr_bench_work_close(struct mr_bench_work *work)
{
	struct mr_error ignored;

	/* What cannot be deregistered ends with the device's file. */
	deregister_region(work, &ignored);
	if (work->session)
		mr_session_close(work->session);
	free(work->session);
	mr_dmabuf_close(&work->dmabuf);
	mr_memory_unmap(&work->memory);
	mr_memory_unmap(&work->other);
}
