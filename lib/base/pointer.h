/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_BASE_POINTER_H
#define LIB_BASE_POINTER_H

#include <stdint.h>

/** mr_pointer() - an address that a user or a table gave, as C functions take it */
static inline void *mr_pointer(uint64_t address)
{
	return (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

#endif
