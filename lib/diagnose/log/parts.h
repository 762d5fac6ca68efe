/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of a line: each of these sets what it finds. */
#ifndef LIB_DIAGNOSE_LOG_PARTS_H
#define LIB_DIAGNOSE_LOG_PARTS_H

#include "lib/diagnose/log/contents.h"
#include "lib/diagnose/log/tokens.h"

/** mr_log_find_call() - the call; to be called behind mr_log_find_command() */
void mr_log_find_call(struct mr_log_line *line, const struct mr_tokens *tokens);

/** mr_log_find_command() - the command of mlx5's firmware, and its answer */
void mr_log_find_command(struct mr_log_line *line, const struct mr_tokens *tokens);

/** mr_log_find_errno() - the errno; @text: the line, with an end and without NULs */
void mr_log_find_errno(struct mr_log_line *line, const struct mr_tokens *tokens, const char *text);

/** mr_log_find_numbers() - address, length and access */
void mr_log_find_numbers(struct mr_log_line *line, const struct mr_tokens *tokens);

/** mr_log_find_device() - the device, and its provider */
void mr_log_find_device(struct mr_log_line *line, const struct mr_tokens *tokens);

#endif
