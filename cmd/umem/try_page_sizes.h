/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mrctl umem --try-page-sizes */
#ifndef CMD_UMEM_TRY_PAGE_SIZES_H
#define CMD_UMEM_TRY_PAGE_SIZES_H

#include "cmd/register/register.h"

/**
 * umem_try_page_sizes() - register a umem with each page size alone, and list the answers
 * @call: one for umems with page sizes
 *
 * Return: exit status; a negative errno with @err set if nothing was tried.
 */
int umem_try_page_sizes(const struct invocation *invocation, const struct register_call *call,
			struct mr_error *err);

#endif
