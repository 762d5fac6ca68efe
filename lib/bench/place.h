/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where calls are measured: an open device, with regions on it that are there already. */
#ifndef LIB_BENCH_PLACE_H
#define LIB_BENCH_PLACE_H

#include "lib/base/error.h"
#include "lib/memory/mapping.h"
#include "lib/verbs/calls.h"
#include "lib/verbs/device.h"
#include "lib/verbs/uverbs.h"

/** A device.  All threads of a process share it, as those of applications do. */
struct mr_bench_place {
	const char *name; /**< of the device; NULL: the only one there is */
	enum mr_region_kind kind;
	struct mr_device device;
	struct mr_environment environment;
	struct mr_uverbs uverbs;
	uint32_t pd_handle;
	uint64_t
		most_occupied; /**< how many regions mr_bench_place_occupy() will ever be asked for */
	struct mr_memory occupied_memory;
	struct mr_region *occupied; /**< regions that are there already */
	uint64_t occupied_count;
};

/**
 * mr_bench_place_open() - open the device
 * @place: its @name and @most_occupied are set, the rest is zeros; mr_bench_place_close() it, after a failure too
 * @kind:  what will be registered; umems need DEVX
 *
 * Return: 0 or -errno, as mr_device_open().
 */
int mr_bench_place_open(struct mr_bench_place *place, enum mr_region_kind kind,
			struct mr_error *err);

/** mr_bench_place_registrar() - how regions are registered there */
struct mr_registrar mr_bench_place_registrar(struct mr_bench_place *place, enum mr_via via);

/**
 * mr_bench_place_occupy() - let there be @count regions of @bytes, no more and no fewer
 *
 * They lie on the same memory, so that they take no more of it than one of them does.
 *
 * Return: 0, or -errno; occupied_count regions are there then.
 */
int mr_bench_place_occupy(struct mr_bench_place *place, uint64_t count, uint64_t bytes,
			  struct mr_error *err);

/** mr_bench_place_close() - deregister all regions, and close the device */
void mr_bench_place_close(struct mr_bench_place *place);

#endif
