/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which access flags of a region have an effect: some are accepted, and then ignored. */
#ifndef LIB_VERBS_IN_FORCE_H
#define LIB_VERBS_IN_FORCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/number.h"
#include "lib/base/tristate.h"
#include "lib/verbs/calls.h"
#include "lib/verbs/uverbs.h"

/** What a device and its kernel can do; asked when it is first needed. */
struct mr_in_force {
	const struct mr_uverbs *uverbs;
	bool asked;
	enum mr_tristate optional; /**< the kernel takes flags that it may ignore */
	enum mr_tristate relaxed;  /**< the device can write in relaxed order */
};

/** A region, with what was asked for. */
struct mr_in_force_region {
	enum mr_region_call call;
	enum mr_via via;
	uint32_t access;
	enum mr_tristate at_zero; /**< see mr_in_force_at_zero() */
};

/**
 * mr_in_force_at_zero() - whether the addresses of a region count from 0, by what the kernel says
 *
 * The kernel is asked (QUERY_MR) only where @access has zero-based.  The region must still be registered.
 */
enum mr_tristate mr_in_force_at_zero(const struct mr_uverbs *uverbs, uint32_t access,
				     const struct mr_region *region);

/**
 * mr_in_force_bits() - the flags of a region that have an effect
 *
 * A flag that was accepted has an effect, with these exceptions, for which it proves nothing: zero-based,
 * hugetlb, and all flags that a kernel may ignore.
 *
 * Return: the flags; not known where it is not known of one of them.
 */
struct mr_opt_u64 mr_in_force_bits(struct mr_in_force *in_force,
				   const struct mr_in_force_region *region);

/** mr_in_force_reason() - why a flag that was asked for has no effect; NULL for a flag that has */
const char *mr_in_force_reason(const struct mr_in_force *in_force, uint32_t flag);

#endif
