/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_HOST_PAGE_H
#define LIB_HOST_PAGE_H

#include "lib/host/root.h"

/**
 * mr_page_size() - bytes of an ordinary page: 4 KiB, or up to 256 KiB where the kernel was built so (arm64, POWER)
 *
 * Return: a power of two; 4096, which no kernel goes below, where a recording does not tell, or tells nonsense.
 */
uint64_t mr_page_size(struct mr_host *host);

#endif
