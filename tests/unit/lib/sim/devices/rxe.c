// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How the simulated rxe device differs from the mlx5 one.  This runs under "mrctl sim --profile rxe".
 * The kernel's rxe driver gives the same answers.
 */
#include <infiniband/verbs.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define DRIVER_ID RDMA_DRIVER_RXE
#define NODE      "/dev/infiniband/uverbs251"
#include "tests/unit/lib/sim/device.h"

#define MLX5_NODE "/dev/infiniband/uverbs250"

TEST(a_descriptor_keeps_its_profile)
{
	struct request request;
	struct stat st;
	uint32_t vectors;
	int other;

	assert_int_equal(stat(MLX5_NODE, &st), -1);
	assert_int_equal(setenv("MRCTL_SIM", "mlx5", 1), 0);
	other = open(MLX5_NODE, O_RDWR);
	assert_true(other >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(minor(st.st_rdev), 443);
	assert_int_equal(setenv("MRCTL_SIM", "rxe", 1), 0);
	assert_int_equal(fstat(other, &st), 0);
	assert_int_equal(minor(st.st_rdev), 442);
	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	pointer(&request, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4, &vectors);
	assert_int_equal(send_to(&request, other), EINVAL); /* the driver id is rxe's */
	request.hdr.driver_id = RDMA_DRIVER_MLX5;
	assert_int_equal(send_to(&request, fd), EINVAL);
	close(other);
}

/* Advises about a range of the region @mr, with flush; without it any range is accepted. */
static int fetch(uint64_t advice, uint64_t addr, uint64_t length)
{
	assert_int_equal(advise(mr.lkey, advice, 0, addr, length), 0);
	return advise(mr.lkey, advice, FLUSH, addr, length);
}

TEST(advice_takes_addresses_of_the_memory)
{
	const uint64_t start = (uintptr_t)memory + PAGE;

	assert_int_equal(reg_at(memory + PAGE, PAGE + 1, IOVA, ODP), 0);
	assert_int_equal(advise(mr.lkey, WRITE, 0, start, PAGE), 0);
	assert_int_equal(fetch(LOOK, start, PAGE), 0);
	assert_false(is_resident(memory + PAGE));
	assert_int_equal(fetch(READ, start, 2 * PAGE), 0);
	assert_int_equal(fetch(WRITE, start + 100, 2 * PAGE - 100), 0);
	assert_int_equal(fetch(READ, start + 1, 0), 0);
	assert_int_equal(fetch(READ, start, 0), EINVAL);
	assert_int_equal(fetch(LOOK, start, 0), EINVAL);
	assert_int_equal(fetch(LOOK, start + 2 * PAGE, 1), EFAULT);
	assert_int_equal(fetch(LOOK, start + 2 * PAGE + 1, 0), EFAULT);
	assert_int_equal(fetch(READ, IOVA, 1), EFAULT);
	/* the driver compares the end without regard to the wrap: it is behind the region, or before it */
	assert_int_equal(fetch(READ, 0 - PAGE, 2 * PAGE), EINVAL);
	assert_int_equal(fetch(READ, 0 - PAGE, PAGE), EINVAL);
	assert_true(is_resident(memory + PAGE));
	munmap(memory + PAGE, PAGE);
	assert_int_equal(fetch(READ, start, PAGE), EFAULT);
	assert_int_equal(fetch(LOOK, start, PAGE), 0);
	assert_int_equal(reg_at(NULL, UINT64_MAX, 0, ODP), EINVAL); /* no implicit regions */
	assert_int_equal(reg_at(NULL, PAGE, 0, ODP), 0);
	assert_int_equal(fetch(LOOK, 0 - PAGE, 2 * PAGE), EINVAL);
	assert_int_equal(fetch(LOOK, 0 - PAGE, 3 * PAGE), EFAULT);
}

/* The driver does not store length and IOVA in the MR, and the method REG_MR does not either. */
TEST(the_method_stores_length_and_iova_on_demand_alone)
{
	struct request request;

	for (int on_demand = 0; on_demand < 2; on_demand++) {
		init_reg(&request, PAGE, IOVA, on_demand ? ODP : LOCAL);
		attr(&request, BY_ADDR, 8, (uintptr_t)memory);
		assert_int_equal(send_reg(&request), 0);
		assert_region(on_demand ? PAGE : 0, on_demand ? IOVA : 0);
	}
	init_reg(&request, PAGE, IOVA, LOCAL);
	attr(&request, BY_FD_OFFSET, 8, 0);
	attr(&request, BY_FD, 0, 0);
	assert_int_equal(send_reg(&request), EOPNOTSUPP);
}

TEST(a_region_can_be_changed_but_not_its_memory)
{
	uint32_t other, key;

	assert_int_equal(alloc_pd(fd, &other), 0);
	assert_int_equal(reg_at(memory, PAGE, IOVA, LOCAL), 0);
	key = mr.lkey;
	assert_int_equal(change(REREG_PD | REREG_ACCESS, NULL, 0, 0, other, LOCAL | REMOTE_READ),
			 0);
	assert_int_equal(mr.lkey, key);
	assert_int_equal(mr.rkey, key);
	assert_int_equal(dealloc_pd(pd), 0);
	assert_int_equal(dealloc_pd(other), EBUSY);
	assert_int_equal(set_access(LOCAL | ZERO_BASED), EOPNOTSUPP);
	assert_int_equal(translate(memory, PAGE, (uintptr_t)memory), EOPNOTSUPP);
	assert_int_equal(translate(memory, PAGE, (uintptr_t)memory + 1), EINVAL);
}

TEST(keys_are_an_index_and_a_byte)
{
	uint32_t index;

	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	index = mr.lkey >> 8;
	assert_int_equal(mr.lkey, mr.rkey);
	assert_int_not_equal(index, 0);
	assert_int_equal(dereg(mr.mr_handle), 0);
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	assert_int_equal(mr.lkey >> 8, index + 1); /* not that of the region before */
}

TEST(what_mlx5_has_is_unknown)
{
	uint32_t list[1], count;
	uint64_t data;
	struct request request;

	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	assert_int_equal(send_to(&request, fd), EOPNOTSUPP);
	pointer(&request, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, sizeof(data), &data);
	assert_int_equal(send_to(&request, fd), EPROTONOSUPPORT);
	init(&request, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC);
	assert_int_equal(send_to(&request, fd), EPROTONOSUPPORT);
	for (uint32_t type = UVERBS_OBJECT_DEVICE; type <= UVERBS_OBJECT_COUNTERS; type++) {
		count = 1;
		assert_equal_for("type", list_in(fd, type, list, &count),
				 type <= UVERBS_OBJECT_MW ? 0 : ENOENT);
		if (type <= UVERBS_OBJECT_MW)
			assert_equal_for("count", count, type == UVERBS_OBJECT_PD);
	}
	assert_ptr_equal(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
}

EACH_TEST(open_device, close_device)
