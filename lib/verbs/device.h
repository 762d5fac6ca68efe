/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RDMA devices: finding, opening, importing and closing them. */
#ifndef LIB_VERBS_DEVICE_H
#define LIB_VERBS_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/descriptor.h"
#include "lib/verbs/environment.h"

struct ibv_context;
struct ibv_pd;

/** An open device, with one protection domain or none. */
struct mr_device {
	struct ibv_context *context;
	struct ibv_pd *pd; /**< or NULL */
	bool imported;     /**< they belong to a session: closing leaves them there */
};

/**
 * mr_device_find() - find a device, and do not open it
 * @name:        the device, or NULL for the only one there is
 * @environment: its members about the device are set, as far as is known of one that is not open
 *
 * Return: 0, or -errno with MR_ERROR_ABSENT or MR_ERROR_USAGE, as mr_device_open().
 */
int mr_device_find(const char *name, struct mr_environment *environment, struct mr_error *err);

/**
 * mr_device_open() - open a device (ibv_open_device) and allocate a protection domain
 * @name:        the device, or NULL for the only one there is
 * @device:      set on success; mr_device_close() it
 * @environment: its members about the device are set, on failure as far as they became known
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is no such device or none at all,
 * MR_ERROR_USAGE where one of several has to be named, MR_ERROR_REFUSED where the stack
 * refuses to open it.
 */
int mr_device_open(const char *name, struct mr_device *device, struct mr_environment *environment,
		   struct mr_error *err);

/**
 * mr_device_open_devx() - open a device for DEVX (mlx5dv_open_device), without a protection domain
 *
 * ibv_open_device() asks for DEVX as well, but succeeds where it gets none.
 *
 * Return: as mr_device_open(); -EOPNOTSUPP where the device is no mlx5 device.
 */
int mr_device_open_devx(const char *name, struct mr_device *device,
			struct mr_environment *environment, struct mr_error *err);

/** mr_device_open_alone() - as mr_device_open(), without a protection domain */
int mr_device_open_alone(const char *name, struct mr_device *device,
			 struct mr_environment *environment, struct mr_error *err);

/** mr_device_alloc_pd() - allocate the protection domain of a device that has none yet; returns as mr_device_open() */
int mr_device_alloc_pd(struct mr_device *device, struct mr_error *err);

/**
 * mr_device_import() - import the context and PD of a session (ibv_import_device, ibv_import_pd)
 * @fd:        the session's uverbs command descriptor; the caller still has to close it
 * @pd_handle: its protection domain, or MR_NO_HANDLE for none
 * @device:    set on success; mr_device_close() it, or a UAR stays allocated as long as the session
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; -EOPNOTSUPP where the provider cannot import.
 */
int mr_device_import(int fd, uint32_t pd_handle, struct mr_device *device, struct mr_error *err);

/**
 * mr_device_uverbs() - the descriptor and driver of an open device, for ioctls
 * @environment: of the device: names its provider
 * @pd_handle:   set to the handle of its PD, MR_NO_HANDLE where it has none
 */
struct mr_uverbs mr_device_uverbs(const struct mr_device *device,
				  const struct mr_environment *environment, uint32_t *pd_handle);

/**
 * mr_device_leave() - free what the library has of a device that a session holds from now on
 *
 * The session holds the device open, so its protection domain stays.  What the provider allocated for its
 * own use (UARs) is freed.
 */
void mr_device_leave(struct mr_device *device);

/** mr_device_close() - free the protection domain and close the device */
void mr_device_close(struct mr_device *device);

#endif
