/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A point of a benchmark: one call, measured again and again in one situation. */
#ifndef LIB_BENCH_POINT_H
#define LIB_BENCH_POINT_H

#include "lib/memory/dmabuf.h"
#include "lib/memory/kinds.h"
#include "lib/verbs/calls.h"

struct mr_bench_case;

/** What is measured. */
struct mr_bench_point {
	const struct mr_bench_case *what;
	struct mr_memory_kind memory;
	struct mr_dmabuf_source from; /**< of the dma-buf, where the case has one */
	uint64_t size;                /**< bytes of the region */
	uint32_t access;
	enum mr_via via;
};

#endif
