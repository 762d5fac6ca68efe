// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Standard output, byte for byte: JSON documents, tables and lines. */
#include <errno.h>
#include <fcntl.h>

#include "cmd/output/document.h"
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

static const struct row first = { .name = "a",
				  .number = { 1, true },
				  .key = { 0x1805, true },
				  .addr = { 0, true },
				  .access = { 0x8001, true },
				  .pages = { UINT64_C(0x8000000000001000), true } };
static const struct row second = { .number = { 22222, true },
				   .maybe = { 3, true },
				   .key = { 0, true },
				   .addr = { 0x10, true },
				   .access = { 0, true },
				   .pages = { 0, true } };

/* Prints a document with both rows. */
static const char *print(struct capture *c, const struct output_style *style, bool lines)
{
	struct output out;
	struct mr_error err = { 0 };

	if (output_open(&out, style, &row_record, &err))
		fail_msg("%s", err.text);
	out.usual_columns = "name,number,maybe,key";
	capture_begin(c, STDOUT_FILENO);
	output_begin(&out, "test");
	output_list_begin(&out, "rows", &row_record, lines);
	output_row(&out, &row_record, &first);
	output_row(&out, &row_record, &second);
	output_list_end(&out);
	output_end(&out, &err);
	capture_end(c);
	output_release(&out);
	if (mr_error_is_set(&err))
		fail_msg("%s", err.text);
	return c->text;
}

/* Prints one row as a JSON object, without the document around it. */
static const char *json_row(struct capture *c, const struct row *row)
{
	const struct output_style style = { .json = true };
	struct output out;
	struct mr_error err = { 0 };
	char *end;

	assert_int_equal(output_open(&out, &style, &row_record, &err), 0);
	capture_begin(c, STDOUT_FILENO);
	output_list_begin(&out, "rows", &row_record, false);
	output_row(&out, &row_record, row);
	output_list_end(&out);
	capture_end(c);
	output_release(&out);
	assert_contains(c->text, "\"rows\":[\n");
	end = strrchr(c->text, ']');
	assert_non_null(end);
	*end = '\0';
	return strchr(c->text, '\n') + 1;
}

TEST(a_document_is_one_object_with_an_element_on_each_line)
{
	const struct output_style style = { .json = true };
	struct capture c;

	assert_string_equal(
		print(&c, &style, false),
		"{\"format\":1,\"command\":\"test\",\"rows\":[\n"
		"{\"name\":\"a\",\"number\":1,\"maybe\":null,\"key\":\"0x1805\",\"addr\":\"0x0\","
		"\"access\":[\"local-write\",\"0x8000\"],"
		"\"pages\":[4096,9223372036854775808],\"truth\":false,\"rows\":null},\n"
		"{\"name\":null,\"number\":22222,\"maybe\":3,\"key\":\"0x0\",\"addr\":\"0x10\","
		"\"access\":[],\"pages\":[],\"truth\":false,\"rows\":null}]}\n");
}

TEST(integers_are_exact_over_64_bits)
{
	struct capture c;

	assert_contains(json_row(&c, &(struct row){ .number = known((UINT64_C(1) << 53) + 1) }),
			"\"number\":9007199254740993,");
	assert_contains(json_row(&c, &(struct row){ .number = known(UINT64_MAX) }),
			"\"number\":18446744073709551615,");
	assert_contains(json_row(&c, &(struct row){ .number = known(UINT64_MAX - 1) }),
			"\"number\":18446744073709551614,");
	assert_contains(json_row(&c, &(struct row){ .addr = known(UINT64_MAX) }),
			"\"addr\":\"0xffffffffffffffff\"");
}

TEST(unknown_values_are_null)
{
	struct capture c;

	assert_string_equal(
		json_row(&c, &(struct row){ .truth = true }),
		"{\"name\":null,\"number\":null,\"maybe\":null,\"key\":null,"
		"\"addr\":null,\"access\":null,\"pages\":null,\"truth\":true,\"rows\":null}");
}

TEST(strings_are_escaped)
{
	struct capture c;

	assert_contains(json_row(&c, &(struct row){ .name = "a\"b\\c\nd\x01" }),
			"\"name\":\"a\\\"b\\\\c\\u000ad\\u0001\"");
	assert_contains(json_row(&c, &(struct row){ .name = "" }), "\"name\":\"\"");
	assert_contains(json_row(&c, &(struct row){ .name = "%s%n" }), "\"name\":\"%s%n\"");
}

