/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Deregistering one thing: a region, an object that no entry names, or a protection domain. */
#ifndef CMD_DEREG_ONE_H
#define CMD_DEREG_ONE_H

#include "cmd/cli/option_types.h"
#include "cmd/region/in_session.h"

/** The options of dereg. */
struct dereg_args {
	bool all;
	bool listed;
	bool flush;
	const char *pd;
	struct mr_opt_u64 defer_for;
	struct expect_option expect;
};

/** dereg_entry() - a region that the table has; prints it.  Return: as mr_session_deregister(). */
int dereg_entry(struct session_job *job, uint32_t slot, struct mr_entry *entry,
		struct mr_error *err);

/** dereg_word() - the operand @index (from 1): a region, an object, or a protection domain */
void dereg_word(struct session_job *job, const char *word, uint64_t index);

/** dereg_flush() - invalidate the deferred regions of the protection domain @name; NULL: all */
void dereg_flush(struct session_job *job, const char *name);

#endif
