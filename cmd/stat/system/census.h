/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All MRs in the kernel, and who has registered them. */
#ifndef CMD_STAT_SYSTEM_CENSUS_H
#define CMD_STAT_SYSTEM_CENSUS_H

#include "cmd/stat/system/owners.h"

/**
 * census_take() - list the MRs of the devices
 * @names: of the devices, ends with NULL; none: all
 * @fail:  called with what failed: a device that has vanished, sessions that cannot be searched
 *
 * Return: 0, or -errno where there is no RDMA netlink, or memory is short.  census_release() it in any case.
 */
int census_take(struct census *census, char *const *names,
		void (*fail)(struct mr_error *err, void *data), void *data, struct mr_error *err);
void census_release(struct census *census);

#endif
