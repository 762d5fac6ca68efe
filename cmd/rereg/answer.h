/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The output of rereg: the region before and after the change, or the refusal. */
#ifndef CMD_REREG_ANSWER_H
#define CMD_REREG_ANSWER_H

#include "cmd/rereg/job.h"

/** rereg_refuse() - report a refusal, with what was asked for */
void rereg_refuse(struct rereg_job *job, struct mr_error *err);

/**
 * rereg_print() - print the document up to answer_end()
 * @changed: the region was changed; without a change no region is printed
 */
void rereg_print(struct rereg_job *job, bool changed);

#endif
