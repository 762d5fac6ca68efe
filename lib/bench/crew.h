/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Workers that make the calls of a point all at once: threads of this process, or of several.
 *
 * Each worker gets its memory and makes some calls that do not count.  When all have done so, all begin at the
 * same moment.
 */
#ifndef LIB_BENCH_CREW_H
#define LIB_BENCH_CREW_H

#include "lib/base/error.h"
#include "lib/bench/place.h"
#include "lib/bench/point.h"

/** At most so many calls of a worker are kept in a round: those that come later are not made. */
#define MR_BENCH_SAMPLES 32768

/** At most so many workers at once. */
#define MR_BENCH_WORKERS 4096

/** A round: some calls of a point by each worker. */
struct mr_bench_round {
	const struct mr_bench_point *point;
	struct mr_bench_place *places; /**< devices that are measured at once; open */
	size_t place_count;
	uint32_t processes; /**< for each device */
	uint32_t threads;   /**< for each process */
	uint64_t ns;        /**< how long to call */
	uint64_t calls;     /**< of each worker, in place of @ns; 0: as many as there is time for */
	uint64_t warm_up;   /**< calls of each worker before that do not count */
};

/** What a worker has found out. */
struct mr_bench_worker {
	size_t place; /**< index of its device */
	uint64_t
		first_ns; /**< its first call of all, which does not count where there is a warm-up */
	uint64_t count;   /**< calls that count */
	uint64_t elapsed_ns;     /**< from the beginning of all to the end of its last call */
	const uint64_t *samples; /**< the time of each in nanoseconds */
	int rc;                  /**< 0, or -errno of what has ended its work */
	struct mr_error err;
};

/** A crew.  All zeros before mr_bench_crew_open(). */
struct mr_bench_crew {
	struct mr_bench_shared *shared; /**< with the processes */
	size_t size;                    /**< bytes of that */
	struct mr_bench_worker *workers;
	uint32_t count;
};

/** mr_bench_crew_open() - get memory for the workers of rounds; mr_bench_crew_close() it.  Return: 0 or -ENOMEM. */
int mr_bench_crew_open(struct mr_bench_crew *crew, uint32_t workers, struct mr_error *err);

/**
 * mr_bench_crew_run() - run a round
 * @crew: for as many workers; their results are set
 *
 * A worker whose call fails ends its work, which ends the round.  It ends, too, where a signal has come
 * (mr_interrupted()): what was measured by then counts.
 *
 * Return: 0; or -errno where the round could not be run, or of the first worker that failed.
 */
int mr_bench_crew_run(struct mr_bench_crew *crew, const struct mr_bench_round *round,
		      struct mr_error *err);

void mr_bench_crew_close(struct mr_bench_crew *crew);

#endif
