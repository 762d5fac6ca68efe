// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Standard output, byte for byte: JSON documents, tables and lines. */
#include "cmd/output/output.h"
#include "tests/unit/unit.h"

struct row {
	const char *name;
	struct mr_opt_u64 number;
	struct mr_opt_u64 maybe;
	struct mr_opt_u64 key;
	struct mr_opt_u64 addr;
	struct mr_opt_u64 access;
	struct mr_opt_u64 pages;
	bool truth;
	struct list rows;
};

static const struct field inner_fields[] = {
	FIELD(struct row, number, FIELD_NUMBER, 0, ""),
	FIELD_END,
};
static const struct record inner_record = { "inner", inner_fields, NULL };

static const struct field row_fields[] = {
	FIELD(struct row, name, FIELD_STRING, 0, "", .usual = "usual"),
	FIELD(struct row, number, FIELD_NUMBER, 0, ""),
	FIELD(struct row, maybe, FIELD_NUMBER, 0, "", .instead = "number"),
	FIELD(struct row, key, FIELD_HEX, 0, ""),
	FIELD(struct row, addr, FIELD_HEX, 0, "", .repeats = "key"),
	FIELD(struct row, access, FIELD_ACCESS, FIELD_DETAIL, ""),
	FIELD(struct row, pages, FIELD_PAGES, FIELD_DETAIL, ""),
	FIELD(struct row, truth, FIELD_BOOL, FIELD_DETAIL, ""),
	FIELD(struct row, rows, FIELD_LIST, 0, ""),
	FIELD_END,
};
static const struct record row_record = { "row", row_fields, NULL };

static const struct row inner[] = { { .number = { UINT64_MAX, true } }, { .number = { 2, true } } };
static const struct row both[] = {
	{ .name = "a",
	  .number = { 1, true },
	  .key = { 0x1805, true },
	  .addr = { 0, true },
	  .access = { 0x8001, true },
	  .pages = { UINT64_C(0x8000000000001000), true } },
	{ .number = { 22222, true },
	  .maybe = { 3, true },
	  .key = { 0, true },
	  .addr = { 0x10, true },
	  .access = { 0, true },
	  .pages = { 0, true } },
};

/* Prints a document with rows. */
static const char *print(struct capture *c, const struct output_style *style, bool lines, const char *usual_columns,
			 const struct row *rows, size_t count)
{
	struct output out;
	struct mr_error err = { 0 };

	if (output_open(&out, style, &row_record, &err))
		fail_msg("%s", err.text);
	out.usual_columns = usual_columns;
	capture_begin(c, STDOUT_FILENO);
	output_begin(&out, "test");
	output_list_begin(&out, "rows", &row_record, lines);
	for (size_t i = 0; i < count; i++)
		output_row(&out, &row_record, &rows[i]);
	output_list_end(&out);
	output_end(&out, &err);
	capture_end(c);
	output_release(&out);
	if (mr_error_is_set(&err))
		fail_msg("%s", err.text);
	return c->text;
}

TEST(rows_are_printed_in_the_style_that_was_asked_for)
{
	static const struct {
		struct output_style style;
		bool lines;
		const char *expected;
	} rows[] = {
		{ { .json = true },
		  false,
		  "{\"format\":1,\"command\":\"test\",\"rows\":[\n"
		  "{\"name\":\"a\",\"number\":1,\"maybe\":null,\"key\":\"0x1805\",\"addr\":\"0x0\","
		  "\"access\":[\"local-write\",\"0x8000\"],\"pages\":[4096,9223372036854775808],"
		  "\"truth\":false,\"rows\":null},\n"
		  "{\"name\":null,\"number\":22222,\"maybe\":3,\"key\":\"0x0\",\"addr\":\"0x10\","
		  "\"access\":[],\"pages\":[],\"truth\":false,\"rows\":null}]}\n" },
		{ { .json = true, .columns = "key,name", .verbose = true, .no_headings = true },
		  true,
		  "{\"format\":1,\"command\":\"test\",\"rows\":[\n{\"key\":\"0x1805\","
		  "\"name\":\"a\"},\n{\"key\":\"0x0\",\"name\":null}]}\n" },
		{ { .columns = "name,number,maybe,access" },
		  false,
		  "NAME NUMBER MAYBE ACCESS\n"
		  "a         1     - local-write,0x8000\n"
		  "-     22222     3 none\n" },
		{ { .columns = "key", .no_headings = true }, false, "0x1805\n0x0\n" },
		{ { .verbose = true, .no_headings = true },
		  false,
		  "a 1 - 0x1805 0x0 local-write,0x8000 4K,8E false\n"
		  "- 22222 3 0x0 0x10 none none false\n" },
		{ { .verbose = true },
		  false,
		  "name:              a\nnumber:            1\nmaybe:             -\n"
		  "key:               0x1805\naddr:              0x0\n"
		  "access:            local-write,0x8000\npages:             4K,8E\n"
		  "truth:             false\nrows:              -\n\n"
		  "name:              -\nnumber:            22222\nmaybe:             3\n"
		  "key:               0x0\naddr:              0x10\naccess:            none\n"
		  "pages:             none\ntruth:             false\nrows:              -\n" },
		{ { 0 },
		  true,
		  "name:              a\nnumber:            1\nkey:               0x1805\n"
		  "addr:              0x0\nnumber:            22222\nmaybe:             3\n"
		  "key:               0x0\naddr:              0x10\n" },
		{ { .quiet = true }, false, "" },
		{ { .quiet = true }, true, "" },
	};
	struct capture c;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(print(&c, &rows[i].style, rows[i].lines, "name,number,maybe,key", both, 2),
				    rows[i].expected);
}

