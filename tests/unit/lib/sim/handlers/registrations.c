// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Registering and querying: the write commands, the methods REG_MR and REG_DMABUF_MR, DMA handles, limits.
 * tests/cli has more refusals: combinations.bats, why-rules.bats, why-dmabuf.bats; Data Direct is in data-direct.bats.
 */
#include "tests/unit/lib/sim/device.h"

TEST(query_mr_answers_what_was_registered)
{
	struct request request;
	struct mr found = { .iova = 1 };

	assert_int_equal(reg_at(memory + 100, 5000, IOVA + 100, LOCAL), 0);
	assert_region(5000, IOVA + 100);
	init_query(&request, mr.mr_handle, &found);
	request.hdr.num_attrs = 4; /* the IOVA is optional */
	assert_int_equal(send_to(&request, fd), 0);
	assert_int_equal(found.length, 5000);
	assert_int_equal(found.iova, 1);
}

TEST(handles_and_keys_are_reused_at_once)
{
	struct ib_uverbs_reg_mr_resp first;
	uint32_t other;

	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	first = mr;
	assert_int_equal(first.mr_handle, pd + 1);
	assert_int_equal(first.lkey, first.rkey);
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	assert_int_equal(mr.mr_handle, pd + 2);
	assert_int_not_equal(mr.lkey, first.lkey);
	assert_int_equal(dereg(first.mr_handle), 0);
	assert_int_equal(alloc_pd(fd, &other), 0);
	assert_int_equal(other, first.mr_handle); /* all types share the handles */
	assert_int_equal(reg(memory, 4 * PAGE, LOCAL), 0);
	assert_int_not_equal(mr.lkey, first.lkey); /* keys are kept by size */
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	assert_int_equal(mr.lkey, first.lkey);
}

TEST(registrations_are_checked)
{
	char *readonly = map(PAGE, PROT_READ), *top = (char *)-PAGE;

	assert_int_equal(reg_at(memory, PAGE, 0, LOCAL | 1 << 29), 0); /* an optional flag */
	assert_int_equal(reg_at(memory + 17, 0, 17, LOCAL), EINVAL);
	assert_int_equal(reg_at((char *)NOT_MAPPED + 1, 0, 1, LOCAL), EFAULT);
	assert_int_equal(reg_at(top, 2 * PAGE, 0, LOCAL), EINVAL);
	assert_int_equal(reg_at(top, PAGE, 0, LOCAL), EINVAL);
	assert_int_equal(reg_at((void *)-(4 * PAGE), PAGE, 0, LOCAL), EFAULT); /* the kernel's */
	assert_int_equal(reg_at(readonly, PAGE, 0, MW_BIND), EFAULT);
	assert_int_equal(reg_at(memory, 2 * PAGE, 0 - 2 * PAGE, LOCAL), 0);
	assert_region(2 * PAGE, 0 - 2 * PAGE);
	assert_int_equal(reg_at(memory, 2 * PAGE, 0 - PAGE, LOCAL), EINVAL);
}

TEST(on_demand_registrations_are_checked)
{
	assert_int_equal(reg_at(memory, 0, 0, ODP), EINVAL);
	assert_int_equal(reg_at(memory + 5, 0, 5, ODP), 0);
	assert_region(0, 5);
	assert_int_equal(reg_at((void *)-PAGE, 2 * PAGE, 0, ODP), EOVERFLOW);
	assert_int_equal(reg_at(NULL, 0, 0, ODP), EOVERFLOW);
	/* implicit */
	assert_int_equal(reg_at(NULL, UINT64_MAX, 0, ODP), 0);
	assert_region(UINT64_MAX, 0);
	assert_int_equal(reg_at(NULL, UINT64_MAX, 0, ODP | HUGETLB), EINVAL);
}

