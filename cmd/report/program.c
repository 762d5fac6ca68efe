// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/cli/child.h"
#include "cmd/cli/shell.h"
#include "cmd/output/exit_status.h"
#include "cmd/output/whole_file.h"
#include "cmd/report/arguments.h"
#include "cmd/report/program.h"
#include "cmd/report/sections.h"
#include "lib/base/cleanup.h"

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
		arguments_are_of_mrctl(argv[0]) ? find_command(report, argv) : NULL;

	return command && command->record && !command->views && !command->runs_program;
}

/* The words before and after, as one command line.  Return: free() it; NULL: no memory. */
static char **join_words(const char *const *before, char *const *after)
{
	size_t first = 0, count = 0;
	char **words;

	while (before[first])
		first++;
	while (after[count])
		count++;
	words = calloc(first + count + 1, sizeof(*words));
	if (!words)
		return NULL;
	memcpy(words, before, first * sizeof(*words));
	memcpy(words + first, after, count * sizeof(*words));
	return words;
}

/* Runs a command of mrctl that gives a document. */
static int run_mrctl(const struct report *report, struct child *child, struct mr_error *err)
{
	char *const *argv = report->invocation->operands;
	const char *const before[] = { argv[0], "--json", NULL };
	char **words = join_words(before, argv + 1);
	int rc = -ENOMEM;

	if (words) {
		child->argv = words;
		child->output = CHILD_CATCH;
		rc = child_run(child, err);
	} else {
		mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	}
	free(words);
	return rc;
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

/*
 * The batch of the refusals as lines, in which its own path, in a folder that goes, is a name.  Return: NULL: no memory,
 * or no batch
 */
static struct json_node *list_batch(const char *path)
{
	struct json_node *list = json_tree_list();
	struct mr_error ignored;
	size_t length;
	mr_auto_free char *text = file_read(path, &length, &ignored);
	char *line, *rest = NULL;

	for (line = text ? strtok_r(text, "\n", &rest) : NULL; list && line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *at = strstr(line, path);

		if (at) {
			memcpy(at, BATCH, strlen(BATCH));
			memmove(at + strlen(BATCH), at + strlen(path),
				strlen(at + strlen(path)) + 1);
		}
		if (json_tree_add(list, NULL, json_tree_new_string(line, strlen(line))))
			continue;
		json_tree_free(list);
		list = NULL;
	}
	return list;
}

/*
 * Runs a program under mrctl trace, whose summary becomes the child's text.
 * @batch: set to the lines of a batch that is refused as the program was
 */
static int trace(const struct report *report, const char *folder, struct child *child,
		 struct json_node **batch, struct mr_error *err)
{
	char summary[PATH_MAX + sizeof("/trace.json")], reproduction[PATH_MAX + sizeof("/" BATCH)];
	const char *const before[] = { "mrctl",     "--json", "trace",       "--stacks",
				       "--summary", summary,  "--reproduce", reproduction,
				       "--",        NULL };
	char **words = join_words(before, report->invocation->operands);
	struct mr_error ignored;
	int rc;

	if (!words)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	snprintf(summary, sizeof(summary), "%s/trace.json", folder);
	snprintf(reproduction, sizeof(reproduction), "%s/" BATCH, folder);
	child->path = "/proc/self/exe";
	child->argv = words;
	child->output = report->args->to ? CHILD_KEEP : CHILD_TO_STDERR;
	rc = child_run(child, err);
	free(words);
	if (!rc)
		child->text = file_read(summary, &child->length, &ignored);
	if (!rc)
		*batch = list_batch(reproduction);
	if (rc || !was_not_run(child))
		return rc;
	rc = mr_fail_text(err, MR_ERROR_HOST,
			  WEXITSTATUS(child->status) == EXIT_NO_PROGRAM ? ENOENT : EACCES,
			  "no report, as '%s' cannot be run", report->invocation->operands[0]);
	err->call = CHILD_CALL;
	return rc;
}

static int run_other(const struct report *report, struct child *child, struct json_node **batch,
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

/* ---- what became of it ---- */

static struct json_node *list_words(char *const *words)
{
	struct json_node *list = json_tree_list();

	for (; list && *words; words++) {
		if (json_tree_add(list, NULL, json_tree_new_string(*words, strlen(*words))))
			continue;
		json_tree_free(list);
		list = NULL;
	}
	return list;
}

/* The number, or null where there is none. */
static struct json_node *number_if(bool is_known, uint64_t number)
{
	return is_known ? json_tree_new_number(number) : json_tree_new_null();
}

static int fill(struct json_node *program, const struct child *child, char *const *argv,
		struct mr_error *err)
{
	const bool exited = WIFEXITED(child->status), killed = WIFSIGNALED(child->status);
	struct json_node *answer = NULL;
	int rc = report_add(program, "argv", list_words(argv), err);

	if (!rc)
		rc = report_add(program, "exit_status",
				number_if(exited, (uint64_t)WEXITSTATUS(child->status)), err);
	if (!rc)
		rc = report_add(program, "signal",
				number_if(killed, (uint64_t)WTERMSIG(child->status)), err);
	if (!rc)
		rc = report_add(program, "elapsed_ns", json_tree_new_number(child->elapsed_ns),
				err);
	if (rc)
		return rc;
	answer = section_of(child, err);
	return answer ? report_add(program, "answer", answer, err) : -ENOMEM;
}

/* @batch: of what was refused, else dropped; or NULL */
static int add_batch(struct json_node *program, struct json_node *batch, struct mr_error *err)
{
	const struct json_node *answer = json_tree_get(program, "answer");

	if (!json_tree_first(json_tree_get(answer, "refusals"))) {
		json_tree_free(batch);
		batch = NULL;
	}
	return report_add(program, "reproduction", batch ?: json_tree_new_null(), err);
}

static int add_program(struct report *report, const struct child *child, struct json_node *batch,
		       struct mr_error *err)
{
	struct json_node *program = json_tree_object();
	int rc = fill(program, child, report->invocation->operands, err);

	if (!rc)
		rc = add_batch(program, batch, err);
	else
		json_tree_free(batch);

	section_drop_secrets(program);
	if (!rc)
		return report_add(report->root, "program", program, err);
	json_tree_free(program);
	return rc;
}

int report_run_program(struct report *report, struct mr_error *err)
{
	struct child child = { .mask = &report->mask };
	struct json_node *batch = NULL;
	int rc;

	if (!report->invocation->operands[0])
		return report_add(report->root, "program", json_tree_new_null(), err);
	shell_find_mrctl();
	rc = gives_document(report, report->invocation->operands)
		     ? run_mrctl(report, &child, err)
		     : run_other(report, &child, &batch, err);
	if (!rc)
		rc = add_program(report, &child, batch, err);
	else
		json_tree_free(batch);
	free(child.text);
	return rc;
}
