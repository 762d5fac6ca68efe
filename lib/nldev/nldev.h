/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's RDMA netlink (include/uapi/rdma/rdma_netlink.h), by libmnl. */
#ifndef LIB_NLDEV_NLDEV_H
#define LIB_NLDEV_NLDEV_H

#endif
