// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables of calls that register, and of drivers. */
#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

TEST(an_unknown_call_is_an_mr_without_a_name)
{
	static const unsigned int numbers[] = { MR_REGION_CALLS, 255, UINT32_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		assert_null(mr_region_call_name(numbers[i], MR_VIA_LIBRARY));
		assert_null(mr_region_call_name(numbers[i], MR_VIA_KERNEL));
		assert_int_equal(mr_region_kind(numbers[i]), MR_KIND_MR);
		assert_false(mr_region_has_offset(numbers[i]));
		assert_false(mr_call_row(numbers[i])->page_sizes);
		assert_false(mr_region_is_null(numbers[i]));
	}
}

TEST(the_path_of_a_call_follows_from_its_name)
{
	assert_int_equal(mr_call_via("ioctl(REG_MR)", MR_VIA_LIBRARY), MR_VIA_KERNEL);
	assert_int_equal(mr_call_via("ibv_reg_mr", MR_VIA_KERNEL), MR_VIA_LIBRARY);
	assert_int_equal(mr_call_via("mlx5dv_devx_umem_reg", MR_VIA_KERNEL), MR_VIA_LIBRARY);
	assert_int_equal(mr_call_via("mmap", MR_VIA_KERNEL), MR_VIA_KERNEL);
	assert_int_equal(mr_call_via(NULL, MR_VIA_LIBRARY), MR_VIA_LIBRARY);
}

TEST(a_range_is_extended_to_its_pages_unless_it_is_empty_or_wraps)
{
	static const struct {
		const char *what;
		uint64_t page, addr, length, whole_addr, whole_length;
	} cases[] = {
		{ "a page", 4096, 8192, 4096, 8192, 4096 },
		{ "inside of one", 4096, 8200, 8, 8192, 4096 },
		{ "across two", 4096, 8191, 2, 4096, 8192 },
		{ "up to a boundary", 4096, 8191, 1, 4096, 4096 },
		{ "a huge page", 2 << 20, (2 << 20) + 5, 1, 2 << 20, 2 << 20 },
		{ "no bytes", 4096, 8200, 0, 8200, 0 },
		{ "the last page", 4096, UINT64_MAX - 100, 50, UINT64_MAX - 100, 50 },
		{ "all", 4096, 0, UINT64_MAX, 0, UINT64_MAX },
		{ "wrapping", 4096, 8200, UINT64_MAX, 8200, UINT64_MAX },
		{ "as far as it goes", 4096, 8200, UINT64_MAX - 4095 - 8200, 8192,
		  UINT64_MAX - 4095 - 8192 },
		{ "no page size", 0, 8200, 8, 8200, 8 },
		{ "none of two's powers", 4095, 8200, 8, 8200, 8 },
		{ "the largest size", UINT64_C(1) << 63, 5, 5, 0, UINT64_C(1) << 63 },
	};

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		uint64_t addr = c->addr, length = c->length;

		mr_extend_to_pages(c->page, &addr, &length);
		assert_equal_for(c->what, addr, c->whole_addr);
		assert_equal_for(c->what, length, c->whole_length);
	}
}

/* ---- drivers ---- */

TEST(a_driver_is_found_by_its_provider_and_by_its_number)
{
	static const uint32_t unknown[] = { RDMA_DRIVER_UNKNOWN, 12345, UINT32_MAX };

	assert_int_equal(mr_driver_id("nobody"), RDMA_DRIVER_UNKNOWN);
	assert_int_equal(mr_driver_id(""), RDMA_DRIVER_UNKNOWN);
	assert_string_equal(mr_driver_find(mr_driver_id("siw"))->provider, "siw");
	assert_true(mr_driver_find(RDMA_DRIVER_ERDMA)->provider[0]);
	assert_false(mr_driver_find(RDMA_DRIVER_MLX4)->imports);
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		const struct mr_driver *driver = mr_driver_find(unknown[i]);

		assert_false(mr_driver_find(unknown[i])->provider[0]);
		assert_true(mr_driver_find(unknown[i])->imports);
		assert_false(mr_driver_find(unknown[i])->blocks_removal);
		assert_false(driver->reg_in || driver->reg_out || driver->orders_strictly);
	}
	/* mr_uverbs_reg_mr() has room for four words of 64 bits in each direction */
	for (uint32_t id = 0; id < 64; id++) {
		assert_true(mr_driver_find(id)->reg_in <= 4 * sizeof(uint64_t));
		assert_true(mr_driver_find(id)->reg_out <= 4 * sizeof(uint64_t));
	}
}
