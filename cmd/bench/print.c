// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is printed of a measurement. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "cmd/output/paragraph.h"
#include "cmd/region/answer_messages.h"
#include "lib/base/cleanup.h"
#include "lib/base/clock.h"
#include "lib/bench/bench.h"
#include "lib/bench/kernel_counters.h"
#include "lib/host/fork.h"
#include "lib/host/huge_pages.h"
#include "lib/host/live.h"
#include "lib/host/meminfo.h"
#include "lib/host/pci.h"

void bench_device_text(const struct mr_environment *environment, char *text, size_t size)
{
	snprintf(text, size, "%s%s", environment->device,
		 environment->simulated ? " (simulated)" : "");
}

const char *bench_memory_text(const struct mr_bench_point *point)
{
	return mr_region_is_dmabuf(point->what->call) ? point->from.text : point->memory.text;
}

bool bench_same_setup(const struct bench_setup *left, const struct bench_setup *right)
{
	return left->point.what == right->point.what && left->threads == right->threads &&
	       left->processes == right->processes &&
	       !strcmp(bench_memory_text(&left->point), bench_memory_text(&right->point));
}

bool bench_same_group(const struct bench_series *left, const struct bench_series *right)
{
	return left->setup && right->setup && left->environment == right->environment &&
	       left->level == right->level && bench_same_setup(left->setup, right->setup);
}

bool bench_begins_group(const struct bench_job *job, size_t index)
{
	if (!job->series[index].round_count)
		return false;
	for (size_t i = 0; i < index; i++)
		if (job->series[i].round_count &&
		    bench_same_group(&job->series[i], &job->series[index]))
			return false;
	return true;
}

void bench_group_fill(struct bench_group_row *row, const struct bench_series *series)
{
	const struct mr_bench_point *point = &series->setup->point;

	*row = (struct bench_group_row){
		.call = point->what->name,
		.memory = bench_memory_text(point),
		.state = BENCH_STATE,
		.threads = known(series->setup->threads),
		.processes = known(series->setup->processes),
		.occupied = known(series->level->regions),
		.direction = series->level->direction,
	};
	bench_device_text(series->environment, row->device, sizeof(row->device));
}

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *fmt,
							 ...)
{
	const size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + used, size - used, fmt, ap);
	va_end(ap);
}

void bench_group_text(const struct bench_series *series, char *text, size_t size)
{
	const struct bench_setup *setup = series->setup;
	const struct mr_bench_point *point = &setup->point;
	const char *memory = bench_memory_text(point);
	char device[96];

	bench_device_text(series->environment, device, sizeof(device));
	snprintf(text, size, "%s on %s", point->what->name, device);
	if (strcmp(memory, "anon") != 0)
		append(text, size, ", %s", memory);
	if (setup->threads > 1)
		append(text, size, ", %u threads", setup->threads);
	if (setup->processes > 1)
		append(text, size, ", %u processes", setup->processes);
	if (series->level->direction)
		append(text, size, ", %llu occupied, %s",
		       (unsigned long long)series->level->regions, series->level->direction);
}

static const struct field round_fields[] = {
	FIELD(struct bench_round_row, p50_ns, FIELD_NUMBER, 0,
	      "median of its calls; of several workers the mean of their medians"),
	FIELD(struct bench_round_row, slowest_ns, FIELD_NUMBER, 0, "median of the slowest worker"),
	FIELD(struct bench_round_row, count, FIELD_NUMBER, 0, "calls"),
	FIELD_END,
};
static const struct record round_record = { "round", round_fields, "rounds" };

static const struct field bucket_fields[] = {
	FIELD(struct bench_bucket_row, ns, FIELD_NUMBER, 0, "middle of the bucket"),
	FIELD(struct bench_bucket_row, count, FIELD_NUMBER, 0, "calls"),
	FIELD_END,
};
static const struct record bucket_record = { "bucket", bucket_fields, "histogram" };

