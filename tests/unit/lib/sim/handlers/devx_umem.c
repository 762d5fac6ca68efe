// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* DEVX umems of the simulated mlx5 device: raw, and by libmlx5. */
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "tests/unit/lib/sim/device.h"

#define HUGE_PAGE (2ul << 20)
#define NO_BITMAP 0x1ull /* in place of page sizes: the request has no such attribute */
#define NO_FD     INT32_MIN

struct umem_case {
	const char *name;
	const void *addr;
	uint64_t length;
	uint32_t access;
	uint64_t page_sizes;
	int error;
};

static void init_umem(struct request *request, const struct umem_case *umem, int fd, uint32_t *id)
{
	init(request, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0, 0);
	attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, 8, (uintptr_t)umem->addr);
	attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, 8, umem->length);
	attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, 4, umem->access);
	pointer(request, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4, id);
	if (umem->page_sizes != NO_BITMAP)
		attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, 8, umem->page_sizes);
	if (fd != NO_FD)
		attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD, 0, (uint64_t)(int64_t)fd);
}

static int umem_reg(int device, const struct umem_case *umem, int fd, uint32_t *handle)
{
	struct request request;
	uint32_t id = 0;
	int rc;

	init_umem(&request, umem, fd, &id);
	rc = send_to(&request, device);
	if (handle)
		*handle = (uint32_t)request.attrs[0].data;
	return rc;
}

static int umem_dereg(int device, uint64_t handle)
{
	return destroy(device, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG,
		       MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE, handle);
}

