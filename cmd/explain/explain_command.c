// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/explain/explain.h"
#include "cmd/output/output.h"
#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"

/* What the parts of mrctl explain share. */
struct explain_args {
	const char *call; /* or NULL */
	bool list;
};

static const struct field fields[] = {
	FIELD(struct explained, log, FIELD_NUMBER, 0, "which line of the log, from 1"),
	FIELD(struct explained, id, FIELD_STRING, FIELD_KNOWN, "of the cause; it never changes"),
	FIELD(struct explained, certainty, FIELD_STRING, 0,
	      "likely, possible, ...; unknown where nothing was found out"),
	FIELD(struct explained, subject, FIELD_STRING, FIELD_KNOWN, "what it is, in a few words"),
	FIELD(struct explained, layer, FIELD_STRING, 0, "layer that refuses: uverbs, driver, ..."),
	FIELD(struct explained, errnos, FIELD_WORDS, 0, "with which errnos; unknown: any"),
	FIELD(struct explained, calls, FIELD_WORDS, 0, "which calls"),
	FIELD(struct explained, frequency, FIELD_STRING, FIELD_DETAIL,
	      "how often sites meet it: common, occasional, rare"),
	FIELD(struct explained, cause, FIELD_STRING, FIELD_DETAIL,
	      "what this host shows of it, with its figures"),
	FIELD(struct explained, evidence, FIELD_MEMBERS, 0, "what speaks for it"),
	FIELD(struct explained, remedy, FIELD_STRING, FIELD_DETAIL, "what to do"),
	FIELD(struct explained, what, FIELD_STRING, FIELD_DETAIL | FIELD_KNOWN, "what it is"),
	FIELD(struct explained, recognise, FIELD_STRING, FIELD_DETAIL,
	      "how to tell it from others"),
	FIELD(struct explained, source, FIELD_STRING, FIELD_DETAIL, "where it can be read up"),
	FIELD_END,
};
static const struct record explained_record = { "explained", fields, "causes" };

static const char *const frequencies[] = {
	[MR_COMMON] = "common", [MR_OCCASIONAL] = "occasional", [MR_RARE] = "rare"
};

/* Sets what the table says of a cause; @row must not be moved then. */
static void explained_fill(struct explained *row, const struct mr_cause *cause)
{
	size_t errnos = 0, calls = 0;

	*row = (struct explained){
		.id = cause->id,
		.subject = cause->subject,
		.layer = mr_layer_name(cause->layer),
		.frequency = frequencies[cause->frequency],
		.remedy = cause->remedy,
		.what = cause->what,
		.recognise = cause->recognise,
		.source = cause->sources,
	};
	for (const int *number = cause->errnums; *number; number++)
		row->errno_names[errnos++] = mr_errno_name(*number);
	for (const char *const *name = cause->prepared_by; *name; name++)
		row->call_names[calls++] = *name;
	for (unsigned int operation = 0; operation < MR_OPERATIONS; operation++)
		if (cause->operations >> operation & 1 && mr_operation_name(operation) &&
		    !(operation == MR_OP_PREPARE && calls))
			row->call_names[calls++] = mr_operation_name(operation);
	row->errnos = errnos ? row->errno_names : NULL;
	row->calls = row->call_names;
}

/* Returns the same of a check that is no cause. */
static void explained_fill_check(struct explained *row, const struct mr_check *check)
{
	*row = (struct explained){
		.id = check->id,
		.subject = check->subject,
		.what = "It is a check of mrctl stat --host, and no cause by itself.",
	};
}

/* Adds what was found out about the cause. */
static void explained_add(struct explained *row, const struct mr_suspicion *suspicion)
{
	row->certainty = mr_certainties[suspicion->certainty].name;
	row->cause = suspicion->text;
	if (suspicion->remedy[0])
		row->remedy = suspicion->remedy;
	row->evidence = (struct members){ row->facts, suspicion->evidence_count };
	for (size_t i = 0; i < suspicion->evidence_count; i++) {
		const struct mr_evidence *evidence = &suspicion->evidence[i];

		row->facts[i] = (struct member){
			.key = evidence->name,
			.text = evidence->is_number ? NULL : evidence->text,
			.number = evidence->number,
		};
	}
}

#define LABEL_WIDTH 12

/* Prints a paragraph behind a label, which is indented by @indent; nothing for a NULL text. */
static void text_labelled(size_t indent, const char *label, const char *text)
{
	const size_t column = indent + strlen(label);

	if (!text)
		return;
	output_text("%*s%s", (int)indent, "", label);
	output_paragraph(text, column, column);
}

