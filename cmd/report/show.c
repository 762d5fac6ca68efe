// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/report.h"
#include "lib/base/base.h"

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

static int parse(struct report *report, const char *path, struct mr_error *err)
{
	size_t length = 0;
	mr_auto_free char *text = file_read(path, &length, err);
	const char *document, *command;
	int errnum;

	if (!text)
		return -EIO;
	document = find_document(text, &length);
	errno = EBADMSG;
	report->root = document ? json_parse(document, length) : NULL;
	errnum = report->root ? EBADMSG : errno;
	command = json_text(report->root, "command");
	if (command && !strcmp(command, "report"))
		return 0;
	if (errnum == ENOMEM)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	mr_fail_text(err, MR_ERROR_HOST, EBADMSG, "%s is not a report of mrctl", file_name(path));
	mr_hint(err, errnum == E2BIG ? "it has too many values for a report"
				     : "give a whole file that mrctl report wrote: in Markdown "
				       "the last block is its document");
	return -EBADMSG;
}

/* ---- judging ---- */

static const char *verdict_of(const cJSON *host, const char *id)
{
	const cJSON *check;

	cJSON_ArrayForEach(check, json_get(host, "checks"))
	{
		const char *own = json_text(check, "id");

		if (own && !strcmp(own, id))
			return json_text(check, "verdict");
	}
	return NULL;
}

/* Lists the checks whose verdict is another one than the report has, which another version may have made. */
static void compare(struct report *report, const cJSON *before)
{
	const cJSON *after = json_get(report->root, "host"), *check;
	cJSON *list = cJSON_CreateArray(), *difference;

	cJSON_ArrayForEach(check, json_get(after, "checks"))
	{
		const char *id = json_text(check, "id");
		const char *now = json_text(check, "verdict");
		const char *then = id ? verdict_of(before, id) : NULL;

		if (!id || !now || (then && !strcmp(then, now)))
			continue;
		difference = cJSON_CreateObject();
		report_add(report, difference, "id", report_string(id));
		report_add(report, difference, "then", report_string(then));
		report_add(report, difference, "now", report_string(now));
		report_add(report, list, NULL, difference);
	}
	report_add(report, report->root, "judged_again", list);
}

/* Writes the recording of the report into a folder. */
static int unpack(struct report *report, struct mr_error *err)
{
	const cJSON *file = json_get(report->root, "recording");
	struct mr_recording_tally tally = { .files = 0 };
	int rc = mr_temporary_folder_make(&report->folder, err);

	if (rc)
		return rc;
	for (file = file ? file->child : NULL; file && !rc; file = file->next) {
		if (cJSON_GetStringValue(file))
			rc = mr_recording_unpack(report->folder.fd, file->string ?: "",
						 cJSON_GetStringValue(file), &tally);
		else
			tally.left_out++;
	}
	if (rc)
		return mr_fail(err, MR_ERROR_HOST, -rc, "write", "%s", report->folder.path);
	report_add(report, report->root, "recording_left_out", json_number(tally.left_out));
	return 0;
}

/* With a recording, the section of the host becomes that which this mrctl finds there. */
int report_load(struct report *report, struct mr_error *err)
{
	cJSON *before, *environment;
	int rc = parse(report, report->args->read, err);

	if (rc)
		return rc;
	if (!cJSON_IsObject(json_get(report->root, "recording"))) {
		report_add(report, report->root, "judged_again", cJSON_CreateArray());
		return 0;
	}
	rc = unpack(report, err);
	if (rc)
		return rc;
	before = cJSON_DetachItemFromObjectCaseSensitive(report->root, "host");
	environment = cJSON_DetachItemFromObjectCaseSensitive(report->root, "environment");
	rc = report_judge(report, "--root", report->folder.path, err);
	if (!rc)
		compare(report, before);
	cJSON_Delete(before);
	if (!rc && cJSON_IsObject(environment))
		report_add(report, report->root, "environment", environment);
	else
		cJSON_Delete(environment);
	return rc;
}

/* Depth of the document down to which each member is on a separate line: a check is one line. */
#define DOCUMENT_LINES 3

/* ---- pieces of text ---- */

/*
 * Puts a form, in which "<at %addr>" is left out where the member "addr" is no text, or an empty one, number or truth value.
 * Return: whether one is.
 */
