/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of mrctl trace. */
#ifndef CMD_TRACE_ARGS_H
#define CMD_TRACE_ARGS_H

#include <stdbool.h>

#include "lib/base/base.h"

struct trace_args {
	struct mr_opt_u64 pid;    /**< of a program that runs already */
	const char *calls_file;   /**< each call as a line of JSON */
	const char *summary_file; /**< the summary, in the place of standard error */
	const char *reproduce;    /**< the batch that is refused in the same way */
	bool force;               /**< overwrite that batch */
	bool refused_only;
	bool calls; /**< the summary has a table of the calls */
	bool stacks;
	bool live;
	bool leaks;
	bool expect_none_refused;
};

#endif
