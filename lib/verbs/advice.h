/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Advice about memory regions with on-demand paging: it asks the HCA to fetch pages now. */
#ifndef LIB_VERBS_ADVICE_H
#define LIB_VERBS_ADVICE_H

#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/calls.h"

/** An advice as the user names it: "prefetch", "prefetch-write,flush", … */
struct mr_advice {
	const char *text; /**< as typed, or NULL: none */
	uint32_t advice;  /**< enum ib_uverbs_advise_mr_advice, or whatever else was asked for */
	uint32_t flags;   /**< enum ib_uverbs_advise_mr_flag, likewise */
};

/** All words of an advice, for help texts; the last one has no name. */
extern const struct mr_word mr_advice_words[];

/**
 * mr_advice_parse() - read an advice, and its flags behind commas; each may be a number
 * @text: must outlive @advice
 *
 * Return: 0, or -EINVAL/-ERANGE with MR_ERROR_USAGE.
 */
int mr_advice_parse(const char *text, struct mr_advice *advice, struct mr_error *err);

/** A part of a region, by the addresses that the HCA knows (IOVA). */
struct mr_advice_range {
	uint64_t addr;
	uint64_t length; /**< bytes */
	uint32_t lkey;   /**< of the region */
};

/**
 * mr_advise() - ibv_advise_mr(3), or ioctl ADVISE_MR by MR_VIA_KERNEL
 * @registrar: the path, and the PD of the region
 * @ns:        set to the time of the calls in nanoseconds, also on failure
 *
 * One call takes at most 4 GiB: a longer range takes several calls.
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_advise(const struct mr_registrar *registrar, const struct mr_advice *advice,
	      const struct mr_advice_range *range, uint64_t *ns, struct mr_error *err);

#endif
