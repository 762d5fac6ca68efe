// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "cmd/cli/help_topics.h"
#include "cmd/region/context.h"
#include "lib/base/choice.h"
#include "lib/base/number.h"
#include "lib/bench/bench.h"
#include "lib/host/live.h"
#include "lib/host/rdma_device.h"

/* Longer words are no numbers. */
enum { ITEM_MAX = 32 };

/* How items of a list are read, and how a range goes on. */
struct sweep_style {
	const char *what;
	int (*parse)(const char *text, uint64_t *value, struct mr_error *err);
	uint64_t factor;
};

static int add(struct sweep *sweep, const char *what, uint64_t value, struct mr_error *err)
{
	if (!value)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "%s: 0 makes no sense", what);
	for (size_t i = 0; i < sweep->count; i++)
		if (sweep->values[i] == value)
			return 0;
	if (sweep->count == SWEEP_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, E2BIG, "%s: at most %d values", what,
				    SWEEP_MAX);
	sweep->values[sweep->count++] = value;
	return 0;
}

/* The end of a range belongs to it, whether or not a step leads there. */
static int add_range(struct sweep *sweep, const struct sweep_style *style, uint64_t first,
		     uint64_t last, struct mr_error *err)
{
	int rc = 0;

	if (first > last)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "%s: a range ends before it begins", style->what);
	for (uint64_t value = first; !rc && value < last; value *= style->factor) {
		rc = add(sweep, style->what, value, err);
		if (value > UINT64_MAX / style->factor)
			break;
	}
	return rc ? rc : add(sweep, style->what, last, err);
}

static int parse_item(const struct sweep_style *style, const char *text, size_t length,
		      uint64_t *value, struct mr_error *err)
{
	char item[ITEM_MAX];

	if (!length || length >= sizeof(item))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "%s: '%.*s' is neither a number nor a range", style->what,
				    (int)(length < 64 ? length : 64), text);
	memcpy(item, text, length);
	item[length] = '\0';
	return style->parse(item, value, err);
}

static int read_item(struct sweep *sweep, const struct sweep_style *style, const char *text,
		     size_t length, struct mr_error *err)
{
	const char *dots = memmem(text, length, "..", 2);
	uint64_t first = 0, last = 0;
	int rc = parse_item(style, text, dots ? (size_t)(dots - text) : length, &first, err);

	if (rc || !dots)
		return rc ? rc : add(sweep, style->what, first, err);
	rc = parse_item(style, dots + 2, (size_t)(text + length - dots - 2), &last, err);
	return rc ? rc : add_range(sweep, style, first, last, err);
}

static int read_list(struct sweep *sweep, const struct sweep_style *style, const char *text,
		     struct mr_error *err)
{
	for (;;) {
		const size_t length = strcspn(text, ",");
		int rc = read_item(sweep, style, text, length, err);

		if (rc || !text[length])
			return rc;
		text += length + 1;
	}
}

static int read_sizes(const char *text, void *member, struct mr_error *err)
{
	static const struct sweep_style style = { "size", mr_parse_size, 4 };

	return read_list(member, &style, text, err);
}

static int parse_count(const char *text, uint64_t *value, struct mr_error *err)
{
	return mr_parse_u64(text, 4096, value, err);
}

static int read_counts(const char *text, void *member, struct mr_error *err)
{
	static const struct sweep_style style = { "number", parse_count, 2 };

	return read_list(member, &style, text, err);
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
	static const struct sweep_style numbers = { "occupied", mr_parse_size, 1 };
	struct sweep_occupied *occupied = member;
	const size_t length = strcspn(text, ",");
	int rc;

	if (!text[length])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "'%s' is not N,BYTES, such as 10000,64K", text);
	rc = parse_item(&numbers, text, length, &occupied->count, err);
	if (!rc)
		rc = parse_item(&numbers, text + length + 1, strlen(text + length + 1),
				&occupied->bytes, err);
	if (!rc && (!occupied->count || !occupied->bytes || occupied->count > 100000000))
		rc = mr_fail_text(err, MR_ERROR_USAGE, ERANGE,
				  "'%s': there can be 1 to 100000000 regions of 1 byte or more",
				  text);
	return rc;
}

