// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The request that each change makes from a refused one. */
#include <infiniband/verbs.h>

#include "lib/diagnose/trial/trial.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

#define PAGE   UINT64_C(4096)
#define BEGIN  UINT64_C(0x7f0000000000) /* a page */
#define MIB    (UINT64_C(1) << 20)
#define WRITE  MR_ACCESS_LOCAL_WRITE

static struct ibv_context context;
static struct ibv_pd session_pd;

static struct mr_bench bench;
static struct mr_variant variant;

static void ask(enum mr_region_call call, uint64_t addr, uint64_t length, uint32_t access)
{
	const bool is_dmabuf = mr_region_is_dmabuf(call);

	bench = (struct mr_bench){
		.operation = is_dmabuf ? MR_OP_REG_DMABUF : MR_OP_REG,
		.request = { .call = call, .addr = addr, .length = length, .iova = addr, .access = access, .fd = -1 },
		.base = { .via = MR_VIA_LIBRARY, .context = &context, .pd = &session_pd },
		.context = &context,
		.pd = &session_pd,
		.page = PAGE,
		.available = MIB,
		.available_by = "MemAvailable",
	};
	if (mr_region_kind(call) == MR_KIND_UMEM)
		bench.operation = is_dmabuf ? MR_OP_UMEM_DMABUF : MR_OP_UMEM;
}

/* Whether the change is one for the call; what it makes of the call stays in "variant". */
static bool changes(enum mr_try_change change)
{
	const bool is_one = mr_variant_init(&variant, &bench, &mr_changes[change]);

	mr_variant_release(&variant);
	return is_one;
}

struct changed {
	enum mr_region_call call;
	uint64_t addr, length;
	uint32_t access;
	enum mr_try_change change;
	bool is_one;
	/* what becomes of the call; 0: the same as before */
	enum mr_region_call to;
	uint64_t addr_to, length_to;
	uint32_t access_to;
};

#define ODD    (BEGIN + 256)
#define READ   MR_ACCESS_REMOTE_READ
#define BIND   MR_ACCESS_MW_BIND
#define ODP    MR_ACCESS_ON_DEMAND
#define FLAGS  (READ | BIND | ODP)
#define NO(c)  MR_TRY_##c, .is_one = false
#define YES(c) MR_TRY_##c, .is_one = true

static const struct changed rows[] = {
	{ MR_REG_MR, BEGIN, PAGE, FLAGS, YES(NO_REMOTE_READ), .access_to = BIND | ODP },
	{ MR_REG_MR, BEGIN, PAGE, FLAGS, NO(NO_HUGETLB) },
	{ MR_REG_MR, BEGIN, PAGE, FLAGS, NO(NO_OTHER_FLAGS) },
	/* another flag needs it */
	{ MR_REG_MR, BEGIN, PAGE, WRITE | MR_ACCESS_REMOTE_ATOMIC, NO(NO_LOCAL_WRITE) },
	{ MR_REG_MR, BEGIN, PAGE, WRITE | MR_ACCESS_REMOTE_ATOMIC, NO(LOCAL_WRITE) },
	{ MR_REG_MR, BEGIN, PAGE, WRITE | MR_ACCESS_RELAXED_ORDERING, YES(NO_LOCAL_WRITE),
	  .access_to = MR_ACCESS_RELAXED_ORDERING },
	{ MR_REG_MR, BEGIN, PAGE, WRITE | 1U << 15 | 1U << 19, YES(NO_OTHER_FLAGS), .access_to = WRITE },
	{ MR_REG_MR, ODD, 5 * PAGE, 0, YES(HALF), .length_to = 2 * PAGE },
	{ MR_REG_MR, ODD, 5 * PAGE, 0, YES(PAGE), .length_to = PAGE - 256 },
	{ MR_REG_MR, ODD, 5 * PAGE, 0, YES(ALIGNED), .addr_to = BEGIN, .length_to = 6 * PAGE },
	{ MR_REG_MR, BEGIN, 2 * PAGE, 0, YES(HALF), .length_to = PAGE },
	{ MR_REG_MR, BEGIN, 2 * PAGE, 0, NO(PAGE) }, /* that is the half */
	{ MR_REG_MR, BEGIN, 2 * PAGE, 0, NO(ALIGNED) },
	{ MR_REG_MR, BEGIN, 100, 0, YES(HALF), .length_to = 50 },
	{ MR_REG_MR, BEGIN, 100, 0, NO(PAGE) },
	{ MR_REG_MR, BEGIN, 1, 0, NO(HALF) },
	{ MR_REG_MR, BEGIN, PAGE, 0, NO(IOVA) }, /* the call is not given one */
	{ MR_REG_MR, BEGIN, PAGE, 0, NO(OFFSET_0) },
	{ MR_REG_MR, BEGIN, 0, 0, NO(FRESH_MEMORY) },
	{ MR_REG_DMABUF_MR, 2 * PAGE, PAGE, 0, NO(ON_DEMAND) },
	{ MR_REG_DMABUF_MR, 2 * PAGE, PAGE, 0, NO(FRESH_MEMORY) },
	{ MR_REG_DMABUF_MR, UINT64_MAX - PAGE + 1, 2 * PAGE, 0, NO(UDMABUF) }, /* none is as long */
	{ MR_DV_REG_DMABUF_MR, 0, PAGE, 0, NO(OFFSET_0) },
	{ MR_DV_REG_DMABUF_MR, 0, PAGE, 0, YES(NO_DATA_DIRECT), .to = MR_REG_DMABUF_MR },
	{ MR_UMEM_REG_EX, BEGIN, PAGE, 0, YES(ANY_PAGE_SIZE), .to = MR_UMEM_REG },
	{ MR_UMEM_REG_EX_DMABUF, 0, PAGE, 0, YES(ANY_PAGE_SIZE), .to = MR_UMEM_REG_DMABUF },
	{ MR_UMEM_REG, BEGIN, PAGE, 0, NO(ANY_PAGE_SIZE) },
	{ MR_UMEM_REG, BEGIN, PAGE, 0, NO(OTHER_PD) }, /* a umem is in none */
};

