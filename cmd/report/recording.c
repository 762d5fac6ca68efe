// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "cmd/report/recording.h"
#include "lib/host/recording_files.h"

/* The kernel's log is a section of its own. */
#define LOG_FILE "/calls/kernel-log."

static int add_file(void *data, const char *path, const char *text)
{
	if (!strncmp(path, LOG_FILE, strlen(LOG_FILE)))
		return 0;
	return json_tree_add(data, path, json_tree_new_string(text, strlen(text))) ? 0 : -ENOMEM;
}

static int add_left_out(struct report *report, const struct mr_recording_tally *tally,
			struct mr_error *err)
{
	return report_add(report->root, "recording_left_out", json_tree_new_number(tally->left_out),
			  err);
}

int report_pack(struct report *report, const char *folder, struct mr_error *err)
{
	struct mr_recording_tally tally = { .files = 0 };
	struct json_node *files = json_tree_object();
	int rc = files ? 0 : mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);

	if (!rc)
		rc = mr_recording_pack(folder, add_file, files, &tally, err);
	if (!rc)
		rc = add_left_out(report, &tally, err);
	if (!rc)
		return report_add(report->root, "recording", files, err);
	json_tree_free(files);
	return rc;
}

static int unpack_file(int folder, const struct json_node *file, struct mr_recording_tally *tally)
{
	const char *text = json_tree_string(file);

	if (text)
		return mr_recording_unpack(folder, json_tree_key(file), text, tally);
	tally->left_out++;
	return 0;
}

int report_unpack(struct report *report, struct mr_error *err)
{
	const struct json_node *file = json_tree_first(json_tree_get(report->root, "recording"));
	struct mr_recording_tally tally = { .files = 0 };
	int rc = mr_temporary_folder_make(&report->folder, err);

	if (rc)
		return rc;
	for (; !rc && file; file = json_tree_next(file))
		rc = unpack_file(report->folder.fd, file, &tally);
	if (rc)
		return mr_fail(err, MR_ERROR_HOST, -rc, "write", "%s", report->folder.path);
	return add_left_out(report, &tally, err);
}
