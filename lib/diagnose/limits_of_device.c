// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/limits_of_device.h"
#include "lib/host/host.h"
#include "lib/verbs/device.h"

/* Returns the largest region in bytes: rxe since Linux 7.0 reports 2^64 - 1, and refuses more pages than it can list. */
static uint64_t largest_region(const struct mr_environment *environment, uint64_t reported)
{
	const uint64_t of_rxe = MR_RXE_PAGES_MAX * mr_page_size(mr_this_host());
	struct mr_kernel_version version;

	if (strcmp(environment->provider, "rxe") != 0 || reported < of_rxe ||
	    !mr_kernel_version(environment->simulated ? environment->simulated_kernel
						      : environment->kernel,
			       &version) ||
	    version.major < 7)
		return reported;
	return of_rxe;
}

static int query_device(void *data, char *text, size_t size)
{
	struct mr_environment environment;
	struct mr_attributes attributes;
	struct mr_device device;
	struct mr_error ignored;
	int rc;

	mr_environment_init(&environment);
	rc = mr_device_open(data, &device, &environment, &ignored);
	if (rc)
		return rc;
	rc = mr_attributes_query(device.context, &attributes, &ignored);
	mr_device_close(&device);
	if (rc)
		return rc;
	snprintf(text, size, "max_mr_size=%" PRIu64 " odp=%" PRIu64,
		 largest_region(&environment, attributes.max_mr_size), attributes.odp.general);
	return 0;
}

int mr_device_limits_ask(struct mr_host *host, const char *device, struct mr_device_limits *limits)
{
	char question[160], name[64], answer[128];
	uint64_t odp;
	int rc;

	*limits = (struct mr_device_limits){ 0 };
	if ((size_t)snprintf(name, sizeof(name), "%s", device) >= sizeof(name))
		return -ENAMETOOLONG;
	snprintf(question, sizeof(question), "device/%s/limits", name);
	rc = mr_host_ask(host, question, query_device, name, answer, sizeof(answer));
	if (rc)
		return rc;
	if (sscanf(answer, "max_mr_size=%" SCNu64 " odp=%" SCNu64, &limits->max_mr_size, &odp) != 2)
		return -EINVAL;
	limits->odp_explicit = odp & 1;
	limits->odp_implicit = odp & 2;
	return 0;
}
