// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl bench: how long registration takes.  Its options, and what they may be together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "cmd/cli/cli.h"
#include "cmd/output/files.h"

/* ---- types of options ---- */

/* Longer words are no numbers. */
enum { ITEM_MAX = 32 };

static int add(struct sweep *sweep, uint64_t value, struct mr_error *err)
{
	if (!value)
		return mr_fail_usage(err, "0 makes no sense");
	for (size_t i = 0; i < sweep->count; i++)
		if (sweep->values[i] == value)
			return 0;
	if (sweep->count == SWEEP_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, E2BIG, "at most %d values", SWEEP_MAX);
	sweep->values[sweep->count++] = value;
	return 0;
}

/* Reads a number, or a range: its first number, @factor times that and so on, and its end. */
static int read_item(struct sweep *sweep, char *item, uint64_t factor,
		     int (*parse)(const char *text, uint64_t *value, struct mr_error *err),
		     struct mr_error *err)
{
	char *dots = strstr(item, "..");
	uint64_t value, last;
	int rc;

	if (dots)
		*dots = '\0';
	rc = parse(item, &value, err);
	last = value;
	if (!rc && dots)
		rc = parse(dots + 2, &last, err);
	if (!rc && last < value)
		return mr_fail_usage(err, "a range ends before it begins");
	while (!rc && value < last) {
		rc = add(sweep, value, err);
		value = value > UINT64_MAX / factor ? last : value * factor;
	}
	return rc ? rc : add(sweep, last, err);
}

static int read_list(struct sweep *sweep, const char *text, uint64_t factor,
		     int (*parse)(const char *text, uint64_t *value, struct mr_error *err),
		     struct mr_error *err)
{
	for (;; text++) {
		const size_t length = strcspn(text, ",");
		char item[ITEM_MAX];
		int rc;

		if (!length || length >= sizeof(item) || text[length - 1] == '.')
			return mr_fail_usage(err, "'%.64s' is neither a number nor a range", text);
		memcpy(item, text, length);
		item[length] = '\0';
		rc = read_item(sweep, item, factor, parse, err);
		text += length;
		if (rc || !*text)
			return rc;
	}
}

static int read_sizes(const char *text, void *member, struct mr_error *err)
{
	return read_list(member, text, 4, mr_parse_size, err);
}

static int parse_count(const char *text, uint64_t *value, struct mr_error *err)
{
	return mr_parse_u64(text, 4096, value, err);
}

static int read_counts(const char *text, void *member, struct mr_error *err)
{
	return read_list(member, text, 2, parse_count, err);
}

static int read_memories(const char *text, void *member, struct mr_error *err)
{
	struct sweep_memory *list = member;
	int rc;

	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->kinds[i].text, text))
			return 0;
	if (list->count == SWEEP_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, E2BIG, "at most %d kinds of memory",
				    SWEEP_MAX);
	rc = mr_memory_kind_parse(text, &list->kinds[list->count], err);
	list->count += !rc;
	return rc;
}

static int read_occupied(const char *text, void *member, struct mr_error *err)
{
	struct sweep_occupied *occupied = member;
	const size_t length = strcspn(text, ",");
	char count[ITEM_MAX] = "";
	int rc;

	if (!text[length] || length >= sizeof(count))
		return mr_fail_usage(err, "'%s' is not N,BYTES, such as 10000,64K", text);
	memcpy(count, text, length);
	rc = mr_parse_size(count, &occupied->count, err);
	if (!rc)
		rc = mr_parse_size(text + length + 1, &occupied->bytes, err);
	if (!rc && (!occupied->count || !occupied->bytes || occupied->count > 100000000))
		rc = mr_fail_text(err, MR_ERROR_USAGE, ERANGE,
				  "'%s': there can be 1 to 100000000 regions of 1 byte or more",
				  text);
	return rc;
}

