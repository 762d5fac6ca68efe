/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Measures registration: the calls, the workers that make them, and the figures of their times. */
#ifndef LIB_BENCH_BENCH_H
#define LIB_BENCH_BENCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/memory/memory.h"
#include "lib/verbs/verbs.h"

/* ---- places ---- */

/** A device that is measured, with existing regions.  All threads of a process share it, as in applications. */
struct mr_bench_place {
	const char *name; /**< of the device; NULL: the only one there is */
	enum mr_region_kind kind;
	struct mr_device device;
	struct mr_environment environment;
	struct mr_uverbs uverbs;
	uint32_t pd_handle;
	uint64_t most_occupied; /**< the most regions that mr_bench_place_occupy() is called for */
	struct mr_memory occupied_memory;
	struct mr_region *occupied; /**< regions that exist now */
	uint64_t occupied_count;
};

/**
 * mr_bench_place_open() - open the device
 * @place: its @name and @most_occupied are set; mr_bench_place_close() it, after a failure too
 * @kind:  what is registered; umems need DEVX
 *
 * Return: 0 or -errno, as mr_device_open().
 */
int mr_bench_place_open(struct mr_bench_place *place, enum mr_region_kind kind,
			struct mr_error *err);

/**
 * mr_bench_place_occupy() - register or deregister until there are @count regions of @bytes
 *
 * They lie on the same memory, so that they take no more of it than one of them does.
 *
 * Return: 0, or -errno; occupied_count regions are registered then.
 */
int mr_bench_place_occupy(struct mr_bench_place *place, uint64_t count, uint64_t bytes,
			  struct mr_error *err);

/** mr_bench_place_close() - deregister all regions, and close the device */
void mr_bench_place_close(struct mr_bench_place *place);

/* ---- calls ---- */

struct mr_bench_work;

/** A step of a case.  Return: 0 or -errno. */
typedef int mr_bench_step(struct mr_bench_work *work, struct mr_error *err);

