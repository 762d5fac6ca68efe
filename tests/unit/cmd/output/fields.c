// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Values as text, and tables of fields. */
#include "cmd/output/output.h"
#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

struct sample {
	const char *string;
	char text[8];
	bool flag;
	struct mr_opt_u64 number;
	struct list list;
};

static const struct field sample_fields[] = {
	FIELD(struct sample, string, FIELD_STRING, 0, ""),
	FIELD(struct sample, text, FIELD_TEXT, 0, ""),
	FIELD(struct sample, flag, FIELD_BOOL, 0, ""),
	FIELD(struct sample, number, FIELD_NUMBER, 0, ""),
	FIELD_AS("limit", struct sample, number, FIELD_LIMIT, 0, ""),
	FIELD_AS("ratio", struct sample, number, FIELD_RATIO, 0, ""),
	FIELD_AS("hex", struct sample, number, FIELD_HEX, 0, ""),
	FIELD_AS("access", struct sample, number, FIELD_ACCESS, 0, ""),
	FIELD_AS("pages", struct sample, number, FIELD_PAGES, 0, ""),
	FIELD_AS("ranges", struct sample, number, FIELD_PAGES, FIELD_RANGES, ""),
	FIELD(struct sample, list, FIELD_LIST, 0, ""),
	FIELD_END,
};
static const struct record sample_record = { "sample", sample_fields, NULL };

static const char *text_of(const struct sample *row, const char *key)
{
	static char buffer[FIELD_TEXT_MAX];
	const struct field *field = fields_find(&sample_record, key, strlen(key));

	assert_non_null(field);
	return field_text(field, row, buffer) ?: "unknown";
}

TEST(numbers_are_written_by_the_type_of_their_field)
{
	static const struct {
		const char *key;
		uint64_t number;
		const char *text;
	} rows[] = {
		{ "number", 0, "0" },
		{ "number", (UINT64_C(1) << 53) + 1, "9007199254740993" },
		{ "number", UINT64_MAX, "18446744073709551615" },
		{ "limit", 7, "7" },
		{ "ratio", 1042, "1.042" },
		{ "hex", 0, "0x0" },
		{ "hex", UINT64_MAX, "0xffffffffffffffff" },
		{ "access", 0, "none" },
		{ "access", 5, "local-write,remote-read" },
		{ "access", 0x80008001, "local-write,0x8000,0x80000000" },
		{ "pages", 0, "none" },
		{ "pages", 0x201000, "4K,2M" },
		{ "ranges", UINT64_MAX, "1..8E" },
		{ "ranges", 0x7000, "4K..16K" },
		{ "ranges", 0x3001, "1,4K,8K" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct sample row = { .number = known(rows[i].number) };

		assert_string_equal(text_of(&row, rows[i].key), rows[i].text);
	}
}

TEST(other_values_are_written_and_unknown_ones_are_none)
{
	static const struct {
		const char *key, *known, *unknown;
	} rows[] = {
		{ "string", "abc", "unknown" },
		{ "text", "def", "unknown" },
		{ "flag", "true", "false" },
		{ "number", "7", "unknown" },
		{ "limit", "7", "unlimited" },
		{ "ratio", "0.007", "unknown" },
		{ "hex", "0x7", "unknown" },
		{ "pages", "1,2,4", "unknown" },
		{ "access", "local-write,remote-write,remote-read", "unknown" },
		{ "list", "unknown", "unknown" },
	};
	const struct sample row = { "abc", "def", true, known(7), { 0 } };
	const struct sample none = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_string_equal(text_of(&row, rows[i].key), rows[i].known);
		assert_string_equal(text_of(&none, rows[i].key), rows[i].unknown);
	}
}

struct inner {
	bool is_known;
	uint32_t small;
	uint64_t large;
	enum mr_tristate answer;
	uint32_t word;
	uint64_t bits;
	int error;
	char text[8];
};

struct outer {
	const struct inner *inner;
};

static const struct mr_word names[] = {
	{ .name = NULL },
	{ .name = "one", .bit = 1 },
	{ .name = "high", .bit = UINT64_C(1) << 40 },
	{ .name = NULL },
};

