/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What limits how much memory can be registered. */
#ifndef CMD_BENCH_LIMITS_H
#define CMD_BENCH_LIMITS_H

#include "cmd/bench/job.h"
#include "cmd/output/fields.h"
#include "lib/bench/forecast.h"

/** The limits of a run, beside those of pools of huge pages. */
struct bench_limits {
	struct mr_opt_u64 max_mr_size, max_mr;
	struct mr_opt_u64 memlock; /**< not known: unlimited, or not read */
	bool memlock_is_read;
	struct opt_bool memlock_lifted;
	struct mr_opt_u64 memory_total, memory_available;
	const char *available_by;
};

extern const struct record bench_limits_record;

/** bench_limits_read() - read those of this process, the host and the first device */
void bench_limits_read(const struct bench_job *job, struct bench_limits *limits);

enum { BENCH_LIMITS = 5 };

/**
 * bench_limits_list() - list what limits a plan
 * @list: BENCH_LIMITS of them are set, in the order in which they decide
 *
 * Return: whether all are known that there are.
 */
bool bench_limits_list(const struct bench_limits *limits, const struct mr_bench_point *point,
		       const struct mr_forecast_plan *plan, struct mr_forecast_limit *list);

#endif
