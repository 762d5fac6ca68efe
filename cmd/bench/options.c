// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The types of mrctl bench's options, and what they may be together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/bench/bench.h"

/* ---- types of options ---- */

/* Longer words are no numbers. */
enum { ITEM_MAX = 32 };

static int add(struct sweep *sweep, uint64_t value, struct mr_error *err)
{
	if (!value)
		return mr_fail_usage(err, "the smallest value is 1");
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
	const char *from;
	size_t length;
	int rc = 0;

	while (!rc && (from = mr_list_item(&text, ",", &length))) {
		char item[ITEM_MAX];

		if (!length || length >= sizeof(item) || from[length - 1] == '.')
			return mr_fail_usage(err, "'%.64s' is neither a number nor a range", from);
		snprintf(item, sizeof(item), "%.*s", (int)length, from);
		rc = read_item(sweep, item, factor, parse, err);
		if (rc && strchr(item, '-'))
			mr_hint(err, "a range has two dots, as in 4K..1M or 1..8");
	}
	return rc;
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
				  "'%s': give 1 to 100000000 regions of at least 1 byte", text);
	return rc;
}

static int read_percent(const char *text, void *member, struct mr_error *err)
{
	const size_t length = strspn(text, "0123456789.");
	char *end;
	const double percent = strtod(text, &end);

	if (!length || end != text + length || strcmp(end + (*end == '%'), "") != 0 ||
	    percent > 1000)
		return mr_fail_usage(err, "'%s' is not a percentage, such as 5%% or 2.5%%", text);
	*(struct mr_opt_u64 *)member = bench_rounded(percent * 10);
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
	*(const char **)member = text;
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
		return mr_fail_usage(err,
				     "--from requires a call on dma-bufs: '%s' is another call",
				     what->name);
	if (args->memory.count && is_dmabuf)
		return mr_fail_usage(err,
				     "--memory is not available for '%s', a call on dma-bufs: "
				     "use --from",
				     what->name);
	if (args->plan.known && !what->registers)
		return mr_fail_usage(err,
				     "--plan requires a call that registers memory of this "
				     "process: '%s' does not",
				     what->name);
	if (args->via.path == MR_VIA_KERNEL && what->private_session)
		return mr_fail_usage(err, "'%s' is not available with --via kernel", what->name);
	return 0;
}

/* Checks the options that do not depend on the calls. */
static int check_values(const struct bench_args *args, struct mr_error *err)
{
	const bool has_file = args->plot && *args->plot;

	if (args->rounds.known && (!args->rounds.value || args->rounds.value > BENCH_ROUNDS_MAX))
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--rounds: from 1 to %d",
				    BENCH_ROUNDS_MAX);
	if (args->calls.known && (!args->calls.value || args->calls.value > MR_BENCH_SAMPLES))
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--count: from 1 to %d",
				    MR_BENCH_SAMPLES);
	if (args->seconds.known && !args->seconds.value)
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--seconds: give more than 0");
	if (args->svg && !*args->svg)
		return mr_fail_usage(err, "--svg requires the name of a file");
	if ((args->svg && private_file_check(args->svg, args->force, err)) ||
	    (has_file && private_file_check(args->plot, args->force, err)))
		return -err->errnum;
	if (args->force && !args->svg && !has_file)
		return mr_fail_usage(err, "--force requires --plot FILE");
	if (args->from.text && args->from.type == MR_DMABUF_DM)
		return mr_fail_usage(err, "--from dm makes a dma-buf for one registration only; "
					  "choose another source");
	if (args->plan.known && !args->plan.value)
		return mr_fail_usage(err, "--plan: give at least 1 byte");
	for (size_t i = 0; args->plan.known && i < args->sizes.count; i++)
		if (args->sizes.values[i] > args->plan.value)
			return mr_fail_text(
				err, MR_ERROR_USAGE, ERANGE,
				"--plan: a piece of %llu bytes is larger than the whole, %llu bytes",
				(unsigned long long)args->sizes.values[i],
				(unsigned long long)args->plan.value);
	for (size_t i = 0; i < args->memory.count; i++) {
		const enum mr_memory_type type = args->memory.kinds[i].type;

		if (type == MR_MEMORY_DM || type == MR_MEMORY_NULL_MR || type == MR_MEMORY_NONE)
			return mr_fail_usage(
				err, "--memory %s: this process cannot write to such memory",
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
	for (; !rc && *name; name++) {
		const struct mr_bench_case *what = mr_bench_case_find(*name);

		rc = what ? check_case(args, what, err)
			  : mr_fail_word(err, "call", *name, strlen(*name), mr_bench_cases,
					 sizeof(*mr_bench_cases));
		if (!what && !access(*name, R_OK))
			mr_hint(err, "compare documents of 'mrctl -j bench' with --compare");
	}
	if (!rc && args->all_devices && job->device)
		rc = mr_fail_usage(err, "--all-devices excludes -d %s", job->device);
	return rc;
}