static const struct field bench_fields[] = {
	FIELD(struct bench_row, call, FIELD_STRING, 0, "what is measured"),
	FIELD(struct bench_row, device, FIELD_TEXT, 0, "RDMA device; says so if it is simulated"),
	FIELD(struct bench_row, simulated, FIELD_BOOL, FIELD_DETAIL,
	      "whether the device is simulated"),
	FIELD(struct bench_row, memory, FIELD_STRING, 0, "kind of memory, or source of the dma-buf",
	      .usual = "anon"),
	FIELD(struct bench_row, size, FIELD_NUMBER, FIELD_IEC, "bytes of the region"),
	FIELD(struct bench_row, access, FIELD_ACCESS, 0, "access flags"),
	FIELD(struct bench_row, access_bits, FIELD_HEX, FIELD_DETAIL, "the same as a mask"),
	FIELD(struct bench_row, via, FIELD_STRING, FIELD_DETAIL,
	      "path of the call: library (libibverbs) or kernel"),
	FIELD(struct bench_row, state, FIELD_STRING, 0,
	      "of the memory before each call: its pages are populated", .usual = "populated"),
	FIELD(struct bench_row, threads, FIELD_NUMBER, 0, "threads of each process", .usual = "1"),
	FIELD(struct bench_row, processes, FIELD_NUMBER, 0, "processes for each device",
	      .usual = "1"),
	FIELD(struct bench_row, occupied, FIELD_NUMBER, 0, "regions that were registered already",
	      .usual = "0"),
	FIELD(struct bench_row, occupied_bytes, FIELD_NUMBER, FIELD_IEC, "bytes of them together",
	      .usual = "0"),
	FIELD(struct bench_row, direction, FIELD_STRING, 0,
	      "whether they had become more (ascending) or fewer (descending)"),
	FIELD(struct bench_row, count, FIELD_NUMBER, 0, "calls"),
	FIELD(struct bench_row, first_ns, FIELD_NUMBER, FIELD_DURATION,
	      "the first call, which does not count"),
	FIELD(struct bench_row, min_ns, FIELD_NUMBER, FIELD_DURATION, "the fastest call"),
	FIELD(struct bench_row, p50_ns, FIELD_NUMBER, FIELD_DURATION,
	      "median: half of the calls took at most this"),
	FIELD(struct bench_row, p90_ns, FIELD_NUMBER, FIELD_DURATION, "90 % took at most this"),
	FIELD(struct bench_row, p99_ns, FIELD_NUMBER, FIELD_DURATION, "99 %"),
	FIELD(struct bench_row, p999_ns, FIELD_NUMBER, FIELD_DURATION, "99.9 %"),
	FIELD(struct bench_row, max_ns, FIELD_NUMBER, FIELD_DURATION, "the slowest call"),
	FIELD(struct bench_row, mean_ns, FIELD_NUMBER, FIELD_DURATION, "arithmetic mean"),
	FIELD(struct bench_row, slowest_ns, FIELD_NUMBER, FIELD_DURATION,
	      "median of the slowest worker, over the rounds; of a single worker the median",
	      .repeats = "p50_ns"),
	FIELD(struct bench_row, outliers, FIELD_NUMBER, 0,
	      "calls that took longer than p50 + 10 * (p90 - p50), and than 2 * p50"),
	FIELD(struct bench_row, bytes_per_s, FIELD_NUMBER, FIELD_IEC,
	      "bytes that all workers together register in a second of calls"),
	FIELD(struct bench_row, rounds, FIELD_LIST, 0, "rounds, one by one"),
	FIELD(struct bench_row, histogram, FIELD_LIST, 0,
	      "all calls by their time; a bucket is at most 1 in 1024 of it wide"),
	FIELD_END,
};
const struct record bench_record = { "row", bench_fields, "rows" };

/* The median over the rounds. */
static uint64_t slowest_of(const struct bench_series *series)
{
	const size_t count = series->round_count;
	uint64_t *medians = count ? calloc(count, sizeof(*medians)) : NULL;
	uint64_t slowest = 0;

	for (size_t i = 0; medians && i < count; i++)
		medians[i] = series->rounds[i].slowest_ns;
	if (medians)
		slowest = bench_median(medians, count);
	free(medians);
	return slowest;
}

static int fill_rounds(struct bench_row *row, const struct bench_series *series)
{
	struct bench_round_row *rows = calloc(series->round_count, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < series->round_count; i++) {
		const struct bench_round_result *round = &series->rounds[i];

		rows[i] = (struct bench_round_row){ known(round->p50_ns), known(round->slowest_ns),
						    known(round->count) };
	}
	row->rounds = (struct list){ &round_record, rows, series->round_count, sizeof(*rows) };
	return 0;
}

