// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/output/markdown.h"
#include "cmd/output/markdown_text.h"
#include "cmd/output/stream.h"
#include "cmd/report/cells.h"
#include "cmd/report/parts.h"
#include "cmd/report/show.h"

/* So many lines of the log are shown unfolded. */
#define LINES_SHOWN 10

/* Depth of the document down to which each member has a line of its own. */
#define DOCUMENT_LINES 2

/* ---- head ---- */

static int show_head(const struct json_node *root)
{
	const char *host = json_tree_text_of(root, "host_name");
	const char *version = json_tree_text_of(json_tree_get(root, "environment"), "mrctl");
	char line[256];

	snprintf(line, sizeof(line), "Made %s by mrctl %s%s%s.",
		 show_or_unknown(json_tree_text_of(root, "made")), show_or_unknown(version),
		 host ? " on " : ", of a recorded host", host ? host : "");
	markdown_heading(1, "mrctl report");
	markdown_line("", line);
	output_text("\n");
	return cells_print_object("environment", json_tree_get(root, "environment"));
}

/* ---- host ---- */

/* Whether a check needs no look. */
static bool is_fine(const char *verdict)
{
	return verdict && (!strcmp(verdict, "ok") || !strcmp(verdict, "n/a"));
}

static int show_checks(const struct json_node *checks, bool all)
{
	static const char *const columns[] = { "verdict", "id",     "subject",
					       "figure",  "detail", "remedy" };
	const size_t count = sizeof(columns) / sizeof(*columns);
	struct cells cells = { .count = 0 };
	bool is_any = false;

	for (size_t i = 0; i < count; i++)
		cells_add(&cells, columns[i]);
	for (const struct json_node *check = json_tree_first(checks); check;
	     check = json_tree_next(check)) {
		if (!all && is_fine(json_tree_text_of(check, "verdict")))
			continue;
		for (size_t i = 0; i < count; i++)
			cells_add_value(&cells, json_tree_get(check, columns[i]));
		is_any = true;
	}
	return cells_print(&cells, is_any ? count : 0);
}

/* What another version of mrctl finds in the same recording. */
static int show_differences(const struct json_node *differences)
{
	if (json_tree_kind(differences) != JSON_LIST)
		return 0;
	if (!json_tree_first(differences)) {
		markdown_line("\n",
			      "Judged again, by what was recorded: each check says the same.");
		return 0;
	}
	markdown_line("\n", "Judged again, by what was recorded, these checks say something else:");
	output_text("\n");
	return cells_print_list(differences);
}

static int show_host(const struct json_node *root)
{
	const struct json_node *host = json_tree_get(root, "host");
	char buffer[JSON_SCALAR_MAX], line[128];
	const struct json_node *summary = json_tree_get(host, "summary");
	const char *checks = json_tree_scalar(json_tree_get(summary, "checks"), buffer);
	int rc;

	markdown_heading(2, "What decides on the host");
	snprintf(line, sizeof(line), "%s checks; the worst verdict is %s.", show_or_unknown(checks),
		 show_or_unknown(json_tree_text_of(summary, "verdict")));
	markdown_line("", line);
	output_text("\n");
	rc = show_checks(json_tree_get(host, "checks"), false);
	show_failures(host);
	if (!rc)
		rc = show_differences(json_tree_get(root, "judged_again"));
	if (rc)
		return rc;
	markdown_fold("All checks");
	rc = show_checks(json_tree_get(host, "checks"), true);
	markdown_unfold();
	return rc;
}

/* ---- devices, session ---- */

/* A section with a list of records, each folded. */
static int show_records(const struct json_node *section, const char *title, const char *list,
			const char *name)
{
	const struct json_node *record = json_tree_first(json_tree_get(section, list));
	char summary[160], buffer[JSON_SCALAR_MAX];
	int rc = 0;

	if (json_tree_kind(section) != JSON_OBJECT)
		return 0;
	markdown_heading(2, title);
	show_failures(section);
	for (; !rc && record; record = json_tree_next(record)) {
		const char *firmware = json_tree_text_of(record, "firmware");

		snprintf(summary, sizeof(summary), "%s %s%s%s", name,
			 show_or_unknown(json_tree_scalar(json_tree_first(record), buffer)),
			 firmware ? ", firmware " : "", firmware ? firmware : "");
		markdown_fold(summary);
		rc = cells_print_object(name, record);
		markdown_unfold();
	}
	return rc;
}

/* ---- the kernel's log ---- */

static int show_log(const struct json_node *log)
{
	const struct json_node *lines = json_tree_get(log, "lines");
	const char *errno_name = json_tree_text_of(log, "errno");
	const size_t count = show_count(lines);
	char line[256];
	int rc;

	markdown_heading(2, "The kernel's log");
	if (errno_name && !strcmp(errno_name, "EPERM"))
		snprintf(line, sizeof(line),
			 "Only root may read it (EPERM). Add what this prints: "
			 "sudo dmesg | grep -iE 'mlx5|rdma|infiniband|oom'");
	else if (errno_name)
		snprintf(line, sizeof(line), "It could not be read: %s", errno_name);
	else
		snprintf(line, sizeof(line),
			 count ? "%zu lines about RDMA, and about memory that was short."
			       : "No line is about RDMA, or about memory that was short.",
			 count);
	markdown_line("", line);
	if (!count)
		return 0;
	if (count > LINES_SHOWN)
		markdown_fold("The lines");
	else
		output_text("\n");
	rc = show_lines(lines);
	if (count > LINES_SHOWN)
		markdown_unfold();
	return rc;
}

/* ---- all ---- */

/* The document in a fenced block.  Its lines begin with no backtick, so nothing in it ends the block. */
static int show_document(const struct json_node *root)
{
	int rc;

	markdown_fold("This report as JSON, for mrctl report --read");
	output_text("```json\n");
	rc = json_tree_print(root, DOCUMENT_LINES);
	output_text("\n```\n");
	markdown_unfold();
	return rc;
}

int report_show(const struct json_node *root, bool whole)
{
	int rc = show_head(root);

	if (!rc)
		rc = show_program(json_tree_get(root, "program"));
	if (!rc)
		rc = show_host(root);
	if (!rc)
		rc = show_records(json_tree_get(root, "devices"), "Devices", "devices", "device");
	if (!rc)
		rc = show_records(json_tree_get(root, "session"), "Regions of the session",
				  "regions", "region");
	if (!rc)
		rc = show_log(json_tree_get(root, "kernel_log"));
	return rc || !whole ? rc : show_document(root);
}
