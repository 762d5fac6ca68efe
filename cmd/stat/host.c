// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat/stat.h"

/* A check, and what it found. */
struct check_row {
	const struct mr_check *check;
	struct mr_finding finding;
};

/* The results of all checks. */
struct host_result {
	const struct stat_args *args;
	struct check_row *rows;
	uint64_t count;
	uint64_t counts[MR_VERDICTS];
	uint64_t hidden; /* of those that are unknown: is_hidden */
	bool is_done;    /* the checks were done, and counted */
	enum mr_verdict worst;
	const char *recording; /* the folder of the host; NULL: this machine */
	bool simulated;        /* its RDMA devices are simulated ones */
};

/* Room for the line that a monitoring system reads. */
#define STATUS_LINE_MAX 512

/* Sets which checks of a list are done.  @list: or NULL, which names none */
static int choose(struct check_row *rows, bool is_done, const char *option, const char *list,
		  struct mr_error *err)
{
	const char *id, *rest = list;
	size_t length;

	while (rest && (id = mr_list_item(&rest, ",", &length))) {
		const struct mr_check *check = mr_check_find(id, length);
		const char *guess;

		if (!length) {
			mr_fail_usage(err, "--%s: an id is missing in '%s'", option, list);
			mr_hint(err,
				"separate two ids by one ','; mrctl help checks lists all ids");
			return -EINVAL;
		}
		if (check) {
			rows[check - mr_checks].check = is_done ? check : NULL;
			continue;
		}
		guess = mr_guess_from(id, length, mr_checks, sizeof(*mr_checks));
		mr_fail_usage(err, "--%s: no such check: '%.*s'", option, (int)length, id);
		if (guess)
			mr_hint(err, "did you mean '%s'?", guess);
		else
			mr_hint(err, "mrctl help checks lists all");
		return -EINVAL;
	}
	return 0;
}

/* Makes a row for each check that --only and --ignore leave. */
static int result_select(struct host_result *result, struct mr_error *err)
{
	const struct stat_args *args = result->args;
	size_t count = 0;
	int rc;

	while (mr_checks[count].id)
		count++;
	result->rows = calloc(count + 1, sizeof(*result->rows));
	if (!result->rows)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (size_t i = 0; !args->only && i < count; i++)
		result->rows[i].check = &mr_checks[i];
	rc = choose(result->rows, true, "only", args->only, err);
	if (!rc)
		rc = choose(result->rows, false, "ignore", args->ignore, err);
	for (size_t i = 0; !rc && i < count; i++)
		if (result->rows[i].check)
			result->rows[result->count++] = result->rows[i];
	if (!rc && count && !result->count)
		rc = mr_fail_usage(err, "--only and --ignore leave no check to do");
	return rc;
}

/* Replaces each "|" of a text: to Nagios it begins the performance data. */
static void result_hide_bars(char *text)
{
	for (char *bar = text; (bar = strchr(bar, '|'));)
		*bar = '/';
}

/* Does the checks. */
static void result_look(struct host_result *result, struct mr_host *host)
{
	struct mr_question question = { .host = host, .is_gpu = result->args->memory.is_gpu };
	const struct mr_memory_kind *memory = &result->args->memory.kind;

	if (memory->type == MR_MEMORY_HUGETLB)
		question.huge_size =
			memory->huge_size ? memory->huge_size : mr_huge_page_default(host);
	for (size_t i = 0; i < result->count; i++) {
		const struct mr_check *check = result->rows[i].check;
		struct mr_finding *finding = &result->rows[i].finding;

		question.size = result->args->for_size;
		/* Memory of a GPU uses none of the resources of these groups of checks. */
		if (question.is_gpu &&
		    (!strcmp(check->group, "limits") || !strcmp(check->group, "control groups") ||
		     !strcmp(check->group, "memory")))
			question.size.known = false;
		check->look(&question, finding);
		result->counts[finding->verdict]++;
		result->hidden += finding->is_hidden;
		if (finding->verdict > result->worst)
			result->worst = finding->verdict;
		if (result->args->exit_style != EXIT_STYLE_NAGIOS)
			continue;
		result_hide_bars(finding->figure);
		result_hide_bars(finding->detail);
		result_hide_bars(finding->remedy);
	}
	result->is_done = true;
	result->recording = result->args->root;
}

/*
 * Return codes of Nagios' plugins, and what they are called there ("Plugin Return Codes" of the guidelines of
 * the Monitoring Plugins).
 */
enum nagios { NAGIOS_OK, NAGIOS_WARNING, NAGIOS_CRITICAL, NAGIOS_UNKNOWN };

