// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Measures the rows of mrctl bench, round by round. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/nldev/nldev.h"
#include "lib/verbs/verbs.h"

/* ---- rows ---- */

static const struct field round_fields[] = {
	FIELD(struct bench_round, p50_ns, FIELD_NUMBER, 0,
	      "median of its calls; with several workers, the mean of their medians"),
	FIELD(struct bench_round, slowest_ns, FIELD_NUMBER, 0, "median of the slowest worker"),
	FIELD(struct bench_round, count, FIELD_NUMBER, 0, "calls"),
	FIELD_END,
};
REPORTED const struct record bench_round_record = { "round", round_fields, "rounds" };

static const struct field bucket_fields[] = {
	FIELD(struct mr_histogram_bucket, ns, FIELD_NUMBER, 0, "middle of the bucket"),
	FIELD(struct mr_histogram_bucket, count, FIELD_NUMBER, 0, "calls"),
	FIELD_END,
};
REPORTED const struct record bench_bucket_record = { "bucket", bucket_fields, "histogram" };

#define ROW(member, ...) FIELD(struct bench_row, member, __VA_ARGS__)

static const struct field row_fields[] = {
	BENCH_GROUP_FIELDS(struct bench_row),
	ROW(simulated, FIELD_BOOL, FIELD_DETAIL, "whether the device is simulated"),
	ROW(size, FIELD_NUMBER, FIELD_IEC, "bytes of the region"),
	ROW(access, FIELD_ACCESS, 0, "access flags"),
	FIELD_AS("access_bits", struct bench_row, access, FIELD_HEX, FIELD_DETAIL,
		 "access flags as a mask"),
	ROW(via, FIELD_STRING, FIELD_DETAIL | FIELD_PUBLIC,
	    "path of the call: library (libibverbs) or kernel"),
	ROW(occupied_bytes, FIELD_NUMBER, FIELD_IEC,
	    "bytes of the regions that were registered already", .usual = "0"),
	ROW(count, FIELD_NUMBER, 0, "calls"),
	ROW(first_ns, FIELD_NUMBER, FIELD_DURATION, "the first call, which is a warm-up call"),
	ROW(min_ns, FIELD_NUMBER, FIELD_DURATION, "the fastest call"),
	ROW(p50_ns, FIELD_NUMBER, FIELD_DURATION, "median: half of the calls took at most this"),
	ROW(p90_ns, FIELD_NUMBER, FIELD_DURATION, "90 % took at most this"),
	ROW(p99_ns, FIELD_NUMBER, FIELD_DURATION, "99 %"),
	ROW(p999_ns, FIELD_NUMBER, FIELD_DURATION, "99.9 %"),
	ROW(max_ns, FIELD_NUMBER, FIELD_DURATION, "the slowest call"),
	ROW(mean_ns, FIELD_NUMBER, FIELD_DURATION, "arithmetic mean"),
	ROW(slowest_ns, FIELD_NUMBER, FIELD_DURATION,
	    "median of the slowest worker, over the rounds; with one worker, the median",
	    .repeats = "p50_ns"),
	ROW(outliers, FIELD_NUMBER, 0,
	    "calls that took longer than both p50 + 10 * (p90 - p50) and 2 * p50"),
	ROW(bytes_per_s, FIELD_NUMBER, FIELD_IEC,
	    "bytes that all workers together register in a second of calls"),
	ROW(rounds, FIELD_LIST, 0, "rounds, one by one", .record = &bench_round_record),
	FIELD_AS("histogram", struct bench_row, buckets, FIELD_LIST, 0,
		 "all calls by their time; the width of a bucket is at most 1/1024 of the time",
		 .record = &bench_bucket_record),
	FIELD_END,
};
REPORTED const struct record bench_record = { "row", row_fields, "rows" };

bool bench_begins_group(const struct bench_job *job, const struct bench_row *row)
{
	for (const struct bench_row *other = job->rows; other < row; other++)
		if (bench_same_group(other, row))
			return false;
	return true;
}

