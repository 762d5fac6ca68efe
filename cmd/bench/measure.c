// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "lib/base/clock.h"
#include "lib/base/signals.h"
#include "lib/bench/bench.h"

static int compare_times(const void *left, const void *right)
{
	const uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;

	return (l > r) - (l < r);
}

uint64_t bench_median(const uint64_t *values, size_t count)
{
	uint64_t *sorted = count ? malloc(count * sizeof(*sorted)) : NULL;
	uint64_t median = 0;

	if (sorted) {
		memcpy(sorted, values, count * sizeof(*sorted));
		qsort(sorted, count, sizeof(*sorted), compare_times);
		median = sorted[(count - 1) / 2];
	}
	free(sorted);
	return median;
}

void bench_series_add(struct bench_series *series, const struct mr_bench_crew *crew, size_t place)
{
	struct bench_round_result *round = &series->rounds[series->round_count];
	uint64_t sum = 0, workers = 0;

	*round = (struct bench_round_result){ 0 };
	for (uint32_t i = 0; i < crew->count; i++) {
		const struct mr_bench_worker *worker = &crew->workers[i];
		uint64_t median;

		if (worker->place != place || !worker->count)
			continue;
		median = bench_median(worker->samples, worker->count);
		if (!series->first_ns)
			series->first_ns = worker->first_ns;
		if (median > round->slowest_ns)
			round->slowest_ns = median;
		sum += median;
		workers++;
		round->count += worker->count;
		for (uint64_t j = 0; j < worker->count; j++)
			mr_histogram_add(&series->histogram, worker->samples[j], 1);
	}
	if (!workers)
		return;
	round->p50_ns = sum / workers;
	series->round_count++;
}

/* ---- places ---- */

static bool is_of_kind(const struct bench_setup *setup, int kind)
{
	return mr_region_kind(setup->point.what->call) == (enum mr_region_kind)kind;
}

static bool has_kind(const struct bench_job *job, int kind)
{
	for (size_t i = 0; i < job->setup_count; i++)
		if (is_of_kind(&job->setups[i], kind))
			return true;
	return false;
}

static int open_places(struct bench_job *job, int kind, struct mr_error *err)
{
	struct mr_bench_place *places = calloc(job->device_count, sizeof(*places));
	int rc = 0;

	job->places[kind] = places;
	if (!places)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (size_t i = 0; !rc && i < job->device_count; i++) {
		places[i].name = job->devices[i];
		places[i].most_occupied = job->args->occupied.count;
		rc = mr_bench_place_open(&places[i], (enum mr_region_kind)kind, err);
	}
	job->answer.environment = &places[0].environment;
	return rc;
}

static int occupy(struct bench_job *job, int kind, const struct bench_level *level,
		  struct mr_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < job->device_count; i++)
		rc = mr_bench_place_occupy(&job->places[kind][i], level->regions, level->bytes,
					   err);
	if (rc)
		mr_wrap(err, "--occupied");
	return rc;
}

/* ---- rounds ---- */

static void show_progress(struct bench_job *job)
{
	const uint64_t spent = mr_now_ns() - job->start_ns;

	if (job->done)
		progress_time(&job->answer.progress, "measuring", job->done, job->total,
			      spent / job->done * (job->total - job->done));
}

/* Causes are found where a call is refused, and here its memory is gone: hints name a command that tells why. */
static void report_failure(struct bench_job *job, struct mr_error *err, enum mr_via via)
{
	progress_clear(&job->answer.progress);
	job->answer.undiagnosed = true;
	answer_fail(&job->answer, err, 0, 0, via);
	job->answer.undiagnosed = false;
	mr_error_clear(err);
}

static void hint_at_command(const struct mr_bench_point *point, struct mr_error *err)
{
	/* The relaxed mode registers whole pages by this call. */
	const enum mr_region_call call =
		point->what->call == MR_REG_MR_RELAXED ? MR_REG_MR : point->what->call;
	const char *registers = mr_region_call_name(call, point->via);

	if (!err->hint[0] && err->call && !strcmp(err->call, registers))
		mr_hint(err, "'mrctl %s' with the same options%s tells why",
			mr_region_call_command(call),
			mr_bench_access(point) == point->access ? "" : " and on-demand access");
}

/* Whether memory of that kind could not be had for a size that is not larger, which was reported. */
static bool is_reported(const struct bench_job *job, const struct bench_setup *setup)
{
	const struct mr_bench_point *point = &setup->point;

	for (size_t i = 0; i < job->setup_count; i++) {
		const struct bench_setup *other = &job->setups[i];

		if (other->unmapped && other != setup && other->point.size <= point->size &&
		    !strcmp(other->point.memory.text, point->memory.text))
			return true;
	}
	return false;
}

/* Whether a worker could not map its memory; a dma-buf has memory of its own. */
static bool is_of_memory(const struct mr_bench_point *point, const struct mr_error *err)
{
	return err->kind == MR_ERROR_HOST && err->call && !strcmp(err->call, "mmap") &&
	       !mr_region_is_dmabuf(point->what->call);
}

/* Reports once for all larger sizes that memory cannot be had, with the causes: they are still there. */
static void fail_memory(struct bench_job *job, struct bench_setup *setup, struct mr_error *err)
{
	const struct mr_memory_request mapping = { .kind = setup->point.memory,
						   .length = setup->point.size };

	setup->failed = setup->unmapped = true;
	if (is_reported(job, setup)) {
		mr_error_clear(err);
		return;
	}
	job->answer.refusal =
		(struct mr_refusal){ .mapping = &mapping, .memory = mapping.kind.text };
	progress_clear(&job->answer.progress);
	answer_fail(&job->answer, err, 0, 0, setup->point.via);
	job->answer.refusal = (struct mr_refusal){ .call = NULL };
	mr_error_clear(err);
}

