/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a kernel and a device can do, as far as they report it. */
#ifndef LIB_VERBS_CAPABILITIES_H
#define LIB_VERBS_CAPABILITIES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/descriptor.h"

/**
 * mr_has_optional_access() - whether the kernel accepts access flags that it may ignore
 *
 * The method QUERY_CONTEXT reports it (IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS).  To a kernel that does
 * not, libibverbs does not pass such flags on.
 */
enum mr_tristate mr_has_optional_access(const struct mr_uverbs *uverbs);

/**
 * mr_orders_relaxed() - whether the device can write in relaxed order
 *
 * The firmware of an mlx5 device is asked (QUERY_HCA_CAP): that needs a context with DEVX.  For other
 * drivers the table in drivers.c has the answer.
 */
enum mr_tristate mr_orders_relaxed(const struct mr_uverbs *uverbs);

/**
 * mr_devx_try() - make a harmless call of DEVX, on an open device of mlx5
 *
 * Return: 0; -EINVAL where the context was opened without DEVX; -EPROTONOSUPPORT where the kernel's driver has no
 * DEVX for the device; or another -errno.
 */
int mr_devx_try(const struct mr_uverbs *uverbs);

/**
 * mr_dc_odp_caps() - which operations of the transport DC may use on-demand paging
 * @operations: set to bits of enum ibv_odp_transport_cap_bits
 *
 * Only mlx5 has DC, and no verb reports it, so the firmware is asked: that needs a context with DEVX.
 *
 * Return: whether it is known.
 */
bool mr_dc_odp_caps(const struct mr_uverbs *uverbs, uint32_t *operations);

#endif
