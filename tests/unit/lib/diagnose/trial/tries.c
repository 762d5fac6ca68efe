// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Repeating a refused call with changes.  This file replaces calls of libibverbs: each test says what they refuse. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>

#include <infiniband/verbs.h>

#include "lib/base/signals.h"
#include "lib/diagnose/trial/changes.h"
#include "lib/diagnose/trial/make.h"
#include "lib/verbs/access.h"
#include "lib/verbs/uverbs.h"
#include "tests/unit/unit.h"

#define PAGE   UINT64_C(4096)
#define BEGIN  UINT64_C(0x7f0000000000) /* a page */
#define ADDR   (BEGIN + 256)
#define LENGTH UINT64_C(65536)
#define MIB    (UINT64_C(1) << 20)
#define WRITE  MR_ACCESS_LOCAL_WRITE

/* ---- a libibverbs ---- */

/* A registration that is asked for. */
struct asked {
	uint64_t addr, length;
	uint32_t access;
};

typedef int rule_function(const struct asked *asked);

static struct {
	rule_function *rule;    /* errno of a registration */
	int pd_errno;           /* of ibv_alloc_pd(), or 0 */
	int calls, interrupted; /* registrations, and that of them at which a signal comes */
	int mrs, pds;           /* objects that are there */
	struct ibv_mr mr;
	struct ibv_pd pd;
} library;

