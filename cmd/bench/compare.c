// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl bench --compare: what has become slower between two measurements. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/bench/bench.h"
#include "cmd/cli/child.h"
#include "cmd/output/exit_status.h"
#include "cmd/output/json_tree.h"
#include "cmd/output/whole_file.h"
#include "cmd/region/answer_messages.h"
#include "cmd/region/context.h"
#include "lib/base/clean_text.h"
#include "lib/base/cleanup.h"

/* ---- documents ---- */

/* What makes a row another row than its neighbours. */
static const char *const row_keys[] = { "call",        "device",   "memory",         "size",
					"access_bits", "via",      "state",          "threads",
					"processes",   "occupied", "occupied_bytes", "direction",
					NULL };

/* What figures depend on: members of "environment", then of "host". */
static const char *const environment_keys[] = { "kernel",   "rdma_core", "provider",
						"firmware", "simulated", "simulated_kernel",
						NULL };
static const char *const host_keys[] = {
	"cpu",   "cpus", "governor",     "numa_nodes", "clock",           "driver",
	"iommu", "thp",  "memory_total", "fork_safe",  "huge_pages_safe", NULL
};

/* A member as text; "unknown" where there is none, or no simple one. */
static const char *text_of(const struct json_node *node, const char *key,
			   char buffer[JSON_SCALAR_MAX])
{
	const char *text = json_tree_scalar(json_tree_get(node, key), buffer);

	return text ? text : "unknown";
}

/* A member that is a number from 0 to 1e18; not known where it is none. */
static struct mr_opt_u64 number_of(const struct json_node *node, const char *key)
{
	const struct json_node *member = json_tree_get(node, key);
	char buffer[JSON_SCALAR_MAX];
	const double number = json_tree_kind(member) == JSON_NUMBER
				      ? strtod(json_tree_scalar(member, buffer), NULL)
				      : -1;

	return number >= 0 && number < 1e18 ? known((uint64_t)number) : (struct mr_opt_u64){ 0 };
}

/* The first key whose members differ; NULL: there is none. */
static const char *difference(const struct json_node *left, const struct json_node *right,
			      const char *const *keys)
{
	char l[JSON_SCALAR_MAX], r[JSON_SCALAR_MAX];

	while (*keys && !strcmp(text_of(left, *keys, l), text_of(right, *keys, r)))
		keys++;
	return *keys;
}

static const struct json_node *first_row(const struct json_node *document)
{
	return json_tree_first(json_tree_get(document, "rows"));
}

static struct json_node *load(const char *path, struct mr_error *err)
{
	size_t length;
	mr_auto_free char *text = file_read(path, &length, err);
	struct json_node *document = text ? json_tree_parse(text, length) : NULL;
	const struct json_node *row = first_row(document);
	char buffer[JSON_SCALAR_MAX];

	while (row && json_tree_kind(row) == JSON_OBJECT)
		row = json_tree_next(row);
	if (!text)
		err->kind = MR_ERROR_USAGE;
	else if (row || strcmp(text_of(document, "command", buffer), "bench") != 0 ||
		 json_tree_kind(json_tree_get(document, "rows")) != JSON_LIST)
		mr_fail_text(err, MR_ERROR_USAGE, EBADMSG, "%s is no document of 'mrctl -j bench'",
			     file_name(path));
	else if (strcmp(text_of(document, "format", buffer), "1") != 0)
		mr_fail_text(err, MR_ERROR_USAGE, EBADMSG,
			     "%s has another format than the documents of this version: 1",
			     file_name(path));
	else
		return document;
	json_tree_free(document);
	return NULL;
}

static int check_hosts(const struct json_node *old, const struct json_node *new,
		       struct mr_error *err)
{
	static const struct {
		const char *member;
		const char *const *keys;
	} parts[] = { { "environment", environment_keys }, { "host", host_keys } };
	char before[160], after[160], buffer[JSON_SCALAR_MAX];

	for (size_t i = 0; i < 2; i++) {
		const struct json_node *left = json_tree_get(old, parts[i].member);
		const struct json_node *right = json_tree_get(new, parts[i].member);
		const char *key = difference(left, right, parts[i].keys);

		if (!key)
			continue;
		snprintf(before, sizeof(before), "%s", text_of(left, key, buffer));
		snprintf(after, sizeof(after), "%s", text_of(right, key, buffer));
		mr_clean_text(before, sizeof(before));
		mr_clean_text(after, sizeof(after));
		mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
			     "they cannot be compared: %s was '%s', and is '%s'", key, before,
			     after);
		mr_hint(err, "--anyway compares them all the same");
		return -EINVAL;
	}
	return 0;
}