TEST_WITH(umems_are_checked, open_device, close_device)
{
	struct device *device = *state;
	const uint32_t remote = LOCAL | IB_UVERBS_ACCESS_REMOTE_WRITE;
	char *memory = device->memory;
	const struct umem_case cases[] = {
		{ "plain", memory, 16 * PAGE, remote, NO_BITMAP, 0 },
		{ "access 0", memory, PAGE, 0, NO_BITMAP, 0 },
		{ "relaxed", memory, PAGE, IB_UVERBS_ACCESS_RELAXED_ORDERING, NO_BITMAP, 0 },
		{ "remote write", memory, PAGE, IB_UVERBS_ACCESS_REMOTE_WRITE, NO_BITMAP, EINVAL },
		{ "atomic", memory, PAGE, LOCAL | IB_UVERBS_ACCESS_REMOTE_ATOMIC, NO_BITMAP,
		  EINVAL },
		{ "length 0", memory, 0, LOCAL, NO_BITMAP, EINVAL },
		{ "length 0 in a page", memory + 5, 0, LOCAL, NO_BITMAP, EINVAL },
		{ "wraps", (void *)-PAGE, 2 * PAGE, LOCAL, NO_BITMAP, EINVAL },
		{ "unmapped", (void *)0x10000, PAGE, LOCAL, NO_BITMAP, EFAULT },
		{ "all sizes", memory, 16 * PAGE, LOCAL, ~0xfffull, 0 },
		{ "4K", memory + 5, 16 * PAGE, LOCAL, PAGE, 0 },
		{ "none", memory, 16 * PAGE, LOCAL, 0, EINVAL },
		{ "1K", memory, 16 * PAGE, LOCAL, 1024, EINVAL },
		{ "1K and 4K", memory, 16 * PAGE, LOCAL, 1024 | PAGE, 0 },
		{ "8K of 4K pages", memory, 16 * PAGE, LOCAL, 2 * PAGE, EINVAL },
		{ "2M of 64K", memory, 16 * PAGE, LOCAL, HUGE_PAGE, EINVAL },
		{ "8K in one page", memory, PAGE, LOCAL, 2 * PAGE, EINVAL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_equal_for(cases[i].name, umem_reg(device->fd, &cases[i], NO_FD, NULL),
				 cases[i].error);
}

/* Memory for which huge pages were asked; the kernel may still use small ones. */
static char *map_huge(size_t pages)
{
	uintptr_t start = (uintptr_t)map((pages + 1) * HUGE_PAGE, PROT_READ | PROT_WRITE);
	char *memory = (char *)((start + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));

	madvise(memory, pages * HUGE_PAGE, MADV_HUGEPAGE);
	memset(memory, 1, pages * HUGE_PAGE);
	return memory;
}

static bool has_huge_pages(void)
{
	char line[128];
	unsigned long size, total = 0;
	FILE *smaps = fopen("/proc/self/smaps_rollup", "r");

	while (smaps && fgets(line, sizeof(line), smaps))
		if (sscanf(line, "AnonHugePages: %lu", &size) == 1)
			total += size;
	if (smaps)
		fclose(smaps);
	return total >= 4 * HUGE_PAGE / 1024;
}

TEST_WITH(huge_pages_have_larger_sizes, open_device, close_device)
{
	struct device *device = *state;
	char *memory = map_huge(4);
	const struct umem_case cases[] = {
		{ "2M", memory, HUGE_PAGE, LOCAL, HUGE_PAGE, 0 },
		{ "2M of 3M", memory, HUGE_PAGE + HUGE_PAGE / 2, LOCAL, HUGE_PAGE, 0 },
		{ "64K of 100K", memory, 25 * PAGE, LOCAL, 16 * PAGE, 0 },
		{ "2M of 64K", memory, 16 * PAGE, LOCAL, HUGE_PAGE, EINVAL },
		{ "4M", memory, 2 * HUGE_PAGE, LOCAL, 2 * HUGE_PAGE, EINVAL },
	};
	uint32_t handle;
	size_t i;

	if (!has_huge_pages())
		skip();
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_equal_for(cases[i].name, umem_reg(device->fd, &cases[i], NO_FD, &handle),
				 cases[i].error);
		/* the next case must not exceed RLIMIT_MEMLOCK */
		if (!cases[i].error)
			assert_int_equal(umem_dereg(device->fd, handle), 0);
	}
	munmap(memory, 4 * HUGE_PAGE);
}

TEST_WITH(umems_have_ids_and_handles, open_device, close_device)
{
	struct device *device = *state;
	const struct umem_case umem = { "", device->memory, PAGE, LOCAL, NO_BITMAP, 0 };
	struct request request;
	uint32_t id = 0, next = 0, list[4], count = 4;

	init_umem(&request, &umem, NO_FD, &id);
	assert_int_equal(send_to(&request, device->fd), 0);
	assert_int_equal(request.attrs[0].data, device->pd + 1);
	init_umem(&request, &umem, NO_FD, &next);
	assert_int_equal(send_to(&request, device->fd), 0);
	assert_int_equal(next, id + 1);
	assert_int_equal(info_handles(device->fd, MLX5_IB_OBJECT_DEVX_UMEM, list, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(list[0], device->pd + 2);
	assert_int_equal(list[1], device->pd + 1);
	assert_int_equal(dereg(device->fd, list[0]), EINVAL);
	assert_int_equal(umem_dereg(device->fd, device->pd), EINVAL);
	assert_int_equal(umem_dereg(device->fd, list[1]), 0);
	assert_int_equal(umem_dereg(device->fd, list[1]), ENOENT);
	/* umems do not keep a PD busy */
	assert_int_equal(dealloc_pd(device->fd, device->pd), 0);
	request.attrs[4].data = 0;
	assert_int_equal(send_to(&request, device->fd), EFAULT);
	request.hdr.num_attrs = 4; /* without room for the id */
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	count = 4;
	assert_int_equal(info_handles(device->fd, MLX5_IB_OBJECT_DEVX_UMEM, list, &count), 0);
	assert_int_equal(count, 1);
}

static int count_umems(struct device *device)
{
	const struct rlimit limit = { 10 * PAGE, 10 * PAGE };
	const struct umem_case eight = { "", device->memory, 8 * PAGE, LOCAL, NO_BITMAP, 0 };
	const struct umem_case refused = { "", device->memory, 8 * PAGE, LOCAL, 2 * PAGE, 0 };
	uint32_t handle;

	EXPECT(!setrlimit(RLIMIT_MEMLOCK, &limit) && (getuid() || !setuid(65534)));
	EXPECT(umem_reg(device->fd, &refused, NO_FD, NULL) == EINVAL);
	EXPECT(!umem_reg(device->fd, &eight, NO_FD, &handle));
	EXPECT(umem_reg(device->fd, &eight, NO_FD, NULL) == ENOMEM);
	EXPECT(reg(device->fd, device->pd, device->memory, 3 * PAGE, LOCAL, NULL) == ENOMEM);
	EXPECT(!umem_dereg(device->fd, handle));
	EXPECT(!reg(device->fd, device->pd, device->memory, 10 * PAGE, LOCAL, NULL));
	return 0;
}

TEST_WITH(umems_count_against_the_limit, open_device, close_device)
{
	in_child(count_umems, *state);
}

TEST(libmlx5_registers_umems)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct mlx5dv_context_attr attributes = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *context = mlx5dv_open_device(list[0], &attributes);
	struct mlx5dv_devx_umem_in in = {
		.addr = map(4 * PAGE, PROT_READ | PROT_WRITE),
		.size = 4 * PAGE,
		.access = IBV_ACCESS_LOCAL_WRITE,
		.pgsz_bitmap = PAGE,
	};
	struct mlx5dv_devx_umem *umem;
	int fd;

	(void)state;
	assert_non_null(context);
	umem = mlx5dv_devx_umem_reg(context, in.addr, in.size, in.access);
	assert_non_null(umem);
	assert_int_not_equal(umem->umem_id, 0);
	assert_int_equal(mlx5dv_devx_umem_dereg(umem), 0);
	umem = mlx5dv_devx_umem_reg_ex(context, &in);
	assert_non_null(umem);
	assert_int_equal(mlx5dv_devx_umem_dereg(umem), 0);
	in.pgsz_bitmap = 2 * PAGE;
	assert_null(mlx5dv_devx_umem_reg_ex(context, &in));
	assert_int_equal(errno, EINVAL);

	fd = memfd_create("mrctl-dmabuf", 0);
	assert_int_equal(ftruncate(fd, 4 * PAGE), 0);
	in.addr = NULL;
	in.pgsz_bitmap = PAGE;
	in.comp_mask = MLX5DV_UMEM_MASK_DMABUF;
	in.dmabuf_fd = fd;
	umem = mlx5dv_devx_umem_reg_ex(context, &in);
	assert_non_null(umem);
	assert_int_equal(mlx5dv_devx_umem_dereg(umem), 0);
	close(fd);
	assert_int_equal(ibv_close_device(context), 0);
	ibv_free_device_list(list);
}

TEST(umems_need_devx)
{
	const struct mlx5_ib_alloc_ucontext_req_v2 in = { .lib_caps = MLX5_LIB_CAP_DYN_UAR };
	struct mlx5_ib_alloc_ucontext_resp out;
	char *memory = map(PAGE, PROT_READ);
	const struct umem_case umem = { "", memory, PAGE, 0, NO_BITMAP, 0 };
	int fd = open_node();
	struct request request;

	(void)state;
	assert_int_equal(umem_reg(fd, &umem, NO_FD, NULL), EINVAL); /* no context */
	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	pointer(&request, UVERBS_ATTR_UHW_IN, sizeof(in), &in);
	pointer(&request, UVERBS_ATTR_UHW_OUT, sizeof(out), &out);
	assert_int_equal(send_to(&request, fd), 0);
	assert_int_equal(umem_reg(fd, &umem, NO_FD, NULL), EINVAL);
	close(fd);
}

TEST_WITH(umems_of_dma_bufs_have_small_pages, open_device, close_device)
{
	struct device *device = *state;
	int fd = make_dmabuf(16), memfd = memfd_create("x", 0);
	struct umem_case umem = { "", (void *)100, 8 * PAGE, LOCAL, PAGE, 0 };

	assert_int_equal(umem_reg(device->fd, &umem, fd, NULL), 0);
	assert_int_equal(umem_reg(device->fd, &umem, 999, NULL), EBADF);
	assert_int_equal(umem_reg(device->fd, &umem, memfd, NULL), EINVAL);
	umem.page_sizes = 4 * PAGE;
	assert_int_equal(umem_reg(device->fd, &umem, fd, NULL), EINVAL);
	umem.page_sizes = NO_BITMAP;
	assert_int_equal(umem_reg(device->fd, &umem, fd, NULL), 0);
	umem.length = 17 * PAGE;
	assert_int_equal(umem_reg(device->fd, &umem, fd, NULL), EINVAL);
	close(fd);
	close(memfd);
}
