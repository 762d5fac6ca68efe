// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/report/report.h"
#include "lib/base/base.h"

static bool is_json(const struct report *report)
{
	return report->args->format == REPORT_JSON || report->invocation->global->style.json;
}

static void begin(struct report *report)
{
	cJSON_Delete(report->root);
	report->root = cJSON_CreateObject();
	report_add(report, report->root, "format", json_number(1));
	report_add(report, report->root, "command", report_string("report"));
}

static int make(struct report *report, struct mr_error *err)
{
	int rc;

	if (report->args->read) {
		rc = report_load(report, err);
	} else {
		begin(report);
		report_add(report, report->root, "redacted", cJSON_CreateBool(false));
		rc = report_collect(report, err);
	}
	if (!rc && report->args->redact)
		report_redact(report);
	return rc || !report->out_of_memory ? rc
					    : mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
}

/* @fd: the file of the report, or -1 */
static int print(const struct report *report, int fd, struct mr_error *err)
{
	int rc = fd >= 0 ? output_redirect(fd, report->args->to, err) : 0;

	if (rc)
		return rc;
	if (is_json(report)) {
		json_print(report->root, 3);
		output_text("\n");
	} else {
		rc = report_show(report->root, !report->args->read || report->args->to);
	}
	return rc ? mr_fail(err, MR_ERROR_HOST, -rc, "output",
			    "not all of the output could be written")
		  : output_flush(err);
}

/* The program cannot be run: the exit status is that which a shell has for it. */
static int report_no_program(const struct report *report, struct mr_error *err)
{
	const struct invocation *invocation = report->invocation;
	const int errnum = err->errnum;
	const char *name = invocation->operands[0], *end = name ? strrchr(name, '.') : NULL;

	if (errnum == ENOENT && end &&
	    (!strcmp(end, ".md") || !strcmp(end, ".json") || !strcmp(end, ".txt")))
		mr_hint(err, "did you mean 'mrctl report --to %s'?", name);
	else if (errnum == ENOENT && name)
		suggest_program(invocation->commands, invocation->command, invocation->operands,
				err);
	report_error(invocation->command->name, err);
	mr_error_clear(err);
	return errnum == ENOENT ? EXIT_NO_PROGRAM : EXIT_CANNOT_EXEC;
}

static int make_and_print(struct report *report, struct mr_error *err)
{
	const struct report_args *args = report->args;
	const mode_t before = umask(077);
	struct replaced_file file = { .stream = NULL };
	int rc = args->to ? private_file_check(args->to, args->force, err) : 0;

	if (!rc && args->to)
		rc = replaced_file_open(&file, args->to, err);
	umask(before);
	if (!rc)
		rc = make(report, err);
	if (!rc)
		rc = print(report, file.stream ? fileno(file.stream) : -1, err);
	if (rc && is_json(report) && !args->to && !output_has_failed()) {
		/* With --json standard output has one document, even without a report. */
		begin(report);
		report_add(report, report->root, "error", report_string(err->text));
		json_print(report->root, 1);
		output_text("\n");
	}
	if (rc)
		replaced_file_drop(&file);
	else if (file.stream)
		rc = replaced_file_close(&file, err);
	if (!rc && args->to && !report->invocation->global->style.quiet)
		report_note("report", "report written to %s; to read it: mrctl report --read %s",
			    args->to, args->to);
	return rc;
}

static int run_report(const struct invocation *invocation, struct mr_error *err)
{
	struct report report = { .invocation = invocation, .args = invocation->args };
	int rc;

	sigprocmask(SIG_SETMASK, NULL, &report.mask);
	mr_signals_block();
	rc = make_and_print(&report, err);
	if (rc && err->call && !strcmp(err->call, CHILD_CALL))
		rc = report_no_program(&report, err);
	mr_temporary_folder_remove(&report.folder);
	cJSON_Delete(report.root);
	return rc;
}

static int check_report(const struct invocation *invocation, struct mr_error *err)
{
	const struct report_args *args = invocation->args;

	if (invocation->operands[0] && (args->read || args->root))
		return mr_fail_usage(err, "--%s excludes the program '%s'",
				     args->read ? "read" : "root", invocation->operands[0]);
	if (invocation->global->style.quiet && !args->to)
		return mr_fail_usage(err, "--quiet requires --to");
	return 0;
}

static const struct option_spec options[] = {
	OPTION(0, "to", string, struct report_args, to, "FILE",
	       "write the report to FILE, a new file"),
	OPTION(0, "force", flag, struct report_args, force, NULL,
	       "replace the file of --to if it exists"),
	OPTION(0, "format", report_format, struct report_args, format, "FORMAT",
	       "write the report as"),
	OPTION(0, "redact", flag, struct report_args, redact, NULL,
	       "replace private values by pseudonyms, and omit free text"),
	OPTION(0, "read", string, struct report_args, read, "FILE",
	       "show a report (-: standard input), and repeat its checks"),
	OPTION(0, "root", string, struct report_args, root, "DIR",
	       "report the host recorded in DIR"),
	OPTION_END,
};

static const struct option_group group = { "Report", options };

static const struct option_rule rules[] = {
	{ "read", OPTION_EXCLUDES, "root" },
	{ "force", OPTION_NEEDS, "to" },
	OPTION_RULES_END,
};

const struct command command_report = {
	.name = "report",
	.operands = "[-- CMD [ARG...]]",
	.summary = "write one file for a ticket",
	.description =
		"Writes the facts that a support engineer needs: versions, the readiness of this "
		"host, its devices, and the kernel's log about them. With CMD, it runs CMD and "
		"explains its refusals. mrctl report --read shows a report on any machine, and "
		"repeats the checks. A report holds no keys, no environment and no memory; the "
		"manual page lists its content.",
	.groups = (const struct option_group *const[]){ &group, NULL },
	.rules = rules,
	.args_size = sizeof(struct report_args),
	.examples = (const char *const[]){ "mrctl report --to ticket.md",
					   "mrctl report --redact -- mrctl reg --size 64G",
					   "mrctl report --read ticket.md", NULL },
	.runs_program = true,
	.not_in_batch = true,
	.members = report_members,
	.prints_document = true,
	.check = check_report,
	.run = run_report,
};
