// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/bench/bench.h"
#include "cmd/cli/child.h"
#include "cmd/output/exit_status.h"
#include "cmd/output/whole_file.h"
#include "cmd/region/answer.h"
#include "cmd/region/answer_messages.h"
#include "cmd/region/context.h"
#include "lib/base/clean_text.h"
#include "lib/bench/bench.h"

const char *const bench_row_keys[] = { "call",        "device",   "memory",         "size",
				       "access_bits", "via",      "state",          "threads",
				       "processes",   "occupied", "occupied_bytes", "direction",
				       NULL };

/* What figures depend on: members of "environment", then of "host". */
static const char *const of_environment[] = { "kernel",   "rdma_core", "provider",
					      "firmware", "simulated", "simulated_kernel",
					      NULL };
static const char *const of_host[] = { "cpu",          "cpus",      "governor",        "numa_nodes",
				       "clock",        "driver",    "iommu",           "thp",
				       "memory_total", "fork_safe", "huge_pages_safe", NULL };

/* A value as text; "unknown" where there is none, or no simple one. */
static const char *text_of(const struct json_node *node, const char *key,
			   char buffer[JSON_SCALAR_MAX])
{
	const char *text = json_tree_scalar(json_tree_get(node, key), buffer);

	return text ? text : "unknown";
}

/* ---- reading ---- */

static bool is_document(const struct json_node *document)
{
	const char *command = json_tree_text_of(document, "command");
	const struct json_node *rows = json_tree_get(document, "rows"), *row;

	if (!command || strcmp(command, "bench") != 0 || json_tree_kind(rows) != JSON_LIST)
		return false;
	for (row = json_tree_first(rows); row; row = json_tree_next(row))
		if (json_tree_kind(row) != JSON_OBJECT)
			return false;
	return true;
}

/* Members of another format may mean something else. */
static bool is_of_this_format(const struct json_node *document)
{
	char buffer[JSON_SCALAR_MAX];

	return !strcmp(text_of(document, "format", buffer), "1");
}

struct json_node *bench_load(const char *path, struct mr_error *err)
{
	size_t length;
	char *text = file_read(path, &length, err);
	struct json_node *document;

	if (!text) {
		err->kind = MR_ERROR_USAGE;
		return NULL;
	}
	document = json_tree_parse(text, length);
	free(text);
	if (!is_document(document))
		mr_fail_text(err, MR_ERROR_USAGE, EBADMSG, "%s is no document of 'mrctl -j bench'",
			     file_name(path));
	else if (!is_of_this_format(document))
		mr_fail_text(err, MR_ERROR_USAGE, EBADMSG,
			     "%s has another format than the documents of this version: 1",
			     file_name(path));
	else
		return document;
	json_tree_free(document);
	return NULL;
}

const char *bench_device_of(const struct json_node *document)
{
	return json_tree_text_of(json_tree_get(document, "environment"), "device");
}

bool bench_has_devices(const struct json_node *document)
{
	const struct json_node *first = json_tree_first(json_tree_get(document, "rows"));
	char l[JSON_SCALAR_MAX], r[JSON_SCALAR_MAX];

	for (const struct json_node *row = first; row; row = json_tree_next(row))
		if (strcmp(text_of(first, "device", l), text_of(row, "device", r)) != 0)
			return true;
	return false;
}

double bench_number(const struct json_node *node, const char *key)
{
	const struct json_node *member = json_tree_get(node, key);
	char buffer[JSON_SCALAR_MAX];
	const char *text =
		json_tree_kind(member) == JSON_NUMBER ? json_tree_scalar(member, buffer) : NULL;
	const double number = text ? strtod(text, NULL) : 0;

	return number > 0 && number < 1e18 ? number : 0;
}

/* ---- comparing ---- */

/* What two documents have measured on. */
struct difference {
	const char *what; /* "kernel" */
	char old[160], new[160];
};

static bool measure_the_same(const struct json_node *left, const struct json_node *right)
{
	char l[JSON_SCALAR_MAX], r[JSON_SCALAR_MAX];

	for (const char *const *key = bench_row_keys; *key; key++)
		if (strcmp(text_of(left, *key, l), text_of(right, *key, r)) != 0)
			return false;
	return true;
}

const struct json_node *bench_find_row(const struct json_node *document,
				       const struct json_node *row)
{
	const struct json_node *other = json_tree_first(json_tree_get(document, "rows"));

	while (other && !measure_the_same(other, row))
		other = json_tree_next(other);
	return other;
}

