// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Repeating a refused call, with a library whose rules each test makes up. */
#include "lib/diagnose/trial/make.h"

#include <signal.h>

#include "lib/base/signals.h"
#include "lib/verbs/access.h"
#include "lib/verbs/uverbs.h"
#include "tests/unit/lib/diagnose/trial/library.h"

#define ADDR   UINT64_C(0x7f0000000100)
#define LENGTH UINT64_C(65536)

static struct ibv_context context;
static struct ibv_pd session_pd;
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
	if (!library.dereg_errno)
		assert_int_equal(library.mrs, 0);
}

/* Whether the try of a change was made and passed. */
static bool passes(enum mr_try_change change)
{
	const struct mr_try *try = mr_tries_find(&tries, change);

	return try && !try->errnum;
}

static size_t passing(void)
{
	size_t count = 0;

	for (size_t i = 0; i < tries.count; i++)
		count += tries.list[i].made && !tries.list[i].errnum;
	return count;
}

static int lint(uint64_t addr, uint64_t length, uint64_t iova, uint32_t access)
{
	(void)addr;
	(void)length;
	(void)iova;
	return access & MR_ACCESS_REMOTE_WRITE && !(access & MR_ACCESS_LOCAL_WRITE) ? EINVAL : 0;
}

static int old_memory(uint64_t addr, uint64_t length, uint64_t iova, uint32_t access)
{
	(void)length;
	(void)iova;
	(void)access;
	if (addr / 4096 == ADDR / 4096)
		return EFAULT;
	assert_int_equal(addr % 4096, ADDR % 4096);
	return 0;
}

static int too_long(uint64_t addr, uint64_t length, uint64_t iova, uint32_t access)
{
	(void)addr;
	(void)iova;
	(void)access;
	return length > LENGTH / 2 ? ENOMEM : 0;
}

static int always(uint64_t addr, uint64_t length, uint64_t iova, uint32_t access)
{
	(void)addr;
	(void)length;
	(void)iova;
	(void)access;
	return EINVAL;
}

TEST(the_changes_that_pass_show_the_difference_and_are_taken_back)
{
	library.rule = lint;
	refuse(EINVAL, MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_READ);
	make_tries(MR_TRIES_NS);
	assert_true(tries.is_refused_again);
	assert_int_equal(tries.list[0].change, MR_TRY_UNCHANGED);
	assert_int_equal(tries.list[0].errnum, EINVAL);
	assert_true(passes(MR_TRY_NO_REMOTE_WRITE));
	assert_true(passes(MR_TRY_LOCAL_WRITE));
	assert_int_equal(passing(), 2);
	assert_string_equal(tries.note, "");
	for (size_t i = 1; i < tries.count; i++)
		assert_true(tries.list[i].change > tries.list[i - 1].change);
}

TEST(one_thing_is_changed_at_a_time)
{
	library.rule = too_long;
	refuse(ENOMEM, MR_ACCESS_LOCAL_WRITE);
	make_tries(MR_TRIES_NS);
	assert_true(passes(MR_TRY_HALF));
	assert_true(passes(MR_TRY_PAGE));
	assert_int_equal(passing(), 2);
}

TEST(fresh_memory_is_elsewhere_at_the_same_place_in_its_page)
{
	library.rule = old_memory;
	refuse(EFAULT, MR_ACCESS_LOCAL_WRITE);
	make_tries(MR_TRIES_NS);
	assert_true(passes(MR_TRY_FRESH_MEMORY));
	assert_int_equal(passing(), 1);
}

TEST(what_passes_now_is_not_changed)
{
	refuse(EINVAL, MR_ACCESS_LOCAL_WRITE);
	make_tries(MR_TRIES_NS);
	assert_false(tries.is_refused_again);
	assert_int_equal(tries.count, 1);
	assert_int_equal(tries.list[0].errnum, 0);
	assert_int_equal(library.calls, 1);
}

TEST(another_errno_than_before_ends_the_tries)
{
	library.rule = always;
	refuse(ENOMEM, MR_ACCESS_LOCAL_WRITE);
	make_tries(MR_TRIES_NS);
	assert_false(tries.is_refused_again);
	assert_int_equal(tries.count, 1);
	assert_int_equal(tries.list[0].errnum, EINVAL);
}

