// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The write command REREG_MR: raw requests, and libibverbs. */
#include <infiniband/verbs.h>

#include "tests/unit/lib/sim/device.h"
#include "tests/unit/lib/sim/handlers/rereg.h"

#define CHANGEABLE                                                                                 \
	(LOCAL | IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_WRITE |                    \
	 IB_UVERBS_ACCESS_REMOTE_ATOMIC | IB_UVERBS_ACCESS_RELAXED_ORDERING)

TEST_WITH(a_translation_keeps_the_key_while_it_fits, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp mr;
	uint32_t key, second, list[2], count = 2;

	assert_int_equal(reg_at(device->fd, device->pd, device->memory, 8 * PAGE, IOVA, LOCAL, &mr),
			 0);
	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &second), 0);
	assert_int_equal(translate(device->fd, mr.mr_handle, device->memory + 8 * PAGE, 8 * PAGE,
				   IOVA, &key),
			 0);
	assert_int_equal(key, mr.lkey);
	assert_int_equal(
		translate(device->fd, mr.mr_handle, device->memory + 1, 10, IOVA + 1, &key), 0);
	assert_region(device->fd, mr.mr_handle, mr.lkey, 10, IOVA + 1);
	assert_int_equal(translate(device->fd, mr.mr_handle, device->memory, 8 * PAGE, 0, &key), 0);
	assert_region(device->fd, mr.mr_handle, mr.lkey, 8 * PAGE, 0);
	assert_int_equal(translate(device->fd, mr.mr_handle, device->memory, 9 * PAGE, IOVA, &key),
			 0);
	assert_int_not_equal(key, mr.lkey);
	assert_region(device->fd, mr.mr_handle, key, 9 * PAGE, IOVA);
	assert_int_equal(info_handles(device->fd, UVERBS_OBJECT_MR, list, &count), 0);
	assert_int_equal(list[0],
			 mr.mr_handle); /* the driver has made a new MR, with the old handle */
	assert_int_equal(list[1], second);
	mr.lkey = key;
	assert_int_equal(translate(device->fd, mr.mr_handle, device->memory, 10 * PAGE, IOVA, &key),
			 0);
	assert_int_not_equal(key, mr.lkey);
	mr.lkey = key;
	assert_int_equal(translate(device->fd, mr.mr_handle, device->memory, 9 * PAGE, IOVA, &key),
			 0);
	assert_int_equal(translate(device->fd, mr.mr_handle, device->memory, 10 * PAGE, IOVA, &key),
			 0);
	assert_int_equal(key, mr.lkey);
}

TEST_WITH(translations_are_checked, open_device, close_device)
{
	struct device *device = *state;
	const struct {
		const char *name;
		const void *addr;
		uint64_t length, iova;
		int error;
	} cases[] = {
		{ "length 0", device->memory, 0, IOVA, EINVAL },
		{ "offset in the page", device->memory, PAGE, IOVA + 1, EINVAL },
		{ "unmapped", (void *)0x10000, PAGE, IOVA, EFAULT },
		{ "wraps", (void *)-PAGE, 2 * PAGE, IOVA, EINVAL },
		{ "IOVA wraps", device->memory, 2 * PAGE, 0 - PAGE, EINVAL },
	};
	struct ib_uverbs_reg_mr_resp mr;
	uint32_t key;
	size_t i;

	assert_int_equal(reg_at(device->fd, device->pd, device->memory, 2 * PAGE, IOVA, LOCAL, &mr),
			 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_equal_for(cases[i].name,
				 translate(device->fd, mr.mr_handle, cases[i].addr, cases[i].length,
					   cases[i].iova, &key),
				 cases[i].error);
		assert_region(device->fd, mr.mr_handle, mr.lkey, 2 * PAGE, IOVA);
	}
}

TEST_WITH(flags_and_handles_are_checked, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_rereg_mr in = { .access_flags = LOCAL };
	struct ib_uverbs_rereg_mr_resp out;

	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &in.mr_handle),
			 0);
	assert_int_equal(rereg(device->fd, &in, &out), EINVAL);
	in.flags = 8;
	assert_int_equal(rereg(device->fd, &in, &out), EOPNOTSUPP);
	in.flags = REREG_ACCESS;
	assert_int_equal(rereg(device->fd, &in, &out), 0);
	in.mr_handle = 4711;
	assert_int_equal(rereg(device->fd, &in, &out), ENOENT);
	in.mr_handle = device->pd;
	assert_int_equal(rereg(device->fd, &in, &out), EINVAL);
	assert_int_equal(set_pd(device->fd, device->pd + 1, 4711), ENOENT);
	assert_int_equal(set_pd(device->fd, device->pd + 1, device->pd + 1), EINVAL);
}

