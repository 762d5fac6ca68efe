// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/diagnose/causes/catalogue.h"
#include "lib/diagnose/causes/diagnosis.h"
#include "lib/verbs/access.h"
#include "tests/unit/lib/diagnose/check.h"

static struct mr_suspicion suspicion;

/* Asks the row @id of a refused ibv_reg_mr; of a device whose max_mr_size is 1 GiB. */
static void ask(const char *id, int errnum, uint64_t addr, uint64_t length, uint32_t access,
		uint64_t held)
{
	const struct mr_cause *cause = mr_cause_find(id, strlen(id));
	const struct mr_region_request request = {
		.call = MR_REG_MR, .addr = addr, .length = length, .access = access
	};
	const struct mr_refusal refusal = {
		.call = "ibv_reg_mr", .errnum = errnum, .request = &request, .held = held
	};
	struct mr_inquiry inquiry = { .refusal = &refusal,
				      .operation = MR_OP_REG,
				      .host = &recorded.host,
				      .has_attributes = MR_FACT_KNOWN,
				      .attributes = { .max_mr_size = GIB } };

	assert_non_null(cause);
	assert_true(mr_cause_speaks_for(cause, MR_ON(REG), errnum));
	suspicion = (struct mr_suspicion){ .cause = cause };
	cause->look(&inquiry, &suspicion);
}

#define IS(certainty_, ...)                                                                        \
	do {                                                                                       \
		ask(__VA_ARGS__);                                                                  \
		assert_int_equal(suspicion.certainty, MR_##certainty_);                            \
	} while (0)

TEST(no_length_is_no_page_but_inside_of_one)
{
	IS(CERTAIN, "MR-LENGTH-ZERO", EINVAL, 1 << 20, 0, 0, 0);
	IS(LIKELY, "MR-LENGTH-ZERO", EINVAL, (1 << 20) + 1, 0, 0, 0);
	IS(UNRELATED, "MR-LENGTH-ZERO", EINVAL, 1 << 20, 1, 0, 0);
}

TEST(ranges_wrap_by_their_last_page_too)
{
	IS(CERTAIN, "MR-RANGE-WRAPS", EINVAL, 1 << 20, UINT64_MAX, 0, 0);
	IS(CERTAIN, "MR-RANGE-WRAPS", EINVAL, UINT64_MAX - 4095, 1, 0, 0);
	IS(UNRELATED, "MR-RANGE-WRAPS", EINVAL, UINT64_MAX - 8191, 4096, 0, 0);
}

TEST(ranges_on_demand_wrap_with_another_errno)
{
	const uint32_t odp = MR_ACCESS_ON_DEMAND;

	IS(CERTAIN, "MR-RANGE-WRAPS", EOVERFLOW, 1 << 20, UINT64_MAX, odp, 0);
	IS(UNRELATED, "MR-RANGE-WRAPS", EINVAL, 1 << 20, UINT64_MAX, odp, 0);
	IS(UNRELATED, "MR-RANGE-WRAPS", EOVERFLOW, 1 << 20, UINT64_MAX, 0, 0);
	IS(UNRELATED, "MR-RANGE-WRAPS", EOVERFLOW, 0, UINT64_MAX, odp, 0); /* an implicit one */
}

TEST(pages_are_counted_in_32_bits)
{
	const uint64_t most = UINT64_C(4096) * UINT32_MAX;

	IS(UNRELATED, "MR-PAGE-COUNT", EINVAL, 1 << 20, most, 0, 0);
	IS(CERTAIN, "MR-PAGE-COUNT", EINVAL, 1 << 20, most + 1, 0, 0);
	IS(CERTAIN, "MR-PAGE-COUNT", EINVAL, (1 << 20) + 1, most, 0, 0);
	IS(UNRELATED, "MR-PAGE-COUNT", EINVAL, 1 << 20, most + 1, MR_ACCESS_ON_DEMAND, 0);
	IS(UNRELATED, "MR-PAGE-COUNT", EINVAL, 1 << 20, UINT64_MAX, 0, 0);
}

TEST(the_device_says_how_large_a_region_can_be)
{
	IS(UNRELATED, "MR-MAX-MR", EIO, 1 << 20, GIB, 0, 0);
	IS(LIKELY, "MR-MAX-MR", EINVAL, 1 << 20, GIB + 1, 0, 0);
	assert_contains(suspicion.text, "1 GiB");
}

EACH_TEST(set_up, tear_down)