/* ---- measuring once more what a document has, by mrctl itself in a process of its own ---- */

/*
 * The command line.  A value is in the word of its option, and calls are behind "--": no text of a document becomes an
 * option.
 */
struct words {
	char *argv[4 * SWEEP_MAX]; /* ends with NULL */
	size_t count;
	int error;
};

/* Adds a word, once. */
__attribute__((format(printf, 2, 3))) static void add(struct words *words, const char *format, ...)
{
	char *word;
	va_list values;

	va_start(values, format);
	if (vasprintf(&word, format, values) < 0)
		word = NULL;
	va_end(values);
	for (size_t i = 0; word && i < words->count; i++)
		if (!strcmp(words->argv[i], word)) {
			free(word);
			return;
		}
	if (word && words->count + 1 < sizeof(words->argv) / sizeof(*words->argv)) {
		words->argv[words->count++] = word;
		return;
	}
	words->error = word ? E2BIG : ENOMEM;
	free(word);
}

static bool has_devices(const struct json_node *document)
{
	static const char *const keys[] = { "device", NULL };
	const struct json_node *first = first_row(document);

	for (const struct json_node *row = first; row; row = json_tree_next(row))
		if (difference(first, row, keys))
			return true;
	return false;
}

static const char *device_of(const struct json_node *document)
{
	return json_tree_text_of(json_tree_get(document, "environment"), "device");
}

static void begin(struct words *words, const struct json_node *old)
{
	add(words, "mrctl");
	add(words, "--json");
	if (!has_devices(old) && device_of(old))
		add(words, "--device=%s", device_of(old));
	add(words, "bench");
	if (has_devices(old))
		add(words, "--all-devices");
}

static bool is_dmabuf(const struct json_node *row)
{
	const char *call = json_tree_text_of(row, "call");
	const struct mr_bench_case *what = call ? mr_bench_case_find(call) : NULL;

	return what && mr_region_is_dmabuf(what->call);
}

/* Adds what rows are measured with.  Calls add access flags of their own: those that all rows have were asked for. */
static void add_rows(struct words *words, const struct json_node *old)
{
	static const struct {
		const char *key, *option;
	} lists[] = { { "size", "sizes" },
		      { "via", "via" },
		      { "threads", "threads" },
		      { "processes", "processes" } };
	char buffer[JSON_SCALAR_MAX];
	const struct json_node *row;
	unsigned long access = ~0ul;
	uint64_t most = 0, bytes = 0;
	bool of_dmabufs = false;

	for (row = first_row(old); row; row = json_tree_next(row))
		of_dmabufs |= is_dmabuf(row);
	for (row = first_row(old); row; row = json_tree_next(row)) {
		const struct mr_opt_u64 occupied = number_of(row, "occupied");
		const char *bits = json_tree_text_of(row, "access_bits");
		const char *memory = text_of(row, "memory", buffer);

		/* Where both kinds of calls are measured, their memory is the usual one. */
		if (strcmp(memory, is_dmabuf(row) ? "udmabuf" : of_dmabufs ? "anon" : "") != 0)
			add(words, "--%s=%s", is_dmabuf(row) ? "from" : "memory", memory);
		for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
			if (json_tree_scalar(json_tree_get(row, lists[i].key), buffer))
				add(words, "--%s=%s", lists[i].option,
				    text_of(row, lists[i].key, buffer));
		access &= bits ? strtoul(bits, NULL, 16) : 0;
		if (occupied.value > most) {
			most = occupied.value;
			bytes = number_of(row, "occupied_bytes").value / most;
		}
	}
	add(words, "--access=0x%lx", access);
	if (most)
		add(words, "--occupied=%" PRIu64 ",%" PRIu64, most, bytes);
}

/* Adds how long to measure: as the document, unless the options say otherwise. */
static void add_length(struct words *words, const struct json_node *old,
		       const struct bench_args *args)
{
	const struct json_node *method = json_tree_get(old, "method");
	const struct mr_opt_u64 rounds =
		args->rounds.known ? args->rounds : number_of(method, "rounds");
	const struct mr_opt_u64 ns =
		args->seconds.known ? args->seconds : number_of(method, "row_ns");
	const struct mr_opt_u64 calls =
		args->calls.known ? args->calls : number_of(method, "calls");

	if (rounds.value)
		add(words, "--rounds=%" PRIu64, rounds.value);
	if (calls.value && !args->seconds.known)
		add(words, "--count=%" PRIu64, calls.value);
	else if (ns.value)
		add(words, "--seconds=%.9f", (double)ns.value / 1e9);
}

