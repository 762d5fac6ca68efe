// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Proves by the returns of kernel functions who refused. */
#include "lib/diagnose/proof/proof.h"

#include "tests/unit/unit.h"

static unsigned int index_of(const char *name)
{
	for (unsigned int i = 0; mr_kernel_functions[i].name; i++)
		if (!strcmp(mr_kernel_functions[i].name, name))
			return i;
	fail_msg("no function %s", name);
	return 0;
}

/* ---- chains ---- */

/* A function that has returned; those with a higher stack called it. */
struct returned {
	const char *name; /* NULL: no more */
	int64_t value;
	uint64_t stack;
};

struct recorded {
	struct returned returns[12]; /* in the order in which they were recorded */
	int errnum;
	const char *refuser;
	size_t links;
	int refusers_errnum; /* 0: @errnum */
};

/* A registration of memory that is not mapped, on Linux 7.2. */
#define MEMORY                                                                                                         \
	{ "rdmacg_try_charge", 0, 0x780 }, { "ib_rdmacg_try_charge", 0, 0x780 },                                       \
		{ "__get_user_pages", -EFAULT, 0x518 }, { "__gup_longterm_locked", -EFAULT, 0x5c8 },                   \
		{ "pin_user_pages_fast", (int64_t)(uint32_t)-EFAULT, 0x6d0 }, { "__ib_umem_get_va", -EFAULT, 0x728 },  \
		{ "ib_umem_get_desc", -EFAULT, 0x728 }, { "mlx5_ib_reg_user_mr", -EFAULT, 0x7c8 },                     \
		{ "ib_uverbs_reg_mr", -EFAULT, 0x840 },                                                                \
	{                                                                                                              \
		"ib_uverbs_ioctl", -EFAULT, 0xb50                                                                      \
	}

static const struct recorded recorded[] = {
	{ { MEMORY }, EFAULT, "__get_user_pages", 8, 0 },
	/* another errno was not returned by the kernel */
	{ { MEMORY }, EINVAL, "", 0, 0 },
	/* the error of an earlier system call is none of this one */
	{ { MEMORY, { "ib_uverbs_reg_mr", -EFAULT, 0x840 }, { "ib_uverbs_ioctl", -EFAULT, 0xb50 } },
	  EFAULT,
	  "ib_uverbs_reg_mr",
	  2,
	  0 },
	/* the device fails a work request, and what was made is freed before the return */
	{ { { "mlx5r_umr_post_send_wait", -EFAULT, 0x608 },
	    { "mlx5r_umr_update_mr_pas", -EFAULT, 0x750 },
	    { "mlx5r_umr_post_send_wait", 0, 0x660 },
	    { "mlx5r_umr_revoke_mr", 0, 0x6f0 },
	    { "mlx5_ib_dereg_mr", 0, 0x750 },
	    { "create_real_mr", -EFAULT, 0x7c8 },
	    { "mlx5_ib_reg_user_mr", -EFAULT, 0x7c8 },
	    { "ib_uverbs_ioctl", -EFAULT, 0xb50 } },
	  EFAULT,
	  "mlx5r_umr_post_send_wait",
	  5,
	  0 },
	/* an error that was overcome */
	{ { { "__get_user_pages", -EAGAIN, 0x518 },
	    { "pin_user_pages_fast", 1, 0x6d0 },
	    { "ib_umem_get", 4096, 0x728 },
	    { "mlx5_ib_reg_user_mr", -EINVAL, 0x7c8 },
	    { "ib_uverbs_ioctl", -EINVAL, 0xb50 } },
	  EINVAL,
	  "mlx5_ib_reg_user_mr",
	  2,
	  0 },
	/* a function that makes another errno of it */
	{ { { "migrate_pages", -EAGAIN, 0x500 },
	    { "__gup_longterm_locked", -ENOMEM, 0x5c8 },
	    { "ib_umem_get", -ENOMEM, 0x728 },
	    { "ib_uverbs_ioctl", -ENOMEM, 0xb50 } },
	  ENOMEM,
	  "migrate_pages",
	  4,
	  EAGAIN },
	{ { { NULL, 0, 0 } }, EINVAL, "", 0, 0 },
};

