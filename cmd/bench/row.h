/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What mrctl bench prints: a row for each point, and what is told beside the rows. */
#ifndef CMD_BENCH_ROW_H
#define CMD_BENCH_ROW_H

#include "cmd/bench/series.h"
#include "cmd/output/fields.h"

/** A round of a row. */
struct bench_round_row {
	struct mr_opt_u64 p50_ns, slowest_ns, count;
};

/** A bucket of a row's histogram. */
struct bench_bucket_row {
	struct mr_opt_u64 ns, count;
};

/** A row. */
struct bench_row {
	const char *call;
	char device[96];
	bool simulated;
	const char *memory;
	struct mr_opt_u64 size;
	struct mr_opt_u64 access, access_bits;
	const char *via;
	const char *state;
	struct mr_opt_u64 threads, processes;
	struct mr_opt_u64 occupied, occupied_bytes;
	const char *direction;
	struct mr_opt_u64 count;
	struct mr_opt_u64 first_ns, min_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns, mean_ns;
	struct mr_opt_u64 slowest_ns;
	struct mr_opt_u64 outliers;
	struct mr_opt_u64 bytes_per_s;
	struct list rounds, histogram;
};

extern const struct record bench_record;

/** The usual columns of a table. */
#define BENCH_COLUMNS                                                                              \
	"call,device,memory,state,threads,processes,occupied,direction,size,p50_ns,p90_ns,p99_ns," \
	"p999_ns,max_ns,slowest_ns,bytes_per_s"

/** bench_row_fill() - fill in a row, with its histogram or without; bench_row_release() it.  Return: 0 or -ENOMEM. */
int bench_row_fill(struct bench_row *row, const struct bench_series *series, bool with_histogram);
void bench_row_release(struct bench_row *row);

#endif
