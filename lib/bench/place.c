// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "lib/base/signals.h"
#include "lib/bench/place.h"
#include "lib/verbs/deregister.h"
#include "lib/verbs/region.h"

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
