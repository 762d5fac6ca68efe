// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/kernel_bug.h"

#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/verbs/access.h"
#include "tests/unit/lib/diagnose/check.h"

static const char *bug_of(const char *release, uint32_t driver_id, uint32_t access)
{
	put("/proc/sys/kernel/osrelease", release);
	return mr_kernel_bug(&recorded.host, driver_id, access);
}

TEST(on_demand_regions_of_rxe_are_corrupted_up_to_the_last_release_that_was_seen)
{
	assert_non_null(bug_of("7.2.13+deb14-amd64", RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND));
	assert_non_null(bug_of("6.15.0", RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND));
	assert_non_null(
		bug_of("7.2.13", RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND | MR_ACCESS_REMOTE_READ));
	assert_null(bug_of("7.3.0", RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND));
	assert_null(bug_of("8.0.0", RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND));
	assert_null(bug_of("linux", RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND));
}

TEST(other_devices_and_pinned_regions_are_not)
{
	assert_null(bug_of("7.2.13", RDMA_DRIVER_MLX5, MR_ACCESS_ON_DEMAND));
	assert_null(bug_of("7.2.13", RDMA_DRIVER_RXE, MR_ACCESS_REMOTE_READ));
}

TEST(a_kernel_that_cannot_be_named_has_no_known_bug)
{
	assert_null(mr_kernel_bug(&recorded.host, RDMA_DRIVER_RXE, MR_ACCESS_ON_DEMAND));
}

EACH_TEST(set_up, tear_down)
