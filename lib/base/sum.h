/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums of numbers that other programs chose. */
#ifndef LIB_BASE_SUM_H
#define LIB_BASE_SUM_H

#include <stdint.h>

/** mr_sum() - the sum, or UINT64_MAX where that is more than 64 bits hold */
static inline uint64_t mr_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/** mr_sum_without() - a sum without one of what it has; UINT64_MAX stays, as it may be of more */
static inline uint64_t mr_sum_without(uint64_t sum, uint64_t part)
{
	return sum == UINT64_MAX ? sum : sum - part;
}

#endif