static void add_calls(struct words *words, const struct json_node *old)
{
	char buffer[JSON_SCALAR_MAX];

	add(words, "--");
	for (const struct json_node *row = first_row(old); row; row = json_tree_next(row))
		add(words, "%s", text_of(row, "call", buffer));
}

/*
 * Runs mrctl with the words, and frees them.  @status: its exit status, 128 + N where signal N has ended it.
 * Return: its document; NULL with @err; or without, where that mrctl has said why.
 */
static struct json_node *run(struct words *words, const sigset_t *mask, int *status,
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
	else if (!child_run(&child, err)) {
		*status = WIFSIGNALED(child.status) ? 128 + WTERMSIG(child.status)
						    : WEXITSTATUS(child.status);
		if (child.length)
			document = json_tree_parse(child.text, child.length);
		if (!document && !*status)
			mr_fail_text(err, MR_ERROR_HOST, EBADMSG,
				     "the document of the measurement cannot be read");
	}
	free(child.text);
	while (words->count)
		free(words->argv[--words->count]);
	return document;
}

static int check_device(const struct json_node *old, const struct invocation *invocation,
			struct mr_error *err)
{
	const char *given = invocation->global->device, *path = invocation->operands[0];

	if (!first_row(old))
		return mr_fail_text(err, MR_ERROR_USAGE, ENODATA,
				    "%s has no rows that could be measured again", path);
	if (given && (has_devices(old) || (device_of(old) && strcmp(given, device_of(old)) != 0)))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--compare measures on all devices of %s, and that is not '%s'",
				    path, given);
	return 0;
}

/*
 * Measures what a document has.  A single call finds out what the host is, before much is measured.  From here on
 * signals that end commands are blocked: one that comes ends the measurement.
 */
static struct json_node *measure(const struct invocation *invocation, const struct json_node *old,
				 int *status, struct mr_error *err)
{
	const struct bench_args *args = invocation->args;
	struct words words = { .count = 0 };
	struct json_node *now;
	sigset_t mask;
	bool is_same;

	if (check_device(old, invocation, err))
		return NULL;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	context_block_signals(invocation);
	begin(&words, old);
	add(&words, "--sizes=4096");
	add(&words, "--count=1");
	now = run(&words, &mask, status, err);
	is_same = first_row(now) && (args->anyway || !check_hosts(old, now, err));
	json_tree_free(now);
	if (!is_same)
		return NULL;
	begin(&words, old);
	add_rows(&words, old);
	add_length(&words, old, args);
	add_calls(&words, old);
	return run(&words, &mask, status, err);
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
	      "the new times divided by the old ones: the median of all pairs of rounds"),
	FIELD(struct compared_row, low, FIELD_RATIO, 0, "low end of its interval of 95 %"),
	FIELD(struct compared_row, high, FIELD_RATIO, 0, "high end of the interval"),
	FIELD(struct compared_row, verdict, FIELD_STRING, 0,
	      "slower, faster, same, unclear: more rounds would tell; too-few-rounds, old-only, new-only"),
	FIELD_END,
};
static const struct record compared_record = { "comparison", compared_fields, "comparison" };

/* Reads the medians of a row's rounds.  Return: how many there are. */
static size_t read_rounds(const struct json_node *row, double medians[BENCH_ROUNDS_MAX])
{
	const struct json_node *round = json_tree_first(json_tree_get(row, "rounds"));
	size_t count = 0;

	for (; round && count < BENCH_ROUNDS_MAX; round = json_tree_next(round)) {
		medians[count] = (double)number_of(round, "p50_ns").value;
		count += medians[count] > 0;
	}
	return count;
}

static struct mr_opt_u64 thousandths(double ratio)
{
	return ratio < 1e12 ? known((uint64_t)(ratio * 1000 + 0.5)) : (struct mr_opt_u64){ 0 };
}

static enum verdict judge(struct answer *answer, const struct json_node *old,
			  const struct json_node *new, struct compared_row *row)
{
	const struct bench_args *args = answer->invocation->args;
	const double tolerance =
		args->tolerance.known ? (double)args->tolerance.value / 1000 : TOLERANCE;
	double before[BENCH_ROUNDS_MAX], after[BENCH_ROUNDS_MAX];
	struct mr_effect effect;
	int rc = mr_effect(before, read_rounds(old, before), after, read_rounds(new, after),
			   &effect);

	if (rc == -ENOMEM)
		answer->out.error = rc;
	if (rc)
		return TOO_FEW;
	row->ratio = thousandths(effect.ratio);
	row->low = thousandths(effect.low);
	row->high = thousandths(effect.high);
	if (effect.low > 1 + tolerance)
		return SLOWER;
	if (effect.high < 1 - tolerance)
		return FASTER;
	return effect.low >= 1 - tolerance && effect.high <= 1 + tolerance ? SAME : UNCLEAR;
}

