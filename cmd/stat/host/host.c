// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl stat --host */
#include <stdio.h>

#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "cmd/stat/host/result.h"
#include "lib/diagnose/diagnose.h"
#include "lib/host/processes.h"

static const struct field check_fields[] = {
	FIELD(struct check_row, verdict, FIELD_STRING, FIELD_PUBLIC,
	      "ok, warn, bad, unknown or n/a"),
	FIELD(struct check_row, id, FIELD_STRING, FIELD_PUBLIC, "of the check; it never changes"),
	FIELD(struct check_row, group, FIELD_STRING, FIELD_DETAIL | FIELD_PUBLIC,
	      "of checks, such as memory"),
	FIELD(struct check_row, subject, FIELD_STRING, FIELD_PUBLIC, "what is looked at"),
	FIELD(struct check_row, figure, FIELD_STRING, FIELD_PROSE,
	      "what was found, and what it is held to"),
	FIELD(struct check_row, detail, FIELD_STRING, FIELD_DETAIL | FIELD_PROSE,
	      "what else was seen"),
	FIELD(struct check_row, remedy, FIELD_STRING, FIELD_PROSE, "what to do about it"),
	FIELD_END,
};
REPORTED static const struct record check_record = { "check", check_fields, "checks" };

static const struct field summary_fields[] = {
	FIELD(struct summary, checks, FIELD_NUMBER, 0, "checks that were done"),
	FIELD(struct summary, ok, FIELD_NUMBER, 0, "of them as it should be"),
	FIELD(struct summary, warn, FIELD_NUMBER, 0, "that may fail for some"),
	FIELD(struct summary, bad, FIELD_NUMBER, 0, "that let registration fail"),
	FIELD(struct summary, unknown, FIELD_NUMBER, 0, "that could not be found out"),
	FIELD(struct summary, na, FIELD_NUMBER, 0, "that are not this host's business"),
	FIELD(struct summary, verdict, FIELD_STRING, FIELD_PUBLIC, "the worst one"),
	FIELD(struct summary, recording, FIELD_STRING, 0,
	      "the folder of the host, if not this one"),
	FIELD_END,
};
REPORTED static const struct record summary_record = { "summary", summary_fields, NULL };

static const struct metric metrics[] = {
	{ &check_record, "mrctl_host_check", NULL, "1 for each check, with its verdict", NULL,
	  "id,group,verdict", METRIC_GAUGE },
	{ &summary_record, "mrctl_host_checks", NULL, "Checks that were done", "checks", NULL,
	  METRIC_GAUGE },
	{ &summary_record, "mrctl_host_checks_bad", NULL, "Checks by which registration fails",
	  "bad", NULL, METRIC_GAUGE },
	{ &summary_record, "mrctl_host_checks_warn", NULL,
	  "Checks by which registration may fail for some", "warn", NULL, METRIC_GAUGE },
	{ &summary_record, "mrctl_host_checks_unknown", NULL, "Checks that found nothing out",
	  "unknown", NULL, METRIC_GAUGE },
	METRIC_END,
};

static int answer_text(void *data, char *text, size_t size)
{
	snprintf(text, size, "%s", (const char *)data);
	return 0;
}

/* The environment of a recorded host: nothing of this machine.  The limit is null where none was recorded, too. */
static void read_recorded(struct mr_host *host, struct mr_environment *environment)
{
	struct mr_process_status status;
	struct mr_memlock limit;

	mr_host_line(host, environment->kernel, sizeof(environment->kernel),
		     "/proc/sys/kernel/osrelease");
	if (!mr_process_status_read(host, "self", &status))
		environment->euid = status.uid;
	if (mr_memlock_read(host, "self", &limit))
		return;
	environment->memlock_soft = (struct mr_opt_u64){ limit.soft, limit.soft != UINT64_MAX };
	environment->memlock_hard = (struct mr_opt_u64){ limit.hard, limit.hard != UINT64_MAX };
}

static void read_environment(struct mr_host *host, struct mr_environment *environment)
{
	struct mr_environment live;

	mr_environment_init(&live);
	*environment = (struct mr_environment){ .mrctl = MRCTL_VERSION };
	mr_host_ask(host, "rdma-core", answer_text, live.rdma_core, environment->rdma_core,
		    sizeof(environment->rdma_core));
	read_recorded(host, environment);
	if (mr_host_is_live(host))
		*environment = live;
	environment->simulated = mr_is_simulated(host);
}

