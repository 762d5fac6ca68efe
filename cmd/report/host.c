// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/report/host.h"
#include "cmd/report/sections.h"

int report_judge(struct report *report, const char *how, const char *folder, struct mr_error *err)
{
	const char *const words[] = { "stat", "--host", how, folder, NULL };
	struct json_node *host = section_run(report, words, err), *summary;
	int rc;

	if (!host)
		return -EIO;
	rc = report_add(report->root, "environment", json_tree_take(host, "environment"), err);
	summary = json_tree_get(host, "summary");
	if (json_tree_get(summary, "recording"))
		json_tree_clear(json_tree_get(summary, "recording"));
	if (rc)
		json_tree_free(host);
	return rc ? rc : report_add(report->root, "host", host, err);
}