static bool differ_in(const struct json_node *old, const struct json_node *new,
		      const char *const *keys, struct difference *difference)
{
	char o[JSON_SCALAR_MAX], n[JSON_SCALAR_MAX];

	for (; *keys; keys++) {
		const char *before = text_of(old, *keys, o), *after = text_of(new, *keys, n);

		if (!strcmp(before, after))
			continue;
		difference->what = *keys;
		snprintf(difference->old, sizeof(difference->old), "%s", before);
		snprintf(difference->new, sizeof(difference->new), "%s", after);
		mr_clean_text(difference->old, sizeof(difference->old));
		mr_clean_text(difference->new, sizeof(difference->new));
		return true;
	}
	return false;
}

int bench_check_hosts(const struct json_node *old, const struct json_node *new,
		      struct mr_error *err)
{
	struct difference difference;

	if (!differ_in(json_tree_get(old, "environment"), json_tree_get(new, "environment"),
		       of_environment, &difference) &&
	    !differ_in(json_tree_get(old, "host"), json_tree_get(new, "host"), of_host,
		       &difference))
		return 0;
	mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
		     "they cannot be compared: %s was '%s', and is '%s'", difference.what,
		     difference.old, difference.new);
	mr_hint(err, "--anyway compares them all the same");
	return -EINVAL;
}

/* ---- the command line ---- */

static void fail_words(struct again_words *words, int error)
{
	if (!words->error)
		words->error = error;
}

__attribute__((format(printf, 2, 3))) static void add_word(struct again_words *words,
							   const char *format, ...)
{
	va_list values;

	if (words->count + 1 >= sizeof(words->argv) / sizeof(*words->argv)) {
		fail_words(words, E2BIG);
		return;
	}
	va_start(values, format);
	if (vasprintf(&words->argv[words->count], format, values) < 0) {
		words->argv[words->count] = NULL;
		fail_words(words, ENOMEM);
	}
	va_end(values);
	words->count += words->argv[words->count] != NULL;
}

/* ---- what a document has measured ---- */

/* The different values that a member has in the rows. */
struct values {
	const struct json_node *nodes[SWEEP_MAX];
	size_t count;
};

static bool is_dmabuf(const struct json_node *row)
{
	const char *call = json_tree_text_of(row, "call");
	const struct mr_bench_case *what = call ? mr_bench_case_find(call) : NULL;

	return what && mr_region_is_dmabuf(what->call);
}

static void add_value(struct again_words *words, struct values *values,
		      const struct json_node *node)
{
	char left[JSON_SCALAR_MAX], right[JSON_SCALAR_MAX];
	const char *text = json_tree_scalar(node, left);

	for (size_t i = 0; text && i < values->count; i++)
		if (!strcmp(json_tree_scalar(values->nodes[i], right), text))
			return;
	if (text && values->count == SWEEP_MAX)
		fail_words(words, E2BIG);
	else if (text)
		values->nodes[values->count++] = node;
}

static struct values values_of(struct again_words *words, const struct json_node *rows,
			       const char *key)
{
	struct values values = { .count = 0 };
	const struct json_node *row = json_tree_first(rows);

	for (; row; row = json_tree_next(row))
		add_value(words, &values, json_tree_get(row, key));
	return values;
}

/* As --sizes=4096,16384; nothing where only the usual value is there. */
static void add_list(struct again_words *words, const struct json_node *rows, const char *key,
		     const char *option, const char *usual)
{
	const struct values values = values_of(words, rows, key);
	char list[SWEEP_MAX * (JSON_SCALAR_MAX + 1)] = "", buffer[JSON_SCALAR_MAX];
	size_t length = 0;

	for (size_t i = 0; i < values.count; i++) {
		const char *text = json_tree_scalar(values.nodes[i], buffer);

		if (length + strlen(text) + 2 > sizeof(list)) {
			fail_words(words, E2BIG);
			return;
		}
		length += (size_t)sprintf(list + length, "%s%s", i ? "," : "", text);
	}
	if (values.count && strcmp(list, usual) != 0)
		add_word(words, "--%s=%s", option, list);
}

