/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line of a batch, as the command sees it that is run for it. */
#ifndef CMD_REGION_ENCLOSING_H
#define CMD_REGION_ENCLOSING_H

#include "cmd/output/progress.h"
#include "cmd/region/failures.h"
#include "lib/session/regions.h"
#include "lib/verbs/device.h"

struct enclosing {
	const struct command *command; /**< batch itself, whose name begins its messages */
	uint64_t number;
	const char *text;
	struct mr_session *session; /**< the batch's, in which the command works */
	const struct mr_environment *environment;
	struct failures
		*failures; /**< the batch's: one of each line that did not answer as it should */
	struct progress *progress; /**< the batch's */
	bool begun;                /**< the command has begun its part of the document */
};

/** enclosing_note() - a line on standard error that begins with the line's number and text */
void enclosing_note(const struct enclosing *enclosing, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** enclosing_wrap() - put the line's number and text before an error */
void enclosing_wrap(const struct enclosing *enclosing, struct mr_error *err);

/**
 * enclosing_fail() - note in the batch that the line did not answer as it should
 * @failure: its first one, or NULL: there was none where one was expected
 * @message: what is said then
 */
void enclosing_fail(const struct enclosing *enclosing, const struct failure *failure,
		    const char *message);

#endif
