/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The simulated device of a test, and short forms of its calls.  The tests run under "mrctl sim --". */
#ifndef TESTS_UNIT_LIB_SIM_DEVICE_H
#define TESTS_UNIT_LIB_SIM_DEVICE_H

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/unit/lib/sim/request.h"
#include "tests/unit/unit.h"

#ifndef NODE
#define NODE "/dev/infiniband/uverbs250"
#endif
#define PAGE         4096ul
#define HUGE         (2ul << 20)
#define IOVA         0x7000000000ull
#define MEMORY       (64 * PAGE)
#define NOT_MAPPED   ((void *)0x10000)

#define LOCAL        IB_UVERBS_ACCESS_LOCAL_WRITE
#define ODP          (LOCAL | IB_UVERBS_ACCESS_ON_DEMAND)
#define REMOTE_READ  IB_UVERBS_ACCESS_REMOTE_READ
#define REMOTE_WRITE IB_UVERBS_ACCESS_REMOTE_WRITE
#define MW_BIND      IB_UVERBS_ACCESS_MW_BIND
#define ZERO_BASED   IB_UVERBS_ACCESS_ZERO_BASED
#define HUGETLB      IB_UVERBS_ACCESS_HUGETLB

/* The context of each test, its PD, and MEMORY bytes. */
static int fd;
static uint32_t pd;
static char *memory;

/* The region that reg(), change() and so on of this thread have made or changed last. */
static __thread struct ib_uverbs_reg_mr_resp mr;

static inline char *map(size_t length, int prot)
{
	char *start = mmap(NULL, length, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(start, MAP_FAILED);
	return start;
}

/* Maps memory for small pages, which begins with @count whole huge pages; another one follows in part. */
static inline char *map_whole_huge_pages(size_t count)
{
	char *start = map((count + 1) * HUGE, PROT_READ | PROT_WRITE);

	madvise(start, (count + 1) * HUGE, MADV_NOHUGEPAGE);
	return (char *)(((uintptr_t)start + HUGE - 1) & ~(HUGE - 1));
}

static inline int open_node(void)
{
	int node = open(NODE, O_RDWR | O_CLOEXEC);

	assert_true(node >= 0);
	return node;
}

static inline int open_context(void)
{
	int node = open_node();

	assert_int_equal(get_context(node), 0);
	return node;
}

static inline int open_device(void **state __attribute__((unused)))
{
	fd = open_context();
	assert_int_equal(alloc_pd(fd, &pd), 0);
	memory = map(MEMORY, PROT_READ | PROT_WRITE);
	return 0;
}

static inline size_t count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	size_t count = 0;

	while (tasks && readdir(tasks))
		count++;
	if (tasks)
		closedir(tasks);
	return count - 2; /* . and .. */
}

static inline int close_device(void **state __attribute__((unused)))
{
	int rc = close(fd);

	/* The thread of the data path ends, and closes its descriptors, when it has seen that. */
	for (int i = 0; i < 60000 && count_threads() > 1; i++)
		usleep(1000);
	munmap(memory, MEMORY);
	return rc;
}

/* ---- calls: each returns 0 or an errno ---- */

/* Registers in another context and PD; sets @mr if it succeeds. */
static inline int reg_in(int context, uint32_t domain, const void *addr, uint64_t length,
			 uint64_t iova, uint32_t access)
{
	const struct ib_uverbs_reg_mr in = { .start = (uintptr_t)addr,
					     .length = length,
					     .hca_va = iova,
					     .pd_handle = domain,
					     .access_flags = access };
	struct ib_uverbs_reg_mr_resp out;
	struct request request;
	int rc;

	init_write(&request, IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in), &out, sizeof(out));
	rc = send_to(&request, context);
	if (!rc)
		mr = out;
	return rc;
}

static inline int reg_at(const void *addr, uint64_t length, uint64_t iova, uint32_t access)
{
	return reg_in(fd, pd, addr, length, iova, access);
}

static inline int reg(const void *addr, uint64_t length, uint32_t access)
{
	return reg_at(addr, length, (uintptr_t)addr, access);
}

/* Sends REREG_MR for the region @mr; sets its keys if it succeeds. */
static inline int change(uint32_t flags, const void *addr, uint64_t length, uint64_t iova,
			 uint32_t domain, uint32_t access)
{
	const struct ib_uverbs_rereg_mr in = { .mr_handle = mr.mr_handle,
					       .flags = flags,
					       .start = (uintptr_t)addr,
					       .length = length,
					       .hca_va = iova,
					       .pd_handle = domain,
					       .access_flags = access };
	struct ib_uverbs_rereg_mr_resp out;
	struct request request;
	int rc;

	init_write(&request, IB_USER_VERBS_CMD_REREG_MR, &in, sizeof(in), &out, sizeof(out));
	rc = send_to(&request, fd);
	if (!rc) {
		mr.lkey = out.lkey;
		mr.rkey = out.rkey;
	}
	return rc;
}

static inline int translate(const void *addr, uint64_t length, uint64_t iova)
{
	return change(REREG_TRANS, addr, length, iova, 0, 0);
}

static inline int set_access(uint32_t access)
{
	return change(REREG_ACCESS, NULL, 0, 0, 0, access);
}

static inline int dereg_in(int context, uint64_t handle)
{
	return destroy(context, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY,
		       UVERBS_ATTR_DESTROY_MR_HANDLE, handle);
}

static inline int dereg(uint64_t handle)
{
	return dereg_in(fd, handle);
}

static inline int dealloc_pd(uint64_t handle)
{
	return destroy(fd, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
		       UVERBS_ATTR_DESTROY_PD_HANDLE, handle);
}