TEST_WITH(access_is_checked, open_device, close_device)
{
	static const struct {
		uint32_t from, to;
		int error;
		bool new_key;
	} cases[] = {
		{ LOCAL, 0, 0, false },
		{ LOCAL, CHANGEABLE, 0, false },
		{ LOCAL, IB_UVERBS_ACCESS_REMOTE_WRITE, EINVAL, false },
		{ LOCAL, LOCAL | 1u << 30, EINVAL, false },
		{ LOCAL, LOCAL | 1u << 8, EOPNOTSUPP, false },
		{ 0, LOCAL, EACCES, false },
		{ 0, IB_UVERBS_ACCESS_MW_BIND, EACCES, false },
		{ 0, IB_UVERBS_ACCESS_REMOTE_READ, 0, false },
		{ IB_UVERBS_ACCESS_MW_BIND, LOCAL, 0, true },
		{ LOCAL, LOCAL | IB_UVERBS_ACCESS_ZERO_BASED, 0, true },
	};
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp mr;
	char name[32];
	uint32_t key;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(name, sizeof(name), "0x%x to 0x%x", cases[i].from, cases[i].to);
		assert_int_equal(reg_at(device->fd, device->pd, device->memory, PAGE, IOVA,
					cases[i].from, &mr),
				 0);
		assert_equal_for(name, set_access(device->fd, mr.mr_handle, cases[i].to, &key),
				 cases[i].error);
		if (!cases[i].error)
			assert_equal_for(name, key != mr.lkey, cases[i].new_key);
		else
			key = mr.lkey;
		assert_region(device->fd, mr.mr_handle, key, PAGE, IOVA);
		assert_int_equal(dereg(device->fd, mr.mr_handle), 0);
	}
}

/* Write access depends on how the pages are pinned, not on the access that the MR has now. */
TEST_WITH(write_access_can_be_given_back, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_rereg_mr in;
	struct ib_uverbs_rereg_mr_resp out;
	uint32_t mr, key;

	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr), 0);
	assert_int_equal(set_access(device->fd, mr, 0, &key), 0);
	assert_int_equal(set_access(device->fd, mr, LOCAL, &key), 0);
	assert_int_equal(set_access(device->fd, mr, 0, &key), 0);
	/* the new pages are pinned for reading */
	assert_int_equal(translate(device->fd, mr, device->memory, PAGE, IOVA, &key), 0);
	assert_int_equal(set_access(device->fd, mr, LOCAL, &key), EACCES);
	/* the new access decides how new pages are pinned: for writing */
	init_translation(&in, mr, device->memory, PAGE, IOVA);
	in.flags |= REREG_ACCESS;
	in.access_flags = LOCAL;
	assert_int_equal(rereg(device->fd, &in, &out), 0);
	assert_int_equal(set_access(device->fd, mr, 0, &key), 0);
	assert_int_equal(set_access(device->fd, mr, LOCAL, &key), 0);
}

TEST_WITH(new_access_decides_about_new_memory, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_rereg_mr in;
	struct ib_uverbs_rereg_mr_resp out;
	uint32_t mr, key;

	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr), 0);
	init_translation(&in, mr, map(PAGE, PROT_READ), PAGE, IOVA);
	assert_int_equal(rereg(device->fd, &in, &out), EFAULT);
	in.flags |= REREG_ACCESS;
	assert_int_equal(rereg(device->fd, &in, &out), 0);
	assert_int_equal(translate(device->fd, mr, map(PAGE, PROT_READ), PAGE, IOVA, &key), 0);
}

TEST_WITH(the_pd_is_busy_that_has_the_region, open_device, close_device)
{
	struct device *device = *state;
	uint32_t other, mr;

	assert_int_equal(alloc_pd(device->fd, &other), 0);
	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr), 0);
	assert_int_equal(set_pd(device->fd, mr, other), 0);
	assert_int_equal(dealloc_pd(device->fd, other), EBUSY);
	assert_int_equal(dealloc_pd(device->fd, device->pd), 0);
	assert_int_equal(set_pd(device->fd, mr, device->pd), ENOENT);
	assert_int_equal(set_pd(device->fd, mr, other), 0);
	assert_int_equal(dereg(device->fd, mr), 0);
	assert_int_equal(dealloc_pd(device->fd, other), 0);
}

