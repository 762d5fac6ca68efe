/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mrctl trace --pid: watching a program that runs already. */
#ifndef CMD_TRACE_ATTACH_H
#define CMD_TRACE_ATTACH_H

#include "cmd/trace/job.h"

/** attach_run() - watch the process until it ends, or a signal comes.  Return: 0, or -errno. */
int attach_run(struct trace_job *job, struct mr_error *err);

#endif