TEST(values_of_json_are_exact_and_escaped)
{
	static const struct {
		struct row row;
		const char *expected;
	} rows[] = {
		{ { .number = { (UINT64_C(1) << 53) + 1, true } }, ":9007199254740993," },
		{ { .number = { UINT64_MAX, true } }, ":18446744073709551615," },
		{ { .addr = { UINT64_MAX, true } }, ":\"0xffffffffffffffff\"" },
		{ { .truth = true },
		  "[\n{\"name\":null,\"number\":null,\"maybe\":null,\"key\":null,\"addr\":null,"
		  "\"access\":null,\"pages\":null,\"truth\":true,\"rows\":null}]}\n" },
		{ { .name = "a\"b\\c\nd\x01%s%n" }, "\"name\":\"a\\\"b\\\\c\\u000ad\\u0001%s%n\"" },
		{ { .name = "" }, "\"name\":\"\"" },
		{ { .rows = { &inner_record, inner, 2, sizeof(*inner) } },
		  "\"rows\":[{\"number\":18446744073709551615},{\"number\":2}]}" },
	};
	const struct output_style style = { .json = true };
	struct capture c;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_contains(print(&c, &style, false, NULL, &rows[i].row, 1), rows[i].expected);
}

TEST(members_objects_and_lists_stand_side_by_side)
{
	const struct output_style style = { .json = true };
	const struct row rows[] = { { .number = known(1) }, { .number = known(2) } };
	const struct list list = { &inner_record, rows, 2, sizeof(*rows) };
	const struct list empty = { .record = &inner_record };
	struct mr_error err = { 0 };
	struct output out;
	struct capture c;

	assert_int_equal(output_open(&out, &style, &row_record, &err), 0);
	capture_begin(&c, STDOUT_FILENO);
	output_begin(&out, "test");
	output_object(&out, "object", &inner_record, &rows[0]);
	output_member(&out, inner_fields, &rows[1]);
	output_list_begin(&out, "none", &row_record, false);
	output_list_end(&out);
	output_json_list(&out, "list", &list);
	output_json_list(&out, "empty", &empty);
	assert_int_equal(output_end(&out, &err), 0);
	capture_end(&c);
	output_release(&out);
	assert_string_equal(c.text, "{\"format\":1,\"command\":\"test\",\"object\":{\"number\":1},"
				    "\"number\":2,\"none\":[],\"list\":[\n{\"number\":1},\n"
				    "{\"number\":2}],\"empty\":[]}\n");
}

TEST(a_default_table_leaves_out_columns_that_are_not_needed)
{
	const struct output_style plain = { 0 }, bare = { .no_headings = true };
	const char *const usual = "number,name,maybe,key,addr";
	struct row rows[] = {
		{ .number = known(1), .name = "usual", .key = known(16), .addr = known(16) },
		{ .number = known(2), .name = "usual", .key = known(17), .addr = known(17) },
	};
	struct capture c;

	assert_string_equal(print(&c, &plain, false, usual, rows, 2), "NUMBER KEY\n     1 0x10\n     2 0x11\n");
	assert_string_equal(print(&c, &bare, false, usual, rows, 2), "1 usual - 0x10 0x10\n2 usual - 0x11 0x11\n");
	rows[1].name = "b";
	rows[1].maybe = known(3);
	rows[1].addr = known(18);
	assert_string_equal(print(&c, &plain, false, usual, rows, 2),
			    "NUMBER NAME  KEY  ADDR\n     1 usual 0x10 0x10\n     2 b     0x11 0x12\n");
	rows[1].number.known = false;
	assert_contains(print(&c, &plain, false, usual, rows, 2), "NUMBER NAME  MAYBE KEY  ADDR\n");
}
