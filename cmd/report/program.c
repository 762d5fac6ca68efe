// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The program of mrctl report -- CMD. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/cli/cli.h"
#include "cmd/output/files.h"
#include "cmd/output/output.h"
#include "cmd/report/sections.h"
#include "lib/base/base.h"

/* Name of the batch, which a folder of the report's own has while the program runs. */
#define BATCH "refused.batch"

/* ---- mrctl itself ---- */

/* The first word that is a command, behind global options and their values. */
static const struct command *find_command(const struct report *report, char *const *argv)
{
	const struct command *command = NULL;

	while (*argv && *++argv && !command)
		command = *command_find(report->invocation->commands, *argv);
	return command;
}

/* Whether it is a command line of mrctl that prints a document about registrations where it gets --json. */
static bool gives_document(const struct report *report, char *const *argv)
{
	const struct command *command =
		!strcmp(basename(argv[0]), "mrctl") ? find_command(report, argv) : NULL;

	return command && command->record && !command->views && !command->runs_program;
}

/* Runs a command of mrctl that gives a document. */
static int run_mrctl(const struct report *report, struct child *child, struct mr_error *err)
{
	char **argv = report->invocation->operands;
	const char *const before[] = { argv[0], "--json", NULL };

	child->output = CHILD_CATCH;
	return report_run(child, before, (const char *const *)argv + 1, err);
}

/* ---- other programs ---- */

/* Whether mrctl trace could not run the program, as it has said itself: it has met no process of it. */
static bool was_not_run(const struct child *child)
{
	const int status = WIFEXITED(child->status) ? WEXITSTATUS(child->status) : 0;
	struct json_node *summary;
	char buffer[JSON_SCALAR_MAX];
	const char *processes;
	bool is_none;

	if (!child->text || (status != EXIT_NO_PROGRAM && status != EXIT_CANNOT_EXEC))
		return false;
	summary = json_tree_parse(child->text, child->length);
	processes = json_tree_scalar(json_tree_get(summary, "processes"), buffer);
	is_none = processes && !strcmp(processes, "0") &&
		  !json_tree_first(json_tree_get(summary, "not_followed"));
	json_tree_free(summary);
	return is_none;
}

/* Reads the batch of the refusals, and shortens its own path, in a folder that is removed.  Return: NULL: none. */
static struct json_node *read_batch(struct report *report, const char *path)
{
	struct mr_error ignored;
	size_t length;
	mr_auto_free char *text = file_read(path, &length, &ignored);

	for (char *at = text; at && (at = strstr(at, path));)
		memmove(stpcpy(at, BATCH), at + strlen(path), strlen(at + strlen(path)) + 1);
	return text ? report_list_lines(report, text) : NULL;
}

/*
 * Runs a program under mrctl trace, whose summary becomes the child's text.
 * @batch: set to the lines of a batch that is refused as the program was
 */
static int trace(struct report *report, const char *folder, struct child *child,
		 struct json_node **batch, struct mr_error *err)
{
	char summary[PATH_MAX + sizeof("/trace.json")], reproduction[PATH_MAX + sizeof("/" BATCH)];
	const char *const before[] = { "mrctl",     "--json", "trace",       "--stacks",
				       "--summary", summary,  "--reproduce", reproduction,
				       "--",        NULL };
	struct mr_error ignored;
	int rc;

	snprintf(summary, sizeof(summary), "%s/trace.json", folder);
	snprintf(reproduction, sizeof(reproduction), "%s/" BATCH, folder);
	child->path = "/proc/self/exe";
	child->output = report->args->to ? CHILD_KEEP : CHILD_TO_STDERR;
	rc = report_run(child, before, (const char *const *)report->invocation->operands, err);
	if (!rc)
		child->text = file_read(summary, &child->length, &ignored);
	if (!rc)
		*batch = read_batch(report, reproduction);
	if (rc || !was_not_run(child))
		return rc;
	rc = mr_fail_text(err, MR_ERROR_HOST,
			  WEXITSTATUS(child->status) == EXIT_NO_PROGRAM ? ENOENT : EACCES,
			  "no report, as '%s' cannot be run", report->invocation->operands[0]);
	err->call = CHILD_CALL;
	return rc;
}

static int run_other(struct report *report, struct child *child, struct json_node **batch,
		     struct mr_error *err)
{
	struct mr_temporary_folder folder = { .fd = -1 };
	int rc = mr_temporary_folder_make(&folder, err);

	if (rc)
		return rc;
	rc = trace(report, folder.path, child, batch, err);
	mr_temporary_folder_remove(&folder);
	return rc;
}

/* ---- the section ---- */

static struct json_node *number_or_null(bool is_known, int number)
{
	return is_known ? json_tree_new_number((uint64_t)number) : json_tree_new_null();
}

/* @batch: of what was refused, else freed; or NULL */
static void add_program(struct report *report, const struct child *child, struct json_node *batch)
{
	struct json_node *program = json_tree_object(), *argv = json_tree_list(),
			 *answer = report_section(report, child);
	const int status = child->status;

	if (!json_tree_first(json_tree_get(answer, "refusals"))) {
		json_tree_free(batch);
		batch = NULL;
	}
	for (char *const *word = report->invocation->operands; *word; word++)
		report_add(report, argv, NULL, report_string(*word));
	report_add(report, program, "argv", argv);
	report_add(report, program, "exit_status",
		   number_or_null(WIFEXITED(status), WEXITSTATUS(status)));
	report_add(report, program, "signal",
		   number_or_null(WIFSIGNALED(status), WTERMSIG(status)));
	report_add(report, program, "elapsed_ns", json_tree_new_number(child->elapsed_ns));
	report_add(report, program, "answer", answer);
	report_add(report, program, "reproduction", batch ?: json_tree_new_null());
	report_drop_keys(program);
	report_add(report, report->root, "program", program);
}

int report_run_program(struct report *report, struct mr_error *err)
{
	struct child child = { .mask = &report->mask };
	struct json_node *batch = NULL;
	int rc;

	if (!report->invocation->operands[0]) {
		report_add(report, report->root, "program", json_tree_new_null());
		return 0;
	}
	shell_find_mrctl();
	rc = gives_document(report, report->invocation->operands)
		     ? run_mrctl(report, &child, err)
		     : run_other(report, &child, &batch, err);
	if (rc)
		json_tree_free(batch);
	else
		add_program(report, &child, batch);
	free(child.text);
	return rc;
}
