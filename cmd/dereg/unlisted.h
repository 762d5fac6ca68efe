/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dereg --all: MRs, umems and DMs of the session that its table does not list. */
#ifndef CMD_DEREG_UNLISTED_H
#define CMD_DEREG_UNLISTED_H

#include "cmd/region/in_session.h"

/** How many there were; the numbers are members of the document. */
struct unlisted {
	struct mr_opt_u64 deregistered;
	struct mr_opt_u64 left;
	bool busy; /**< they were left because another command is registering */
};

/** dereg_unlisted() - deregister what no entry names, and print a row for each */
void dereg_unlisted(struct session_job *job, struct unlisted *unlisted);

/** dereg_unlisted_count() - print the counts; JSON only */
void dereg_unlisted_count(struct session_job *job, const struct unlisted *unlisted);

/** dereg_unlisted_note() - print the counts on standard error, unless they are 0 */
void dereg_unlisted_note(const struct session_job *job, const struct unlisted *unlisted);

#endif
