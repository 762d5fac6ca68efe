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

/**
 * next_owner() - the next cause that can own an errno: the most frequent ones first
 * @before:     the one before, or NULL
 * @operations: bits of what was refused; 0: anything
 * @errnum:     0: any
 *
 * Return: NULL behind the last one.
 */
const struct mr_cause *next_owner(const struct mr_cause *before, uint32_t operations, int errnum);

/** Why another program was refused, as far as its log and this host tell. */
enum { JUDGEMENT_OTHERS = 128 };

/** A kind of refusal, and what was found out about it. */
struct judgement {
	struct log_row row;
	struct mr_diagnosis diagnosis;
	/** Causes that can own the errno, and of which nothing was found out; the most likely ones first. */
	const struct mr_cause *others[JUDGEMENT_OTHERS];
	size_t other_count;
};

/** judgement_hold() - look for the causes; @index: of the kind, from 0 */
void judgement_hold(struct judgement *judgement, const struct log_kind *kind, size_t index,
		    enum why_depth depth);

/** is_prose() - whether it is printed as sentences: nobody asked for records */
static inline bool is_prose(const struct output_style *style)
{
	return !style->json && !style->columns && !style->no_headings && !style->quiet;
}

/** A cause of the catalogue, as records have it. */
struct explained {
	struct mr_opt_u64 log; /**< which line of the log */
	const char *id;
	const char *certainty;
	const char *subject;
	const char *layer;
	const char *const *errnos; /**< NULL: any */
	const char *const *calls;
	const char *frequency;
	const char *cause;
	struct members evidence;
	const char *remedy;
	const char *what;
	const char *recognise;
	const char *source;
	/* What the members above point to: */
	const char *errno_names[MR_CAUSE_ERRNOS + 1];
	const char *call_names[MR_OPERATIONS + 2];
	struct member facts[MR_EVIDENCE_MAX];
};

/** text_of_cause() - print all that is known of a cause or check; @is_check: mrctl stat --host looks at it */
void text_of_cause(const struct explained *row, bool is_check);

#endif
