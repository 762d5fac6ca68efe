// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl bench --compare: finds the rows that are slower than in an earlier document. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "lib/base/base.h"

/* ---- reading a document ---- */

/* A number from 0 to 1e18; not known where the node is none. */
static struct mr_opt_u64 number_of(const cJSON *node)
{
	const double number = cJSON_IsNumber(node) ? node->valuedouble : -1;

	return number >= 0 && number < 1e18 ? known((uint64_t)number) : (struct mr_opt_u64){ 0 };
}

/* Sets the members of a record that an object has; texts stay in the object. */
static void load_fields(const struct record *record, void *row, const cJSON *object)
{
	for (const struct field *f = record->fields; f->key; f++) {
		const cJSON *node = json_get(object, f->key);
		char buffer[JSON_SCALAR_MAX], *member = (char *)row + f->offset;
		const char *text = json_scalar(node, buffer);

		if (f->type == FIELD_STRING)
			*(const char **)(void *)member = cJSON_GetStringValue(node);
		else if (f->type == FIELD_TEXT)
			snprintf(member, f->size, "%s", text ? text : "");
		else if (f->type == FIELD_BOOL)
			*(bool *)member = text && !strcmp(text, "true");
		else if (f->type == FIELD_NUMBER)
			*(struct mr_opt_u64 *)(void *)member = number_of(node);
		else if (f->type == FIELD_HEX && text)
			*(struct mr_opt_u64 *)(void *)member = known(strtoull(text, NULL, 16));
	}
}

static int load_rounds(struct bench_row *row, const cJSON *rounds)
{
	const cJSON *node;
	size_t count = 0;

	row->round = calloc(BENCH_ROUNDS_MAX, sizeof(*row->round));
	if (!row->round)
		return -ENOMEM;
	cJSON_ArrayForEach(node, rounds)
	{
		if (count == BENCH_ROUNDS_MAX)
			break;
		load_fields(&bench_round_record, &row->round[count], node);
		count += row->round[count].p50_ns.value > 0;
	}
	row->rounds.count = count;
	return 0;
}

/* Reads a document into @job.  @tree: set to what holds its texts */
static int load(struct bench_job *job, const char *path, cJSON **tree, struct mr_error *err)
{
	size_t length;
	mr_auto_free char *text = file_read(path, &length, err);
	const cJSON *rows, *node;
	const char *command;
	bool is_sound;
	int rc = 0;

	*job = (struct bench_job){ .device_count = 0 };
	if (!text)
		return -err->errnum;
	*tree = json_parse(text, length);
	rows = json_get(*tree, "rows");
	command = json_text(*tree, "command");
	is_sound = command && !strcmp(command, "bench") && cJSON_IsArray(rows);
	cJSON_ArrayForEach(node, rows) is_sound &= cJSON_IsObject(node);
	if (!is_sound)
		return mr_fail_text(err, MR_ERROR_USAGE, EBADMSG,
				    "%s is not a document of 'mrctl -j bench'", file_name(path));
	if (number_of(json_get(*tree, "format")).value != 1)
		return mr_fail_text(err, MR_ERROR_USAGE, EBADMSG,
				    "%s has an unknown format; this version reads format 1",
				    file_name(path));
	load_fields(&environment_record, &job->environment, json_get(*tree, "environment"));
	load_fields(&bench_host_record, &job->host, json_get(*tree, "host"));
	load_fields(&bench_method_record, &job->method, json_get(*tree, "method"));
	job->rows = calloc((size_t)cJSON_GetArraySize(rows) + 1, sizeof(*job->rows));
	for (node = rows->child; job->rows && node && !rc; node = node->next) {
		load_fields(&bench_record, &job->rows[job->row_count], node);
		rc = load_rounds(&job->rows[job->row_count++], json_get(node, "rounds"));
	}
	return rc || !job->rows ? mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL) : 0;
}

/* ---- what documents have in common ---- */

/* Members that identify a row. */
static const char *const row_keys[] = { "call",        "device",   "memory",         "size",
					"access_bits", "via",      "state",          "threads",
					"processes",   "occupied", "occupied_bytes", "direction",
					NULL };

/* Members of the environment that the figures depend on. */
static const char *const environment_keys[] = { "kernel",   "rdma_core", "provider",
						"firmware", "simulated", "simulated_kernel",
						NULL };
static const char *const host_keys[] = {
	"cpu",   "cpus", "governor",     "numa_nodes", "clock",           "driver",
	"iommu", "thp",  "memory_total", "fork_safe",  "huge_pages_safe", NULL
};