/* ---- what is measured: sizes, kinds of memory, workers and levels, with their defaults ---- */

#define MIB (UINT64_C(1) << 20)

/* Sizes without --sizes: each is four times the one before.  Sizes for a plan take only a moment. */
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

/* Bytes that each worker can have: a quarter of the memory, half of the limit of locked memory. */
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
		if (usual[i] < args->plan.value)
			pieces->values[pieces->count++] = usual[i];
	pieces->values[pieces->count++] = args->plan.value;
}

static void choose_sizes(struct sweep *sizes, const struct bench_args *args, uint64_t workers)
{
	const uint64_t most = bytes_for_each(workers);
	const uint64_t last = args->plan.known && most > SIZE_MAX_PLAN ? SIZE_MAX_PLAN : most;
	struct sweep pieces;

	*sizes = (struct sweep){ .count = 0 };
	if (args->sizes.count && !args->plan.known) {
		*sizes = args->sizes;
		return;
	}
	for (uint64_t size = SIZE_MIN; size <= last || !sizes->count; size *= 4)
		sizes->values[sizes->count++] = size;
	if (!args->plan.known)
		return;
	/* Pieces are measured as well if there is room for them. */
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
			   .via = args->via.path },
	};
	const size_t first = job->setup_count;

	if (mr_region_is_dmabuf(what->call) && !setup.point.from.text)
		setup.point.from =
			(struct mr_dmabuf_source){ .type = MR_DMABUF_UDMABUF, .text = "udmabuf" };
	for (size_t n = 0; n < kinds * sizes->count * processes->count * threads->count; n++) {
		const size_t worker = n % (processes->count * threads->count);
		const size_t size = n / (processes->count * threads->count);

		setup.point.threads = (uint32_t)threads->values[worker % threads->count];
		setup.point.processes = (uint32_t)processes->values[worker / threads->count];
		setup.point.size = sizes->values[size % sizes->count];
		setup.point.memory =
			args->memory.count ? args->memory.kinds[size / sizes->count] : anon;
		setup.group =
			first + size / sizes->count * processes->count * threads->count + worker;
		job->setups[job->setup_count++] = setup;
	}
}

/* Adds each call once: rows that measure the same could not be distinguished. */
static int add_cases(struct bench_job *job, const struct sweep *sizes, struct mr_error *err)
{
	const struct bench_args *args = job->args;
	size_t cases = 0;

	while (job->calls[cases])
		cases++;
	job->setups = calloc(cases * sizes->count * (args->memory.count ?: 1) *
				     (args->threads.count ?: 1) * (args->processes.count ?: 1),
			     sizeof(*job->setups));
	if (!job->setups)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (char *const *name = job->calls; *name; name++) {
		const struct mr_bench_case *what = mr_bench_case_find(*name);
		bool is_added = false;

		for (size_t i = 0; i < job->setup_count; i++)
			is_added |= job->setups[i].point.what == what;
		if (!is_added)
			add_case(job, what, sizes);
	}
	return 0;
}

/* Quarters of few regions may be the same. */
static void add_levels(struct bench_job *job)
{
	const struct sweep_occupied *occupied = &job->args->occupied;

	for (size_t i = 0; i < BENCH_LEVELS; i++) {
		const size_t quarters = i <= BENCH_LEVELS / 2 ? i : BENCH_LEVELS - 1 - i;
		const uint64_t regions =
			occupied->count / 4 * quarters + occupied->count % 4 * quarters / 4;

		if (!job->level_count || regions != job->levels[job->level_count - 1].regions)
			job->levels[job->level_count++] = (struct bench_level){
				.regions = regions,
				.bytes = occupied->bytes,
				.direction = !occupied->count        ? NULL
					     : i <= BENCH_LEVELS / 2 ? "ascending"
								     : "descending",
			};
	}
}

