// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/proof/proof.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static struct mr_proof proof;

/* The functions of the table are watched, but for @but; none has returned anything. */
static void watch_all_but(const char *but)
{
	proof.is_tried = true;
	for (unsigned int i = 0; mr_kernel_functions[i].name; i++)
		proof.watch.probes[i] = but && !strcmp(mr_kernel_functions[i].name, but) ? -1 : 0;
}

static struct mr_proven prove(void)
{
	const struct mr_proof_question question = {
		.errnum = EINVAL, .device = "mlx5_0", .provider = "mlx5", .by_library = true
	};
	struct mr_proven proven;

	mr_proof_read(&proof, &question, &proven);
	return proven;
}

static int set_up(void **state)
{
	(void)state;
	proof.watch.buffer = calloc(2, (size_t)sysconf(_SC_PAGESIZE));
	return !proof.watch.buffer;
}

static int tear_down(void **state)
{
	(void)state;
	free(proof.watch.buffer);
	return 0;
}

TEST(what_no_function_of_the_kernel_returned_came_from_user_space)
{
	struct mr_proven proven;

	watch_all_but(NULL);
	proven = prove();
	assert_true(proven.in_user_space);
	assert_null(proven.note);
}

TEST(nothing_is_proven_where_the_way_in_is_not_watched)
{
	struct mr_proven proven;

	watch_all_but("ib_uverbs_ioctl");
	proven = prove();
	assert_false(proven.in_user_space);
	assert_int_equal(proven.layers, 0);
	assert_contains(proven.note, "not all by which calls come in");
	watch_all_but("ib_uverbs_write");
	assert_false(prove().in_user_space);
}

EACH_TEST(set_up, tear_down)
