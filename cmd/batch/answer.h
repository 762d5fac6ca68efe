/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a batch tells what it did: its document, line by line, and its own failures. */
#ifndef CMD_BATCH_ANSWER_H
#define CMD_BATCH_ANSWER_H

#include "cmd/region/answer.h"
#include "cmd/region/enclosing.h"

struct batch_answer {
	struct answer answer; /**< the batch's own; its failures are those of the lines, too */
	bool prompt;          /**< lines come one by one, and are answered one by one */
	uint64_t run;         /**< lines so far */
	int status;           /**< of the first that did not answer as it should */
};

/** batch_answer_begin() - begin the document, up to its list of lines */
void batch_answer_begin(struct batch_answer *batch);

/** batch_answer_begin_line() - the line, before it is run; @command: or NULL: there is no such one */
void batch_answer_begin_line(struct batch_answer *batch, const struct enclosing *line,
			     const struct command *command);

/**
 * batch_answer_error() - the answer to a line whose command never came to one
 * Return: exit status.
 */
int batch_answer_error(const struct batch_answer *batch, const struct invocation *invocation,
		       const struct mr_error *err);

/**
 * batch_answer_end_line() - after it was run, with its exit status
 * Return: 0, or -errno where standard output is broken.
 */
int batch_answer_end_line(struct batch_answer *batch, int status, struct mr_error *err);

/** batch_answer_fail() - a failure of the batch itself, rather than of a line's command */
void batch_answer_fail(struct batch_answer *batch, struct mr_error *err, uint64_t id,
		       enum mr_via via);

/** batch_answer_end_lines() - the end of their list; @stopped: after which one, where some are left */
void batch_answer_end_lines(struct batch_answer *batch, const struct enclosing *stopped);

/** batch_answer_end() - the rest of the document */
int batch_answer_end(struct batch_answer *batch, struct mr_error *err);

#endif
