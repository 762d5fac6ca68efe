// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The search for the largest registration.  This file replaces ibv_reg_mr() and ibv_dereg_mr(). */
#include <errno.h>
#include <infiniband/verbs.h>

#include "lib/probe/max_size.h"
#include "tests/unit/unit.h"

#undef ibv_reg_mr

#define PAGE UINT64_C(4096)

static uint64_t limit;    /* bytes that may be registered at once */
static uint64_t most;     /* that were */
static int refusal;       /* the errno beyond the limit */
static int interruptions; /* so many calls answer EINTR first */
static int dereg_answer;  /* errno of deregistering */
static int registered, steps;

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	static struct ibv_mr mr;

	errno = interruptions > 0 ? EINTR : length > limit ? refusal : 0;
	interruptions--;
	if (errno)
		return NULL;
	most = length > most ? length : most;
	registered++;
	mr = (struct ibv_mr){ .pd = pd, .addr = addr, .length = length };
	assert_int_equal(access, IBV_ACCESS_LOCAL_WRITE);
	return &mr;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	(void)mr;
	registered -= !dereg_answer;
	return dereg_answer;
}

static void step(uint64_t bytes, void *data)
{
	assert_ptr_equal(data, &steps);
	assert_true(bytes % PAGE == 0);
	steps++;
}

static struct ibv_context context;
static struct ibv_pd pd = { .context = &context };
static const struct mr_environment environment;

static void find(uint64_t allowed, uint64_t cap, struct mr_max_size *found)
{
	struct mr_probe probe = { .page = PAGE,
				  .environment = &environment,
				  .library = { .context = &context, .pd = &pd } };
	struct mr_error err;

	limit = allowed;
	refusal = refusal ? refusal : ENOMEM;
	most = 0;
	registered = 0;
	assert_int_equal(mr_max_size_find(&probe, (struct mr_opt_u64){ cap, true }, step, &steps,
					  found, &err),
			 0);
	assert_true(most <= cap);
	assert_true(dereg_answer || !registered);
}

TEST(a_limit_is_found_to_the_page)
{
	struct mr_max_size found;

	for (uint64_t pages = 1; pages < 70; pages++) {
		find(pages * PAGE, 100 * PAGE, &found);
		assert_true(found.size.known && found.refused.known);
		assert_int_equal(found.size.value, pages * PAGE);
		assert_int_equal(found.refused.value, (pages + 1) * PAGE);
		assert_string_equal(found.err.call, "ibv_reg_mr");
		assert_int_equal(found.err.errnum, ENOMEM);
		assert_true(found.tries <= 15);
	}
}

TEST(a_large_limit_is_found_to_a_thousandth)
{
	struct mr_max_size found;

	find(9999 * PAGE, 16384 * PAGE, &found);
	assert_true(found.size.value <= limit && found.refused.value > limit);
	assert_true(found.refused.value - found.size.value <= PAGE + found.size.value / 1024);
	assert_true(found.tries < 30);
}

TEST(the_cap_is_tried_and_nothing_beyond)
{
	struct mr_max_size found;

	for (uint64_t pages = 1; pages < 70; pages++) {
		find(UINT64_MAX, pages * PAGE + PAGE / 2, &found);
		assert_int_equal(found.size.value, pages * PAGE);
		assert_false(found.refused.known);
		assert_null(found.limit);
		assert_int_equal(found.err.errnum, 0);
	}
}

TEST(a_cap_beyond_what_is_available_is_lowered)
{
	struct mr_max_size found;

	find(2 * PAGE, UINT64_MAX, &found);
	assert_true(found.cap < UINT64_MAX / 2);
	assert_non_null(found.cap_by);
	assert_int_equal(found.size.value, 2 * PAGE);
}

TEST(where_nothing_can_be_registered_no_size_is_known)
{
	struct mr_max_size found;

	refusal = EPERM;
	find(0, 8 * PAGE, &found);
	refusal = 0;
	assert_false(found.size.known);
	assert_int_equal(found.refused.value, PAGE);
	assert_int_equal(found.err.errnum, EPERM);
	assert_int_equal(found.tries, 1);
}

TEST(an_interrupted_call_is_made_again_but_not_forever)
{
	struct mr_max_size found;

	interruptions = 4;
	find(UINT64_MAX, 4 * PAGE, &found);
	assert_int_equal(found.size.value, 4 * PAGE);
	assert_int_equal(found.tries, 7);
	interruptions = 1000;
	find(UINT64_MAX, 4 * PAGE, &found);
	interruptions = 0;
	assert_false(found.size.known);
	assert_int_equal(found.err.errnum, EINTR);
	assert_int_equal(found.tries, 5);
}

TEST(a_region_that_stays_ends_the_search)
{
	struct mr_max_size found;

	dereg_answer = EIO;
	find(UINT64_MAX, 64 * PAGE, &found);
	dereg_answer = 0;
	assert_int_equal(found.tries, 1);
	assert_int_equal(found.size.value, PAGE);
	assert_string_equal(found.err.call, "ibv_dereg_mr");
}

TEST(a_device_that_fails_refuses_no_size)
{
	static const int gone[] = { EIO, ENODEV };
	struct mr_max_size found;

	for (size_t i = 0; i < ARRAY_SIZE(gone); i++) {
		refusal = gone[i];
		find(5 * PAGE, 64 * PAGE, &found);
		assert_int_equal(found.size.value, 4 * PAGE);
		assert_false(found.refused.known);
		assert_int_equal(found.err.errnum, gone[i]);
		assert_int_equal(found.tries, 4);
	}
	refusal = 0;
}
