// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/output/output.h"

#include <inttypes.h>

#include "tests/unit/unit.h"

/* Both must be what printf() makes of the number. */
static void assert_digits(uint64_t number)
{
	char put[24], expected[24];

	*put_decimal(put, number) = '\0';
	snprintf(expected, sizeof(expected), "%" PRIu64, number);
	assert_string_equal(put, expected);
	*put_hexadecimal(put, number) = '\0';
	snprintf(expected, sizeof(expected), "0x%" PRIx64, number);
	assert_string_equal(put, expected);
}

TEST(each_number_of_digits_is_put_in_full)
{
	assert_digits(0);
	for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10) {
		assert_digits(power);
		assert_digits(power * 10 - 1);
	}
	for (unsigned int bit = 0; bit < 64; bit++)
		assert_digits(UINT64_C(1) << bit);
	assert_digits(UINT64_MAX);
}
