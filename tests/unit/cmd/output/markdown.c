// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables of Markdown: cells that hold what Markdown, HTML or a terminal would obey, and nested records. */
#include "cmd/output/markdown.h"
#include "tests/unit/unit.h"

struct inner {
	struct mr_opt_u64 number;
	const char *text;
};

struct outer {
	const char *name;
	struct mr_opt_u64 unknown;
	struct inner inside;
	struct mr_opt_u64 detail;
	struct list list;
};

static const struct field inner_fields[] = {
	FIELD(struct inner, number, FIELD_NUMBER, 0, ""),
	FIELD(struct inner, text, FIELD_STRING, 0, ""),
	FIELD_END,
};
static const struct record inner_record = { "inner", inner_fields, NULL };

static const struct field outer_fields[] = {
	FIELD(struct outer, name, FIELD_STRING, 0, ""),
	FIELD(struct outer, unknown, FIELD_NUMBER, 0, ""),
	FIELD_INSIDE(struct outer, inside, struct inner, &inner_record, ""),
	FIELD(struct outer, detail, FIELD_NUMBER, FIELD_DETAIL, ""),
	FIELD(struct outer, list, FIELD_LIST, 0, ""),
	FIELD_END,
};
static const struct record outer_record = { "outer", outer_fields, NULL };

TEST(cells_are_as_wide_as_their_column_and_hold_no_markup)
{
	static const char *const cells[] = { "name",  "bytes",   "Käse", NULL,          "a|`b`\\",
					     "m_0 _", "<b>&lt;", "*[~$", "\n\033[\xff", "1" };
	static const bool right[] = { false, true };
	const struct markdown_table table = { cells, right, 2, 5 };
	struct capture c;

	capture_begin(&c, STDOUT_FILENO);
	assert_int_equal(markdown_table(&table, stdout), 0);
	assert_string_equal(capture_end(&c), "| name              |    bytes |\n"
					     "| ----------------- | -------: |\n"
					     "| Käse              |        - |\n"
					     "| a\\|\\`b\\`\\\\        |   m_0 \\_ |\n"
					     "| &lt;b&gt;&amp;lt; | \\*\\[\\~\\$ |\n"
					     "| \\\\x0a\\\\x1b\\[\\\\xff |        1 |\n");
}

TEST(a_record_is_a_table_of_keys_and_values)
{
	const struct inner rows[] = { { .number = { 1, true } }, { .number = { 2, true } } };
	const struct outer outer = {
		.name = "n",
		.inside = { .number = { 7, true } },
		.detail = { 8, true },
		.list = { &inner_record, rows, 2, sizeof(*rows) },
	};
	struct capture c;

	capture_begin(&c, STDOUT_FILENO);
	assert_int_equal(markdown_object(&outer_record, &outer, false, stdout), 0);
	capture_end(&c);
	assert_string_equal(c.text, "| outer         |     |\n"
				    "| ------------- | --- |\n"
				    "| name          | n   |\n"
				    "| inside.number | 7   |\n"
				    "\nlist:\n\n"
				    "| number |\n"
				    "| ------ |\n"
				    "| 1      |\n"
				    "| 2      |\n");
	capture_begin(&c, STDOUT_FILENO);
	assert_int_equal(markdown_object(&outer_record, &outer, true, stdout), 0);
	capture_end(&c);
	assert_contains(c.text, "| unknown       | -   |\n");
	assert_contains(c.text, "| detail        | 8   |\n");
	assert_contains(c.text, "| number | text |\n");
}
