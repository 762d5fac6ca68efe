// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What columns show: headings, durations and colours. */
#include <stdlib.h>
#include <string.h>

#include "cmd/output/cell.h"
#include "tests/unit/unit.h"

struct sample {
	const char *answer;
	struct mr_opt_u64 elapsed_ns;
};

static const struct coloured_word colours[] = {
	{ "yes", COLOUR_GOOD },
	{ NULL, COLOUR_PLAIN },
};
static const struct field sample_fields[] = {
	FIELD(struct sample, answer, FIELD_STRING, 0, "", .colours = colours),
	FIELD(struct sample, elapsed_ns, FIELD_NUMBER, FIELD_DURATION, ""),
	FIELD_END,
};

static const char *duration(uint64_t ns, bool is_for_people)
{
	static char buffer[FIELD_TEXT_MAX];
	const struct sample row = { .elapsed_ns = { ns, true } };

	return cell_text(&sample_fields[1], is_for_people, &row, buffer);
}

TEST(people_see_durations_with_a_unit)
{
	assert_string_equal(duration(0, true), "0 ns");
	assert_string_equal(duration(999, true), "999 ns");
	assert_string_equal(duration(1000, true), "1.0 us");
	assert_string_equal(duration(9999, true), "9.9 us");
	assert_string_equal(duration(10000, true), "10 us");
	assert_string_equal(duration(999999, true), "999 us");
	assert_string_equal(duration(1406629, true), "1.4 ms");
	assert_string_equal(duration(2000000000, true), "2.0 s");
	assert_string_equal(duration(UINT64_MAX, true), "18446744073 s");
}

TEST(others_get_nanoseconds)
{
	assert_string_equal(duration(1406629, false), "1406629");
}

TEST(a_duration_that_is_not_known_is_none)
{
	const struct sample row = { .elapsed_ns = { 5, false } };
	char buffer[FIELD_TEXT_MAX];

	assert_null(cell_text(&sample_fields[1], true, &row, buffer));
	assert_null(cell_text(&sample_fields[1], false, &row, buffer));
}

TEST(the_heading_names_the_unit_unless_the_cells_do)
{
	char heading[HEADING_MAX];

	cell_heading(&sample_fields[1], true, heading);
	assert_string_equal(heading, "ELAPSED");
	cell_heading(&sample_fields[1], false, heading);
	assert_string_equal(heading, "ELAPSED_NS");
	cell_heading(&sample_fields[0], true, heading);
	assert_string_equal(heading, "ANSWER");
}

TEST(without_a_terminal_no_word_has_a_colour)
{
	assert_null(cell_escape(&sample_fields[0], "yes"));
	assert_null(cell_escape(&sample_fields[0], "other"));
	assert_null(cell_escape(&sample_fields[1], "yes"));
}

TEST(bytes_are_powers_of_1024_for_people)
{
	char buffer[FIELD_TEXT_MAX];

	assert_string_equal(cell_iec_text(0, buffer), "0");
	assert_string_equal(cell_iec_text(1023, buffer), "1023");
	assert_string_equal(cell_iec_text(1024, buffer), "1K");
	assert_string_equal(cell_iec_text(1536, buffer), "1.5K");
	assert_string_equal(cell_iec_text(UINT64_C(100) << 20, buffer), "100M");
	assert_string_equal(cell_iec_text((UINT64_C(100) << 20) + (1 << 19), buffer), "100M");
	assert_string_equal(cell_iec_text(UINT64_MAX, buffer), "15.9E");
}
