// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/output/fields.h"
#include "cmd/output/markdown_text.h"
#include "cmd/output/stream.h"
#include "cmd/report/cells.h"
#include "cmd/report/parts.h"
#include "lib/base/cleanup.h"

const char *show_or_unknown(const char *text)
{
	return text ? text : "unknown";
}

size_t show_count(const struct json_node *list)
{
	size_t count = 0;

	for (list = json_tree_first(list); list; list = json_tree_next(list))
		count++;
	return count;
}

int show_lines(const struct json_node *lines)
{
	mr_auto_free char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	for (lines = json_tree_first(lines); stream && lines; lines = json_tree_next(lines))
		fprintf(stream, "%s\n", json_tree_string(lines) ? json_tree_string(lines) : "");
	if (!stream || fclose(stream))
		return -ENOMEM;
	markdown_fence("", text);
	return 0;
}

static void show_cause(const struct json_node *cause, bool is_first)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s: %s (%s, %s)", is_first ? "because" : "or",
		 show_or_unknown(json_tree_text_of(cause, "cause")),
		 show_or_unknown(json_tree_text_of(cause, "certainty")),
		 show_or_unknown(json_tree_text_of(cause, "id")));
	markdown_line("  - ", line);
	snprintf(line, sizeof(line), "try: %s",
		 show_or_unknown(json_tree_text_of(cause, "remedy")));
	markdown_line("  - ", line);
}

void show_failures(const struct json_node *section)
{
	const struct json_node *failure = json_tree_first(json_tree_get(section, "failures"));
	const char *error = json_tree_text_of(section, "error");

	if (error)
		markdown_line("\n- ", error);
	else if (failure)
		output_text("\n");
	for (; failure; failure = json_tree_next(failure)) {
		const struct json_node *first = json_tree_first(json_tree_get(failure, "causes"));

		markdown_line("- ", json_tree_text_of(failure, "message"));
		for (const struct json_node *cause = first; cause; cause = json_tree_next(cause))
			show_cause(cause, cause == first);
	}
}

/* A command line as a shell reads it, cut where it is long. */
static int show_words(const struct json_node *list)
{
	size_t count = show_count(list), i = 0;
	const char **words = calloc(count + 1, sizeof(*words));
	char text[FIELD_TEXT_MAX];

	if (!words)
		return -ENOMEM;
	for (list = json_tree_first(list); list; list = json_tree_next(list))
		words[i++] = json_tree_string(list) ? json_tree_string(list) : "";
	markdown_fence("sh", words_text(words, text));
	output_text("\n");
	free(words);
	return 0;
}

int show_program(const struct json_node *program)
{
	static const char *const rows[] = { "exit_status", "signal", "elapsed_ns" };
	struct cells cells = { .count = 0 };
	int rc;

	if (json_tree_kind(program) != JSON_OBJECT)
		return 0;
	markdown_heading(2, "The program");
	rc = show_words(json_tree_get(program, "argv"));
	cells_add(&cells, "program");
	cells_add(&cells, "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (json_tree_kind(json_tree_get(program, rows[i])) == JSON_NULL)
			continue;
		cells_add(&cells, rows[i]);
		cells_add_value(&cells, json_tree_get(program, rows[i]));
	}
	if (cells_print(&cells, 2))
		rc = -ENOMEM;
	show_failures(json_tree_get(program, "answer"));
	return rc;
}
