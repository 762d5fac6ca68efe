/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Standard error: messages, and the refusals that a command met. */
#ifndef CMD_OUTPUT_MESSAGES_H
#define CMD_OUTPUT_MESSAGES_H

#include "cmd/cli/command.h"
#include "cmd/output/fields.h"
#include "cmd/region/request.h"
#include "lib/verbs/rereg.h"

/** report_error() - print an error: "mrctl: COMMAND: text", what to do, where usage is explained */
void report_error(const struct command *command, const struct mr_error *err);

/** report_note() - a line on standard error: "mrctl: COMMAND: text" */
void report_note(const struct command *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** report_detail() - an indented line below the one before */
void report_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** report_lines() - a record as indented lines below the one before, without what is not known */
void report_lines(const struct record *record, const void *row);

/** report_status() - the exit status that belongs to an error */
int report_status(const struct mr_error *err);

/** One refusal or failure, as the document has it. */
struct failure {
	struct mr_opt_u64
		index; /**< which of --count or of the operands, or line of a batch, from 1 */
	struct mr_opt_u64 region; /**< id, when there is a region already */
	const char *call;
	const char *errno_name;
	struct mr_opt_u64 errno_value;
	const char *message;
	const char *via;
	const char *layer;
	const char *rereg_code;
	const char *library_would_say;
	const char *old_region;
	struct list causes;
	struct request request;
	enum mr_error_kind kind;
};

extern const struct record failure_record;

struct failures {
	struct failure *items;
	size_t count;
	size_t capacity;
	bool out_of_memory; /**< some were lost */
};

/**
 * failures_add() - remember an error
 * @index:   number of the region it was about (from 1), 0 when it was about none
 * @region:  its id, 0 when it has none
 * @via:     path of the call, or NULL
 * @request: what was asked for, of which a copy is kept; or NULL
 */
void failures_add(struct failures *failures, const struct mr_error *err, uint64_t index,
		  uint64_t region, const char *via, const struct request *request);

/** failures_rereg() - of the failure added last: what ibv_rereg_mr(3) says, or would say */
void failures_rereg(struct failures *failures, const struct mr_rereg_failure *rereg);

/**
 * failures_adopt() - remember a failure of a line of a batch
 * @failure: what it was, or NULL
 * @line:    number of the line, which becomes its index
 */
void failures_adopt(struct failures *failures, const struct failure *failure, uint64_t line,
		    const char *message);

/** failures_release() - free what failures_add() kept */
void failures_release(struct failures *failures);

#endif