TEST(on_demand_memory_must_not_be_there_in_small_pages)
{
	char *start = map_whole_huge_pages(1);

	start[PAGE] = 1; /* this small page does not matter: a huge one would not begin here */
	assert_int_equal(reg(start + PAGE, PAGE, ODP | HUGETLB), 0);
	start[0] = 1;
	assert_int_equal(reg(start + PAGE, PAGE, ODP | HUGETLB), EINVAL);
	/* a page that cannot be read does not count as there */
	assert_int_equal(mprotect(start, PAGE, PROT_WRITE), 0);
	assert_int_equal(reg(start + PAGE, PAGE, ODP | HUGETLB), 0);
}

/* ---- the methods REG_DMABUF_MR and REG_MR ---- */

static int reg_dmabuf(int dmabuf, uint64_t offset, uint64_t length, uint64_t iova, uint32_t access)
{
	struct request request;

	init_dmabuf(&request, dmabuf, offset, length, iova, access);
	return send_reg(&request);
}

TEST(dma_bufs_are_checked)
{
	int dmabuf = make_dmabuf(16), memfd = memfd_create("x", 0);
	struct request request;

	assert_int_equal(reg_dmabuf(dmabuf, -PAGE, 2 * PAGE, IOVA, LOCAL), EINVAL);
	assert_int_equal(reg_dmabuf(memfd, 0, 0, IOVA, LOCAL), EINVAL);
	assert_int_equal(reg_dmabuf(dmabuf, 0, 16 * PAGE, IOVA, LOCAL), 0);
	assert_region(16 * PAGE, IOVA);
	assert_int_equal(dealloc_pd(pd), EBUSY);
	assert_int_equal(advise(mr.lkey, READ, FLUSH, IOVA, 1), 0);
	assert_int_equal(advise(mr.lkey, READ, FLUSH, IOVA - 1, 1), EFAULT);
	init_dmabuf(&request, dmabuf, 0, PAGE, IOVA, LOCAL);
	request.attrs[1].data = 4711;
	assert_int_equal(send_reg(&request), ENOENT);
	close(dmabuf);
	close(memfd);
}

enum { OF_ADDR = 1, OF_OFFSET = 2, OF_FD = 4, OF_DMABUF = OF_OFFSET | OF_FD };

/* @start: an address, or an offset; @given: which of address, offset and descriptor are given */
static int reg_of(unsigned int given, uint64_t start, uint64_t dmabuf, uint32_t access)
{
	struct request request;

	init_reg(&request, PAGE, IOVA, access);
	if (given & OF_ADDR)
		attr(&request, BY_ADDR, 8, start);
	if (given & OF_OFFSET)
		attr(&request, BY_FD_OFFSET, 8, start);
	if (given & OF_FD)
		attr(&request, BY_FD, 0, dmabuf);
	return send_reg(&request);
}

TEST(one_method_registers_memory_and_dma_bufs)
{
	const uint64_t start = (uintptr_t)memory, dmabuf = (uint64_t)make_dmabuf(4);

	assert_int_equal(reg_of(0, 0, 0, LOCAL), EINVAL);
	assert_int_equal(reg_of(OF_ADDR, start + 1, 0, LOCAL), EINVAL);
	assert_int_equal(reg_of(OF_ADDR, 0x10000, 0, LOCAL), EFAULT);
	assert_int_equal(reg_of(OF_ADDR, 0x10000, 0, ODP), 0);
	assert_region(PAGE, IOVA);
	assert_int_equal(reg_of(OF_ADDR | OF_OFFSET, start, 0, LOCAL), EINVAL);
	assert_int_equal(reg_of(OF_FD, 0, dmabuf, LOCAL), EINVAL);
	assert_int_equal(reg_of(OF_DMABUF, PAGE, dmabuf, LOCAL), 0);
	assert_region(PAGE, IOVA);
	assert_int_equal(reg_of(OF_DMABUF, 0, 1ull << 32, LOCAL), EINVAL); /* more than 32 bits */
	assert_int_equal(reg_of(OF_DMABUF, 0, 999, LOCAL), EBADF);
	close((int)dmabuf);
}

