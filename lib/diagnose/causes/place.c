// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>

#include "lib/diagnose/causes/place.h"

void mr_place_find(struct mr_host *host, const char *device, struct mr_place *place)
{
	char any[64];
	int found;

	*place = (struct mr_place){ .is_named = device != NULL, .found = -ENOENT };
	place->opened = -ENOENT;
	place->has_class = mr_host_exists(host, "/sys/class/infiniband_verbs");
	found = mr_uverbs_node_find(host, device, &place->node);
	place->is_listed = found > 0;
	place->has_others = mr_rdma_device_find(host, NULL, any, sizeof(any));
	if (device)
		snprintf(place->device, sizeof(place->device), "%s", device);
	else if (place->is_listed)
		snprintf(place->device, sizeof(place->device), "%s", place->node.device);
	else if (place->has_others)
		snprintf(place->device, sizeof(place->device), "%s", any);
	place->is_shown =
		place->device[0] && mr_rdma_device_find(host, place->device, any, sizeof(any));
	if (!place->is_listed)
		return;
	place->found = mr_host_stat(host, &place->file, "%s", place->node.path);
	place->opened = mr_host_open_device(host, "%s", place->node.path);
}
