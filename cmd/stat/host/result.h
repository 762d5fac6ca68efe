/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What mrctl stat --host found, and the ways in which it is told. */
#ifndef CMD_STAT_HOST_RESULT_H
#define CMD_STAT_HOST_RESULT_H

#include "cmd/output/output.h"
#include "cmd/stat/args.h"
#include "lib/diagnose/diagnose.h"

/** A check as it is printed. */
struct check_row {
	const char *verdict;
	const char *id;
	const char *group;
	const char *subject;
	const char *figure;
	const char *detail;
	const char *remedy;
	struct mr_finding finding; /**< has these texts */
};

/** How many checks have which verdict. */
struct summary {
	struct mr_opt_u64 checks, ok, warn, bad, unknown, na;
	const char *verdict;   /**< the worst one */
	const char *recording; /**< the folder of the host; NULL: this machine */
};

/** All that was found. */
struct host_result {
	const struct stat_args *args;
	struct check_row *rows;
	size_t count;
	size_t counts[MR_VERDICTS];
	size_t hidden; /**< of those that are unknown: is_hidden */
	struct summary summary;
	bool simulated; /**< its RDMA devices are simulated ones */
};

/**
 * result_select() - make a row for each check that --only and --ignore leave
 * @result: its args are set; result_release() it, after a failure too
 *
 * Return: 0, or -errno: MR_ERROR_USAGE where there is no such check, or none is left.
 */
int result_select(struct host_result *result, struct mr_error *err);

/** result_look() - do the checks */
void result_look(struct host_result *result, struct mr_host *host);

/** result_release() - free the rows */
void result_release(struct host_result *result);

/** result_worst() - the worst verdict: bad, warn, unknown, ok */
enum mr_verdict result_worst(const struct host_result *result);

/** result_hide_bars() - replace each "|" of a text: to Nagios it begins the performance data */
void result_hide_bars(char *text);

/** result_print() - print it for people */
void result_print(const struct host_result *result, bool verbose);

/** Room for the line that a monitoring system reads. */
#define STATUS_LINE_MAX 512

/** status_line() - the line that a monitoring system reads.  Return: whether --exit asks for one. */
bool status_line(const struct host_result *result, char line[STATUS_LINE_MAX]);

/** status_line_of_failure() - the same, where the checks could not be done; @failure: why */
bool status_line_of_failure(enum exit_style style, const char *failure, char line[STATUS_LINE_MAX]);

/** status_of() - the exit status */
int status_of(const struct host_result *result);

/** status_of_failure() - the exit status where the checks could not be done, or not be printed */
int status_of_failure(enum exit_style style);

/**
 * status_fail() - tell a monitoring system of an error: it reads standard output, and takes the usual exit
 * statuses of an error, 1 and 2, for those of a check
 *
 * Return: the exit status, with @err cleared; -1 where @style is the plain one, and nothing was done.
 */
int status_fail(enum exit_style style, struct mr_error *err);

#endif
