/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a line of a log says for a cause, or against it. */
#ifndef LIB_DIAGNOSE_LOG_EVIDENCE_H
#define LIB_DIAGNOSE_LOG_EVIDENCE_H

#include "lib/diagnose/causes/cause.h"
#include "lib/diagnose/log/contents.h"

/**
 * mr_log_judge() - judge a cause by a line
 * @suspicion: set where it is likely: with a sentence
 *
 * Return: MR_RULED_OUT where the line names a device of another driver, or access flags that exclude it; MR_LIKELY or
 * MR_POSSIBLE where the line speaks for it; else MR_UNRELATED.
 */
enum mr_certainty mr_log_judge(const struct mr_log_line *line, const struct mr_cause *cause,
			       struct mr_suspicion *suspicion);

#endif
