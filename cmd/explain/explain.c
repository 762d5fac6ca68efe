// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl explain: what causes, errnos and lines of logs mean. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/explain/args.h"
#include "cmd/explain/order.h"
#include "cmd/explain/text.h"
#include "cmd/output/output.h"

/* What is asked for. */
struct question {
	const struct mr_cause *cause;
	const struct mr_check *check;
	int errnum;
	uint32_t operations;
};

/* ---- reading it ---- */

static int fail_call(const char *call, struct mr_error *err)
{
	struct mr_guess guess = mr_guess_init(call, strlen(call));
	const char *name;

	for (size_t i = 0; (name = mr_call_name(i)); i++)
		mr_guess_try(&guess, name);
	mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--call: no cause is known for '%s'", call);
	if (guess.best)
		mr_hint(err, "did you mean '%s'?", guess.best);
	else
		mr_hint(err, "mrctl explain --list names the calls");
	return -EINVAL;
}

/* The errno that a word or text is: "ENOMEM", "12", "-12", "Cannot allocate memory"; 0: it is none. */
static int errno_of(const char *text)
{
	const char *digits = *text == '-' ? text + 1 : text;
	struct mr_error ignored;
	uint64_t number;

	if (!mr_parse_u64(digits, 4095, &number, &ignored))
		return mr_errno_name((int)number) ? (int)number : 0;
	for (int i = 1; i < 4096; i++)
		if (mr_errno_name(i) && !strcasecmp(text, mr_errno_text(i)))
			return i;
	return mr_errno_parse(text, strlen(text));
}

/* Whether it can be no line of a log: it is one word, and no number of a line has to be looked for in it. */
static bool is_word(const char *text)
{
	return !text[strcspn(text, " \t:()=[],")];
}

static int fail_word(const char *word, struct mr_error *err)
{
	struct mr_guess guess = mr_guess_init(word, strlen(word));

	for (const struct mr_cause *cause = mr_cause_next(NULL); cause;
	     cause = mr_cause_next(cause))
		mr_guess_try(&guess, cause->id);
	for (const struct mr_check *check = mr_checks; check->id; check++)
		mr_guess_try(&guess, check->id);
	if (!guess.best)
		guess.best = mr_errno_guess(word, strlen(word));
	mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "'%s' is neither a cause nor an errno", word);
	if (guess.best)
		mr_hint(err, "did you mean '%s'?", guess.best);
	else
		mr_hint(err, "mrctl explain --list lists all causes");
	return -EINVAL;
}

static bool read_question(const struct explain_args *args, const char *word,
			  struct question *question)
{
	*question = (struct question){
		.cause = word ? mr_cause_find(word, strlen(word)) : NULL,
		.check = word ? mr_check_find(word, strlen(word)) : NULL,
		.errnum = word ? errno_of(word) : 0,
		.operations = args->call ? mr_operations_of_name(args->call) : 0,
	};
	return question->cause || question->check || question->errnum;
}

static int check_operands(const struct invocation *invocation, struct mr_error *err)
{
	const struct explain_args *args = invocation->args;
	char **operands = invocation->operands;

	if (!operands[0] && !args->list) {
		mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "what is to be explained?");
		mr_hint(err, "give an id such as MR-MEMLOCK, an errno, a line of a log, or --list");
		return -EINVAL;
	}
	if (operands[0] && args->list)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--list explains all causes: it excludes '%s'", operands[0]);
	if (operands[0] && operands[1]) {
		mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "unexpected argument '%s'", operands[1]);
		mr_hint(err, "a line of a log is one argument: put it between ' and '");
		return -EINVAL;
	}
	return 0;
}

static int check_explain(const struct invocation *invocation, struct mr_error *err)
{
	const struct explain_args *args = invocation->args;
	struct question question;
	const char *word = invocation->operands[0];
	int rc = check_operands(invocation, err);

	if (rc)
		return rc;
	if (args->call && !mr_operations_of_name(args->call))
		return fail_call(args->call, err);
	if (word && strlen(word) > MR_LOG_LINE_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "a line of a log has at most %d bytes, and this one %zu",
				    MR_LOG_LINE_MAX, strlen(word));
	if (!word || !strcmp(word, "-") || read_question(args, word, &question) || !is_word(word))
		return 0;
	return fail_word(word, err);
}

/* ---- answering it ---- */

