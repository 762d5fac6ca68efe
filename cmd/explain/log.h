/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of logs of other programs. */
#ifndef CMD_EXPLAIN_LOG_H
#define CMD_EXPLAIN_LOG_H

#include "cmd/output/output.h"
#include "lib/diagnose/log/log.h"

enum {
	LOG_KINDS_MAX = 64, /**< kinds of refusals that are explained */
	LOG_NEAR = 6,       /**< lines that are as near as to tell of the same refusal */
	LOG_NEAR_ERRNO = 3, /**< lines whose errno is that of the refusal */
};

/** Lines that tell of the same refusal. */
struct log_kind {
	char text[MR_LOG_LINE_MAX + 1]; /**< the first one */
	uint64_t number;                /**< its number */
	uint64_t count;
	struct mr_log_line line;
};

/** What was read. */
struct log {
	struct log_kind *kinds;
	size_t count;
	uint64_t lines;      /**< that were read */
	uint64_t too_long;   /**< of them too long */
	uint64_t left_out;   /**< of them of yet other kinds */
	size_t last;         /**< index of the kind of the last line that told of a refusal */
	uint64_t last_lines; /**< its number; 0: there was none */
	uint64_t seen;       /**< lines that were read, but for empty ones */
	uint64_t last_seen;  /**< how many until the last that told of that refusal */
	struct mr_languages *languages; /**< NULL: not read yet */
	/** These lines: [seen % (LOG_NEAR + 1)] is the last one. */
	struct log_before {
		char text[256];
		bool is_read;               /**< @context is set */
		struct mr_log_line context; /**< what it says of the memory of a call near it */
	} before[LOG_NEAR + 1];
};

/** log_take() - take a line.  Return: 0 or -ENOMEM. */
int log_take(struct log *log, const char *text, size_t length, struct mr_error *err);

/** log_read() - take all lines of standard input.  Return: 0 or -errno. */
int log_read(struct log *log, struct mr_error *err);

/** log_release() - free it */
void log_release(struct log *log);

/** A kind of refusal, as records have it. */
struct log_row {
	struct mr_opt_u64 log; /**< which of the rows, from 1 */
	struct mr_opt_u64 number;
	struct mr_opt_u64 count;
	const char *text;
	const char *call;
	bool call_is_named;
	const char *errno_name;
	const char *other_errno;
	struct mr_opt_u64 addr, length, iova, access;
	const char *device;
	const char *command;
	struct mr_opt_u64 firmware_status;
	const char *status_name;
	struct mr_opt_u64 syndrome;
	struct mr_opt_u64 limit;
	const char *remark;
	char repeat[FIELD_TEXT_MAX]; /**< empty: there is none */
	/* Not in the record: */
	const char *errno_text;
	bool is_reason, is_of_libfabric;
	const char *status_meaning;
};

extern const struct record log_record;

/** log_row_fill() - @index: of the kind, from 0 */
void log_row_fill(struct log_row *row, const struct log_kind *kind, size_t index);

#endif
