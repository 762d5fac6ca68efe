/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sections of a report about this machine, or about a recorded host. */
#ifndef CMD_REPORT_COLLECT_H
#define CMD_REPORT_COLLECT_H

#include "cmd/report/job.h"

/** report_collect() - add all sections but the program.  Return: 0 or -errno. */
int report_collect(struct report *report, struct mr_error *err);

#endif
