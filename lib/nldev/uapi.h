/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers of the kernel's include/uapi/rdma/rdma_netlink.h that are newer than the headers of Debian 12.
 * Source: rdma-core 64, kernel-headers/rdma/rdma_netlink.h.
 */
#ifndef LIB_NLDEV_UAPI_H
#define LIB_NLDEV_UAPI_H

#include <rdma/rdma_netlink.h>

enum {
	MR_NLDEV_CMD_FRMR_POOLS_GET = 29,

	MR_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE = 96, /* u8 */
	MR_NLDEV_ATTR_FRMR_POOLS = 105,              /* nested */
	MR_NLDEV_ATTR_FRMR_POOL_ENTRY = 106,         /* nested */
	MR_NLDEV_ATTR_FRMR_POOL_KEY = 107,           /* nested */
	MR_NLDEV_ATTR_FRMR_POOL_KEY_ATS = 108,       /* u8 */
	MR_NLDEV_ATTR_FRMR_POOL_KEY_ACCESS = 109,    /* u32 */
	MR_NLDEV_ATTR_FRMR_POOL_KEY_VENDOR = 110,    /* u64 */
	MR_NLDEV_ATTR_FRMR_POOL_KEY_BLOCKS = 111,    /* u64 */
	MR_NLDEV_ATTR_FRMR_POOL_QUEUE = 112,         /* u32 */
	MR_NLDEV_ATTR_FRMR_POOL_MAX_IN_USE = 113,    /* u64 */
	MR_NLDEV_ATTR_FRMR_POOL_IN_USE = 114,        /* u64 */
	MR_NLDEV_ATTR_FRMR_POOL_PINNED = 116,        /* u32 */
	MR_NLDEV_ATTR_FRMR_POOL_KEY_KERNEL = 117,    /* u64 */
	MR_NLDEV_ATTR_RES_SUMMARY_ENTRY_MAX = 118,   /* u64 */
};

#endif
