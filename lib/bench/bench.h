/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Measuring registration: calls, places and workers, and the figures that come of the times. */
#ifndef LIB_BENCH_BENCH_H
#define LIB_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/memory/dmabuf.h"
#include "lib/memory/kinds.h"
#include "lib/memory/mapping.h"
#include "lib/session/types.h"
#include "lib/verbs/calls.h"
#include "lib/verbs/device.h"
#include "lib/verbs/uverbs.h"

/* Where calls are measured: an open device, with regions on it that are there already. */

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

/* A point of a benchmark: one call, measured again and again in one situation. */

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

/* The calls that a benchmark measures, as a table: a new one is a row in case.c. */

/** What one worker calls with. */
struct mr_bench_work {
	const struct mr_bench_point *point;
	struct mr_bench_place *place;
	struct mr_registrar registrar;
	struct mr_memory memory;
	struct mr_memory other; /**< of cases that change a region's memory */
	struct mr_dmabuf dmabuf;
	struct mr_region_request request;
	struct mr_region region;    /**< live: it is registered now */
	struct mr_session *session; /**< of relaxed regions: the worker's own */
	struct mr_entry entry;      /**< of the relaxed region */
};

/** A step of a case.  Return: 0 or -errno. */
typedef int mr_bench_step(struct mr_bench_work *work, struct mr_error *err);

/** A case. */
struct mr_bench_case {
	const char *name;         /**< "reg" */
	const char *help;         /**< what is measured, for the help */
	enum mr_region_call call; /**< by which its regions are registered */
	bool registers;           /**< the measured call is that one, on memory of the process */
	uint32_t access;          /**< access flags that it needs */
	bool two_memories;        /**< it needs mr_bench_work.other */
	bool private_session;     /**< it needs mr_bench_work.session */
	mr_bench_step *begin;     /**< once, before the first call; or NULL */
	mr_bench_step *before;    /**< before each call; or NULL */
	/** The call.  @ns: set to the time it took, in nanoseconds. */
	int (*measure)(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err);
	mr_bench_step *after; /**< after each call; or NULL */
};

/** All cases; the last one has no name. */
extern const struct mr_bench_case mr_bench_cases[];

/** mr_bench_case_find() - the case of that name, or NULL */
const struct mr_bench_case *mr_bench_case_find(const char *name);

/** mr_bench_access() - the access flags that a point registers with: its own and the case's */
uint32_t mr_bench_access(const struct mr_bench_point *point);

/**
 * mr_bench_work_open() - get memory, and whatever else the case needs before its first call
 * @work: set; mr_bench_work_close() it, after a failure too
 *
 * Return: 0 or -errno.
 */
int mr_bench_work_open(struct mr_bench_work *work, const struct mr_bench_point *point,
		       struct mr_bench_place *place, struct mr_error *err);

/**
 * mr_bench_work_call() - make the call once, with all that goes before and after it
 * @ns: set to the time of the call alone
 */
int mr_bench_work_call(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err);

/** mr_bench_work_close() - deregister what is left, and free the memory */
void mr_bench_work_close(struct mr_bench_work *work);

/*
 * Workers that make the calls of a point all at once: threads of this process, or of several.
 *
 * Each worker gets its memory and makes some calls that do not count.  When all have done so, all begin at the
 * same moment.
 */

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

/*
 * A histogram of times in the manner of HdrHistogram: each power of two has the same number of buckets, so that
 * the relative error is the same from 1 ns to centuries.
 */

/** Buckets of a power of two, as a power of two: a value is told with an error of at most 1 in 2048. */
#define MR_HISTOGRAM_BITS 10

/** A histogram.  mr_histogram_init() it. */
struct mr_histogram {
	uint64_t *buckets;
	uint64_t count;
	uint64_t min, max; /**< exact; with no value UINT64_MAX and 0 */
	double sum;
};

/** Values of a bucket. */
struct mr_histogram_bucket {
	uint64_t ns; /**< the middle of the bucket */
	uint64_t count;
};

/** mr_histogram_init() - make it empty; mr_histogram_release() it.  Return: 0 or -ENOMEM. */
int mr_histogram_init(struct mr_histogram *histogram);
void mr_histogram_release(struct mr_histogram *histogram);

