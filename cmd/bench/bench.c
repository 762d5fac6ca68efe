// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl bench: how long registration takes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/forecast.h"
#include "cmd/bench/job.h"
#include "cmd/bench/pictures.h"
#include "cmd/bench/pieces.h"
#include "cmd/bench/row.h"
#include "cmd/cli/help_topics.h"
#include "cmd/region/context.h"
#include "lib/bench/bench.h"
#include "lib/host/live.h"
#include "lib/host/rdma_device.h"

static void add_device(const char *name, void *data)
{
	struct bench_job *job = data;
	char **devices = reallocarray(job->devices, job->device_count + 1, sizeof(*devices));

	if (!devices)
		return;
	job->devices = devices;
	devices[job->device_count] = strdup(name);
	job->device_count += devices[job->device_count] != NULL;
}

/* All devices, or the one that -d names; opening it finds the only one there is. */
static int find_devices(struct bench_job *job, struct mr_error *err)
{
	const char *name = job->invocation->global->device;

	if (job->args->all_devices)
		mr_rdma_device_list(mr_this_host(), add_device, job);
	if (job->device_count)
		return 0;
	job->devices = calloc(1, sizeof(*job->devices));
	if (!job->devices || (name && !(job->devices[0] = strdup(name))))
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	job->device_count = 1;
	return 0;
}

static void release(struct bench_job *job)
{
	for (size_t i = 0; job->series && i < bench_job_series_count(job); i++) {
		free(job->series[i].rounds);
		mr_histogram_release(&job->series[i].histogram);
	}
	for (size_t i = 0; i < job->device_count; i++)
		free(job->devices[i]);
	for (int kind = 0; kind < MR_REGION_KINDS; kind++)
		free(job->places[kind]);
	free(job->devices);
	free(job->counters);
	free(job->setups);
	free(job->series);
	answer_release(&job->answer);
}

static int run_job(struct bench_job *job, struct mr_error *err)
{
	int rc = find_devices(job, err);

	if (!rc)
		rc = bench_plan(job, err);
	if (rc)
		return rc;
	context_block_signals(job->invocation);
	if (bench_measure(job, err)) {
		answer_fail(&job->answer, err, 0, 0, MR_VIA_LIBRARY);
		mr_error_clear(err);
	}
	return bench_print(job, err);
}

static int run_bench(const struct invocation *invocation, struct mr_error *err)
{
	struct bench_job job = { .invocation = invocation, .args = invocation->args };
	struct mr_environment environment; /* until a device is open */
	int rc;

	mr_environment_init(&environment);
	rc = bench_draw_check(job.args, err);
	if (!rc)
		rc = answer_init(&job.answer, invocation, NULL, &environment, 0, err);
	if (rc)
		return rc;
	rc = run_job(&job, err);
	release(&job);
	return rc;
}

