/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What decides on the host of a report. */
#ifndef CMD_REPORT_HOST_H
#define CMD_REPORT_HOST_H

#include "cmd/report/job.h"

/**
 * report_judge() - add the section of the host
 * @how:    "--record" or "--root"
 * @folder: of that option
 *
 * Return: 0 or -errno.
 */
int report_judge(struct report *report, const char *how, const char *folder, struct mr_error *err);

#endif
