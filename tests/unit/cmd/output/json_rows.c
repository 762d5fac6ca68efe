// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Plain records as JSON: in the bytes of the other writer, or not at all. */
#include "cmd/output/json_rows.h"

#include "cmd/output/json.h"
#include "tests/unit/unit.h"

struct sample {
	const char *string;
	char text[12];
	bool flag;
	struct opt_bool opt_flag;
	struct mr_opt_u64 number, limit, hex, access, pages;
};

static const struct field sample_fields[] = {
	FIELD(struct sample, string, FIELD_STRING, 0, "a"),
	FIELD(struct sample, text, FIELD_TEXT, 0, "b"),
	FIELD(struct sample, flag, FIELD_BOOL, 0, "c"),
	FIELD(struct sample, opt_flag, FIELD_OPT_BOOL, 0, "d"),
	FIELD(struct sample, number, FIELD_NUMBER, 0, "e"),
	FIELD(struct sample, limit, FIELD_LIMIT, 0, "f"),
	FIELD(struct sample, hex, FIELD_HEX, 0, "g"),
	FIELD(struct sample, access, FIELD_ACCESS, 0, "h"),
	FIELD(struct sample, pages, FIELD_PAGES, 0, "i"),
	FIELD_END,
};
static const struct record sample_record = { "sample", sample_fields, NULL };

/* Each row differs from the one before in a member or two: only these are written anew. */
TEST(rows_have_their_own_values_whatever_was_before)
{
	static const struct {
		struct sample row;
		const char *expected; /* NULL: not plain */
	} rows[] = {
		{ { .string = "a" },
		  "\"a\",\"text\":null,\"flag\":false,\"opt_flag\":null,"
		  "\"number\":null,\"limit\":null,\"hex\":null,\"access\":null,"
		  "\"pages\":null}" },
		{ { .string = "a", .flag = true, .opt_flag = { false, true } },
		  "\"a\",\"text\":null,\"flag\":true,\"opt_flag\":false,\"number\":null,"
		  "\"limit\":null,\"hex\":null,\"access\":null,\"pages\":null}" },
		{ { .string = "a\"" }, NULL },
		{ { .string = "a", .text = "\n" }, NULL },
		{ { .text = "text", .number = { UINT64_MAX, true }, .limit = { 7, true } },
		  "null,\"text\":\"text\",\"flag\":false,\"opt_flag\":null,"
		  "\"number\":18446744073709551615,\"limit\":7,\"hex\":null,\"access\":null,"
		  "\"pages\":null}" },
		{ { .text = "text", .number = { 0, true }, .hex = { 31, true } },
		  "null,\"text\":\"text\",\"flag\":false,\"opt_flag\":null,\"number\":0,"
		  "\"limit\":null,\"hex\":\"0x1f\",\"access\":null,\"pages\":null}" },
		{ { .text = "text2", .access = { 0x8001, true }, .pages = { 0x1001, true } },
		  "null,\"text\":\"text2\",\"flag\":false,\"opt_flag\":null,\"number\":null,"
		  "\"limit\":null,\"hex\":null,\"access\":[\"local-write\",\"0x8000\"],"
		  "\"pages\":[1,4096]}" },
		{ { .text = "text2", .access = { 0, true }, .pages = { 0, true } },
		  "null,\"text\":\"text2\",\"flag\":false,\"opt_flag\":null,\"number\":null,"
		  "\"limit\":null,\"hex\":null,\"access\":[],\"pages\":[]}" },
	};
	struct json_rows kept = { .count = 0 };

	/* each after each other one */
	for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(rows); i++) {
		const size_t n = i % 2 ? i / 2 % ARRAY_SIZE(rows) : i / ARRAY_SIZE(rows);
		struct json_rows fresh = { .count = 0 };
		const char *text;
		size_t length;
		const bool is_plain =
			json_rows_text(&kept, &sample_record, NULL, &rows[n].row, &text, &length);

		assert_int_equal(is_plain, rows[n].expected != NULL);
		if (is_plain) {
			assert_int_equal(length, strlen(text));
			assert_string_equal(text + strlen("{\"string\":"), rows[n].expected);
		} else {
			text = json_text(&fresh, &sample_record, NULL, &rows[n].row, &length);
			assert_contains(text, rows[n].row.string[1] ? "a\\\"" : "\\u000a");
			json_rows_release(&fresh);
		}
	}
	json_rows_release(&kept);
}

TEST(columns_are_those_that_were_chosen)
{
	const struct field *const columns[] = { &sample_fields[6], &sample_fields[0], NULL };
	const struct field *const none[] = { NULL };
	const struct sample row = { .string = "a", .hex = known(0), .number = known(7) };
	struct json_rows rows = { .count = 0 };
	const char *text;
	size_t length;

	assert_true(json_rows_text(&rows, &sample_record, columns, &row, &text, &length));
	assert_string_equal(text, "{\"hex\":\"0x0\",\"string\":\"a\"}");
	assert_true(json_rows_text(&rows, &sample_record, none, &row, &text, &length));
	assert_string_equal(text, "{}");
	assert_true(json_rows_text(&rows, &sample_record, columns, &row, &text, &length));
	assert_string_equal(text, "{\"hex\":\"0x0\",\"string\":\"a\"}");
	json_rows_release(&rows);
}
