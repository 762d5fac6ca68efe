/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Offsets of members, for tables whose rows each describe one member of a struct. */
#ifndef LIB_BASE_CHECKED_OFFSET_H
#define LIB_BASE_CHECKED_OFFSET_H

#include <stddef.h>

/** CHECKED_OFFSET() - offset of a member that must have type @ctype: with another type it does not compile */
#define CHECKED_OFFSET(structure, member, ctype)                                                   \
	(offsetof(structure, member) +                                                             \
	 0 * sizeof(struct {                                                                       \
		 _Static_assert(__builtin_types_compatible_p(__typeof__(((structure *)0)->member), \
							     ctype),                               \
				#member " has another type than its table says");                  \
		 int unused;                                                                       \
	 }))

#endif