static int fill_histogram(struct bench_row *row, const struct mr_histogram *histogram)
{
	struct mr_histogram_bucket bucket;
	struct bench_bucket_row *rows;
	size_t from = 0, count = 0;

	while (mr_histogram_next(histogram, &from, &bucket))
		count++;
	rows = count ? calloc(count, sizeof(*rows)) : NULL;
	if (!rows)
		return count ? -ENOMEM : 0;
	from = count = 0;
	while (mr_histogram_next(histogram, &from, &bucket))
		rows[count++] = (struct bench_bucket_row){ known(bucket.ns), known(bucket.count) };
	row->histogram = (struct list){ &bucket_record, rows, count, sizeof(*rows) };
	return 0;
}

static void fill_figures(struct bench_row *row, const struct bench_series *series)
{
	const struct mr_histogram *histogram = &series->histogram;
	const double mean = mr_histogram_mean(histogram);
	const uint32_t workers = series->setup->threads * series->setup->processes;

	row->count = known(histogram->count);
	row->first_ns = known(series->first_ns);
	row->min_ns = known(histogram->min);
	row->p50_ns = known(mr_histogram_quantile(histogram, 0.5));
	row->p90_ns = known(mr_histogram_quantile(histogram, 0.9));
	row->p99_ns = known(mr_histogram_quantile(histogram, 0.99));
	row->p999_ns = known(mr_histogram_quantile(histogram, 0.999));
	row->max_ns = known(histogram->max);
	row->mean_ns = known((uint64_t)(mean + 0.5));
	row->slowest_ns = workers > 1 ? known(slowest_of(series)) : row->p50_ns;
	row->outliers = known(mr_histogram_outliers(histogram));
	if (mean > 0)
		row->bytes_per_s =
			known((uint64_t)((double)series->setup->point.size * workers * 1e9 / mean));
}

int bench_row_fill(struct bench_row *row, const struct bench_series *series, bool with_histogram)
{
	const struct mr_bench_point *point = &series->setup->point;
	const struct bench_level *level = series->level;
	const uint32_t access = mr_bench_access(point);
	int rc;

	*row = (struct bench_row){
		.call = point->what->name,
		.simulated = series->environment->simulated,
		.memory = bench_memory_text(point),
		.size = known(point->size),
		.access = known(access),
		.access_bits = known(access),
		.via = mr_via_name(point->via),
		.state = BENCH_STATE,
		.threads = known(series->setup->threads),
		.processes = known(series->setup->processes),
		.occupied = known(level->regions),
		.occupied_bytes = known(level->regions * level->bytes),
		.direction = level->direction,
	};
	bench_device_text(series->environment, row->device, sizeof(row->device));
	fill_figures(row, series);
	rc = fill_rounds(row, series);
	return rc || !with_histogram ? rc : fill_histogram(row, &series->histogram);
}

void bench_row_release(struct bench_row *row)
{
	free((void *)(uintptr_t)row->rounds.rows);
	free((void *)(uintptr_t)row->histogram.rows);
}

#define MIB (1024.0 * 1024.0)

struct fit_row {
	struct bench_group_row group;
	struct mr_opt_u64 sizes;
	struct mr_opt_u64 fixed_ns, mib_ns, residual_percent;
	char ucx[128];
};

static const struct field fit_fields[] = {
	BENCH_GROUP_FIELDS(struct fit_row),
	FIELD(struct fit_row, sizes, FIELD_NUMBER, 0, "sizes that the line goes through"),
	FIELD(struct fit_row, fixed_ns, FIELD_NUMBER, FIELD_DURATION,
	      "what a call takes however small the region; not known: less than nothing"),
	FIELD(struct fit_row, mib_ns, FIELD_NUMBER, FIELD_DURATION, "what each MiB adds"),
	FIELD(struct fit_row, residual_percent, FIELD_NUMBER, 0,
	      "root of the mean square of the relative errors of all sizes"),
	FIELD(struct fit_row, ucx, FIELD_TEXT, 0, "the same as settings of UCX"),
	FIELD_END,
};
static const struct record fit_record = { "fit", fit_fields, "fits" };

/* A line that is farther from the medians gives UCX no advice. */
#define UCX_RESIDUAL 0.25