/* Looks at the host, or at the recording.  Return: 0, or -errno; the rows have findings once it is opened. */
static int look_at_host(struct host_result *result, struct mr_environment *environment,
			struct mr_error *err)
{
	struct mr_host host;
	int rc = mr_host_open(&host, result->args->root, result->args->record, err);

	if (rc) {
		result->count = 0;
		return rc;
	}
	read_environment(&host, environment);
	result->simulated = environment->simulated;
	result_look(result, &host);
	return mr_host_close(&host, err);
}

/* Whether it is printed as sentences: nobody asked for records. */
static bool is_prose(const struct output_style *style)
{
	return !style->json && !style->columns && !style->no_headings &&
	       style->format == OUTPUT_TEXT;
}

static void print_records(struct answer *answer, const struct host_result *result)
{
	const struct output_style *style = answer->out.style;

	answer_begin_list(answer, check_record.list, &check_record, false);
	for (size_t i = 0; i < result->count; i++)
		answer_row(answer, &result->rows[i]);
	answer_end_rows(answer);
	if (style->json || style->format != OUTPUT_TEXT)
		output_object(&answer->out, "summary", &summary_record, &result->summary);
}

/* The line comes first, and node-problem-detector reads nothing else. */
static void print_result(struct answer *answer, const struct host_result *result)
{
	const struct output_style *style = answer->out.style;
	const struct failure *failure = answer->failures.items;
	char line[STATUS_LINE_MAX];

	if (!style->json && !style->quiet && style->format == OUTPUT_TEXT &&
	    (failure ? status_line_of_failure(result->args->exit_style, failure->message, line)
		     : status_line(result, line))) {
		output_foreign(line);
		output_text("\n");
		if (result->args->exit_style == EXIT_STYLE_NPD)
			return;
	}
	if (!is_prose(style))
		print_records(answer, result);
	else if (!style->quiet && result->count)
		result_print(result, style->verbose);
}

/* Prints what was found, and why no more was (@why, or no error). */
static int print_answer(const struct invocation *invocation, const struct host_result *result,
			const struct mr_environment *environment, struct mr_error *why,
			struct mr_error *err)
{
	struct answer answer;
	int rc = answer_init(&answer, invocation, NULL, environment, result->count, err);

	if (rc)
		return rc;
	if (mr_error_is_set(why))
		answer_fail(&answer, why, 0, 0, MR_VIA_KERNEL);
	print_result(&answer, result);
	rc = answer_end(&answer, 0, err);
	answer_release(&answer);
	return rc;
}

static void note_recording(const struct invocation *invocation, const struct stat_args *args)
{
	if (!args->record || invocation->global->style.quiet)
		return;
	report_note("stat",
		    "%s has what these checks read; to judge by it: "
		    "mrctl stat --host --root %s",
		    args->record, args->record);
}

/* Looked at by run_host(): a monitoring system would take the usual exit status for that of a check. */
static int check_usage(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;

	if (invocation->operands[0])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--host takes no operand, and '%s' is one",
				    invocation->operands[0]);
	if (invocation->global->device)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--host looks at all devices: it excludes --device NAME");
	if (args->for_size.known && !args->for_size.value)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--for-size: a registration has at least 1 byte");
	if (args->exit_style == EXIT_STYLE_NAGIOS && args->fail_on != FAIL_ON_BAD)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--exit nagios has a status of its own for warnings: "
				    "it excludes --fail-on warn");
	return 0;
}

static int run_host(const struct invocation *invocation, struct mr_error *err)
{
	struct host_result result = { .args = invocation->args };
	struct mr_environment environment = { .mrctl = MRCTL_VERSION };
	struct mr_error why = { .text = "" };
	int rc = check_usage(invocation, err);

	if (!rc)
		rc = result_select(&result, err);
	if (!rc) {
		const bool failed = look_at_host(&result, &environment, &why);

		rc = print_answer(invocation, &result, &environment, &why, err);
		if (!rc && !failed)
			note_recording(invocation, result.args);
		if (!rc)
			rc = failed ? status_of_failure(result.args->exit_style)
				    : status_of(&result);
	}
	if (mr_error_is_set(err)) {
		const int status = status_fail(result.args->exit_style, err);

		rc = status < 0 ? rc : status;
	}
	result_release(&result);
	return rc;
}

const struct command_view stat_host = {
	STAT_VIEW(host),
	.record = &check_record,
	.columns = COLUMNS(struct check_row, verdict, id, subject, figure, remedy),
	.metrics = metrics,
	.run = run_host,
};
