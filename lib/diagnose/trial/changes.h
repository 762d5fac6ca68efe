/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is changed in a refused call, as a table. */
#ifndef LIB_DIAGNOSE_TRIAL_CHANGES_H
#define LIB_DIAGNOSE_TRIAL_CHANGES_H

#include "lib/diagnose/trial/bench.h"
#include "lib/memory/memory.h"

/** The call with one thing changed, and what was made for it. */
struct mr_variant {
	struct mr_region_request request;
	struct mr_registrar registrar;
	struct mr_memory memory; /**< or all zeros */
	struct mr_dmabuf dmabuf; /**< or all zeros */
	struct ibv_pd *pd;       /**< or NULL */
	char words[48];          /**< in place of those of the row; or empty */
	char reason[128];        /**< why it cannot be tried; empty: it can */
};

/** A change. */
struct mr_change_row {
	const char *id;      /**< is never renamed, as scripts may name it: "half" */
	const char *words;   /**< go on with "it passes": "with half the length" */
	uint32_t operations; /**< it can be made for: bits, MR_ON(REG) | ... */
	uint32_t flag;       /**< an access flag */
	/**
	 * Makes the change in a copy of the call.  NULL: there is nothing to change.
	 * Return: whether the change is one; @variant->reason may say that it cannot be made here.
	 */
	bool (*change)(const struct mr_bench *bench, const struct mr_change_row *row,
		       struct mr_variant *variant);
};

/** The changes, by enum mr_try_change. */
extern const struct mr_change_row mr_changes[MR_TRY_CHANGES];

/**
 * mr_variant_init() - make a change in a copy of the call
 * Return: whether the change is one for this call.  mr_variant_release() it in either case.
 */
bool mr_variant_init(struct mr_variant *variant, const struct mr_bench *bench,
		     const struct mr_change_row *row);

/** mr_variant_release() - free what was made for it */
void mr_variant_release(struct mr_variant *variant);

#endif
