/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why a call was refused: the diagnosis of a failure, as messages and the document have it. */
#ifndef CMD_REGION_WHY_H
#define CMD_REGION_WHY_H

#include "cmd/output/fields.h"
#include "lib/diagnose/causes/diagnosis.h"

/** The records of causes and of those that were ruled out. */
extern const struct record cause_record, ruled_out_record;

/** A diagnosis, which failures share. */
struct why;

/**
 * why_find() - look for the causes of a refusal
 *
 * Return: the diagnosis, for why_release(); NULL where memory is short.
 */
struct why *why_find(const struct mr_refusal *refusal);

/** why_share() - the same diagnosis once more, for another why_release(); NULL for NULL */
struct why *why_share(struct why *why);

/** why_release() - let go of a diagnosis, or of NULL */
void why_release(struct why *why);

/** why_layer() - the layer that refused, NULL where it is not known; @why may be NULL */
const char *why_layer(const struct why *why);

/** why_causes(), why_ruled_out() - lists for the document; empty where @why is NULL */
struct list why_causes(const struct why *why);
struct list why_ruled_out(const struct why *why);

/** why_first() - the most certain cause, or NULL */
const struct mr_cause *why_first(const struct why *why);

/**
 * why_report() - print the causes below the message of the refusal
 * @verbose: print all causes with their evidence, and those that were ruled out
 */
void why_report(const struct why *why, bool verbose);

#endif