static const struct option_spec what_options[] = {
	OPTION(0, "sizes", sizes, struct bench_args, sizes, "SIZE,...",
	       "sizes of regions, 4K..1G: each four times the last (default: from 4K on, as fits)"),
	OPTION('m', "memory", memories, struct bench_args, memory, "KIND",
	       "kind of memory, once or several times"),
	OPTION('f', "from", dmabuf, struct bench_args, from, "SOURCE",
	       "of reg-dmabuf: its source (default: udmabuf)"),
	OPTION('a', "access", access, struct bench_args, access, "FLAG,...",
	       "access flags (default: local-write)"),
	OPTION(0, "via", via, struct bench_args, via, "PATH",
	       "path of the calls: library (default) or kernel"),
	OPTION(0, "plan", planned, struct bench_args, plan, "SIZE",
	       "tell how long SIZE takes, and if limits allow it"),
	OPTION_END,
};
static const struct option_spec load_options[] = {
	OPTION(0, "threads", counts, struct bench_args, threads, "N,...",
	       "threads at once, 1..8: each twice the last"),
	OPTION(0, "processes", counts, struct bench_args, processes, "N,...",
	       "processes at once, each with so many threads"),
	OPTION(0, "all-devices", flag, struct bench_args, all_devices, NULL,
	       "all devices at once, each with so many processes"),
	OPTION(0, "occupied", occupied, struct bench_args, occupied, "N,BYTES",
	       "while up to N regions of BYTES are there"),
	OPTION_END,
};
static const struct option_spec length_options[] = {
	OPTION(0, "seconds", seconds, struct bench_args, seconds, "SECONDS",
	       "time for each row (default: 0.5)"),
	OPTION('c', "count", number, struct bench_args, calls, "N",
	       "calls of each worker for each row, not a time"),
	OPTION(0, "rounds", number, struct bench_args, rounds, "N",
	       "rounds that each row is measured in (default: 10)"),
	OPTION_END,
};
static const struct option_spec picture_options[] = {
	OPTION(0, "plot", flag, struct bench_args, plot, NULL,
	       "draw percentiles and distribution with gnuplot"),
	OPTION(0, "svg", string, struct bench_args, svg, "FILE",
	       "write them to FILE: SVG, or .png or .pdf"),
	OPTION_END,
};
static const struct option_spec compare_options[] = {
	OPTION(0, "compare", flag, struct bench_args, compare, NULL,
	       "compare OLD with NEW or now; status 1: slower"),
	OPTION(0, "tolerance", percent, struct bench_args, tolerance, "PERCENT",
	       "what counts as the same (default: 5%)"),
	OPTION(0, "anyway", flag, struct bench_args, anyway, NULL, "also of different hosts"),
	OPTION_END,
};
static const struct option_group what_group = { "What to measure", what_options, 0 };
static const struct option_group load_group = { "Load", load_options, 0 };
static const struct option_group length_group = { "Length", length_options, 0 };
static const struct option_group picture_group = { "Pictures", picture_options, 0 };
static const struct option_group compare_group = { "Comparison", compare_options, 0 };
static const struct option_group *const groups[] = { &what_group,    &load_group,    &length_group,
						     &picture_group, &compare_group, NULL };
static const struct option_rule rules[] = {
	{ "plan", OPTION_EXCLUDES, "processes" }, { "plan", OPTION_EXCLUDES, "all-devices" },
	{ "plan", OPTION_EXCLUDES, "occupied" },  { "plan", OPTION_EXCLUDES, "from" },
	{ "plan", OPTION_EXCLUDES, "plot" },      { "plan", OPTION_EXCLUDES, "svg" },
	{ "seconds", OPTION_EXCLUDES, "count" },  { "tolerance", OPTION_NEEDS, "compare" },
	{ "anyway", OPTION_NEEDS, "compare" },    OPTION_RULES_END
};
static const struct help_topic *const topics[] = { &topic_memory, &topic_access, NULL };

static const struct command_view plan_view = {
	.option = "plan",
	.given = CHECKED_OFFSET(struct bench_args, plan.given, bool),
	.record = &bench_forecast_record,
	.columns = BENCH_FORECAST_COLUMNS,
	.check = bench_pieces_check,
	.run = run_bench,
};
static const struct command_view *const views[] = { &bench_compare, &plan_view, NULL };

const struct command command_bench = {
	.name = "bench",
	.operands = "[CALL...|OLD [NEW]]",
	.summary = "measure how long registration takes",
	.description =
		"Measures each CALL (reg, reg-iova, reg-dmabuf, rereg, umem, advise, dereg, relaxed; "
		"default: reg) for a sweep of sizes, and tells percentiles. Each row is measured in rounds, "
		"in turn with the others. Regions are deregistered at once, and no session is used.",
	.groups = groups,
	.rules = rules,
	.args_size = sizeof(struct bench_args),
	.record = &bench_record,
	.columns = BENCH_COLUMNS,
	.views = views,
	.topics = topics,
	.examples = (const char *const[]){ "mrctl bench",
					   "mrctl bench reg dereg --sizes 4K..64M --threads 1..8",
					   "mrctl bench --memory anon --memory thp",
					   "mrctl bench --plan 500G --sizes 1M,1G --threads 1,8",
					   NULL },
	.not_in_batch = true,
	.check = bench_check,
	.run = run_bench,
};
