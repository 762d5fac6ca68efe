// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What each change makes of a request. */
#include "lib/diagnose/trial/changes.h"

#include "lib/verbs/access.h"
#include "tests/unit/lib/diagnose/trial/library.h"

#define PAGE UINT64_C(4096)
#define ADDR UINT64_C(0x7f0000000000)
#define MIB  (UINT64_C(1) << 20)

static struct ibv_context context;
static struct ibv_pd pd;
static struct mr_bench bench;
static struct mr_variant variant;

static void ask(enum mr_region_call call, uint64_t addr, uint64_t length, uint32_t access)
{
	bench = (struct mr_bench){
		.operation = mr_region_is_dmabuf(call) ? MR_OP_REG_DMABUF : MR_OP_REG,
		.request = { .call = call,
			     .addr = addr,
			     .length = length,
			     .iova = addr,
			     .access = access,
			     .fd = -1 },
		.base = { .via = MR_VIA_LIBRARY, .context = &context, .pd = &pd },
		.context = &context,
		.pd = &pd,
		.page = PAGE,
		.available = MIB,
		.available_by = "MemAvailable",
	};
	if (mr_region_kind(call) == MR_KIND_UMEM)
		bench.operation = mr_region_is_dmabuf(call) ? MR_OP_UMEM_DMABUF : MR_OP_UMEM;
}

/* Whether the change is one for the call; what it makes of the call stays in "variant". */
static bool changes(enum mr_try_change change)
{
	const bool is_one = mr_variant_init(&variant, &bench, &mr_changes[change]);

	mr_variant_release(&variant);
	return is_one;
}

static bool access_becomes(enum mr_try_change change, uint32_t access)
{
	return changes(change) && variant.request.access == access;
}

static bool range_becomes(enum mr_try_change change, uint64_t addr, uint64_t length)
{
	return changes(change) && variant.request.addr == addr && variant.request.length == length;
}

TEST(each_change_has_a_name_of_its_own)
{
	for (int i = 0; i < MR_TRY_CHANGES; i++) {
		assert_non_null(mr_changes[i].id);
		assert_non_null(mr_changes[i].words);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(mr_changes[i].id, mr_changes[k].id);
	}
}

TEST(flags_that_are_there_are_left_out)
{
	const uint32_t access = MR_ACCESS_REMOTE_READ | MR_ACCESS_MW_BIND | MR_ACCESS_ON_DEMAND;

	ask(MR_REG_MR, ADDR, PAGE, access);
	assert_true(access_becomes(MR_TRY_NO_REMOTE_READ, access & ~MR_ACCESS_REMOTE_READ));
	assert_true(access_becomes(MR_TRY_NO_MW_BIND, access & ~MR_ACCESS_MW_BIND));
	assert_true(access_becomes(MR_TRY_NO_ON_DEMAND, access & ~MR_ACCESS_ON_DEMAND));
	assert_false(changes(MR_TRY_NO_REMOTE_WRITE));
	assert_false(changes(MR_TRY_NO_HUGETLB));
	assert_false(changes(MR_TRY_NO_OTHER_FLAGS));
	assert_true(access_becomes(MR_TRY_LOCAL_WRITE, access | MR_ACCESS_LOCAL_WRITE));
}

TEST(local_write_stays_where_another_flag_needs_it)
{
	ask(MR_REG_MR, ADDR, PAGE, MR_ACCESS_LOCAL_WRITE | MR_ACCESS_REMOTE_ATOMIC);
	assert_false(changes(MR_TRY_NO_LOCAL_WRITE));
	assert_false(changes(MR_TRY_LOCAL_WRITE));
	ask(MR_REG_MR, ADDR, PAGE, MR_ACCESS_LOCAL_WRITE);
	assert_true(access_becomes(MR_TRY_NO_LOCAL_WRITE, 0));
}

TEST(flags_without_a_name_are_one_change)
{
	ask(MR_REG_MR, ADDR, PAGE, MR_ACCESS_LOCAL_WRITE | 1U << 15 | 1U << 19);
	assert_true(access_becomes(MR_TRY_NO_OTHER_FLAGS, MR_ACCESS_LOCAL_WRITE));
}

TEST(a_device_that_does_not_report_it_is_not_asked_for_on_demand_paging)
{
	ask(MR_REG_MR, ADDR, PAGE, 0);
	assert_false(changes(MR_TRY_ON_DEMAND));
}

TEST(ranges_become_shorter)
{
	ask(MR_REG_MR, ADDR + 256, 5 * PAGE, 0);
	assert_true(range_becomes(MR_TRY_HALF, ADDR + 256, 2 * PAGE));
	assert_true(range_becomes(MR_TRY_PAGE, ADDR + 256, PAGE - 256));
	assert_true(range_becomes(MR_TRY_ALIGNED, ADDR, 6 * PAGE));
	ask(MR_REG_MR, ADDR, 2 * PAGE, 0);
	assert_true(range_becomes(MR_TRY_HALF, ADDR, PAGE));
	assert_false(changes(MR_TRY_PAGE)); /* that is the half */
	assert_false(changes(MR_TRY_ALIGNED));
	ask(MR_REG_MR, ADDR, 100, 0);
	assert_true(range_becomes(MR_TRY_HALF, ADDR, 50));
	assert_false(changes(MR_TRY_PAGE));
	ask(MR_REG_MR, ADDR, 1, 0);
	assert_false(changes(MR_TRY_HALF));
}

