/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an answer says on standard error. */
#ifndef CMD_REGION_ANSWER_MESSAGES_H
#define CMD_REGION_ANSWER_MESSAGES_H

#include "cmd/region/answer_state.h"

/** At most so many failures of a command are reported one by one; the document has all. */
#define REPORTED_MAX 10

/** answer_note() - print a line; in a batch it begins with the line that the command is run for */
void answer_note(const struct answer *answer, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * answer_report_failure() - print a failure, to which the caller may add details
 * @expected: it is an answer that --expect names
 * @why:      its diagnosis, or NULL
 */
void answer_report_failure(struct answer *answer, struct mr_error *err, uint64_t index,
			   bool expected, const struct why *why);

/** answer_report_rest() - say how many failures were too many to be reported one by one */
void answer_report_rest(const struct answer *answer);

#endif
