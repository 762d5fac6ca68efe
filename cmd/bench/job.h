/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of mrctl bench. */
#ifndef CMD_BENCH_JOB_H
#define CMD_BENCH_JOB_H

#include "cmd/bench/args.h"
#include "cmd/bench/series.h"
#include "cmd/region/answer.h"

/** Levels with --occupied: up in quarters, and down again. */
#define BENCH_LEVELS 9

struct bench_counters;

struct bench_job {
	const struct invocation *invocation;
	const struct bench_args *args;
	struct answer answer;
	char **devices; /**< names; NULL stands for the only one there is */
	size_t device_count;
	struct mr_bench_place
		*places[MR_REGION_KINDS]; /**< of each device, by what is registered */
	struct bench_setup *setups;
	size_t setup_count;
	struct bench_level levels[BENCH_LEVELS];
	size_t level_count;
	struct bench_series *series; /**< by level, setup and device: bench_job_series() */
	struct bench_counters
		*counters; /**< of each device, before the first call; NULL: not read */
	uint32_t rounds;
	uint64_t row_ns;      /**< for each row; 0: --count counts */
	uint64_t done, total; /**< rounds of all rows */
	uint64_t start_ns;
	bool is_interrupted;
};

static inline struct bench_series *bench_job_series(const struct bench_job *job, size_t level,
						    size_t setup, size_t device)
{
	return &job->series[(level * job->setup_count + setup) * job->device_count + device];
}

static inline size_t bench_job_series_count(const struct bench_job *job)
{
	return job->level_count * job->setup_count * job->device_count;
}

/**
 * bench_plan() - find out from the command line what is to be measured
 * @job: setups, levels and rounds are set; its devices are known
 *
 * Return: 0, or -errno; with MR_ERROR_USAGE where the command line makes no sense.
 */
int bench_plan(struct bench_job *job, struct mr_error *err);

/** bench_check() - whether a command line makes sense: check of struct command */
int bench_check(const struct invocation *invocation, struct mr_error *err);

/** bench_measure() - measure it; refusals are reported.  Return: 0, or -errno where nothing could be measured. */
int bench_measure(struct bench_job *job, struct mr_error *err);

/** bench_print() - print what was measured.  Return: an exit status, or -errno. */
int bench_print(struct bench_job *job, struct mr_error *err);

#endif
