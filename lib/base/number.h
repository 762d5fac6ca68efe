/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers, sizes and names as users type them.  The functions are strict: they accept no sign, no blank,
 * nothing behind the number and no overflow.  A leading zero does not mean octal.  They return 0, or
 * -EINVAL or -ERANGE with MR_ERROR_USAGE, and then set no value.
 */
#ifndef LIB_BASE_NUMBER_H
#define LIB_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

/** A number that may be absent or unknown. */
struct mr_opt_u64 {
	uint64_t value;
	_Bool known;
};

/** mr_parse_u64() - decimal or 0x hexadecimal, 0 to @max */
int mr_parse_u64(const char *text, uint64_t max, uint64_t *value, struct mr_error *err);

/** mr_parse_u64_item() - as mr_parse_u64(), for an item of a list: @length bytes of a longer text */
int mr_parse_u64_item(const char *item, size_t length, uint64_t max, uint64_t *value,
		      struct mr_error *err);

/**
 * mr_parse_size() - bytes: a number with an optional suffix, or "max" for SIZE_MAX
 *
 * K, M, G, T, P, E and KiB, … are powers of 1024; KB, MB, … are powers of 1000, as in util-linux and
 * dd(1).
 */
int mr_parse_size(const char *text, uint64_t *bytes, struct mr_error *err);

/**
 * mr_parse_page_sizes() - a set of page sizes, one bit for each
 * @text: "none", or sizes that are powers of two and hexadecimal masks with any bits: "4K,2M",
 *        "0x201000"
 */
int mr_parse_page_sizes(const char *text, uint64_t *sizes, struct mr_error *err);

/** mr_parse_seconds() - seconds with an optional fraction, as nanoseconds */
int mr_parse_seconds(const char *text, uint64_t *ns, struct mr_error *err);

/**
 * mr_parse_name() - check the name of a region or protection domain
 *
 * It has 1 to 63 letters, digits, ".", "_" and "-".  It does not begin with "-", which would be an option,
 * and is not all digits, which would be an id.
 */
int mr_parse_name(const char *text, struct mr_error *err);

/**
 * mr_round_up() - the next multiple of @step that is not below @value
 * @step: a power of two
 *
 * Return: 0 where it does not fit in 64 bits.
 */
static inline uint64_t mr_round_up(uint64_t value, uint64_t step)
{
	return (value + step - 1) & ~(step - 1);
}

#endif