/* A value as text, which is "unknown" where it is not known. */
static const char *text_of(const struct record *record, const void *row, const char *key,
			   char buffer[FIELD_TEXT_MAX])
{
	const char *text = field_text(fields_find(record, key, strlen(key)), row, buffer);

	return text ? text : "unknown";
}

/* The first key whose values differ; NULL: there is none. */
static const char *difference(const struct record *record, const void *left, const void *right,
			      const char *const *keys)
{
	char l[FIELD_TEXT_MAX], r[FIELD_TEXT_MAX];

	while (*keys && !strcmp(text_of(record, left, *keys, l), text_of(record, right, *keys, r)))
		keys++;
	return *keys;
}

static int check_same(const struct record *record, const void *old, const void *new,
		      const char *const *keys, struct mr_error *err)
{
	const char *key = difference(record, old, new, keys);
	char before[FIELD_TEXT_MAX], after[FIELD_TEXT_MAX], buffer[FIELD_TEXT_MAX];

	if (!key)
		return 0;
	snprintf(before, sizeof(before), "%.160s", text_of(record, old, key, buffer));
	snprintf(after, sizeof(after), "%.160s", text_of(record, new, key, buffer));
	mr_clean_text(before, sizeof(before));
	mr_clean_text(after, sizeof(after));
	mr_fail_usage(err, "the measurements differ: %s was '%s' and is '%s'", key, before, after);
	mr_hint(err, "to compare them nonetheless: --anyway");
	return -EINVAL;
}

static int check_hosts(const struct bench_job *old, const struct bench_job *new,
		       struct mr_error *err)
{
	int rc = check_same(&environment_record, &old->environment, &new->environment,
			    environment_keys, err);

	return rc ? rc : check_same(&bench_host_record, &old->host, &new->host, host_keys, err);
}

/* ---- measuring what a document has ---- */

static bool is_dmabuf(const struct bench_row *row)
{
	const struct mr_bench_case *what = mr_bench_case_find(row->group.call ?: "");

	return what && mr_region_is_dmabuf(what->call);
}

/* Reads the values of a row as option values, which checks them. */
static int read_row(struct bench_args *args, const struct bench_row *row, struct mr_error *err)
{
	const bool dmabuf = is_dmabuf(row);
	const struct {
		const char *key;
		const struct option_type *type;
		void *member;
	} options[] = {
		{ "size", &option_type_sizes, &args->sizes },
		{ "via", &option_type_via, &args->via },
		{ "threads", &option_type_counts, &args->threads },
		{ "processes", &option_type_counts, &args->processes },
		{ "memory", dmabuf ? &option_type_dmabuf : &option_type_memories,
		  dmabuf ? (void *)&args->from : &args->memory },
	};
	char buffer[FIELD_TEXT_MAX];
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(options) / sizeof(*options); i++) {
		rc = option_read(options[i].type,
				 text_of(&bench_record, row, options[i].key, buffer),
				 options[i].member, err);
		if (rc)
			mr_wrap(err, "%s of a row", options[i].key);
	}
	return rc;
}

/* Sets the options to those of a document, except the duration. */
static int read_args(struct bench_args *args, const struct bench_job *old, char **calls,
		     struct mr_error *err)
{
	uint64_t access = UINT64_MAX;
	char text[32];
	int rc = 0;

	for (size_t i = 0; !rc && i < old->row_count; i++) {
		const struct bench_row *row = &old->rows[i];

		rc = read_row(args, row, err);
		/* Calls add flags: the flags that all rows have are those of --access. */
		access &= row->access.value;
		if (row->group.occupied.value > args->occupied.count)
			args->occupied = (struct sweep_occupied){
				row->group.occupied.value,
				row->occupied_bytes.value / row->group.occupied.value,
			};
		args->all_devices |= strcmp(row->group.device, old->rows[0].group.device) != 0;
		calls[i] = (char *)(uintptr_t)(row->group.call ? row->group.call : "");
	}
	/* Where both kinds of calls are measured, no option chooses their memory, which is the usual one. */
	if (args->from.text && args->memory.count) {
		args->from.text = strcmp(args->from.text, "udmabuf") ? args->from.text : NULL;
		args->memory.count -= !strcmp(args->memory.kinds[0].text, "anon");
	}
	snprintf(text, sizeof(text), "0x%" PRIx64, access);
	if (!rc)
		rc = option_read(&option_type_access, text, &args->access, err);
	if (!args->rounds.known)
		args->rounds = old->method.rounds;
	if (!args->seconds.known && !args->calls.known) {
		args->calls = old->method.calls;
		if (!args->calls.known)
			args->seconds = old->method.row_ns;
	}
	return rc;
}

