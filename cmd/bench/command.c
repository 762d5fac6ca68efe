// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl bench: how long registration takes. */
#include "cmd/bench/bench.h"

static struct bench_job job_of(const struct invocation *invocation)
{
	static char reg[] = "reg", *const usual[] = { reg, NULL };

	return (struct bench_job){ .invocation = invocation,
				   .args = invocation->args,
				   .calls = *invocation->operands ? invocation->operands : usual,
				   .device = invocation->global->device };
}

static int check_bench(const struct invocation *invocation, struct mr_error *err)
{
	const struct bench_job job = job_of(invocation);

	return bench_check(&job, err);
}

static int run_bench(const struct invocation *invocation, struct mr_error *err)
{
	struct bench_job job = job_of(invocation);
	int rc;

	mr_environment_init(&job.environment); /* until a device is open */
	rc = answer_init(&job.answer, invocation, NULL, &job.environment, 0, err);
	if (rc)
		return rc;
	rc = bench_run(&job, err);
	if (!rc)
		rc = bench_print(&job, err);
	bench_release(&job);
	return rc;
}

/* An option that fills a member of struct bench_args. */
#define ARG(letter, name, type, member, ...)                                                       \
	OPTION(letter, name, type, struct bench_args, member, __VA_ARGS__)

static const struct option_spec what_options[] = {
	ARG(0, "sizes", sizes, sizes, "SIZE,...",
	    "measure sizes, 4K..1G: each four times the last (default: from 4K, as fits)"),
	ARG('m', "memory", memories, memory, "KIND",
	    "measure this memory; repeatable (default: anon)"),
	ARG('f', "from", dmabuf, from, "SOURCE", "take dma-bufs from SOURCE (default: udmabuf)"),
	ARG('a', "access", access, access, "FLAG,...", "set access flags (default: local-write)"),
	ARG(0, "via", via, via, "PATH", "call by: library (default) or kernel"),
	ARG(0, "plan", size, plan, "SIZE", "estimate the time to register SIZE in pieces"),
	OPTION_END,
};
static const struct option_spec load_options[] = {
	ARG(0, "threads", counts, threads, "N,...",
	    "run N threads at once, 1..8: each twice the last"),
	ARG(0, "processes", counts, processes, "N,...",
	    "run N processes at once, each with these threads"),
	ARG(0, "all-devices", flag, all_devices, NULL,
	    "use all devices at once, each with these processes"),
	ARG(0, "occupied", occupied, occupied, "N,BYTES",
	    "keep up to N regions of BYTES registered"),
	OPTION_END,
};
static const struct option_spec length_options[] = {
	ARG(0, "seconds", seconds, seconds, "SECONDS",
	    "measure each row for SECONDS (default: 0.5)"),
	ARG('c', "count", number, calls, "N", "make N calls per worker and row, not --seconds"),
	ARG(0, "rounds", number, rounds, "N", "measure each row in N rounds (default: 10)"),
	OPTION_END,
};
static const struct option_spec picture_options[] = {
	ARG(0, "plot", plot, plot, "[FILE]", "draw with gnuplot, to FILE.svg, .png or .pdf"),
	ARG(0, "svg", string, svg, "FILE", "old name of --plot FILE"),
	ARG(0, "force", flag, force, NULL, "replace the file of --plot if it exists"),
	OPTION_END,
};
static const struct option_spec compare_options[] = {
	ARG(0, "compare", flag, compare, NULL, "compare OLD with NEW or now; exit 1 if slower"),
	ARG(0, "tolerance", percent, tolerance, "PERCENT",
	    "ignore differences up to this (default: 5%)"),
	ARG(0, "anyway", flag, anyway, NULL, "also compare documents of different hosts"),
	OPTION_END,
};
static const struct option_group what_group = { "What to measure", what_options };
static const struct option_group load_group = { "Load", load_options };
static const struct option_group length_group = { "Length", length_options };
static const struct option_group picture_group = { "Pictures", picture_options };
static const struct option_group compare_group = { "Comparison", compare_options };
static const struct option_group *const groups[] = { &what_group,    &load_group,    &length_group,
						     &picture_group, &compare_group, NULL };
static const struct option_rule rules[] = {
	{ "plan", OPTION_EXCLUDES, "processes,all-devices,occupied,from,plot,svg" },
	{ "compare", OPTION_EXCLUDES,
	  "sizes,memory,from,access,via,threads,processes,all-devices,occupied,plot,svg" },
	{ "seconds", OPTION_EXCLUDES, "count" },
	{ "tolerance", OPTION_NEEDS, "compare" },
	{ "anyway", OPTION_NEEDS, "compare" },
	OPTION_RULES_END,
};

static const struct command plan_view = {
	.name = "plan",
	.given = CHECKED_OFFSET(struct bench_args, plan.known, bool),
	.record = &bench_plan_record,
	.members = bench_members,
	.columns = BENCH_GROUP_COLUMNS ",size,pieces,time_ns,low_ns,high_ns",
	.run = run_bench,
};

const struct command command_bench = {
	.name = "bench",
	.operands = "[CALL...|OLD [NEW]]",
	.summary = "measure how long registration takes",
	.description =
		"Measures each CALL (reg, reg-iova, reg-dmabuf, rereg, umem, advise, dereg, relaxed; "
		"default: reg) for a sweep of sizes, and prints percentiles. It measures the rows "
		"in rounds, in turn. Regions are deregistered at once, and no session is used.",
	.groups = groups,
	.rules = rules,
	.args_size = sizeof(struct bench_args),
	.record = &bench_record,
	.members = bench_members,
	.columns = BENCH_GROUP_COLUMNS
	",size,p50_ns,p90_ns,p99_ns,p999_ns,max_ns,slowest_ns,bytes_per_s",
	.views = (const struct command *const[]){ &bench_compare, &plan_view, NULL },
	.topics = TOPIC_MEMORY | TOPIC_ACCESS,
	.examples = (const char *const[]){ "mrctl bench",
					   "mrctl bench reg dereg --sizes 4K..64M --threads 1..8",
					   "mrctl bench --memory anon --memory thp",
					   "mrctl bench --plan 500G --sizes 1M,1G --threads 1,8",
					   NULL },
	.not_in_batch = true,
	.check = check_bench,
	.run = run_bench,
};
