// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cli/cli.h"
#include "cmd/explain/explain.h"
#include "cmd/output/output.h"
#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"

/* State that the parts of mrctl explain share. */
struct explain_args {
	const char *call; /* or NULL */
	bool list;
};

/* A cause, as records have it. */
struct explained {
	const struct mr_cause *entry;
	struct mr_opt_u64 log; /*< number of the refusal in the log */
	const char *certainty;
	const char *layer;
	const char *const *errnos; /*< NULL: any */
	const char *const *calls;
	const char *frequency;
	const char *cause;
	const struct mr_suspicion *suspicion; /*< has the evidence; or NULL */
	const char *remedy;
	/* Storage for the members above: */
	const char *errno_names[MR_CAUSE_ERRNOS + 1];
	const char *call_names[MR_OPERATIONS + 2];
};

#define ENTRY_FIELD(key, member, ...)                                                              \
	FIELD_BEHIND(key, struct explained, entry, struct mr_cause, member, FIELD_STRING,          \
		     __VA_ARGS__)

static const struct field fields[] = {
	FIELD(struct explained, log, FIELD_NUMBER, 0, "number of the refusal in the log, from 1"),
	ENTRY_FIELD("id", id, FIELD_KNOWN, "id of the cause; it never changes"),
	FIELD(struct explained, certainty, FIELD_STRING, 0,
	      "likely, possible, ...; unknown if nothing was found"),
	ENTRY_FIELD("subject", subject, FIELD_KNOWN, "the cause in a few words"),
	FIELD(struct explained, layer, FIELD_STRING, 0, "layer that refuses: uverbs, driver, ..."),
	FIELD(struct explained, errnos, FIELD_WORDS, 0, "errnos of the refusal; unknown: any"),
	FIELD(struct explained, calls, FIELD_WORDS, 0, "calls that it refuses"),
	FIELD(struct explained, frequency, FIELD_STRING, FIELD_DETAIL,
	      "frequency at sites: common, occasional, rare"),
	FIELD(struct explained, cause, FIELD_STRING, FIELD_DETAIL,
	      "evidence on this host, with its figures"),
	FIELD_FACTS(struct mr_suspicion,
		    .pointer = 1 + CHECKED_OFFSET(struct explained, suspicion,
						  const struct mr_suspicion *)),
	FIELD(struct explained, remedy, FIELD_STRING, FIELD_DETAIL, "what to do"),
	ENTRY_FIELD("what", what, FIELD_DETAIL | FIELD_KNOWN, "description"),
	ENTRY_FIELD("recognise", recognise, FIELD_DETAIL,
		    "how to distinguish it from other causes"),
	ENTRY_FIELD("source", sources, FIELD_DETAIL,
		    "files of the kernel, manual pages and threads"),
	FIELD_END,
};
static const struct record explained_record = { "explained", fields, "causes" };

static const char *const frequencies[] = {
	[MR_COMMON] = "common", [MR_OCCASIONAL] = "occasional", [MR_RARE] = "rare"
};

