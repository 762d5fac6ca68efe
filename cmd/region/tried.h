/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A refused call that was repeated with one thing changed at a time, as messages and the document have it. */
#ifndef CMD_REGION_TRIED_H
#define CMD_REGION_TRIED_H

#include "cmd/output/output.h"
#include "lib/diagnose/causes/causes.h"

/** A try, as the document has it. */
struct try_row {
	const char *change;
	const char *answer;
	struct mr_opt_u64 elapsed_ns;
	const char *reason;
};

extern const struct record try_record;

struct tried {
	struct mr_tries tries;
	struct try_row rows[MR_TRY_CHANGES];
	char text[640]; /**< what they tell, as a sentence */
};

/** tried_make() - make the tries; @refusal->tries is set to them */
void tried_make(struct tried *tried, struct mr_refusal *refusal);

/** tried_list() - the tries for the document; empty where @tried is NULL */
struct list tried_list(const struct tried *tried);

#endif