static int read_planned(const char *text, void *member, struct mr_error *err)
{
	struct sweep_planned *planned = member;

	planned->given = true;
	return mr_parse_size(text, &planned->bytes, err);
}

/* A whole number, perhaps with one decimal, perhaps with "%". */
static int read_percent(const char *text, void *member, struct mr_error *err)
{
	const size_t digits = strspn(text, "0123456789");
	const char *rest = text + digits;
	struct mr_opt_u64 *part = member;
	uint64_t whole = 0, tenths = 0;

	if (rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9') {
		tenths = (uint64_t)(rest[1] - '0');
		rest += 2;
	}
	if (*rest == '%')
		rest++;
	if (!digits || *rest || mr_parse_u64_item(text, digits, 1000, &whole, err))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "'%s' is no percentage, such as 5%% or 2.5%%", text);
	*part = (struct mr_opt_u64){ whole * 10 + tenths, true };
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
const struct option_type option_type_planned = { .name = "size", .read = read_planned };
const struct option_type option_type_percent = { .name = "percent", .read = read_percent };

/* Whether the command line of a measurement makes sense. */

static int check_case(const struct bench_args *args, const struct mr_bench_case *what,
		      struct mr_error *err)
{
	if (args->from.text && !mr_region_is_dmabuf(what->call))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--from is about dma-bufs: '%s' has none", what->name);
	if (args->from.text && args->from.type == MR_DMABUF_DM)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--from dm: its dma-buf is of a single registration, and "
				    "there are many here");
	if (args->memory.count && mr_region_is_dmabuf(what->call))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--memory is not about dma-bufs, which '%s' is on: see --from",
				    what->name);
	if (args->via.given && args->via.path == MR_VIA_KERNEL && what->private_session)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "'%s' is not measured by --via kernel", what->name);
	return 0;
}

static int check_memory(const struct sweep_memory *memory, struct mr_error *err)
{
	for (size_t i = 0; i < memory->count; i++) {
		const enum mr_memory_type type = memory->kinds[i].type;

		if (type == MR_MEMORY_DM || type == MR_MEMORY_NULL_MR || type == MR_MEMORY_NONE ||
		    type == MR_MEMORY_CUDA)
			return mr_fail_text(
				err, MR_ERROR_USAGE, EINVAL,
				"--memory %s: it is no memory that this process can write to",
				memory->kinds[i].text);
	}
	return 0;
}

static int check_numbers(const struct bench_args *args, struct mr_error *err)
{
	if (args->rounds.known && (!args->rounds.value || args->rounds.value > 1000))
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--rounds: from 1 to 1000");
	if (args->calls.known && (!args->calls.value || args->calls.value > MR_BENCH_SAMPLES))
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--count: from 1 to %d",
				    MR_BENCH_SAMPLES);
	if (args->seconds.known && !args->seconds.value)
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--seconds: more than 0");
	return 0;
}

int bench_check(const struct invocation *invocation, struct mr_error *err)
{
	const struct bench_args *args = invocation->args;
	char *const *operand = invocation->operands;
	int rc = check_numbers(args, err);

	if (rc || args->compare)
		return rc; /* the operands are not calls */
	if (args->svg && !*args->svg)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--svg wants the name of a file");
	rc = check_memory(&args->memory, err);
	if (!rc && !*operand)
		rc = check_case(args, &mr_bench_cases[0], err);
	for (; !rc && *operand; operand++) {
		const struct mr_bench_case *what = mr_bench_case_find(*operand);

		rc = what ? check_case(args, what, err)
			  : mr_fail_word(err, "call", *operand, strlen(*operand), mr_bench_cases,
					 sizeof(*mr_bench_cases));
	}
	if (!rc && args->all_devices && invocation->global->device)
		rc = mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--all-devices excludes -d %s",
				  invocation->global->device);
	return rc;
}

/* mrctl bench: how long registration takes. */

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
