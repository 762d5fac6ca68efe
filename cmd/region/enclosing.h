/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The batch that a command is a line of, as far as the command needs it. */
#ifndef CMD_REGION_ENCLOSING_H
#define CMD_REGION_ENCLOSING_H

#include "cmd/output/output.h"
#include "cmd/region/failures.h"
#include "lib/session/session.h"
#include "lib/verbs/device.h"

/** A batch, and the line that it is running. */
struct enclosing {
	const struct command *command; /**< batch itself, whose name begins its messages */
	uint64_t number;               /**< of the line, from 1 */
	const char *text;              /**< the line */
	struct mr_session *session;    /**< in which the command works */
	const struct mr_environment *environment;
	struct failures *failures; /**< the batch's: one of each line that failed */
	struct progress *progress; /**< the batch's */
	struct json_texts *texts;  /**< of all lines */
	bool begun;                /**< the command has begun its part of the document */
};

/** enclosing_note() - print a message on standard error, after the line's number and text */
void enclosing_note(const struct enclosing *enclosing, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** enclosing_wrap() - put the line's number and text before an error */
void enclosing_wrap(const struct enclosing *enclosing, struct mr_error *err);

/**
 * enclosing_fail() - add to the batch's failures that the line failed
 * @failure: the first failure of its command; NULL: there was none, though --expect names one
 * @message: the message if @failure is NULL
 */
void enclosing_fail(const struct enclosing *enclosing, const struct failure *failure,
		    const char *message);

#endif