/* Memory of regions, and sources of dma-bufs.  Where both are measured both are the usual ones. */
static void add_memory(struct again_words *words, const struct json_node *rows, bool of_dmabufs)
{
	const char *usual = of_dmabufs ? "udmabuf" : "anon";
	const struct json_node *row = json_tree_first(rows);
	struct values values = { .count = 0 };
	char buffer[JSON_SCALAR_MAX];

	for (; row; row = json_tree_next(row))
		if (is_dmabuf(row) == of_dmabufs)
			add_value(words, &values, json_tree_get(row, "memory"));
	for (size_t i = 0; i < values.count; i++) {
		const char *text = json_tree_scalar(values.nodes[i], buffer);

		if (values.count > 1 || strcmp(text, usual) != 0)
			add_word(words, "--%s=%s", of_dmabufs ? "from" : "memory", text);
	}
}

/* Cases add flags of their own: those that all rows have were asked for. */
static void add_access(struct again_words *words, const struct json_node *rows)
{
	const struct json_node *row = json_tree_first(rows);
	unsigned long bits = ~0ul;

	for (; row; row = json_tree_next(row)) {
		const char *text = json_tree_text_of(row, "access_bits");

		bits &= text ? strtoul(text, NULL, 16) : 0;
	}
	add_word(words, "--access=0x%lx", bits);
}

static void add_occupied(struct again_words *words, const struct json_node *rows)
{
	const struct json_node *row = json_tree_first(rows);
	double most = 0, bytes = 0;

	for (; row; row = json_tree_next(row)) {
		const double regions = bench_number(row, "occupied");

		if (regions > most) {
			most = regions;
			bytes = bench_number(row, "occupied_bytes") / regions;
		}
	}
	if (most > 0)
		add_word(words, "--occupied=%.0f,%.0f", most, bytes);
}

static void add_calls(struct again_words *words, const struct json_node *rows)
{
	const struct values calls = values_of(words, rows, "call");
	char buffer[JSON_SCALAR_MAX];

	add_word(words, "--");
	for (size_t i = 0; i < calls.count; i++)
		add_word(words, "%s", json_tree_scalar(calls.nodes[i], buffer));
}

/* ---- how long ---- */

static void add_length(struct again_words *words, const struct bench_args *args,
		       const struct json_node *method)
{
	const double rounds =
		args->rounds.known ? (double)args->rounds.value : bench_number(method, "rounds");
	const double seconds =
		args->seconds.known ? (double)args->seconds.value : bench_number(method, "row_ns");
	const double calls =
		args->calls.known ? (double)args->calls.value : bench_number(method, "calls");

	if (rounds > 0)
		add_word(words, "--rounds=%.0f", rounds);
	if (calls > 0 && !args->seconds.known)
		add_word(words, "--count=%.0f", calls);
	else if (seconds > 0)
		add_word(words, "--seconds=%.9f", seconds / 1e9);
}

/* ---- all of it ---- */

static void begin(struct again_words *words, const struct json_node *old)
{
	const bool has_devices = bench_has_devices(old);
	const char *device = bench_device_of(old);

	add_word(words, "mrctl");
	add_word(words, "--json");
	if (!has_devices && device)
		add_word(words, "--device=%s", device);
	add_word(words, "bench");
	if (has_devices)
		add_word(words, "--all-devices");
}

void again_words_of_host(struct again_words *words, const struct json_node *old)
{
	begin(words, old);
	add_word(words, "--sizes=4096");
	add_word(words, "--count=1");
}

void again_words_of_rows(struct again_words *words, const struct json_node *old,
			 const struct bench_args *args)
{
	const struct json_node *rows = json_tree_get(old, "rows");

	begin(words, old);
	add_list(words, rows, "size", "sizes", "");
	add_memory(words, rows, false);
	add_memory(words, rows, true);
	add_access(words, rows);
	add_list(words, rows, "via", "via", "library");
	add_list(words, rows, "threads", "threads", "1");
	add_list(words, rows, "processes", "processes", "1");
	add_occupied(words, rows);
	add_length(words, args, json_tree_get(old, "method"));
	add_calls(words, rows);
}

void again_words_release(struct again_words *words)
{
	while (words->count)
		free(words->argv[--words->count]);
}

static int check_again(const struct json_node *old, const struct invocation *invocation,
		       struct mr_error *err)
{
	const char *given = invocation->global->device, *device = bench_device_of(old);