/** mr_histogram_add() - add a value @count times */
void mr_histogram_add(struct mr_histogram *histogram, uint64_t value, uint64_t count);

/**
 * mr_histogram_quantile() - the value that a part of all values does not exceed
 * @part: 0 to 1; 0 is the least value, 1 the greatest, both exact
 *
 * It is the middle of the bucket of the value with that rank (nearest rank).
 *
 * Return: 0 where there is no value.
 */
uint64_t mr_histogram_quantile(const struct mr_histogram *histogram, double part);

/** mr_histogram_mean() - the arithmetic mean, exact; 0 where there is no value */
double mr_histogram_mean(const struct mr_histogram *histogram);

/** mr_histogram_above() - how many values are greater than @value, by their buckets */
uint64_t mr_histogram_above(const struct mr_histogram *histogram, uint64_t value);

/**
 * mr_histogram_outliers() - how many values are far from the others
 *
 * Those are greater than p50 + 10 * (p90 - p50), and than 2 * p50: values that hardly differ have no outliers among
 * them.
 */
uint64_t mr_histogram_outliers(const struct mr_histogram *histogram);

/**
 * mr_histogram_next() - the next bucket that holds values
 * @from:   0 at first; set to where to go on
 * @bucket: set
 *
 * Return: false where there is no other.
 */
bool mr_histogram_next(const struct mr_histogram *histogram, size_t *from,
		       struct mr_histogram_bucket *bucket);

/* A line through times by size: what a call costs by itself, and what each byte adds. */

struct mr_fit_point {
	double x, y;
};

/** y = @fixed + @slope * x */
struct mr_fit {
	double fixed, slope;
	double residual; /**< root of the mean square of the relative errors of all points: 0.05 is 5 % */
};

/**
 * mr_fit() - find the line that most points are near to
 * @points: with y greater than 0
 *
 * Sizes span many powers of ten.  By absolute errors the largest alone would decide.  Of the lines through two of the
 * points the one is taken whose sum of |log(y / line)| is the least: a time that is far too short or too long does not
 * move it.  Through the points within a quarter of that line goes the one whose relative errors have the least sum of
 * squares.
 *
 * Return: 0; -EDOM where fewer than three x differ, or a y is not greater than 0.
 */
int mr_fit(const struct mr_fit_point *points, size_t count, struct mr_fit *fit);

/* How many times longer something takes than before, with a confidence interval. */

/** The new times divided by the old ones. */
struct mr_effect {
	double ratio; /**< estimate (Hodges and Lehmann) */
	double low,
		high; /**< interval that holds the true ratio with a probability of 95 % at least */
};

/**
 * mr_effect() - compare two sets of times that were measured independently of each other
 * @old, @new: times greater than 0, such as the medians of rounds; they need not be normally distributed
 *
 * The estimate is the median of all ratios of a new and an old time.  The interval is that of the rank-sum test
 * (Wilcoxon, Mann and Whitney) for logarithms: exact up to 50 times, by the normal distribution for more.
 *
 * Return: 0; -EDOM where there are too few times for such an interval (3 and 3, say), or one is not greater than
 * 0; -ENOMEM.
 */
int mr_effect(const double *old, size_t old_count, const double *new, size_t new_count,
	      struct mr_effect *effect);

/** What an effect means for a tolerance. */
enum mr_effect_verdict {
	MR_EFFECT_SAME,    /**< the whole interval lies within the tolerance */
	MR_EFFECT_SLOWER,  /**< the whole interval lies above it */
	MR_EFFECT_FASTER,  /**< the whole interval lies below it */
	MR_EFFECT_UNCLEAR, /**< neither: more rounds would tell */
	MR_EFFECT_TOO_FEW, /**< there are too few rounds for an interval; mr_effect_judge() does not return it */
	MR_EFFECT_VERDICTS,
};

/** mr_effect_judge() - judge an effect; @tolerance: 0.05 is 5 % */
enum mr_effect_verdict mr_effect_judge(const struct mr_effect *effect, double tolerance);

/** mr_effect_name() - "same", "slower", "faster", "unclear" or "too-few-rounds" */
const char *mr_effect_name(enum mr_effect_verdict verdict);

#endif
