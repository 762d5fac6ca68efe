/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dereg --all: what the session holds beside the regions in its table. */
#ifndef CMD_DEREG_UNLISTED_H
#define CMD_DEREG_UNLISTED_H

#include "cmd/region/in_session.h"

/** How many there were; members of the document. */
struct unlisted {
	struct mr_opt_u64 deregistered;
	struct mr_opt_u64 left;
	bool busy; /**< left, as another command is registering */
};

/** dereg_unlisted() - deregister it, with a row for each */
void dereg_unlisted(struct session_job *job, struct unlisted *unlisted);

/** dereg_unlisted_count() - the document's member about it */
void dereg_unlisted_count(struct session_job *job, const struct unlisted *unlisted);

/** dereg_unlisted_tell() - the same for people */
void dereg_unlisted_tell(const struct session_job *job, const struct unlisted *unlisted);

#endif
