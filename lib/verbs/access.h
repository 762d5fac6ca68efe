/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Access flags of memory regions: enum ibv_access_flags of <infiniband/verbs.h>, by the names
 * that users type and read.
 */
#ifndef LIB_VERBS_ACCESS_H
#define LIB_VERBS_ACCESS_H

#include <stdint.h>

#include "lib/base/choice.h"
#include "lib/base/error.h"

/** Bits whose meaning mrctl depends on. */
#define MR_ACCESS_LOCAL_WRITE      (1u << 0)
#define MR_ACCESS_ZERO_BASED       (1u << 5)
#define MR_ACCESS_ON_DEMAND        (1u << 6)
#define MR_ACCESS_HUGETLB          (1u << 7)
#define MR_ACCESS_RELAXED_ORDERING (1u << 20)
/** Flags that a kernel may ignore: IBV_ACCESS_OPTIONAL_RANGE. */
#define MR_ACCESS_OPTIONAL (0x3ffu << 20)

/** All named flags, in the order of their bits; the last one has no name. */
extern const struct mr_word mr_access_flags[];

/**
 * mr_flags_parse() - as mr_access_parse(), of the flags in another table
 * @flags: the table; ends with a row that has no name
 * @what:  what messages call one of them
 */
int mr_flags_parse(const struct mr_word *flags, const char *what, const char *text, uint32_t *bits,
		   struct mr_error *err);

/**
 * mr_access_parse() - the mask of "local-write,remote-read"
 * @text: names and numbers separated by "," or "|", or "none"; bits without a name pass through;
 *        names also as C has them, IBV_ACCESS_LOCAL_WRITE
 * @bits: the mask, set on success
 *
 * Return: 0, or -EINVAL/-ERANGE with MR_ERROR_USAGE.
 */
int mr_access_parse(const char *text, uint32_t *bits, struct mr_error *err);

/**
 * mr_access_next() - take one flag out of a mask
 * @bits: the mask; the lowest flag is removed from it
 * @raw:  room for the text of a bit without a name
 *
 * Return: the flag's name, "0x8000" in @raw for a bit without one, NULL when none is left.
 */
const char *mr_access_next(uint32_t *bits, char raw[16]);

#endif
