// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queries of a process that was given the descriptor of a context: its handles, the context, a PD. */
#include "tests/unit/lib/sim/device.h"

/* ---- INFO_HANDLES ---- */

static void assert_handles(uint16_t type, const uint32_t *expected, uint32_t count)
{
	uint32_t list[8], room = ARRAY_SIZE(list);

	assert_int_equal(list_in(fd, type, list, &room), 0);
	assert_int_equal(room, count);
	assert_memory_equal(list, expected, count * sizeof(*list));
}

TEST(handles_are_listed_newest_first_as_far_as_there_is_room)
{
	uint32_t made[4], list[3] = { 77, 77, 77 }, count = 2;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(reg(memory, PAGE, LOCAL), 0);
		made[i] = mr.mr_handle;
	}
	assert_int_equal(list_in(fd, UVERBS_OBJECT_MR, list, &count), 0);
	assert_int_equal(count, 2); /* not the number of all objects */
	assert_int_equal(list[2], 77);
	assert_int_equal(dereg(made[1]), 0);
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	made[3] = mr.mr_handle;
	assert_int_equal(made[3], made[1]); /* so that handles and age are in different order */
	assert_handles(UVERBS_OBJECT_MR, (uint32_t[]){ made[3], made[2], made[0] }, 3);
	assert_handles(UVERBS_OBJECT_PD, &pd, 1);
	assert_int_equal(list_in(fd, UINT16_MAX, list, &count), ENOMSG); /* UVERBS_IDR_ANY_OBJECT */
	assert_int_equal(list_in(fd, UINT16_MAX + 1 + UVERBS_OBJECT_PD, list, &count), EINVAL);
}

/* The list has room for 16 bits of bytes: that of 16384 handles is taken for one of none. */
TEST(the_length_of_the_list_has_16_bits)
{
	static uint32_t list[20000];
	uint32_t count = 16384;

	for (uint32_t i = 0; i < 4000; i++)
		assert_int_equal(reg(memory, PAGE, ODP), 0);
	assert_int_equal(list_in(fd, UVERBS_OBJECT_MR, list, &count), EINVAL);
	count = 20000;
	assert_int_equal(list_in(fd, UVERBS_OBJECT_MR, list, &count), 0);
	assert_int_equal(count, (20000 * 4 - 65536) / 4);
	assert_int_equal(list[0], mr.mr_handle);
	assert_int_equal(list[count - 1], mr.mr_handle - count + 1);
}

/* ---- QUERY_CONTEXT, PD_QUERY ---- */

static int query_context(int context, struct mlx5_ib_alloc_ucontext_resp *out, size_t size)
{
	struct request request;

	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	if (out)
		pointer(&request, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, size, out);
	return send_to(&request, context);
}

TEST(a_context_can_be_queried)
{
	const size_t least =
		offsetof(struct mlx5_ib_alloc_ucontext_resp, dump_fill_mkey) + sizeof(uint32_t);
	struct mlx5_ib_alloc_ucontext_resp out[2];
	int fresh = open_node();

	assert_int_equal(query_context(fresh, out, sizeof(*out)), EINVAL);
	assert_int_equal(count_in(fresh, UVERBS_OBJECT_PD), 0);
	close(fresh);
	assert_int_equal(query_context(fd, NULL, 0), EINVAL);
	assert_int_equal(query_context(fd, out, least - 1), EINVAL);
	assert_int_equal(query_context(fd, out, least), 0);
	assert_int_equal(out->response_length, least);
	memset(out, 0xff, sizeof(out));
	assert_int_equal(query_context(fd, out, sizeof(out)), 0);
	assert_int_equal(out->response_length, sizeof(*out));
	assert_int_equal(out->cqe_version, 1);
	assert_int_equal(out->num_ports, 1);
	assert_int_equal(out->tot_bfregs, 0); /* else the library cannot import */
	assert_int_equal(out[1].qp_tab_size, 0);
}

static int query_pd(uint64_t handle, uint32_t *pdn, size_t size)
{
	struct request request;

	init(&request, UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY);
	attr(&request, MLX5_IB_ATTR_QUERY_PD_HANDLE, 0, handle);
	if (size)
		pointer(&request, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, size, pdn);
	return send_to(&request, fd);
}

TEST(a_pd_has_the_number_that_it_was_allocated_with)
{
	const uint32_t pdn = last_pdn;
	uint32_t other, queried = 1;

	assert_int_equal(query_pd(pd, &queried, 4), 0);
	assert_int_equal(queried, pdn);
	assert_int_equal(alloc_pd(fd, &other), 0);
	assert_int_not_equal(last_pdn, pdn);
	assert_int_equal(query_pd(other, &queried, 4), 0);
	assert_int_equal(queried, last_pdn);
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	assert_int_equal(query_pd(mr.mr_handle, &queried, 4), EINVAL);
	assert_int_equal(query_pd(4711, &queried, 4), ENOENT);
	assert_int_equal(query_pd(pd, &queried, 8), EINVAL);
	assert_int_equal(query_pd(pd, NULL, 0), EINVAL);
}

EACH_TEST(open_device, close_device)