static const char *const nagios_names[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };

/* Statuses of node-problem-detector's plugins (its pkg/custompluginmonitor/plugin/plugin.go: others are unknown, too). */
enum npd { NPD_OK, NPD_PROBLEM, NPD_UNKNOWN };

/* Bytes of a plugin's output that node-problem-detector keeps by default (max_output_length). */
#define NPD_MAX 80

/* Whether a check is unknown that an ordinary container does not hide. */
static bool has_unknown(const struct host_result *result)
{
	return result->counts[MR_VERDICT_UNKNOWN] > result->hidden;
}

static enum nagios nagios_status(const struct host_result *result)
{
	static const enum nagios statuses[MR_VERDICTS] = {
		[MR_VERDICT_NA] = NAGIOS_OK,           [MR_VERDICT_OK] = NAGIOS_OK,
		[MR_VERDICT_UNKNOWN] = NAGIOS_UNKNOWN, [MR_VERDICT_WARN] = NAGIOS_WARNING,
		[MR_VERDICT_BAD] = NAGIOS_CRITICAL,
	};

	const enum mr_verdict worst = result->worst;

	return worst == MR_VERDICT_UNKNOWN && !has_unknown(result) ? NAGIOS_OK : statuses[worst];
}

/* Whether a check fails by --fail-on. */
static bool has_failed(const struct host_result *result)
{
	return result->counts[MR_VERDICT_BAD] ||
	       (result->args->fail_on == FAIL_ON_WARN && result->counts[MR_VERDICT_WARN]);
}

static int status_of(const struct host_result *result)
{
	switch (result->args->exit_style) {
	case EXIT_STYLE_NAGIOS:
		return (int)nagios_status(result);
	case EXIT_STYLE_NPD:
		return has_failed(result)    ? NPD_PROBLEM
		       : has_unknown(result) ? NPD_UNKNOWN
					     : NPD_OK;
	case EXIT_STYLE_PLAIN:
		break;
	}
	return has_failed(result) ? EXIT_REFUSED : EXIT_DONE;
}

/* Returns the exit status where the checks could not be done, or not be printed. */
static int status_of_failure(enum exit_style style)
{
	return style == EXIT_STYLE_NAGIOS ? NAGIOS_UNKNOWN
	       : style == EXIT_STYLE_NPD  ? NPD_UNKNOWN
					  : EXIT_REFUSED;
}

/* Cuts a line that is longer than @max, behind a part of it where that is possible. */
static void cut_line(char *text, size_t max)
{
	static const char more[] = " ...";
	size_t end = max - strlen(more), at = end;

	if (strlen(text) <= max)
		return;
	while (at && text[at] != ',')
		at--;
	strcpy(text + (at ? at : end), more);
}

/*
 * Prints the line that a monitoring system reads, cut to its length: how many checks have each verdict but n/a,
 * and the checks with the worst one, unless that is "ok".  @result: NULL where the checks could not be done, and @failure
 * says why.
 */
static void print_status_line(enum exit_style style, const struct host_result *result,
			      const char *failure)
{
	const bool nagios = style == EXIT_STYLE_NAGIOS;
	const enum mr_verdict worst = result ? result->worst : MR_VERDICT_OK;
	const char *separator = "";
	char text[STATUS_LINE_MAX] = "";

	if (nagios)
		mr_text_add(text, sizeof(text), "", "MRCTL %s: ",
			    nagios_names[result ? nagios_status(result) : NAGIOS_UNKNOWN]);
	for (int verdict = MR_VERDICT_BAD; result && verdict > MR_VERDICT_NA; verdict--) {
		if (!result->counts[verdict])
			continue;
		mr_text_add(text, sizeof(text), separator, "%" PRIu64 " %s",
			    result->counts[verdict], mr_verdicts[verdict].name);
		separator = ", ";
	}
	if (!*separator)
		mr_text_add(text, sizeof(text), "", "%s",
			    result ? "no check applies to this host" : failure);
	separator = ": ";
	for (size_t i = 0; result && worst != MR_VERDICT_OK && i < result->count; i++) {
		const struct check_row *row = &result->rows[i];

		if (row->finding.verdict != worst)
			continue;
		mr_text_add(text, sizeof(text), separator, "%s", row->check->id);
		if (nagios && row->finding.figure[0])
			mr_text_add(text, sizeof(text), " ", "(%s)", row->finding.figure);
		separator = ", ";
	}
	cut_line(text, nagios ? STATUS_LINE_MAX - 160 : NPD_MAX - 1);
	if (nagios)
		result_hide_bars(text);
	/* Performance data follows a "|", and is drawn as curves: 'label'=value;warn;crit;min;max. */
	if (nagios && result)
		mr_text_add(text, sizeof(text), " | ",
			    "bad=%" PRIu64 ";;0;0;%" PRIu64 " warn=%" PRIu64 ";0;;0;%" PRIu64
			    " unknown=%" PRIu64 ";;;0;%" PRIu64 " ok=%" PRIu64 ";;;0;%" PRIu64,
			    result->counts[MR_VERDICT_BAD], result->count,
			    result->counts[MR_VERDICT_WARN], result->count,
			    result->counts[MR_VERDICT_UNKNOWN], result->count,
			    result->counts[MR_VERDICT_OK], result->count);
	output_foreign(text);
	output_text("\n");
}