TEST(lists_inside_a_row_are_lists_of_objects)
{
	const struct row inner[] = { { .number = known(UINT64_MAX) }, { .number = known(2) } };
	const struct row row = { .rows = { &inner_record, inner, 2, sizeof(*inner) } };
	struct capture c;

	assert_contains(json_row(&c, &row),
			"\"rows\":[{\"number\":18446744073709551615},{\"number\":2}]}");
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
	output_members(&out, &inner_record, &rows[1]);
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

TEST(verbosity_changes_nothing_in_json)
{
	const struct output_style plain = { .json = true };
	const struct output_style verbose = { .json = true, .verbose = true, .no_headings = true };
	struct capture a, b;

	assert_string_equal(print(&a, &plain, false), print(&b, &verbose, true));
}

TEST(columns_choose_and_order_in_json_too)
{
	const struct output_style style = { .json = true, .columns = "key,name" };
	struct capture c;

	assert_contains(print(&c, &style, false), "[\n{\"key\":\"0x1805\",\"name\":\"a\"},\n"
						  "{\"key\":\"0x0\",\"name\":null}]");
}

TEST(a_table_has_headings_and_a_dash_for_unknown_values)
{
	const struct output_style style = { .columns = "name,number,maybe,access" };
	struct capture c;

	assert_string_equal(print(&c, &style, false), "NAME NUMBER MAYBE ACCESS\n"
						      "a         1     - local-write,0x8000\n"
						      "-     22222     3 none\n");
}

TEST(without_headings_there_are_values_only)
{
	const struct output_style style = { .columns = "key", .no_headings = true };
	struct capture c;

	assert_string_equal(print(&c, &style, false), "0x1805\n0x0\n");
}

TEST(a_table_shows_details_only_when_verbose_or_asked_for)
{
	const struct output_style plain = { 0 }, named = { .columns = "addr,access" };
	const struct output_style verbose = { .verbose = true, .no_headings = true };
	struct capture c;

	print(&c, &plain, false);
	assert_contains(c.text, "NAME NUMBER KEY\n");
	print(&c, &named, false);
	assert_contains(c.text, "ADDR ACCESS\n");
	print(&c, &verbose, false);
	assert_contains(c.text, "a 1 - 0x1805 0x0 ");
}

TEST(verbose_is_a_list_of_lines_for_each_row)
{
	const struct output_style verbose = { .verbose = true };
	struct capture c;

	print(&c, &verbose, false);
	assert_contains(c.text, "name:              a\n");
	assert_contains(c.text, "addr:              0x0\n");
	assert_contains(c.text, "\n\nname:              -\n");
	assert_null(strstr(c.text, "NAME"));
}

/* Prints a table of these rows with the default columns. */
static const char *print_usual(struct capture *c, const struct output_style *style,
			       const struct row *rows, size_t count)
{
	struct mr_error err = { 0 };
	struct output out;

	assert_int_equal(output_open(&out, style, &row_record, &err), 0);
	out.usual_columns = "number,name,maybe,key,addr";
	capture_begin(c, STDOUT_FILENO);
	output_list_begin(&out, "rows", &row_record, false);
	for (size_t i = 0; i < count; i++)
		output_row(&out, &row_record, &rows[i]);
	output_list_end(&out);
	capture_end(c);
	output_release(&out);
	return c->text;
}

TEST(a_default_table_leaves_out_columns_that_are_not_needed)
{
	const struct output_style plain = { 0 }, bare = { .no_headings = true };
	struct row rows[] = {
		{ .number = known(1), .name = "usual", .key = known(16), .addr = known(16) },
		{ .number = known(2), .name = "usual", .key = known(17), .addr = known(17) },
	};
	struct capture c;

	assert_string_equal(print_usual(&c, &plain, rows, 2), "NUMBER KEY\n"
							      "     1 0x10\n"
							      "     2 0x11\n");
	assert_string_equal(print_usual(&c, &bare, rows, 2), "1 usual - 0x10 0x10\n"
							     "2 usual - 0x11 0x11\n");
	rows[1].name = "b";
	rows[1].maybe = known(3);
	rows[1].addr = known(18);
	assert_string_equal(print_usual(&c, &plain, rows, 2), "NUMBER NAME  KEY  ADDR\n"
							      "     1 usual 0x10 0x10\n"
							      "     2 b     0x11 0x12\n");
	rows[1].number.known = false;
	assert_contains(print_usual(&c, &plain, rows, 2), "NUMBER NAME  MAYBE KEY  ADDR\n");
}

TEST(a_column_that_only_a_late_row_needs_begins_a_new_heading)
{
	enum { ROWS = 2048 };
	const struct output_style plain = { 0 };
	struct row *rows = calloc(ROWS, sizeof(*rows));
	struct capture c;

	assert_non_null(rows);
	for (size_t i = 0; i < ROWS; i++)
		rows[i] = (struct row){ .number = known(i),
					.name = i == ROWS - 1 ? "late" : "usual" };
	print_usual(&c, &plain, rows, ROWS);
	assert_int_equal(strncmp(c.text, "NUMBER\n", 7), 0);
	assert_contains(c.text, "2046\nNUMBER NAME\n");
	assert_contains(c.text, "2047 late\n");
	free(rows);
}

TEST(lines_are_aligned_and_leave_unknown_values_out)
{
	const struct output_style plain = { 0 }, verbose = { .verbose = true };
	struct capture c;

	assert_string_equal(print(&c, &plain, true), "name:              a\n"
						     "number:            1\n"
						     "key:               0x1805\n"
						     "addr:              0x0\n"
						     "number:            22222\n"
						     "maybe:             3\n"
						     "key:               0x0\n"
						     "addr:              0x10\n");
	print(&c, &verbose, true);
	assert_contains(c.text, "maybe:             -\n");
	assert_contains(c.text, "access:            local-write,0x8000\n");
}

TEST(quiet_prints_nothing)
{
	const struct output_style style = { .quiet = true };
	struct capture c;

	assert_string_equal(print(&c, &style, false), "");
	assert_string_equal(print(&c, &style, true), "");
}

TEST(columns_of_a_long_table_stay_aligned_with_one_heading)
{
	enum { ROWS = 2500 };
	const struct output_style style = { .columns = "number,name" };
	struct mr_error err = { 0 };
	struct output out;
	struct capture c;
	int lines = 0;

	assert_int_equal(output_open(&out, &style, &row_record, &err), 0);
	capture_begin(&c, STDOUT_FILENO);
	output_list_begin(&out, "rows", &row_record, false);
	for (uint64_t i = 0; i < ROWS; i++)
		output_row(&out, &row_record, &(struct row){ .name = "n", .number = known(i) });
	output_list_end(&out);
	assert_int_equal(output_end(&out, &err), 0);
	capture_end(&c);
	output_release(&out);
	for (char *line = strtok(c.text, "\n"); line; line = strtok(NULL, "\n"), lines++)
		assert_int_equal(strcspn(line, "nN") > 0 ? strcspn(line, "n") : 7, 7);
	assert_int_equal(lines, ROWS + 1);
}

TEST(unknown_columns_are_usage_errors)
{
	static const char *const lists[] = { "",           "bogus", "name,",       ",name",
					     "name,bogus", "NAMES", "name number", "+" };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const struct output_style style = { .columns = lists[i] };
		struct mr_error err = { 0 };
		struct output out;

		assert_equal_for(lists[i], output_open(&out, &style, &row_record, &err), -EINVAL);
		assert_equal_for(lists[i], err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, "unknown column");
		output_release(&out);
	}
}

TEST(columns_of_a_command_that_prints_none_are_a_usage_error)
{
	const struct output_style style = { .columns = "name" };
	struct mr_error err = { 0 };
	struct output out;

	assert_int_equal(output_open(&out, &style, NULL, &err), -EINVAL);
	assert_int_equal(err.kind, MR_ERROR_USAGE);
	output_release(&out);
}

TEST(a_full_disk_is_an_error)
{
	const struct output_style style = { .json = true };
	struct mr_error err = { 0 };
	int full = open("/dev/full", O_WRONLY), saved, rc;
	struct output out;

	assert_true(full >= 0);
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	dup2(full, STDOUT_FILENO);
	output_open(&out, &style, &row_record, &err);
	output_begin(&out, "test");
	rc = output_end(&out, &err);
	clearerr(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(full);
	output_release(&out);
	assert_int_equal(rc, -ENOSPC);
	assert_int_equal(err.kind, MR_ERROR_HOST);
	assert_contains(err.text, "ENOSPC");
}