static void fail_setup(struct bench_job *job, struct bench_setup *setup, struct mr_error *err)
{
	const struct mr_bench_point *point = &setup->point;

	setup->failed = true;
	mr_wrap(err, "%s of %llu bytes, " BENCH_STATE, point->what->name,
		(unsigned long long)point->size);
	if (mr_error_is_answer(err->kind, err->call))
		hint_at_command(point, err);
	report_failure(job, err, point->via);
}

/* Without its regions a level cannot be measured, nor can those with more; other kinds of regions have their own. */
static void fail_levels(struct bench_job *job, int kind, struct mr_error *err)
{
	const struct sweep_occupied *occupied = &job->args->occupied;

	if (mr_error_is_answer(err->kind, err->call) && !err->hint[0])
		mr_hint(err, "'mrctl %s --count %llu --size %llu' tells why",
			kind == MR_KIND_UMEM ? "umem" : "reg", (unsigned long long)occupied->count,
			(unsigned long long)occupied->bytes);
	report_failure(job, err, MR_VIA_LIBRARY);
}

/* Calls of a round: --count are spread over the rounds. */
static uint64_t calls_of(const struct bench_job *job, uint32_t round)
{
	const uint64_t calls = job->args->calls.known ? job->args->calls.value : 0;

	return calls / job->rounds + (round < calls % job->rounds);
}

static int add_results(struct bench_job *job, const struct mr_bench_crew *crew, size_t level,
		       size_t setup, struct mr_error *err)
{
	for (size_t i = 0; i < job->device_count; i++) {
		struct bench_series *series = bench_job_series(job, level, setup, i);
		const int kind = (int)mr_region_kind(job->setups[setup].point.what->call);

		if (!series->rounds) {
			series->setup = &job->setups[setup];
			series->level = &job->levels[level];
			series->environment = &job->places[kind][i].environment;
			series->rounds = calloc(job->rounds, sizeof(*series->rounds));
			if (!series->rounds || mr_histogram_init(&series->histogram))
				return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
		}
		bench_series_add(series, crew, i);
	}
	return 0;
}

static int run_round(struct bench_job *job, size_t level, size_t index, uint32_t round,
		     struct mr_error *err)
{
	struct bench_setup *setup = &job->setups[index];
	const struct mr_bench_round what = {
		.point = &setup->point,
		.places = job->places[mr_region_kind(setup->point.what->call)],
		.place_count = job->device_count,
		.processes = setup->processes,
		.threads = setup->threads,
		.ns = job->row_ns / job->rounds,
		.calls = calls_of(job, round),
		.warm_up = BENCH_WARM_UP,
	};
	struct mr_bench_crew crew = { .shared = NULL };
	int rc = mr_bench_crew_open(
		&crew, (uint32_t)job->device_count * setup->threads * setup->processes, err);

	if (rc)
		fail_setup(job, setup, err);
	else if (mr_bench_crew_run(&crew, &what, err) && is_of_memory(&setup->point, err))
		fail_memory(job, setup, err);
	else if (mr_error_is_set(err))
		fail_setup(job, setup, err);
	rc = add_results(job, &crew, level, index, err);
	mr_bench_crew_close(&crew);
	return rc;
}

/*
 * All rows have their first round before one has its second, so that what disturbs the machine for a while
 * disturbs a round of many rows rather than all rounds of one.
 */
static int run_level(struct bench_job *job, int kind, size_t level, struct mr_error *err)
{
	int rc = 0;

	for (uint32_t round = 0; !rc && round < job->rounds; round++) {
		for (size_t i = 0; !rc && i < job->setup_count; i++) {
			if (!is_of_kind(&job->setups[i], kind))
				continue;
			job->is_interrupted |= mr_interrupted();
			if (job->is_interrupted)
				return 0;
			show_progress(job);
			job->done++;
			if (!job->setups[i].failed)
				rc = run_round(job, level, i, round, err);
			/* A round that a signal has cut short may be the last one. */
			job->is_interrupted |= mr_interrupted();
		}
	}
	return rc;
}

static int run_kind(struct bench_job *job, int kind, struct mr_error *err)
{
	int rc = open_places(job, kind, err);

	if (!rc && !job->args->plan.given)
		bench_counters_begin(job, job->places[kind]);
	for (size_t level = 0; !rc && level < job->level_count && !job->is_interrupted; level++) {
		if (occupy(job, kind, &job->levels[level], err)) {
			fail_levels(job, kind, err);
			break;
		}
		rc = run_level(job, kind, level, err);
	}
	/* What one kind measures is not to have the regions of the other beside it. */
	for (size_t i = 0; job->places[kind] && i < job->device_count; i++)
		mr_bench_place_close(&job->places[kind][i]);
	return rc;
}

int bench_measure(struct bench_job *job, struct mr_error *err)
{
	int rc = 0;

	job->total = job->rounds * job->level_count * job->setup_count;
	job->start_ns = mr_now_ns();
	for (int kind = 0; !rc && kind < MR_REGION_KINDS; kind++)
		if (has_kind(job, kind))
			rc = run_kind(job, kind, err);
	progress_clear(&job->answer.progress);
	return rc;
}
