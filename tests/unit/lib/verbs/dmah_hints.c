// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What users write of a DMA handle. */
#include <errno.h>

#include "lib/verbs/dmah_hints.h"
#include "tests/unit/unit.h"

static void assert_hints(const char *text, enum mr_dmah_memory memory, uint32_t cpu, uint8_t ph)
{
	struct mr_dmah_hints hints;
	struct mr_error err = { 0 };

	if (mr_dmah_parse(text, &hints, &err))
		fail_msg("'%s': %s", text, err.text);
	assert_equal_for(text, hints.memory, memory);
	assert_equal_for(text, hints.cpu, cpu);
	assert_equal_for(text, hints.ph, ph);
}

TEST(hints_may_stand_in_any_order)
{
	assert_hints("cpu=5,mem=volatile,ph=1", MR_DMAH_VOLATILE, 5, 1);
	assert_hints("ph=3, mem=persistent, cpu=0x10", MR_DMAH_PERSISTENT, 16, 3);
	assert_hints("PH=2,CPU=4294967295,MEM=Persistent", MR_DMAH_PERSISTENT, UINT32_MAX, 2);
}

TEST(a_processing_hint_is_enough)
{
	assert_hints("ph=0", MR_DMAH_NO_CPU, 0, 0);
	assert_hints("ph=3", MR_DMAH_NO_CPU, 0, 3);
}

TEST(other_texts_are_usage_errors_and_change_nothing)
{
	static const struct {
		const char *text;
		int rc;
	} cases[] = {
		{ "", -EINVAL },
		{ ",", -EINVAL },
		{ "ph=", -EINVAL },
		{ "ph=4", -ERANGE },
		{ "ph=256", -ERANGE },
		{ "ph=1 ph=2", -EINVAL },
		{ "ph=1,ph=1", -EINVAL },
		{ "=1", -EINVAL },
		{ "cpu=0,mem=volatile", -EINVAL },
		{ "cpu=0,ph=1", -EINVAL },
		{ "mem=volatile,ph=1", -EINVAL },
		{ "cpu=1,mem=,ph=1", -EINVAL },
		{ "cpu=4294967296,mem=volatile,ph=1", -ERANGE },
		{ "cpu=-1,mem=volatile,ph=1", -EINVAL },
		{ "cpu=0,mem=volatile,ph=1,", -EINVAL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mr_dmah_hints hints = { .cpu = 7, .memory = MR_DMAH_VOLATILE, .ph = 2 };
		struct mr_error err = { 0 };

		assert_equal_for(cases[i].text, mr_dmah_parse(cases[i].text, &hints, &err),
				 cases[i].rc);
		assert_equal_for(cases[i].text, err.kind, MR_ERROR_USAGE);
		assert_equal_for(cases[i].text, hints.cpu, 7);
		assert_equal_for(cases[i].text, hints.ph, 2);
	}
}