static int read_percent(const char *text, void *member, struct mr_error *err)
{
	const size_t length = strspn(text, "0123456789.");
	char *end;
	const double percent = strtod(text, &end);

	if (!length || end != text + length || strcmp(end + (*end == '%'), "") != 0 ||
	    percent > 1000)
		return mr_fail_usage(err, "'%s' is no percentage, such as 5%% or 2.5%%", text);
	*(struct mr_opt_u64 *)member = known((uint64_t)(percent * 10 + 0.5));
	return 0;
}

static bool is_picture(const char *word)
{
	const char *ending = strrchr(word, '.');

	return ending && (!strcasecmp(ending, ".svg") || !strcasecmp(ending, ".png") ||
			  !strcasecmp(ending, ".pdf"));
}

static int read_plot(const char *text, void *member, struct mr_error *err __attribute__((unused)))
{
	*(struct plot_option *)member = (struct plot_option){ *text ? text : NULL, true };
	return 0;
}

const struct option_type option_type_sizes = { .name = "sizes",
					       .read = read_sizes,
					       .adds_up = true };
const struct option_type option_type_counts = { .name = "counts",
						.read = read_counts,
						.adds_up = true };
const struct option_type option_type_memories = { .name = "memory",
						  .read = read_memories,
						  .adds_up = true };
const struct option_type option_type_occupied = { .name = "occupied", .read = read_occupied };
const struct option_type option_type_percent = { .name = "percent", .read = read_percent };
const struct option_type option_type_plot = { .name = "file",
					      .read = read_plot,
					      .is_value = is_picture };

/* ---- checks ---- */

static int check_case(const struct bench_args *args, const struct mr_bench_case *what,
		      struct mr_error *err)
{
	const bool is_dmabuf = mr_region_is_dmabuf(what->call);

	if (args->from.text && !is_dmabuf)
		return mr_fail_usage(err, "--from is about dma-bufs: '%s' has none", what->name);
	if (args->memory.count && is_dmabuf)
		return mr_fail_usage(err,
				     "--memory is not about dma-bufs, which '%s' is on: see --from",
				     what->name);
	if (args->plan.known && !what->registers)
		return mr_fail_usage(err,
				     "--plan is about calls that register memory of this process, "
				     "and '%s' is none",
				     what->name);
	if (args->via.given && args->via.path == MR_VIA_KERNEL && what->private_session)
		return mr_fail_usage(err, "'%s' is not measured by --via kernel", what->name);
	return 0;
}

/* Checks the options that do not depend on the calls. */
static int check_values(const struct bench_args *args, struct mr_error *err)
{
	if (args->rounds.known && (!args->rounds.value || args->rounds.value > BENCH_ROUNDS_MAX))
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--rounds: from 1 to %d",
				    BENCH_ROUNDS_MAX);
	if (args->calls.known && (!args->calls.value || args->calls.value > MR_BENCH_SAMPLES))
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--count: from 1 to %d",
				    MR_BENCH_SAMPLES);
	if (args->seconds.known && !args->seconds.value)
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--seconds: more than 0");
	if (args->svg && !*args->svg)
		return mr_fail_usage(err, "--svg wants the name of a file");
	if ((args->svg && private_file_check(args->svg, args->force, err)) ||
	    (args->plot.path && private_file_check(args->plot.path, args->force, err)))
		return -err->errnum;
	if (args->force && !args->svg && !args->plot.path)
		return mr_fail_usage(err, "--force needs --plot FILE");
	if (args->from.text && args->from.type == MR_DMABUF_DM)
		return mr_fail_usage(err, "--from dm: its dma-buf is of a single registration, and "
					  "there are many here");
	if (args->plan.known && !args->plan.value)
		return mr_fail_usage(err, "--plan: 0 makes no sense");
	for (size_t i = 0; args->plan.known && i < args->sizes.count; i++)
		if (args->sizes.values[i] > args->plan.value)
			return mr_fail_text(err, MR_ERROR_USAGE, ERANGE,
					    "--plan: a piece of %llu bytes is larger than all, "
					    "%llu bytes",
					    (unsigned long long)args->sizes.values[i],
					    (unsigned long long)args->plan.value);
	for (size_t i = 0; i < args->memory.count; i++) {
		const enum mr_memory_type type = args->memory.kinds[i].type;

		if (type == MR_MEMORY_DM || type == MR_MEMORY_NULL_MR || type == MR_MEMORY_NONE)
			return mr_fail_usage(
				err, "--memory %s: it is no memory that this process can write to",
				args->memory.kinds[i].text);
	}
	return 0;
}