/* Measures what a document has.  @new: its invocation and answer are set */
static int measure(struct bench_job *new, const struct bench_job *old, struct mr_error *err)
{
	const char *name = new->invocation->operands[0], *device = old->environment.device;
	const char *given = new->invocation->global->device;
	mr_auto_free char **calls = NULL;
	struct mr_bench_place place = { .name = *device ? device : given };
	struct bench_job here = { .device_count = 0 };
	struct bench_args args = *new->args;
	int rc;

	if (!old->row_count)
		return mr_fail_text(err, MR_ERROR_USAGE, ENODATA,
				    "%s has no row that can be measured again", name);
	calls = calloc(old->row_count + 1, sizeof(*calls));
	if (!calls)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	args.compare = false;
	rc = read_args(&args, old, calls, err);
	if (!rc && given && (args.all_devices || (*device && strcmp(given, device) != 0)))
		rc = mr_fail_usage(
			err, "--compare measures on the devices of %s, and '%s' is another device",
			name, given);
	new->args = &args;
	new->calls = calls;
	new->device = args.all_devices || !*device ? given : device;
	if (!rc)
		rc = bench_check(new, err);
	if (!rc && !args.anyway) {
		/* Compare device and host before much is measured. */
		rc = mr_bench_place_open(&place, MR_KIND_MR, err);
		here.environment = place.environment;
		mr_bench_place_close(&place);
		bench_read_host(&here);
		if (!rc)
			rc = check_hosts(old, &here, err);
	}
	if (!rc)
		rc = bench_run(new, err);
	new->args = new->invocation->args;
	return rc;
}

/* ---- rows ---- */

/* Without --tolerance. */
#define TOLERANCE 0.05

enum verdict { SLOWER, FASTER, SAME, UNCLEAR, TOO_FEW, OLD_ONLY, NEW_ONLY, VERDICTS };

static const char *const verdicts[VERDICTS] = { "slower",         "faster",   "same",    "unclear",
						"too-few-rounds", "old-only", "new-only" };

struct compared_row {
	struct bench_group group;
	struct mr_opt_u64 size, old_ns, new_ns, ratio, low, high;
	const char *verdict;
};

static const struct field compared_fields[] = {
	BENCH_GROUP_FIELDS(struct compared_row),
	FIELD(struct compared_row, size, FIELD_NUMBER, FIELD_IEC, "bytes of the region"),
	FIELD(struct compared_row, old_ns, FIELD_NUMBER, FIELD_DURATION, "median before"),
	FIELD(struct compared_row, new_ns, FIELD_NUMBER, FIELD_DURATION, "median now"),
	FIELD(struct compared_row, ratio, FIELD_RATIO, 0,
	      "new time divided by old time: the median of all pairs of rounds"),
	FIELD(struct compared_row, low, FIELD_RATIO, 0, "low end of its interval of 95 %"),
	FIELD(struct compared_row, high, FIELD_RATIO, 0, "high end of the interval"),
	FIELD(struct compared_row, verdict, FIELD_STRING, 0,
	      "slower, faster, same, unclear (needs more rounds), too-few-rounds, old-only, new-only"),
	FIELD_END,
};
static const struct record compared_record = { "comparison", compared_fields, "comparison" };

static size_t read_rounds(const struct bench_row *row, double medians[BENCH_ROUNDS_MAX])
{
	for (size_t i = 0; i < row->rounds.count; i++)
		medians[i] = (double)row->round[i].p50_ns.value;
	return row->rounds.count;
}

static enum verdict judge(struct bench_job *job, const struct bench_row *old,
			  const struct bench_row *new, struct compared_row *row)
{
	const struct mr_opt_u64 given = job->args->tolerance;
	const double tolerance = given.known ? (double)given.value / 1000 : TOLERANCE;
	double before[BENCH_ROUNDS_MAX], after[BENCH_ROUNDS_MAX];
	struct mr_effect effect;
	int rc = mr_effect(before, read_rounds(old, before), after, read_rounds(new, after),
			   &effect);

	if (rc == -ENOMEM)
		job->answer.out.error = rc;
	if (rc)
		return TOO_FEW;
	row->ratio = bench_rounded(effect.ratio * 1000);
	row->low = bench_rounded(effect.low * 1000);
	row->high = bench_rounded(effect.high * 1000);
	if (effect.low > 1 + tolerance)
		return SLOWER;
	if (effect.high < 1 - tolerance)
		return FASTER;
	return effect.low >= 1 - tolerance && effect.high <= 1 + tolerance ? SAME : UNCLEAR;
}

