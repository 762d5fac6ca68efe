/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of mrctl stat, and what they choose. */
#ifndef CMD_STAT_ARGS_H
#define CMD_STAT_ARGS_H

#include "cmd/cli/cli.h"
#include "lib/base/base.h"

/** The options of mrctl stat. */
struct stat_args {
	bool device, probe, host, system; /**< the view; none: the session's regions */

	bool max_size;         /**< of probe */
	struct mr_opt_u64 cap; /**< of max_size: bytes */

	struct mr_opt_u64 for_size;   /**< of host: bytes of a planned registration */
	struct planned_memory memory; /**< of host: of the planned registration */
	const char *only;             /**< of host: ids of checks, separated by ',' */
	const char *ignore;           /**< of host: the same */
	enum fail_on fail_on;         /**< of host */
	enum exit_style exit_style;   /**< of host */
	const char *root;             /**< of host: the folder of a recording */
	const char *record;           /**< of host: the folder of a new recording */

	const char *by;        /**< of system: what a row is */
	const char *sort;      /**< of system: a column */
	struct mr_opt_u64 top; /**< of system: rows */

	struct format_option format;
	struct mr_opt_u64 watch; /**< nanoseconds between two answers */
};

/** STAT_VIEW() - the first members of a struct command_view: its option, which fills a bool of the same name */
#define STAT_VIEW(name) .option = #name, .given = CHECKED_OFFSET(struct stat_args, name, bool)

extern const struct command_view stat_device, stat_probe, stat_host, stat_system;

/** stat_regions() - show the regions of the session.  Return: an exit status, or -errno. */
int stat_regions(const struct invocation *invocation, struct mr_error *err);

/** stat_check_regions() - the check of struct command for the session's regions */
int stat_check_regions(const struct invocation *invocation, struct mr_error *err);

/** stat_check_print() - whether the options of printing make sense; as the check of struct command */
int stat_check_print(const struct invocation *invocation, struct mr_error *err);

/** stat_print() - call @run as the options of printing say: run_by of struct command */
int stat_print(const struct invocation *invocation, command_run_function *run,
	       struct mr_error *err);

/** stat_fail() - fail of struct command: the way that --exit asks for */
int stat_fail(char *const *argv, struct mr_error *err);

/** STAT_REGION_COLUMNS, STAT_REGION_FILLS - as columns and fills of struct command */
#define STAT_REGION_COLUMNS                                                                        \
	REGION_COLUMNS(id, name, state, handle, lkey, rkey, addr, length, iova, access, pd)
#define STAT_REGION_FILLS                                                                          \
	REGION_COLUMNS(FIELDS_OF_MRS, umem_id, addr, offset, extended_addr, extended_length,       \
		       page_sizes, FIELDS_OF_DMAH, deferred_ns, deferred_answer)

#endif
