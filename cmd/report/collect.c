// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Collects the sections of a report: runs mrctl, and a program, for them. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "cmd/region/region.h"
#include "cmd/report/report.h"
#include "lib/base/base.h"
#include "lib/host/host.h"

/* A device that does not answer must not keep the report from being written. */
#define PATIENCE_NS UINT64_C(60000000000)

/* Columns of a session's regions: all usual ones but the keys. */
#define SESSION_COLUMNS "id,name,state,handle,addr,length,iova,access,pd"

/* The kernel's log is a separate section. */
#define LOG_FILE "/calls/kernel-log."

/* ---- parts of the document ---- */

void report_add(struct report *report, cJSON *to, const char *key, cJSON *value)
{
	bool is_done;

	if (key && value && json_get(to, key)) /* in a report that was read */
		is_done = cJSON_ReplaceItemInObjectCaseSensitive(to, key, value);
	else
		is_done = key ? cJSON_AddItemToObject(to, key, value)
			      : cJSON_AddItemToArray(to, value);
	if (is_done)
		return;
	cJSON_Delete(value);
	report->out_of_memory = true;
}

cJSON *report_string(const char *text)
{
	return text ? cJSON_CreateString(text) : cJSON_CreateNull();
}

void report_clear(cJSON *item)
{
	cJSON_Delete(item->child);
	cJSON_free(item->valuestring);
	item->child = NULL;
	item->valuestring = NULL;
	item->type = cJSON_NULL;
}

/* Returns a list of the lines of a text, without those that name the folder of the report, which is removed. */
static cJSON *list_lines(struct report *report, const char *text)
{
	cJSON *list = cJSON_CreateArray();
	const char *folder = report->folder.path;
	size_t length;

	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		if (!*folder || !memmem(text, length, folder, strlen(folder))) {
			char *line = strndup(text, length);
			cJSON *item = line ? cJSON_CreateString(line) : NULL;

			free(line);
			report_add(report, list, NULL, item);
		}
	}
	return list;
}

/* ---- documents of mrctl as sections ---- */

/* Removes the number of a key: "rkey:0x1805" becomes "rkey:". */
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

void report_drop_keys(cJSON *node)
{
	cJSON *child;

	cJSON_ArrayForEach(child, node)
	{
		const char *key = child->string ?: "";

		/* With an export others import a umem. */
		if (!strcmp(key, "lkey") || !strcmp(key, "rkey") || !strcmp(key, "export"))
			report_clear(child);
		else if (cJSON_IsString(child))
			hide_keys(child->valuestring);
		else
			report_drop_keys(child);
	}
}

/*
 * Turns the document that a child has printed into a section, without keys of regions.  Without a document the section
 * has the member "error".
 */
static cJSON *make_section(struct report *report, const struct child *child)
{
	/* These have no meaning in a section, or the report has them once. */
	static const char *const dropped[] = { "format", "command", "session", "as_expected" };
	char why[128];
	cJSON *document;

	errno = 0;
	document = child->text ? json_parse(child->text, child->length) : NULL;
	report->out_of_memory = report->out_of_memory || (!document && errno == ENOMEM);
	if (!cJSON_IsObject(document)) {
		cJSON_Delete(document);
		document = cJSON_CreateObject();
		if (child->is_late)
			snprintf(why, sizeof(why), "the command did not end within %llu s",
				 (unsigned long long)(child->patience_ns / 1000000000));
		else if (WIFSIGNALED(child->status))
			snprintf(why, sizeof(why), "the command was ended by signal %d (%s)",
				 WTERMSIG(child->status), strsignal(WTERMSIG(child->status)));
		else
			snprintf(why, sizeof(why),
				 "the command ended with exit status %d and printed no document",
				 WEXITSTATUS(child->status));
		report_add(report, document, "error", report_string(why));
	}
	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		cJSON_Delete(cJSON_DetachItemFromObjectCaseSensitive(document, dropped[i]));
	report_drop_keys(document);
	return document;
}