/* The same behind a label in a column of its own: "what:       ...". */
static void print_part(const char *name, const char *text)
{
	char label[LABEL_WIDTH + 1];

	snprintf(label, sizeof(label), "%s:%*s", name, LABEL_WIDTH - 1 - (int)strlen(name), "");
	text_labelled(0, label, text);
}

/* Names with ", " between; an empty text for none. */
static const char *list_text(const char *const *names, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (; names && *names && used < size; names++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? ", " : "",
					 *names);
	return buffer;
}

static void print_heading(const struct explained *row)
{
	output_coloured(COLOUR_HEADING, row->id, 0);
	output_text(": ");
	output_paragraph(row->subject, strlen(row->id) + 2, 0);
}

void text_of_cause(const struct explained *row, bool is_check)
{
	char list[512], command[128];

	print_heading(row);
	output_text("\n");
	print_part("what", row->what);
	print_part("recognise", row->recognise);
	print_part("try", row->remedy);
	if (row->calls) {
		print_part("errnos",
			   row->errnos ? list_text(row->errnos, list, sizeof(list)) : "any");
		print_part("calls", list_text(row->calls, list, sizeof(list)));
		print_part("refused by", row->layer);
		print_part("frequency", row->frequency);
	}
	print_part("sources", row->source);
	snprintf(command, sizeof(command), "mrctl stat --host --only %s", row->id);
	print_part("this host", is_check ? command : NULL);
}

/* Prints how a cause is told from others, and what to do. */
static void text_in_list(const struct explained *row)
{
	output_text("\n");
	print_heading(row);
	text_labelled(2, "", row->recognise);
	text_labelled(2, "try: ", row->remedy);
}

/* ---- lines of a log ---- */

static void print_request(const struct log_row *row)
{
	char text[FIELD_TEXT_MAX + 256], access[FIELD_TEXT_MAX];
	size_t used = 0;

	text[0] = '\0';
#define ADD(...)                                                                                   \
	do {                                                                                       \
		if (used < sizeof(text))                                                           \
			used += (size_t)snprintf(text + used, sizeof(text) - used, __VA_ARGS__);   \
	} while (0)
	if (row->length.known && row->length.value >= 1024)
		ADD("%" PRIu64 " bytes (%s)", row->length.value,
		    mr_size_text(row->length.value).text);
	else if (row->length.known)
		ADD("%" PRIu64 " bytes", row->length.value);
	if (row->addr.known)
		ADD("%s at 0x%" PRIx64, row->length.known ? "" : "memory", row->addr.value);
	if (row->iova.known)
		ADD("%sI/O virtual address 0x%" PRIx64, used ? ", " : "", row->iova.value);
	if (row->access.known)
		ADD("%saccess %s", used ? ", " : "",
		    access_text((uint32_t)row->access.value, access));
	if (row->device)
		ADD("%sdevice %s", used ? ", " : "", row->device);
#undef ADD
	text_labelled(2, "asked for ", used ? text : NULL);
}

static void print_firmware(const struct log_row *row)
{
	char text[256];

	if (!row->command)
		return;
	snprintf(text, sizeof(text),
		 "%s was refused: status 0x%" PRIx64 " (%s: %s), syndrome 0x%" PRIx64, row->command,
		 row->firmware_status.value, row->status_name ? row->status_name : "?",
		 row->status_meaning ? row->status_meaning : "not known", row->syndrome.value);
	text_labelled(2, "firmware: ", text);
}

/* Prints what a line of a log says. */
static void text_of_line(const struct log_row *row)
{
	char text[512];

	output_text("> ");
	output_paragraph(row->text, 2, 2);
	output_text("\n");
	if (row->remark) {
		output_paragraph(row->remark, 2, 2);
		output_text("\n");
		return;
	}
	if (row->errno_name)
		snprintf(text, sizeof(text), "%s: %s (%s)", row->call ? row->call : row->command,
			 row->errno_name, row->errno_text);
	else if (row->is_reason)
		snprintf(text, sizeof(text),
			 "%s: the line has a reason for refusals, and no refused call", row->call);
	else
		snprintf(text, sizeof(text), "%s failed; no line near this one has the errno",
			 row->call ? row->call : row->command);
	output_paragraph(text, 0, 2);
	if (row->call && row->command)
		text_labelled(2, "",
			      "The line does not name the call: this one sends the command.");
	else if (row->call && row->is_of_libfabric)
		text_labelled(
			2, "",
			"The line comes from libfabric, whose providers verbs and efa make this call; "
			"others do not (FI_LOG_LEVEL=info names the provider).");
	else if (row->call && !row->call_is_named && !row->is_reason)
		text_labelled(2, "", "The line does not name the call; its words match this one.");
	print_request(row);
	print_firmware(row);
	if (row->other_errno && row->firmware_status.known)
		snprintf(text, sizeof(text), "The usual errno of this status is %s.",
			 row->other_errno);
	else if (row->other_errno)
		snprintf(text, sizeof(text), "The line has %s as well.", row->other_errno);
	text_labelled(2, "", row->other_errno ? text : NULL);
	if (row->count.value > 1) {
		snprintf(text, sizeof(text), "%" PRIu64 " lines report such a refusal.",
			 row->count.value);
		text_labelled(2, "", text);
	}
}

