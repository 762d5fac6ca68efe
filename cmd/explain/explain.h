/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the parts of explain. */
#ifndef CMD_EXPLAIN_EXPLAIN_H
#define CMD_EXPLAIN_EXPLAIN_H

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/diagnose/causes/causes.h"
#include "lib/diagnose/diagnose.h"
#include "lib/diagnose/log/log.h"

/** Lines of logs of other programs. */
enum {
	LOG_KINDS_MAX = 64,   /**< kinds of refusals that are explained */
	LOG_NEAR = 6,         /**< lines that are near enough to be about the same refusal */
	LOG_NEAR_ERRNO = 3,   /**< lines whose errno is that of the refusal */
	LOG_NEAR_REQUEST = 2, /**< lines before it that have its request */
};

/** Lines about the same refusal. */
struct log_kind {
	char text[MR_LOG_LINE_MAX + 1]; /**< the first one */
	uint64_t number;                /**< its number */
	uint64_t count;
	struct mr_log_line line;
	/* Set by log_complete(): */
	uint64_t log;                        /**< number of the kind, from 1 */
	const struct mr_mlx5_status *status; /**< answer of the firmware; NULL: unknown */
	char repeat[FIELD_TEXT_MAX];         /**< command that makes the same call; or empty */
};

/** The lines that were read. */
struct log {
	struct log_kind kinds[LOG_KINDS_MAX];
	size_t count;
	uint64_t lines;      /**< that were read */
	uint64_t too_long;   /**< of them too long */
	uint64_t left_out;   /**< of them of yet other kinds */
	size_t last;         /**< index of the kind of the last refusal */
	uint64_t last_lines; /**< its number; 0: there was none */
	uint64_t seen;       /**< lines that were read, but for empty ones */
	uint64_t last_seen;  /**< number of lines up to the last one about that refusal */
	bool is_open;        /**< the next line continues that refusal */
	struct mr_languages *languages; /**< NULL: not read yet; mr_languages_free() it */
	/** These lines: [seen % (LOG_NEAR + 1)] is the last one. */
	struct log_before {
		char text[256];
		bool is_read;            /**< @line is set */
		struct mr_log_line line; /**< what it has */
	} before[LOG_NEAR + 1];
};

/** log_take() - take a line, which ends with a NUL */
void log_take(struct log *log, const char *text, size_t length);

/** log_read() - take all lines of standard input.  Return: 0 or -errno. */
int log_read(struct log *log, struct mr_error *err);

/** log_complete() - complete the kinds, once all lines were taken */
void log_complete(struct log *log);

/** Describes the refusals of a log: rows are of struct log_kind. */
extern const struct record log_record;

#endif
