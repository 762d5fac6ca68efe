// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Access flags that have an effect on a device.  Its attributes are in tests/cli/device-view.bats. */
#include "lib/base/base.h"
#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

#define ZERO    MR_ACCESS_ZERO_BASED
#define HUGETLB MR_ACCESS_HUGETLB
#define ODP     MR_ACCESS_ON_DEMAND
#define RELAXED MR_ACCESS_RELAXED_ORDERING
#define STRANGE (1u << 29)

#define UNKNOWN MR_UNKNOWN
#define NO      MR_NO
#define YES     MR_YES

TEST(access_flags_are_in_force_by_the_answers_of_kernel_and_device)
{
	static const struct {
		const char *name;
		enum mr_tristate optional, relaxed;
		struct mr_in_force_region region;
		bool known;
		uint32_t value;
	} cases[] = {
		{ "accepted", UNKNOWN, UNKNOWN, { .access = 0x31f & ~ZERO }, true, 0x31f & ~ZERO },
		{ "at 0?", YES, YES, { .access = ZERO | 1, .at_zero = UNKNOWN }, false, ZERO | 1 },
		/* zero-based, whatever IOVA QUERY_MR reports */
		{ "DM", YES, YES, { .access = ZERO, .call = MR_REG_DM_MR }, true, ZERO },
		{ "huge, ODP", YES, YES, { .access = HUGETLB | ODP }, true, HUGETLB | ODP },
		{ "no device", YES, NO, { .access = RELAXED }, true, 0 },
		{ "device?", YES, UNKNOWN, { .access = RELAXED }, false, RELAXED },
		{ "no kernel, device?", NO, UNKNOWN, { .access = RELAXED }, true, 0 },
		{ "kernel?", UNKNOWN, YES, { .access = RELAXED }, false, RELAXED },
		{ "kernel?, no device", UNKNOWN, NO, { .access = RELAXED }, true, 0 },
		{ "via", YES, YES, { .access = RELAXED, .via = MR_VIA_KERNEL }, true, RELAXED },
		{ "via, no", NO, YES, { .access = RELAXED, .via = MR_VIA_KERNEL }, true, RELAXED },
		{ "via?", UNKNOWN, YES, { .access = RELAXED, .via = MR_VIA_KERNEL }, true,
		  RELAXED },
		{ "data direct", YES, YES, { .access = RELAXED, .call = MR_DV_REG_DMABUF_MR },
		  false, RELAXED },
		/* the value is right as far as it is known */
		{ "partly", YES, NO, { .access = STRANGE | HUGETLB }, false, STRANGE },
	};

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		struct mr_in_force in_force = { .asked = true,
						.optional = c->optional,
						.relaxed = c->relaxed };
		struct mr_opt_u64 found = mr_in_force_bits(&in_force, &c->region);

		assert_equal_for(c->name, found.known, c->known);
		assert_equal_for(c->name, found.value, c->value);
	}
}