int status_fail(enum exit_style style, struct mr_error *err)
{
	if (style == EXIT_STYLE_PLAIN)
		return -1;
	print_status_line(style, NULL, err->text);
	report_error("stat", err);
	mr_error_clear(err);
	output_flush(err);
	mr_error_clear(err);
	return status_of_failure(style);
}

#define VERDICT_WIDTH 8

/* A word that needs attention is visible without colour, too. */
static const struct coloured_word looks[MR_VERDICTS] = {
	[MR_VERDICT_NA] = { "n/a", COLOUR_PLAIN },
	[MR_VERDICT_OK] = { "ok", COLOUR_GOOD },
	[MR_VERDICT_UNKNOWN] = { "unknown", COLOUR_DOUBT },
	[MR_VERDICT_WARN] = { "WARN", COLOUR_DOUBT },
	[MR_VERDICT_BAD] = { "BAD", COLOUR_BAD },
};

/* The column of the sentences; the same for any selection of checks. */
static size_t sentence_column(void)
{
	size_t longest = 0;

	for (const struct mr_check *check = mr_checks; check->id; check++)
		if (strlen(check->id) > longest)
			longest = strlen(check->id);
	return 2 + VERDICT_WIDTH + longest + 2;
}

static void print_below(const char *what, const char *text, size_t column)
{
	if (!*text)
		return;
	output_text("%*s%s", (int)column, "", what);
	output_paragraph(text, column + strlen(what), column + strlen(what));
}

static void print_check(const struct check_row *row, bool verbose)
{
	const enum mr_verdict verdict = row->finding.verdict;
	const size_t column = sentence_column();
	char sentence[sizeof(row->finding.figure) + 128];

	snprintf(sentence, sizeof(sentence), "%s%s%s", row->check->subject,
		 row->finding.figure[0] ? ": " : "", row->finding.figure);
	output_text("  ");
	output_coloured(looks[verdict].colour, looks[verdict].word, VERDICT_WIDTH);
	output_text("%-*s", (int)column - VERDICT_WIDTH - 2, row->check->id);
	output_paragraph(sentence, column, column);
	if (verbose)
		print_below("", row->finding.detail, column);
	print_below("try: ", row->finding.remedy, column);
}

/* The closing sentence, such as "31 checks: 28 ok, 2 warn, 1 bad". */
static void print_summary(const struct host_result *result)
{
	static const enum mr_verdict order[] = { MR_VERDICT_OK, MR_VERDICT_WARN, MR_VERDICT_BAD,
						 MR_VERDICT_UNKNOWN, MR_VERDICT_NA };
	const char *separator = "";

	output_text("\n%" PRIu64 " check%s: ", result->count, result->count == 1 ? "" : "s");
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		const uint64_t count = result->counts[order[i]];

		if (!count)
			continue;
		output_text("%s%" PRIu64 " %s", separator, count, mr_verdicts[order[i]].name);
		separator = ", ";
	}
	output_text("\n");
}

/* Prints it for people. */
static void result_print(const struct host_result *result, bool verbose)
{
	char sentence[PATH_MAX + 64];
	const char *group = "";

	for (size_t i = 0; i < result->count; i++) {
		const struct check_row *row = &result->rows[i];

		if (row->finding.verdict == MR_VERDICT_NA && !verbose)
			continue;
		if (strcmp(group, row->check->group) != 0) {
			output_text("%s", *group ? "\n" : "");
			output_coloured(COLOUR_HEADING, row->check->group, 0);
			output_text("\n");
		}
		group = row->check->group;
		print_check(row, verbose);
	}
	print_summary(result);
	if (result->args->root) {
		snprintf(sentence, sizeof(sentence),
			 "These are the results for the host recorded in %s, not for this host.",
			 result->args->root);
		output_paragraph(sentence, 0, 0);
	}
	if (result->simulated)
		output_text("The RDMA devices are simulated by mrctl.\n");
}

