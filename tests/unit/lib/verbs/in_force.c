// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which access flags have an effect, for each answer of kernel and device. */
#include <string.h>

#include "lib/base/tristate.h"
#include "lib/verbs/access.h"
#include "lib/verbs/in_force.h"
#include "tests/unit/unit.h"

#define ZERO    MR_ACCESS_ZERO_BASED
#define HUGETLB MR_ACCESS_HUGETLB
#define ODP     MR_ACCESS_ON_DEMAND
#define RELAXED MR_ACCESS_RELAXED_ORDERING
#define STRANGE (1u << 29)

#define UNKNOWN MR_UNKNOWN
#define NO      MR_NO
#define YES     MR_YES

static struct mr_opt_u64 bits(enum mr_tristate optional, enum mr_tristate relaxed,
			      struct mr_in_force_region region)
{
	struct mr_in_force in_force = { .asked = true, .optional = optional, .relaxed = relaxed };

	return mr_in_force_bits(&in_force, &region);
}

static void assert_bits(struct mr_opt_u64 found, uint32_t expected)
{
	assert_true(found.known);
	assert_int_equal(found.value, expected);
}

TEST(what_is_accepted_is_in_force)
{
	assert_bits(bits(UNKNOWN, UNKNOWN, (struct mr_in_force_region){ .access = 0 }), 0);
	assert_bits(bits(UNKNOWN, UNKNOWN, (struct mr_in_force_region){ .access = 0x31f & ~ZERO }),
		    0x31f & ~ZERO);
}

TEST(zero_based_is_in_force_if_the_kernel_has_the_address_0)
{
	struct mr_in_force_region region = { .access = ZERO | 1, .at_zero = NO };

	assert_bits(bits(YES, YES, region), 1);
	region.at_zero = YES;
	assert_bits(bits(YES, YES, region), ZERO | 1);
	region.at_zero = UNKNOWN;
	assert_false(bits(YES, YES, region).known);
	region.call = MR_REG_DM_MR; /* zero-based, whatever IOVA QUERY_MR reports */
	assert_bits(bits(YES, YES, region), ZERO | 1);
}

TEST(huge_pages_count_on_demand)
{
	assert_bits(bits(YES, YES, (struct mr_in_force_region){ .access = HUGETLB | 1 }), 1);
	assert_bits(bits(YES, YES, (struct mr_in_force_region){ .access = HUGETLB | ODP }),
		    HUGETLB | ODP);
}

TEST(relaxed_ordering_takes_kernel_and_device)
{
	static const struct {
		enum mr_tristate optional, relaxed;
		enum mr_via via;
		enum mr_tristate expected;
	} cases[] = {
		{ YES, YES, MR_VIA_LIBRARY, YES },
		{ YES, NO, MR_VIA_LIBRARY, NO },
		{ YES, UNKNOWN, MR_VIA_LIBRARY, UNKNOWN },
		{ NO, YES, MR_VIA_LIBRARY, NO },
		{ NO, UNKNOWN, MR_VIA_LIBRARY, NO },
		{ UNKNOWN, YES, MR_VIA_LIBRARY, UNKNOWN },
		{ UNKNOWN, NO, MR_VIA_LIBRARY, NO },
		{ YES, YES, MR_VIA_KERNEL, YES },
		{ NO, YES, MR_VIA_KERNEL, YES },
		{ UNKNOWN, YES, MR_VIA_KERNEL, YES },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mr_in_force_region region = { .access = RELAXED, .via = cases[i].via };
		struct mr_opt_u64 found = bits(cases[i].optional, cases[i].relaxed, region);

		assert_int_equal(found.known, cases[i].expected != UNKNOWN);
		if (found.known)
			assert_int_equal(found.value, cases[i].expected == YES ? RELAXED : 0);
	}
}

TEST(flags_of_a_data_direct_device_and_unknown_flags_are_unknown)
{
	assert_false(
		bits(YES, YES,
		     (struct mr_in_force_region){ .access = RELAXED, .call = MR_DV_REG_DMABUF_MR })
			.known);
	assert_false(bits(YES, YES, (struct mr_in_force_region){ .access = STRANGE }).known);
	assert_bits(bits(NO, YES, (struct mr_in_force_region){ .access = STRANGE }), 0);
	/* The value is right as far as it is known. */
	assert_int_equal(
		bits(YES, NO, (struct mr_in_force_region){ .access = STRANGE | HUGETLB }).value,
		STRANGE);
}

TEST(relaxed_ordering_of_a_umem_has_no_effect)
{
	assert_bits(bits(YES, YES,
			 (struct mr_in_force_region){ .access = RELAXED | 1, .call = MR_UMEM_REG }),
		    1);
}

TEST(each_flag_without_effect_has_a_reason)
{
	struct mr_in_force in_force = { .asked = true, .optional = NO, .relaxed = NO };

	assert_non_null(strstr(mr_in_force_reason(&in_force, ZERO), "QUERY_MR"));
	assert_non_null(strstr(mr_in_force_reason(&in_force, HUGETLB), "on-demand"));
	assert_non_null(strstr(mr_in_force_reason(&in_force, RELAXED), "kernel"));
	in_force.optional = YES;
	assert_non_null(strstr(mr_in_force_reason(&in_force, RELAXED), "device"));
	in_force.asked = false;
	assert_non_null(strstr(mr_in_force_reason(&in_force, RELAXED), "umem"));
	assert_null(mr_in_force_reason(&in_force, MR_ACCESS_LOCAL_WRITE));
}
