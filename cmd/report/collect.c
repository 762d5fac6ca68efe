// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "cmd/region/context.h"
#include "cmd/report/collect.h"
#include "cmd/report/host.h"
#include "cmd/report/recording.h"
#include "cmd/report/sections.h"
#include "lib/host/kernel_log.h"

static struct json_node *text_node(const char *text)
{
	return json_tree_new_string(text, text ? strlen(text) : 0);
}

/* When, and on which machine: a recorded host has no name. */
static int add_head(struct report *report, struct mr_error *err)
{
	const time_t now = time(NULL);
	struct utsname names;
	char made[32] = "";
	struct tm utc;
	int rc;

	if (gmtime_r(&now, &utc))
		strftime(made, sizeof(made), "%Y-%m-%dT%H:%M:%SZ", &utc);
	rc = report_add(report->root, "made", text_node(made), err);
	if (rc)
		return rc;
	return report_add(report->root, "host_name",
			  text_node(report->args->root || uname(&names) ? NULL : names.nodename),
			  err);
}

static int add_section(struct report *report, const char *key, const char *const *words,
		       struct mr_error *err)
{
	struct json_node *section = section_run(report, words, err);

	if (!section)
		return -EIO;
	json_tree_free(json_tree_take(section, "environment"));
	return report_add(report->root, key, section, err);
}

static int add_devices(struct report *report, struct mr_error *err)
{
	const char *device = report->invocation->global->device;
	const char *const words[] = { "stat", "--device", device, NULL };

	return add_section(report, "devices", words, err);
}

static int add_session(struct report *report, struct mr_error *err)
{
	const char *session = report->invocation->global->session;
	const char *const words[] = { "stat", session ? "--session" : NULL, session, NULL };

	if (!context_session(report->invocation))
		return report_add(report->root, "session", json_tree_new_null(), err);
	return add_section(report, "session", words, err);
}

static struct json_node *list_lines(const char *text)
{
	struct json_node *list = json_tree_list();
	size_t length;

	for (; list && *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		if (!json_tree_add(list, NULL, json_tree_new_string(text, length))) {
			json_tree_free(list);
			list = NULL;
		}
	}
	return list;
}

/* The kernel's log: its lines, or the errno of reading it. */
static int fill_log(struct json_node *log, struct mr_host *host, struct mr_error *err)
{
	char *text = malloc(MR_KERNEL_LOG_MAX);
	int failed, rc;

	if (!text)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	failed = mr_kernel_log_read(host, text);
	rc = report_add(log, "errno", text_node(failed ? mr_errno_name(-failed) : NULL), err);
	if (!rc)
		rc = report_add(log, "lines", list_lines(text), err);
	free(text);
	return rc;
}

static int add_log(struct report *report, struct mr_error *err)
{
	struct json_node *log = json_tree_object();
	struct mr_error ignored;
	struct mr_host host;
	int rc = mr_host_open(&host, report->args->root, NULL, err);

	if (!rc) {
		rc = fill_log(log, &host, err);
		mr_host_close(&host, &ignored);
	}
	if (!rc)
		return report_add(report->root, "kernel_log", log, err);
	json_tree_free(log);
	return rc;
}

static int add_host(struct report *report, struct mr_error *err)
{
	const char *root = report->args->root;
	int rc = root ? 0 : mr_temporary_folder_make(&report->folder, err);

	if (!rc)
		rc = report_judge(report, root ? "--root" : "--record",
				  root ? root : report->folder.path, err);
	return rc ? rc : report_pack(report, root ? root : report->folder.path, err);
}

int report_collect(struct report *report, struct mr_error *err)
{
	static int (*const adds[])(struct report *, struct mr_error *) = {
		add_head, add_log, add_session, add_devices, add_host,
	};
	static const char *const of_machine[] = { "session", "devices" };
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(adds) / sizeof(*adds); i++)
		if (!report->args->root || (adds[i] != add_session && adds[i] != add_devices))
			rc = adds[i](report, err);
	for (size_t i = 0; !rc && report->args->root && i < 2; i++)
		rc = report_add(report->root, of_machine[i], json_tree_new_null(), err);
	return rc;
}
