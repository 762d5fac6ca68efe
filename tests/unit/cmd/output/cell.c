// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cells of columns: durations, bytes and colours. */
#include "cmd/output/output.h"
#include "tests/unit/unit.h"

struct sample {
	const char *answer;
	struct mr_opt_u64 elapsed_ns, bytes;
};

static const struct coloured_word colours[] = {
	{ "yes", COLOUR_GOOD },
	{ NULL, COLOUR_PLAIN },
};
static const struct field sample_fields[] = {
	FIELD(struct sample, answer, FIELD_STRING, 0, "", .colours = colours),
	FIELD(struct sample, elapsed_ns, FIELD_NUMBER, FIELD_DURATION, ""),
	FIELD(struct sample, bytes, FIELD_NUMBER, FIELD_IEC, ""),
	FIELD_END,
};

static const char *text_of(size_t field, bool is_for_people, uint64_t number)
{
	static char buffer[FIELD_TEXT_MAX];
	const struct sample row = { .elapsed_ns = { number, true }, .bytes = { number, true } };

	return cell_text(&sample_fields[field], is_for_people, &row, buffer);
}

TEST(people_see_durations_and_bytes_with_a_unit)
{
	static const struct {
		size_t field;
		uint64_t number;
		const char *text;
	} rows[] = {
		{ 1, 0, "0 ns" },
		{ 1, 999, "999 ns" },
		{ 1, 1000, "1.0 us" },
		{ 1, 9999, "9.9 us" },
		{ 1, 10000, "10 us" },
		{ 1, 999999, "999 us" },
		{ 1, 1406629, "1.4 ms" },
		{ 1, 2000000000, "2.0 s" },
		{ 1, UINT64_MAX, "18446744073 s" },
		{ 2, 0, "0" },
		{ 2, 1023, "1023" },
		{ 2, 1024, "1K" },
		{ 2, 1536, "1.5K" },
		{ 2, 102399, "99.9K" },
		{ 2, 102401, "100K" },
		{ 2, UINT64_MAX, "15.9E" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(text_of(rows[i].field, true, rows[i].number), rows[i].text);
	assert_string_equal(text_of(1, false, 1406629), "1406629");
	assert_string_equal(text_of(2, false, 1536), "1536");
}

TEST(a_value_that_is_not_known_has_no_text)
{
	const struct sample row = { .elapsed_ns = { 5, false } };
	char buffer[FIELD_TEXT_MAX];

	for (size_t field = 0; field < 3; field++) {
		assert_null(cell_text(&sample_fields[field], true, &row, buffer));
		assert_null(cell_text(&sample_fields[field], false, &row, buffer));
	}
}

TEST(a_file_gets_words_without_colours)
{
	struct capture c;

	capture_begin(&c, STDOUT_FILENO);
	output_coloured(COLOUR_BAD, "BAD", 6);
	output_coloured(COLOUR_GOOD, "ok", 1);
	assert_string_equal(capture_end(&c), "BAD   ok");
}
