/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The answer of a batch: its document, line by line, and its own failures. */
#ifndef CMD_BATCH_ANSWER_H
#define CMD_BATCH_ANSWER_H

#include "cmd/region/region.h"

struct batch_answer {
	struct answer answer; /**< of the batch as a whole; its failures include those of lines */
	bool prompt;          /**< lines may come one by one, so each answer is flushed at once */
	uint64_t lines_run;   /**< so far */
	int status;           /**< exit status of the first line that failed; 0: none did */
};

/** batch_answer_begin() - begin the document, up to its list of lines */
void batch_answer_begin(struct batch_answer *batch);

/** batch_answer_begin_line() - print a line before it is run; @command: its own, or NULL if it names none */
void batch_answer_begin_line(struct batch_answer *batch, const struct enclosing *line,
			     const struct command *command);

/**
 * batch_answer_error() - print the answer to a line whose command failed before it began its own
 * Return: exit status.
 */
int batch_answer_error(const struct batch_answer *batch, const struct invocation *invocation,
		       const struct mr_error *err);

/**
 * batch_answer_end_line() - end the answer to a line that was run, with its exit status
 * Return: 0, or -errno where standard output is broken.
 */
int batch_answer_end_line(struct batch_answer *batch, int status, struct mr_error *err);

/** batch_answer_fail() - a failure of the batch itself, rather than of a line's command */
void batch_answer_fail(struct batch_answer *batch, struct mr_error *err, uint64_t id,
		       enum mr_via via);

/** batch_answer_end_lines() - end the list of lines; @stopped: the last that was run, if others were not */
void batch_answer_end_lines(struct batch_answer *batch, const struct enclosing *stopped);

/** batch_answer_end() - print the rest of the document, and end it.  Return: as answer_end(). */
int batch_answer_end(struct batch_answer *batch, struct mr_error *err);

#endif
