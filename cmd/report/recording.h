/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The recorded host of a report: its files are members of an object, "/proc/self/limits" say. */
#ifndef CMD_REPORT_RECORDING_H
#define CMD_REPORT_RECORDING_H

#include "cmd/report/job.h"

/** report_pack() - add the recording in a folder as a member.  Return: 0 or -errno. */
int report_pack(struct report *report, const char *folder, struct mr_error *err);

/** report_unpack() - write the recording of the report into report->folder, which is made.  Return: 0 or -errno. */
int report_unpack(struct report *report, struct mr_error *err);

#endif