static bool put(FILE *to, const cJSON *object, const char *form)
{
	char key[32], buffer[JSON_SCALAR_MAX];
	bool has_any = false;

	for (;;) {
		const char *begin = strchrnul(form, '<'), *name, *rest, *text;

		fprintf(to, "%.*s", (int)(begin - form), form);
		if (!*begin)
			return has_any;
		name = strchr(begin, '%') + 1;
		rest = name + strspn(name, "abcdefghijklmnopqrstuvwxyz_");
		form = strchr(rest, '>') + 1;
		snprintf(key, sizeof(key), "%.*s", (int)(rest - name), name);
		text = json_scalar(json_get(object, key), buffer);
		if (!text || !*text)
			continue;
		has_any = true;
		fprintf(to, "%.*s", (int)(name - begin - 2), begin + 1);
		text_print(text, to);
		fprintf(to, "%.*s", (int)(form - rest - 1), rest);
	}
}

static void put_lines(FILE *to, const char *before, const cJSON *lines)
{
	const cJSON *line;

	cJSON_ArrayForEach(line, lines)
	{
		fputs(before, to);
		text_print(cJSON_GetStringValue(line) ?: "", to);
		fputc('\n', to);
	}
}

/* ---- refusals ---- */

static void put_request(FILE *to, const cJSON *request)
{
	put(to, request,
	    " < by %program>< on %device>< asked for %length bytes>< at %addr><, memory %memory>\n");
}

static void put_causes(FILE *to, const cJSON *failure)
{
	const cJSON *cause;
	const char *before = "  because:";

	cJSON_ArrayForEach(cause, json_get(failure, "causes"))
	{
		fputs(before, to);
		before = "  or:";
		put(to, cause, "< %cause>< [%certainty><, %id>]\n<  try: %remedy\n>");
	}
}

/* Puts the failures of a command, and the refusals that mrctl trace has seen. */
static void put_failures(FILE *to, const cJSON *section)
{
	const cJSON *failure;

	put(to, section, "<%error\n>");
	cJSON_ArrayForEach(failure, json_get(section, "failures"))
	{
		if (!put(to, failure, "<%message\n>"))
			put(to, failure, "<%call><: %errno>\n");
		put_request(to, json_get(failure, "request"));
		put_causes(to, failure);
	}
	cJSON_ArrayForEach(failure, json_get(section, "refusals"))
	{
		put(to, failure, "<%call><: %errno><, count %count><, first at %place>\n");
		put_request(to, failure);
		put_lines(to, "  in ", json_get(failure, "stack"));
		put_causes(to, failure);
	}
}

/* ---- sections ---- */

static void put_head(FILE *to, const cJSON *root)
{
	put(to, root, "<made:       %made><\nhost:       %host_name>");
	put(to, json_get(root, "environment"),
	    "<\nmrctl:      %mrctl><\nkernel:     %kernel><\nrdma-core:  %rdma_core>"
	    "<\nmemlock:    %memlock_soft><\nuser:       %uid>\n");
	put(to, json_get(root, "left_out"),
	    "<\nRedacted: private values are replaced by pseudonyms, equal values by equal "
	    "pseudonyms.\n"
	    "left out: %kernel_log_lines lines of the kernel's log><, %command_lines command lines>"
	    "<, %texts messages and other texts><, %recorded_files files of the recording\n>");
}

/* Puts a command line as a shell reads it, cut where it is long. */
static void put_command_line(FILE *to, const cJSON *list)
{
	char text[FIELD_TEXT_MAX];
	const char **words = NULL;
	const cJSON *word;
	size_t count = 0;

	cJSON_ArrayForEach(word, list)
	{
		const char **more = reallocarray(words, count + 2, sizeof(*words));

		if (!more)
			break;
		words = more;
		words[count++] = cJSON_GetStringValue(word) ?: "";
		words[count] = NULL;
	}
	text_print(words ? words_text(words, text) : "command line: left out", to);
	fputc('\n', to);
	free(words);
}

static void put_program(FILE *to, const cJSON *program)
{
	const cJSON *answer = json_get(program, "answer"), *lines;

	put_command_line(to, json_get(program, "argv"));
	put(to, program,
	    "<exit_status: %exit_status><signal: %signal><\nelapsed_ns: %elapsed_ns>\n\n");
	put_failures(to, answer);
	lines = json_get(answer, "libraries");
	if (cJSON_GetArraySize(lines))
		fputs("\nlibraries that its processes had mapped:\n", to);
	put_lines(to, "  ", lines);
	lines = json_get(program, "reproduction");
	if (cJSON_GetArraySize(lines))
		fputs("\na batch that is refused in the same way: refused.batch\n", to);
	put_lines(to, "", lines);
}

