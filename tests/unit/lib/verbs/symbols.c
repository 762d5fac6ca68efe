// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions that older libraries lack.  The installed ones may have them or not. */
#include <errno.h>
#include <fcntl.h>

#include "lib/verbs/data_direct.h"
#include "lib/verbs/drivers.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/uverbs.h"
#include "tests/unit/unit.h"

static struct mr_error err;

TEST(a_function_that_is_missing_names_the_release_that_has_it)
{
	void *found = mr_symbol_find(MR_SYMBOL_REG_DMABUF_MR, &err);

	if (found) { /* the same release introduced both */
		assert_non_null(mr_symbol_find(MR_SYMBOL_DATA_DIRECT_PATH, &err));
		return;
	}
	assert_int_equal(err.kind, MR_ERROR_HOST);
	assert_int_equal(err.errnum, ENOSYS);
	assert_string_equal(err.call, "mlx5dv_reg_dmabuf_mr");
	assert_contains(err.text, "libmlx5.so.1");
	assert_string_equal(mr_symbol_origin(err.call)->release, "54");
	assert_null(mr_symbol_find(MR_SYMBOL_DATA_DIRECT_PATH, &err));
}

TEST(a_function_that_is_missing_is_named_with_its_errno_and_the_alternative)
{
	if (mr_symbol_find(MR_SYMBOL_REG_MR_EX, &err))
		return;
	assert_int_equal(err.errnum, ENOSYS);
	assert_string_equal(err.text, "the installed libibverbs.so.1 lacks the function: "
				      "ibv_reg_mr_ex: ENOSYS (Function not implemented)");
	assert_string_equal(err.call, "ibv_reg_mr_ex");
	assert_string_equal(mr_symbol_origin(err.call)->release, "59");
	assert_null(mr_symbol_find(MR_SYMBOL_DM_EXPORT, &err));
	assert_string_equal(mr_symbol_origin(err.call)->release, "62");
}

TEST(each_function_is_found_or_named)
{
	for (int symbol = MR_SYMBOL_NONE + 1; symbol < MR_SYMBOLS; symbol++) {
		mr_error_clear(&err);
		if (mr_symbol_find((enum mr_symbol)symbol, &err))
			continue;
		assert_non_null(err.call);
		assert_ptr_equal(mr_symbol_origin(err.call)->name, err.call);
	}
}

/* /dev/null refuses the ioctl, because it is no RDMA device. */
TEST(the_path_of_a_data_direct_device_that_does_not_exist_is_refused)
{
	char path[64] = "before";
	const int null = open("/dev/null", O_RDWR);
	const struct mr_uverbs mlx5 = { null, mr_driver_id("mlx5") };
	const struct mr_uverbs rxe = { null, mr_driver_id("rxe") };
	struct mr_registrar registrar = { .via = MR_VIA_KERNEL, .uverbs = &mlx5 };

	mr_data_direct_path(&registrar, path, sizeof(path));
	assert_string_equal(path, "");
	assert_int_equal(mr_uverbs_data_direct_path(&mlx5, path, sizeof(path), &err), -ENOTTY);
	assert_int_equal(mr_uverbs_data_direct_path(&rxe, path, sizeof(path), &err), -EOPNOTSUPP);
	close(null);
}
