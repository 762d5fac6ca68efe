// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/forecast.h"
#include "cmd/bench/groups.h"
#include "cmd/bench/limits.h"
#include "cmd/bench/pieces.h"
#include "lib/bench/bench.h"
#include "lib/bench/forecast.h"
#include "lib/diagnose/size_text.h"

struct forecast_row {
	const char *call;
	char device[96];
	bool simulated;
	const char *memory;
	struct mr_opt_u64 size, pieces, threads;
	struct mr_opt_u64 time_ns, piece_ns, residual_percent;
	const char *by;
	struct mr_opt_u64 pinned_pages, entries, entry_bytes;
	struct opt_bool allowed;
	const char *limit;
	struct mr_opt_u64 at_most, needed;
	char reason[160];
};

static const struct field forecast_fields[] = {
	FIELD(struct forecast_row, call, FIELD_STRING, 0, "what registers"),
	FIELD(struct forecast_row, device, FIELD_TEXT, 0,
	      "RDMA device; says so if it is simulated"),
	FIELD(struct forecast_row, simulated, FIELD_BOOL, FIELD_DETAIL,
	      "whether the device is simulated"),
	FIELD(struct forecast_row, memory, FIELD_STRING, 0, "kind of memory", .usual = "anon"),
	FIELD(struct forecast_row, size, FIELD_NUMBER, FIELD_IEC, "bytes of a piece"),
	FIELD(struct forecast_row, pieces, FIELD_NUMBER, 0,
	      "regions; the last one may be smaller than the others"),
	FIELD(struct forecast_row, threads, FIELD_NUMBER, 0, "threads that register at once"),
	FIELD(struct forecast_row, time_ns, FIELD_NUMBER, FIELD_DURATION,
	      "to register all, the last piece counted as a whole one"),
	FIELD(struct forecast_row, piece_ns, FIELD_NUMBER, FIELD_DURATION | FIELD_DETAIL,
	      "mean time of a call, while so many threads call"),
	FIELD(struct forecast_row, by, FIELD_STRING, 0,
	      "where the time comes from: this size was measured, or a line is fitted to others"),
	FIELD(struct forecast_row, residual_percent, FIELD_NUMBER, FIELD_DETAIL,
	      "root of the mean square of the line's relative errors"),
	FIELD(struct forecast_row, pinned_pages, FIELD_NUMBER, 0,
	      "pages that the kernel pins; none of regions on demand"),
	FIELD(struct forecast_row, entries, FIELD_NUMBER, 0,
	      "translation entries; fewer where a device joins pages that lie side by side"),
	FIELD(struct forecast_row, entry_bytes, FIELD_NUMBER, FIELD_IEC | FIELD_DETAIL,
	      "bytes of a page of the memory, each of which has an entry"),
	FIELD(struct forecast_row, allowed, FIELD_OPT_BOOL, 0,
	      "whether limits allow it; not known: those that are known do"),
	FIELD(struct forecast_row, limit, FIELD_STRING, FIELD_DETAIL,
	      "the first limit that does not"),
	FIELD(struct forecast_row, at_most, FIELD_NUMBER, FIELD_DETAIL,
	      "what it allows: bytes, of max_mr regions"),
	FIELD(struct forecast_row, needed, FIELD_NUMBER, FIELD_DETAIL, "what is needed of it"),
	FIELD(struct forecast_row, reason, FIELD_TEXT, 0, "the same for people"),
	FIELD_END,
};
const struct record bench_forecast_record = { "plan", forecast_fields, "plan" };

/* Return: how many sizes were measured; at most as many as there are setups. */
static size_t find_points(const struct bench_job *job, const struct bench_setup *first,
			  struct mr_fit_point *points)
{
	size_t count = 0;

	for (size_t i = 0; i < job->setup_count; i++) {
		const struct bench_series *series = bench_job_series(job, 0, i, 0);

		if (series->round_count && bench_same_setup(first, &job->setups[i]))
			points[count++] = (struct mr_fit_point){
				(double)job->setups[i].point.size,
				mr_histogram_mean(&series->histogram),
			};
	}
	return count;
}

