/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The answer of a command about regions: the document with its environment, regions and failures,
 * the messages on standard error, and the exit status.
 */
#ifndef CMD_REGION_ANSWER_H
#define CMD_REGION_ANSWER_H

#include "cmd/cli/command.h"
#include "cmd/cli/option_types.h"
#include "cmd/output/document.h"
#include "cmd/output/messages.h"
#include "cmd/output/progress.h"
#include "cmd/region/failures.h"
#include "lib/verbs/calls.h"
#include "lib/verbs/device.h"

/** What a document says of where its command worked. */
struct scene {
	bool session;
};
extern const struct record scene_record;

struct answer {
	const struct invocation *invocation;
	const struct expect_option *expect; /**< or NULL: the command has no --expect */
	const struct mr_environment *environment;
	struct output out;
	struct failures failures;
	struct request request; /**< what answer_fail() says was asked for; it adds the words */
	struct progress progress;
	uint64_t total; /**< regions that the command is about */
	uint64_t reported;
	bool in_session;
	bool lines; /**< a single region is printed as lines rather than in a table */
};

/**
 * answer_init() - get ready to answer
 * @environment: NULL: its pointer is set by the time something is printed
 * @total:       regions that the command is about
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE for a bad --output.
 */
int answer_init(struct answer *answer, const struct invocation *invocation,
		const struct expect_option *expect, const struct mr_environment *environment,
		uint64_t total, struct mr_error *err);
void answer_release(struct answer *answer);

/** answer_expect_total() - the regions that the command is about, where that comes out later */
void answer_expect_total(struct answer *answer, uint64_t total);

/**
 * answer_error() - the whole answer of a command that could not begin: without a session, say
 * @why:  the error, which is reported here
 * @err:  filled where that failed
 *
 * Return: exit status, or -errno: -EINVAL with MR_ERROR_USAGE for a bad --output.
 */
int answer_error(const struct invocation *invocation, const struct expect_option *expect,
		 struct mr_error *why, struct mr_error *err);

/**
 * answer_fail() - report a failure on standard error and keep it for the document
 * @index: which of the regions, from 1; 0: the failure is about none
 * @id:    of the region, 0 where it has none
 * @via:   path of the call, where its name does not tell (mr_call_via())
 *
 * Return: whether it was reported, so that the caller may add details (report_detail()).
 */
bool answer_fail(struct answer *answer, struct mr_error *err, uint64_t index, uint64_t id,
		 enum mr_via via);

/** answer_begin() - begin the document, up to its list of the command's records */
void answer_begin(struct answer *answer);

/** answer_begin_list() - the same, up to another list; as output_list_begin() */
void answer_begin_list(struct answer *answer, const char *key, const struct record *record,
		       bool lines);

/** answer_has_rows() - whether regions are printed at all: if not, no row needs to be made */
static inline bool answer_has_rows(const struct answer *answer)
{
	return !answer->invocation->global->style.quiet;
}

/** answer_row() - a region (struct region_row), or what other record the command prints */
void answer_row(struct answer *answer, const void *row);

/** answer_end_rows() - end the list; what comes before answer_end() are members of the document */
void answer_end_rows(struct answer *answer);

/**
 * answer_end() - the rest of the document
 * @done: regions that the command did its work on
 */
int answer_end(struct answer *answer, uint64_t done, struct mr_error *err);

/** answer_report_rest() - say how many failures were too many to be reported one by one */
void answer_report_rest(const struct answer *answer);

/**
 * answer_status() - the last words on stderr, and the exit status
 * @participle: what was done with @done of the regions, or NULL to say nothing of it
 */
int answer_status(const struct answer *answer, uint64_t done, const char *participle);

#endif