	if (!json_tree_first(json_tree_get(old, "rows")))
		return mr_fail_text(err, MR_ERROR_USAGE, ENODATA,
				    "%s has no rows that could be measured again",
				    invocation->operands[0]);
	if (given && bench_has_devices(old))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "%s has measured several devices, and --compare measures all "
				    "of them: not '%s' alone",
				    invocation->operands[0], given);
	if (given && device && strcmp(given, device) != 0)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--compare measures on the device of %s, and that is not '%s'",
				    invocation->operands[0], given);
	return 0;
}

/* Takes the document of a measurement.  Return: NULL with @err; or without, where the other process has told why. */
static struct json_node *take_document(const struct child *child, int *status, struct mr_error *err)
{
	struct json_node *document = NULL;

	*status = WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status)
					     : WEXITSTATUS(child->status);
	if (child->length)
		document = json_tree_parse(child->text, child->length);
	if (!document && !*status)
		mr_fail_text(err, MR_ERROR_HOST, EBADMSG,
			     "the document of the measurement cannot be read");
	return document;
}

/* Runs mrctl with the words, and releases them.  Return: as take_document(). */
static struct json_node *run(struct again_words *words, const sigset_t *mask, int *status,
			     struct mr_error *err)
{
	struct child child = {
		.path = "/proc/self/exe", .argv = words->argv, .output = CHILD_CATCH, .mask = mask
	};
	struct json_node *document = NULL;

	if (words->error == E2BIG)
		mr_fail_text(err, MR_ERROR_USAGE, E2BIG,
			     "the document has measured more than 'mrctl bench' can at once");
	else if (words->error)
		mr_fail(err, MR_ERROR_HOST, words->error, "malloc", NULL);
	else if (!child_run(&child, err))
		document = take_document(&child, status, err);
	free(child.text);
	again_words_release(words);
	return document;
}

/* A single call tells what the host is, before much is measured. */
static int check_host(const struct json_node *old, const struct bench_args *args,
		      const sigset_t *mask, struct mr_error *err)
{
	struct again_words words = { .count = 0 };
	struct json_node *now;
	int rc = 0;

	again_words_of_host(&words, old);
	now = run(&words, mask, &rc, err);
	if (json_tree_first(json_tree_get(now, "rows")))
		rc = args->anyway ? 0 : bench_check_hosts(old, now, err);
	json_tree_free(now);
	return mr_error_is_set(err) ? -err->errnum : rc;
}

int bench_again(const struct invocation *invocation, const struct json_node *old,
		struct json_node **new, int *status, struct mr_error *err)
{
	const struct bench_args *args = invocation->args;
	struct again_words words = { .count = 0 };
	int rc = check_again(old, invocation, err);
	sigset_t mask;

	if (rc)
		return rc;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	context_block_signals(invocation);
	rc = check_host(old, args, &mask, err);
	if (rc)
		return rc;
	again_words_of_rows(&words, old, args);
	*new = run(&words, &mask, status, err);
	if (*new)
		return 0;
	return mr_error_is_set(err) ? -err->errnum : *status;
}

/* mrctl bench --compare: what has become slower between two measurements. */

/* More rounds than bench measures are not read. */
enum { ROUNDS_MAX = 1000 };

struct compared_row {
	struct bench_group_row group;
	struct mr_opt_u64 size;
	struct mr_opt_u64 old_ns, new_ns;
	struct mr_opt_u64 ratio, low, high;
	const char *verdict;
};

static const struct field compared_fields[] = {
	BENCH_GROUP_FIELDS(struct compared_row),
	FIELD(struct compared_row, size, FIELD_NUMBER, FIELD_IEC, "bytes of the region"),
	FIELD(struct compared_row, old_ns, FIELD_NUMBER, FIELD_DURATION, "median before"),
	FIELD(struct compared_row, new_ns, FIELD_NUMBER, FIELD_DURATION, "median now"),
	FIELD(struct compared_row, ratio, FIELD_RATIO, 0,
	      "the new times divided by the old ones: the median of all pairs of rounds"),
	FIELD(struct compared_row, low, FIELD_RATIO, 0, "low end of its interval of 95 %"),
	FIELD(struct compared_row, high, FIELD_RATIO, 0, "high end of the interval"),
	FIELD(struct compared_row, verdict, FIELD_STRING, 0,
	      "slower, faster, same, unclear: more rounds would tell; too-few-rounds, old-only, new-only"),
	FIELD_END,
};
static const struct record compared_record = { "comparison", compared_fields, "comparison" };

