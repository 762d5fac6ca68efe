// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An existing report, perhaps of another host, by anybody. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/files.h"
#include "cmd/report/sections.h"
#include "lib/host/reading.h"

#define FENCE "```json"

/* ---- the file ---- */

/* Finds the document: the whole file, or in Markdown the last fenced block of JSON.  Return: NULL: there is none. */
static const char *find_document(const char *text, size_t *length)
{
	const char *begin = text + strspn(text, " \t\r\n"), *end, *next;

	if (*begin == '{') {
		*length = strlen(begin);
		return begin;
	}
	begin = NULL;
	for (next = text; (next = strstr(next, FENCE)); next += strlen(FENCE))
		if (next == text || next[-1] == '\n')
			begin = next + strlen(FENCE);
	if (!begin)
		return NULL;
	end = strstr(begin, "\n```");
	*length = end ? (size_t)(end - begin) : strlen(begin);
	return begin;
}

static int fail_parse(const char *path, int errnum, struct mr_error *err)
{
	if (errnum == ENOMEM)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	mr_fail_text(err, MR_ERROR_HOST, EBADMSG, "%s is not a report of mrctl", file_name(path));
	mr_hint(err, errnum == E2BIG ? "it has more values than any report"
				     : "a report is a file that mrctl report wrote, whole: in "
				       "Markdown its document is the last block");
	return -EBADMSG;
}

static int parse(struct report *report, const char *path, struct mr_error *err)
{
	size_t length = 0;
	char *text = file_read(path, &length, err);
	const char *document, *command;
	int errnum = EBADMSG;

	if (!text)
		return -EIO;
	document = find_document(text, &length);
	if (document) {
		report->root = json_tree_parse(document, length);
		errnum = report->root ? EBADMSG : errno;
	}
	free(text);
	command = json_tree_text_of(report->root, "command");
	return command && !strcmp(command, "report") ? 0 : fail_parse(path, errnum, err);
}

/* ---- judging ---- */

static const char *verdict_of(const struct json_node *host, const char *id)
{
	const struct json_node *check = json_tree_first(json_tree_get(host, "checks"));

	for (; check; check = json_tree_next(check)) {
		const char *own = json_tree_text_of(check, "id");

		if (own && !strcmp(own, id))
			return json_tree_text_of(check, "verdict");
	}
	return NULL;
}

static void add_difference(struct report *report, struct json_node *list, const char *id,
			   const char *then, const char *now)
{
	struct json_node *difference = json_tree_object();

	report_add(report, difference, "id", report_string(id));
	report_add(report, difference, "then", report_string(then));
	report_add(report, difference, "now", report_string(now));
	report_add(report, list, NULL, difference);
}

/* Lists the checks whose verdict is another one than the report has, which another version may have made. */
static void compare(struct report *report, const struct json_node *before)
{
	const struct json_node *after = json_tree_get(report->root, "host"), *check;
	struct json_node *list = json_tree_list();

	for (check = json_tree_first(json_tree_get(after, "checks")); check;
	     check = json_tree_next(check)) {
		const char *id = json_tree_text_of(check, "id");
		const char *now = json_tree_text_of(check, "verdict");
		const char *then = id ? verdict_of(before, id) : NULL;

		if (id && now && (!then || strcmp(then, now) != 0))
			add_difference(report, list, id, then, now);
	}
	report_add(report, report->root, "judged_again", list);
}

/* Writes the recording of the report into a folder. */
static int unpack(struct report *report, struct mr_error *err)
{
	const struct json_node *file = json_tree_first(json_tree_get(report->root, "recording"));
	struct mr_recording_tally tally = { .files = 0 };
	int rc = mr_temporary_folder_make(&report->folder, err);

	if (rc)
		return rc;
	for (; !rc && file; file = json_tree_next(file)) {
		if (json_tree_string(file))
			rc = mr_recording_unpack(report->folder.fd, json_tree_key(file),
						 json_tree_string(file), &tally);
		else
			tally.left_out++;
	}
	if (rc)
		return mr_fail(err, MR_ERROR_HOST, -rc, "write", "%s", report->folder.path);
	report_add(report, report->root, "recording_left_out",
		   json_tree_new_number(tally.left_out));
	return 0;
}

/* The section of the host becomes that which this mrctl finds in the recording. */
static int judge_again(struct report *report, struct mr_error *err)
{
	struct json_node *before, *environment;
	int rc = unpack(report, err);

	if (rc)
		return rc;
	before = json_tree_take(report->root, "host");
	environment = json_tree_take(report->root, "environment");
	rc = report_judge(report, "--root", report->folder.path, err);
	if (!rc)
		compare(report, before);
	json_tree_free(before);
	if (!rc && json_tree_kind(environment) == JSON_OBJECT)
		report_add(report, report->root, "environment", environment);
	else
		json_tree_free(environment);
	return rc;
}

int report_load(struct report *report, struct mr_error *err)
{
	int rc = parse(report, report->args->read, err);

	if (rc || json_tree_kind(json_tree_get(report->root, "recording")) == JSON_OBJECT)
		return rc ? rc : judge_again(report, err);
	/* The verdicts stay those of the report. */
	report_add(report, report->root, "judged_again", json_tree_list());
	return 0;
}