/* Runs a child with the words before and after, which end with NULL.  Return: as child_run(). */
static int run_words(struct child *child, const char *const *before, const char *const *after,
		     struct mr_error *err)
{
	mr_auto_free const char **words = NULL;
	size_t first = 0, rest = 0;
	int rc;

	while (before[first])
		first++;
	while (after[rest])
		rest++;
	words = calloc(first + rest + 1, sizeof(*words));
	if (!words)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	memcpy(words, before, first * sizeof(*words));
	memcpy(words + first, after, rest * sizeof(*words));
	child->argv = (char *const *)(uintptr_t)words;
	rc = child_run(child, err);
	child->argv = NULL;
	return rc;
}

/* Runs mrctl, and catches what it prints.  @words: of the command, end with NULL */
static int run_mrctl(const struct report *report, const char *const *words, bool json,
		     struct child *child, struct mr_error *err)
{
	const char *const before[] = { "mrctl", json ? "--json" : NULL, NULL };

	*child = (struct child){ .path = "/proc/self/exe",
				 .output = CHILD_CATCH,
				 .is_silent = true,
				 .mask = &report->mask,
				 .patience_ns = PATIENCE_NS };
	return run_words(child, before, words, err);
}

/*
 * Runs mrctl twice, for a document and for a text, and adds a section of both.  The environment of the host's section
 * is that of the report.
 * @text_words: of the command that prints the text
 */
static int add_section(struct report *report, const char *key, const char *const *words,
		       const char *const *text_words, struct mr_error *err)
{
	cJSON *section, *environment;
	struct child child;
	int rc = run_mrctl(report, words, true, &child, err);

	if (rc)
		return rc;
	section = make_section(report, &child);
	free(child.text);
	environment = cJSON_DetachItemFromObjectCaseSensitive(section, "environment");
	/* There is none where the checks ended without a document. */
	if (!strcmp(key, "host"))
		report_add(report, report->root, "environment", environment ?: cJSON_CreateNull());
	else
		cJSON_Delete(environment);
	if (!json_get(section, "error") && !report->args->redact) {
		rc = run_mrctl(report, text_words, false, &child, err);
		report_add(report, section, "text", list_lines(report, child.text ?: ""));
		free(child.text);
	}
	report_add(report, report->root, key, section);
	return rc;
}

/* ---- the sections ---- */

/* Adds when and on which machine: a recorded host has no name. */
static void add_head(struct report *report)
{
	const time_t now = time(NULL);
	struct utsname names;
	char made[32] = "";
	struct tm utc;

	if (gmtime_r(&now, &utc))
		strftime(made, sizeof(made), "%Y-%m-%dT%H:%M:%SZ", &utc);
	report_add(report, report->root, "made", report_string(made));
	report_add(report, report->root, "host_name",
		   report_string(report->args->root || uname(&names) ? NULL : names.nodename));
}

/* Adds the regions of the session, and the devices; a recorded host has neither. */
static int add_regions_and_devices(struct report *report, struct mr_error *err)
{
	const char *session = report->invocation->global->session;
	const char *option = session ? "--session" : NULL;
	const char *const regions[] = { "stat", option, session, NULL };
	const char *const regions_text[] = { "stat", "--output", SESSION_COLUMNS,
					     option, session,    NULL };
	const char *const devices[] = { "stat", "--device", report->invocation->global->device,
					NULL };
	int rc = 0;

	report_add(report, report->root, "session", cJSON_CreateNull());
	report_add(report, report->root, "devices", cJSON_CreateNull());
	if (report->args->root)
		return 0;
	if (context_session(report->invocation))
		rc = add_section(report, "session", regions, regions_text, err);
	return rc ? rc : add_section(report, "devices", devices, devices, err);
}

