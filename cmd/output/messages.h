/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Standard error: errors and notes. */
#ifndef CMD_OUTPUT_MESSAGES_H
#define CMD_OUTPUT_MESSAGES_H

#include "cmd/output/fields.h"
#include "lib/base/base.h"

/**
 * report_error() - print an error: "mrctl: COMMAND: text"; below it the hint; for usage errors where to read
 * @command: its name, or NULL: there is none
 */
void report_error(const char *command, const struct mr_error *err);

/** report_note() - print a line: "mrctl: COMMAND: text"; @command: its name, or NULL */
void report_note(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** report_detail() - print an indented line, which belongs to the message before it */
void report_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** report_lines() - print the known fields of a record as indented lines below the message before */
void report_lines(const struct record *record, const void *row);

/** report_status() - the exit status that belongs to an error */
int report_status(const struct mr_error *err);

#endif