/* @count: of handles; in: those that the list has room for; out: those that were written */
static inline int list_in(int context, uint64_t type, uint32_t *list, uint32_t *count)
{
	struct request request;

	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	attr(&request, UVERBS_ATTR_INFO_OBJECT_ID, 8, type);
	pointer(&request, UVERBS_ATTR_INFO_HANDLES_LIST, *count * sizeof(*list), list);
	pointer(&request, UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, count);
	return send_to(&request, context);
}

/* Returns how many objects of a type the context has. */
static inline uint32_t count_in(int context, uint64_t type)
{
	uint32_t list[8], count = ARRAY_SIZE(list);

	assert_int_equal(list_in(context, type, list, &count), 0);
	return count;
}

/* Checks what QUERY_MR answers for the region @mr. */
static inline void assert_region(uint64_t length, uint64_t iova)
{
	struct mr found;

	assert_int_equal(query(fd, mr.mr_handle, &found), 0);
	assert_int_equal(found.lkey, mr.lkey);
	assert_int_equal(found.rkey, mr.rkey);
	assert_int_equal(found.length, length);
	assert_int_equal(found.iova, iova);
}

/* Registers by the method REG_MR, which the headers of rdma-core 44 do not have. */
enum { BY_HANDLE, BY_PD, BY_DMAH, BY_IOVA, BY_ADDR, BY_LENGTH };
enum { BY_ACCESS = BY_LENGTH + 1, BY_FD, BY_FD_OFFSET, BY_LKEY, BY_RKEY };

static inline void init_reg(struct request *request, uint64_t length, uint64_t iova,
			    uint32_t access)
{
	init(request, UVERBS_OBJECT_MR, 5);
	attr(request, BY_HANDLE, 0, 0);
	attr(request, BY_PD, 0, pd);
	attr(request, BY_IOVA, 8, iova);
	attr(request, BY_LENGTH, 8, length);
	attr(request, BY_ACCESS, 4, access);
	pointer(request, BY_LKEY, 4, &mr.lkey);
	pointer(request, BY_RKEY, 4, &mr.rkey);
}

static inline int send_reg(struct request *request)
{
	int rc = send_to(request, fd);

	mr.mr_handle = (uint32_t)request->attrs[0].data;
	return rc;
}

static inline void init_dmabuf(struct request *request, int dmabuf, uint64_t offset,
			       uint64_t length, uint64_t iova, uint32_t access)
{
	init(request, UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, pd);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, offset);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, length);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, iova);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_FD, 4, (uint32_t)dmabuf);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, access);
	pointer(request, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, &mr.lkey);
	pointer(request, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, &mr.rkey);
}

static inline int make_dmabuf(uint64_t pages)
{
	int dmabuf = memfd_create("mrctl-dmabuf test", MFD_CLOEXEC);

	assert_int_equal(ftruncate(dmabuf, (off_t)(pages * PAGE)), 0);
	return dmabuf;
}

#define ANY_SIZE 0x1ull /* in place of page sizes: the request has no such attribute */
#define NO_FD    INT32_MIN

static inline void init_umem(struct request *request, const void *addr, uint64_t length,
			     uint32_t access, uint64_t page_sizes, int dmabuf)
{
	static uint32_t id;

	init(request, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0, 0);
	attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, 8, (uintptr_t)addr);
	attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, 8, length);
	attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, 4, access);
	pointer(request, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4, &id);
	if (page_sizes != ANY_SIZE)
		attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, 8, page_sizes);
	if (dmabuf != NO_FD)
		attr(request, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD, 0, (uint64_t)(int64_t)dmabuf);
}

/* ---- advice ---- */

#define READ  IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH
#define WRITE IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE
#define LOOK  IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT
#define FLUSH IB_UVERBS_ADVISE_MR_FLAG_FLUSH

static inline void init_advice(struct request *request, uint32_t domain, uint64_t advice,
			       uint32_t flags, const struct ib_uverbs_sge *list, size_t size)
{
	init(request, UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR);
	attr(request, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, domain);
	attr(request, UVERBS_ATTR_ADVISE_MR_ADVICE, 8, advice);
	attr(request, UVERBS_ATTR_ADVISE_MR_FLAGS, 4, flags);
	pointer(request, UVERBS_ATTR_ADVISE_MR_SGE_LIST, size, list);
}

static inline int advise(uint32_t key, uint64_t advice, uint32_t flags, uint64_t addr,
			 uint64_t length)
{
	const struct ib_uverbs_sge sge = { .addr = addr, .length = (uint32_t)length, .lkey = key };
	struct request request;

	init_advice(&request, pd, advice, flags, &sge, sizeof(sge));
	return send_to(&request, fd);
}

static inline bool is_resident(const char *page)
{
	unsigned char residency = 0;

	assert_int_equal(mincore((void *)(uintptr_t)page, PAGE, &residency), 0);
	return residency & 1;
}

/* ---- other processes ---- */

/* Becomes a user without capabilities, with a RLIMIT_MEMLOCK of @pages. */
static inline int may_lock(rlim_t pages)
{
	const struct rlimit limit = { pages * PAGE, pages * PAGE };

	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		return -1;
	return getuid() ? 0 : setresuid(65534, 65534, 65534);
}

/* An assertion for functions that run in a child: cmocka's would return to the parent's other tests. */
#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__ % 255 + 1;                                                 \
	} while (0)

/** TEST_IN_CHILD() - define a test that runs in a child: with EXPECT(), and "return 0;" at its end */
#define TEST_IN_CHILD(name)                                                                        \
	static int body_of_##name(void);                                                           \
	TEST(name)                                                                                 \
	{                                                                                          \
		assert_equal_for("line of this file", in_child(body_of_##name), 0);                \
	}                                                                                          \
	static int body_of_##name(void)

#endif
