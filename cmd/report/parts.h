/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parts of a report as Markdown.  Nodes may be missing or of any kind: the report may come from anybody. */
#ifndef CMD_REPORT_PARTS_H
#define CMD_REPORT_PARTS_H

#include "cmd/output/json_tree.h"

/** show_or_unknown() - the text, or "unknown" for NULL */
const char *show_or_unknown(const char *text);

/** show_count() - how many values a list has */
size_t show_count(const struct json_node *list);

/** show_lines() - print a list of texts as they are, one a line.  Return: 0 or -ENOMEM. */
int show_lines(const struct json_node *lines);

/** show_failures() - print the failures of a section: what refused, the causes, and what to do */
void show_failures(const struct json_node *section);

/** show_program() - print the program, how it ended, and what was refused.  Return: 0 or -ENOMEM. */
int show_program(const struct json_node *program);

#endif