/* UCX' defaults are "16us" and "0.06ns"; its cost is that of ibv_reg_mr() of memory that is there. */
static void fill_ucx(struct fit_row *row, const struct bench_series *series,
		     const struct mr_fit *fit)
{
	const struct mr_bench_point *point = &series->setup->point;

	if (series->setup->threads == 1 && series->setup->processes == 1 &&
	    !series->level->regions && point->what->call == MR_REG_MR && point->what->registers &&
	    fit->fixed > 0 && fit->slope > 0 && fit->residual <= UCX_RESIDUAL)
		snprintf(row->ucx, sizeof(row->ucx),
			 "UCX_IB_MEM_REG_OVERHEAD=%.3gus UCX_IB_MEM_REG_GROWTH=%.3gns",
			 fit->fixed / 1e3, fit->slope);
}

/* Return: whether a line can be laid through the group that begins with this series. */
static bool fill_row(const struct bench_job *job, size_t first, struct fit_row *row)
{
	const size_t count = bench_job_series_count(job);
	struct mr_fit_point *points = calloc(count, sizeof(*points));
	struct mr_fit fit;
	size_t used = 0;
	int rc;

	for (size_t i = first; points && i < count; i++) {
		const struct bench_series *series = &job->series[i];

		if (series->round_count && bench_same_group(&job->series[first], series))
			points[used++] = (struct mr_fit_point){
				(double)series->setup->point.size,
				(double)mr_histogram_quantile(&series->histogram, 0.5),
			};
	}
	rc = points ? mr_fit(points, used, &fit) : -ENOMEM;
	free(points);
	if (rc)
		return false;
	*row = (struct fit_row){ .sizes = known(used) };
	bench_group_fill(&row->group, &job->series[first]);
	if (fit.fixed > 0)
		row->fixed_ns = known((uint64_t)(fit.fixed + 0.5));
	if (fit.slope > 0)
		row->mib_ns = known((uint64_t)(fit.slope * MIB + 0.5));
	row->residual_percent = known((uint64_t)(fit.residual * 100 + 0.5));
	fill_ucx(row, &job->series[first], &fit);
	return true;
}

static void print_ucx(const struct fit_row *row)
{
	const bool is_usual = !strcmp(row->group.memory, "anon");
	mr_auto_free char *text = NULL;

	if (!row->ucx[0] ||
	    asprintf(&text, "UCX takes for %s%s%s: %s", row->group.device, is_usual ? "" : ", ",
		     is_usual ? "" : row->group.memory, row->ucx) < 0)
		return;
	output_paragraph(text, 0, 2);
}

