/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why libibverbs does not find a device, or cannot open it: what sysfs and the node say. */
#ifndef LIB_VERBS_DEVICE_REASON_H
#define LIB_VERBS_DEVICE_REASON_H

#include "lib/base/error.h"

/**
 * mr_device_fail_absent() - libibverbs does not list the device
 * @name:       the device, or NULL for any
 * @list_errno: errno of ibv_get_device_list(3) where it gave no list, else 0
 * @others:     devices that it lists: "mlx5_0, rxe0", or ""
 *
 * Looks for the device itself, in sysfs ($SYSFS_PATH, as libibverbs) and in /dev/infiniband.
 *
 * Return: -errno: MR_ERROR_ABSENT where there is no such device for this process, MR_ERROR_HOST where
 * it could not be looked for.
 */
int mr_device_fail_absent(const char *name, int list_errno, const char *others,
			  struct mr_error *err);

/**
 * mr_device_explain_open() - a device could not be opened: look at its node
 * @node: its name in /dev/infiniband: "uverbs0"
 * @err:  what the call said; gets a hint, and the errno of opening the node where libibverbs has
 *        lost that: it looks for the node in /dev/char then, and says ENOENT of that
 *        (rdma-core 44 to 65, util/open_cdev.c)
 */
void mr_device_explain_open(const char *node, struct mr_error *err);

/**
 * mr_device_explain_import() - as mr_device_explain_open(), of ibv_import_device(3)
 *
 * That says ENODEV also where it could not list devices.
 */
void mr_device_explain_import(struct mr_error *err);

#endif