/* Compares a row of either document; @old or @new may be NULL.  Prints it, and counts its verdict. */
static void compare_rows(struct answer *answer, const struct json_node *old,
			 const struct json_node *new, uint64_t counts[VERDICTS])
{
	const struct json_node *node = old ? old : new;
	const char *device = json_tree_text_of(node, "device");
	struct compared_row row = {
		.group = { .call = json_tree_text_of(node, "call"),
			   .memory = json_tree_text_of(node, "memory"),
			   .state = json_tree_text_of(node, "state"),
			   .threads = number_of(node, "threads"),
			   .processes = number_of(node, "processes"),
			   .occupied = number_of(node, "occupied"),
			   .direction = json_tree_text_of(node, "direction") },
		.size = number_of(node, "size"),
		.old_ns = number_of(old, "p50_ns"),
		.new_ns = number_of(new, "p50_ns"),
	};
	enum verdict verdict = old ? OLD_ONLY : NEW_ONLY;

	snprintf(row.group.device, sizeof(row.group.device), "%s", device ? device : "");
	if (old && new)
		verdict = judge(answer, old, new, &row);
	row.verdict = verdicts[verdict];
	counts[verdict]++;
	answer_row(answer, &row);
}

static const struct json_node *find_row(const struct json_node *document,
					const struct json_node *row)
{
	const struct json_node *other = first_row(document);

	while (other && difference(other, row, row_keys))
		other = json_tree_next(other);
	return other;
}

/* ---- the comparison ---- */

/* A signal may have left rows with fewer rounds than the others, or without any. */
static void note_interrupted(const struct answer *answer, const struct json_node *document,
			     const char *name)
{
	char buffer[JSON_SCALAR_MAX];

	if (!strcmp(text_of(json_tree_get(document, "method"), "interrupted", buffer), "true"))
		answer_note(answer,
			    "the %s measurement was interrupted: some of its rounds are missing",
			    name);
}

static int print(struct answer *answer, const struct json_node *old, const struct json_node *new,
		 struct mr_error *err)
{
	uint64_t counts[VERDICTS] = { 0 }, done = 0;
	const struct json_node *row;
	int rc;

	answer_begin(answer);
	for (row = first_row(old); row; row = json_tree_next(row))
		compare_rows(answer, row, find_row(new, row), counts);
	for (row = first_row(new); row; row = json_tree_next(row))
		if (!find_row(old, row))
			compare_rows(answer, NULL, row, counts);
	answer_end_rows(answer);
	for (int i = 0; i < VERDICTS; i++)
		done += counts[i];
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
				    "%" PRIu64 " with too few rounds to tell: 4 and 4 are enough",
				    counts[TOO_FEW]);
		note_interrupted(answer, old, "old");
		note_interrupted(answer, new, "new");
	}
	return counts[SLOWER] ? EXIT_REFUSED : EXIT_DONE;
}

static int run_compare(const struct invocation *invocation, struct mr_error *err)
{
	const struct bench_args *args = invocation->args;
	char *const *paths = invocation->operands;
	struct json_node *old = load(paths[0], err), *new = NULL;
	struct mr_environment environment;
	struct answer answer;
	int status = EXIT_DONE, rc = 0;

	if (old)
		new = paths[1] ? load(paths[1], err) : measure(invocation, old, &status, err);
	if (new &&paths[1] && !args->anyway)
		rc = check_hosts(old, new, err);
	mr_environment_init(&environment);
	if (new && !rc) {
		rc = answer_init(&answer, invocation, NULL, &environment, 0, err);
		if (!rc) {
			rc = print(&answer, old, new, err);
			answer_release(&answer);
		}
	}
	json_tree_free(old);
	json_tree_free(new);
	if (mr_error_is_set(err))
		return -err->errnum;
	return rc ? rc : status;
}

static int check_compare(const struct invocation *invocation, struct mr_error *err)
{
	const struct bench_args *args = invocation->args;
	char *const *operands = invocation->operands;

	if (!operands[0] || (operands[1] && operands[2]))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--compare wants a document of 'mrctl -j bench', or two: "
				    "OLD and NEW");
	if (args->sizes.count || args->memory.count || args->from.text || args->access.given ||
	    args->via.given || args->threads.count || args->processes.count || args->all_devices ||
	    args->occupied.count || args->plot.given || args->svg)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--compare measures what OLD has: of the options only "
				    "--seconds, --count and --rounds change that");
	if (operands[1] && (args->rounds.known || args->seconds.known || args->calls.known ||
			    invocation->global->device))
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
