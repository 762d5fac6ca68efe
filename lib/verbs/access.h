/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Access flags of memory regions: enum ibv_access_flags of <infiniband/verbs.h>, by the names
 * that users type and read.
 */
#ifndef LIB_VERBS_ACCESS_H
#define LIB_VERBS_ACCESS_H

#include <stdint.h>

#include "lib/base/base.h"

/** The bits whose meaning mrctl depends on. */
#define MR_ACCESS_LOCAL_WRITE      (1u << 0)
#define MR_ACCESS_REMOTE_WRITE     (1u << 1)
#define MR_ACCESS_REMOTE_READ      (1u << 2)
#define MR_ACCESS_REMOTE_ATOMIC    (1u << 3)
#define MR_ACCESS_MW_BIND          (1u << 4)
#define MR_ACCESS_ZERO_BASED       (1u << 5)
#define MR_ACCESS_ON_DEMAND        (1u << 6)
#define MR_ACCESS_HUGETLB          (1u << 7)
#define MR_ACCESS_FLUSH_GLOBAL     (1u << 8)
#define MR_ACCESS_FLUSH_PERSISTENT (1u << 9)
#define MR_ACCESS_RELAXED_ORDERING (1u << 20)
/** Flags that a kernel may ignore: IBV_ACCESS_OPTIONAL_RANGE. */
#define MR_ACCESS_OPTIONAL (0x3ffu << 20)

/** All named flags, in the order of their bits; the last one has no name. */
extern const struct mr_word mr_access_flags[];

/**
 * mr_flags_parse() - read a list of flags such as "local-write,remote-read"
 * @flags: the flags' names and bits, such as mr_access_flags; ends with a row that has no name
 * @what:  what messages call such a flag: "access flag"
 * @text:  names and numbers, separated by "," or "|"; or "none".  Names may be spelled as in C, such as
 *         IBV_ACCESS_LOCAL_WRITE.  Bits of a number need not have a name.
 * @bits:  the mask, set on success
 *
 * Return: 0, or -EINVAL/-ERANGE with MR_ERROR_USAGE.
 */
int mr_flags_parse(const struct mr_word *flags, const char *what, const char *text, uint32_t *bits,
		   struct mr_error *err);

/**
 * mr_access_next() - remove the lowest flag from a mask, and name it
 * @bits: the mask
 * @raw:  room for the text of a bit without a name
 *
 * Return: the flag's name, "0x8000" in @raw for a bit without one, NULL when none is left.
 */
const char *mr_access_next(uint32_t *bits, char raw[16]);

#endif