/* Adds the kernel's log: its lines, or the errno of reading it. */
static int add_log(struct report *report, struct mr_error *err)
{
	struct mr_error ignored;
	cJSON *log;
	struct mr_host host;
	int failed = 0;
	char *text;

	if (mr_host_open(&host, report->args->root, NULL, err))
		return -err->errnum;
	text = calloc(1, MR_KERNEL_LOG_MAX);
	if (text)
		failed = mr_kernel_log_read(&host, text);
	mr_host_close(&host, &ignored);
	log = cJSON_CreateObject();
	report_add(report, log, "errno", report_string(failed ? mr_errno_name(-failed) : NULL));
	report_add(report, log, "lines", text ? list_lines(report, text) : NULL);
	report_add(report, report->root, "kernel_log", log);
	free(text);
	return 0;
}

static int add_file(void *data, const char *path, const char *text)
{
	if (!strncmp(path, LOG_FILE, strlen(LOG_FILE)))
		return 0;
	return cJSON_AddStringToObject(data, path, text) ? 0 : -ENOMEM;
}

int report_judge(struct report *report, const char *how, const char *folder, struct mr_error *err)
{
	const char *const words[] = { "stat", "--host", how, folder, NULL };
	const char *const text_words[] = { "stat", "--host", "--root", folder, NULL };
	int rc = add_section(report, "host", words, text_words, err);
	cJSON *recording =
		json_get(json_get(json_get(report->root, "host"), "summary"), "recording");

	if (recording)
		report_clear(recording);
	return rc;
}

/* Adds the verdicts, and the files of the recorded host as members of an object: "/proc/self/limits". */
static int add_host(struct report *report, struct mr_error *err)
{
	const char *root = report->args->root;
	struct mr_recording_tally tally = { .files = 0 };
	cJSON *files;
	int rc = root ? 0 : mr_temporary_folder_make(&report->folder, err);

	if (!rc)
		rc = report_judge(report, root ? "--root" : "--record",
				  root ? root : report->folder.path, err);
	if (rc)
		return rc;
	files = cJSON_CreateObject();
	rc = mr_recording_pack(root ? root : report->folder.path, add_file, files, &tally, err);
	report_add(report, report->root, "recording_left_out", json_number(tally.left_out));
	report_add(report, report->root, "recording", files);
	return rc;
}

/* Name of the batch, in a temporary folder of the report while the program runs. */
#define BATCH "refused.batch"

/* ---- the program ---- */

/* Whether it is a command line of mrctl that prints a document about registrations where it gets --json. */
static bool gives_document(const struct report *report, char *const *argv)
{
	const struct command *command = NULL;

	if (strcmp(basename(argv[0]), "mrctl") != 0)
		return false;
	/* The first word that is a command, behind global options and their values. */
	while (!command && *++argv)
		command = *command_find(report->invocation->commands, *argv);
	return command && command->record && !command->views && !command->runs_program;
}

/* Whether mrctl trace could not run the program: it saw no process. */
static bool was_not_run(const struct child *child)
{
	const int status = WIFEXITED(child->status) ? WEXITSTATUS(child->status) : 0;
	cJSON *summary;
	char buffer[JSON_SCALAR_MAX];
	const char *processes;
	bool is_none;

	if (!child->text || (status != EXIT_NO_PROGRAM && status != EXIT_CANNOT_EXEC))
		return false;
	summary = json_parse(child->text, child->length);
	processes = json_scalar(json_get(summary, "processes"), buffer);
	is_none = processes && !strcmp(processes, "0") &&
		  !cJSON_GetArraySize(json_get(summary, "not_followed"));
	cJSON_Delete(summary);
	return is_none;
}

/*
 * Runs a program under mrctl trace, whose summary becomes the child's text.
 * @batch: set to the lines of a batch that is refused in the same way
 */
static int trace(struct report *report, const char *folder, struct child *child, cJSON **batch,
		 struct mr_error *err)
{
	char summary[PATH_MAX + sizeof("/trace.json")], reproduction[PATH_MAX + sizeof("/" BATCH)];
	const char *const before[] = { "mrctl",     "--json", "trace",       "--stacks",
				       "--summary", summary,  "--reproduce", reproduction,
				       "--",        NULL };
	mr_auto_free char *text = NULL;
	struct mr_error ignored;
	size_t length;
	int rc;