struct comparison {
	const struct bench_args *args;
	struct answer answer;
	struct json_node *old, *new;
	uint64_t verdicts[MR_EFFECT_VERDICTS];
	uint64_t done;
	int status; /* of the measurement that made the new document; 0: none was made */
};

/* ---- a row ---- */

/* The medians of its rounds.  Return: how many there are. */
static size_t read_rounds(const struct json_node *row, double *medians)
{
	const struct json_node *round = json_tree_first(json_tree_get(row, "rounds"));
	size_t count = 0;

	for (; round && count < ROUNDS_MAX; round = json_tree_next(round)) {
		medians[count] = bench_number(round, "p50_ns");
		count += medians[count] > 0;
	}
	return count;
}

static struct mr_opt_u64 thousandths(double ratio)
{
	const bool is_known = ratio > 0 && ratio < 1e12;

	return (struct mr_opt_u64){ is_known ? (uint64_t)(ratio * 1000 + 0.5) : 0, is_known };
}

/* Not known where a document has none: null, a text, or a number that is none of these. */
static struct mr_opt_u64 number_of(const struct json_node *row, const char *key)
{
	const double number = bench_number(row, key);
	char buffer[JSON_SCALAR_MAX];
	const char *text = json_tree_scalar(json_tree_get(row, key), buffer);

	return (struct mr_opt_u64){ (uint64_t)number, number > 0 || (text && !strcmp(text, "0")) };
}

static void describe(struct compared_row *row, const struct json_node *node)
{
	const char *device = json_tree_text_of(node, "device");

	*row = (struct compared_row){
		.group = {
			.call = json_tree_text_of(node, "call"),
			.memory = json_tree_text_of(node, "memory"),
			.state = json_tree_text_of(node, "state"),
			.threads = number_of(node, "threads"),
			.processes = number_of(node, "processes"),
			.occupied = number_of(node, "occupied"),
			.direction = json_tree_text_of(node, "direction"),
		},
		.size = number_of(node, "size"),
	};
	snprintf(row->group.device, sizeof(row->group.device), "%s", device ? device : "");
}

static void judge(struct comparison *comparison, const struct json_node *old,
		  const struct json_node *new, struct compared_row *row)
{
	const struct mr_opt_u64 tolerance = comparison->args->tolerance;
	double *before = calloc(2 * ROUNDS_MAX, sizeof(*before));
	double *after = before ? before + ROUNDS_MAX : NULL;
	enum mr_effect_verdict verdict = MR_EFFECT_TOO_FEW;
	struct mr_effect effect;
	int rc;

	if (!before) {
		comparison->answer.out.error = -ENOMEM;
		return;
	}
	row->old_ns = number_of(old, "p50_ns");
	row->new_ns = number_of(new, "p50_ns");
	rc = mr_effect(before, read_rounds(old, before), after, read_rounds(new, after), &effect);
	if (rc == -ENOMEM)
		comparison->answer.out.error = rc;
	if (!rc) {
		row->ratio = thousandths(effect.ratio);
		row->low = thousandths(effect.low);
		row->high = thousandths(effect.high);
		verdict = mr_effect_judge(
			&effect,
			(double)(tolerance.known ? tolerance.value : BENCH_TOLERANCE) / 1000);
	}
	row->verdict = mr_effect_name(verdict);
	comparison->verdicts[verdict]++;
	free(before);
}

/* Prints the rows of a document; of the new one only those that the old one has not. */
static void print_rows(struct comparison *comparison, const struct json_node *of, bool is_new)
{
	const struct json_node *node = json_tree_first(json_tree_get(of, "rows"));

	for (; node; node = json_tree_next(node)) {
		const struct json_node *other =
			bench_find_row(is_new ? comparison->old : comparison->new, node);
		struct compared_row row;

		if (is_new && other)
			continue;
		describe(&row, node);
		if (other) {
			judge(comparison, node, other, &row);
		} else {
			*(is_new ? &row.new_ns : &row.old_ns) = number_of(node, "p50_ns");
			row.verdict = is_new ? "new-only" : "old-only";
		}
		answer_row(&comparison->answer, &row);
		comparison->done++;
	}
}

/* ---- the comparison ---- */

/* Return: 0; -errno; or an exit status where there is no new document, which has been told. */
static int load(struct comparison *comparison, const struct invocation *invocation,
		struct mr_error *err)
{
	char *const *paths = invocation->operands;

