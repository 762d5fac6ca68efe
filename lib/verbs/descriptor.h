/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_VERBS_DESCRIPTOR_H
#define LIB_VERBS_DESCRIPTOR_H

#include <stdint.h>

/** An open uverbs device (/dev/infiniband/uverbsN), and its driver. */
struct mr_uverbs {
	int fd;
	uint32_t driver_id; /**< enum rdma_driver_id */
};

#endif
