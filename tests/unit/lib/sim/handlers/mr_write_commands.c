// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The write commands REG_MR and DEREG_MR: what is checked and stored, and which handles and keys are given. */
#include "tests/unit/lib/sim/device.h"

TEST(query_mr_tells_what_was_registered)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp resp;
	struct request request;
	struct mr mr = { 0 };

	assert_int_equal(reg_at(device->fd, device->pd, device->memory + 100, 5000, IOVA + 100,
				LOCAL, &resp),
			 0);
	assert_int_equal(query(device->fd, resp.mr_handle, &mr), 0);
	assert_int_equal(mr.lkey, resp.lkey);
	assert_int_equal(mr.rkey, resp.rkey);
	assert_int_equal(mr.length, 5000);
	assert_int_equal(mr.iova, IOVA + 100);

	init_query(&request, resp.mr_handle, &mr);
	request.hdr.num_attrs = 4; /* the IOVA is optional */
	mr.iova = 1;
	assert_int_equal(send_to(&request, device->fd), 0);
	assert_int_equal(mr.iova, 1);
}

TEST(handles_and_keys_are_reused_at_once)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp first, second, third;

	reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &first);
	reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &second);
	assert_int_equal(first.mr_handle, device->pd + 1);
	assert_int_equal(second.mr_handle, device->pd + 2);
	assert_int_equal(first.lkey, first.rkey);
	assert_int_not_equal(first.lkey, second.lkey);
	assert_int_equal(dereg(device->fd, first.mr_handle), 0);
	assert_int_equal(alloc_pd(device->fd, &third.mr_handle),
			 0); /* all types share the handles */
	assert_int_equal(third.mr_handle, first.mr_handle);
	assert_int_equal(dealloc_pd(device->fd, third.mr_handle), 0);
	reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &third);
	assert_int_equal(third.mr_handle, first.mr_handle);
	assert_int_equal(third.lkey, first.lkey);
	assert_int_equal(dereg(device->fd, third.mr_handle), 0);
	assert_int_equal(dereg(device->fd, second.mr_handle), 0);
	reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &third);
	assert_int_equal(third.mr_handle, first.mr_handle); /* the lowest */
	assert_int_equal(third.lkey, second.lkey); /* the one that was freed last */
	assert_int_equal(dereg(device->fd, third.mr_handle), 0);
	reg_at(device->fd, device->pd, device->memory, 4 * PAGE, 0, LOCAL, &third);
	assert_int_not_equal(third.lkey, first.lkey); /* keys are kept by size */
}

TEST(access_flags_are_checked)
{
	static const struct {
		uint32_t access;
		int error;
	} cases[] = {
		{ 0, 0 },
		{ IB_UVERBS_ACCESS_REMOTE_READ, 0 },
		{ IB_UVERBS_ACCESS_REMOTE_WRITE, EINVAL },
		{ IB_UVERBS_ACCESS_REMOTE_ATOMIC, EINVAL },
		{ LOCAL | IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC, 0 },
		{ IB_UVERBS_ACCESS_MW_BIND, 0 },
		{ LOCAL | IB_UVERBS_ACCESS_ZERO_BASED, 0 },
		{ LOCAL | IB_UVERBS_ACCESS_HUGETLB, 0 },
		{ LOCAL | 1 << 8, EOPNOTSUPP }, /* flush-global */
		{ LOCAL | 1 << 9, EOPNOTSUPP }, /* flush-persistent */
		{ LOCAL | 1 << 10, EINVAL },
		{ LOCAL | 1 << 19, EINVAL },
		{ LOCAL | IB_UVERBS_ACCESS_RELAXED_ORDERING, 0 },
		{ LOCAL | 1 << 29, 0 }, /* unknown, but optional */
		{ LOCAL | 1u << 30, EINVAL },
		{ LOCAL | 1u << 31, EINVAL },
	};
	struct device *device = *state;
	char name[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(name, sizeof(name), "0x%x", cases[i].access);
		assert_equal_for(
			name,
			reg(device->fd, device->pd, device->memory, PAGE, cases[i].access, NULL),
			cases[i].error);
	}
}

