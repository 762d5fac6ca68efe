/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What decides on a host whether registration works, as a table of checks.  A check has an id that is never
 * renamed and never given to another check: scripts name it.  It reads the host through lib/host alone, so it
 * judges this machine and a recorded one alike.
 */
#ifndef LIB_DIAGNOSE_CHECKS_H
#define LIB_DIAGNOSE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/diagnose/finding.h"

/** MR_CAN() - the bit of a verdict: MR_CAN(OK) | MR_CAN(BAD) */
#define MR_CAN(verdict) (1U << MR_VERDICT_##verdict)

struct mr_check {
	const char *id;      /**< "MR-MEMLOCK" */
	const char *subject; /**< what is looked at, a few words: "limit of locked memory" */
	const char *group;   /**< neighbours have the same: "limits", "memory", "devices", ... */
	/** Bits of all verdicts that it can have. */
	unsigned int verdicts;
	void (*look)(const struct mr_question *question, struct mr_finding *finding);
};

/** All checks, by group; ends with one that has no id. */
extern const struct mr_check mr_checks[];

/** mr_check_find() - the check with that id (@length bytes, in any case), or NULL */
const struct mr_check *mr_check_find(const char *id, size_t length);

#endif