/* Finds out from the command line what is to be measured on the devices. */
static int set_up(struct bench_job *job, struct mr_error *err)
{
	const struct bench_args *args = job->args;
	const uint64_t workers =
		most_of(&args->threads) * most_of(&args->processes) * job->device_count;
	struct sweep sizes;
	int rc;

	if (workers > MR_BENCH_WORKERS)
		return mr_fail_text(err, MR_ERROR_USAGE, E2BIG,
				    "%llu workers at once are too many: at most %d",
				    (unsigned long long)workers, MR_BENCH_WORKERS);
	choose_sizes(&sizes, args, workers);
	job->method = (struct bench_method){
		.rounds = args->rounds.known ? args->rounds
					     : known(args->plan.known ? PLAN_ROUNDS : ROUNDS),
		.row_ns = args->calls.known || args->seconds.known
				  ? args->seconds
				  : known(args->plan.known ? PLAN_ROW_NS : ROW_NS),
		.calls = args->calls,
		.warm_up = known(MR_BENCH_WARM_UP),
	};
	if (args->calls.known && args->calls.value < job->method.rounds.value)
		job->method.rounds = args->calls;
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

/* ---- what the kernel counts ---- */

#define COUNTERS (MR_MLX5_COMMANDS + 2)

/* Reads the counters of a device.  The kernel may have another device of the name of a simulated one. */
static void read_counters(struct bench_counter *rows, const struct mr_environment *environment,
			  bool is_after)
{
	static const char *const of_pools[] = { "frmr_free", "frmr_in_use" };
	struct mr_mlx5_command commands[MR_MLX5_COMMANDS] = { { 0 } };
	struct mr_opt_u64 values[COUNTERS] = { { 0 } }, *pooled = &values[MR_MLX5_COMMANDS];
	struct mr_nldev_pools pools;
	struct mr_rdma_device place;
	struct mr_error ignored;
	struct mr_nldev nl;
	uint32_t index;

	if (environment->simulated)
		return;
	mr_rdma_device_read_place(mr_this_host(), environment->device, &place);
	/* Only root can read debugfs. */
	if (place.pci_address[0])
		mr_mlx5_commands_read(mr_this_host(), place.pci_address, commands, &ignored);
	if (!mr_nldev_open_device(&nl, environment->device, &index, &ignored)) {
		/* The kernel reports empty pools as 0. */
		pooled[0].known = pooled[1].known = !mr_nldev_pools(&nl, index, &pools, &ignored);
		for (size_t i = 0; i < pools.count; i++) {
			pooled[0].value += pools.list[i].free.value;
			pooled[1].value += pools.list[i].in_use.value;
		}
		mr_nldev_pools_release(&pools);
		mr_nldev_close(&nl);
	}
	for (size_t i = 0; i < COUNTERS; i++) {
		const bool is_command = i < MR_MLX5_COMMANDS;

		rows[i].device = environment->device;
		rows[i].counter = is_command ? commands[i].name : of_pools[i - MR_MLX5_COMMANDS];
		*(is_after ? &rows[i].after : &rows[i].before) =
			is_command ? commands[i].sent : values[i];
	}
}

/* Reads the counters of all devices, which are open, or were. */
static void count(struct bench_job *job, bool is_after)
{
	for (size_t i = 0; job->counters && i < job->device_count; i++)
		read_counters(&job->counters[i * COUNTERS], &job->places[i].environment, is_after);
}

/* ---- rounds ---- */

static bool is_of_kind(const struct bench_setup *setup, int kind)
{
	return mr_region_kind(setup->point.what->call) == (enum mr_region_kind)kind;
}

static void report(struct bench_job *job, struct mr_error *err, enum mr_via via)
{
	progress_clear(&job->answer.progress);
	answer_fail(&job->answer, err, 0, 0, via);
	job->answer.undiagnosed = false;
	mr_error_clear(err);
}

/* Reports once for all larger sizes that memory is not available, with the causes, which still exist. */
static void fail_memory(struct bench_job *job, const struct mr_bench_point *point,
			struct mr_error *err)
{
	const struct mr_memory_request mapping = { .kind = point->memory, .length = point->size };

	for (size_t i = 0; i < job->setup_count; i++) {
		const struct mr_bench_point *other = &job->setups[i].point;

		job->setups[i].failed |= !mr_region_is_dmabuf(other->what->call) &&
					 other->size >= point->size &&
					 !strcmp(other->memory.text, point->memory.text);
	}
	job->answer.refusal =
		(struct mr_refusal){ .mapping = &mapping, .memory = mapping.kind.text };
	report(job, err, point->via);
}

/*
 * Reports what ends a setup.  Causes are found where a call is refused, and here its memory is gone: the hint names a
 * command that finds them.
 */
static void fail_setup(struct bench_job *job, struct bench_setup *setup, struct mr_error *err)
{
	const struct mr_bench_point *point = &setup->point;
	/* The relaxed mode registers whole pages by this call. */
	const enum mr_region_call call =
		point->what->call == MR_REG_MR_RELAXED ? MR_REG_MR : point->what->call;

	setup->failed = true;
	mr_wrap(err, "%s of %llu bytes, " BENCH_STATE, point->what->name,
		(unsigned long long)point->size);
	if (mr_error_is_answer(err->kind, err->call) && !err->hint[0] &&
	    !strcmp(err->call, mr_region_call_name(call, point->via)))
		mr_hint(err, "'mrctl %s' with the same options%s shows the cause",
			mr_region_call_command(call),
			point->what->access ? " and on-demand access" : "");
	job->answer.undiagnosed = true;
	report(job, err, point->via);
}

/* Describes a row that is measured for the first time. */
static int begin_row(struct bench_row *row, const struct mr_environment *environment,
		     uint64_t rounds)
{
	const struct mr_bench_point *point = &row->setup->point;

	row->group = (struct bench_group){
		.call = point->what->name,
		.memory = mr_region_is_dmabuf(point->what->call) ? point->from.text
								 : point->memory.text,
		.state = BENCH_STATE,
		.threads = known(point->threads),
		.processes = known(point->processes),
		.occupied = known(row->level->regions),
		.direction = row->level->direction,
	};
	snprintf(row->group.device, sizeof(row->group.device), "%s%s", environment->device,
		 environment->simulated ? " (simulated)" : "");
	row->simulated = environment->simulated;
	row->size = known(point->size);
	row->access = known(point->access);
	row->via = mr_via_name(point->via);
	row->occupied_bytes = known(row->level->regions * row->level->bytes);
	row->round = calloc(rounds, sizeof(*row->round));
	return row->round ? mr_histogram_init(&row->histogram) : -ENOMEM;
}

/* Adds what the workers on a device have measured in a round. */
static void add_round(struct bench_row *row, const struct mr_bench_workers *workers, size_t place)
{
	uint64_t sum = 0, slowest = 0, count = 0, callers = 0;

	for (uint32_t i = 0; i < workers->count; i++) {
		const struct mr_bench_worker *worker = &workers->list[i];
		uint64_t median;

		if (worker->place != place || !worker->count)
			continue;
		median = mr_bench_median(worker->samples, worker->count);
		if (!row->first_ns.known)
			row->first_ns = known(worker->first_ns);
		if (median > slowest)
			slowest = median;
		sum += median;
		callers++;
		count += worker->count;
		for (uint64_t j = 0; j < worker->count; j++)
			mr_histogram_add(&row->histogram, worker->samples[j]);
	}
	if (callers)
		row->round[row->rounds.count++] =
			(struct bench_round){ known(sum / callers), known(slowest), known(count) };
}

/* Calculates the figures of a row that was measured, and lists its buckets. */
static int end_row(struct bench_row *row)
{
	const struct mr_histogram *times = &row->histogram;
	const struct mr_bench_point *point = &row->setup->point;
	const uint64_t workers = point->threads * point->processes;
	const double mean = mr_histogram_mean(times);
	uint64_t slowest[BENCH_ROUNDS_MAX];
	size_t buckets;

	row->min_ns = known(times->min);
	row->p50_ns = known(mr_histogram_quantile(times, 0.5));
	row->p90_ns = known(mr_histogram_quantile(times, 0.9));
	row->p99_ns = known(mr_histogram_quantile(times, 0.99));
	row->p999_ns = known(mr_histogram_quantile(times, 0.999));
	row->max_ns = known(times->max);
	for (size_t i = 0; i < row->rounds.count; i++)
		slowest[i] = row->round[i].slowest_ns.value;
	row->slowest_ns =
		workers > 1 ? known(mr_bench_median(slowest, row->rounds.count)) : row->p50_ns;
	row->count = known(times->count);
	row->mean_ns = bench_rounded(mean);
	row->outliers = known(mr_histogram_outliers(times));
	if (mean > 0)
		row->bytes_per_s = bench_rounded((double)(point->size * workers) * 1e9 / mean);
	row->bucket = mr_histogram_list(times, &buckets);
	row->rounds = (struct list){ &bench_round_record, row->round, row->rounds.count,
				     sizeof(*row->round) };
	row->buckets =
		(struct list){ &bench_bucket_record, row->bucket, buckets, sizeof(*row->bucket) };
	return row->bucket ? 0 : -ENOMEM;
}

static int run_round(struct bench_job *job, size_t level, size_t index, uint32_t number,
		     struct mr_error *err)
{
	struct bench_setup *setup = &job->setups[index];
	const uint64_t calls = job->method.calls.value, rounds = job->method.rounds.value;
	const struct mr_bench_round round = {
		.point = &setup->point,
		.places = job->places,
		.place_count = job->device_count,
		.ns = job->method.row_ns.value / rounds,
		.calls = calls / rounds + (number < calls % rounds), /* --count are spread */
	};
	struct mr_bench_workers *workers;
	int rc = 0;

	if (mr_bench_run(&round, &workers, err)) {
		/* A worker could not map its memory, or has no GPU; a dma-buf has separate memory. */
		if (workers && err->kind == MR_ERROR_HOST && err->call &&
		    (!strcmp(err->call, "mmap") || !strcmp(err->call, "dlopen") ||
		     !strncmp(err->call, "cu", 2)) &&
		    !mr_region_is_dmabuf(setup->point.what->call))
			fail_memory(job, &setup->point, err);
		else
			fail_setup(job, setup, err);
	}
	for (size_t i = 0; workers && !rc && i < job->device_count; i++) {
		struct bench_row *row =
			&job->rows[(level * job->setup_count + index) * job->device_count + i];

		if (!row->round)
			rc = begin_row(row, &round.places[i].environment, rounds);
		if (rc)
			mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
		else
			add_round(row, workers, i);
	}
	mr_bench_workers_release(workers);
	return rc;
}

/*
 * All rows have their first round before one has its second, so that what disturbs the machine for a while
 * disturbs a round of many rows rather than all rounds of one.
 */
static int run_level(struct bench_job *job, int kind, size_t level, struct mr_error *err)
{
	struct progress *progress = &job->answer.progress;
	int rc = 0;

	for (uint32_t round = 0; !rc && round < job->method.rounds.value; round++) {
		for (size_t i = 0; !rc && i < job->setup_count; i++) {
			if (!is_of_kind(&job->setups[i], kind))
				continue;
			job->method.interrupted |= mr_interrupted();
			if (job->method.interrupted)
				return 0;
			if (job->done) {
				progress->left_ns = (mr_now_ns() - job->start_ns) / job->done *
						    (job->total - job->done);
				progress_show(progress, "measuring", job->done);
			}
			job->done++;
			if (!job->setups[i].failed)
				rc = run_round(job, level, i, round, err);
			/* A round that a signal has cut short may be the last one. */
			job->method.interrupted |= mr_interrupted();
		}
	}
	return rc;
}

static int run_kind(struct bench_job *job, int kind, struct mr_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < job->device_count; i++)
		rc = mr_bench_place_open(&job->places[i], (enum mr_region_kind)kind, err);
	job->environment = job->places[0].environment;
	if (!rc && !job->args->plan.known && !job->counters) {
		job->counters = calloc(job->device_count * COUNTERS, sizeof(*job->counters));
		job->counter_count = job->counters ? job->device_count * COUNTERS : 0;
		count(job, false);
	}
	for (size_t level = 0; !rc && level < job->level_count && !job->method.interrupted;
	     level++) {
		const struct bench_level *l = &job->levels[level];
		int occupied = 0;

		for (size_t i = 0; !occupied && i < job->device_count; i++)
			occupied =
				mr_bench_place_occupy(&job->places[i], l->regions, l->bytes, err);
		if (occupied) { /* other kinds of regions have separate levels */
			mr_wrap(err, "--occupied");
			if (mr_error_is_answer(err->kind, err->call) && !err->hint[0])
				mr_hint(err, "'mrctl %s --count %llu --size %llu' shows the cause",
					kind == MR_KIND_UMEM ? "umem" : "reg",
					(unsigned long long)job->args->occupied.count,
					(unsigned long long)job->args->occupied.bytes);
			job->answer.undiagnosed = true;
			report(job, err, MR_VIA_LIBRARY);
			break;
		}
		rc = run_level(job, kind, level, err);
	}
	/* Regions of one kind must not exist while the other kind is measured. */
	for (size_t i = 0; i < job->device_count; i++)
		mr_bench_place_close(&job->places[i]);
	return rc;
}

