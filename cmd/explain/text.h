/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Causes for people. */
#ifndef CMD_EXPLAIN_TEXT_H
#define CMD_EXPLAIN_TEXT_H

#include "cmd/explain/log.h"
#include "cmd/explain/row.h"

/** text_of_cause() - print all that is known of a cause or check; @is_check: mrctl stat --host looks at it */
void text_of_cause(const struct explained *row, bool is_check);

/** text_in_list() - print how a cause is told from others, and what to do */
void text_in_list(const struct explained *row);

/** text_of_line() - print what a line of a log says */
void text_of_line(const struct log_row *row);

/** text_of_suspicion() - print what this host shows of a cause; @is_first: of the first one */
void text_of_suspicion(const struct explained *row, bool is_first);

/** text_labelled() - print a paragraph behind a label, which is indented by @indent; nothing for a NULL text */
void text_labelled(size_t indent, const char *label, const char *text);

#endif