#define INNER(member, type, flags, ...)                                                            \
	FIELD_BEHIND(#member, struct outer, inner, struct inner, member, type, flags,              \
		     "" __VA_OPT__(, ) __VA_ARGS__)

static const struct field inner_fields[] = {
	INNER(small, FIELD_NUMBER, 0),
	INNER(large, FIELD_HEX, 0),
	INNER(answer, FIELD_TRISTATE, 0),
	INNER(word, FIELD_WORD, 0, .words = names),
	INNER(bits, FIELD_BITS, 0, .words = names + 1),
	FIELD_BEHIND("named", struct outer, inner, struct inner, bits, FIELD_BITS, FIELD_NAMED, "",
		     .words = names + 1),
	INNER(error, FIELD_ERRNO, 0),
	INNER(text, FIELD_TEXT, 0),
	FIELD_BEHIND("if_known", struct outer, inner, struct inner, small, FIELD_NUMBER, 0, "",
		     KNOWN_BY(struct inner, is_known)),
	FIELD_END,
};
static const struct record inner_record = { "inner", inner_fields, NULL };

TEST(fields_point_into_structs_of_the_library)
{
	static const struct {
		struct inner inner;
		const char *json;
	} rows[] = {
		{ { true, 7, UINT64_MAX, MR_YES, 2, UINT64_C(1) << 40 | 0x81, -ENOMEM, "text" },
		  "{\"small\":7,\"large\":\"0xffffffffffffffff\",\"answer\":true,\"word\":\"high\","
		  "\"bits\":[\"one\",\"high\",\"0x80\"],\"named\":[\"one\",\"high\"],"
		  "\"error\":\"ENOMEM\",\"text\":\"text\",\"if_known\":7}" },
		{ { false, 0, 0, MR_UNKNOWN, 0, 0, 0, "" },
		  "{\"small\":0,\"large\":\"0x0\",\"answer\":null,\"word\":null,\"bits\":[],"
		  "\"named\":[],\"error\":null,\"text\":null,\"if_known\":null}" },
		{ { false, 1, 1, MR_NO, 99, 0, 9999, "" },
		  "{\"small\":1,\"large\":\"0x1\",\"answer\":false,\"word\":null,\"bits\":[],"
		  "\"named\":[],\"error\":\"9999\",\"text\":null,\"if_known\":null}" },
	};
	const struct outer none = { NULL };
	char json[512];

	for (size_t i = 0; i <= ARRAY_SIZE(rows); i++) {
		const struct outer row = { i < ARRAY_SIZE(rows) ? &rows[i].inner : NULL };
		FILE *stream = fmemopen(json, sizeof(json), "w");

		assert_non_null(stream);
		json_put_object(stream, &inner_record, NULL, &row);
		fclose(stream);
		if (row.inner)
			assert_string_equal(json, rows[i].json);
	}
	assert_string_equal(json, "{\"small\":null,\"large\":null,\"answer\":null,\"word\":null,"
				  "\"bits\":null,\"named\":null,\"error\":null,\"text\":null,"
				  "\"if_known\":null}");
	assert_null(field_text(&inner_fields[0], &none, json));
}

TEST(a_command_line_is_written_as_a_shell_reads_it)
{
	const char *argv[] = { "mrctl", "-o", "a,b", "a b", "it's", "", "$HOME", NULL };
	char buffer[FIELD_TEXT_MAX], word[2 * FIELD_TEXT_MAX] = "";

	assert_string_equal(words_text(argv, buffer), "mrctl -o a,b 'a b' 'it'\\''s' '' '$HOME'");
	memset(word, 'a', sizeof(word) - 1);
	argv[1] = word;
	assert_string_equal(words_text(argv, buffer) + FIELD_TEXT_MAX - 6, "a...");
	memset(word, '\'', sizeof(word) - 1);
	assert_true(strlen(words_text(argv, buffer)) < FIELD_TEXT_MAX);
	assert_null(words_text(NULL, buffer));
	assert_string_equal(words_text(&argv[7], buffer), "none");
}
