/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stand-ins in place of what tells where a report is from. */
#ifndef CMD_REPORT_REDACT_H
#define CMD_REPORT_REDACT_H

#include "cmd/report/job.h"

/**
 * report_redact() - put a stand-in in place of each name, address and number that is somebody's own
 *
 * The same one has the same stand-in throughout the report.
 *
 * Return: 0 or -ENOMEM with MR_ERROR_HOST.
 */
int report_redact(struct report *report, struct mr_error *err);

#endif
