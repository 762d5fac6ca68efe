/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The Data Direct device of an mlx5 HCA: a second PCIe function, by which it reaches memory of GPUs. */
#ifndef LIB_VERBS_DATA_DIRECT_H
#define LIB_VERBS_DATA_DIRECT_H

#include <stddef.h>

#include "lib/verbs/calls.h"

/**
 * mr_data_direct_path() - mlx5dv_get_data_direct_sysfs_path(3), or its ioctl by MR_VIA_KERNEL
 * @path: set to the folder of the device in /sys, @size bytes long; to an empty string where there is no
 *        such device, or the library or the kernel does not know the call
 */
void mr_data_direct_path(const struct mr_registrar *registrar, char *path, size_t size);

#endif
