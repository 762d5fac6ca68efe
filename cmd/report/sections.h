/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Documents of mrctl's commands as sections of a report. */
#ifndef CMD_REPORT_SECTIONS_H
#define CMD_REPORT_SECTIONS_H

#include "cmd/cli/child.h"
#include "cmd/report/job.h"

/**
 * section_run() - run mrctl, and make a section of its document
 * @words: of the command, behind mrctl --json; end with NULL
 *
 * Where it gives no document, the section has the member "error" instead.
 *
 * Return: the section; NULL with @err.
 */
struct json_node *section_run(const struct report *report, const char *const *words,
			      struct mr_error *err);

/** section_of() - the section that a caught document makes; as section_run().  It is not the child's any more. */
struct json_node *section_of(const struct child *child, struct mr_error *err);

/** section_drop_secrets() - make keys null, and cut them out of texts: whoever has one may reach the memory */
void section_drop_secrets(struct json_node *node);

#endif
