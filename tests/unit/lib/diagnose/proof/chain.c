// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/proof/chain.h"

#include <errno.h>

#include "tests/unit/unit.h"

/* What functions have returned, in the order in which they did; mr_chain_find() wants the newest first. */
static struct mr_return returns[64];
static size_t count;
static struct mr_chain chain;

static unsigned int index_of(const char *name)
{
	for (unsigned int i = 0; mr_kernel_functions[i].name; i++)
		if (!strcmp(mr_kernel_functions[i].name, name))
			return i;
	fail_msg("no function %s", name);
	return 0;
}

static void returned(const char *name, int64_t value, uint64_t stack)
{
	/* not by memmove(): valgrind takes it for memcpy(), with the same address in the C library */
	for (size_t i = count; i; i--)
		returns[i] = returns[i - 1];
	returns[0] = (struct mr_return){ index_of(name), (uint64_t)value, stack };
	count++;
}

static const char *refuser(int errnum)
{
	mr_chain_find(returns, count, errnum, &chain);
	return chain.count ? chain.links[chain.count - 1].function->name : "";
}

static int set_up(void **state)
{
	(void)state;
	count = 0;
	return 0;
}

/* As recorded on Linux 7.2: a registration of memory that is not mapped. */
static void refuse_memory(void)
{
	returned("rdmacg_try_charge", 0, 0x780);
	returned("ib_rdmacg_try_charge", 0, 0x780);
	returned("__get_user_pages", -EFAULT, 0x518);
	returned("__gup_longterm_locked", -EFAULT, 0x5c8);
	returned("pin_user_pages_fast", (int64_t)(uint32_t)-EFAULT, 0x6d0);
	returned("__ib_umem_get_va", -EFAULT, 0x728);
	returned("ib_umem_get_desc", -EFAULT, 0x728);
	returned("mlx5_ib_reg_user_mr", -EFAULT, 0x7c8);
	returned("ib_uverbs_reg_mr", -EFAULT, 0x840);
	returned("ib_uverbs_ioctl", -EFAULT, 0xb50);
}

TEST(the_deepest_function_with_the_error_has_refused)
{
	refuse_memory();
	assert_string_equal(refuser(EFAULT), "__get_user_pages");
	assert_int_equal(chain.count, 8);
	assert_string_equal(chain.links[0].function->name, "ib_uverbs_ioctl");
	assert_string_equal(chain.links[2].function->name, "mlx5_ib_reg_user_mr");
}

TEST(another_errno_was_not_returned_by_the_kernel)
{
	refuse_memory();
	assert_string_equal(refuser(EINVAL), "");
	assert_true(chain.was_entered);
	count = 0;
	assert_string_equal(refuser(EINVAL), "");
	assert_false(chain.was_entered);
}

TEST(an_error_of_an_earlier_system_call_is_none_of_this_one)
{
	refuse_memory();
	returned("ib_uverbs_reg_mr", -EFAULT, 0x840);
	returned("ib_uverbs_ioctl", -EFAULT, 0xb50);
	assert_string_equal(refuser(EFAULT), "ib_uverbs_reg_mr");
}

/* As recorded on Linux 7.2: the device fails a work request, and what was made is freed before the return. */
TEST(what_is_done_after_the_error_hides_nothing)
{
	returned("mlx5r_umr_post_send_wait", -EFAULT, 0x608);
	returned("mlx5r_umr_update_mr_pas", -EFAULT, 0x750);
	returned("mlx5r_umr_post_send_wait", 0, 0x660);
	returned("mlx5r_umr_revoke_mr", 0, 0x6f0);
	returned("mlx5_ib_dereg_mr", 0, 0x750);
	returned("create_real_mr", -EFAULT, 0x7c8);
	returned("mlx5_ib_reg_user_mr", -EFAULT, 0x7c8);
	returned("ib_uverbs_ioctl", -EFAULT, 0xb50);
	assert_string_equal(refuser(EFAULT), "mlx5r_umr_post_send_wait");
	assert_int_equal(chain.count, 5);
}

TEST(an_error_that_was_overcome_is_not_the_cause)
{
	returned("__get_user_pages", -EAGAIN, 0x518);
	returned("pin_user_pages_fast", 1, 0x6d0);
	returned("ib_umem_get", 4096, 0x728);
	returned("mlx5_ib_reg_user_mr", -EINVAL, 0x7c8);
	returned("ib_uverbs_ioctl", -EINVAL, 0xb50);
	assert_string_equal(refuser(EINVAL), "mlx5_ib_reg_user_mr");
}

TEST(a_function_that_translates_has_the_error_of_another_one)
{
	returned("migrate_pages", -EAGAIN, 0x500);
	returned("__gup_longterm_locked", -ENOMEM, 0x5c8);
	returned("ib_umem_get", -ENOMEM, 0x728);
	returned("ib_uverbs_ioctl", -ENOMEM, 0xb50);
	assert_string_equal(refuser(ENOMEM), "migrate_pages");
	assert_int_equal(chain.links[chain.count - 1].errnum, EAGAIN);
}

TEST(only_small_negative_numbers_are_errors)
{
	const struct mr_kernel_function *pointer = &mr_kernel_functions[index_of("ib_umem_get")];
	const struct mr_kernel_function *number =
		&mr_kernel_functions[index_of("pin_user_pages_fast")];

	assert_int_equal(mr_kernel_function_errno(pointer, (uint64_t)-4095), 4095);
	assert_int_equal(mr_kernel_function_errno(pointer, (uint64_t)-4096), 0);
	assert_int_equal(mr_kernel_function_errno(pointer, 0xffff88800000ULL), 0);
	assert_int_equal(mr_kernel_function_errno(pointer, 0xfffffff2), 0);
	assert_int_equal(mr_kernel_function_errno(number, 0xdead0000fffffff2ULL), EFAULT);
	assert_int_equal(mr_kernel_function_errno(number, 512), 0);
}

/* Whatever was recorded, the search ends, and stays within what was recorded. */
TEST(any_order_of_returns_ends)
{
	unsigned int functions = 0;

	while (mr_kernel_functions[functions].name)
		functions++;
	assert_true(functions < MR_KERNEL_FUNCTIONS_MAX);
	srand(1);
	for (int round = 0; round < 20000; round++) {
		count = (size_t)rand() % ARRAY_SIZE(returns);
		for (size_t i = 0; i < count; i++)
			returns[i] = (struct mr_return){ (unsigned int)rand() % functions,
							 (uint64_t)(rand() % 3 - 1) * EFAULT,
							 (uint64_t)(rand() % 8) };
		refuser(EFAULT);
		assert_true(chain.count <= MR_CHAIN_MAX);
	}
}

EACH_TEST(set_up, NULL)
