// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory of the simulated device: raw requests, and libibverbs. */
#include <infiniband/verbs.h>
#include <sys/wait.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "tests/unit/lib/sim/device.h"

#define ZERO  IB_UVERBS_ACCESS_ZERO_BASED
#define LIMIT (32 * PAGE) /* most bytes of one DM */
#define ALL   (64 * PAGE) /* bytes of all DMs */
#define START 0x1fc0000ull

/* not in the headers of rdma-core 44: UVERBS_OBJECT_DMABUF, and the offset of a page for mmap() */
#define OBJECT_DMABUF   18
#define OFFSET_OF(page) ((8ull << 8 | (page)) * PAGE)

static int alloc_dm(int fd, uint64_t length, uint32_t alignment, uint32_t *handle, uint16_t *page)
{
	uint64_t offset = 7;
	struct request request;
	int rc;

	init(&request, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	attr(&request, UVERBS_ATTR_ALLOC_DM_HANDLE, 0, 0);
	attr(&request, UVERBS_ATTR_ALLOC_DM_LENGTH, 8, length);
	attr(&request, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, alignment);
	pointer(&request, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8, &offset);
	pointer(&request, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, 2, page);
	rc = send_to(&request, fd);
	if (rc)
		return rc;
	assert_int_equal(offset, 0);
	*handle = (uint32_t)request.attrs[0].data;
	return 0;
}

static int free_dm(int fd, uint32_t handle)
{
	return destroy(fd, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, UVERBS_ATTR_FREE_DM_HANDLE,
		       handle);
}

static int reg_dm(struct device *device, uint32_t dm, uint64_t offset, uint64_t length,
		  uint32_t access, struct ib_uverbs_reg_mr_resp *mr)
{
	struct request request;
	int rc;

	init(&request, UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	attr(&request, UVERBS_ATTR_REG_DM_MR_HANDLE, 0, 0);
	attr(&request, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, 0, device->pd);
	attr(&request, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, 0, dm);
	attr(&request, UVERBS_ATTR_REG_DM_MR_OFFSET, 8, offset);
	attr(&request, UVERBS_ATTR_REG_DM_MR_LENGTH, 8, length);
	attr(&request, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, 4, access);
	pointer(&request, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 4, &mr->lkey);
	pointer(&request, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 4, &mr->rkey);
	rc = send_to(&request, device->fd);
	mr->mr_handle = (uint32_t)request.attrs[0].data;
	return rc;
}

TEST_WITH(lengths_are_checked, open_device, close_device)
{
	struct device *device = *state;
	const struct {
		const char *name;
		uint64_t length;
		uint32_t alignment;
		int error;
	} cases[] = {
		{ "a byte", 1, 0, 0 },
		{ "nothing", 0, 0, EINVAL },
		{ "the limit", LIMIT, 0, 0 },
		{ "a byte more", LIMIT + 1, 0, EINVAL },
		{ "all there is", ALL, 0, EINVAL },
		{ "more than there is", ALL + 1, 0, ENOMEM },
		{ "rounded up to 0", UINT64_MAX, 0, EINVAL },
		{ "no pages in 32 bits", 1ull << 44, 0, EINVAL },
		{ "one page in 32 bits", (1ull << 44) + 1, 0, 0 },
		{ "at a page", 1, 12, 0 },
		{ "at more than a page", 1, 13, EINVAL },
	};
	uint32_t handle;
	uint16_t page;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_equal_for(
			cases[i].name,
			alloc_dm(device->fd, cases[i].length, cases[i].alignment, &handle, &page),
			cases[i].error);
		if (!cases[i].error)
			assert_int_equal(free_dm(device->fd, handle), 0);
	}
}

/* Memory for steering is for those who may send raw packets: root, on the machines of the tests. */
static int ask_for_steering(struct device *device)
{
	struct request request;
	uint64_t offset;

	init(&request, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	attr(&request, UVERBS_ATTR_ALLOC_DM_HANDLE, 0, 0);
	attr(&request, UVERBS_ATTR_ALLOC_DM_LENGTH, 8, LIMIT);
	attr(&request, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, 0);
	pointer(&request, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8, &offset);
	attr(&request, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, 8, MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM);
	return send_to(&request, device->fd);
}

static int ask_without_capabilities(struct device *device)
{
	EXPECT(!may_lock(0));
	EXPECT(ask_for_steering(device) == EPERM);
	return 0;
}

TEST_WITH(memory_for_steering_needs_capabilities, open_device, close_device)
{
	assert_int_equal(ask_for_steering(*state), geteuid() ? EPERM : EOPNOTSUPP);
	in_child(ask_without_capabilities, *state);
}

TEST_WITH(answers_need_no_page, open_device, close_device)
{
	struct device *device = *state;
	struct request request;
	uint64_t offset;

	init(&request, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	attr(&request, UVERBS_ATTR_ALLOC_DM_HANDLE, 0, 0);
	attr(&request, UVERBS_ATTR_ALLOC_DM_LENGTH, 8, LIMIT);
	attr(&request, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, 0);
	pointer(&request, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8, &offset);
	assert_int_equal(send_to(&request, device->fd), ENOENT); /* but this driver gives one */
	attr(&request, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, 8, 1ull << 32);
	assert_int_equal(send_to(&request, device->fd), EINVAL);
}

TEST_WITH(memory_comes_to_an_end_and_back, open_device, close_device)
{
	struct device *device = *state;
	uint32_t handles[3], other;
	uint16_t page = 1;

	assert_int_equal(alloc_dm(device->fd, LIMIT, 0, &handles[0], &page), 0);
	assert_int_equal(page, 0);
	assert_int_equal(alloc_dm(device->fd, LIMIT - PAGE, 0, &handles[1], &page), 0);
	assert_int_equal(page, LIMIT / PAGE);
	assert_int_equal(alloc_dm(device->fd, 2 * PAGE, 0, &handles[2], &page), ENOMEM);
	assert_int_equal(alloc_dm(device->fd, PAGE, 0, &handles[2], &page), 0);
	assert_int_equal(page, ALL / PAGE - 1);
	assert_int_equal(alloc_dm(device->fd, UINT64_MAX - 100, 0, &other, &page), ENOMEM);
	assert_int_equal(free_dm(device->fd, handles[0]), 0);
	assert_int_equal(free_dm(device->fd, handles[0]), ENOENT);
	assert_int_equal(free_dm(device->fd, device->pd), EINVAL);
	assert_int_equal(alloc_dm(device->fd, UINT64_MAX - 100, 0, &other, &page), EINVAL);
	assert_int_equal(alloc_dm(device->fd, 2 * PAGE, 0, &handles[0], &page), 0);
	assert_int_equal(page, 0);
}

TEST_WITH(regions_are_checked, open_device, close_device)
{
	struct device *device = *state;
	const struct {
		const char *name;
		uint64_t offset, length;
		uint32_t access;
		int error;
	} cases[] = {
		{ "all of it", 0, 3 * PAGE, LOCAL | ZERO, 0 },
		{ "an end", PAGE, 2 * PAGE, ZERO, 0 },
		{ "nothing at its end", 3 * PAGE, 0, ZERO, 0 },
		{ "behind it", 3 * PAGE + 1, 0, ZERO, EINVAL },
		{ "too long", 0, 3 * PAGE + 1, ZERO, EINVAL },
		{ "too long from there", PAGE, 2 * PAGE + 1, ZERO, EINVAL },
		{ "wraps", PAGE, UINT64_MAX, ZERO, EINVAL },
		{ "not zero-based", 0, PAGE, LOCAL, EINVAL },
		{ "remote write", 0, PAGE, ZERO | IB_UVERBS_ACCESS_REMOTE_WRITE, EINVAL },
		{ "mw-bind", 0, PAGE, ZERO | IB_UVERBS_ACCESS_MW_BIND, EINVAL },
		{ "relaxed", 0, PAGE, ZERO | IB_UVERBS_ACCESS_RELAXED_ORDERING, EINVAL },
		{ "unknown", 0, PAGE, ZERO | 1u << 15, EINVAL },
	};
	struct ib_uverbs_reg_mr_resp mr;
	uint16_t page;
	uint32_t dm;
	size_t i;

	assert_int_equal(alloc_dm(device->fd, 3 * PAGE, 0, &dm, &page), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_equal_for(
			cases[i].name,
			reg_dm(device, dm, cases[i].offset, cases[i].length, cases[i].access, &mr),
			cases[i].error);
	assert_int_equal(reg_dm(device, device->pd, 0, 0, ZERO, &mr), EINVAL);
	assert_int_equal(reg_dm(device, 1000, 0, 0, ZERO, &mr), ENOENT);
}

TEST_WITH(a_region_keeps_its_memory, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp mr[2];
	struct mr queried;
	uint16_t page;
	uint32_t dm;

	assert_int_equal(alloc_dm(device->fd, PAGE, 0, &dm, &page), 0);
	assert_int_equal(reg_dm(device, dm, 64, 128, LOCAL | ZERO, &mr[0]), 0);
	assert_int_equal(reg_dm(device, dm, 64, 128, LOCAL | ZERO, &mr[1]), 0);
	assert_int_not_equal(mr[0].lkey, mr[1].lkey);
	assert_int_equal(free_dm(device->fd, dm), EBUSY);
	assert_int_equal(query(device->fd, mr[0].mr_handle, &queried), 0);
	assert_int_equal(queried.length, 128);
	assert_int_equal(queried.iova, START + 64); /* where the memory is */
	assert_int_equal(dereg(device->fd, mr[0].mr_handle), 0);
	assert_int_equal(free_dm(device->fd, dm), EBUSY);
	assert_int_equal(dereg(device->fd, mr[1].mr_handle), 0);
	assert_int_equal(free_dm(device->fd, dm), 0);
}

/* The driver has 32 bits for the length of a DM: of one that is longer, regions see the low bits alone. */
TEST_WITH(long_memory_is_short, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp mr;
	uint16_t page;
	uint32_t dm;

	assert_int_equal(alloc_dm(device->fd, (1ull << 44) + 1, 0, &dm, &page), 0);
	assert_int_equal(reg_dm(device, dm, 0, 2, ZERO, &mr), EINVAL);
	assert_int_equal(reg_dm(device, dm, 0, 1, ZERO, &mr), 0);
}

/* ---- dma-bufs of it ---- */

static int export_dmabuf(int fd, uint64_t offset, int *dmabuf)
{
	struct request request;
	int rc;

	init(&request, OBJECT_DMABUF, 0);
	attr(&request, 0, 0, 0);
	attr(&request, 1, 8, offset);
	rc = send_to(&request, fd);
	*dmabuf = rc ? -1 : (int)request.attrs[0].data;
	return rc;
}

static int reg_dmabuf(const struct device *device, int dmabuf, uint64_t length,
		      struct ib_uverbs_reg_mr_resp *mr)
{
	struct request request;
	int rc;

	init(&request, UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, device->pd);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, 0);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, length);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, 0);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_FD, 4, (uint32_t)dmabuf);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, LOCAL);
	pointer(&request, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, &mr->lkey);
	pointer(&request, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, &mr->rkey);
	rc = send_to(&request, device->fd);
	mr->mr_handle = (uint32_t)request.attrs[0].data;
	return rc;
}

