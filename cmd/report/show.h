/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A report as Markdown, to be read as it is, too. */
#ifndef CMD_REPORT_SHOW_H
#define CMD_REPORT_SHOW_H

#include <stdbool.h>

#include "cmd/output/json_tree.h"

/** report_show() - print it as Markdown, with the whole document at its end where @whole.  Return: 0 or -ENOMEM. */
int report_show(const struct json_node *root, bool whole);

#endif
