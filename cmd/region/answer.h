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

struct answer {
	const struct invocation *invocation;
	const struct expect_option *expect; /**< or NULL: the command has no --expect */
	const struct mr_environment *environment;
	struct output out;
	struct failures failures;
	struct request
		request; /**< for answer_fail(), which adds the command line: what was asked for */
	struct progress progress;
	uint64_t total; /**< regions that the command is about */
	uint64_t reported;
	bool in_session;
	bool lines; /**< a single region is printed as lines rather than in a table */
};

/**
 * answer_init() - get ready to answer
 * @environment: or NULL: the caller sets answer->environment before something is printed
 * @total:       regions that the command is about
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE for a bad --output.
 */
int answer_init(struct answer *answer, const struct invocation *invocation,
		const struct expect_option *expect, const struct mr_environment *environment,
		uint64_t total, struct mr_error *err);
void answer_release(struct answer *answer);

/** answer_expect_total() - set the number of regions, if it is not known at answer_init() */
void answer_expect_total(struct answer *answer, uint64_t total);

/**
 * answer_error() - print the whole answer of a command that could not begin, without a session say
 * @why:  the error, which is reported here
 * @err:  set if the answer could not be printed
 *
 * Return: exit status, or -errno: -EINVAL with MR_ERROR_USAGE for a bad --output.
 */
int answer_error(const struct invocation *invocation, const struct expect_option *expect,
		 struct mr_error *why, struct mr_error *err);

/**
 * answer_fail() - report a failure on standard error and keep it for the document
 * @index: which of the regions, from 1; 0: the failure is about none
 * @id:    of the region, 0 where it has none
 * @via:   path of the call, unless its name tells (mr_call_via())
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

/** answer_has_rows() - whether regions are printed; if not, rows need not be made */
static inline bool answer_has_rows(const struct answer *answer)
{
	return !answer->invocation->global->style.quiet;
}

/** answer_row() - print a row: a region (struct region_row), or another record of the command */
void answer_row(struct answer *answer, const void *row);

/** answer_end_rows() - end the list; members of the document may follow, until answer_end() */
void answer_end_rows(struct answer *answer);

/**
 * answer_end() - print the verdict, the failures and the environment, and end the document
 * @done: number of regions that the command did its work on
 */
int answer_end(struct answer *answer, uint64_t done, struct mr_error *err);

/** answer_report_rest() - say how many failures were too many to be reported one by one */
void answer_report_rest(const struct answer *answer);

/**
 * answer_status() - say on standard error how many regions were done, and return the exit status
 * @participle: "registered": what was done with @done of the regions; NULL: do not say
 */
int answer_status(const struct answer *answer, uint64_t done, const char *participle);

#endif
