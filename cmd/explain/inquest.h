/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why another program was refused, as far as its log and this host tell. */
#ifndef CMD_EXPLAIN_INQUEST_H
#define CMD_EXPLAIN_INQUEST_H

#include "cmd/cli/option_types.h"
#include "cmd/explain/log.h"
#include "lib/diagnose/causes/diagnosis.h"

/** A kind of refusal, and what was found out about it. */
struct inquest {
	struct log_row row;
	struct mr_diagnosis diagnosis;
	struct mr_opt_u64 access; /**< flags of the call, where the line has them */
	uint32_t operations;
	int errnum;
};

/** inquest_hold() - look for the causes; @index: of the kind, from 0 */
void inquest_hold(struct inquest *inquest, const struct log_kind *kind, size_t index,
		  enum why_depth depth);

/** inquest_next_other() - the next cause that can own the errno, and of which nothing was found out; or NULL */
const struct mr_cause *inquest_next_other(const struct inquest *inquest,
					  const struct mr_cause *cause);

#endif
