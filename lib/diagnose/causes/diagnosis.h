/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why a call was refused: the causes that the evidence speaks for, and those that it excludes. */
#ifndef LIB_DIAGNOSE_CAUSES_DIAGNOSIS_H
#define LIB_DIAGNOSE_CAUSES_DIAGNOSIS_H

#include "lib/diagnose/causes/cause.h"

enum {
	MR_DIAGNOSIS_CAUSES = 8,     /**< causes that are kept, the most certain ones */
	MR_DIAGNOSIS_RULED_OUT = 48, /**< causes ruled out that are kept */
};

/** A cause that was ruled out. */
struct mr_ruled_out {
	const struct mr_cause *cause;
	char reason[160];
};

struct mr_diagnosis {
	enum mr_layer layer; /**< that of the first cause, unless that is only possible */
	struct mr_suspicion causes[MR_DIAGNOSIS_CAUSES]; /**< the most certain one first */
	size_t cause_count;
	struct mr_ruled_out ruled_out[MR_DIAGNOSIS_RULED_OUT];
	size_t ruled_out_count;
};

/**
 * mr_diagnose() - look for the causes of a refusal
 * @host: where facts are read
 *
 * At most one cause is certain: the first one that the call meets.  Another one that would have refused the
 * call as well is possible only.
 */
void mr_diagnose(const struct mr_refusal *refusal, struct mr_host *host,
		 struct mr_diagnosis *diagnosis);

#endif