/* A call that cannot write its answer registers nothing, and leaves no page counted. */
TEST_IN_CHILD(a_registration_whose_answer_cannot_be_written_is_undone)
{
	const struct ib_uverbs_reg_mr in = { .start = (uintptr_t)memory,
					     .length = 8 * PAGE,
					     .pd_handle = pd };
	uint32_t list[4], count = 4;
	struct request request;

	EXPECT(!may_lock(10));
	for (int i = 0; i < 3; i++) {
		init_write(&request, IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in), NULL, 16);
		EXPECT(send_to(&request, fd) == EFAULT);
		for (uint32_t key = 5; key <= 6; key++) {
			init_reg(&request, 8 * PAGE, 0, LOCAL);
			attr(&request, BY_ADDR, 8, (uintptr_t)memory);
			request.attrs[key].data = 0;
			EXPECT(send_reg(&request) == EFAULT);
		}
	}
	EXPECT(!list_in(fd, UVERBS_OBJECT_MR, list, &count) && !count);
	EXPECT(!reg(memory, 10 * PAGE, LOCAL));
	return 0;
}

/* ---- memory windows ---- */

static int alloc_mw(uint32_t domain, uint8_t type, struct ib_uverbs_alloc_mw_resp *out)
{
	const struct ib_uverbs_alloc_mw in = { .pd_handle = domain, .mw_type = type };
	struct request request;

	init_write(&request, IB_USER_VERBS_CMD_ALLOC_MW, &in, sizeof(in), out, sizeof(*out));
	return send_to(&request, fd);
}

TEST(memory_windows_keep_their_pd_busy)
{
	struct ib_uverbs_alloc_mw_resp first, second;
	struct ib_uverbs_dealloc_mw in;
	struct request request;

	assert_int_equal(alloc_mw(pd, 0, &first), EINVAL);
	assert_int_equal(alloc_mw(pd, 3, &first), EINVAL);
	assert_int_equal(alloc_mw(4711, 1, &first), ENOENT);
	assert_int_equal(alloc_mw(pd, 1, NULL), EFAULT);
	assert_int_equal(count_in(fd, UVERBS_OBJECT_MW), 0);
	assert_int_equal(alloc_mw(pd, 1, &first), 0);
	assert_int_equal(alloc_mw(pd, 2, &second), 0);
	assert_int_not_equal(first.rkey, second.rkey);
	assert_int_equal(dealloc_pd(pd), EBUSY);
	for (uint32_t i = 0; i < 3; i++) {
		in.mw_handle = i ? first.mw_handle : second.mw_handle;
		init_write(&request, IB_USER_VERBS_CMD_DEALLOC_MW, &in, sizeof(in), NULL, 0);
		assert_int_equal(send_to(&request, fd), i == 2 ? ENOENT : 0);
	}
	assert_int_equal(dealloc_pd(pd), 0);
}

/* ---- DMA handles ---- */

#define OBJECT_DMAH 17
enum { OF_HANDLE, OF_CPU, OF_MEMORY, OF_HINT };

enum { CPU = 1 << OF_CPU, KIND = 1 << OF_MEMORY, HINT = 1 << OF_HINT, ALL = CPU | KIND | HINT };

/* The handle that was allocated last. */
static uint32_t dmah;

/* @given: which hints the request has; @place: the kind of memory, and 8 reserved bits above */
static int alloc_dmah(unsigned int given, uint32_t cpu, unsigned int place, uint8_t hint)
{
	struct ib_uverbs_attr *kind;
	struct request request;
	int rc;

	init(&request, OBJECT_DMAH, 0);
	attr(&request, OF_HANDLE, 0, 0);
	if (given & CPU)
		attr(&request, OF_CPU, 4, cpu);
	if (given & KIND) {
		kind = attr(&request, OF_MEMORY, 0, 0);
		kind->attr_data.enum_data.elem_id = (uint8_t)place;
		kind->attr_data.enum_data.reserved = (uint8_t)(place >> 8);
	}
	if (given & HINT)
		attr(&request, OF_HINT, 1, hint);
	rc = send_to(&request, fd);
	dmah = (uint32_t)request.attrs[0].data;
	return rc;
}

