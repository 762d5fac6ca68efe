/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_REGION_ANSWER_STATE_H
#define CMD_REGION_ANSWER_STATE_H

#include "cmd/cli/command.h"
#include "cmd/cli/option_types.h"
#include "cmd/output/output.h"
#include "cmd/region/failures.h"
#include "lib/verbs/device.h"

/** The answer of one run of a command. */
struct answer {
	const struct invocation *invocation;
	const struct expect_option *expect; /**< or NULL: there is no --expect */
	const struct mr_environment *environment;
	struct output out;
	struct failures failures;
	/** What was asked for: set it before answer_fail(), which adds the command line and clears it. */
	struct request request;
	/** The same for the diagnosis, with what the caller knows; answer_fail() adds the rest and clears it. */
	struct mr_refusal refusal;
	/** Prints what was asked for, below the message: set it before answer_fail(), which clears it; or NULL. */
	void (*tell)(const void *data);
	const void *tell_data;
	bool undiagnosed; /**< causes are not looked for: what a refused call was about has gone */
	unsigned int diagnosed; /**< refusals whose causes were looked for */
	uint64_t tried_ns;      /**< time that their tries have taken */
	const char *
		told; /**< id of the cause that the last message named, "" for none; NULL: no message yet */
	uint64_t told_again; /**< refusals after that for the same cause */
	struct progress progress;
	uint64_t total;    /**< regions that the command is about */
	uint64_t reported; /**< failures to report, also those too many for that */
	bool in_session;
	bool lines; /**< a single region is printed as lines rather than in a table */
};

#endif
