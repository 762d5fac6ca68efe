/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The answer of a command about regions: the document with its environment, regions and failures,
 * the messages on standard error, and the exit status.
 */
#ifndef CMD_REGION_ANSWER_H
#define CMD_REGION_ANSWER_H

#include "cmd/output/output.h"
#include "cmd/region/answer_state.h"
#include "lib/verbs/verbs.h"

/**
 * answer_init() - begin the answer of a command; nothing is printed yet
 * @expect:      the command's --expect, or NULL
 * @environment: or NULL: the caller sets answer->environment before something is printed
 * @total:       regions that the command is about
 *
 * answer_release() it; after a failure there is nothing to release.
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE for a bad --output, or an --expect that --why excludes.
 */
int answer_init(struct answer *answer, const struct invocation *invocation,
		const struct expect_option *expect, const struct mr_environment *environment,
		uint64_t total, struct mr_error *err);

/** answer_release() - free what the answer has kept */
void answer_release(struct answer *answer);

/** answer_expect_total() - set the number of regions, if it was not known at answer_init() */
void answer_expect_total(struct answer *answer, uint64_t total);

/**
 * answer_error() - print the whole answer of a command that could not begin, as there is no session
 * @expect: the command's --expect, or NULL
 * @why:    the error, which is reported here
 * @err:    set if the answer could not be printed
 *
 * Return: exit status, or -errno: -EINVAL with MR_ERROR_USAGE for a bad --output.
 */
int answer_error(const struct invocation *invocation, const struct expect_option *expect,
		 struct mr_error *why, struct mr_error *err);

/**
 * answer_fail() - report a failure on standard error and keep it for the document
 * @index: which of the regions, from 1; 0: the failure is about none
 * @id:    of the region; 0: it has none
 * @via:   path of the call, used if the call's name does not show it (mr_call_via())
 *
 * Return: whether it was reported, so that the caller may add details (report_detail()).
 */
bool answer_fail(struct answer *answer, struct mr_error *err, uint64_t index, uint64_t id,
		 enum mr_via via);

/** answer_begin() - begin the document, up to its list of the command's records */
void answer_begin(struct answer *answer);

/** answer_begin_list() - begin the document, up to another list; parameters as of output_list_begin() */
void answer_begin_list(struct answer *answer, const char *key, const struct record *record,
		       bool lines);

/** answer_has_rows() - whether regions are printed; if not, rows need not be filled */
static inline bool answer_has_rows(const struct answer *answer)
{
	return answer->out.style->json || !answer->out.style->quiet;
}

/** answer_row() - print a row: a region (struct region_row), or another record of the command */
void answer_row(struct answer *answer, const void *row);

/** answer_end_rows() - end the list; members of the document may follow, until answer_end() */
void answer_end_rows(struct answer *answer);

/**
 * answer_end() - print the verdict, the failures and the environment, and end the document
 * @done: number of regions that the command did its work on
 *
 * Return: 0, or -errno if the document could not be printed.
 */
int answer_end(struct answer *answer, uint64_t done, struct mr_error *err);

/**
 * answer_status() - say on standard error how many regions were done, and choose the exit status
 * @done:       number of regions that the command did its work on
 * @participle: what was done with them: "registered"; NULL: do not say how many
 *
 * Return: exit status.  In a batch the line is noted as failed, unless that is EXIT_DONE.
 */
int answer_status(const struct answer *answer, uint64_t done, const char *participle);

#endif