static int free_dmah(uint32_t handle)
{
	return destroy(fd, OBJECT_DMAH, 1, 0, handle);
}

static int reg_with(uint32_t handle, uint32_t access)
{
	struct request request;

	init_reg(&request, PAGE, (uintptr_t)memory, access);
	attr(&request, BY_ADDR, 8, (uintptr_t)memory);
	attr(&request, BY_DMAH, 0, handle);
	return send_reg(&request);
}

TEST(dma_handles_are_checked_and_busy_while_a_region_uses_them)
{
	uint32_t other, list[1], count = 1;

	setenv("MRCTL_SIM_TPH", "1", 1);
	assert_int_equal(alloc_dmah(ALL, 0, 0, 1), 0);
	assert_int_equal(alloc_dmah(CPU | KIND, 0, 0, 0), EINVAL);
	assert_int_equal(alloc_dmah(KIND | HINT, 0, 0, 1), EINVAL);
	assert_int_equal(alloc_dmah(CPU | HINT, 0, 0, 1), EINVAL);
	assert_int_equal(alloc_dmah(ALL, 100000, 0, 1), EINVAL); /* no such CPU */
	assert_int_equal(alloc_dmah(ALL, 0, 1, 1), 0);           /* persistent memory */
	assert_int_equal(alloc_dmah(ALL, 0, 2, 1), EOPNOTSUPP);
	assert_int_equal(alloc_dmah(ALL, 0, 1 << 8, 1), EINVAL);
	assert_int_equal(alloc_dmah(ALL, 0, 0, 3), 0);
	assert_int_equal(alloc_dmah(ALL, 0, 0, 4), EINVAL);
	assert_int_equal(alloc_dmah(HINT, 0, 0, 1), 0);
	other = dmah;
	assert_int_equal(alloc_dmah(HINT, 0, 0, 1), 0);
	assert_int_equal(reg_with(dmah, IB_UVERBS_ACCESS_ON_DEMAND), EOPNOTSUPP);
	assert_int_equal(reg_with(dmah, LOCAL), 0);
	assert_int_equal(set_access(0), EOPNOTSUPP);
	assert_int_equal(free_dmah(dmah), EBUSY);
	assert_int_equal(free_dmah(other), 0);
	assert_int_equal(dereg(mr.mr_handle), 0);
	assert_int_equal(free_dmah(dmah), 0);
	assert_int_equal(free_dmah(dmah), ENOENT);
	assert_int_equal(reg_with(dmah, LOCAL), ENOENT);

	assert_int_equal(alloc_dmah(HINT, 0, 0, 1), 0);
	assert_int_equal(list_in(fd, OBJECT_DMAH, list, &count), 0);
	unsetenv("MRCTL_SIM_TPH");
	assert_int_equal(free_dmah(dmah), EPROTONOSUPPORT);
	assert_int_equal(alloc_dmah(HINT, 0, 0, 1), EPROTONOSUPPORT);
	assert_int_equal(list_in(fd, OBJECT_DMAH, list, &count), ENOENT);
	assert_int_equal(reg_with(dmah, 0), EINVAL);
}

/* ---- a limit of objects, as that of an rdma cgroup ---- */

static void open_limited(const char *limit, int *context, uint32_t *domain)
{
	setenv("MRCTL_SIM_MAX_OBJECTS", limit, 1);
	*context = open_context();
	unsetenv("MRCTL_SIM_MAX_OBJECTS");
	assert_int_equal(alloc_pd(*context, domain), 0);
}

TEST(an_object_too_many_is_refused_before_anything_else)
{
	const int unlimited = fd;
	uint32_t other, first, unlimited_pd = pd;

	open_limited("2", &fd, &pd);
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	first = mr.mr_handle;
	assert_int_equal(alloc_pd(fd, &other), EAGAIN);
	assert_int_equal(reg(memory, PAGE, LOCAL), EAGAIN);
	assert_int_equal(reg_in(fd, 4711, NULL, 0, 0, 1u << 31), EAGAIN);
	/* a change needs room for another region, for a moment */
	assert_int_equal(set_access(LOCAL), EAGAIN);
	mr.mr_handle = 4711;
	assert_int_equal(set_access(LOCAL), ENOENT);
	assert_int_equal(dereg(first), 0);
	assert_int_equal(alloc_pd(fd, &other), 0);
	close(fd);
	open_limited("3", &fd, &pd);
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	assert_int_equal(set_access(LOCAL), 0);
	close(fd);
	fd = unlimited; /* other contexts have no limit */
	pd = unlimited_pd;
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
}