TEST(the_deepest_function_with_the_error_has_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(recorded); i++) {
		const struct recorded *row = &recorded[i];
		struct mr_return returns[12];
		struct mr_chain chain;
		size_t count = 0;

		while (count < 12 && row->returns[count].name)
			count++;
		/* the newest first */
		for (size_t k = 0; k < count; k++)
			returns[count - 1 - k] =
				(struct mr_return){ index_of(row->returns[k].name), (uint64_t)row->returns[k].value,
						    row->returns[k].stack };
		mr_chain_find(returns, count, row->errnum, &chain);
		assert_equal_for(row->refuser, chain.count, row->links);
		if (!chain.count)
			continue;
		assert_string_equal(chain.links[chain.count - 1].function->name, row->refuser);
		assert_equal_for(row->refuser, chain.links[chain.count - 1].errnum,
				 row->refusers_errnum ?: row->errnum);
		assert_string_equal(chain.links[0].function->name, "ib_uverbs_ioctl");
	}
}

TEST(only_small_negative_numbers_are_errors)
{
	static const struct {
		const char *function; /* which returns a long, or an int */
		uint64_t value;
		int errnum;
	} values[] = {
		{ "ib_uverbs_ioctl", (uint64_t)-4095, 4095 },
		{ "ib_uverbs_ioctl", (uint64_t)-4096, 0 },
		{ "ib_uverbs_ioctl", 0, 0 },
		{ "ib_uverbs_ioctl", 0xffff88800000, 0 },
		{ "ib_uverbs_ioctl", 0xfffffff2, 0 },
		{ "ib_uverbs_open", 0xdead0000fffffff2, EFAULT },
		{ "ib_uverbs_open", 512, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		const struct mr_return returned = { .function = index_of(values[i].function), .value = values[i].value };
		struct mr_chain chain;

		for (int errnum = 1; errnum <= 4096; errnum++) {
			mr_chain_find(&returned, 1, errnum, &chain);
			assert_equal_for(values[i].function, chain.count, errnum == values[i].errnum);
		}
	}
}

/* The search ends whatever was recorded, and stays within that. */
TEST(any_order_of_returns_ends)
{
	struct mr_return returns[64];
	unsigned int functions = 0;
	struct mr_chain chain;

	while (mr_kernel_functions[functions].name)
		functions++;
	assert_true(functions < MR_KERNEL_FUNCTIONS_MAX);
	srand(1);
	for (int round = 0; round < 20000; round++) {
		const size_t count = (size_t)rand() % ARRAY_SIZE(returns);

		for (size_t i = 0; i < count; i++)
			returns[i] = (struct mr_return){ (unsigned int)rand() % functions,
							 (uint64_t)(rand() % 3 - 1) * EFAULT, (uint64_t)(rand() % 8) };
		mr_chain_find(returns, count, EFAULT, &chain);
		assert_true(chain.count <= MR_CHAIN_MAX);
	}
}

/* ---- no function of the kernel has returned anything ---- */

TEST(what_no_function_returned_came_from_user_space_where_the_way_in_is_watched)
{
	static const char *const unwatched[] = { NULL, "ib_uverbs_ioctl", "ib_uverbs_write" };
	const struct mr_proof_question question = {
		.errnum = EINVAL,
		.environment = &(struct mr_environment){ .device = "mlx5_0", .provider = "mlx5" },
		.by_library = true,
	};
	static struct mr_proof proof;
	struct mr_proven proven;

	proof.buffer = calloc(2, (size_t)sysconf(_SC_PAGESIZE));
	proof.is_tried = true;
	for (size_t i = 0; i < ARRAY_SIZE(unwatched); i++) {
		for (unsigned int k = 0; mr_kernel_functions[k].name; k++)
			proof.probes[k] =
				unwatched[i] && !strcmp(mr_kernel_functions[k].name, unwatched[i]) ? -1 : 0;
		mr_proof_read(&proof, &question, &proven);
		assert_int_equal(proven.in_user_space, !unwatched[i]);
		assert_int_equal(!proven.note, !unwatched[i]);
		if (unwatched[i]) {
			assert_int_equal(proven.layers, 0);
			assert_contains(proven.note, "not all entry points");
		}
	}
	free(proof.buffer);
}
