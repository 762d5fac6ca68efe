// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/report/host.h"
#include "cmd/report/sections.h"

int report_judge(struct report *report, const char *how, const char *folder, struct mr_error *err)
{
	const char *const words[] = { "stat", "--host", how, folder, NULL };
	struct json_node *host = section_run(report, words, err), *summary, *environment;
	int rc;

	if (!host)
		return -EIO;
	environment = json_tree_take(host, "environment");
	/* There is none where the checks ended without a document. */
	rc = report_add(report->root, "environment",
			environment ? environment : json_tree_new_null(), err);
	summary = json_tree_get(host, "summary");
	if (json_tree_get(summary, "recording"))
		json_tree_clear(json_tree_get(summary, "recording"));
	if (rc)
		json_tree_free(host);
	return rc ? rc : report_add(report->root, "host", host, err);
}