TEST(memory_is_checked)
{
	struct device *device = *state;
	char *readonly = map(PAGE, PROT_READ), *hole = map(4 * PAGE, PROT_READ | PROT_WRITE);
	char *none = map(PAGE, PROT_NONE);
	const struct {
		const char *name;
		void *addr;
		uint64_t length;
		uint32_t access;
		int error;
	} cases[] = {
		{ "zero length", device->memory, 0, LOCAL, EINVAL },
		{ "zero length in a page", device->memory + 17, 0, LOCAL, EINVAL },
		{ "zero length, unmapped", (void *)0x10001, 0, LOCAL, EFAULT },
		{ "one byte", device->memory + 17, 1, LOCAL, 0 },
		{ "wraps", (void *)-PAGE, 2 * PAGE, LOCAL, EINVAL },
		{ "ends at the top", (void *)-PAGE, PAGE, LOCAL, EINVAL },
		{ "the kernel's", (void *)-(4 * PAGE), PAGE, LOCAL, EFAULT },
		{ "unmapped", (void *)0x10000, PAGE, LOCAL, EFAULT },
		{ "a hole", hole, 4 * PAGE, LOCAL, EFAULT },
		{ "up to the hole", hole, 2 * PAGE, LOCAL, 0 },
		{ "read-only, to write", readonly, PAGE, LOCAL, EFAULT },
		{ "read-only, to bind", readonly, PAGE, IB_UVERBS_ACCESS_MW_BIND, EFAULT },
		{ "read-only, to read", readonly, PAGE, IB_UVERBS_ACCESS_REMOTE_READ, 0 },
		{ "inaccessible", none, PAGE, 0, EFAULT },
	};
	size_t i;

	munmap(hole + 2 * PAGE, PAGE);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_equal_for(cases[i].name,
				 reg(device->fd, device->pd, cases[i].addr, cases[i].length,
				     cases[i].access, NULL),
				 cases[i].error);
}

TEST(iova_is_checked)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp resp;
	const struct {
		uint64_t length, iova;
		int error;
	} cases[] = {
		{ PAGE, 0, 0 },
		{ PAGE, IOVA + 1, EINVAL },
		{ 2 * PAGE, 0 - 2 * PAGE, 0 },
		{ 2 * PAGE, 0 - PAGE, EINVAL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(reg_at(device->fd, device->pd, device->memory, cases[i].length,
					cases[i].iova, LOCAL, &resp),
				 cases[i].error);
}

TEST(on_demand_memory_need_not_be_there)
{
	const uint32_t access = LOCAL | IB_UVERBS_ACCESS_ON_DEMAND;
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp resp;
	struct mr mr;

	assert_int_equal(reg(device->fd, device->pd, (void *)0x10000, PAGE, access, NULL), 0);
	assert_int_equal(reg(device->fd, device->pd, device->memory, 0, access, NULL), EINVAL);
	assert_int_equal(reg(device->fd, device->pd, (void *)-PAGE, 2 * PAGE, access, NULL),
			 EOVERFLOW);
	assert_int_equal(reg_at(device->fd, device->pd, NULL, UINT64_MAX, 0, access, &resp), 0);
	assert_int_equal(query(device->fd, resp.mr_handle, &mr), 0);
	assert_int_equal(mr.length, UINT64_MAX);
	assert_int_equal(mr.iova, 0);
	assert_int_equal(reg_at(device->fd, device->pd, NULL, UINT64_MAX, PAGE, access, &resp),
			 EINVAL);
	assert_int_equal(reg_at(device->fd, device->pd, NULL, UINT64_MAX, 0,
				access | IB_UVERBS_ACCESS_HUGETLB, &resp),
			 EINVAL);
	assert_int_equal(reg(device->fd, device->pd, NULL, 0, access, NULL), EOVERFLOW);
	assert_int_equal(reg(device->fd, device->pd, device->memory + 5, 0, access, NULL), 0);
}

TEST(on_demand_memory_must_not_be_there_in_small_pages)
{
	const uint32_t access = LOCAL | IB_UVERBS_ACCESS_ON_DEMAND | IB_UVERBS_ACCESS_HUGETLB;
	const uint64_t huge = 2ul << 20;
	struct device *device = *state;
	char *memory = map(2 * huge, PROT_READ | PROT_WRITE), *start;
	uint32_t mr;

	start = (char *)(((uintptr_t)memory + huge - 1) & ~(huge - 1));
	madvise(memory, 2 * huge, MADV_NOHUGEPAGE);
	start[PAGE] = 1; /* this small page does not matter: a huge one would not begin here */
	assert_int_equal(reg(device->fd, device->pd, start + PAGE, PAGE, access, &mr), 0);
	start[0] = 1;
	assert_int_equal(reg(device->fd, device->pd, start + PAGE, PAGE, access, NULL), EINVAL);
	/* a page that cannot be read does not count as there */
	assert_int_equal(mprotect(start, PAGE, PROT_WRITE), 0);
	assert_int_equal(reg(device->fd, device->pd, start + PAGE, PAGE, access, NULL), 0);
	munmap(memory, 2 * huge);
}

EACH_TEST(open_device, close_device)
