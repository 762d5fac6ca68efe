/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which access flags of a region have an effect: kernels and libraries accept some and ignore them. */
#ifndef LIB_VERBS_IN_FORCE_H
#define LIB_VERBS_IN_FORCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/calls.h"
#include "lib/verbs/descriptor.h"

/** What a device and its kernel can do.  They are asked when that is first needed. */
struct mr_in_force {
	const struct mr_uverbs *uverbs;
	bool asked;
	enum mr_tristate optional; /**< the kernel accepts flags that it may ignore */
	enum mr_tristate relaxed;  /**< the device can write in relaxed order */
};

/** A region, as it was asked for. */
struct mr_in_force_region {
	enum mr_region_call call;
	enum mr_via via;
	uint32_t access;
	enum mr_tristate at_zero; /**< see mr_in_force_at_zero() */
};

/**
 * mr_in_force_at_zero() - whether the addresses of a region count from 0
 * @access: the flags that were asked for
 *
 * The kernel is asked (QUERY_MR), but only where @access has zero-based.  The region must still be
 * registered.
 *
 * Return: MR_UNKNOWN where @access has not, and where the kernel does not report it.
 */
enum mr_tristate mr_in_force_at_zero(const struct mr_uverbs *uverbs, uint32_t access,
				     const struct mr_region *region);

/**
 * mr_in_force_bits() - the flags of a region that have an effect
 *
 * A flag that was accepted has an effect.  The exceptions are zero-based, hugetlb, and all flags that a
 * kernel may ignore: they can be accepted without effect.
 *
 * Return: the flags; not known where it is unknown whether one of them has an effect.
 */
struct mr_opt_u64 mr_in_force_bits(struct mr_in_force *in_force,
				   const struct mr_in_force_region *region);

/** mr_in_force_reason() - why a flag has no effect, for users; NULL for a flag that always has */
const char *mr_in_force_reason(const struct mr_in_force *in_force, uint32_t flag);

#endif
