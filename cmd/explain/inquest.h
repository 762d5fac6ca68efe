/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why another program was refused, as far as its log and this host tell. */
#ifndef CMD_EXPLAIN_INQUEST_H
#define CMD_EXPLAIN_INQUEST_H

#include "cmd/cli/cli.h"
#include "cmd/explain/log.h"
#include "lib/diagnose/causes/causes.h"

enum { INQUEST_OTHERS = 128 };

/** A kind of refusal, and what was found out about it. */
struct inquest {
	struct log_row row;
	struct mr_diagnosis diagnosis;
	/** Causes that can own the errno, and of which nothing was found out; the most likely ones first. */
	const struct mr_cause *others[INQUEST_OTHERS];
	size_t other_count;
};

/** inquest_hold() - look for the causes; @index: of the kind, from 0 */
void inquest_hold(struct inquest *inquest, const struct log_kind *kind, size_t index,
		  enum why_depth depth);

#endif