/* Prints what this host shows of a cause; @is_first: of the first one. */
static void text_of_suspicion(const struct explained *row, bool is_first)
{
	char text[sizeof(((struct mr_suspicion *)0)->text) + 128];

	snprintf(text, sizeof(text), "%s [%s, %s]", row->cause, row->certainty, row->id);
	text_labelled(2, is_first ? "because: " : "or: ", text);
	text_labelled(2, "try: ", row->remedy);
}

/* Causes of which the host shows nothing: text names at most this many. */
#define OTHERS_MAX 4

/* ---- records ---- */

static void print_row(struct answer *answer, const struct judgement *judgement,
		      struct explained *row)
{
	row->log = judgement->row.log;
	answer_row(answer, row);
}

static void print_causes(struct answer *answer, const struct judgement *judgement)
{
	const struct mr_diagnosis *diagnosis = &judgement->diagnosis;
	struct explained row;

	for (size_t i = 0; i < diagnosis->cause_count; i++) {
		explained_fill(&row, diagnosis->causes[i].cause);
		explained_add(&row, &diagnosis->causes[i]);
		print_row(answer, judgement, &row);
	}
	for (size_t i = 0; i < judgement->other_count; i++) {
		explained_fill(&row, judgement->others[i]);
		print_row(answer, judgement, &row);
	}
	for (size_t i = 0; i < diagnosis->ruled_out_count; i++) {
		explained_fill(&row, diagnosis->ruled_out[i].cause);
		row.certainty = mr_certainties[MR_RULED_OUT].name;
		row.cause = diagnosis->ruled_out[i].reason;
		print_row(answer, judgement, &row);
	}
}

/* ---- text ---- */

static void print_others(const struct judgement *judgement, bool verbose)
{
	const size_t shown = verbose || judgement->other_count <= OTHERS_MAX
				     ? judgement->other_count
				     : OTHERS_MAX;
	char text[512];

	if (shown)
		output_text("  %s\n", judgement->diagnosis.cause_count
					      ? "Other causes that it can have:"
					      : "Causes that it can have:");
	for (size_t i = 0; i < shown; i++) {
		const struct mr_cause *cause = judgement->others[i];

		snprintf(text, sizeof(text), "%s (%s)", cause->subject, cause->id);
		text_labelled(4, "", text);
		text_labelled(6, "", cause->recognise);
	}
	if (shown < judgement->other_count && judgement->row.errno_name)
		output_text("    and %zu more: mrctl explain %s --call %s\n",
			    judgement->other_count - shown, judgement->row.errno_name,
			    judgement->row.call);
	if (!judgement->other_count && !judgement->diagnosis.cause_count && !judgement->row.remark)
		output_text("  No cause of it is known.\n");
}

static void print_ruled_out(const struct mr_diagnosis *diagnosis)
{
	char text[sizeof(diagnosis->ruled_out[0].reason) + 64];

	for (size_t i = 0; i < diagnosis->ruled_out_count; i++) {
		snprintf(text, sizeof(text), "%s [%s]", diagnosis->ruled_out[i].reason,
			 diagnosis->ruled_out[i].cause->id);
		text_labelled(2, "not: ", text);
	}
}

static void print_judgement(const struct judgement *judgement, bool verbose)
{
	const struct mr_diagnosis *diagnosis = &judgement->diagnosis;
	struct explained row;

	text_of_line(&judgement->row);
	for (size_t i = 0; i < diagnosis->cause_count; i++) {
		explained_fill(&row, diagnosis->causes[i].cause);
		explained_add(&row, &diagnosis->causes[i]);
		text_of_suspicion(&row, !i);
	}
	if (verbose)
		print_ruled_out(diagnosis);
	print_others(judgement, verbose);
	if (judgement->row.repeat[0])
		output_text("  To repeat the call here, and see its cause:\n    %s\n",
			    judgement->row.repeat);
}

static void print_closing(const struct log *log)
{
	char text[128];

	output_text("\n");
	output_paragraph(
		"Causes were judged with the limits of this host and this shell. The program may "
		"have run elsewhere with other limits; its memory was not examined. On the host "
		"that refused, 'mrctl report --to FILE' collects what a ticket needs.",
		0, 0);
	if (!log->left_out)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " further lines report other refusals.",
		 log->left_out);
	output_paragraph(text, 0, 0);
}

