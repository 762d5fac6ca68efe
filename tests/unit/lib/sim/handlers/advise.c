// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prefetching pages of simulated regions with on-demand paging: raw, and by libibverbs. */
#include <sys/syscall.h>

#include <infiniband/verbs.h>

#include "tests/unit/lib/sim/device.h"

TEST_WITH(only_with_flush_pages_are_there_at_once, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp mr;
	char *memory = device->memory;

	assert_int_equal(reg_at(device->fd, device->pd, memory, 4 * PAGE, IOVA, ODP, &mr), 0);
	assert_int_equal(advise(device, mr.lkey, WRITE, 0, IOVA, PAGE), 0);
	assert_int_equal(advise(device, mr.lkey, LOOK, FLUSH, IOVA, PAGE), 0);
	assert_false(is_resident(memory));
	assert_int_equal(advise(device, mr.lkey, WRITE, FLUSH, IOVA + PAGE, 2 * PAGE), 0);
	assert_false(is_resident(memory));
	assert_true(is_resident(memory + PAGE));
	assert_true(is_resident(memory + 2 * PAGE));
	assert_false(is_resident(memory + 3 * PAGE));
}

TEST_WITH(ranges_are_checked_with_flush, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp mr;
	const struct {
		const char *name;
		uint64_t advice, addr;
		uint32_t length;
		int error;
	} cases[] = {
		{ "all", READ, IOVA + 5, (uint32_t)(4 * PAGE - 5), 0 },
		{ "nothing", READ, IOVA + 5, 0, 0 },
		{ "nothing at a page", READ, IOVA + PAGE, 0, EINVAL },
		{ "before", READ, IOVA + 4, 1, EFAULT },
		{ "past the end", READ, IOVA + PAGE, (uint32_t)(3 * PAGE + 1), EFAULT },
		{ "behind it", READ, IOVA + 4 * PAGE, 0, EFAULT },
		{ "far", READ, UINT64_MAX, 1, EFAULT },
	};
	size_t i;

	assert_int_equal(
		reg_at(device->fd, device->pd, device->memory + 5, 3 * PAGE, IOVA + 5, ODP, &mr),
		0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_equal_for(cases[i].name,
				 advise(device, mr.lkey, cases[i].advice, FLUSH, cases[i].addr,
					cases[i].length),
				 cases[i].error);
		assert_int_equal(advise(device, mr.lkey, READ, 0, cases[i].addr, cases[i].length),
				 0);
	}
	assert_int_equal(reg_at(device->fd, device->pd, (void *)0x10000, PAGE, IOVA, ODP, &mr), 0);
	assert_int_equal(advise(device, mr.lkey, READ, FLUSH, IOVA, 1), EFAULT);
	assert_int_equal(advise(device, mr.lkey, LOOK, FLUSH, IOVA, 1), 0);
	mprotect(device->memory + PAGE, PAGE, PROT_READ);
	munmap(device->memory + 3 * PAGE, PAGE);
	assert_int_equal(reg_at(device->fd, device->pd, device->memory, 4 * PAGE, IOVA, ODP, &mr),
			 0);
	assert_int_equal(advise(device, mr.lkey, WRITE, FLUSH, IOVA, 4 * PAGE), EPERM);
	assert_int_equal(advise(device, mr.lkey, WRITE, FLUSH, IOVA + 2 * PAGE, PAGE), 0);
	assert_int_equal(advise(device, mr.lkey, WRITE, FLUSH, IOVA + 2 * PAGE, 2 * PAGE), EFAULT);
	assert_int_equal(advise(device, mr.lkey, READ, FLUSH, IOVA, 4 * PAGE), EFAULT);
	assert_int_equal(reg_at(device->fd, device->pd, NULL, UINT64_MAX, 0, ODP, &mr), 0);
	assert_int_equal(advise(device, mr.lkey, READ, FLUSH, 0x10000, 1), EFAULT);
	assert_int_equal(advise(device, mr.lkey, WRITE, FLUSH, (uintptr_t)device->memory, PAGE), 0);
}

