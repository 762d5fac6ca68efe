// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rows of mrctl bench, and the lines through those that differ in size alone. */
#include <stdlib.h>

#include "cmd/bench/bench.h"

static const struct field round_fields[] = {
	FIELD(struct bench_round, p50_ns, FIELD_NUMBER, 0,
	      "median of its calls; of several workers the mean of their medians"),
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

static const struct field row_fields[] = {
	BENCH_GROUP_FIELDS(struct bench_row),
	FIELD(struct bench_row, simulated, FIELD_BOOL, FIELD_DETAIL,
	      "whether the device is simulated"),
	FIELD(struct bench_row, size, FIELD_NUMBER, FIELD_IEC, "bytes of the region"),
	FIELD(struct bench_row, access, FIELD_ACCESS, 0, "access flags"),
	FIELD_AS("access_bits", struct bench_row, access, FIELD_HEX, FIELD_DETAIL,
		 "the same as a mask"),
	FIELD(struct bench_row, via, FIELD_STRING, FIELD_DETAIL | FIELD_PUBLIC,
	      "path of the call: library (libibverbs) or kernel"),
	FIELD(struct bench_row, occupied_bytes, FIELD_NUMBER, FIELD_IEC,
	      "bytes of the regions that were registered already", .usual = "0"),
	FIELD(struct bench_row, count, FIELD_NUMBER, 0, "calls"),
	FIELD(struct bench_row, first_ns, FIELD_NUMBER, FIELD_DURATION,
	      "the first call, which is a warm-up call"),
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
	FIELD(struct bench_row, rounds, FIELD_LIST, 0, "rounds, one by one",
	      .record = &bench_round_record),
	FIELD_AS("histogram", struct bench_row, buckets, FIELD_LIST, 0,
		 "all calls by their time; a bucket is at most 1 in 1024 of it wide",
		 .record = &bench_bucket_record),
	FIELD_END,
};
REPORTED const struct record bench_record = { "row", row_fields, "rows" };

bool bench_begins_group(const struct bench_job *job, const struct bench_row *row)
{
	for (const struct bench_row *other = job->rows; other < row; other++)
		if (other->rounds.count && bench_same_group(other, row))
			return false;
	return row->rounds.count;
}

size_t bench_fit(const struct bench_job *job, const struct bench_row *first, size_t time,
		 struct mr_fit *fit)
{
	struct mr_fit_point *points = calloc(job->row_count, sizeof(*points));
	size_t count = 0;

	for (const struct bench_row *row = first; points && row < job->rows + job->row_count; row++)
		if (row->rounds.count && bench_same_group(first, row))
			points[count++] = (struct mr_fit_point){
				(double)row->size.value,
				(double)((const struct mr_opt_u64 *)((const char *)row + time))
					->value,
			};
	if (mr_fit(points, count, fit))
		count = 0;
	free(points);
	return count;
}
