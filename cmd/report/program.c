// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/cli/shell.h"
#include "cmd/report/child.h"
#include "cmd/report/program.h"
#include "cmd/report/sections.h"

/* ---- mrctl itself ---- */

static bool is_mrctl(const char *program)
{
	const char *slash = strrchr(program, '/');

	return !strcmp(slash ? slash + 1 : program, "mrctl");
}

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
	const struct command *command = is_mrctl(argv[0]) ? find_command(report, argv) : NULL;

	return command && command->record && !command->views && !command->runs_program;
}

/* argv with --json behind the program.  Return: free() it; NULL: no memory. */
static char **with_json(char *const *argv)
{
	size_t count = 0;
	char **words;

	while (argv[count])
		count++;
	words = calloc(count + 2, sizeof(*words));
	if (!words)
		return NULL;
	words[0] = argv[0];
	words[1] = (char *)(uintptr_t) "--json";
	memcpy(words + 2, argv + 1, (count - 1) * sizeof(*words));
	return words;
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
	answer = child->text ? section_of(child, err) : json_tree_new_null();
	return answer ? report_add(program, "answer", answer, err) : -ENOMEM;
}

static int add_program(struct report *report, const struct child *child, struct mr_error *err)
{
	struct json_node *program = json_tree_object();
	int rc = fill(program, child, report->invocation->operands, err);

	section_drop_secrets(program);
	if (!rc)
		return report_add(report->root, "program", program, err);
	json_tree_free(program);
	return rc;
}

int report_run_program(struct report *report, struct mr_error *err)
{
	char *const *argv = report->invocation->operands;
	struct child child = { .argv = argv, .mask = &report->mask };
	char **words = NULL;
	int rc = 0;

	if (!argv[0])
		return report_add(report->root, "program", json_tree_new_null(), err);
	shell_find_mrctl();
	child.output = report->args->to ? CHILD_KEEP : CHILD_TO_STDERR;
	if (gives_document(report, argv)) {
		words = with_json(argv);
		if (!words)
			return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
		child.argv = words;
		child.output = CHILD_CATCH;
	}
	rc = child_run(&child, err);
	if (!rc)
		rc = add_program(report, &child, err);
	free(child.text);
	free(words);
	return rc;
}
