/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The program of mrctl report -- CMD. */
#ifndef CMD_REPORT_PROGRAM_H
#define CMD_REPORT_PROGRAM_H

#include "cmd/report/job.h"

/** report_run_program() - run the program of the operands, and add what became of it.  Return: 0 or -errno. */
int report_run_program(struct report *report, struct mr_error *err);

#endif
