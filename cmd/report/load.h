/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A report that was made before, perhaps on another host, by anybody. */
#ifndef CMD_REPORT_LOAD_H
#define CMD_REPORT_LOAD_H

#include "cmd/report/job.h"

/** report_load() - read the file of a report, and judge its recorded host again.  Return: 0 or -errno. */
int report_load(struct report *report, struct mr_error *err);

#endif
