/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why libibverbs does not find a device, or cannot open it, by what sysfs and /dev/infiniband show. */
#ifndef LIB_VERBS_DEVICE_REASON_H
#define LIB_VERBS_DEVICE_REASON_H

#include "lib/base/base.h"

/**
 * mr_device_fail_absent() - record that libibverbs does not list a device, and why
 * @name:       the device, or NULL for any
 * @list_errno: errno of ibv_get_device_list(3) where it gave no list, else 0
 * @others:     devices that it lists: "mlx5_0, rxe0", or ""
 *
 * It looks for the device in sysfs ($SYSFS_PATH, as libibverbs does) and in /dev/infiniband.
 *
 * Return: -errno, with MR_ERROR_ABSENT where this process has no such device, with MR_ERROR_HOST where
 * that cannot be found out.  The reasons are causes (lib/diagnose/causes/opening.c).
 */
int mr_device_fail_absent(const char *name, int list_errno, const char *others,
			  struct mr_error *err);

/**
 * mr_device_explain_open() - find out from its node why a device could not be opened
 * @node: its name in /dev/infiniband: "uverbs0"
 * @err:  the error of the call that failed
 *
 * Where libibverbs cannot open the node, it tries /dev/char, and reports the errno of that, ENOENT
 * (rdma-core 44 to 65, util/open_cdev.c).  So ENOENT in @err is replaced by the errno of opening the node.
 */
void mr_device_explain_open(const char *node, struct mr_error *err);

#endif
