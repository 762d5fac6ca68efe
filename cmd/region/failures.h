/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The refusals and failures that a command met, which its document lists. */
#ifndef CMD_REGION_FAILURES_H
#define CMD_REGION_FAILURES_H

#include "cmd/output/output.h"
#include "cmd/region/request.h"
#include "cmd/region/why.h"
#include "lib/verbs/verbs.h"

/** One refusal or failure, as the document has it. */
struct failure {
	/** Which of --count or of the operands, or which line of a batch, from 1. */
	struct mr_opt_u64 index;
	struct mr_opt_u64 region; /**< id, if there is a region already */
	const char *call;
	const char *errno_name;
	struct mr_opt_u64 errno_value;
	const char *message;
	const char *via;
	const char *layer;
	const char *rereg_code;
	const char *library_would_say;
	const char *old_region;
	const char *why_depth; /**< how deep the causes were looked for; NULL: they were not */
	struct list causes;
	struct list ruled_out;
	struct list proof;
	const char *tried; /**< what was tried, as a sentence; or NULL */
	struct list tries;
	struct request request;
	enum mr_error_kind kind;
	struct why *why; /**< of causes and ruled_out; or NULL */
};

extern const struct record failure_record;

/** A list of failures, which owns its strings. */
struct failures {
	struct failure *items;
	size_t count;
	size_t capacity;
	bool out_of_memory; /**< some were lost */
};

/**
 * failures_add() - keep an error
 * @index:   number of the region that it is about, from 1; 0: it is about none
 * @region:  id of the region; 0: it has none
 * @via:     path of the call, or NULL
 * @request: what was asked for, of which a copy is kept; or NULL
 * @why:     its diagnosis, which the list releases; or NULL
 * @depth:   how deep that looked, or NULL
 */
void failures_add(struct failures *failures, const struct mr_error *err, uint64_t index,
		  uint64_t region, const char *via, const struct request *request, struct why *why,
		  const char *depth);

/** failures_set_rereg() - add to the last failure what ibv_rereg_mr(3) returned, or would return */
void failures_set_rereg(struct failures *failures, const struct mr_rereg_failure *rereg);

/**
 * failures_adopt() - keep a failure of a line of a batch
 * @failure: as the line's command has it, or NULL
 * @line:    number of the line, which becomes the failure's index
 * @message: the message to keep, in place of that in @failure
 */
void failures_adopt(struct failures *failures, const struct failure *failure, uint64_t line,
		    const char *message);

/** failures_release() - free all failures */
void failures_release(struct failures *failures);

#endif
