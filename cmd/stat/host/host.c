// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl stat --host */
#include <stdio.h>

#include "cmd/output/columns.h"
#include "cmd/output/messages.h"
#include "cmd/region/answer.h"
#include "cmd/stat/host/result.h"
#include "lib/simulator/enter.h"

static const struct field check_fields[] = {
	FIELD(struct check_row, verdict, FIELD_STRING, 0, "ok, warn, bad, unknown or n/a"),
	FIELD(struct check_row, id, FIELD_STRING, 0, "of the check; it never changes"),
	FIELD(struct check_row, group, FIELD_STRING, FIELD_DETAIL, "of checks, such as memory"),
	FIELD(struct check_row, subject, FIELD_STRING, 0, "what is looked at"),
	FIELD(struct check_row, figure, FIELD_STRING, 0, "what was found, and what it is held to"),
	FIELD(struct check_row, detail, FIELD_STRING, FIELD_DETAIL, "what else was seen"),
	FIELD(struct check_row, remedy, FIELD_STRING, 0, "what to do about it"),
	FIELD_END,
};
static const struct record check_record = { "check", check_fields, "checks" };

static const struct field summary_fields[] = {
	FIELD(struct summary, checks, FIELD_NUMBER, 0, "checks that were done"),
	FIELD(struct summary, ok, FIELD_NUMBER, 0, "of them as it should be"),
	FIELD(struct summary, warn, FIELD_NUMBER, 0, "that may fail for some"),
	FIELD(struct summary, bad, FIELD_NUMBER, 0, "that let registration fail"),
	FIELD(struct summary, unknown, FIELD_NUMBER, 0, "that could not be found out"),
	FIELD(struct summary, na, FIELD_NUMBER, 0, "that are not this host's business"),
	FIELD(struct summary, verdict, FIELD_STRING, 0, "the worst one"),
	FIELD_END,
};
static const struct record summary_record = { "summary", summary_fields, NULL };

/* The host that the answer is about; members of the document. */
struct about {
	const char *recording; /* the folder; NULL: this machine */
};

static const struct field about_fields[] = {
	FIELD(struct about, recording, FIELD_STRING, 0, ""),
	FIELD_END,
};
static const struct record about_record = { "about", about_fields, NULL };

/* What a recording has of an environment; the limits are subjects of checks. */
static const struct field recorded_fields[] = {
	FIELD(struct mr_environment, mrctl, FIELD_TEXT, FIELD_DETAIL, "version of mrctl"),
	FIELD(struct mr_environment, kernel, FIELD_TEXT, FIELD_DETAIL, "release of the kernel"),
	FIELD(struct mr_environment, rdma_core, FIELD_TEXT, FIELD_DETAIL,
	      "version of the loaded rdma-core"),
	FIELD(struct mr_environment, simulated, FIELD_BOOL, 0, "whether devices are simulated"),
	FIELD_END,
};
static const struct record recorded_record = { "environment", recorded_fields, NULL };

static int answer_text(void *data, char *text, size_t size)
{
	snprintf(text, size, "%s", (const char *)data);
	return 0;
}

/* Sets the environment of the host that is looked at: nothing of this machine where that is a recorded one. */
static void read_environment(struct mr_host *host, struct mr_environment *environment)
{
	struct mr_environment live;
	char is_simulated[8], entered[8];

	mr_environment_init(&live);
	live.simulated = mr_simulator_is_entered();
	snprintf(entered, sizeof(entered), "%s", live.simulated ? "yes" : "no");
	*environment = (struct mr_environment){ .mrctl = MRCTL_VERSION };
	mr_host_line(host, environment->kernel, sizeof(environment->kernel),
		     "/proc/sys/kernel/osrelease");
	mr_host_ask(host, "rdma-core", answer_text, live.rdma_core, environment->rdma_core,
		    sizeof(environment->rdma_core));
	mr_host_ask(host, "simulated", answer_text, entered, is_simulated, sizeof(is_simulated));
	environment->simulated = is_simulated[0] == 'y';
	if (mr_host_is_live(host))
		*environment = live;
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
	const struct about about = { result->args->root };
	const bool json = answer->out.style->json;

	answer_begin_list(answer, check_record.list, &check_record, false);
	for (size_t i = 0; i < result->count; i++)
		answer_row(answer, &result->rows[i]);
	answer_end_rows(answer);
	output_members(&answer->out, &about_record, &about);
	if (json)
		output_object(&answer->out, "summary", &summary_record, &result->summary);
}

/* The line comes first, and node-problem-detector reads nothing else. */
static void print_result(struct answer *answer, const struct host_result *result)
{
	const struct output_style *style = answer->out.style;
	const struct failure *failure = answer->failures.items;
	char line[STATUS_LINE_MAX];

	if (!style->json && !style->quiet &&
	    status_line(result, failure ? failure->message : NULL, line)) {
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
	if (result->args->root)
		answer.environment_record = &recorded_record;
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

/* A monitoring system takes the usual exit statuses of an error, 1 and 2, for those of a check. */
static int fail_by_style(const struct host_result *result, int rc, struct mr_error *err)
{
	char line[STATUS_LINE_MAX];

	if (!status_line(result, err->text, line))
		return rc;
	output_foreign(line);
	output_text("\n");
	report_error("stat", err);
	mr_error_clear(err);
	output_flush(err);
	mr_error_clear(err);
	return status_of(result, true);
}

static int run_host(const struct invocation *invocation, struct mr_error *err)
{
	struct host_result result = { .args = invocation->args };
	struct mr_environment environment = { .mrctl = MRCTL_VERSION };
	struct mr_error why = { .text = "" };
	int rc = result_select(&result, err);

	if (!rc) {
		const bool failed = look_at_host(&result, &environment, &why);

		rc = print_answer(invocation, &result, &environment, &why, err);
		if (!rc && !failed)
			note_recording(invocation, result.args);
		if (!rc)
			rc = status_of(&result, failed);
	}
	if (mr_error_is_set(err))
		rc = fail_by_style(&result, rc, err);
	result_release(&result);
	return rc;
}

static int check_host(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;

	if (invocation->operands[0])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--host takes no operand, and '%s' is one",
				    invocation->operands[0]);
	if (args->exit_style == EXIT_STYLE_NAGIOS && args->fail_on != FAIL_ON_BAD)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--exit nagios has a status of its own for warnings: "
				    "it excludes --fail-on warn");
	return 0;
}

const struct command_view stat_host = {
	STAT_VIEW(host),
	.record = &check_record,
	.columns = COLUMNS(struct check_row, verdict, id, figure),
	.check = check_host,
	.run = run_host,
};
