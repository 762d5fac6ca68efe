/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A point of a benchmark: one call, measured again and again in one situation. */
#ifndef LIB_BENCH_POINT_H
#define LIB_BENCH_POINT_H

#include "lib/memory/dmabuf.h"
#include "lib/memory/kinds.h"
#include "lib/verbs/calls.h"

struct mr_bench_case;

/** How the memory is before each call. */
enum mr_bench_state {
	MR_BENCH_POPULATED, /**< its pages are there */
	MR_BENCH_UNTOUCHED, /**< mapped anew: the call has its pages made */
	MR_BENCH_ON_DEMAND, /**< populated; the region is on demand, so that the call pins nothing */
	MR_BENCH_STATES,    /**< how many there are */
};

/** mr_bench_state_name() - "populated", "untouched" or "on-demand" */
const char *mr_bench_state_name(enum mr_bench_state state);

/** What is measured. */
struct mr_bench_point {
	const struct mr_bench_case *what;
	struct mr_memory_kind memory;
	struct mr_dmabuf_source from; /**< of the dma-buf, where the case has one */
	uint64_t size;                /**< bytes of the region */
	uint32_t access;
	enum mr_via via;
	enum mr_bench_state state;
};

#endif