/* Fills @row, which must not be moved after that; @found: the findings about the cause, or NULL. */
static void explained_fill(struct explained *row, const struct mr_cause *cause,
			   const struct mr_suspicion *found)
{
	size_t errnos = 0, calls = 0;

	*row = (struct explained){
		.entry = cause,
		.certainty = found ? mr_certainties[found->certainty].name : NULL,
		.layer = mr_layer_name(cause->layer),
		.frequency = frequencies[cause->frequency],
		.cause = found ? found->text : NULL,
		.suspicion = found,
		.remedy = found && found->remedy[0] ? found->remedy : cause->remedy,
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

/* Whether it is printed as sentences: no option requests records. */
static bool is_prose(const struct output_style *style)
{
	return !style->json && !style->columns && !style->no_headings && !style->quiet;
}

/* Prints a paragraph behind a label, which is indented by @indent. */
static void print_labelled(size_t indent, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void print_labelled(size_t indent, const char *label, const char *fmt, ...)
{
	const size_t column = indent + strlen(label);
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	output_text("%*s%s", (int)indent, "", label);
	output_paragraph(text, column, column);
}

/* Prints a text behind a label in a separate column, "what:       ..."; nothing for NULL. */
static void print_part(const char *name, const char *text)
{
	char label[13];

	snprintf(label, sizeof(label), "%s:%*s", name, 11 - (int)strlen(name), "");
	if (text)
		print_labelled(0, label, "%s", text);
}

/* Names with ", " between; an empty text for none. */
static const char *list_text(const char *const *names, char *buffer, size_t size)
{
	buffer[0] = '\0';
	for (; names && *names; names++)
		mr_text_add(buffer, size, ", ", "%s", *names);
	return buffer;
}

static void print_heading(const struct mr_cause *cause)
{
	output_coloured(COLOUR_HEADING, cause->id, 0);
	output_text(": ");
	output_paragraph(cause->subject, strlen(cause->id) + 2, 0);
}

/* Prints all that is known of a cause or check; @is_check: mrctl stat --host looks at it. */
static void print_explained(const struct explained *row, bool is_check)
{
	char list[512];

	print_heading(row->entry);
	output_text("\n");
	print_part("what", row->entry->what);
	print_part("recognise", row->entry->recognise);
	print_part("try", row->remedy);
	if (row->calls) {
		print_part("errnos",
			   row->errnos ? list_text(row->errnos, list, sizeof(list)) : "any");
		print_part("calls", list_text(row->calls, list, sizeof(list)));
		print_part("refused by", row->layer);
		print_part("frequency", row->frequency);
	}
	print_part("sources", row->entry->sources);
	snprintf(list, sizeof(list), "mrctl stat --host --only %s", row->entry->id);
	print_part("this host", is_check ? list : NULL);
}

/* ---- lines of a log ---- */

static void print_request(const struct mr_log_line *line)
{
	char text[FIELD_TEXT_MAX + 256] = "", access[FIELD_TEXT_MAX];
	const size_t size = sizeof(text);

	if (line->length.known && line->length.value >= 1024)
		mr_text_add(text, size, "", "%" PRIu64 " bytes (%s)", line->length.value,
			    MR_SIZE(line->length.value));
	else if (line->length.known)
		mr_text_add(text, size, "", "%" PRIu64 " bytes", line->length.value);
	if (line->addr.known)
		mr_text_add(text, size, "", "%s at 0x%" PRIx64, text[0] ? "" : "memory",
			    line->addr.value);
	if (line->iova.known)
		mr_text_add(text, size, ", ", "I/O virtual address 0x%" PRIx64, line->iova.value);
	if (line->access.known)
		mr_text_add(text, size, ", ", "access %s",
			    access_text((uint32_t)line->access.value, access));
	if (line->device[0])
		mr_text_add(text, size, ", ", "device %s", line->device);
	if (text[0])
		print_labelled(2, "asked for ", "%s", text);
}

/* Prints the refused call, and which parts of it the line names. */
static void print_call(const struct mr_log_line *line)
{
	const char *call = line->call ? line->call : line->command;
	char text[512];

	if (line->errnum)
		snprintf(text, sizeof(text), "%s: %s (%s)", call, mr_errno_name(line->errnum),
			 mr_errno_text(line->errnum));
	else if (line->is_reason)
		snprintf(
			text, sizeof(text),
			!strcmp(call, "ibv_poll_cq")
				? "%s: a work request completed with an error"
				: "%s: the line has a reason for refusals, but names no refused call",
			call);
	else
		snprintf(text, sizeof(text), "%s failed; no line near this one has its errno",
			 call);
	output_paragraph(text, 0, 2);
	if (line->call && line->command[0])
		print_labelled(
			2, "",
			"The line does not name the call; the call above sends the command.");
	else if (line->call && line->is_of_libfabric)
		print_labelled(
			2, "",
			"The line comes from libfabric, whose providers verbs and efa make this call; "
			"others do not (FI_LOG_LEVEL=info names the provider).");
	else if (line->call && !line->is_named && !line->is_reason)
		print_labelled(2, "",
			       "The line does not name the call; its words match the call above.");
}

/* Prints the refusal of a line. */
static void print_line(const struct log_kind *kind)
{
	const struct mr_log_line *line = &kind->line;
	const char *other = line->other_errnum ? mr_errno_name(line->other_errnum) : NULL;

	output_text("> ");
	output_paragraph(kind->text, 2, 2);
	output_text("\n");
	if (line->remark) {
		output_paragraph(line->remark, 2, 2);
		output_text("\n");
		return;
	}
	print_call(line);
	print_request(line);
	if (line->status.known)
		print_labelled(
			2, "firmware: ",
			"%s was refused: status 0x%" PRIx64 " (%s: %s), syndrome 0x%" PRIx64,
			line->command, line->status.value, kind->status ? kind->status->name : "?",
			kind->status ? kind->status->meaning : "not known", line->syndrome.value);
	if (other && line->status.known)
		print_labelled(2, "", "The usual errno of this status is %s.", other);
	else if (other)
		print_labelled(2, "", "The line also has %s.", other);
	if (kind->count > 1)
		print_labelled(2, "", "%" PRIu64 " lines report such a refusal.", kind->count);
}

/* ---- records ---- */

static void print_causes(struct answer *answer, const struct mr_log_judgement *judgement,
			 uint64_t log)
{
	struct explained row;

	for (size_t i = 0; i < judgement->count; i++) {
		explained_fill(&row, judgement->causes[i].cause, judgement->causes[i].found);
		row.log = known(log);
		answer_row(answer, &row);
	}
	for (size_t i = 0; i < judgement->here.ruled_out_count; i++) {
		explained_fill(&row, judgement->here.ruled_out[i].cause, NULL);
		row.certainty = mr_certainties[MR_RULED_OUT].name;
		row.cause = judgement->here.ruled_out[i].reason;
		row.log = known(log);
		answer_row(answer, &row);
	}
}

/* ---- text ---- */

/* Causes of which nothing was found out: text names at most this many. */
#define OTHERS_MAX 4

static void print_others(const struct mr_log_judgement *judgement, size_t found,
			 const struct mr_log_line *line, bool verbose)
{
	const size_t count = judgement->count - found;
	const size_t shown = verbose || count <= OTHERS_MAX ? count : OTHERS_MAX;

	if (shown)
		output_text("  %s\n", found ? "Other possible causes:" : "Possible causes:");
	for (size_t i = found; i < found + shown; i++) {
		const struct mr_cause *cause = judgement->causes[i].cause;

		print_labelled(4, "", "%s (%s)", cause->subject, cause->id);
		print_labelled(6, "", "%s", cause->recognise);
	}
	if (shown < count && line->errnum)
		output_text("    and %zu more: mrctl explain %s --call %s\n", count - shown,
			    mr_errno_name(line->errnum), line->call);
	if (!judgement->count && !line->remark)
		output_text("  No cause is known.\n");
}

static void print_judgement(const struct mr_log_judgement *judgement, const struct log_kind *kind,
			    bool verbose)
{
	const struct mr_diagnosis *here = &judgement->here;
	size_t found = 0;

	print_line(kind);
	for (; found < judgement->count && judgement->causes[found].found; found++) {
		const struct mr_suspicion *cause = judgement->causes[found].found;

		print_labelled(2, found ? "or: " : "because: ", "%s [%s, %s]", cause->text,
			       mr_certainties[cause->certainty].name, cause->cause->id);
		print_labelled(2, "try: ", "%s",
			       cause->remedy[0] ? cause->remedy : cause->cause->remedy);
	}
	for (size_t i = 0; verbose && i < here->ruled_out_count; i++)
		print_labelled(2, "not: ", "%s [%s]", here->ruled_out[i].reason,
			       here->ruled_out[i].cause->id);
	print_others(judgement, found, &kind->line, verbose);
	if (kind->repeat[0])
		output_text("  To repeat the call here and see the cause:\n    %s\n", kind->repeat);
}

/* ---- both ---- */

/* Reports why a line cannot be explained. */
static void fail_line(const char *text, struct mr_error *why)
{
	struct mr_log_line line;

	mr_log_line_scan(&line, text, strlen(text));
	mr_fail_text(why, MR_ERROR_HOST, ENOMSG, "the line reports no refused registration");
	if (line.call)
		mr_hint(why,
			"the line names %s, but neither a failure nor an errno; mrctl explain "
			"ERRNO --call %s lists causes",
			line.call, line.call);
	else if (line.errnum)
		mr_hint(why,
			"the line has %s, but names no call of registration: mrctl explain %s "
			"lists causes",
			mr_errno_name(line.errnum), mr_errno_name(line.errnum));
	else
		mr_hint(why, "the line names neither a call of registration nor an errno");
}

static void fail_log(struct answer *answer, const struct log *log, const char *line)
{
	struct mr_error why;

	if (line)
		fail_line(line, &why);
	else
		mr_fail_text(&why, MR_ERROR_HOST, ENOMSG,
			     "none of %" PRIu64 " lines reports a refused registration",
			     log->lines);
	if (log->too_long)
		mr_hint(&why, "%" PRIu64 " of them have more than %d bytes, and were not read",
			log->too_long, MR_LOG_LINE_MAX);
	answer_fail(answer, &why, 0, 0, MR_VIA_LIBRARY);
}

static void print_log(struct answer *answer, const struct log *log)
{
	const struct global_args *global = answer->invocation->global;
	const bool prose = is_prose(&global->style);
	struct mr_log_judgement judgement;

	if (!prose)
		answer_begin(answer);
	for (size_t i = 0; i < log->count; i++) {
		mr_log_judge(&judgement, &log->kinds[i].line, global->why != WHY_NONE);
		if (prose && i)
			output_text("\n");
		if (prose)
			print_judgement(&judgement, &log->kinds[i], global->style.verbose);
		else
			print_causes(answer, &judgement, i + 1);
	}
	if (prose && log->count) {
		output_text("\n");
		output_paragraph(
			"The causes were judged by the limits of this host and this shell. The "
			"program may have run elsewhere with other limits; its memory was not "
			"examined. On the host that refused, 'mrctl report --to FILE' collects "
			"what a ticket needs.",
			0, 0);
	}
	if (prose && log->left_out)
		print_labelled(0, "", "%" PRIu64 " further lines report other refusals.",
			       log->left_out);
	if (!prose)
		answer_end_rows(answer);
	/* JSON: the facts of the lines, which the text already has */
	if (!answer->out.style->json)
		return;
	output_list_begin(&answer->out, log_record.list, &log_record, false);
	for (size_t i = 0; i < log->count; i++)
		output_row(&answer->out, &log_record, &log->kinds[i]);
	output_list_end(&answer->out);
}

/* Explains a line of a log, or those on standard input where it is NULL.  Return: 0 or -errno. */
static int answer_lines(struct answer *answer, const char *line, struct mr_error *err)
{
	struct log log = { .count = 0 };
	int rc = 0;

	if (line)
		log_take(&log, line, strlen(line));
	else
		rc = log_read(&log, err);
	if (!rc && !log.count)
		fail_log(answer, &log, line);
	if (!rc) {
		log_complete(&log);
		print_log(answer, &log);
	}
	mr_languages_free(log.languages);
	return rc;
}

/* The cause, errno or line to explain. */
struct question {
	const struct mr_cause *cause;
	const struct mr_check *check;
	int errnum;
};

/* ---- reading it ---- */

static int fail_call(const char *call, struct mr_error *err)
{
	struct mr_guess guess = { .word = call, .length = strlen(call) };
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

static int fail_word(const char *word, struct mr_error *err)
{
	struct mr_guess guess = { .word = word, .length = strlen(word) };

	for (const struct mr_cause *cause = mr_cause_next(NULL); cause;
	     cause = mr_cause_next(cause))
		mr_guess_try(&guess, cause->id);
	for (const struct mr_check *check = mr_checks; check->id; check++)
		mr_guess_try(&guess, check->id);
	if (!guess.best)
		guess.best = mr_errno_guess(word, strlen(word));
	mr_fail_usage(err, "'%s' is neither a cause nor an errno", word);
	if (!access(word, R_OK))
		mr_hint(err, "explain the lines of a file with: mrctl explain - <%s", word);
	else if (guess.best)
		mr_hint(err, "did you mean '%s'?", guess.best);
	else
		mr_hint(err, "mrctl explain --list lists all causes");
	return -EINVAL;
}

static bool read_question(const char *word, struct question *question)
{
	*question = (struct question){
		.cause = word ? mr_cause_find(word, strlen(word)) : NULL,
		.check = word ? mr_check_find(word, strlen(word)) : NULL,
		.errnum = word ? errno_of(word) : 0,
	};
	return question->cause || question->check || question->errnum;
}

static int check_explain(const struct invocation *invocation, struct mr_error *err)
{
	const struct explain_args *args = invocation->args;
	char **operands = invocation->operands;
	const char *word = operands[0];
	struct question question;

	if (!word && !args->list && !args->call) {
		mr_fail_usage(
			err,
			"explain requires a cause, an errno, a line of a log, --call, or --list");
		mr_hint(err, "for example: mrctl explain MR-MEMLOCK");
		return -EINVAL;
	}
	if (word && args->list)
		return mr_fail_usage(err, "--list explains all causes: it excludes '%s'", word);
	if (word && operands[1]) {
		mr_fail_usage(err, "unexpected argument '%s'", operands[1]);
		mr_hint(err, "a line of a log is one argument: put it in single quotes");
		return -EINVAL;
	}
	if (args->call && !mr_operations_of_name(args->call))
		return fail_call(args->call, err);
	if (word && strlen(word) > MR_LOG_LINE_MAX)
		return mr_fail_usage(err, "a line of a log has at most %d bytes; this one has %zu",
				     MR_LOG_LINE_MAX, strlen(word));
	/* One word, without what surrounds numbers, can be no line of a log. */
	if (!word || !strcmp(word, "-") || read_question(word, &question) ||
	    word[strcspn(word, " \t:()=[],")])
		return 0;
	return fail_word(word, err);
}

/* ---- answering it ---- */

static void print_owners(const struct mr_cause *const *owners, size_t count, int errnum,
			 const char *call)
{
	char text[256] = "";

	if (errnum)
		mr_text_add(text, sizeof(text), "", "%s (%s)", mr_errno_name(errnum),
			    mr_errno_text(errnum));
	if (call)
		mr_text_add(text, sizeof(text), " of ", "%s", call);
	mr_text_add(text, sizeof(text), ": ", "%zu cause%s%s", count, count == 1 ? "" : "s",
		    count > 1 ? ", the most frequent ones first" : "");
	output_paragraph(text, 0, 2);
	for (size_t i = 0; i < count; i++) {
		output_text("\n");
		print_heading(owners[i]);
		print_labelled(2, "", "%s", owners[i]->recognise);
		print_labelled(2, "try: ", "%s", owners[i]->remedy);
	}
}

/* Explains the causes of an errno or call, or all. */
static void answer_owners(struct answer *answer, int errnum, bool prose)
{
	const char *call = ((const struct explain_args *)answer->invocation->args)->call;
	const struct mr_cause *owners[MR_OWNERS];
	const size_t count = mr_owners(call, errnum, owners);
	struct explained row;
	struct mr_error why;

	if (!count) {
		mr_fail_text(&why, MR_ERROR_HOST, ENOMSG, "no cause of %s%s%s is known",
			     mr_errno_name(errnum), call ? " by " : "", call ? call : "");
		answer_fail(answer, &why, 0, 0, MR_VIA_LIBRARY);
	} else if (prose) {
		print_owners(owners, count, errnum, call);
	}
	if (prose)
		return;
	answer_begin(answer);
	for (size_t i = 0; i < count; i++) {
		explained_fill(&row, owners[i], NULL);
		answer_row(answer, &row);
	}
	answer_end_rows(answer);
}

/* Explains a cause or check. */
static void answer_one(struct answer *answer, const struct question *question, bool prose)
{
	const struct mr_check *check = question->check;
	struct mr_cause entry;
	struct explained row = { .entry = &entry };

	if (question->cause)
		explained_fill(&row, question->cause, NULL);
	else
		entry = (struct mr_cause){
			.id = check->id,
			.subject = check->subject,
			.what = "It is a check of mrctl stat --host, and no cause by itself.",
		};
	if (prose) {
		print_explained(&row, check);
		return;
	}
	answer_begin(answer);
	answer_row(answer, &row);
	answer_end_rows(answer);
}

static int run_explain(const struct invocation *invocation, struct mr_error *err)
{
	const struct explain_args *args = invocation->args;
	const bool prose = is_prose(&invocation->global->style) && !args->list;
	const char *word = invocation->operands[0];
	struct mr_environment environment;
	struct question question;
	struct answer answer;
	int rc;

	mr_environment_init(&environment);
	rc = answer_init(&answer, invocation, NULL, &environment, 0, err);
	if (rc)
		return rc;
	read_question(word, &question);
	if (question.cause || question.check)
		answer_one(&answer, &question, prose);
	else if (question.errnum || !word)
		answer_owners(&answer, question.errnum, prose);
	else
		rc = answer_lines(&answer, strcmp(word, "-") ? word : NULL, err);
	return answer_close(&answer, rc, 0, err);
}

static const struct option_spec options[] = {
	OPTION(0, "call", string, struct explain_args, call, "CALL",
	       "explain only causes of CALL, such as ibv_reg_mr"),
	OPTION(0, "list", flag, struct explain_args, list, NULL, "list all causes"),
	OPTION_END,
};
static const struct option_group group = { "What to explain", options };
static const struct option_group *const groups[] = { &group, NULL };

const struct command command_explain = {
	.name = "explain",
	.operands = "[CAUSE|ERRNO|LINE|-]",
	.summary = "explain a cause, an errno, or a line of another program's log",
	.description =
		"Explains why registrations are refused: a CAUSE by its id, all causes of an "
		"ERRNO, or a LINE that another program has logged (UCX, NCCL, libfabric, "
		"perftest, the kernel, ...). With -, it reads the lines of standard input, and "
		"explains those that report a refused registration.",
	.groups = groups,
	.args_size = sizeof(struct explain_args),
	.record = &explained_record,
	.members = (const struct field[]){ DOCUMENT_LIST("log", &log_record,
							 "refusals that a log reports"),
					   FIELD_END },
	.columns = "log,certainty,id,layer,errnos,subject",
	.topics = TOPIC_CAUSES,
	.examples = (const char *const[]){ "mrctl explain MR-MEMLOCK",
					   "mrctl explain ENOMEM --call ibv_reg_mr",
					   "dmesg | mrctl explain -", NULL },
	.opens_no_device = true,
	.not_in_batch = true,
	.check = check_explain,
	.run = run_explain,
};