TEST_WITH(on_demand_regions_get_a_new_key_with_new_memory, open_device, close_device)
{
	const uint32_t odp = LOCAL | IB_UVERBS_ACCESS_ON_DEMAND;
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp mr;
	struct ib_uverbs_rereg_mr in;
	struct ib_uverbs_rereg_mr_resp out;
	uint32_t key;

	assert_int_equal(reg_at(device->fd, device->pd, device->memory, PAGE, IOVA, odp, &mr), 0);
	assert_int_equal(
		set_access(device->fd, mr.mr_handle, odp | IB_UVERBS_ACCESS_REMOTE_READ, &key), 0);
	assert_int_equal(key, mr.lkey);
	assert_int_equal(set_access(device->fd, mr.mr_handle, LOCAL, &key), EOPNOTSUPP);
	assert_int_equal(translate(device->fd, mr.mr_handle, (void *)0x10000, PAGE, IOVA, &key), 0);
	assert_int_not_equal(key, mr.lkey);
	init_translation(&in, mr.mr_handle, device->memory, PAGE, IOVA);
	in.flags |= REREG_ACCESS;
	in.access_flags = LOCAL;
	assert_int_equal(rereg(device->fd, &in, &out), 0);
	assert_int_not_equal(out.lkey, key);

	assert_int_equal(reg_at(device->fd, device->pd, NULL, UINT64_MAX, 0, odp, &mr), 0);
	assert_int_equal(set_access(device->fd, mr.mr_handle, LOCAL, &key), EOPNOTSUPP);
	assert_int_equal(set_access(device->fd, mr.mr_handle, IB_UVERBS_ACCESS_ON_DEMAND, &key), 0);
	assert_region(device->fd, mr.mr_handle, key, UINT64_MAX, 0);
	assert_int_not_equal(key, mr.lkey);
}

static int count_old_and_new(struct device *device)
{
	uint32_t mr, key;

	EXPECT(!may_lock(10));
	EXPECT(!reg(device->fd, device->pd, device->memory, 6 * PAGE, LOCAL, &mr));
	EXPECT(translate(device->fd, mr, device->memory, 5 * PAGE, 0, &key) == ENOMEM);
	EXPECT(!translate(device->fd, mr, device->memory, 4 * PAGE, 0, &key));
	EXPECT(!reg(device->fd, device->pd, device->memory, 6 * PAGE, LOCAL, NULL));
	EXPECT(translate(device->fd, mr, device->memory, PAGE, 0, &key) == ENOMEM);
	EXPECT(!set_access(device->fd, mr, 0, &key));
	/* a change that is refused leaves no page counted */
	EXPECT(!dereg(device->fd, mr));
	EXPECT(!reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr));
	EXPECT(translate(device->fd, mr, (void *)0x10000, 3 * PAGE, 0, &key) == EFAULT);
	EXPECT(!reg(device->fd, device->pd, device->memory, 3 * PAGE, LOCAL, NULL));
	return 0;
}

TEST_WITH(old_and_new_pages_count_together, open_device, close_device)
{
	in_child(count_old_and_new, *state);
}

TEST(libibverbs_changes_regions)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = ibv_open_device(list[0]);
	char *memory = map(4 * PAGE, PROT_READ | PROT_WRITE);
	struct ibv_pd *pd = ibv_alloc_pd(context), *other = ibv_alloc_pd(context);
	struct ibv_mr *mr = ibv_reg_mr(pd, memory, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE);
	uint32_t key;

	(void)state;
	assert_non_null(mr);
	key = mr->lkey;
	assert_int_equal(
		ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, memory + PAGE, PAGE, 0), 0);
	assert_int_equal(mr->lkey, key);
	assert_ptr_equal(mr->addr, memory + PAGE);
	assert_int_equal(
		ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, memory, 4 * PAGE, 0), 0);
	assert_int_not_equal(mr->lkey, key);
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS,
				      other, NULL, 0,
				      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE),
			 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(
		ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, (void *)0x10000, PAGE, 0),
		IBV_REREG_MR_ERR_CMD);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
				      IBV_ACCESS_REMOTE_WRITE),
			 IBV_REREG_MR_ERR_CMD);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(other), 0);
	assert_int_equal(ibv_close_device(context), 0);
	ibv_free_device_list(list);
}