static void fill_time(struct forecast_row *row, const struct mr_forecast_time *time)
{
	row->by = mr_forecast_by_name(time->by);
	if (!row->by)
		return;
	row->time_ns = known(time->all_ns);
	row->piece_ns = known(time->piece_ns);
	if (time->by == MR_FORECAST_FITTED)
		row->residual_percent = known((uint64_t)(time->residual * 100 + 0.5));
}

/* Rounded sizes that read alike would tell nothing. */
static void tell_bytes(struct forecast_row *row)
{
	const struct mr_size_text most = mr_size_text(row->at_most.value);
	const struct mr_size_text needed = mr_size_text(row->needed.value);

	if (strcmp(most.text, needed.text) != 0)
		snprintf(row->reason, sizeof(row->reason), "%s: %s, %s needed", row->limit,
			 most.text, needed.text);
	else
		snprintf(row->reason, sizeof(row->reason),
			 "%s: %" PRIu64 " bytes, %" PRIu64 " bytes needed", row->limit,
			 row->at_most.value, row->needed.value);
}

static void fill_limit(struct forecast_row *row, const struct mr_forecast_limit *limit,
		       uint64_t needed)
{
	row->limit = limit->name;
	row->at_most = limit->most;
	row->needed = known(needed);
	if (limit->subject == MR_FORECAST_PIECES)
		snprintf(row->reason, sizeof(row->reason), "%s: %" PRIu64 ", %" PRIu64 " needed",
			 limit->name, limit->most.value, needed);
	else
		tell_bytes(row);
}

static void fill_row(struct forecast_row *row, const struct bench_job *job,
		     const struct bench_setup *setup, const struct bench_limits *limits,
		     uint64_t piece)
{
	const struct mr_bench_point *point = &setup->point;
	const struct mr_forecast_plan plan = bench_pieces_plan(job->args, point, piece);
	const struct mr_environment *environment = job->answer.environment;
	struct mr_forecast_limit list[BENCH_LIMITS];
	const bool is_complete = bench_limits_list(limits, point, &plan, list);
	const struct mr_forecast_limit *limit;
	struct mr_forecast_counts counts;

	mr_forecast_count(&plan, &counts);
	limit = mr_forecast_judge(&plan, &counts, list, BENCH_LIMITS);
	*row = (struct forecast_row){
		.call = point->what->name,
		.simulated = environment->simulated,
		.memory = bench_memory_text(point),
		.size = known(piece),
		.pieces = known(counts.pieces),
		.threads = known(setup->threads),
		.pinned_pages = known(counts.pinned_pages),
		.entries = known(counts.entries),
		.entry_bytes = known(plan.entry_page),
		.allowed = { !limit, limit || is_complete },
	};
	bench_device_text(environment, row->device, sizeof(row->device));
	if (limit)
		fill_limit(row, limit, mr_forecast_needed(&plan, &counts, limit->subject));
}

static void print_group(struct bench_job *job, const struct bench_setup *setup,
			const struct bench_limits *limits, struct mr_fit_point *points,
			uint64_t *printed)
{
	const size_t count = find_points(job, setup, points);
	struct sweep pieces;

	bench_pieces(job->args, &pieces);
	for (size_t i = 0; i < pieces.count; i++) {
		struct forecast_row row;
		struct mr_forecast_time time;

		fill_row(&row, job, setup, limits, pieces.values[i]);
		time = mr_forecast_time(points, count, pieces.values[i], row.pieces.value,
					setup->threads);
		fill_time(&row, &time);
		answer_row(&job->answer, &row);
		++*printed;
	}
}

void bench_forecast_print(struct bench_job *job, uint64_t *printed)
{
	struct mr_fit_point *points = calloc(job->setup_count, sizeof(*points));
	struct bench_limits limits;

	if (!points)
		job->answer.out.error = -ENOMEM;
	bench_limits_read(job, &limits);
	/* Each group has one setup of the first size. */
	for (size_t i = 0; points && job->done && i < job->setup_count; i++)
		if (job->setups[i].point.size == job->setups[0].point.size)
			print_group(job, &job->setups[i], &limits, points, printed);
	free(points);
	answer_end_rows(&job->answer);
	if (job->answer.out.style->json)
		output_object(&job->answer.out, "limits", &bench_limits_record, &limits);
}
