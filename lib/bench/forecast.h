/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What it takes to register much memory in pieces: how long, how many pages, and whether limits allow it. */
#ifndef LIB_BENCH_FORECAST_H
#define LIB_BENCH_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/number.h"
#include "lib/bench/bench.h"

/** Memory that is to be registered in pieces, each of which begins at a page of its own. */
struct mr_forecast_plan {
	uint64_t size;       /**< bytes in all */
	uint64_t piece;      /**< bytes of a piece, up to @size; the last one may be smaller */
	uint64_t page;       /**< bytes of a page that the kernel counts, a power of two */
	uint64_t entry_page; /**< bytes that a translation entry is for, a power of two */
	bool is_pinned;      /**< the pages of regions on demand are not */
};

/** What a plan comes to. */
struct mr_forecast_counts {
	uint64_t pieces;
	uint64_t pinned_pages;
	uint64_t pinned_bytes;
	uint64_t entries; /**< of the device's translation table */
};

/**
 * mr_forecast_count() - count pieces, pages and entries
 *
 * Return: 0; -EOVERFLOW where their bytes are too many for 64 bits; -EDOM where the plan has no piece.
 */
int mr_forecast_count(const struct mr_forecast_plan *plan, struct mr_forecast_counts *counts);

/** What a limit is about. */
enum mr_forecast_subject {
	MR_FORECAST_PIECE,  /**< bytes of a piece */
	MR_FORECAST_PIECES, /**< how many there are */
	MR_FORECAST_PINNED, /**< bytes of all pinned pages */
};

/** A limit. */
struct mr_forecast_limit {
	const char *name; /**< "RLIMIT_MEMLOCK" */
	enum mr_forecast_subject subject;
	struct mr_opt_u64 most; /**< not known: there is none, or nobody tells it */
};

/** mr_forecast_needed() - what a plan needs of what a limit is about */
uint64_t mr_forecast_needed(const struct mr_forecast_plan *plan,
			    const struct mr_forecast_counts *counts,
			    enum mr_forecast_subject subject);

/**
 * mr_forecast_judge() - find the first limit that does not allow a plan
 * Return: it, in @limits; NULL: all that are known allow it.
 */
const struct mr_forecast_limit *mr_forecast_judge(const struct mr_forecast_plan *plan,
						  const struct mr_forecast_counts *counts,
						  const struct mr_forecast_limit *limits,
						  size_t limit_count);

/** Where the time of a piece comes from. */
enum mr_forecast_by {
	MR_FORECAST_UNKNOWN,
	MR_FORECAST_MEASURED, /**< this size was measured */
	MR_FORECAST_FITTED,   /**< the line through the measured sizes goes there */
};

/** mr_forecast_by_name() - "measured" or "fitted"; NULL: it is not known */
const char *mr_forecast_by_name(enum mr_forecast_by by);

/** How long it takes, in nanoseconds. */
struct mr_forecast_time {
	enum mr_forecast_by by; /**< unknown: nothing else is set */
	uint64_t piece_ns;      /**< one call */
	uint64_t all_ns;        /**< all calls, the last one as long as the others */
	double residual;        /**< of the line, as of struct mr_fit; 0 where it was measured */
};

/**
 * mr_forecast_time() - tell how long a plan takes
 * @points:  measured sizes (x), and the mean time of a call (y) while as many threads call as will
 * @threads: that call at once; each piece takes one of them for a call
 *
 * The time of a size that was not measured is that of the line through those that were.  It is not known where
 * there are fewer than three, or the line does not rise, as chance may have it with few small sizes.
 */
struct mr_forecast_time mr_forecast_time(const struct mr_fit_point *points, size_t count,
					 uint64_t piece, uint64_t pieces, uint32_t threads);

#endif
