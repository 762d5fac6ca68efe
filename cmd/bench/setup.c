// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is measured: sizes, kinds of memory, workers and levels, with their defaults. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "lib/bench/bench.h"
#include "lib/host/available.h"
#include "lib/host/live.h"
#include "lib/host/memlock.h"
#include "lib/verbs/access.h"

/* Sizes without --sizes: each is four times the one before. */
#define SIZE_MIN   UINT64_C(4096)
#define SIZE_LIMIT (UINT64_C(1) << 30)

/* ---- lists, with their defaults ---- */

static uint64_t most_of(const struct sweep *sweep)
{
	uint64_t most = 1;

	for (size_t i = 0; i < sweep->count; i++)
		if (sweep->values[i] > most)
			most = sweep->values[i];
	return most;
}

/* Bytes that each worker can surely have: of memory a quarter, of what may be locked half. */
static uint64_t bytes_for_each(const struct bench_args *args, size_t devices)
{
	const uint64_t workers = most_of(&args->threads) * most_of(&args->processes) * devices;
	struct mr_host *host = mr_this_host();
	uint64_t bytes = SIZE_LIMIT;
	struct mr_available available;
	struct mr_memlock limit;

	if (!mr_available_read(host, &available) && available.bytes / 4 < bytes)
		bytes = available.bytes / 4;
	if (mr_memlock_is_lifted(host) != MR_YES && !mr_memlock_read(host, "self", &limit) &&
	    limit.soft / 2 < bytes)
		bytes = limit.soft / 2;
	return bytes / workers;
}

static void choose_sizes(struct sweep *sizes, const struct bench_args *args, size_t devices)
{
	const uint64_t most = bytes_for_each(args, devices);

	if (args->plan.given) {
		bench_pieces_measured(args, most, sizes);
		return;
	}
	*sizes = args->sizes;
	if (sizes->count)
		return;
	for (uint64_t size = SIZE_MIN; size <= most || !sizes->count; size *= 4)
		sizes->values[sizes->count++] = size;
}

static const struct sweep *numbers_or_one(const struct sweep *sweep)
{
	static const struct sweep one = { .values = { 1 }, .count = 1 };

	return sweep->count ? sweep : &one;
}

static const struct sweep_memory *kinds_or_anon(const struct sweep_memory *memory)
{
	static const struct sweep_memory anon = {
		.kinds = { { .type = MR_MEMORY_ANON, .text = "anon" } }, .count = 1
	};

	return memory->count ? memory : &anon;
}

/* ---- setups ---- */

/* A plan while it is made. */
struct plan {
	struct bench_job *job;
	struct sweep sizes;
	bool out_of_memory;
};

static void add_setup(struct plan *plan, const struct mr_bench_point *point, uint64_t threads,
		      uint64_t processes)
{
	struct bench_job *job = plan->job;
	struct bench_setup *setups =
		reallocarray(job->setups, job->setup_count + 1, sizeof(*setups));

	if (!setups) {
		plan->out_of_memory = true;
		return;
	}
	job->setups = setups;
	setups[job->setup_count++] = (struct bench_setup){ .point = *point,
							   .threads = (uint32_t)threads,
							   .processes = (uint32_t)processes };
}

static void add_workers(struct plan *plan, const struct mr_bench_point *point)
{
	const struct sweep *threads = numbers_or_one(&plan->job->args->threads);
	const struct sweep *processes = numbers_or_one(&plan->job->args->processes);

	for (size_t i = 0; i < processes->count; i++)
		for (size_t j = 0; j < threads->count; j++)
			add_setup(plan, point, threads->values[j], processes->values[i]);
}

static void add_case(struct plan *plan, const struct mr_bench_case *what)
{
	const struct bench_args *args = plan->job->args;
	const struct sweep_memory *memory = kinds_or_anon(&args->memory);
	const bool dmabuf = mr_region_is_dmabuf(what->call);
	struct mr_bench_point point = {
		.what = what,
		.from = args->from,
		.access = args->access.given ? args->access.bits : MR_ACCESS_LOCAL_WRITE,
		.via = args->via.given ? args->via.path : MR_VIA_LIBRARY,
	};

	if (dmabuf && !point.from.text)
		point.from =
			(struct mr_dmabuf_source){ .type = MR_DMABUF_UDMABUF, .text = "udmabuf" };
	for (size_t i = 0; i < (dmabuf ? 1 : memory->count); i++) {
		point.memory = memory->kinds[i];
		for (size_t j = 0; j < plan->sizes.count; j++) {
			point.size = plan->sizes.values[j];
			add_workers(plan, &point);
		}
	}
}

static bool is_named_before(char *const *names, char *const *name)
{
	while (names < name && strcmp(*names, *name) != 0)
		names++;
	return names < name;
}

/* Each call once, as each size: rows that measure the same could not be told apart. */
static void add_cases(struct plan *plan, char *const *names)
{
	if (!*names)
		add_case(plan, &mr_bench_cases[0]);
	for (char *const *name = names; *name; name++)
		if (!is_named_before(names, name))
			add_case(plan, mr_bench_case_find(*name));
}

/* Quarters of few regions may be the same. */
static void plan_levels(struct bench_job *job)
{
	const struct sweep_occupied *occupied = &job->args->occupied;

	if (!occupied->count)
		job->level_count = 1;
	for (size_t i = 0; occupied->count && i < BENCH_LEVELS; i++) {
		const size_t quarters = i <= BENCH_LEVELS / 2 ? i : BENCH_LEVELS - 1 - i;
		const uint64_t regions =
			occupied->count / 4 * quarters + occupied->count % 4 * quarters / 4;

		if (!job->level_count || regions != job->levels[job->level_count - 1].regions)
			job->levels[job->level_count++] = (struct bench_level){
				.regions = regions,
				.bytes = occupied->bytes,
				.direction = i <= BENCH_LEVELS / 2 ? "ascending" : "descending",
			};
	}
}

static int check_workers(const struct bench_job *job, struct mr_error *err)
{
	const uint64_t workers =
		most_of(&job->args->threads) * most_of(&job->args->processes) * job->device_count;

	if (workers <= MR_BENCH_WORKERS)
		return 0;
	return mr_fail_text(err, MR_ERROR_USAGE, E2BIG,
			    "%llu workers at once are too many: at most %d",
			    (unsigned long long)workers, MR_BENCH_WORKERS);
}

static void plan_rounds(struct bench_job *job)
{
	const struct bench_args *args = job->args;
	const bool is_short = args->plan.given;

	job->rounds = is_short ? BENCH_PLAN_ROUNDS : BENCH_ROUNDS;
	job->row_ns = is_short ? BENCH_PLAN_ROW_NS : BENCH_ROW_NS;
	if (args->rounds.known)
		job->rounds = (uint32_t)args->rounds.value;
	if (args->calls.known && args->calls.value < job->rounds)
		job->rounds = (uint32_t)args->calls.value;
	if (args->calls.known || args->seconds.known)
		job->row_ns = args->calls.known ? 0 : args->seconds.value;
}

int bench_plan(struct bench_job *job, struct mr_error *err)
{
	struct plan plan = { .job = job };
	int rc = check_workers(job, err);

	if (rc)
		return rc;
	choose_sizes(&plan.sizes, job->args, job->device_count);
	plan_rounds(job);
	plan_levels(job);
	add_cases(&plan, job->invocation->operands);
	job->series = calloc(bench_job_series_count(job), sizeof(*job->series));
	if (plan.out_of_memory || !job->series)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	return 0;
}
