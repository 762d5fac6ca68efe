/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a device is that could not be found or opened: in sysfs, and in /dev/infiniband. */
#ifndef LIB_DIAGNOSE_CAUSES_PLACE_H
#define LIB_DIAGNOSE_CAUSES_PLACE_H

#include <stdbool.h>

#include "lib/host/host.h"
#include "lib/host/reading.h"

struct mr_place {
	char device[64]; /**< "mlx5_0", empty: none was named, and there is none */
	bool is_named;   /**< it was asked for by its name */
	bool is_shown;   /**< it is in the class of devices: in this network namespace */
	bool has_others; /**< there are devices in that class or in the next one */
	bool has_class;  /**< there is the class of nodes, which ib_uverbs makes */
	bool is_listed;  /**< it has a node in that class */
	struct mr_uverbs_node node;
	int found; /**< of a device that is listed: 0, or -errno of stat(2) of its node */
	struct mr_host_status file; /**< where @found is 0 */
	/** -errno of opening the node for reading and writing, or 0; -ENODATA: not known, of another process. */
	int opened;
};

/** mr_place_find() - look for a device; @device: its name, or NULL: any */
void mr_place_find(struct mr_host *host, const char *device, struct mr_place *place);

#endif
