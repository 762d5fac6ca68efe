/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A cause of the catalogue, as records have it. */
#ifndef CMD_EXPLAIN_ROW_H
#define CMD_EXPLAIN_ROW_H

#include "cmd/output/output.h"
#include "lib/diagnose/causes/causes.h"
#include "lib/diagnose/diagnose.h"

struct explained {
	struct mr_opt_u64 log; /**< which line of the log */
	const char *id;
	const char *certainty;
	const char *subject;
	const char *layer;
	const char *const *errnos; /**< NULL: any */
	const char *const *calls;
	const char *frequency;
	const char *cause;
	struct members evidence;
	const char *remedy;
	const char *what;
	const char *recognise;
	const char *source;
	/* What the members above point to: */
	const char *errno_names[MR_CAUSE_ERRNOS + 1];
	const char *call_names[MR_OPERATIONS + 1];
	struct member facts[MR_EVIDENCE_MAX];
};

extern const struct record explained_record;

/** explained_fill() - set what the table says of a cause; @row must not be moved then */
void explained_fill(struct explained *row, const struct mr_cause *cause);

/** explained_fill_check() - the same of a check that is no cause */
void explained_fill_check(struct explained *row, const struct mr_check *check);

/** explained_add() - add what was found out about the cause */
void explained_add(struct explained *row, const struct mr_suspicion *suspicion);

#endif