static const struct field check_fields[] = {
	FIELD_AS("verdict", struct check_row, finding.verdict, FIELD_WORD,
		 FIELD_PUBLIC | FIELD_KNOWN, "ok, warn, bad, unknown or n/a", .words = mr_verdicts),
	FIELD_BEHIND("id", struct check_row, check, struct mr_check, id, FIELD_STRING,
		     FIELD_PUBLIC | FIELD_KNOWN, "id of the check; it never changes"),
	FIELD_BEHIND("group", struct check_row, check, struct mr_check, group, FIELD_STRING,
		     FIELD_DETAIL | FIELD_PUBLIC | FIELD_KNOWN,
		     "group of the check, such as memory"),
	FIELD_BEHIND("subject", struct check_row, check, struct mr_check, subject, FIELD_STRING,
		     FIELD_PUBLIC | FIELD_KNOWN, "subject of the check"),
	FIELD_AS("figure", struct check_row, finding.figure, FIELD_TEXT, FIELD_PROSE | FIELD_KNOWN,
		 "the figure, and its bound"),
	FIELD_AS("detail", struct check_row, finding.detail, FIELD_TEXT, FIELD_DETAIL | FIELD_PROSE,
		 "further facts"),
	FIELD_AS("remedy", struct check_row, finding.remedy, FIELD_TEXT, FIELD_PROSE, "remedy"),
	FIELD_END,
};
REPORTED static const struct record check_record = { "check", check_fields, "checks" };

#define COUNT(key_, member, help_)                                                                 \
	FIELD_AS(key_, struct host_result, member, FIELD_NUMBER, 0, help_,                         \
		 KNOWN_BY(struct host_result, is_done))

static const struct field summary_fields[] = {
	COUNT("checks", count, "checks that were done"),
	COUNT("ok", counts[MR_VERDICT_OK], "checks that passed"),
	COUNT("warn", counts[MR_VERDICT_WARN], "checks that may fail for some programs"),
	COUNT("bad", counts[MR_VERDICT_BAD], "checks that make registration fail"),
	COUNT("unknown", counts[MR_VERDICT_UNKNOWN], "checks without a result"),
	COUNT("na", counts[MR_VERDICT_NA], "checks that do not apply to this host"),
	FIELD_AS("verdict", struct host_result, worst, FIELD_WORD, FIELD_PUBLIC,
		 "the worst verdict", .words = mr_verdicts, KNOWN_BY(struct host_result, is_done)),
	FIELD(struct host_result, recording, FIELD_STRING, 0,
	      "directory of the recording, if another host was checked"),
	FIELD_END,
};
REPORTED static const struct record summary_record = { "summary", summary_fields, NULL };

static const struct metric metrics[] = {
	{ &check_record, "mrctl_host_check", NULL, "1 for each check, with its verdict", NULL,
	  "id,group,verdict", METRIC_GAUGE },
	{ &summary_record, "mrctl_host_checks", NULL, "Checks that were done", "checks", NULL,
	  METRIC_GAUGE },
	{ &summary_record, "mrctl_host_checks_bad", NULL,
	  "Checks with the verdict bad: registration fails", "bad", NULL, METRIC_GAUGE },
	{ &summary_record, "mrctl_host_checks_warn", NULL,
	  "Checks with the verdict warn: registration may fail for some programs", "warn", NULL,
	  METRIC_GAUGE },
	{ &summary_record, "mrctl_host_checks_unknown", NULL, "Checks without a result", "unknown",
	  NULL, METRIC_GAUGE },
	METRIC_END,
};

static int answer_text(const struct mr_host *host, void *data, char *text, size_t size)
{
	(void)host;
	snprintf(text, size, "%s", (const char *)data);
	return 0;
}

static void read_environment(struct mr_host *host, struct mr_environment *environment)
{
	struct mr_process_status status;
	struct mr_environment live;
	struct mr_rlimit limit;

	mr_environment_init(&live);
	/* For a recorded host the environment of this machine is left out.  An unrecorded limit is null, too. */
	mr_host_query(host, answer_text, live.rdma_core, environment->rdma_core,
		      sizeof(environment->rdma_core), "rdma-core");
	mr_host_line(host, environment->kernel, sizeof(environment->kernel),
		     "/proc/sys/kernel/osrelease");
	if (!mr_process_status_read(host, "self", &status))
		environment->euid = status.uid;
	if (!mr_rlimit_read(host, "self", MR_MEMLOCK, &limit)) {
		environment->memlock_soft =
			(struct mr_opt_u64){ limit.soft, limit.soft != UINT64_MAX };
		environment->memlock_hard =
			(struct mr_opt_u64){ limit.hard, limit.hard != UINT64_MAX };
	}
	if (mr_host_is_live(host))
		*environment = live;
	environment->simulated = mr_is_simulated(host);
}