	comparison->old = bench_load(paths[0], err);
	if (!comparison->old)
		return -err->errnum;
	if (!paths[1])
		return bench_again(invocation, comparison->old, &comparison->new,
				   &comparison->status, err);
	comparison->new = bench_load(paths[1], err);
	if (!comparison->new)
		return -err->errnum;
	return comparison->args->anyway ? 0
					: bench_check_hosts(comparison->old, comparison->new, err);
}

static void tell_verdicts(const struct comparison *comparison)
{
	const uint64_t *verdicts = comparison->verdicts;

	answer_note(&comparison->answer,
		    "%" PRIu64 " slower, %" PRIu64 " faster, %" PRIu64 " same, %" PRIu64
		    " unclear: by intervals of 95 %% (rank-sum test of the rounds' medians)",
		    verdicts[MR_EFFECT_SLOWER], verdicts[MR_EFFECT_FASTER],
		    verdicts[MR_EFFECT_SAME], verdicts[MR_EFFECT_UNCLEAR]);
	if (verdicts[MR_EFFECT_TOO_FEW])
		answer_note(&comparison->answer,
			    "%" PRIu64 " with too few rounds to tell: 4 and 4 are enough",
			    verdicts[MR_EFFECT_TOO_FEW]);
}

/* A signal may have left rows with fewer rounds than the others, or without any. */
static void tell_interrupted(const struct comparison *comparison, const struct json_node *document,
			     const char *name)
{
	const struct json_node *method = json_tree_get(document, "method");
	char buffer[JSON_SCALAR_MAX];
	const char *text = json_tree_scalar(json_tree_get(method, "interrupted"), buffer);

	if (text && !strcmp(text, "true"))
		answer_note(&comparison->answer,
			    "the %s measurement was interrupted: some of its rounds are missing",
			    name);
}

static int print(struct comparison *comparison, struct mr_error *err)
{
	int rc;

	answer_begin(&comparison->answer);
	print_rows(comparison, comparison->old, false);
	print_rows(comparison, comparison->new, true);
	answer_end_rows(&comparison->answer);
	rc = answer_end(&comparison->answer, comparison->done, err);
	if (rc)
		return rc;
	if (output_is_for_people(&comparison->answer.out)) {
		tell_verdicts(comparison);
		tell_interrupted(comparison, comparison->old, "old");
		tell_interrupted(comparison, comparison->new, "new");
	}
	return comparison->verdicts[MR_EFFECT_SLOWER] ? EXIT_REFUSED : comparison->status;
}

static int run_compare(const struct invocation *invocation, struct mr_error *err)
{
	struct comparison comparison = { .args = invocation->args };
	struct mr_environment environment;
	int rc;

	mr_environment_init(&environment);
	rc = load(&comparison, invocation, err);
	if (!rc)
		rc = answer_init(&comparison.answer, invocation, NULL, &environment, 0, err);
	if (!rc) {
		rc = print(&comparison, err);
		answer_release(&comparison.answer);
	}
	json_tree_free(comparison.old);
	json_tree_free(comparison.new);
	return rc;
}

static bool is_length_given(const struct bench_args *args)
{
	return args->rounds.known || args->seconds.known || args->calls.known;
}

/* Whether an option says what is to be measured, which the old document says. */
static bool is_measurement_given(const struct bench_args *args)
{
	return args->sizes.count || args->memory.count || args->from.text || args->access.given ||
	       args->via.given || args->threads.count || args->processes.count ||
	       args->all_devices || args->occupied.count || args->plot || args->svg;
}

static int check_compare(const struct invocation *invocation, struct mr_error *err)
{
	const struct bench_args *args = invocation->args;
	char *const *operands = invocation->operands;

	if (!operands[0] || (operands[1] && operands[2]))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--compare wants a document of 'mrctl -j bench', or two: "
				    "OLD and NEW");
	if (is_measurement_given(args))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--compare measures what OLD has: of the options only "
				    "--seconds, --count and --rounds change that");
	if (operands[1] && (is_length_given(args) || invocation->global->device))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--compare of two documents measures nothing: -d, --seconds, "
				    "--count and --rounds are of no use");
	return 0;
}

const struct command_view bench_compare = {
	.option = "compare",
	.given = CHECKED_OFFSET(struct bench_args, compare, bool),
	.record = &compared_record,
	.columns = BENCH_GROUP_COLUMNS ",size,old_ns,new_ns,ratio,low,high,verdict",
	.check = check_compare,
	.run = run_compare,
};