/** A call that is measured. */
struct mr_bench_case {
	const char *name;         /**< "reg" */
	enum mr_region_call call; /**< by which its regions are registered */
	bool registers;           /**< the measured call is that one, on memory of the process */
	uint32_t access;          /**< access flags that it requires */
	bool two_memories;        /**< it moves a region between two */
	bool private_session;     /**< it needs a session for each worker */
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

/** One call in one situation. */
struct mr_bench_point {
	const struct mr_bench_case *what;
	struct mr_memory_kind memory;
	struct mr_dmabuf_source from; /**< of the dma-buf, where the case has one */
	uint64_t size;                /**< bytes of the region */
	uint32_t access;              /**< with the flags that the case needs */
	enum mr_via via;
	uint32_t processes; /**< for each device */
	uint32_t threads;   /**< for each process */
};

/* ---- workers ---- */

/** The most calls of a worker in a round. */
#define MR_BENCH_SAMPLES 32768

/** The most workers at once. */
#define MR_BENCH_WORKERS 4096

/** Warm-up calls of each worker in each round, which are not measured. */
#define MR_BENCH_WARM_UP 3

/** A round: some calls of a point by each worker, which are threads of this process, or of several. */
struct mr_bench_round {
	const struct mr_bench_point *point;
	struct mr_bench_place *places; /**< devices that are measured at once; open */
	size_t place_count;
	uint64_t ns;    /**< how long to call */
	uint64_t calls; /**< of each worker, in place of @ns; 0: as many as there is time for */
};

/** Measurements of a worker. */
struct mr_bench_worker {
	size_t place;      /**< index of its device */
	uint64_t first_ns; /**< its first call of all, a warm-up call */
	uint64_t count;    /**< measured calls */
	uint64_t *samples; /**< the time of each in nanoseconds */
	int rc;            /**< 0, or -errno that ended its work */
	struct mr_error err;
};

/** The workers of a round, in memory that all processes share.  It has no lock that a killed process could hold. */
struct mr_bench_workers {
	size_t size; /**< bytes of the mapping, with the times behind the list */
	uint32_t count;
	_Atomic uint32_t ready; /**< workers that wait for the others, or have failed before */
	_Atomic bool stop;      /**< a worker has failed, or a signal has come */
	struct mr_bench_worker list[];
};

/**
 * mr_bench_run() - run a round
 * @workers: set to its workers and what they have measured, or NULL where memory is short; mr_bench_workers_release()
 *           it, after a failure too
 *
 * Each worker gets its memory and makes the first warm-up call.  When all have done so, all begin at the same moment,
 * with the other warm-up calls.  A worker whose call fails ends the round, as does a signal (mr_interrupted()): what was
 * measured by then is kept.
 *
 * Return: 0; or -errno where the round could not be run, or of the first worker that failed.
 */
int mr_bench_run(const struct mr_bench_round *round, struct mr_bench_workers **workers,
		 struct mr_error *err);
void mr_bench_workers_release(struct mr_bench_workers *workers);

/* ---- figures ---- */

/** mr_bench_median() - sort values, and return their median; 0 where there is none */
uint64_t mr_bench_median(uint64_t *values, size_t count);

/**
 * A histogram of times in the manner of HdrHistogram: each power of two has the same number of buckets, so that
 * the relative error is the same from 1 ns to centuries.  mr_histogram_init() it.
 */
struct mr_histogram {
	uint64_t *buckets;
	uint64_t count;
	uint64_t min, max; /**< exact; with no value UINT64_MAX and 0 */
	double sum;
};

/** Values of a bucket. */
struct mr_histogram_bucket {
	struct mr_opt_u64 ns; /**< the middle of the bucket */
	struct mr_opt_u64 count;
};

/** mr_histogram_init() - make it empty; mr_histogram_release() it.  Return: 0 or -ENOMEM. */
int mr_histogram_init(struct mr_histogram *histogram);
void mr_histogram_release(struct mr_histogram *histogram);

/** mr_histogram_add() - add a value */
void mr_histogram_add(struct mr_histogram *histogram, uint64_t value);

/**
 * mr_histogram_quantile() - the value that a part of all values does not exceed
 * @part: 0 to 1; 0 is the least value, 1 the greatest, both exact
 *
 * Return: the middle of the bucket of the value with that rank (nearest rank); 0 where there is no value.
 */
uint64_t mr_histogram_quantile(const struct mr_histogram *histogram, double part);

/** mr_histogram_mean() - the arithmetic mean, exact; 0 where there is no value */
double mr_histogram_mean(const struct mr_histogram *histogram);

/** mr_histogram_outliers() - how many values are greater than p50 + 10 * (p90 - p50), and than 2 * p50 */
uint64_t mr_histogram_outliers(const struct mr_histogram *histogram);

/** mr_histogram_list() - the buckets that hold values, to be freed; NULL: there are none, or memory is short */
struct mr_histogram_bucket *mr_histogram_list(const struct mr_histogram *histogram, size_t *count);

struct mr_fit_point {
	double x, y;
};

/** y = @fixed + @slope * x */
struct mr_fit {
	double fixed, slope;
	double residual; /**< root of the mean square of the relative errors of all points: 0.05 is 5 % */
	/* For mr_fit_error(): */
	double sigma, weight, middle, spread;
	size_t used; /**< points that the line goes through */
};

/**
 * mr_fit() - find the line that most points are near to
 * @points: each with another x, and a y greater than 0
 *
 * Sizes span many powers of ten.  By absolute errors the largest alone would decide.  Among the lines through two of the
 * points the one is taken whose sum of |log(y / line)| is the least: a time that is far too short or too long does not
 * move it.  Through the points within a quarter of that line goes the one whose relative errors have the least sum of
 * squares.
 *
 * Return: 0; -EDOM where there are fewer than three, or a y is not greater than 0.
 */
int mr_fit(const struct mr_fit_point *points, size_t count, struct mr_fit *fit);

/** mr_fit_error() - half of the interval of 95 % around the line at @x; INFINITY where two points alone are near it */
double mr_fit_error(const struct mr_fit *fit, double x);

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
 * (Wilcoxon, Mann and Whitney) for logarithms, by the normal distribution: at few times its rank is the exact one,
 * or one less.
 *
 * Return: 0; -EDOM where there are too few times for such an interval (3 and 3, say), or one is not greater than
 * 0; -ENOMEM.
 */
int mr_effect(const double *old, size_t old_count, const double *new, size_t new_count,
	      struct mr_effect *effect);

#endif
