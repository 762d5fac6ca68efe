// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/bench/counters.h"
#include "cmd/bench/fits.h"
#include "cmd/bench/forecast.h"
#include "cmd/bench/host.h"
#include "cmd/bench/job.h"
#include "cmd/bench/pictures.h"
#include "cmd/bench/row.h"
#include "cmd/region/answer_messages.h"
#include "lib/base/clock.h"

/* How it was measured. */
struct method {
	struct mr_opt_u64 rounds, row_ns, calls, warm_up, clock_ns, elapsed_ns;
	bool interrupted;
};

static const struct field method_fields[] = {
	FIELD(struct method, rounds, FIELD_NUMBER, 0, "rounds of each row"),
	FIELD(struct method, row_ns, FIELD_NUMBER, FIELD_DURATION, "time for each row"),
	FIELD(struct method, calls, FIELD_NUMBER, 0, "calls of each worker, in place of a time"),
	FIELD(struct method, warm_up, FIELD_NUMBER, 0,
	      "warm-up calls of each worker in each round, which are excluded"),
	FIELD(struct method, clock_ns, FIELD_NUMBER, FIELD_DURATION,
	      "what reading the clock costs; it is in each figure, and is not subtracted"),
	FIELD(struct method, elapsed_ns, FIELD_NUMBER, FIELD_DURATION, "time of all rows"),
	FIELD(struct method, interrupted, FIELD_BOOL, 0,
	      "whether a signal has ended the measurement before its time"),
	FIELD_END,
};
static const struct record method_record = { "method", method_fields, NULL };

/* The shortest time between two looks at the clock: what they add to a call between them. */
static uint64_t clock_cost(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		const uint64_t start = mr_now_ns(), cost = mr_now_ns() - start;

		if (cost < least)
			least = cost;
	}
	return least;
}

static struct method method_of(const struct bench_job *job)
{
	return (struct method){
		.rounds = known(job->rounds),
		.row_ns = { job->row_ns, job->row_ns != 0 },
		.calls = job->args->calls,
		.warm_up = known(BENCH_WARM_UP),
		.clock_ns = known(clock_cost()),
		.elapsed_ns = known(mr_now_ns() - job->start_ns),
		.interrupted = job->is_interrupted,
	};
}

static int print_rows(struct bench_job *job, uint64_t *printed)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < bench_job_series_count(job); i++) {
		struct bench_row row = { .call = NULL };

		if (!job->series[i].round_count)
			continue;
		rc = bench_row_fill(&row, &job->series[i], job->answer.out.style->json);
		if (!rc)
			answer_row(&job->answer, &row);
		bench_row_release(&row);
		++*printed;
	}
	return rc;
}

static void print_measured(struct bench_job *job, uint64_t *printed)
{
	const int rc = print_rows(job, printed);

	answer_end_rows(&job->answer);
	if (rc)
		job->answer.out.error = rc;
}

/* What is told beside the rows. */
static int print_beside(struct bench_job *job, struct mr_error *err)
{
	bench_print_fits(job);
	bench_print_counters(job);
	return bench_draw(job, err);
}

static void tell_method(struct bench_job *job, const struct method *method)
{
	answer_note(&job->answer,
		    "%" PRIu64 " round%s; %" PRIu64 " warm-up calls per round are excluded; "
		    "reading the clock costs %" PRIu64 " ns, which each figure includes",
		    method->rounds.value, method->rounds.value == 1 ? "" : "s",
		    method->warm_up.value, method->clock_ns.value);
	if (job->is_interrupted)
		answer_note(&job->answer, "interrupted: %" PRIu64 " of %" PRIu64 " measurements",
			    job->done, job->total);
}

int bench_print(struct bench_job *job, struct mr_error *err)
{
	struct answer *answer = &job->answer;
	const struct method method = method_of(job);
	struct bench_host host;
	uint64_t printed = 0;
	int rc;

	bench_host_read(&host, answer->environment->device);
	answer_begin(answer);
	if (job->args->plan.given)
		bench_forecast_print(job, &printed);
	else
		print_measured(job, &printed);
	if (answer->out.style->json) {
		output_object(&answer->out, "method", &method_record, &method);
		output_object(&answer->out, "host", &bench_host_record, &host);
	}
	rc = job->args->plan.given ? 0 : print_beside(job, err);
	if (rc) {
		answer_fail(answer, err, 0, 0, MR_VIA_LIBRARY);
		mr_error_clear(err);
	}
	rc = answer_end(answer, printed, err);
	if (!rc && printed && output_is_for_people(&answer->out))
		tell_method(job, &method);
	return rc ? rc : answer_status(answer, printed, NULL);
}