static int open_with_a_wrong_limit(void)
{
	setenv("MRCTL_SIM_MAX_OBJECTS", "3x", 1);
	return open(NODE, O_RDWR) < 0;
}

TEST(a_limit_is_a_number)
{
	assert_int_equal(in_child(open_with_a_wrong_limit), 2);
}

/* ---- the account of locked memory ---- */

TEST_IN_CHILD(pages_are_counted_against_the_limit)
{
	int second = open_context();
	uint32_t first_mr, second_pd, second_mr;

	EXPECT(!may_lock(10));
	EXPECT(!alloc_pd(second, &second_pd));
	EXPECT(reg(memory, 11 * PAGE, LOCAL) == ENOMEM);
	EXPECT(!reg(memory, 6 * PAGE, LOCAL));
	first_mr = mr.mr_handle;
	/* a page that is pinned twice counts twice, and all contexts count together */
	EXPECT(!reg_in(second, second_pd, memory + PAGE / 2, PAGE, PAGE / 2, LOCAL));
	second_mr = mr.mr_handle;
	EXPECT(reg_in(second, second_pd, memory, 3 * PAGE, 0, LOCAL) == ENOMEM);
	EXPECT(!reg_in(second, second_pd, memory, 2 * PAGE, 0, LOCAL));
	EXPECT(reg(memory, 1, LOCAL) == ENOMEM);
	EXPECT(!dereg_in(second, second_mr));
	EXPECT(!reg_in(second, second_pd, memory, 2 * PAGE, 0, LOCAL));
	/* failures and on-demand memory do not count */
	EXPECT(!dereg(first_mr));
	EXPECT(reg(NOT_MAPPED, PAGE, LOCAL) == EFAULT);
	EXPECT(!reg(memory, 20 * PAGE, ODP));
	/* nor do pages of a closed context; a context with two descriptors counts once */
	close(second);
	EXPECT(dup(fd) >= 0);
	EXPECT(!reg(memory, 5 * PAGE, LOCAL));
	EXPECT(!reg(memory, 5 * PAGE, LOCAL));
	EXPECT(reg(memory, PAGE, LOCAL) == ENOMEM);
	return 0;
}

TEST_IN_CHILD(with_a_limit_of_0_locking_is_not_permitted)
{
	EXPECT(!may_lock(0));
	EXPECT(reg(memory, PAGE, LOCAL) == EPERM);
	EXPECT(reg(memory, 0, LOCAL) == EPERM);
	EXPECT(reg((void *)-PAGE, 2 * PAGE, LOCAL) == EINVAL);
	return 0;
}

TEST_IN_CHILD(the_account_is_that_of_the_address_space)
{
	uint32_t of_parent;
	int status;
	pid_t pid;

	EXPECT(!may_lock(10));
	EXPECT(!reg(memory, 10 * PAGE, LOCAL));
	of_parent = mr.mr_handle;
	pid = fork();
	if (!pid) { /* its address space is new; it deregisters a region of its parent */
		EXPECT(!reg(memory, 10 * PAGE, LOCAL));
		EXPECT(reg(memory, 1, LOCAL) == ENOMEM);
		EXPECT(!dereg(of_parent));
		EXPECT(reg(memory, 1, LOCAL) == ENOMEM);
		return 0;
	}
	EXPECT(waitpid(pid, &status, 0) == pid);
	EXPECT(!WEXITSTATUS(status));
	EXPECT(!reg(memory, 10 * PAGE, LOCAL));
	return 0;
}

EACH_TEST(open_device, close_device)
