/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kinds of refusals that traced processes met: refusals of the same call with the same errno and cause. */
#ifndef LIB_TRACE_REFUSALS_H
#define LIB_TRACE_REFUSALS_H

#include "lib/trace/ledger.h"

enum {
	MR_REFUSAL_KINDS = 64, /**< kinds that are told apart */
	MR_REFUSAL_LIKENESSES =
		64, /**< different requests and ranges of a kind that are remembered */
};

/** A kind of refusal. */
struct mr_refusal_kind {
	uint64_t count;
	uint64_t
		looked_at; /**< of them: the others are of calls that are alike (wire/likeness.h) */
	uint64_t likenesses[MR_REFUSAL_LIKENESSES];
	size_t likeness_count;
	bool is_ambiguous; /**< nobody looked, and calls that are alike were refused for several causes */
	/* Of the first one: */
	pid_t pid;
	struct mr_traced_record record;
	bool has_look;
	struct mr_look look;
	struct mr_look_region region; /**< that the call was about, where it is known */
	bool has_region;
	struct mr_opt_u64 dm_length; /**< bytes of the memory on the device that the call was on */
	char *place;                 /**< of the call; or NULL */
	char *program;               /**< path of the program; or NULL */
	char *frames[MR_TRACE_FRAMES +
		     1]; /**< its callers, the innermost first, where they are recorded */
};

struct mr_refusals {
	struct mr_refusal_kind *kinds[MR_REFUSAL_KINDS];
	size_t count;
	uint64_t total;
	uint64_t left_out; /**< of yet other kinds */
};

/** A refusal. */
struct mr_refusal_seen {
	pid_t pid;
	const char *program;
	const struct mr_traced_record *record;
	const struct mr_look *look;          /**< NULL: the process was not looked at */
	const struct mr_look_region *region; /**< or NULL */
	struct mr_opt_u64 dm_length;
	const char *place;
};

/** mr_refusals_add() - note a refusal.  Return: its kind; NULL where it was left out. */
struct mr_refusal_kind *mr_refusals_add(struct mr_refusals *refusals,
					const struct mr_refusal_seen *refused);

/** mr_refusals_cause() - the cause of a kind; NULL: it is not known */
const struct mr_cause *mr_refusals_cause(const struct mr_refusal_kind *kind);

/** mr_refusals_is_of_request() - whether the same request would have been refused of any memory */
bool mr_refusals_is_of_request(const struct mr_refusal_kind *kind);

void mr_refusals_release(struct mr_refusals *refusals);

#endif
