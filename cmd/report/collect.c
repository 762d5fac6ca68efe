// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
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
#include "lib/host/reading.h"

/* A device that does not answer must not keep the report from being written. */
#define PATIENCE_NS UINT64_C(60000000000)

/* Columns of a session's regions: all usual ones but the keys. */
#define SESSION_COLUMNS "id,name,state,handle,addr,length,iova,access,pd"

/* The kernel's log is a section of its own. */
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

cJSON *report_list_lines(struct report *report, const char *text)
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

cJSON *report_section(struct report *report, const struct child *child)
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
			snprintf(why, sizeof(why), "it did not end within %llu s",
				 (unsigned long long)(child->patience_ns / 1000000000));
		else if (WIFSIGNALED(child->status))
			snprintf(why, sizeof(why), "it was ended by signal %d (%s)",
				 WTERMSIG(child->status), strsignal(WTERMSIG(child->status)));
		else
			snprintf(why, sizeof(why),
				 "it ended with exit status %d and printed no document",
				 WEXITSTATUS(child->status));
		report_add(report, document, "error", report_string(why));
	}
	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		cJSON_Delete(cJSON_DetachItemFromObjectCaseSensitive(document, dropped[i]));
	report_drop_keys(document);
	return document;
}

int report_run(struct child *child, const char *const *before, const char *const *after,
	       struct mr_error *err)
{
	mr_auto_free const char **words = NULL;
	size_t count = 0, used = 0;
	int rc;

	for (size_t i = 0; before[i]; i++)
		count++;
	for (size_t i = 0; after[i]; i++)
		count++;
	words = calloc(count + 1, sizeof(*words));
	if (!words)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	while (*before)
		words[used++] = *before++;
	while (*after)
		words[used++] = *after++;
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
	return report_run(child, before, words, err);
}

/*
 * Runs mrctl twice, for a document and for a text, and makes a section of both.
 * @text_words: of the command that prints the text
 *
 * Return: the section; NULL with @err.
 */
static cJSON *run_section(struct report *report, const char *const *words,
			  const char *const *text_words, struct mr_error *err)
{
	cJSON *section;
	struct child child;

	if (run_mrctl(report, words, true, &child, err))
		return NULL;
	section = report_section(report, &child);
	free(child.text);
	if (json_get(section, "error") || report->args->redact)
		return section;
	if (run_mrctl(report, text_words, false, &child, err)) {
		cJSON_Delete(section);
		return NULL;
	}
	report_add(report, section, "text",
		   report_list_lines(report, child.text ? child.text : ""));
	free(child.text);
	return section;
}

static int add_section(struct report *report, const char *key, const char *const *words,
		       const char *const *text_words, struct mr_error *err)
{
	cJSON *section = run_section(report, words, text_words, err);

	if (!section)
		return -EIO;
	cJSON_Delete(cJSON_DetachItemFromObjectCaseSensitive(section, "environment"));
	report_add(report, report->root, key, section);
	return 0;
}

/* ---- the sections ---- */

/* Adds when and on which machine: a recorded host has no name. */
static int add_head(struct report *report, struct mr_error *err __attribute__((unused)))
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
	return 0;
}

static int add_devices(struct report *report, struct mr_error *err)
{
	const char *const words[] = { "stat", "--device", report->invocation->global->device,
				      NULL };

	if (!report->args->root)
		return add_section(report, "devices", words, words, err);
	report_add(report, report->root, "devices", cJSON_CreateNull());
	return 0;
}

static int add_session(struct report *report, struct mr_error *err)
{
	const char *session = report->invocation->global->session;
	const char *option = session ? "--session" : NULL;
	const char *const words[] = { "stat", option, session, NULL };
	const char *const text_words[] = { "stat", "--output", SESSION_COLUMNS,
					   option, session,    NULL };

	if (!report->args->root && context_session(report->invocation))
		return add_section(report, "session", words, text_words, err);
	report_add(report, report->root, "session", cJSON_CreateNull());
	return 0;
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
	report_add(report, log, "lines", text ? report_list_lines(report, text) : NULL);
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
	cJSON *host = run_section(report, words, text_words, err), *node;

	if (!host)
		return -EIO;
	node = cJSON_DetachItemFromObjectCaseSensitive(host, "environment");
	/* There is none where the checks ended without a document. */
	report_add(report, report->root, "environment", node ?: cJSON_CreateNull());
	node = json_get(json_get(host, "summary"), "recording");
	if (node)
		report_clear(node);
	report_add(report, report->root, "host", host);
	return 0;
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

int report_collect(struct report *report, struct mr_error *err)
{
	static int (*const adds[])(struct report *, struct mr_error *) = {
		add_head, add_log, add_session, add_devices, add_host,
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(adds) / sizeof(*adds); i++)
		rc = adds[i](report, err);
	return rc;
}