TEST(a_region_that_stays_ends_the_tries)
{
	library.rule = lint;
	library.dereg_errno = EBUSY;
	refuse(EINVAL, MR_ACCESS_REMOTE_WRITE);
	make_tries(MR_TRIES_NS);
	assert_int_equal(library.mrs, 1);
	assert_int_equal(tries.list[tries.count - 1].change, MR_TRY_NO_REMOTE_WRITE);
	assert_contains(tries.list[tries.count - 1].reason, "it stays until mrctl ends");
	assert_string_equal(tries.note, "no more, as without remote-write could not be taken back");
}

TEST(the_time_for_tries_ends)
{
	library.rule = always;
	refuse(EINVAL, MR_ACCESS_LOCAL_WRITE);
	make_tries(0);
	assert_int_equal(tries.count, 0);
	assert_string_equal(tries.note, "nothing, as the time for tries is over");
	make_tries(1);
	assert_int_equal(tries.count, 1);
	assert_string_equal(tries.note, "no more, as the time for tries is over");
}

TEST(memory_that_is_not_there_is_not_pinned)
{
	const struct mr_try *try;

	library.rule = always;
	refuse(EINVAL, MR_ACCESS_LOCAL_WRITE | MR_ACCESS_REMOTE_READ);
	request.length = UINT64_C(1) << 56;
	make_tries(MR_TRIES_NS);
	assert_true(tries.is_refused_again);
	assert_null(mr_tries_find(&tries, MR_TRY_NO_REMOTE_READ));
	assert_null(mr_tries_find(&tries, MR_TRY_FRESH_MEMORY));
	assert_non_null(mr_tries_find(&tries, MR_TRY_PAGE));
	try = &tries.list[1];
	assert_int_equal(try->change, MR_TRY_NO_LOCAL_WRITE);
	assert_false(try->made);
	assert_contains(try->reason, "it takes 64 PiB, and half of ");
}

/* The region of a change is @LENGTH bytes of this process. */
static struct mr_rereg_request change(uint32_t changes, uint32_t access)
{
	refuse(EINVAL, MR_ACCESS_LOCAL_WRITE);
	refusal.call = "ibv_rereg_mr";
	refusal.request = NULL;
	refusal.region_known = true;
	refusal.region_call = MR_REG_MR;
	refusal.region_addr = refusal.region_iova = ADDR;
	refusal.region_length = LENGTH;
	return (struct mr_rereg_request){ .changes = changes, .access = access };
}

TEST(a_change_of_a_region_is_registered_anew)
{
	const struct mr_rereg_request rereg =
		change(MR_CHANGE_ACCESS, MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_READ);

	library.rule = lint;
	refusal.rereg = &rereg;
	make_tries(MR_TRIES_NS);
	assert_int_equal(tries.list[0].change, MR_TRY_ANEW);
	assert_true(tries.is_refused_again);
	assert_true(passes(MR_TRY_LOCAL_WRITE));
}

TEST(memory_of_another_process_is_not_registered)
{
	const struct mr_rereg_request rereg = change(MR_CHANGE_ACCESS, MR_ACCESS_REMOTE_WRITE);

	refusal.rereg = &rereg;
	refusal.is_own = false;
	make_tries(MR_TRIES_NS);
	assert_int_equal(tries.count, 0);
	assert_int_equal(library.calls, 0);
	assert_string_equal(tries.note, "nothing, as the memory of the region is not this "
					"process's");
}

TEST(what_frees_is_not_repeated)
{
	refuse(EBUSY, 0);
	refusal.call = "ibv_dereg_mr";
	make_tries(MR_TRIES_NS);
	assert_int_equal(tries.count, 0);
	assert_string_equal(tries.note, "nothing, as a call that frees an object is not repeated");
}

/* The second call is interrupted. */
static int interrupting(uint64_t addr, uint64_t length, uint64_t iova, uint32_t access)
{
	if (library.calls == 2)
		raise(SIGTERM);
	return always(addr, length, iova, access);
}

TEST(a_signal_ends_the_tries)
{
	library.rule = interrupting;
	refuse(EINVAL, MR_ACCESS_LOCAL_WRITE | MR_ACCESS_REMOTE_READ);
	mr_signals_block();
	make_tries(MR_TRIES_NS);
	assert_int_equal(library.calls, 2);
	assert_string_equal(tries.note, "no more, as a signal has come");
	make_tries(MR_TRIES_NS);
	assert_int_equal(library.calls, 2);
	assert_string_equal(tries.note, "nothing, as a signal has come");
	mr_signals_ignore(); /* takes the pending one away */
}

EACH_TEST(library_reset, NULL)
