// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/bench/forecast.h"

/* Times from here on are no forecast; below it a double is surely a number of 64 bits. */
#define MOST_NS 1e18

static uint64_t pages_of(uint64_t bytes, uint64_t page)
{
	return bytes / page + (bytes % page != 0);
}

/* Pages of all pieces.  They are at most as many as bytes, so that 64 bits hold them. */
static uint64_t all_pages(const struct mr_forecast_plan *plan, uint64_t page)
{
	return plan->size / plan->piece * pages_of(plan->piece, page) +
	       pages_of(plan->size % plan->piece, page);
}

int mr_forecast_count(const struct mr_forecast_plan *plan, struct mr_forecast_counts *counts)
{
	uint64_t entry_bytes;

	*counts = (struct mr_forecast_counts){ 0 };
	if (!plan->size || !plan->piece || plan->piece > plan->size)
		return -EDOM;
	counts->pieces = pages_of(plan->size, plan->piece);
	counts->entries = all_pages(plan, plan->entry_page);
	if (plan->is_pinned)
		counts->pinned_pages = all_pages(plan, plan->page);
	if (__builtin_mul_overflow(counts->entries, plan->entry_page, &entry_bytes) ||
	    __builtin_mul_overflow(all_pages(plan, plan->page), plan->page, &entry_bytes))
		return -EOVERFLOW;
	counts->pinned_bytes = counts->pinned_pages * plan->page;
	return 0;
}

uint64_t mr_forecast_needed(const struct mr_forecast_plan *plan,
			    const struct mr_forecast_counts *counts,
			    enum mr_forecast_subject subject)
{
	switch (subject) {
	case MR_FORECAST_PIECE:
		return plan->piece;
	case MR_FORECAST_PIECES:
		return counts->pieces;
	case MR_FORECAST_PINNED:
		break;
	}
	return counts->pinned_bytes;
}

const struct mr_forecast_limit *mr_forecast_judge(const struct mr_forecast_plan *plan,
						  const struct mr_forecast_counts *counts,
						  const struct mr_forecast_limit *limits,
						  size_t limit_count)
{
	for (size_t i = 0; i < limit_count; i++)
		if (limits[i].most.known &&
		    mr_forecast_needed(plan, counts, limits[i].subject) > limits[i].most.value)
			return &limits[i];
	return NULL;
}

const char *mr_forecast_by_name(enum mr_forecast_by by)
{
	switch (by) {
	case MR_FORECAST_MEASURED:
		return "measured";
	case MR_FORECAST_FITTED:
		return "fitted";
	case MR_FORECAST_UNKNOWN:
		break;
	}
	return NULL;
}

/* The time of a piece, or 0. */
static double time_of_piece(const struct mr_fit_point *points, size_t count, uint64_t piece,
			    struct mr_forecast_time *time)
{
	const double x = (double)piece;
	struct mr_fit fit;

	for (size_t i = 0; i < count; i++) {
		if (!(points[i].x < x) && !(points[i].x > x)) {
			time->by = MR_FORECAST_MEASURED;
			return points[i].y;
		}
	}
	/* Larger regions never take less: a line that falls is chance. */
	if (mr_fit(points, count, &fit) || !(fit.slope > 0))
		return 0;
	time->by = MR_FORECAST_FITTED;
	time->residual = fit.residual;
	return fit.fixed + fit.slope * x;
}

struct mr_forecast_time mr_forecast_time(const struct mr_fit_point *points, size_t count,
					 uint64_t piece, uint64_t pieces, uint32_t threads)
{
	const uint64_t turns = pages_of(pieces, threads);
	struct mr_forecast_time time = { .by = MR_FORECAST_UNKNOWN };
	const double ns = time_of_piece(points, count, piece, &time);

	/* A line may begin below zero, where it says nothing. */
	if (!(ns > 0) || !(ns * (double)turns < MOST_NS))
		return (struct mr_forecast_time){ .by = MR_FORECAST_UNKNOWN };
	time.piece_ns = (uint64_t)(ns + 0.5);
	time.all_ns = (uint64_t)(ns * (double)turns + 0.5);
	return time;
}
