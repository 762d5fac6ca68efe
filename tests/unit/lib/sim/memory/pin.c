// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The account of locked memory: which pages count, and in which process. */
#include "tests/unit/lib/sim/device.h"

static int count_pages(struct device *device)
{
	int second = open_context();
	uint32_t mr, pd, other;

	EXPECT(!may_lock(10));
	EXPECT(!alloc_pd(second, &pd));
	EXPECT(reg(device->fd, device->pd, device->memory, 11 * PAGE, LOCAL, NULL) == ENOMEM);
	EXPECT(!reg(device->fd, device->pd, device->memory, 6 * PAGE, LOCAL, &mr));
	/* a page that is pinned twice counts twice, and all contexts count together */
	EXPECT(!reg(second, pd, device->memory + PAGE / 2, PAGE, LOCAL, &other));
	EXPECT(reg(second, pd, device->memory, 3 * PAGE, LOCAL, NULL) == ENOMEM);
	EXPECT(!reg(second, pd, device->memory, 2 * PAGE, LOCAL, NULL));
	EXPECT(reg(device->fd, device->pd, device->memory, 1, LOCAL, NULL) == ENOMEM);
	EXPECT(!dereg(second, other));
	EXPECT(!reg(second, pd, device->memory, 2 * PAGE, LOCAL, NULL));
	/* failures and on-demand memory do not count */
	EXPECT(!dereg(device->fd, mr));
	EXPECT(reg(device->fd, device->pd, (void *)0x10000, PAGE, LOCAL, NULL) == EFAULT);
	EXPECT(!reg(device->fd, device->pd, device->memory, 20 * PAGE,
		    LOCAL | IB_UVERBS_ACCESS_ON_DEMAND, NULL));
	/* nor do pages of a closed context; a context with two descriptors counts once */
	close(second);
	EXPECT(dup(device->fd) >= 0);
	EXPECT(!reg(device->fd, device->pd, device->memory, 5 * PAGE, LOCAL, NULL));
	EXPECT(!reg(device->fd, device->pd, device->memory, 5 * PAGE, LOCAL, NULL));
	EXPECT(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, NULL) == ENOMEM);
	return 0;
}

TEST(pages_are_counted_against_the_limit)
{
	in_child(count_pages, *state);
}

static int lock_nothing(struct device *device)
{
	EXPECT(!may_lock(0));
	EXPECT(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, NULL) == EPERM);
	EXPECT(reg(device->fd, device->pd, device->memory, 0, LOCAL, NULL) == EPERM);
	EXPECT(reg(device->fd, device->pd, (void *)-PAGE, 2 * PAGE, LOCAL, NULL) == EINVAL);
	return 0;
}

TEST(who_may_lock_nothing_is_told_so)
{
	in_child(lock_nothing, *state);
}

static int count_for_the_one_who_pinned(struct device *device)
{
	uint32_t mr;
	int status;
	pid_t pid;

	EXPECT(!may_lock(10));
	EXPECT(!reg(device->fd, device->pd, device->memory, 10 * PAGE, LOCAL, &mr));
	pid = fork();
	if (!pid) { /* its address space is new; it deregisters a region of its parent */
		EXPECT(!reg(device->fd, device->pd, device->memory, 10 * PAGE, LOCAL, NULL));
		EXPECT(reg(device->fd, device->pd, device->memory, 1, LOCAL, NULL) == ENOMEM);
		EXPECT(!dereg(device->fd, mr));
		EXPECT(reg(device->fd, device->pd, device->memory, 1, LOCAL, NULL) == ENOMEM);
		return 0;
	}
	EXPECT(waitpid(pid, &status, 0) == pid);
	EXPECT(!WEXITSTATUS(status));
	EXPECT(!reg(device->fd, device->pd, device->memory, 10 * PAGE, LOCAL, NULL));
	return 0;
}

TEST(the_account_is_that_of_the_address_space)
{
	in_child(count_for_the_one_who_pinned, *state);
}

EACH_TEST(open_device, close_device)
