// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl bench --compare: what has become slower between two measurements. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/again.h"
#include "cmd/bench/args.h"
#include "cmd/bench/groups.h"
#include "cmd/bench/load.h"
#include "cmd/output/exit_status.h"
#include "cmd/region/answer.h"
#include "cmd/region/answer_messages.h"
#include "lib/bench/bench.h"

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