static void release_row(struct bench_row *row)
{
	free(row->round);
	free(row->bucket);
	mr_histogram_release(&row->histogram);
}

static int measure(struct bench_job *job, struct mr_error *err)
{
	size_t measured = 0;
	int rc = 0;

	job->total = job->method.rounds.value * job->level_count * job->setup_count;
	job->answer.progress.total = job->total;
	job->start_ns = mr_now_ns();
	for (int kind = 0; !rc && kind < MR_REGION_KINDS; kind++) {
		bool has_kind = false;

		for (size_t i = 0; i < job->setup_count; i++)
			has_kind |= is_of_kind(&job->setups[i], kind);
		if (has_kind)
			rc = run_kind(job, kind, err);
	}
	progress_clear(&job->answer.progress);
	job->method.elapsed_ns = known(mr_now_ns() - job->start_ns);
	count(job, true);
	/* Rows that were not measured are left out from here on. */
	for (size_t i = 0; i < job->row_count; i++) {
		if (!job->rows[i].rounds.count)
			release_row(&job->rows[i]);
		else if (end_row(&job->rows[i]) && !rc)
			rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
		if (job->rows[i].rounds.count)
			job->rows[measured++] = job->rows[i];
	}
	job->row_count = measured;
	return rc;
}

/* ---- a run ---- */