static void print_rows(struct answer *answer, const struct question *question)
{
	const struct mr_cause *cause = NULL;
	struct explained row;

	answer_begin(answer);
	if (question->cause) {
		explained_fill(&row, question->cause);
		answer_row(answer, &row);
	} else if (question->check) {
		explained_fill_check(&row, question->check);
		answer_row(answer, &row);
	} else {
		while ((cause = question->errnum
					? next_owner(cause, question->operations, question->errnum)
					: mr_cause_next(cause))) {
			if (!mr_cause_speaks_for(cause, question->operations, 0))
				continue;
			explained_fill(&row, cause);
			answer_row(answer, &row);
		}
	}
	answer_end_rows(answer);
}

static size_t count_owners(const struct question *question)
{
	const struct mr_cause *cause = NULL;
	size_t count = 0;

	while ((cause = next_owner(cause, question->operations, question->errnum)))
		count++;
	return count;
}

static void print_owners(const struct question *question, const char *call)
{
	const struct mr_cause *cause = NULL;
	const size_t count = count_owners(question);
	struct explained row;
	char text[256];

	snprintf(text, sizeof(text), "%s (%s)%s%s: %zu cause%s%s", mr_errno_name(question->errnum),
		 mr_errno_text(question->errnum), call ? " of " : "", call ? call : "", count,
		 count == 1 ? "" : "s", count > 1 ? ", the most frequent ones first" : "");
	output_paragraph(text, 0, 2);
	while ((cause = next_owner(cause, question->operations, question->errnum))) {
		explained_fill(&row, cause);
		text_in_list(&row);
	}
}

static void print_text(const struct question *question, const char *call)
{
	struct explained row;

	if (question->cause)
		explained_fill(&row, question->cause);
	else if (question->check)
		explained_fill_check(&row, question->check);
	if (question->cause || question->check)
		text_of_cause(&row, question->check);
	else
		print_owners(question, call);
}

static int explain_question(const struct invocation *invocation, const struct question *question,
			    struct mr_error *err)
{
	const struct explain_args *args = invocation->args;
	const struct output_style *style = &invocation->global->style;
	struct mr_environment environment;
	struct answer answer;
	struct mr_error why;
	int rc;

	mr_environment_init(&environment);
	rc = answer_init(&answer, invocation, NULL, &environment, 0, err);
	if (rc)
		return rc;
	if (question->errnum && !question->cause && !question->check && !count_owners(question)) {
		mr_fail_text(&why, MR_ERROR_HOST, ENOMSG, "no cause of %s%s%s is known",
			     mr_errno_name(question->errnum), args->call ? " by " : "",
			     args->call ? args->call : "");
		answer_fail(&answer, &why, 0, 0, MR_VIA_LIBRARY);
	}
	if (is_prose(style) && !args->list && !answer.failures.count)
		print_text(question, args->call);
	else if (!is_prose(style) || args->list)
		print_rows(&answer, question);
	rc = answer_end(&answer, 0, err);
	if (!rc)
		rc = answer_status(&answer, 0, NULL);
	answer_release(&answer);
	return rc;
}

static int run_explain(const struct invocation *invocation, struct mr_error *err)
{
	const char *word = invocation->operands[0];
	struct question question;

	if (!word || read_question(invocation->args, word, &question)) {
		if (!word)
			read_question(invocation->args, NULL, &question);
		return explain_question(invocation, &question, err);
	}
	return explain_lines(invocation, strcmp(word, "-") ? word : NULL, err);
}

static const struct option_spec options[] = {
	OPTION(0, "call", string, struct explain_args, call, "CALL",
	       "only causes of that call, such as ibv_reg_mr"),
	OPTION(0, "list", flag, struct explain_args, list, NULL, "list all causes"),
	OPTION_END,
};
static const struct option_group group = { "What to explain", options, 0 };
static const struct option_group *const groups[] = { &group, NULL };
static const struct help_topic *const topics[] = { &topic_causes, NULL };

const struct command command_explain = {
	.name = "explain",
	.operands = "[CAUSE|ERRNO|LINE|-]",
	.summary = "explain a cause, an errno, or a line of another program's log",
	.description =
		"Explains why registrations are refused: a CAUSE by its id, all causes of an "
		"ERRNO, or a LINE that another program has logged (UCX, NCCL, libfabric, "
		"perftest, the kernel, ...). With - the lines of standard input are read, and "
		"those that tell of a refused registration explained.",
	.groups = groups,
	.args_size = sizeof(struct explain_args),
	.record = &explained_record,
	.columns = COLUMNS(struct explained, log, certainty, id, layer, errnos, subject),
	.topics = topics,
	.examples = (const char *const[]){ "mrctl explain MR-MEMLOCK",
					   "mrctl explain ENOMEM --call ibv_reg_mr",
					   "dmesg | mrctl explain -", NULL },
	.opens_no_device = true,
	.not_in_batch = true,
	.check = check_explain,
	.run = run_explain,
};