/* ---- both ---- */

static int print_all(struct answer *answer, const struct log *log, struct judgement *judgement)
{
	const struct global_args *global = answer->invocation->global;
	const bool prose = is_prose(&global->style);

	if (!prose)
		answer_begin(answer);
	for (size_t i = 0; i < log->count; i++) {
		judgement_hold(judgement, &log->kinds[i], i, global->why);
		if (prose && i)
			output_text("\n");
		if (prose)
			print_judgement(judgement, global->style.verbose);
		else
			print_causes(answer, judgement);
	}
	if (prose && log->count)
		print_closing(log);
	if (!prose)
		answer_end_rows(answer);
	return 0;
}

/* JSON: what the lines say; text has it already */
static void print_log(struct answer *answer, const struct log *log)
{
	struct log_row row;

	if (!answer->out.style->json)
		return;
	output_list_begin(&answer->out, log_record.list, &log_record, false);
	for (size_t i = 0; i < log->count; i++) {
		log_row_fill(&row, &log->kinds[i], i);
		output_row(&answer->out, &log_record, &row);
	}
	output_list_end(&answer->out);
}

/* What one line lacks, which cannot be explained */
static void fail_line(const char *text, size_t length, struct mr_error *why)
{
	struct mr_log_line line;
	int errnum;

	mr_log_line_read(&line, text, length);
	mr_fail_text(why, MR_ERROR_HOST, ENOMSG, "nothing is known of this line");
	errnum = mr_log_line_errno(text, length);
	if (line.call)
		mr_hint(why,
			"it is about %s, but does not say that it failed, and has no errno; "
			"mrctl explain ERRNO --call %s lists causes",
			line.call, line.call);
	else if (errnum)
		mr_hint(why,
			"it has %s, but names no call of registration: mrctl explain %s lists "
			"causes",
			mr_errno_name(errnum), mr_errno_name(errnum));
	else
		mr_hint(why, "it names neither a call of registration nor an errno");
}

static void fail_log(const struct log *log, struct mr_error *why)
{
	mr_fail_text(why, MR_ERROR_HOST, ENOMSG,
		     "none of %" PRIu64 " lines reports a refused registration", log->lines);
	if (log->too_long)
		mr_hint(why, "%" PRIu64 " of them have more than %d bytes, and were not read",
			log->too_long, MR_LOG_LINE_MAX);
}

static int answer_log(struct answer *answer, const struct log *log, const char *line,
		      struct mr_error *err)
{
	struct judgement *judgement = malloc(sizeof(*judgement));
	struct mr_error why;
	int rc;

	if (!judgement)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	if (!log->count && line)
		fail_line(line, strlen(line), &why);
	else if (!log->count)
		fail_log(log, &why);
	if (!log->count)
		answer_fail(answer, &why, 0, 0, MR_VIA_LIBRARY);
	print_all(answer, log, judgement);
	print_log(answer, log);
	free(judgement);
	rc = answer_end(answer, 0, err);
	return rc ? rc : answer_status(answer, 0, NULL);
}

/* Explains a line of a log, or those on standard input where it is "-"; returns as run(). */
static int explain_lines(const struct invocation *invocation, const char *line,
			 struct mr_error *err)
{
	struct mr_environment environment;
	struct log log = { .count = 0 };
	struct answer answer;
	int rc;

	mr_environment_init(&environment);
	rc = answer_init(&answer, invocation, NULL, &environment, 0, err);
	if (rc)
		return rc;
	rc = line ? log_take(&log, line, strlen(line), err) : log_read(&log, err);
	if (!rc)
		rc = answer_log(&answer, &log, line, err);
	log_release(&log);
	answer_release(&answer);
	return rc;
}

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
	mr_fail_usage(err, "--call: no cause is known for '%s'", call);
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
	mr_fail_usage(err, "'%s' is neither a cause nor an errno", word);
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
		mr_fail_usage(err, "what is to be explained?");
		mr_hint(err, "give an id such as MR-MEMLOCK, an errno, a line of a log, or --list");
		return -EINVAL;
	}
	if (operands[0] && args->list)
		return mr_fail_usage(err, "--list explains all causes: it excludes '%s'",
				     operands[0]);
	if (operands[0] && operands[1]) {
		mr_fail_usage(err, "unexpected argument '%s'", operands[1]);
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
		return mr_fail_usage(err, "a line of a log has at most %d bytes, and this one %zu",
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
		"those that report a refused registration explained.",
	.groups = groups,
	.args_size = sizeof(struct explain_args),
	.record = &explained_record,
	.members =
		(const struct field[]){
			DOCUMENT_LIST("log", &log_record, "what lines of a log say"), FIELD_END },
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