TEST(a_change_makes_another_request_where_it_is_one)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct changed *row = &rows[i];
		const char *what = mr_changes[row->change].words;

		ask(row->call, row->addr, row->length, row->access);
		assert_equal_for(what, changes(row->change), row->is_one);
		if (!row->is_one)
			continue;
		assert_equal_for(what, variant.request.call, row->to ?: row->call);
		assert_equal_for(what, variant.request.addr, row->addr_to ?: row->addr);
		assert_equal_for(what, variant.request.length, row->length_to ?: row->length);
		assert_equal_for(what, variant.request.access, row->access_to ?: row->access);
		assert_string_equal(variant.reason, "");
	}
	ask(MR_REG_DMABUF_MR, 2 * PAGE, PAGE, 0);
	assert_true(changes(MR_TRY_OFFSET_0) && !variant.request.addr);
	ask(MR_REG_MR, BEGIN, PAGE, WRITE);
	assert_true(changes(MR_TRY_NO_LOCAL_WRITE) && !variant.request.access);
}

TEST(an_iova_becomes_the_address_and_moves_with_whole_pages)
{
	ask(MR_REG_MR_IOVA, ODD, PAGE, 0);
	bench.request.iova = 0x10100;
	assert_true(changes(MR_TRY_IOVA));
	assert_int_equal(variant.request.iova, ODD);
	assert_true(changes(MR_TRY_ALIGNED));
	assert_int_equal(variant.request.iova, 0x10000);
	bench.request.iova = ODD;
	assert_false(changes(MR_TRY_IOVA));
}

TEST(fresh_memory_is_as_long_and_goes_again)
{
	static const char too_much[] = "it takes 2 MiB, and half of MemAvailable is 1 MiB";

	ask(MR_REG_MR, ODD, PAGE, 0);
	assert_true(mr_variant_init(&variant, &bench, &mr_changes[MR_TRY_FRESH_MEMORY]));
	assert_string_equal(variant.reason, "");
	assert_int_equal(variant.request.addr % PAGE, 256);
	assert_int_not_equal(variant.request.addr, bench.request.addr);
	assert_int_equal(variant.request.length, PAGE);
	memset((void *)(uintptr_t)variant.request.addr, 1, PAGE);
	mr_variant_release(&variant);
	ask(MR_REG_MR, BEGIN, 2 * MIB, 0);
	assert_true(changes(MR_TRY_FRESH_MEMORY));
	assert_string_equal(variant.reason, too_much);
	ask(MR_REG_DMABUF_MR, 0, 2 * MIB, 0);
	assert_true(changes(MR_TRY_UDMABUF));
	assert_string_equal(variant.reason, too_much);
}

TEST(the_other_path)
{
	ask(MR_REG_MR, BEGIN, PAGE, 0);
	assert_true(changes(MR_TRY_OTHER_PATH) && variant.registrar.via == MR_VIA_KERNEL);
	assert_string_equal(variant.words, "by ioctl(REG_MR)");
	bench.base.via = MR_VIA_KERNEL;
	assert_true(changes(MR_TRY_OTHER_PATH) && variant.registrar.via == MR_VIA_LIBRARY);
	ask(MR_ALLOC_NULL_MR, 0, 0, 0);
	bench.operation = MR_OP_NULL_MR;
	assert_false(changes(MR_TRY_OTHER_PATH)); /* the kernel has none */
}
