/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A report: a JSON document, whose members man/mrctl-report.1 lists.  Markdown is made of it. */
#ifndef CMD_REPORT_JOB_H
#define CMD_REPORT_JOB_H

#include <signal.h>
#include <stdbool.h>

#include "cmd/cli/command.h"
#include "cmd/cli/option_types.h"
#include "cmd/output/json_tree.h"
#include "lib/host/temporary_folder.h"

/** The options of mrctl report. */
struct report_args {
	bool redact;
	enum report_format format;
	const char *root; /**< the folder of a recorded host */
	const char *to;   /**< the file of the report */
	bool force;       /**< it may exist, and is replaced */
	const char *read; /**< the file of a report that is there already */
};

/** A report that is being made. */
struct report {
	const struct invocation *invocation;
	const struct report_args *args;
	sigset_t mask;          /**< of signals, when mrctl was started */
	struct json_node *root; /**< the document */
	struct mr_temporary_folder
		folder; /**< with the recording of the host, while there is one */
};

/**
 * report_add() - add a member
 * @value: or NULL: memory was short
 *
 * Return: 0 or -ENOMEM with MR_ERROR_HOST.
 */
int report_add(struct json_node *to, const char *key, struct json_node *value,
	       struct mr_error *err);

#endif