	snprintf(summary, sizeof(summary), "%s/trace.json", folder);
	snprintf(reproduction, sizeof(reproduction), "%s/" BATCH, folder);
	child->path = "/proc/self/exe";
	child->output = report->args->to ? CHILD_KEEP : CHILD_TO_STDERR;
	rc = run_words(child, before, (const char *const *)report->invocation->operands, err);
	if (rc)
		return rc;
	child->text = file_read(summary, &child->length, &ignored);
	text = file_read(reproduction, &length, &ignored);
	/* The batch names its own path, in a folder that is removed. */
	for (char *at = text; at && (at = strstr(at, reproduction));)
		memmove(stpcpy(at, BATCH), at + strlen(reproduction),
			strlen(at + strlen(reproduction)) + 1);
	*batch = text ? list_lines(report, text) : NULL;
	if (!was_not_run(child))
		return 0;
	rc = mr_fail_text(
		err, MR_ERROR_HOST, WEXITSTATUS(child->status) == EXIT_NO_PROGRAM ? ENOENT : EACCES,
		"no report was written: '%s' cannot be run", report->invocation->operands[0]);
	err->call = CHILD_CALL;
	return rc;
}

static cJSON *number_or_null(bool is_known, int number)
{
	return is_known ? json_number((uint64_t)number) : cJSON_CreateNull();
}

/* @batch: of what was refused, else freed; or NULL */
static void add_program(struct report *report, const struct child *child, cJSON *batch)
{
	cJSON *program = cJSON_CreateObject(), *argv = cJSON_CreateArray(),
	      *answer = make_section(report, child);
	const int status = child->status;

	if (!cJSON_GetArraySize(json_get(answer, "refusals"))) {
		cJSON_Delete(batch);
		batch = NULL;
	}
	for (char *const *word = report->invocation->operands; *word; word++)
		report_add(report, argv, NULL, report_string(*word));
	report_add(report, program, "argv", argv);
	report_add(report, program, "exit_status",
		   number_or_null(WIFEXITED(status), WEXITSTATUS(status)));
	report_add(report, program, "signal",
		   number_or_null(WIFSIGNALED(status), WTERMSIG(status)));
	report_add(report, program, "elapsed_ns", json_number(child->elapsed_ns));
	report_add(report, program, "answer", answer);
	report_add(report, program, "reproduction", batch ?: cJSON_CreateNull());
	report_drop_keys(program);
	report_add(report, report->root, "program", program);
}

/* Runs the program of the operands, and adds its section.  Return: 0 or -errno. */
static int run_program(struct report *report, struct mr_error *err)
{
	char **argv = report->invocation->operands;
	struct mr_temporary_folder folder = { .fd = -1 };
	struct child child = { .mask = &report->mask };
	cJSON *batch = NULL;
	int rc;

	if (!argv[0]) {
		report_add(report, report->root, "program", cJSON_CreateNull());
		return 0;
	}
	shell_find_mrctl();
	if (gives_document(report, argv)) {
		child.output = CHILD_CATCH;
		rc = run_words(&child, (const char *const[]){ argv[0], "--json", NULL },
			       (const char *const *)argv + 1, err);
	} else {
		rc = mr_temporary_folder_make(&folder, err);
		if (!rc)
			rc = trace(report, folder.path, &child, &batch, err);
		mr_temporary_folder_remove(&folder);
	}
	if (rc)
		cJSON_Delete(batch);
	else
		add_program(report, &child, batch);
	free(child.text);
	return rc;
}

int report_collect(struct report *report, struct mr_error *err)
{
	int rc = run_program(report, err);

	if (rc)
		return rc;
	add_head(report);
	rc = add_log(report, err);
	if (!rc)
		rc = add_regions_and_devices(report, err);
	return rc ? rc : add_host(report, err);
}