/* The line comes first, and node-problem-detector reads nothing else. */
static void print_result(struct answer *answer, const struct host_result *result)
{
	const struct output_style *style = answer->out.style;
	const enum exit_style exit_style = result->args->exit_style;
	const struct failure *failure = answer->failures.items;

	if (exit_style != EXIT_STYLE_PLAIN && !style->json && !style->quiet &&
	    style->format == OUTPUT_TEXT) {
		print_status_line(exit_style, failure ? NULL : result,
				  failure ? failure->message : NULL);
		if (exit_style == EXIT_STYLE_NPD)
			return;
	}
	if (output_is_for_people(&answer->out)) {
		if (result->count)
			result_print(result, style->verbose);
		return;
	}
	answer_begin_list(answer, check_record.list, &check_record, false);
	for (size_t i = 0; i < result->count; i++)
		answer_row(answer, &result->rows[i]);
	answer_end_rows(answer);
	if (style->json || style->format != OUTPUT_TEXT)
		output_object(&answer->out, "summary", &summary_record, result);
}

/* run_host() checks this: a monitoring system would take the usual exit status for that of a check. */
static int check_usage(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	const char *word = invocation->operands[0];
	struct mr_error ignored;
	uint64_t size;

	if (word) {
		mr_fail_usage(err, "--host does not accept operands: '%s'", word);
		if (!mr_parse_size(word, &size, &ignored))
			mr_hint(err, "did you mean '--for-size %s'?", word);
		return -EINVAL;
	}
	if (invocation->global->device)
		return mr_fail_usage(err, "--host excludes --device NAME: it checks all devices");
	if (args->for_size.known && !args->for_size.value)
		return mr_fail_usage(err, "--for-size: give at least 1 byte");
	if (args->exit_style == EXIT_STYLE_NAGIOS && args->fail_on != FAIL_ON_BAD)
		return mr_fail_usage(err, "--exit nagios excludes --fail-on warn: it has a "
					  "status for warnings");
	return 0;
}

/* Checks the host or the recording, and prints the results.  Return: the exit status, or -errno. */
static int look_and_answer(const struct invocation *invocation, struct host_result *result,
			   struct mr_error *err)
{
	const struct stat_args *args = result->args;
	struct mr_environment environment = { .mrctl = MRCTL_VERSION };
	struct mr_error why = { .text = "" };
	struct answer answer;
	struct mr_host host;
	int rc;

	if (mr_host_open(&host, args->root, args->record, &why)) {
		result->count = 0;
	} else {
		read_environment(&host, &environment);
		result->simulated = environment.simulated;
		result_look(result, &host);
		mr_host_close(&host, &why);
	}
	rc = answer_init(&answer, invocation, NULL, &environment, result->count, err);
	if (rc)
		return rc;
	if (mr_error_is_set(&why))
		answer_fail(&answer, &why, 0, 0, MR_VIA_KERNEL);
	print_result(&answer, result);
	rc = answer_end(&answer, 0, err);
	answer_release(&answer);
	if (rc)
		return rc;
	if (why.errnum)
		return status_of_failure(args->exit_style);
	if (args->record && !invocation->global->style.quiet)
		report_note("stat",
			    "%s has the facts that these checks read; to check them: mrctl stat "
			    "--host --root %s",
			    args->record, args->record);
	return status_of(result);
}

static int run_host(const struct invocation *invocation, struct mr_error *err)
{
	struct host_result result = { .args = invocation->args, .worst = MR_VERDICT_OK };
	int rc = check_usage(invocation, err);

	if (!rc)
		rc = result_select(&result, err);
	if (!rc)
		rc = look_and_answer(invocation, &result, err);
	if (mr_error_is_set(err)) {
		const int status = status_fail(result.args->exit_style, err);

		rc = status < 0 ? rc : status;
	}
	free(result.rows);
	return rc;
}

const struct command stat_host = {
	STAT_VIEW(host),
	.record = &check_record,
	.columns = "verdict,id,subject,figure,remedy",
	.members = (const struct field[]){ DOCUMENT_OBJECT("summary", &summary_record,
							   "numbers of checks by verdict"),
					   FIELD_END },
	.metrics = metrics,
	.run = run_host,
};
