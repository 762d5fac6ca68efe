// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of the kernel's RDMA drivers. */
#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/verbs/drivers.h"
#include "tests/unit/unit.h"

TEST(a_driver_is_found_by_its_provider_and_by_its_number)
{
	assert_int_equal(mr_driver_id("mlx5"), RDMA_DRIVER_MLX5);
	assert_int_equal(mr_driver_id("rxe"), RDMA_DRIVER_RXE);
	assert_string_equal(mr_driver_find(RDMA_DRIVER_SIW)->provider, "siw");
	assert_true(mr_driver_is_known(RDMA_DRIVER_ERDMA));
}

TEST(an_unknown_driver_gets_no_data_of_its_own_and_may_import)
{
	static const uint32_t ids[] = { RDMA_DRIVER_UNKNOWN, 12345, UINT32_MAX };

	assert_int_equal(mr_driver_id("nobody"), RDMA_DRIVER_UNKNOWN);
	assert_int_equal(mr_driver_id(""), RDMA_DRIVER_UNKNOWN);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		const struct mr_driver *driver = mr_driver_find(ids[i]);

		assert_false(mr_driver_is_known(ids[i]));
		assert_true(mr_driver_imports(ids[i]));
		assert_false(mr_driver_blocks_removal(ids[i]));
		assert_false(driver->reg_in || driver->reg_out || driver->orders_strictly);
	}
}

/* mr_uverbs_reg_mr() has room for four words of 64 bits in each direction. */
TEST(the_data_that_a_driver_needs_for_a_registration_fit)
{
	for (uint32_t id = 0; id < 64; id++) {
		assert_true(mr_driver_find(id)->reg_in <= 4 * sizeof(uint64_t));
		assert_true(mr_driver_find(id)->reg_out <= 4 * sizeof(uint64_t));
	}
}

TEST(of_the_known_drivers_only_that_of_mlx5_imports)
{
	assert_true(mr_driver_imports(RDMA_DRIVER_MLX5));
	assert_false(mr_driver_imports(RDMA_DRIVER_MLX4));
	assert_false(mr_driver_imports(RDMA_DRIVER_RXE));
	assert_true(mr_driver_blocks_removal(RDMA_DRIVER_RXE));
	assert_false(mr_driver_blocks_removal(RDMA_DRIVER_MLX5));
}
