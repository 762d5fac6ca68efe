// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The search for the largest registration.  This file replaces ibv_reg_mr() and ibv_dereg_mr(). */
#include <infiniband/verbs.h>

#include "lib/probe/probe.h"
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

/* Searches where so many bytes are allowed, on a device whose max_mr_size is @reported (0: it tells none). */
static struct mr_max_size find(uint64_t allowed, uint64_t cap, uint64_t reported)
{
	struct mr_probe probe = { .page = PAGE,
				  .environment = &environment,
				  .has_attributes = reported != 0,
				  .attributes.max_mr_size = reported,
				  .library = { .context = &context, .pd = &pd } };
	struct mr_max_size found;
	struct mr_error err;

	limit = allowed;
	most = 0;
	registered = steps = 0;
	assert_int_equal(mr_max_size_find(&probe, (struct mr_opt_u64){ cap, true }, step, &steps, &found, &err), 0);
	assert_true(most <= cap);
	assert_true(dereg_answer || !registered);
	return found;
}

TEST(a_limit_is_found_to_the_page_and_a_large_one_to_a_thousandth)
{
	struct mr_max_size found;

	refusal = ENOMEM;
	for (uint64_t pages = 1; pages < 70; pages++) {
		found = find(pages * PAGE, 100 * PAGE, pages == 7 ? 7 * PAGE : 0);
		assert_true(found.size.known && found.refused.known);
		assert_int_equal(found.size.value, pages * PAGE);
		assert_int_equal(found.refused.value, (pages + 1) * PAGE);
		assert_string_equal(found.err.call, "ibv_reg_mr");
		assert_int_equal(found.err.errnum, ENOMEM);
		assert_true(found.tries <= 15 && steps == (int)found.tries);
		assert_string_equal(found.limit ?: "", pages == 7 ? "max_mr_size" : "");
	}
	assert_null(find(7 * PAGE, 100 * PAGE, 8 * PAGE).limit);
	found = find(9999 * PAGE, 16384 * PAGE, 0);
	assert_true(found.size.value <= limit && found.refused.value > limit);
	assert_true(found.refused.value - found.size.value <= PAGE + found.size.value / 1024);
	assert_true(found.tries < 30);
}

TEST(the_cap_is_tried_and_nothing_beyond)
{
	struct mr_max_size found;

	for (uint64_t pages = 1; pages < 70; pages++) {
		found = find(UINT64_MAX, pages * PAGE + PAGE / 2, 0);
		assert_int_equal(found.size.value, pages * PAGE);
		assert_false(found.refused.known);
		assert_null(found.limit);
		assert_int_equal(found.err.errnum, 0);
	}
	/* one beyond what is available is lowered */
	refusal = ENOMEM;
	found = find(2 * PAGE, UINT64_MAX, 0);
	assert_true(found.cap < UINT64_MAX / 2);
	assert_non_null(found.cap_by);
	assert_int_equal(found.size.value, 2 * PAGE);
}

TEST(answers_that_end_the_search)
{
	static const struct {
		uint64_t allowed; /* pages */
		int refusal, interruptions, dereg_answer;
		uint64_t size, refused; /* pages; 0: not known */
		int errnum;
		unsigned int tries;
	} rows[] = {
		{ 0, EPERM, 0, 0, 0, 1, EPERM, 1 },
		/* a call that is interrupted is made again, but not forever */
		{ 64, 0, 4, 0, 64, 0, 0, 11 },
		{ 64, 0, 1000, 0, 0, 1, EINTR, 5 },
		/* a region that stays */
		{ 64, 0, 0, EIO, 1, 0, EIO, 1 },
		/* a device that fails refuses no size */
		{ 5, EIO, 0, 0, 4, 0, EIO, 4 },
		{ 5, ENODEV, 0, 0, 4, 0, ENODEV, 4 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mr_max_size found;

		refusal = rows[i].refusal;
		interruptions = rows[i].interruptions;
		dereg_answer = rows[i].dereg_answer;
		found = find(rows[i].allowed * PAGE, 64 * PAGE, 0);
		interruptions = dereg_answer = 0;
		print_message("row %zu\n", i);
		assert_int_equal(found.size.value, rows[i].size * PAGE);
		assert_int_equal(found.refused.value, rows[i].refused * PAGE);
		assert_int_equal(found.refused.known, rows[i].refused != 0);
		assert_int_equal(found.tries, rows[i].tries);
		assert_int_equal(found.err.errnum, rows[i].errnum);
	}
}
