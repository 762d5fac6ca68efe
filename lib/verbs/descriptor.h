/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_VERBS_DESCRIPTOR_H
#define LIB_VERBS_DESCRIPTOR_H

#include <stdint.h>

/** A uverbs command descriptor, with the driver behind it. */
struct mr_uverbs {
	int fd;
	uint32_t driver_id; /**< enum rdma_driver_id */
};

#endif