TEST(an_iova_becomes_the_address_and_moves_with_whole_pages)
{
	ask(MR_REG_MR_IOVA, ADDR + 256, PAGE, 0);
	bench.request.iova = 0x10100;
	assert_true(changes(MR_TRY_IOVA));
	assert_int_equal(variant.request.iova, ADDR + 256);
	assert_true(range_becomes(MR_TRY_ALIGNED, ADDR, 2 * PAGE));
	assert_int_equal(variant.request.iova, 0x10000);
	bench.request.iova = ADDR + 256;
	assert_false(changes(MR_TRY_IOVA));
	ask(MR_REG_MR, ADDR, PAGE, 0);
	bench.request.iova = 0; /* the call is not given one */
	assert_false(changes(MR_TRY_IOVA));
}

TEST(fresh_memory_is_as_long_and_goes_again)
{
	ask(MR_REG_MR, ADDR + 256, PAGE, 0);
	assert_true(mr_variant_init(&variant, &bench, &mr_changes[MR_TRY_FRESH_MEMORY]));
	assert_string_equal(variant.reason, "");
	assert_int_equal(variant.request.addr % PAGE, 256);
	assert_int_not_equal(variant.request.addr, bench.request.addr);
	assert_int_equal(variant.request.length, PAGE);
	memset((void *)(uintptr_t)variant.request.addr, 1, PAGE);
	mr_variant_release(&variant);
	ask(MR_REG_MR, ADDR, 2 * MIB, 0);
	assert_true(changes(MR_TRY_FRESH_MEMORY));
	assert_string_equal(variant.reason, "it takes 2 MiB, and half of MemAvailable is 1 MiB");
	ask(MR_REG_MR, ADDR, 0, 0);
	assert_false(changes(MR_TRY_FRESH_MEMORY));
	ask(MR_REG_DMABUF_MR, 0, PAGE, 0);
	assert_false(changes(MR_TRY_FRESH_MEMORY));
}

TEST(dmabufs)
{
	ask(MR_REG_DMABUF_MR, 2 * PAGE, PAGE, 0);
	assert_true(range_becomes(MR_TRY_OFFSET_0, 0, PAGE));
	assert_false(changes(MR_TRY_NO_DATA_DIRECT));
	assert_false(changes(MR_TRY_ON_DEMAND));
	ask(MR_DV_REG_DMABUF_MR, 0, PAGE, 0);
	assert_false(changes(MR_TRY_OFFSET_0));
	assert_true(changes(MR_TRY_NO_DATA_DIRECT));
	assert_int_equal(variant.request.call, MR_REG_DMABUF_MR);
	ask(MR_REG_DMABUF_MR, UINT64_MAX - PAGE + 1, 2 * PAGE, 0);
	assert_false(changes(MR_TRY_UDMABUF)); /* no dma-buf is as long */
	ask(MR_REG_DMABUF_MR, 0, 2 * MIB, 0);
	assert_true(changes(MR_TRY_UDMABUF));
	assert_string_equal(variant.reason, "it takes 2 MiB, and half of MemAvailable is 1 MiB");
	ask(MR_REG_MR, ADDR, PAGE, 0);
	assert_false(changes(MR_TRY_OFFSET_0));
	assert_false(changes(MR_TRY_UDMABUF));
}

TEST(umems_have_any_page_size)
{
	ask(MR_UMEM_REG_EX, ADDR, PAGE, 0);
	assert_true(changes(MR_TRY_ANY_PAGE_SIZE));
	assert_int_equal(variant.request.call, MR_UMEM_REG);
	ask(MR_UMEM_REG_EX_DMABUF, 0, PAGE, 0);
	assert_true(changes(MR_TRY_ANY_PAGE_SIZE));
	assert_int_equal(variant.request.call, MR_UMEM_REG_DMABUF);
	ask(MR_UMEM_REG, ADDR, PAGE, 0);
	assert_false(changes(MR_TRY_ANY_PAGE_SIZE));
	assert_false(changes(MR_TRY_OTHER_PD)); /* a umem is in none */
}

TEST(the_other_path_has_the_name_of_its_call)
{
	ask(MR_REG_MR, ADDR, PAGE, 0);
	assert_true(changes(MR_TRY_OTHER_PATH));
	assert_int_equal(variant.registrar.via, MR_VIA_KERNEL);
	assert_string_equal(variant.words, "by ioctl(REG_MR)");
	bench.base.via = MR_VIA_KERNEL;
	assert_true(changes(MR_TRY_OTHER_PATH));
	assert_int_equal(variant.registrar.via, MR_VIA_LIBRARY);
	assert_string_equal(variant.words, "by ibv_reg_mr");
	ask(MR_ALLOC_NULL_MR, 0, 0, 0);
	bench.operation = MR_OP_NULL_MR;
	assert_false(changes(MR_TRY_OTHER_PATH)); /* the kernel has none */
}

TEST(another_pd_is_made_and_goes_again)
{
	ask(MR_REG_MR, ADDR, PAGE, 0);
	library.pd.handle = 7;
	assert_true(mr_variant_init(&variant, &bench, &mr_changes[MR_TRY_OTHER_PD]));
	assert_ptr_equal(variant.registrar.pd, &library.pd);
	assert_int_equal(variant.registrar.pd_handle, 7);
	assert_int_equal(library.pds, 1);
	mr_variant_release(&variant);
	assert_int_equal(library.pds, 0);
	library.pd_errno = ENOMEM;
	assert_true(changes(MR_TRY_OTHER_PD));
	assert_contains(variant.reason, "ENOMEM");
}

TEST(the_call_itself_is_not_changed)
{
	ask(MR_REG_MR_IOVA, ADDR, PAGE, MR_ACCESS_LOCAL_WRITE);
	for (int change = MR_TRY_UNCHANGED; change <= MR_TRY_ANEW; change++) {
		assert_true(changes((enum mr_try_change)change));
		assert_memory_equal(&variant.request, &bench.request, sizeof(bench.request));
		assert_string_equal(variant.reason, "");
	}
}

EACH_TEST(library_reset, NULL)
