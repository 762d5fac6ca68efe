/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The refusals and failures that a command met, which its document lists. */
#ifndef CMD_REGION_FAILURES_H
#define CMD_REGION_FAILURES_H

#include "cmd/output/fields.h"
#include "cmd/region/request.h"
#include "lib/verbs/rereg.h"

/** One refusal or failure, as the document has it. */
struct failure {
	struct mr_opt_u64
		index; /**< which of --count or of the operands, or line of a batch, from 1 */
	struct mr_opt_u64 region; /**< id, when there is a region already */
	const char *call;
	const char *errno_name;
	struct mr_opt_u64 errno_value;
	const char *message;
	const char *via;
	const char *layer;
	const char *rereg_code;
	const char *library_would_say;
	const char *old_region;
	struct list causes;
	struct request request;
	enum mr_error_kind kind;
};

extern const struct record failure_record;

struct failures {
	struct failure *items;
	size_t count;
	size_t capacity;
	bool out_of_memory; /**< some were lost */
};

/**
 * failures_add() - remember an error
 * @index:   number of the region it was about (from 1), 0 when it was about none
 * @region:  its id, 0 when it has none
 * @via:     path of the call, or NULL
 * @request: what was asked for, of which a copy is kept; or NULL
 */
void failures_add(struct failures *failures, const struct mr_error *err, uint64_t index,
		  uint64_t region, const char *via, const struct request *request);

/** failures_set_rereg() - of the failure added last: what ibv_rereg_mr(3) says, or would say */
void failures_set_rereg(struct failures *failures, const struct mr_rereg_failure *rereg);

/**
 * failures_adopt() - remember a failure of a line of a batch
 * @failure: what it was, or NULL
 * @line:    number of the line, which becomes its index
 */
void failures_adopt(struct failures *failures, const struct failure *failure, uint64_t line,
		    const char *message);

/** failures_release() - free what failures_add() kept */
void failures_release(struct failures *failures);

#endif