/* @name: NULL: the only device there is, which opening it finds */
static void add_device(const char *name, void *data)
{
	struct bench_job *job = data;
	struct mr_bench_place *places =
		reallocarray(job->places, job->device_count + 1, sizeof(*places));
	char *own = places && name ? strdup(name) : NULL;

	if (!places)
		return;
	job->places = places;
	places[job->device_count] =
		(struct mr_bench_place){ .name = own, .most_occupied = job->args->occupied.count };
	job->device_count += !name || own;
}

void bench_release(struct bench_job *job)
{
	for (size_t i = 0; job->rows && i < job->row_count; i++)
		release_row(&job->rows[i]);
	for (size_t i = 0; i < job->device_count; i++)
		free((void *)job->places[i].name);
	free(job->places);
	free(job->counters);
	free(job->setups);
	free(job->rows);
	answer_release(&job->answer);
}

int bench_run(struct bench_job *job, struct mr_error *err)
{
	int rc;

	if (job->args->all_devices)
		mr_rdma_device_list(mr_this_host(), add_device, job);
	if (!job->device_count)
		add_device(job->device, job);
	if (!job->device_count)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	rc = set_up(job, err);
	if (rc)
		return rc;
	mr_signals_block();
	if (measure(job, err)) {
		answer_fail(&job->answer, err, 0, 0, MR_VIA_LIBRARY);
		mr_error_clear(err);
	}
	return 0;
}
