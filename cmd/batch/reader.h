/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of a batch, as commands that are ready to be run. */
#ifndef CMD_BATCH_READER_H
#define CMD_BATCH_READER_H

#include "cmd/cli/cli.h"
#include "lib/base/base.h"

/** A command, and the last line that it was read from. */
struct batch_command {
	struct parser parser;
	struct mr_shell_words words;
	char **operands;  /**< among the words */
	const char *line; /**< where the batch is a regular file; else NULL */
	size_t length;    /**< bytes of the line */
};

struct batch_reader {
	struct mr_line_reader lines;
	struct mr_shell_words words; /**< of the line that is being parsed */
	struct global_args given;    /**< by the line that is being parsed; must be empty */
	const struct command *const *commands; /**< all that there are; ends with NULL */
	struct batch_command *parsers;         /**< one for each of commands, the NULL included */
	bool checked;                          /**< all lines are known to be right */
	uint64_t total;                        /**< lines with a command; 0: unknown */
};

/**
 * batch_reader_open() - open a batch and, where it is a regular file, check all of its lines
 * @path: "-" or NULL: standard input
 * @line: the invocation of any line, whose command, args and operands batch_read() sets
 *
 * Return: 0, or -errno: MR_ERROR_USAGE for a line that is wrong.
 */
int batch_reader_open(struct batch_reader *reader, const char *path, const struct invocation *line,
		      struct mr_error *err);
void batch_reader_close(struct batch_reader *reader);

/**
 * batch_read() - the next line that has a command
 * @invocation: its command, args and operands are set, until the next call
 * @err:        what is wrong with the line; else empty
 *
 * Return: 1 for a line, right or wrong; 0 at the end; -errno where no line could be read.
 */
int batch_read(struct batch_reader *reader, struct invocation *invocation, struct mr_error *err);

#endif
