/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Standard error: errors, and what else people are told. */
#ifndef CMD_OUTPUT_MESSAGES_H
#define CMD_OUTPUT_MESSAGES_H

#include "cmd/output/fields.h"
#include "lib/base/error.h"

/**
 * report_error() - print an error: "mrctl: COMMAND: text", what to do, where usage is explained
 * @command: its name, or NULL: there is none
 */
void report_error(const char *command, const struct mr_error *err);

/** report_note() - a line on standard error: "mrctl: COMMAND: text" */
void report_note(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** report_detail() - an indented line below the one before */
void report_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** report_lines() - a record as indented lines below the one before, without what is not known */
void report_lines(const struct record *record, const void *row);

/** report_status() - the exit status that belongs to an error */
int report_status(const struct mr_error *err);

#endif
