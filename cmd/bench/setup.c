// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sets up what is measured: sizes, kinds of memory, workers and levels, with their defaults. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/verbs/verbs.h"

#define MIB (UINT64_C(1) << 20)

/* Sizes without --sizes: each is four times the one before.  Those for a plan are measured in a moment. */
#define SIZE_MIN      UINT64_C(4096)
#define SIZE_MAX_ROW  (1024 * MIB)
#define SIZE_MAX_PLAN (64 * MIB)

/* Rounds, and nanoseconds for each row; of a plan. */
#define ROUNDS      10
#define ROW_NS      UINT64_C(500000000)
#define PLAN_ROUNDS 3
#define PLAN_ROW_NS UINT64_C(100000000)

static uint64_t most_of(const struct sweep *sweep)
{
	uint64_t most = 1;

	for (size_t i = 0; i < sweep->count; i++)
		if (sweep->values[i] > most)
			most = sweep->values[i];
	return most;
}

/* Bytes that each worker can surely have: of memory a quarter, of what may be locked half. */
static uint64_t bytes_for_each(uint64_t workers)
{
	struct mr_host *host = mr_this_host();
	uint64_t bytes = SIZE_MAX_ROW;
	struct mr_available available;
	struct mr_rlimit limit;

	if (!mr_available_read(host, &available) && available.bytes / 4 < bytes)
		bytes = available.bytes / 4;
	if (mr_memlock_is_lifted(host) != MR_YES &&
	    !mr_rlimit_read(host, "self", MR_MEMLOCK, &limit) && limit.soft / 2 < bytes)
		bytes = limit.soft / 2;
	return bytes / workers;
}

void bench_pieces(const struct bench_args *args, struct sweep *pieces)
{
	static const uint64_t usual[] = { MIB, 64 * MIB, 1024 * MIB };

	*pieces = args->sizes;
	if (pieces->count)
		return;
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		if (usual[i] < args->plan.bytes)
			pieces->values[pieces->count++] = usual[i];
	pieces->values[pieces->count++] = args->plan.bytes;
}

static void choose_sizes(struct sweep *sizes, const struct bench_args *args, uint64_t workers)
{
	const uint64_t most = bytes_for_each(workers);
	const uint64_t last = args->plan.given && most > SIZE_MAX_PLAN ? SIZE_MAX_PLAN : most;
	struct sweep pieces;

	*sizes = (struct sweep){ .count = 0 };
	if (args->sizes.count && !args->plan.given) {
		*sizes = args->sizes;
		return;
	}
	for (uint64_t size = SIZE_MIN; size <= last || !sizes->count; size *= 4)
		sizes->values[sizes->count++] = size;
	if (!args->plan.given)
		return;
	/* Where there is room for them, pieces are measured as well. */
	bench_pieces(args, &pieces);
	for (size_t i = 0; i < pieces.count && sizes->count < SWEEP_MAX; i++)
		if (pieces.values[i] > last && pieces.values[i] <= most)
			sizes->values[sizes->count++] = pieces.values[i];
}

/* Adds the rows of a call, each of which has its place in job->setups. */
static void add_case(struct bench_job *job, const struct mr_bench_case *what,
		     const struct sweep *sizes)
{
	static const struct mr_memory_kind anon = { .type = MR_MEMORY_ANON, .text = "anon" };
	static const struct sweep one = { .values = { 1 }, .count = 1 };
	const struct bench_args *args = job->args;
	const struct sweep *threads = args->threads.count ? &args->threads : &one;
	const struct sweep *processes = args->processes.count ? &args->processes : &one;
	const size_t kinds = args->memory.count ? args->memory.count : 1;
	struct bench_setup setup = {
		.point = { .what = what,
			   .from = args->from,
			   .access = what->access | (args->access.given ? args->access.bits
									: MR_ACCESS_LOCAL_WRITE),
			   .via = args->via.given ? args->via.path : MR_VIA_LIBRARY },
	};
	const size_t first = job->setup_count;

	if (mr_region_is_dmabuf(what->call) && !setup.point.from.text)
		setup.point.from =
			(struct mr_dmabuf_source){ .type = MR_DMABUF_UDMABUF, .text = "udmabuf" };
	for (size_t n = 0; n < kinds * sizes->count * processes->count * threads->count; n++) {
		const size_t worker = n % (processes->count * threads->count);
		const size_t size = n / (processes->count * threads->count);

		setup.threads = (uint32_t)threads->values[worker % threads->count];
		setup.processes = (uint32_t)processes->values[worker / threads->count];
		setup.point.size = sizes->values[size % sizes->count];
		setup.point.memory =
			args->memory.count ? args->memory.kinds[size / sizes->count] : anon;
		setup.group =
			first + size / sizes->count * processes->count * threads->count + worker;
		job->setups[job->setup_count++] = setup;
	}
}

/* Adds each call once: rows that measure the same could not be told apart. */
static int add_cases(struct bench_job *job, const struct sweep *sizes, struct mr_error *err)
{
	const struct bench_args *args = job->args;
	char *const *names = job->invocation->operands;
	bool seen[64] = { false };
	size_t cases = !*names;

	for (size_t i = 0; names[i]; i++)
		cases++;
	job->setups = calloc(cases * sizes->count * (args->memory.count ?: 1) *
				     (args->threads.count ?: 1) * (args->processes.count ?: 1),
			     sizeof(*job->setups));
	if (!job->setups)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	if (!*names)
		add_case(job, &mr_bench_cases[0], sizes);
	for (; *names; names++) {
		const struct mr_bench_case *what = mr_bench_case_find(*names);

		if (!seen[what - mr_bench_cases])
			add_case(job, what, sizes);
		seen[what - mr_bench_cases] = true;
	}
	return 0;
}

/* Quarters of few regions may be the same. */
static void add_levels(struct bench_job *job)
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

static void choose_length(struct bench_method *method, const struct bench_args *args)
{
	*method = (struct bench_method){
		.rounds = known(args->plan.given ? PLAN_ROUNDS : ROUNDS),
		.row_ns = known(args->plan.given ? PLAN_ROW_NS : ROW_NS),
		.calls = args->calls,
		.warm_up = known(BENCH_WARM_UP),
	};
	if (args->rounds.known)
		method->rounds = args->rounds;
	if (args->calls.known && args->calls.value < method->rounds.value)
		method->rounds = args->calls;
	if (args->calls.known || args->seconds.known)
		method->row_ns = args->seconds;
}

int bench_set_up(struct bench_job *job, struct mr_error *err)
{
	const uint64_t workers =
		most_of(&job->args->threads) * most_of(&job->args->processes) * job->device_count;
	struct sweep sizes;
	int rc;

	if (workers > MR_BENCH_WORKERS)
		return mr_fail_text(err, MR_ERROR_USAGE, E2BIG,
				    "%llu workers at once are too many: at most %d",
				    (unsigned long long)workers, MR_BENCH_WORKERS);
	choose_sizes(&sizes, job->args, workers);
	choose_length(&job->method, job->args);
	add_levels(job);
	rc = add_cases(job, &sizes, err);
	if (rc)
		return rc;
	job->row_count = job->level_count * job->setup_count * job->device_count;
	job->rows = calloc(job->row_count, sizeof(*job->rows));
	if (!job->rows)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (size_t i = 0; i < job->row_count; i++) {
		job->rows[i].setup = &job->setups[i / job->device_count % job->setup_count];
		job->rows[i].level = &job->levels[i / job->device_count / job->setup_count];
	}
	return 0;
}