static uint32_t reg_on_demand(const struct device *device, void *memory)
{
	struct ib_uverbs_reg_mr_resp mr;

	assert_int_equal(reg_at(device->fd, device->pd, memory, 4 * PAGE, IOVA, ODP, &mr), 0);
	return mr.lkey;
}

TEST_WITH(secret_memory_is_fetched, open_device, close_device)
{
	struct device *device = *state;
	int fd = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
	uint32_t key;
	char *memory;

	if (fd < 0)
		skip(); /* the machine's kernel is older, or does not allow it */
	assert_int_equal(ftruncate(fd, 3 * PAGE), 0);
	memory = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	close(fd);
	memory[0] = 7;
	key = reg_on_demand(device, memory);
	assert_int_equal(advise(device, key, READ, FLUSH, IOVA, 3 * PAGE), 0);
	assert_int_equal(advise(device, key, WRITE, FLUSH, IOVA, 3 * PAGE), 0);
	assert_int_equal(memory[0], 7);
	assert_int_equal(advise(device, key, READ, FLUSH, IOVA, 4 * PAGE), EFAULT);
	assert_int_equal(mprotect(memory, 4 * PAGE, PROT_READ), 0);
	assert_int_equal(advise(device, key, WRITE, FLUSH, IOVA, PAGE), EPERM);
	assert_int_equal(reg(device->fd, device->pd, memory, PAGE, 0, NULL), EFAULT);
	munmap(memory, 4 * PAGE);
}

TEST_WITH(memory_that_cannot_be_read_is_not_fetched, open_device, close_device)
{
	struct device *device = *state;
	char *memory = map(4 * PAGE, PROT_READ | PROT_WRITE);
	const uint32_t key = reg_on_demand(device, memory);

	assert_int_equal(advise(device, key, WRITE, FLUSH, IOVA, 4 * PAGE), 0);
	assert_int_equal(mprotect(memory + PAGE, PAGE, PROT_WRITE), 0);
	assert_int_equal(advise(device, key, WRITE, FLUSH, IOVA, 4 * PAGE), EFAULT);
	assert_int_equal(advise(device, key, READ, FLUSH, IOVA, 4 * PAGE), EFAULT);
	assert_int_equal(advise(device, key, WRITE, FLUSH, IOVA, PAGE), 0);
	munmap(memory, 4 * PAGE);
}

TEST_WITH(memory_of_a_process_that_ended_is_not_fetched, open_device, close_device)
{
	struct device *device = *state;
	uint32_t *key = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();

	if (!pid) {
		*key = reg_on_demand(device, device->memory);
		_exit(advise(device, *key, READ, FLUSH, IOVA, PAGE));
	}
	assert_child_succeeds(pid);
	assert_int_equal(advise(device, *key, READ, FLUSH, IOVA, PAGE), EINVAL);
	assert_int_equal(advise(device, *key, LOOK, FLUSH, IOVA, PAGE), EINVAL);
	assert_int_equal(advise(device, *key, READ, FLUSH, IOVA - PAGE, PAGE), EFAULT);
	assert_int_equal(advise(device, *key, READ, 0, IOVA, PAGE), 0);
	munmap(key, PAGE);
}

