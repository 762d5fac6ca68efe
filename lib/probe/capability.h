/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a device says of itself: the bits that the answers of trials are compared with. */
#ifndef LIB_PROBE_CAPABILITY_H
#define LIB_PROBE_CAPABILITY_H

#include "lib/base/base.h"

struct mr_probe;

/** What a trial's answer is compared with. */
enum mr_capability {
	MR_CAPABILITY_NONE,      /**< nothing: no bit tells */
	MR_CAPABILITY_FORBIDDEN, /**< the rules of verbs: such a request is to be refused */
	MR_CAPABILITY_ATOMICS,   /**< atomic_cap */
	MR_CAPABILITY_ODP,       /**< odp_caps: IBV_ODP_SUPPORT */
	MR_CAPABILITY_IMPLICIT,  /**< odp_caps: IBV_ODP_SUPPORT_IMPLICIT */
	MR_CAPABILITY_WINDOWS,   /**< IBV_DEVICE_MEM_WINDOW, or one of type 2 */
	MR_CAPABILITY_WINDOWS_1, /**< IBV_DEVICE_MEM_WINDOW */
	MR_CAPABILITY_WINDOWS_2, /**< IBV_DEVICE_MEM_WINDOW_TYPE_2A or _2B */
	MR_CAPABILITY_FLUSH_GLOBAL,
	MR_CAPABILITY_FLUSH_PERSISTENT,
	MR_CAPABILITY_RELAXED,     /**< mr_orders_relaxed() */
	MR_CAPABILITY_DM,          /**< max_dm_size */
	MR_CAPABILITY_DATA_DIRECT, /**< a Data Direct device is there */
	MR_CAPABILITIES,           /**< how many there are */
};

/** mr_capability_ask() - what the device says: MR_UNKNOWN where it says nothing */
enum mr_tristate mr_capability_ask(struct mr_probe *probe, enum mr_capability capability);

#endif
