// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables of more rows than are laid out at once, and of rows for scripts. */
#include "cmd/output/output.h"

#include "tests/unit/unit.h"

#define ROWS 5000

struct row {
	const char *name;
	struct mr_opt_u64 number;
	const char *rare;
};

static const struct field fields[] = {
	FIELD(struct row, name, FIELD_STRING, 0, "a"),
	FIELD(struct row, number, FIELD_NUMBER, 0, "b"),
	FIELD(struct row, rare, FIELD_STRING, 0, "c"),
	FIELD_END,
};

/* Lines of a table, the first one is the heading. */
static char *lines[ROWS + 8];
static size_t line_count;
static char *text;

/* Print a table whose row @odd is @other, and in which names and numbers of the others are four characters. */
static void print(size_t odd, const struct row *other)
{
	const struct field *const columns[] = { &fields[0], &fields[1], &fields[2], NULL };
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	struct table *table = table_new(columns, 3, true, stream);

	assert_non_null(table);
	for (size_t i = 0; i < ROWS; i++) {
		struct row row = { .name = "name", .number = known(1000 + i % 9000) };

		assert_int_equal(table_row(table, i == odd ? other : &row), 0);
	}
	assert_int_equal(table_finish(table), 0);
	fclose(stream);
	line_count = 0;
	for (char *rest = text; *rest; line_count++) {
		assert_true(line_count < ARRAY_SIZE(lines));
		lines[line_count] = strsep(&rest, "\n");
	}
}

TEST(rows_behind_the_first_chunk_stay_in_its_columns_as_long_as_they_fit)
{
	static const struct {
		size_t odd;
		struct row other;
		size_t headings;
		const char *expected[3]; /* the odd row, and the lines before and after */
	} rows[] = {
		{ 0, { .name = "none" }, 1, { "NAME NUMBER", "none      -", "name   1001" } },
		{ 3000,
		  { .name = "long name", .number = { 1, true } },
		  1,
		  { "name        3999", "long name      1", "name        4001" } },
		{ 3000,
		  { .name = "\x1b[m", .number = { 1, true } },
		  1,
		  { "name     3999", "\\x1b[m      1", "name     4001" } },
		{ 3072,
		  { .name = "name", .number = { 1, true }, .rare = "x" },
		  2,
		  { "NAME NUMBER RARE", "name      1 x", "name   4073 -" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print(rows[i].odd, &rows[i].other);
		assert_int_equal(line_count, ROWS + rows[i].headings);
		for (size_t n = 0; n < 3; n++)
			assert_string_equal(lines[rows[i].odd + rows[i].headings - 1 + n],
					    rows[i].expected[n]);
		assert_int_equal(strncmp(lines[ROWS], "name", 4), 0);
		free(text);
	}
}

/* For scripts, without headings: what libsmartcols escapes stays where it is among rows that it does not print. */
TEST(rows_for_scripts_keep_their_order_and_escapes)
{
	const struct row rows[] = {
		{ .name = "a", .number = known(0) },
		{ .name = "b c", .number = known(9) },
		{ .name = "d\\e", .number = known(10) },
		{ .name = "\x7f", .number = known(UINT64_MAX) },
		{ .rare = "~!" },
	};
	const struct field *const columns[] = { &fields[0], &fields[1], &fields[2], NULL };
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	struct table *table = table_new(columns, 0, false, stream);

	assert_non_null(table);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(table_row(table, &rows[i]), 0);
	assert_int_equal(table_finish(table), 0);
	fclose(stream);
	assert_string_equal(text, "a 0 -\nb\\x20c 9 -\nd\\x5ce 10 -\n"
				  "\\x7f 18446744073709551615 -\n- - ~!\n");
	free(text);
}
