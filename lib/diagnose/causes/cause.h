/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Causes of refusals.  A cause is a row: its id, the calls and errnos that it speaks for, what explains it, and
 * the function that looks for its evidence.  A wrong cause is worse than none, so a function that looks
 *  - says MR_CERTAIN only where the call must fail with that errno for this reason, whatever else is wrong;
 *  - says MR_LIKELY where the evidence speaks for it, and something else is possible still;
 *  - says MR_POSSIBLE where nothing speaks against it, and there is some evidence;
 *  - rules the cause out where the evidence excludes it;
 *  - says nothing where the cause has nothing to do with the call.
 */
#ifndef LIB_DIAGNOSE_CAUSES_CAUSE_H
#define LIB_DIAGNOSE_CAUSES_CAUSE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/diagnose/causes/inquiry.h"
#include "lib/diagnose/causes/tries.h"
#include "lib/diagnose/layer.h"

/** How sure a cause is, in this order. */
enum mr_certainty {
	MR_UNRELATED, /**< has nothing to do with the call */
	MR_RULED_OUT,
	MR_POSSIBLE,
	MR_LIKELY,
	MR_CERTAIN,
	MR_CERTAINTIES, /**< how many there are */
};

/** The names of certainties, for output and options. */
extern const struct mr_word mr_certainties[MR_CERTAINTIES + 1];

/** A fact that speaks for a cause. */
struct mr_evidence {
	const char *name; /**< a key of JSON, static: "limit" */
	bool is_number;
	uint64_t number;
	char text[104];
};

enum {
	MR_EVIDENCE_MAX = 10, /**< facts of a cause */
	MR_CAUSE_ERRNOS = 8,  /**< errnos of a cause, and a 0 behind them */
};

struct mr_cause;

/** What was found out about a cause. */
struct mr_suspicion {
	const struct mr_cause *cause;
	enum mr_certainty certainty;
	enum mr_layer layer; /**< that of the cause, or the one that checks it in this call */
	char text[384]; /**< the cause with its figures, one sentence; or why it is ruled out */
	char remedy[384];
	struct mr_evidence evidence[MR_EVIDENCE_MAX];
	size_t evidence_count;
};

/** How often sites meet a cause, most often first. */
enum mr_frequency { MR_COMMON, MR_OCCASIONAL, MR_RARE };

/** A cause. */
struct mr_cause {
	const char *
		id; /**< "MR-MEMLOCK"; that of the check of stat --host where it is the same thing */
	const char *subject;          /**< a few words: "limit of locked memory" */
	uint32_t operations;          /**< bits: MR_ON(REG) | ... */
	int errnums[MR_CAUSE_ERRNOS]; /**< ends with 0; none: any errno */
	enum mr_layer layer;          /**< that checks it, of most calls */
	enum mr_frequency frequency;
	uint64_t
		cured_by; /**< bits of changes, each of which takes it away: MR_CURED_BY(FRESH_MEMORY) | ... */
	uint32_t
		needs_access; /**< access flags without any of which it is not the cause; 0: it does not matter */
	const char *driver; /**< the provider whose devices alone have it: "efa"; NULL: any */
	bool is_of_gpu;     /**< of memory of a GPU */
	bool is_of_request; /**< no memory takes it away: address, length or flags are refused */
	void (*look)(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion);
	const char *what;      /**< what it is: one or two sentences */
	const char *recognise; /**< how to tell it from others */
	const char *remedy;    /**< used where the function that looks sets none */
	const char
		*sources; /**< where it can be read up: files of the kernel, man pages, threads */
};

/** mr_cause_speaks_for() - whether a cause can be that of an errno; 0 stands for any */
bool mr_cause_speaks_for(const struct mr_cause *cause, uint32_t operations, int errnum);

/** mr_suspect() - say how sure the cause is, and the sentence with its figures */
void mr_suspect(struct mr_suspicion *suspicion, enum mr_certainty certainty, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** mr_rule_out() - say why it is not the cause */
void mr_rule_out(struct mr_suspicion *suspicion, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** mr_suspect_remedy() - set a remedy that fits this host better than that of the row */
void mr_suspect_remedy(struct mr_suspicion *suspicion, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** mr_evidence_number() - add a figure; @name is static */
void mr_evidence_number(struct mr_suspicion *suspicion, const char *name, uint64_t number);

/** mr_evidence_limit() - add a limit: no evidence where it is UINT64_MAX, which is "unlimited" */
void mr_evidence_limit(struct mr_suspicion *suspicion, const char *name, uint64_t limit);

/** mr_evidence_hex() - add a mask or an address, as "0x..." */
void mr_evidence_hex(struct mr_suspicion *suspicion, const char *name, uint64_t number);

/** mr_evidence_text() - add a text */
void mr_evidence_text(struct mr_suspicion *suspicion, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
