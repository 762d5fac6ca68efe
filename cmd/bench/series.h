/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Series of measurements: what was asked for, and what came out of it. */
#ifndef CMD_BENCH_SERIES_H
#define CMD_BENCH_SERIES_H

#include "lib/bench/bench.h"

/** How the memory is before each call: its pages are there. */
#define BENCH_STATE "populated"

/** What was already registered, and how that came about. */
struct bench_level {
	uint64_t regions;
	uint64_t bytes;        /**< of each */
	const char *direction; /**< "ascending", "descending"; or NULL: there is one level */
};

/** A point with so many workers, on however many devices are measured at once. */
struct bench_setup {
	struct mr_bench_point point;
	uint32_t threads, processes;
	bool failed;   /**< a call has failed, so that it is not measured any more */
	bool unmapped; /**< its memory could not be had */
};

/** What a round came to. */
struct bench_round_result {
	uint64_t p50_ns;     /**< mean of the medians of its workers */
	uint64_t slowest_ns; /**< the median of the slowest worker */
	uint64_t count;
};

/** The measurements of a setup at a level, on one device. */
struct bench_series {
	const struct bench_setup *setup;
	const struct bench_level *level;
	const struct mr_environment *environment; /**< of the device */
	uint64_t first_ns;                        /**< the first call of all */
	struct mr_histogram histogram;
	struct bench_round_result *rounds;
	size_t round_count;
};

/** bench_median() - the median of values, which stay as they are; 0 where there is none, or no memory to sort in */
uint64_t bench_median(const uint64_t *values, size_t count);

/** bench_series_add() - add what the workers at @place have measured in a round */
void bench_series_add(struct bench_series *series, const struct mr_bench_crew *crew, size_t place);

#endif
