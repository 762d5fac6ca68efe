// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl bench --plan: how long it takes to register much memory, by the line through the times of smaller sizes. */
#include <errno.h>
#include <stddef.h>

#include "cmd/bench/bench.h"

/* Times from here on are no forecast; below it a double fits into a number of 64 bits. */
#define MOST_NS 1e18

struct plan_row {
	struct bench_group group;
	bool simulated;
	struct mr_opt_u64 size, pieces;
	struct mr_opt_u64 time_ns, low_ns, high_ns, piece_ns, residual_percent;
};

static const struct field plan_fields[] = {
	BENCH_GROUP_FIELDS(struct plan_row),
	FIELD(struct plan_row, simulated, FIELD_BOOL, FIELD_DETAIL,
	      "whether the device is simulated"),
	FIELD(struct plan_row, size, FIELD_NUMBER, FIELD_IEC, "bytes of a piece"),
	FIELD(struct plan_row, pieces, FIELD_NUMBER, 0,
	      "regions; the last one may be smaller than the others"),
	FIELD(struct plan_row, time_ns, FIELD_NUMBER, FIELD_DURATION,
	      "to register all, the last piece counted as a whole one"),
	FIELD(struct plan_row, low_ns, FIELD_NUMBER, FIELD_DURATION,
	      "low end of its interval of 95 %, by the errors of the line"),
	FIELD(struct plan_row, high_ns, FIELD_NUMBER, FIELD_DURATION, "high end of the interval"),
	FIELD(struct plan_row, piece_ns, FIELD_NUMBER, FIELD_DURATION | FIELD_DETAIL,
	      "mean time of a call, while so many threads call"),
	FIELD(struct plan_row, residual_percent, FIELD_NUMBER, FIELD_DETAIL,
	      "root of the mean square of the line's relative errors"),
	FIELD_END,
};
const struct record bench_plan_record = { "plan", plan_fields, "plan" };

static uint64_t divide_up(uint64_t all, uint64_t by)
{
	return all / by + (all % by != 0);
}

static struct mr_opt_u64 time_of(double ns)
{
	return ns < MOST_NS ? known(ns > 0 ? (uint64_t)(ns + 0.5) : 0) : (struct mr_opt_u64){ 0 };
}

/* Sets the times of a row by a line.  One that falls is chance, and where it is below zero it says nothing. */
static void fill_times(struct plan_row *row, const struct mr_fit *fit)
{
	const double size = (double)row->size.value;
	const double turns = (double)divide_up(row->pieces.value, row->group.threads.value);
	const double ns = fit->fixed + fit->slope * size, error = mr_fit_error(fit, size);

	if (!(fit->slope > 0) || !(ns > 0) || !(ns * turns < MOST_NS))
		return;
	row->piece_ns = time_of(ns);
	row->time_ns = time_of(ns * turns);
	if (error < MOST_NS) {
		row->low_ns = time_of((ns - error) * turns);
		row->high_ns = time_of((ns + error) * turns);
	}
	row->residual_percent = known((uint64_t)(fit->residual * 100 + 0.5));
}

void bench_print_plan(struct bench_job *job, uint64_t *printed)
{
	struct sweep pieces;

	bench_pieces(job->args, &pieces);
	for (const struct bench_row *first = job->rows; first < job->rows + job->row_count;
	     first++) {
		struct mr_fit fit;
		size_t sizes;

		if (!bench_begins_group(job, first))
			continue;
		sizes = bench_fit(job, first, offsetof(struct bench_row, mean_ns), &fit);
		for (size_t i = 0; i < pieces.count; i++, ++*printed) {
			struct plan_row row = {
				.group = first->group,
				.simulated = first->simulated,
				.size = known(pieces.values[i]),
				.pieces = known(divide_up(job->args->plan.bytes, pieces.values[i])),
			};

			if (sizes)
				fill_times(&row, &fit);
			answer_row(&job->answer, &row);
		}
	}
	answer_end_rows(&job->answer);
}