static int reg_umem(const struct device *device, int dmabuf)
{
	struct request request;
	uint32_t id;

	init(&request, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	attr(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0, 0);
	attr(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, 8, 0);
	attr(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, 8, PAGE);
	attr(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, 4, LOCAL);
	attr(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD, 0, (uint64_t)dmabuf);
	pointer(&request, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4, &id);
	return send_to(&request, device->fd);
}

TEST_WITH(dmabufs_are_made_of_whole_pieces, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp mr;
	uint16_t page[2];
	uint32_t dm[2];
	int dmabuf;

	assert_int_equal(alloc_dm(device->fd, PAGE, 0, &dm[0], &page[0]), 0);
	assert_int_equal(alloc_dm(device->fd, PAGE + 1, 0, &dm[1], &page[1]), 0);
	assert_int_equal(export_dmabuf(device->fd, 0, &dmabuf), EINVAL);
	assert_int_equal(export_dmabuf(device->fd, OFFSET_OF(page[1] + 1), &dmabuf), EINVAL);
	assert_int_equal(export_dmabuf(device->fd, OFFSET_OF(page[1]) + 100, &dmabuf), 0);
	assert_int_equal(fcntl(dmabuf, F_GETFD), FD_CLOEXEC);
	assert_int_equal(lseek(dmabuf, 0, SEEK_END), 2 * PAGE);
	assert_int_equal(reg_dmabuf(device, dmabuf, 2 * PAGE + 1, &mr), EINVAL);
	assert_int_equal(reg_dmabuf(device, dmabuf, 2 * PAGE, &mr), 0);
	assert_int_equal(reg_umem(device, dmabuf), EOPNOTSUPP); /* it cannot be pinned */
	assert_int_equal(dereg(device->fd, mr.mr_handle), 0);
	close(dmabuf);
}

TEST_WITH(a_dmabuf_goes_with_its_memory_but_a_region_keeps_the_pages, open_device, close_device)
{
	struct device *device = *state, other;
	struct ib_uverbs_reg_mr_resp mr, refused;
	uint32_t dm, again;
	uint16_t page;
	int dmabuf;

	assert_int_equal(alloc_dm(device->fd, PAGE, 0, &dm, &page), 0);
	assert_int_equal(page, 0);
	assert_int_equal(export_dmabuf(device->fd, OFFSET_OF(page), &dmabuf), 0);
	assert_int_equal(reg_dmabuf(device, dmabuf, PAGE, &mr), 0);
	assert_int_equal(advise(device, mr.lkey, 0, IB_UVERBS_ADVISE_MR_FLAG_FLUSH, 0, 1), 0);
	other.fd = open_context();
	assert_int_equal(alloc_pd(other.fd, &other.pd), 0);
	assert_int_equal(reg_dmabuf(&other, dmabuf, PAGE, &refused), 0);
	close(other.fd);

	assert_int_equal(free_dm(device->fd, dm), 0);
	assert_int_equal(reg_dmabuf(device, dmabuf, PAGE, &refused), ENODEV);
	assert_int_equal(advise(device, mr.lkey, 0, IB_UVERBS_ADVISE_MR_FLAG_FLUSH, 0, 1), ENODEV);
	assert_int_equal(advise(device, mr.lkey, 0, 0, 0, 1), 0);
	assert_int_equal(alloc_dm(device->fd, PAGE, 0, &again, &page), 0);
	assert_int_equal(page, 1);
	assert_int_equal(free_dm(device->fd, again), 0);

	assert_int_equal(dereg(device->fd, mr.mr_handle), 0);
	assert_int_equal(alloc_dm(device->fd, PAGE, 0, &again, &page), 0);
	assert_int_equal(page, 0);
	assert_int_equal(reg_dmabuf(device, dmabuf, PAGE, &refused), ENODEV);
	close(dmabuf);
}

static struct ibv_context *open_by_library(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;

	assert_non_null(list);
	context = ibv_open_device(list[0]);
	assert_non_null(context);
	ibv_free_device_list(list);
	if (!context) /* the compiler does not know that the assertion does not return */
		abort();
	return context;
}

TEST(libibverbs_maps_and_copies)
{
	struct ibv_context *context = open_by_library();
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_alloc_dm_attr attr = { .length = 5000 };
	char in[64] = "abc", out[64] = "";
	struct ibv_dm *dm;
	struct ibv_mr *mr;

	(void)state;
	dm = ibv_alloc_dm(context, &attr);
	assert_non_null(dm);
	mr = ibv_reg_dm_mr(pd, dm, 0, 5000, IBV_ACCESS_ZERO_BASED);
	assert_non_null(mr);
	assert_int_equal(ibv_memcpy_to_dm(dm, 4096, in, sizeof(in)), 0);
	assert_int_equal(ibv_memcpy_from_dm(out, dm, 4096, sizeof(out)), 0);
	assert_string_equal(out, "abc");
	assert_int_equal(ibv_free_dm(dm), EBUSY);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_free_dm(dm), 0);
	ibv_dealloc_pd(pd);
	ibv_close_device(context);
}

