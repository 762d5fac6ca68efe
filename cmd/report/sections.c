// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/report/sections.h"
#include "lib/base/cleanup.h"

/* A device that does not answer must not keep the report from being written. */
#define PATIENCE_NS UINT64_C(60000000000)

#define WORDS_MAX   12

/* Members of a document that say nothing in a report, or that it has once for all. */
static const char *const dropped[] = { "format", "command", "session", "as_expected", NULL };

/* Keys of regions let others reach the memory, and an export lets others import a umem. */
static const char *const secrets[] = { "lkey", "rkey", "export", NULL };

static bool is_in(const char *word, const char *const *list)
{
	while (*list && strcmp(*list, word) != 0)
		list++;
	return *list;
}

/* Cuts the number of a key: "rkey:0x1805" becomes "rkey:". */
static void hide_keys(char *text)
{
	static const char *const prefixes[] = { "lkey:", "rkey:", "lkey 0x", "rkey 0x" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		for (char *at = text; (at = strstr(at, prefixes[i]));) {
			at += strlen("rkey:");
			memmove(at, at + strcspn(at, " ,'\")"),
				strlen(at + strcspn(at, " ,'\")")) + 1);
		}
	}
}

void section_drop_secrets(struct json_node *node)
{
	for (struct json_node *child = json_tree_first(node); child;
	     child = json_tree_next(child)) {
		if (is_in(json_tree_key(child), secrets))
			json_tree_clear(child);
		else if (json_tree_string(child))
			hide_keys((char *)(uintptr_t)json_tree_string(child));
		else
			section_drop_secrets(child);
	}
}

/* Why there is no document. */
static void tell_end(const struct child *child, char *text, size_t size)
{
	if (child->is_late)
		snprintf(text, size, "it had not ended after %llu s",
			 (unsigned long long)(child->patience_ns / 1000000000));
	else if (WIFSIGNALED(child->status))
		snprintf(text, size, "it was ended by signal %d (%s)", WTERMSIG(child->status),
			 strsignal(WTERMSIG(child->status)));
	else
		snprintf(text, size, "it gave no document, with exit status %d",
			 WEXITSTATUS(child->status));
}

struct json_node *section_of(const struct child *child, struct mr_error *err)
{
	struct json_node *document = NULL;
	char text[128];
	int rc = 0;

	errno = 0;
	if (child->text)
		document = json_tree_parse(child->text, child->length);
	if (!document && errno == ENOMEM)
		rc = -ENOMEM;
	if (!rc && json_tree_kind(document) != JSON_OBJECT) {
		json_tree_free(document);
		document = json_tree_object();
		tell_end(child, text, sizeof(text));
		rc = report_add(document, "error", json_tree_new_string(text, sizeof(text)), err);
	}
	for (const char *const *key = dropped; !rc && *key; key++)
		json_tree_free(json_tree_take(document, *key));
	section_drop_secrets(document);
	if (!rc)
		return document;
	json_tree_free(document);
	mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	return NULL;
}

struct json_node *section_run(const struct report *report, const char *const *words,
			      struct mr_error *err)
{
	const char *argv[WORDS_MAX] = { "mrctl", "--json" };
	struct child child = { .path = "/proc/self/exe",
			       .argv = (char *const *)(uintptr_t)argv,
			       .output = CHILD_CATCH,
			       .is_silent = true,
			       .mask = &report->mask,
			       .patience_ns = PATIENCE_NS };
	struct json_node *section;

	for (size_t i = 0; words[i] && i + 3 < WORDS_MAX; i++)
		argv[i + 2] = words[i];
	if (child_run(&child, err))
		return NULL;
	section = section_of(&child, err);
	free(child.text);
	return section;
}
