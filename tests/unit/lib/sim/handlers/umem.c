// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* DEVX umems of the simulated mlx5 device.  tests/cli/umem.bats has huge pages and the limit of locked memory. */
#include "tests/unit/lib/sim/device.h"

static int dereg_umem(uint64_t handle)
{
	return destroy(fd, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG,
		       MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE, handle);
}

/* Registers a umem, and deregisters it at once: all together would exceed RLIMIT_MEMLOCK. */
static int reg_umem(const void *addr, uint64_t length, uint32_t access, uint64_t page_sizes,
		    int dmabuf)
{
	struct request request;
	int rc;

	init_umem(&request, addr, length, access, page_sizes, dmabuf);
	rc = send_to(&request, fd);
	return rc ? rc : dereg_umem(request.attrs[0].data);
}

/* tests/cli/umem.bats and why-umem.bats have more refusals. */
TEST(umems_of_no_bytes_or_beyond_the_last_address_are_refused)
{
	assert_int_equal(reg_umem(memory + 5, 0, LOCAL, ANY_SIZE, NO_FD), EINVAL);
	assert_int_equal(reg_umem((void *)-PAGE, 2 * PAGE, LOCAL, ANY_SIZE, NO_FD), EINVAL);
	assert_int_equal(reg_umem(memory + 5, 16 * PAGE, LOCAL, PAGE, NO_FD), 0);
}

TEST(umems_have_ids_and_handles)
{
	struct request request;
	uint32_t first, next = 0, list[2], count = 2;

	init_umem(&request, memory, PAGE, LOCAL, ANY_SIZE, NO_FD);
	request.attrs[4].data = (uintptr_t)&first;
	assert_int_equal(send_to(&request, fd), 0);
	assert_int_equal(request.attrs[0].data, pd + 1);
	request.attrs[4].data = (uintptr_t)&next;
	assert_int_equal(send_to(&request, fd), 0);
	assert_int_equal(next, first + 1);
	assert_int_equal(list_in(fd, MLX5_IB_OBJECT_DEVX_UMEM, list, &count), 0);
	assert_int_equal(list[0], pd + 2);
	assert_int_equal(list[1], pd + 1);
	assert_int_equal(dereg(list[0]), EINVAL);
	assert_int_equal(dereg_umem(pd), EINVAL);
	assert_int_equal(dereg_umem(list[1]), 0);
	assert_int_equal(dereg_umem(list[1]), ENOENT);
	assert_int_equal(dealloc_pd(pd), 0); /* umems do not keep a PD busy */
	request.attrs[4].data = 0;
	assert_int_equal(send_to(&request, fd), EFAULT);
	request.hdr.num_attrs = 4; /* without room for the id */
	assert_int_equal(send_to(&request, fd), EINVAL);
	assert_int_equal(count_in(fd, MLX5_IB_OBJECT_DEVX_UMEM), 1);
}

TEST(umems_need_devx)
{
	const struct mlx5_ib_alloc_ucontext_req_v2 in = { .lib_caps = MLX5_LIB_CAP_DYN_UAR };
	struct mlx5_ib_alloc_ucontext_resp out;

	close(fd);
	fd = open_node();
	assert_int_equal(reg_umem(memory, PAGE, 0, ANY_SIZE, NO_FD), EINVAL); /* no context */
	assert_int_equal(send_context(fd, &in, sizeof(in), &out), 0);
	assert_int_equal(reg_umem(memory, PAGE, 0, ANY_SIZE, NO_FD), EINVAL);
}

EACH_TEST(open_device, close_device)