int bench_check(const struct bench_job *job, struct mr_error *err)
{
	const struct bench_args *args = job->args;
	char *const *name = job->calls;
	int rc = check_values(args, err);

	if (rc || args->compare)
		return rc; /* the operands are not calls */
	if (!*name)
		rc = check_case(args, &mr_bench_cases[0], err);
	for (; !rc && *name; name++) {
		const struct mr_bench_case *what = mr_bench_case_find(*name);

		rc = what ? check_case(args, what, err)
			  : mr_fail_word(err, "call", *name, strlen(*name), mr_bench_cases,
					 sizeof(*mr_bench_cases));
	}
	if (!rc && args->all_devices && job->device)
		rc = mr_fail_usage(err, "--all-devices excludes -d %s", job->device);
	return rc;
}

/* ---- the command ---- */

static struct bench_job job_of(const struct invocation *invocation)
{
	return (struct bench_job){ .invocation = invocation,
				   .args = invocation->args,
				   .calls = invocation->operands,
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
	OPTION(0, "plan", size, struct bench_args, plan, "SIZE",
	       "estimate the time to register SIZE in pieces"),
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
	OPTION(0, "plot", plot, struct bench_args, plot, "[FILE]",
	       "draw with gnuplot, to FILE.svg, .png or .pdf"),
	OPTION(0, "svg", string, struct bench_args, svg, "FILE", "old name of --plot FILE"),
	OPTION(0, "force", flag, struct bench_args, force, NULL,
	       "replace the file of --plot where it exists"),
	OPTION_END,
};
static const struct option_spec compare_options[] = {
	OPTION(0, "compare", flag, struct bench_args, compare, NULL,
	       "compare OLD with NEW or now; status 1: slower"),
	OPTION(0, "tolerance", percent, struct bench_args, tolerance, "PERCENT",
	       "largest difference that is the same (default: 5%)"),
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
	.given = CHECKED_OFFSET(struct bench_args, plan.known, bool),
	.record = &bench_plan_record,
	.members = bench_members,
	.columns = BENCH_GROUP_COLUMNS ",size,pieces,time_ns,low_ns,high_ns",
	.run = run_bench,
};
static const struct command_view *const views[] = { &bench_compare, &plan_view, NULL };

const struct command command_bench = {
	.name = "bench",
	.operands = "[CALL...|OLD [NEW]]",
	.summary = "measure how long registration takes",
	.description =
		"Measures each CALL (reg, reg-iova, reg-dmabuf, rereg, umem, advise, dereg, relaxed; "
		"default: reg) for a sweep of sizes, and prints percentiles. Each row is measured in rounds, "
		"in turn with the others. Regions are deregistered at once, and no session is used.",
	.groups = groups,
	.rules = rules,
	.args_size = sizeof(struct bench_args),
	.record = &bench_record,
	.members = bench_members,
	.columns = BENCH_GROUP_COLUMNS
	",size,p50_ns,p90_ns,p99_ns,p999_ns,max_ns,slowest_ns,bytes_per_s",
	.views = views,
	.topics = topics,
	.examples = (const char *const[]){ "mrctl bench",
					   "mrctl bench reg dereg --sizes 4K..64M --threads 1..8",
					   "mrctl bench --memory anon --memory thp",
					   "mrctl bench --plan 500G --sizes 1M,1G --threads 1,8",
					   NULL },
	.not_in_batch = true,
	.check = check_bench,
	.run = run_bench,
};