/* The row that measures the same as @row; NULL: there is none. */
static const struct bench_row *find_row(const struct bench_job *job, const struct bench_row *row)
{
	for (size_t i = 0; i < job->row_count; i++)
		if (!difference(&bench_record, &job->rows[i], row, row_keys))
			return &job->rows[i];
	return NULL;
}

/* Prints the rows of @job beside those of @other; of the new one only those that the old one has not. */
static void print_rows(struct bench_job *job, const struct bench_job *of,
		       const struct bench_job *other, uint64_t counts[VERDICTS])
{
	const bool is_new = job == of;

	for (size_t i = 0; i < of->row_count; i++) {
		const struct bench_row *row = &of->rows[i], *found = find_row(other, row);
		struct compared_row compared = { .group = row->group, .size = row->size };
		enum verdict verdict = is_new ? NEW_ONLY : OLD_ONLY;

		if (is_new && found)
			continue;
		*(is_new ? &compared.new_ns : &compared.old_ns) = row->p50_ns;
		if (found) {
			compared.new_ns = found->p50_ns;
			verdict = judge(job, row, found, &compared);
		}
		compared.verdict = verdicts[verdict];
		counts[verdict]++;
		answer_row(&job->answer, &compared);
	}
}

/* ---- the comparison ---- */

static int print(struct bench_job *new, const struct bench_job *old, struct mr_error *err)
{
	uint64_t counts[VERDICTS] = { 0 }, done;
	struct answer *answer = &new->answer;
	int rc;

	answer_begin(answer);
	print_rows(new, old, new, counts);
	print_rows(new, new, old, counts);
	answer_end_rows(answer);
	done = old->row_count + counts[NEW_ONLY];
	rc = answer_end(answer, done, err);
	if (rc)
		return rc;
	if (output_is_for_people(&answer->out)) {
		answer_note(
			answer,
			"%" PRIu64 " slower, %" PRIu64 " faster, %" PRIu64 " same, %" PRIu64
			" unclear: by intervals of 95 %% (rank-sum test of the rounds' medians)",
			counts[SLOWER], counts[FASTER], counts[SAME], counts[UNCLEAR]);
		if (counts[TOO_FEW])
			answer_note(answer,
				    "%" PRIu64 " with too few rounds: each document requires 4",
				    counts[TOO_FEW]);
		for (int i = 0; i < 2; i++)
			if ((i ? new : old)->method.interrupted)
				answer_note(
					answer,
					"the %s measurement was interrupted: some of its rounds "
					"are missing",
					i ? "new" : "old");
	}
	rc = answer_status(answer, done, NULL);
	return counts[SLOWER] ? EXIT_REFUSED : rc;
}

static int run_compare(const struct invocation *invocation, struct mr_error *err)
{
	const struct bench_args *args = invocation->args;
	char *const *paths = invocation->operands;
	cJSON *trees[2] = { NULL, NULL };
	struct bench_job old, new = { .device_count = 0 };
	int rc = load(&old, paths[0], &trees[0], err);

	if (!rc && paths[1])
		rc = load(&new, paths[1], &trees[1], err);
	if (rc && err->kind != MR_ERROR_USAGE)
		rc = answer_error(invocation, NULL, err);
	if (!rc && paths[1] && !args->anyway)
		rc = check_hosts(&old, &new, err);
	mr_environment_init(&new.environment);
	new.invocation = invocation;
	new.args = args;
	if (!rc)
		rc = answer_init(&new.answer, invocation, NULL, &new.environment, 0, err);
	if (!rc && !paths[1])
		rc = measure(&new, &old, err);
	if (!rc)
		rc = print(&new, &old, err);
	bench_release(&new);
	bench_release(&old);
	cJSON_Delete(trees[0]);
	cJSON_Delete(trees[1]);
	return rc;
}

static int check_compare(const struct invocation *invocation, struct mr_error *err)
{
	const struct bench_args *args = invocation->args;
	char *const *operands = invocation->operands;

	if (!operands[0] || (operands[1] && operands[2]))
		return mr_fail_usage(
			err,
			"--compare requires one document of 'mrctl -j bench', or two: OLD and NEW");
	if (operands[1] && (args->rounds.known || args->seconds.known || args->calls.known ||
			    invocation->global->device))
		return mr_fail_usage(err,
				     "--compare of two documents measures nothing: -d, --seconds, "
				     "--count and --rounds have no effect");
	return 0;
}

const struct command bench_compare = {
	.name = "compare",
	.given = CHECKED_OFFSET(struct bench_args, compare, bool),
	.record = &compared_record,
	.columns = BENCH_GROUP_COLUMNS ",size,old_ns,new_ns,ratio,low,high,verdict",
	.check = check_compare,
	.run = run_compare,
};
