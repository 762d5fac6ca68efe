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

/* Prints the request, its program and its device. */
static void show_request(const struct json_node *refusal)
{
	char line[1024], number[JSON_SCALAR_MAX], addr[JSON_SCALAR_MAX];
	const char *length = json_tree_scalar(json_tree_get(refusal, "length"), number);
	const char *at = json_tree_scalar(json_tree_get(refusal, "addr"), addr);
	const char *memory = json_tree_text_of(refusal, "memory");

	snprintf(line, sizeof(line), "by %s on %s%s%s%s%s%s%s%s",
		 show_or_unknown(json_tree_text_of(refusal, "program")),
		 show_or_unknown(json_tree_text_of(refusal, "device")), length ? ": " : "",
		 length ? length : "", length ? " bytes" : "", at ? " at " : "", at ? at : "",
		 memory ? ", memory like " : "", memory ? memory : "");
	markdown_line("  - ", line);
}

static void show_stack(const struct json_node *refusal)
{
	const struct json_node *frame = json_tree_first(json_tree_get(refusal, "stack"));
	char line[1024];

	for (; frame; frame = json_tree_next(frame)) {
		snprintf(line, sizeof(line), "in %s", show_or_unknown(json_tree_string(frame)));
		markdown_line("  - ", line);
	}
}

static void show_causes(const struct json_node *failure)
{
	const struct json_node *first = json_tree_first(json_tree_get(failure, "causes"));

	for (const struct json_node *cause = first; cause; cause = json_tree_next(cause))
		show_cause(cause, cause == first);
}

/* A kind of refusal that mrctl trace has seen. */
static void show_refusal(const struct json_node *refusal)
{
	char line[1024], buffer[JSON_SCALAR_MAX];

	snprintf(line, sizeof(line), "%s: %s, count %s, first at %s",
		 show_or_unknown(json_tree_text_of(refusal, "call")),
		 show_or_unknown(json_tree_text_of(refusal, "errno")),
		 show_or_unknown(json_tree_scalar(json_tree_get(refusal, "count"), buffer)),
		 show_or_unknown(json_tree_text_of(refusal, "place")));
	markdown_line("- ", line);
	show_request(refusal);
	show_stack(refusal);
	show_causes(refusal);
}

void show_failures(const struct json_node *section)
{
	const struct json_node *failure = json_tree_first(json_tree_get(section, "failures"));
	const struct json_node *refusal = json_tree_first(json_tree_get(section, "refusals"));
	const char *error = json_tree_text_of(section, "error");

	if (error)
		markdown_line("\n- ", error);
	else if (failure || refusal)
		output_text("\n");
	for (; failure; failure = json_tree_next(failure)) {
		markdown_line("- ", json_tree_text_of(failure, "message"));
		show_causes(failure);
	}
	for (; refusal; refusal = json_tree_next(refusal))
		show_refusal(refusal);
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

static void show_libraries(const struct json_node *answer)
{
	const struct json_node *library = json_tree_first(json_tree_get(answer, "libraries"));

	if (library)
		output_text("\nLibraries that its processes had mapped:\n\n");
	for (; library; library = json_tree_next(library))
		markdown_line("- ", show_or_unknown(json_tree_string(library)));
}

/* The batch that is refused as the program was. */
static int show_reproduction(const struct json_node *batch)
{
	int rc;

	if (json_tree_kind(batch) != JSON_LIST)
		return 0;
	markdown_fold("A batch that is refused as the program was: refused.batch");
	rc = show_lines(batch);
	markdown_unfold();
	return rc;
}

/* What a trace has counted, and its lists: calls, refusals, what was never deregistered or not followed. */
static int show_trace(const struct json_node *answer)
{
	int rc;

	if (json_tree_kind(json_tree_get(answer, "refusals")) != JSON_LIST)
		return 0;
	markdown_fold("All that was seen of it");
	rc = cells_print_object("trace", answer);
	markdown_unfold();
	return rc;
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
	show_libraries(json_tree_get(program, "answer"));
	if (!rc)
		rc = show_reproduction(json_tree_get(program, "reproduction"));
	return rc ? rc : show_trace(json_tree_get(program, "answer"));
}
