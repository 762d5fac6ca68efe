/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of a line: each of these sets what it finds. */
#ifndef LIB_DIAGNOSE_LOG_PARTS_H
#define LIB_DIAGNOSE_LOG_PARTS_H

#include "lib/diagnose/log/contents.h"
#include "lib/diagnose/log/tokens.h"

/** mr_log_find_call() - the call; to be called behind mr_log_find_command() */
void mr_log_find_call(struct mr_log_line *line, const struct mr_tokens *tokens);

/** mr_log_call_of() - the call that a word names; of several that it ends with, the longest; NULL: none */
const char *mr_log_call_of(const struct mr_token *token);

/**
 * mr_log_is_mention() - whether the call that the @index-th word names is not the refused one: "fall back to f",
 * "f: ok; g: Bad address"
 */
bool mr_log_is_mention(const struct mr_tokens *tokens, size_t index);

/**
 * mr_log_may_be_about_call() - whether a line can name a call, or have words that stand for one
 * @text: as of mr_log_find_subject()
 */
bool mr_log_may_be_about_call(const char *text);

/** mr_log_find_subject() - what the line is about beside a call, by its words; @text: the line in lower case */
void mr_log_find_subject(struct mr_log_line *line, const char *text);

/** mr_log_topics_of() - the topics that a text has, in lower case: bits of mr_log_topics */
uint32_t mr_log_topics_of(const char *text);

/** mr_log_find_context() - adds what a line near this one says of its memory; @text: that line in lower case */
void mr_log_find_context(struct mr_log_line *line, const char *text);

/** mr_log_find_command() - the command of mlx5's firmware, and its answer */
void mr_log_find_command(struct mr_log_line *line, const struct mr_tokens *tokens);

/** mr_log_find_errno() - the errno; @text: the line, with an end and without NULs */
void mr_log_find_errno(struct mr_log_line *line, const struct mr_tokens *tokens, const char *text);

/** mr_log_find_numbers() - address, length and access */
void mr_log_find_numbers(struct mr_log_line *line, const struct mr_tokens *tokens);

/** mr_log_find_device() - the device, and its provider */
void mr_log_find_device(struct mr_log_line *line, const struct mr_tokens *tokens);

#endif
