/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registering memory regions and DEVX umems: by libibverbs and libmlx5, or by the kernel's ioctls. */
#ifndef LIB_VERBS_REGION_H
#define LIB_VERBS_REGION_H

#include "lib/base/base.h"
#include "lib/verbs/calls.h"

/**
 * mr_region_register() - make the call of a request
 * @region: set on success; mr_region_deregister() it
 *
 * Nothing is checked in advance, because users ask for the answer of the RDMA stack.
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; -ENOSYS with MR_ERROR_HOST where the installed library
 * lacks the call.
 */
int mr_region_register(const struct mr_registrar *registrar,
		       const struct mr_region_request *request, struct mr_region *region,
		       struct mr_error *err);

#endif