#undef ibv_reg_mr
#undef ibv_reg_mr_iova
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	const struct asked asked = { (uintptr_t)addr, length, (uint32_t)access };

	assert_non_null(pd);
	library.calls++;
	errno = library.rule ? library.rule(&asked) : 0;
	library.mrs += !errno;
	return errno ? NULL : &library.mr;
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova __attribute__((unused)),
			       int access)
{
	return ibv_reg_mr(pd, addr, length, access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	assert_ptr_equal(mr, &library.mr);
	library.mrs--;
	return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	assert_non_null(context);
	errno = library.pd_errno;
	library.pds += !library.pd_errno;
	return library.pd_errno ? NULL : &library.pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	assert_ptr_equal(pd, &library.pd);
	library.pds--;
	return 0;
}

/* The device tells nothing of itself. */
int ibv_query_device(struct ibv_context *context __attribute__((unused)),
		     struct ibv_device_attr *attributes __attribute__((unused)))
{
	return EOPNOTSUPP;
}

/* Newer functions, which are looked up while a program runs, would be those of the real one. */
void *dlopen(const char *file __attribute__((unused)), int mode __attribute__((unused)))
{
	return NULL;
}

static int reset(void **state)
{
	(void)state;
	memset(&library, 0, sizeof(library));
	return 0;
}

EACH_TEST(reset, NULL)

static struct ibv_context context;
static struct ibv_pd session_pd;

/* ---- what each change makes of a request ---- */

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
	{ MR_REG_MR, BEGIN, PAGE, 0, NO(ON_DEMAND) }, /* the device reports none */
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

TEST(another_path_and_another_pd)
{
	ask(MR_REG_MR, BEGIN, PAGE, 0);
	assert_true(changes(MR_TRY_OTHER_PATH) && variant.registrar.via == MR_VIA_KERNEL);
	assert_string_equal(variant.words, "by ioctl(REG_MR)");
	bench.base.via = MR_VIA_KERNEL;
	assert_true(changes(MR_TRY_OTHER_PATH) && variant.registrar.via == MR_VIA_LIBRARY);
	ask(MR_ALLOC_NULL_MR, 0, 0, 0);
	bench.operation = MR_OP_NULL_MR;
	assert_false(changes(MR_TRY_OTHER_PATH)); /* the kernel has none */
	ask(MR_REG_MR, BEGIN, PAGE, 0);
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

/* ---- tries ---- */

static struct mr_environment environment;
static struct mr_uverbs uverbs;
static struct mr_registrar registrar;
static struct mr_region_request request;
static struct mr_refusal refusal;
static struct mr_tries tries;

static void refuse(int errnum, uint32_t access)
{
	environment = (struct mr_environment){ .provider = "mlx5", .device = "mlx5_0" };
	uverbs = (struct mr_uverbs){ .fd = -1 };
	registrar = (struct mr_registrar){ .context = &context, .pd = &session_pd };
	request = (struct mr_region_request){
		.call = MR_REG_MR, .addr = ADDR, .iova = ADDR, .length = LENGTH, .access = access
	};
	refusal = (struct mr_refusal){ .call = "ibv_reg_mr",
				       .errnum = errnum,
				       .kind = MR_ERROR_REFUSED,
				       .environment = &environment,
				       .registrar = &registrar,
				       .context = &context,
				       .library_pd = &session_pd,
				       .is_own = true,
				       .uverbs = &uverbs,
				       .request = &request };
}

static void make_tries(uint64_t ns)
{
	mr_tries_make(&refusal, ns, &tries);
	assert_int_equal(library.pds, 0);
	assert_int_equal(library.mrs, 0);
	for (size_t i = 1; i < tries.count; i++)
		assert_true(tries.list[i].change > tries.list[i - 1].change);
}

static int lint(const struct asked *asked)
{
	return asked->access & MR_ACCESS_REMOTE_WRITE && !(asked->access & WRITE) ? EINVAL : 0;
}

static int old_memory(const struct asked *asked)
{
	if (asked->addr / PAGE == ADDR / PAGE)
		return EFAULT;
	assert_int_equal(asked->addr % PAGE, ADDR % PAGE);
	return 0;
}

static int too_long(const struct asked *asked)
{
	return asked->length > LENGTH / 2 ? ENOMEM : 0;
}

static int always(const struct asked *asked)
{
	(void)asked;
	if (library.calls == library.interrupted)
		raise(SIGTERM);
	return EINVAL;
}

TEST(the_changes_that_pass_show_the_difference_and_are_taken_back)
{
	static const struct {
		rule_function *rule;
		int errnum;
		uint32_t access;
		uint64_t passing; /* bits of changes */
		bool is_refused_again;
	} cases[] = {
		{ lint, EINVAL, MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_READ,
		  MR_CURED_BY(NO_REMOTE_WRITE) | MR_CURED_BY(LOCAL_WRITE), true },
		{ too_long, ENOMEM, WRITE, MR_CURED_BY(HALF) | MR_CURED_BY(PAGE), true },
		{ old_memory, EFAULT, WRITE, MR_CURED_BY(FRESH_MEMORY), true },
		{ NULL, EINVAL, WRITE, MR_CURED_BY(UNCHANGED), false }, /* it passes now */
		{ always, ENOMEM, WRITE, 0, false },                    /* another errno than before */
	};
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t passing = 0;

		library.rule = cases[i].rule;
		refuse(cases[i].errnum, cases[i].access);
		library.calls = 0;
		make_tries(MR_TRIES_NS);
		for (size_t k = 0; k < tries.count; k++)
			if (tries.list[k].made && !tries.list[k].errnum)
				passing |= UINT64_C(1) << tries.list[k].change;
		print_message("case %zu\n", i);
		assert_int_equal(passing, cases[i].passing);
		assert_int_equal(tries.is_refused_again, cases[i].is_refused_again);
		assert_int_equal(tries.list[0].change, MR_TRY_UNCHANGED);
		assert_string_equal(tries.note, "");
		if (!cases[i].is_refused_again)
			assert_int_equal(tries.count * (size_t)library.calls, 1);
	}
	assert_int_equal(tries.list[0].errnum, EINVAL);
	tries.list[0].errnum = 4095;
	mr_tries_text(&tries, text, sizeof(text));
	assert_contains(text, "it answers an unknown errno now");
}

TEST(the_time_for_tries_ends)
{
	library.rule = always;
	refuse(EINVAL, WRITE);
	make_tries(0);
	assert_int_equal(tries.count, 0);
	assert_string_equal(tries.note, "nothing, as the time for tries is over");
	make_tries(1);
	assert_int_equal(tries.count, 1);
	assert_string_equal(tries.note, "no more, as the time for tries is over");
}

TEST(a_change_of_a_region_is_registered_anew_if_its_memory_is_here)
{
	const struct mr_rereg_request rereg = { .changes = MR_CHANGE_ACCESS,
						.access = MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_READ };

	library.rule = lint;
	refuse(EINVAL, WRITE);
	refusal.call = "ibv_rereg_mr";
	refusal.request = NULL;
	refusal.region_known = true;
	refusal.region_call = MR_REG_MR;
	refusal.region_addr = refusal.region_iova = ADDR;
	refusal.region_length = LENGTH;
	refusal.rereg = &rereg;
	make_tries(MR_TRIES_NS);
	assert_int_equal(tries.list[0].change, MR_TRY_ANEW);
	assert_true(tries.is_refused_again);
	assert_non_null(mr_tries_find(&tries, MR_TRY_LOCAL_WRITE));
	library.calls = 0;
	refusal.is_own = false;
	make_tries(MR_TRIES_NS);
	assert_int_equal(tries.count, 0);
	assert_int_equal(library.calls, 0);
	assert_contains(tries.note, "the memory of the region is not this process's");
	refusal.call = "ibv_dereg_mr"; /* what frees is not repeated */
	refusal.request = &request;
	make_tries(MR_TRIES_NS);
	assert_int_equal(tries.count, 0);
	assert_contains(tries.note, "frees an object");
}

TEST(a_signal_ends_the_tries)
{
	library.rule = always;
	library.interrupted = 2;
	refuse(EINVAL, WRITE | MR_ACCESS_REMOTE_READ);
	mr_signals_block();
	make_tries(MR_TRIES_NS);
	assert_int_equal(library.calls, 2);
	assert_string_equal(tries.note, "no more, as a signal has come");
	make_tries(MR_TRIES_NS);
	assert_int_equal(library.calls, 2);
	assert_string_equal(tries.note, "nothing, as a signal has come");
	mr_signals_ignore(); /* takes the pending one away */
}
