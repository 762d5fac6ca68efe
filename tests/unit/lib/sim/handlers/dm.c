// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory of the simulated device.  rdma-core's own tests (tests/pyverbs) map, copy and import it. */
#include "tests/unit/lib/sim/device.h"

#define LIMIT (32 * PAGE) /* most bytes of one DM */
#define ALL   (64 * PAGE) /* bytes of all DMs */
#define START 0x1fc0000ull

/* not in the headers of rdma-core 44: UVERBS_OBJECT_DMABUF, and the offset of a page for mmap() */
#define OBJECT_DMABUF   18
#define OFFSET_OF(page) ((8ull << 8 | (page)) * PAGE)

/* The handle and first page of the memory that was allocated last. */
static uint32_t dm;
static uint16_t page;

static void init_dm(struct request *request, uint64_t length, uint32_t alignment)
{
	static uint64_t offset;

	init(request, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	attr(request, UVERBS_ATTR_ALLOC_DM_HANDLE, 0, 0);
	attr(request, UVERBS_ATTR_ALLOC_DM_LENGTH, 8, length);
	attr(request, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, alignment);
	pointer(request, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8, &offset);
}

static int alloc_dm(uint64_t length, uint32_t alignment)
{
	struct request request;
	int rc;

	init_dm(&request, length, alignment);
	pointer(&request, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, 2, &page);
	rc = send_to(&request, fd);
	if (!rc)
		dm = (uint32_t)request.attrs[0].data;
	return rc;
}

static int free_dm(uint32_t handle)
{
	return destroy(fd, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, UVERBS_ATTR_FREE_DM_HANDLE,
		       handle);
}

static int reg_dm(uint32_t handle, uint64_t offset, uint64_t length, uint32_t access)
{
	struct request request;

	init(&request, UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	attr(&request, UVERBS_ATTR_REG_DM_MR_HANDLE, 0, 0);
	attr(&request, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, 0, pd);
	attr(&request, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, 0, handle);
	attr(&request, UVERBS_ATTR_REG_DM_MR_OFFSET, 8, offset);
	attr(&request, UVERBS_ATTR_REG_DM_MR_LENGTH, 8, length);
	attr(&request, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, 4, access);
	pointer(&request, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 4, &mr.lkey);
	pointer(&request, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 4, &mr.rkey);
	return send_reg(&request);
}

TEST(lengths_are_checked)
{
	assert_int_equal(alloc_dm(LIMIT, 0), 0);
	assert_int_equal(free_dm(dm), 0);
	assert_int_equal(alloc_dm(LIMIT + 1, 0), EINVAL);
	assert_int_equal(alloc_dm(ALL + 1, 0), ENOMEM);
	assert_int_equal(alloc_dm(UINT64_MAX, 0), EINVAL); /* rounded up to 0 */
	assert_int_equal(alloc_dm(1ull << 44, 0), EINVAL); /* no pages in 32 bits */
	assert_int_equal(alloc_dm(1, 13), EINVAL);         /* at more than a page */
	/* the driver has 32 bits for the pages of a DM: regions see the low bits of a longer one */
	assert_int_equal(alloc_dm((1ull << 44) + 1, 0), 0);
	assert_int_equal(reg_dm(dm, 0, 2, ZERO_BASED), EINVAL);
	assert_int_equal(reg_dm(dm, 0, 1, ZERO_BASED), 0);
}

/* Memory for steering is for those who may send raw packets: root, on the machines of the tests. */
static int alloc_for_steering(void)
{
	struct request request;

	init_dm(&request, LIMIT, 0);
	attr(&request, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, 8, MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM);
	return send_to(&request, fd);
}

static int ask_without_capabilities(void)
{
	EXPECT(!may_lock(0));
	EXPECT(alloc_for_steering() == EPERM);
	return 0;
}

TEST(kinds_and_places_of_answers_are_checked)
{
	struct request request;

	assert_int_equal(alloc_for_steering(), geteuid() ? EPERM : EOPNOTSUPP);
	assert_int_equal(in_child(ask_without_capabilities), 0);
	init_dm(&request, LIMIT, 0);
	assert_int_equal(send_to(&request, fd), ENOENT); /* without a place for the page */
	attr(&request, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, 8, 1ull << 32);
	assert_int_equal(send_to(&request, fd), EINVAL);
}

TEST(a_region_keeps_its_memory)
{
	uint32_t first, key;

	assert_int_equal(alloc_dm(PAGE, 0), 0);
	assert_int_equal(reg_dm(dm, 0, PAGE, ZERO_BASED | MW_BIND), EINVAL);
	assert_int_equal(reg_dm(dm, PAGE + 1, 0, ZERO_BASED), EINVAL);
	assert_int_equal(reg_dm(dm, 64, 128, LOCAL | ZERO_BASED), 0);
	first = mr.mr_handle;
	key = mr.lkey;
	assert_region(128, START + 64); /* where the memory is */
	assert_int_equal(reg_dm(dm, 64, 128, LOCAL | ZERO_BASED), 0);
	assert_int_not_equal(mr.lkey, key);
	assert_int_equal(free_dm(dm), EBUSY);
	assert_int_equal(dereg(first), 0);
	assert_int_equal(free_dm(dm), EBUSY);
	assert_int_equal(dereg(mr.mr_handle), 0);
	assert_int_equal(free_dm(dm), 0);
}

static int query_dm(uint32_t handle, uint64_t *length)
{
	struct request request;
	uint64_t offset = 1;
	uint16_t first = 0;
	int rc;

	init(&request, UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY);
	attr(&request, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, 0, handle);
	pointer(&request, MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, 8, &offset);
	pointer(&request, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, 2, &first);
	pointer(&request, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, 8, length);
	rc = send_to(&request, fd);
	return rc ? rc : offset || first != page;
}

static char *map_dm(size_t length, int flags)
{
	return mmap(NULL, length, PROT_READ | PROT_WRITE, flags, fd, (off_t)OFFSET_OF(page));
}

TEST(memory_can_be_queried_and_all_mappings_of_it_are_the_same)
{
	uint64_t length = 0;
	char *one, *other;

	assert_int_equal(alloc_dm(PAGE, 0), 0);
	assert_int_equal(alloc_dm(2 * PAGE - 5, 0), 0);
	assert_int_equal(query_dm(dm, &length), 0);
	assert_int_equal(length, 2 * PAGE - 5);
	assert_int_equal(query_dm(pd, &length), EINVAL);
	assert_int_equal(query_dm(1000, &length), ENOENT);
	one = map_dm(2 * PAGE, MAP_SHARED);
	other = map_dm(2 * PAGE, MAP_SHARED);
	assert_ptr_not_equal(one, MAP_FAILED);
	strcpy(one + PAGE, "there");
	assert_string_equal(other + PAGE, "there");
	assert_ptr_equal(map_dm(PAGE, MAP_SHARED), MAP_FAILED); /* not the whole */
}

/* ---- dma-bufs of it ---- */

static int export_dm(uint64_t offset, int *dmabuf)
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

static int reg_dmabuf(int context, uint32_t domain, int dmabuf, uint64_t length)
{
	struct request request;
	int rc;

	init_dmabuf(&request, dmabuf, 0, length, 0, LOCAL);
	request.attrs[1].data = domain;
	rc = send_to(&request, context);
	mr.mr_handle = (uint32_t)request.attrs[0].data;
	return rc;
}

TEST(dma_bufs_have_the_whole_memory)
{
	struct request request;
	int dmabuf;

	assert_int_equal(alloc_dm(PAGE, 0), 0);
	assert_int_equal(alloc_dm(PAGE + 1, 0), 0);
	assert_int_equal(export_dm(0, &dmabuf), EINVAL);
	assert_int_equal(export_dm(OFFSET_OF(page + 1), &dmabuf), EINVAL);
	assert_int_equal(export_dm(OFFSET_OF(page) + 100, &dmabuf), 0);
	assert_int_equal(fcntl(dmabuf, F_GETFD), FD_CLOEXEC);
	assert_int_equal(lseek(dmabuf, 0, SEEK_END), 2 * PAGE);
	assert_int_equal(reg_dmabuf(fd, pd, dmabuf, 2 * PAGE + 1), EINVAL);
	assert_int_equal(reg_dmabuf(fd, pd, dmabuf, 2 * PAGE), 0);
	init_umem(&request, NULL, PAGE, LOCAL, ANY_SIZE, dmabuf);
	assert_int_equal(send_to(&request, fd), EOPNOTSUPP); /* it cannot be pinned */
	assert_int_equal(dereg(mr.mr_handle), 0);
	close(dmabuf);
}

TEST(a_dma_buf_is_revoked_with_its_memory_but_a_region_keeps_the_pages)
{
	uint32_t handle, key, other_pd;
	int dmabuf, other;

	assert_int_equal(alloc_dm(PAGE, 0), 0);
	assert_int_equal(export_dm(OFFSET_OF(page), &dmabuf), 0);
	other = open_context();
	assert_int_equal(alloc_pd(other, &other_pd), 0);
	assert_int_equal(reg_dmabuf(other, other_pd, dmabuf, PAGE), 0);
	close(other);
	assert_int_equal(reg_dmabuf(fd, pd, dmabuf, PAGE), 0);
	handle = mr.mr_handle;
	key = mr.lkey;
	assert_int_equal(advise(key, READ, FLUSH, 0, 1), 0);

	assert_int_equal(free_dm(dm), 0);
	assert_int_equal(reg_dmabuf(fd, pd, dmabuf, PAGE), ENODEV);
	assert_int_equal(advise(key, READ, FLUSH, 0, 1), ENODEV);
	assert_int_equal(advise(key, READ, 0, 0, 1), 0);
	assert_int_equal(alloc_dm(PAGE, 0), 0);
	assert_int_equal(page, 1);
	assert_int_equal(free_dm(dm), 0);

	assert_int_equal(dereg(handle), 0);
	assert_int_equal(alloc_dm(PAGE, 0), 0);
	assert_int_equal(page, 0);
	assert_int_equal(reg_dmabuf(fd, pd, dmabuf, PAGE), ENODEV);
	close(dmabuf);
}

EACH_TEST(open_device, close_device)