TEST_WITH(huge_pages_are_fetched_whole, open_device, close_device)
{
	const uint64_t huge = 2ul << 20;
	struct device *device = *state;
	char *memory = map(4 * huge, PROT_READ | PROT_WRITE), *start;
	struct ib_uverbs_reg_mr_resp mr;

	start = (char *)(((uintptr_t)memory + huge - 1) & ~(huge - 1));
	madvise(memory, 4 * huge, MADV_NOHUGEPAGE);
	munmap(start + 2 * huge - PAGE, PAGE);
	assert_int_equal(reg_at(device->fd, device->pd, start + PAGE, huge, IOVA + PAGE,
				ODP | IB_UVERBS_ACCESS_HUGETLB, &mr),
			 0);
	assert_int_equal(advise(device, mr.lkey, LOOK, FLUSH, IOVA + PAGE, PAGE), 0);
	assert_false(is_resident(start));
	/* the whole of the huge page is faulted in, and turns out to be small pages */
	assert_int_equal(advise(device, mr.lkey, READ, FLUSH, IOVA + PAGE, PAGE), EINVAL);
	assert_true(is_resident(start));
	assert_int_equal(advise(device, mr.lkey, LOOK, FLUSH, IOVA + PAGE, PAGE), EINVAL);
	/* behind the region, the huge page has a hole */
	assert_int_equal(advise(device, mr.lkey, READ, FLUSH, IOVA + huge, PAGE), EFAULT);
	assert_int_equal(advise(device, mr.lkey, READ, FLUSH, IOVA + 2 * huge, PAGE), EFAULT);
	munmap(memory, 4 * huge);
}

TEST_WITH(keys_are_checked, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp pinned, readable, other;
	uint32_t pd;

	assert_int_equal(alloc_pd(device->fd, &pd), 0);
	reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &pinned);
	reg_at(device->fd, device->pd, device->memory, PAGE, 0, IB_UVERBS_ACCESS_ON_DEMAND,
	       &readable);
	reg_at(device->fd, pd, device->memory, PAGE, 0, ODP, &other);
	assert_int_equal(advise(device, 0, READ, 0, 0, 1), ENOENT);
	assert_int_equal(advise(device, pinned.lkey, READ, 0, 0, 1), ENOENT);
	assert_int_equal(advise(device, readable.lkey + 1, READ, 0, 0, 1), ENOENT);
	assert_int_equal(advise(device, readable.lkey, READ, 0, 0, 1), 0);
	assert_int_equal(advise(device, readable.lkey, WRITE, 0, 0, 1), EPERM);
	assert_int_equal(advise(device, other.lkey, READ, 0, 0, 1), EPERM);
}

TEST_WITH(requests_are_checked, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp mr;
	struct ib_uverbs_sge list[2] = { { .length = 1 } };
	struct request request;

	reg_at(device->fd, device->pd, device->memory, PAGE, 0, ODP, &mr);
	list[0].lkey = mr.lkey;
	assert_int_equal(advise(device, mr.lkey, 3, 0, 0, 1), EOPNOTSUPP);
	assert_int_equal(advise(device, mr.lkey, READ, 2, 0, 1), EINVAL);
	init_advice(&request, device->pd, READ, 0, list, sizeof(list[0]) + 8);
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	init_advice(&request, device->pd, READ, 0, list, 8);
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	init_advice(&request, device->pd, READ, FLUSH, list, sizeof(list));
	assert_int_equal(send_to(&request, device->fd), ENOENT);
	init_advice(&request, device->pd + 1, READ, 0, list, sizeof(list[0]));
	assert_int_equal(send_to(&request, device->fd), EINVAL);
}

TEST(libibverbs_gives_advice)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = ibv_open_device(list[0]);
	struct ibv_pd *pd = ibv_alloc_pd(context);
	char *memory = map(2 * PAGE, PROT_READ | PROT_WRITE);
	struct ibv_mr *mr =
		ibv_reg_mr(pd, memory, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	struct ibv_sge sge = { .addr = (uintptr_t)memory, .length = PAGE };

	(void)state;
	assert_non_null(mr);
	sge.lkey = mr->lkey;
	assert_int_equal(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				       IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1),
			 0);
	assert_true(is_resident(memory));
	sge.length = 3 * PAGE;
	assert_int_equal(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				       IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1),
			 EFAULT);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(context), 0);
	ibv_free_device_list(list);
}
