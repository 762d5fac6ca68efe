// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/bench/groups.h"
#include "cmd/bench/row.h"
#include "lib/bench/bench.h"

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