TEST(libibverbs_imports)
{
	struct ibv_context *context = open_by_library(), *other;
	struct ibv_alloc_dm_attr attr = { .length = 64 };
	struct ibv_dm *dm = ibv_alloc_dm(context, &attr), *imported;
	char out[8] = "";

	(void)state;
	assert_int_equal(ibv_memcpy_to_dm(dm, 0, "before", 8), 0);
	other = ibv_import_device(dup(context->cmd_fd));
	assert_non_null(other);
	imported = ibv_import_dm(other, dm->handle);
	assert_non_null(imported);
	assert_int_equal(imported->handle, dm->handle);
	assert_int_equal(ibv_memcpy_from_dm(out, imported, 0, sizeof(out)), 0);
	assert_string_equal(out, "before");
	assert_int_equal(ibv_memcpy_to_dm(imported, 0, "after", 8), 0);
	assert_int_equal(ibv_memcpy_from_dm(out, dm, 0, sizeof(out)), 0);
	assert_string_equal(out, "after");
	ibv_unimport_dm(imported);
	assert_null(ibv_import_dm(other, dm->handle + 1000));
	ibv_close_device(other);
	assert_int_equal(ibv_free_dm(dm), 0);
	ibv_close_device(context);
}

/* The child imports the context, and maps the memory itself. */
TEST(other_processes_find_the_same_memory)
{
	struct ibv_context *context = open_by_library(), *other;
	struct ibv_alloc_dm_attr attr = { .length = 2 * PAGE };
	struct ibv_dm *first = ibv_alloc_dm(context, &attr), *dm = ibv_alloc_dm(context, &attr);
	char out[8] = "";
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (!pid) {
		const char *answer = "false";

		other = ibv_import_device(dup(context->cmd_fd));
		if (other && !ibv_memcpy_to_dm(ibv_import_dm(other, dm->handle), PAGE, "child", 8))
			answer = "true";
		/* exec, not exit: the leak checker would report the child's copies of the parent's memory */
		execlp(answer, answer, NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(ibv_memcpy_from_dm(out, dm, PAGE, sizeof(out)), 0);
	assert_string_equal(out, "child");
	assert_int_equal(ibv_memcpy_from_dm(out, first, PAGE, sizeof(out)), 0);
	assert_string_equal(out, "");
	assert_int_equal(ibv_free_dm(first), 0);
	assert_int_equal(ibv_free_dm(dm), 0);
	ibv_close_device(context);
}

TEST(devices_tell_what_they_have)
{
	struct ibv_context *context = open_by_library();
	struct ibv_device_attr_ex attr;
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_mr *mr;

	(void)state;
	assert_int_equal(ibv_query_device_ex(context, NULL, &attr), 0);
	assert_int_equal(attr.max_dm_size, LIMIT);
	mr = ibv_alloc_null_mr(pd);
	assert_non_null(mr);
	assert_int_equal(mr->lkey, 0x300);
	ibv_dereg_mr(mr);
	ibv_dealloc_pd(pd);
	ibv_close_device(context);
}