/* Puts the text of a command; nothing where the section has none. */
static void put_section(FILE *to, const cJSON *section)
{
	const cJSON *text = json_get(section, "text");

	put_lines(to, "", text);
	if (cJSON_GetArraySize(text))
		put_failures(to, section);
}

static void put_host(FILE *to, const cJSON *host)
{
	const cJSON *check;

	put_section(to, host);
	if (cJSON_GetArraySize(json_get(host, "text")))
		return;
	put_failures(to, host);
	cJSON_ArrayForEach(check, json_get(host, "checks"))
		put(to, check, "<%verdict><  %id><  %subject><: %figure>\n");
}

/* Puts what another version of mrctl finds in the recording of an existing report. */
static void put_judgement(FILE *to, const cJSON *root)
{
	const cJSON *again = json_get(root, "judged_again"), *check;

	if (!cJSON_IsObject(json_get(root, "recording")))
		fputs("The report has no recording of the host, so these are its original "
		      "verdicts.\n",
		      to);
	else if (cJSON_IsArray(again))
		fputs(cJSON_GetArraySize(again)
			      ? "On the recording of the host, these checks now have other "
				"results:\n"
			      : "On the recording of the host, each check has the same result "
				"now.\n",
		      to);
	cJSON_ArrayForEach(check, again) put(to, check, "<  %id><: %then><, now %now>\n");
}

static void put_log(FILE *to, const cJSON *log)
{
	const cJSON *lines = json_get(log, "lines");
	const char *errno_name = json_text(log, "errno");

	if (errno_name && !strcmp(errno_name, "EPERM"))
		fputs("Only root may read it (EPERM). Add the output of: sudo dmesg | grep -iE "
		      "'mlx5|rdma|infiniband|oom'\n",
		      to);
	else if (!put(to, log, "<It could not be read: %errno\n>") && !cJSON_GetArraySize(lines))
		fputs(cJSON_IsArray(lines) ? "No line is about RDMA or a lack of memory.\n"
					   : "left out\n",
		      to);
	put_lines(to, "", lines);
}

/* ---- Markdown ---- */

/* Prints text between rows of backticks that no row in it can end. */
static void print_fence(const char *text)
{
	size_t ticks = 3;

	for (const char *at = strchr(text, '`'); at; at = strchr(at + strspn(at, "`"), '`'))
		if (strspn(at, "`") >= ticks)
			ticks = strspn(at, "`") + 1;
	for (size_t i = 0; i < 2 * ticks; i++) {
		output_put(i == ticks ? text : "");
		output_put("`");
		output_put(i == ticks - 1 ? "\n" : "");
	}
	output_put("\n");
}

/* Prints a document.  Its lines begin with no backtick, so that nothing in it ends the block. */
static void print_json(const char *begin, const cJSON *node)
{
	output_put(begin);
	json_print(node, DOCUMENT_LINES);
	output_put("\n```\n");
}

/* A part of the text, of a member of the document or (key NULL) of the whole. */
struct part {
	const char *heading, *key;
	void (*put)(FILE *to, const cJSON *section);
};

/* Prints a part.  A part without text is printed as JSON, unless the @whole document follows. */
static int print_part(const struct part *part, const cJSON *root, bool whole)
{
	const cJSON *section = part->key ? json_get(root, part->key) : root;
	mr_auto_free char *text = NULL;
	size_t size;
	FILE *to;

	if (!cJSON_IsObject(section))
		return 0;
	to = open_memstream(&text, &size);
	if (!to)
		return -ENOMEM;
	part->put(to, section);
	if (fclose(to))
		return -ENOMEM;
	if (!size && (whole || !part->key))
		return 0;
	output_text("%s\n\n", part->heading);
	if (size)
		print_fence(text);
	else
		print_json("```\n", section);
	output_put("\n");
	return 0;
}

int report_show(const cJSON *root, bool whole)
{
	static const struct part parts[] = {
		{ "# mrctl report", NULL, put_head },
		{ "## The program", "program", put_program },
		{ "## Readiness of the host", "host", put_host },
		{ "## Judged again", NULL, put_judgement },
		{ "## Devices", "devices", put_section },
		{ "## Regions of the session", "session", put_section },
		{ "## The kernel's log", "kernel_log", put_log },
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(parts) / sizeof(*parts); i++)
		rc = print_part(&parts[i], root, whole);
	if (rc || !whole)
		return rc;
	output_text("## This report as JSON, for mrctl report --read\n\n");
	print_json("```json\n", root);
	return 0;
}
