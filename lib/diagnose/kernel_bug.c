// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <rdma/ib_user_ioctl_verbs.h>
#include <stddef.h>

#include "lib/diagnose/kernel_bug.h"
#include "lib/diagnose/simulated.h"
#include "lib/host/host.h"
#include "lib/verbs/verbs.h"

/*
 * @last is the last release that was found to have the bug.  No row has a first one: a kernel without the
 * capability, on-demand paging in rxe before 6.15 (commit 2fae67ab63db), refuses the region.
 */
static const struct {
	uint32_t driver_id, access;
	struct mr_kernel_version last;
	const char *effect;
} bugs[] = {
	/*
	 * drivers/infiniband/sw/rxe/rxe_odp.c, __rxe_odp_mr_copy(): copies from the start of the mapped page, and
	 * takes the IOVA for an address of the process
	 */
	{ RDMA_DRIVER_RXE,
	  MR_ACCESS_ON_DEMAND,
	  { 7, 2 },
	  "this kernel's rxe corrupts data of on-demand regions: a transfer to or from the middle of "
	  "a page uses the start of the page, and an IOVA other than the address leads to other pages" },
};

const char *mr_kernel_bug(struct mr_host *host, uint32_t driver_id, uint32_t access)
{
	struct mr_kernel_version kernel;
	char release[128];

	for (size_t i = 0; i < sizeof(bugs) / sizeof(*bugs); i++) {
		if (bugs[i].driver_id != driver_id || !(access & bugs[i].access))
			continue;
		if (mr_is_simulated(host) || !mr_kernel_release(host, release, sizeof(release)) ||
		    !mr_kernel_version(release, &kernel))
			return NULL;
		if (kernel.major < bugs[i].last.major ||
		    (kernel.major == bugs[i].last.major && kernel.minor <= bugs[i].last.minor))
			return bugs[i].effect;
	}
	return NULL;
}