void bench_print_fits(struct bench_job *job)
{
	const size_t count = bench_job_series_count(job);
	struct fit_row *rows = calloc(count, sizeof(*rows));
	struct list list = { &fit_record, rows, 0, sizeof(*rows) };

	if (!rows) {
		job->answer.out.error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (bench_begins_group(job, i) && fill_row(job, i, &rows[list.count]))
			list.count++;
	output_table(&job->answer.out, fit_record.list, &list,
		     BENCH_GROUP_COLUMNS ",sizes,fixed_ns,mib_ns,residual_percent");
	for (size_t i = 0; i < list.count && output_is_for_people(&job->answer.out); i++)
		print_ucx(&rows[i]);
	free(rows);
}

struct bench_counters {
	struct mr_environment environment;
	struct mr_kernel_counter list[MR_KERNEL_COUNTERS];
};

struct counter_row {
	const char *device, *counter;
	struct mr_opt_u64 before, after;
};

static const struct field counter_fields[] = {
	FIELD(struct counter_row, device, FIELD_STRING, 0, "RDMA device"),
	FIELD(struct counter_row, counter, FIELD_STRING, 0,
	      "command that the firmware was sent, or MRs of the kernel's pools"),
	FIELD(struct counter_row, before, FIELD_NUMBER, 0, "before the first call"),
	FIELD(struct counter_row, after, FIELD_NUMBER, 0, "after the last one"),
	FIELD_END,
};
static const struct record counter_record = { "counter", counter_fields, "counters" };

void bench_counters_begin(struct bench_job *job, const struct mr_bench_place *places)
{
	if (job->counters)
		return;
	job->counters = calloc(job->device_count, sizeof(*job->counters));
	for (size_t i = 0; job->counters && i < job->device_count; i++) {
		job->counters[i].environment = places[i].environment;
		mr_kernel_counters_read(&places[i].environment, job->counters[i].list);
	}
}

/* Nothing is lost for people where a counter stands still. */
static bool is_told(const struct bench_job *job, const struct counter_row *row)
{
	return row->before.known && row->after.known &&
	       (job->answer.out.style->json || row->before.value != row->after.value);
}

static size_t fill_rows(const struct bench_job *job, const struct bench_counters *before,
			struct counter_row *rows)
{
	struct mr_kernel_counter after[MR_KERNEL_COUNTERS];
	size_t count = 0;

	mr_kernel_counters_read(&before->environment, after);
	for (size_t i = 0; i < MR_KERNEL_COUNTERS; i++) {
		rows[count] = (struct counter_row){ before->environment.device, after[i].name,
						    before->list[i].value, after[i].value };
		count += is_told(job, &rows[count]);
	}
	return count;
}

void bench_print_counters(struct bench_job *job)
{
	struct counter_row *rows =
		calloc(job->device_count * MR_KERNEL_COUNTERS + 1, sizeof(*rows));
	struct list list = { &counter_record, rows, 0, sizeof(*rows) };

	if (!rows) {
		job->answer.out.error = -ENOMEM;
		return;
	}
	for (size_t i = 0; job->counters && i < job->device_count; i++)
		list.count += fill_rows(job, &job->counters[i], &rows[list.count]);
	output_table(&job->answer.out, counter_record.list, &list, "device,counter,before,after");
	free(rows);
}

static const struct field bench_host_fields[] = {
	FIELD_AS("cpu", struct bench_host, processor.model, FIELD_TEXT, 0, "model of the CPUs"),
	FIELD_AS("cpus", struct bench_host, processor.online, FIELD_TEXT, 0,
		 "CPUs that are online"),
	FIELD_AS("governor", struct bench_host, processor.governor, FIELD_TEXT, 0,
		 "what governs the frequency of CPU 0"),
	FIELD_AS("numa_nodes", struct bench_host, processor.nodes, FIELD_TEXT, 0,
		 "NUMA nodes that have memory"),
	FIELD_AS("clock", struct bench_host, processor.clock, FIELD_TEXT, 0,
		 "what the kernel reads the time from"),
	FIELD(struct bench_host, driver, FIELD_TEXT, 0, "the kernel's driver of the device"),
	FIELD(struct bench_host, device_numa_node, FIELD_NUMBER, 0, "NUMA node of the device"),
	FIELD(struct bench_host, iommu, FIELD_TEXT, 0, "type of the device's IOMMU group, or none"),
	FIELD(struct bench_host, thp, FIELD_TEXT, 0, "transparent huge pages"),
	FIELD(struct bench_host, memory_total, FIELD_NUMBER, FIELD_IEC, "bytes of memory"),
	FIELD(struct bench_host, memory_available, FIELD_NUMBER, FIELD_IEC,
	      "bytes of it that were available before the measurement"),
	FIELD(struct bench_host, fork_safe, FIELD_BOOL, 0,
	      "whether the environment asks libibverbs for fork protection"),
	FIELD(struct bench_host, huge_pages_safe, FIELD_BOOL, 0,
	      "whether RDMAV_HUGEPAGES_SAFE is set"),
	FIELD_END,
};
const struct record bench_host_record = { "host", bench_host_fields, NULL };

/* A simulated device has no place on a bus. */
static void read_device(struct bench_host *host, const char *name)
{
	struct mr_rdma_device device;
	struct mr_iommu iommu;

	mr_rdma_device_read_place(mr_this_host(), name, &device);
	snprintf(host->driver, sizeof(host->driver), "%s", device.driver);
	host->device_numa_node = device.numa_node;
	if (!device.pci_address[0])
		return;
	mr_iommu_read(mr_this_host(), device.pci_address, &iommu);
	snprintf(host->iommu, sizeof(host->iommu), "%s", iommu.group[0] ? iommu.type : "none");
}

void bench_host_read(struct bench_host *host, const char *device)
{
	struct mr_meminfo memory;
	struct mr_fork fork;

	*host = (struct bench_host){ .thp = "" };
	mr_processor_read(mr_this_host(), &host->processor);
	if (!mr_meminfo_read(mr_this_host(), &memory)) {
		host->memory_total = memory.total;
		host->memory_available = memory.available;
	}
	if (mr_thp_mode(mr_this_host(), host->thp, sizeof(host->thp)))
		host->thp[0] = '\0';
	mr_fork_read(mr_this_host(), &fork);
	host->fork_safe = fork.is_asked;
	host->huge_pages_safe = fork.huge_pages;
	read_device(host, device);
}

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
