/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why a call was refused: the diagnosis of a failure, as messages and the document have it. */
#ifndef CMD_REGION_WHY_H
#define CMD_REGION_WHY_H

#include "cmd/cli/global_options.h"
#include "cmd/output/output.h"
#include "cmd/region/tried.h"
#include "lib/diagnose/causes/causes.h"

/** The records of causes and of those that were ruled out. */
extern const struct record cause_record, ruled_out_record;

/** A diagnosis, which failures share. */
struct why;

/** why_is_wanted() - whether the causes of an error are to be looked for: not for wrong usage, nor with --why none */
bool why_is_wanted(const struct global_args *global, const struct mr_error *err);

/**
 * why_of_error() - look for the causes of an error that a call has given
 * @refusal: what the caller knows of it; completed from @err and @global
 *
 * Return: the diagnosis, for why_release(); NULL where memory is short, where the causes are not wanted, and where
 * a call that only prepares has no known one.
 */
struct why *why_of_error(const struct global_args *global, const struct mr_error *err,
			 struct mr_refusal *refusal);

/** why_of_diagnosis() - as of why_of_error(), of a diagnosis that was made already: of a call of another program */
struct why *why_of_diagnosis(const struct mr_diagnosis *diagnosis);

/** why_tell() - report an error that ends a command, and its causes: @command as of report_error() */
void why_tell(const struct global_args *global, const char *command, const struct mr_error *err);

/** why_share() - the same diagnosis once more, for another why_release(); NULL for NULL */
struct why *why_share(struct why *why);

/** why_release() - let go of a diagnosis, or of NULL */
void why_release(struct why *why);

/** why_layer() - the layer that refused, NULL where it is not known; @why may be NULL */
const char *why_layer(const struct why *why);

/** why_causes(), why_ruled_out() - lists for the document; empty where @why is NULL */
struct list why_causes(const struct why *why);
struct list why_ruled_out(const struct why *why);

/** why_proof() - what was proven, one row; none where @why is NULL, or nothing was to be proven */
struct list why_proof(const struct why *why);

/** why_tried() - what was tried; NULL where nothing was to be tried */
const struct tried *why_tried(const struct why *why);

/** why_first() - the most certain cause, or NULL */
const struct mr_cause *why_first(const struct why *why);

/**
 * why_report() - print the causes below the message of the refusal
 * @verbose: print all causes with their evidence, and those that were ruled out
 */
void why_report(const struct why *why, bool verbose);

#endif
