// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>

#include "lib/base/base.h"
#include "lib/host/rdma_device.h"
#include "lib/host/rdma_netns.h"

#define NODES "/sys/class/infiniband_verbs"

struct search {
	struct mr_host *host;
	struct mr_rdma_netns *netns;
};

/* The class of devices shows those of this namespace; that of nodes shows all. */
static void take_node(const char *name, void *data)
{
	const struct search *search = data;
	struct mr_rdma_netns *netns = search->netns;
	char device[sizeof(netns->first_hidden)];

	if (!mr_host_line(search->host, device, sizeof(device), NODES "/%s/ibdev", name) ||
	    mr_host_exists(search->host, "/sys/class/infiniband/%s", device))
		return;
	mr_clean_text(device, sizeof(device));
	if (!netns->hidden++)
		snprintf(netns->first_hidden, sizeof(netns->first_hidden), "%s", device);
}

static void take_device(const char *name, void *data)
{
	const struct search *search = data;

	(void)name;
	search->netns->visible++;
}

/* The parameter of ib_core is what "rdma system set netns" sets: N means exclusive. */
static void read_mode(struct mr_host *host, struct mr_rdma_netns *netns)
{
	char text[8];
	const ssize_t got =
		mr_host_read(host, text, sizeof(text), "/sys/module/ib_core/parameters/netns_mode");

	if (got >= 0 && (text[0] == 'N' || text[0] == 'Y'))
		netns->is_exclusive = text[0] == 'N' ? MR_YES : MR_NO;
	else
		netns->error = got < 0 ? (int)got : -EINVAL;
}

int mr_rdma_netns_read(struct mr_host *host, struct mr_rdma_netns *netns)
{
	struct search search = { .host = host };
	int rc;

	*netns = (struct mr_rdma_netns){ .is_exclusive = MR_UNKNOWN };
	search.netns = netns;
	read_mode(host, netns);
	rc = mr_rdma_device_list(host, take_device, &search);
	if (rc < 0 && (rc != -ENOENT || !mr_host_exists(host, "/sys/class")))
		return rc;
	rc = mr_host_list(host, take_node, &search, NODES);
	return rc < 0 && rc != -ENOENT ? rc : 0;
}
