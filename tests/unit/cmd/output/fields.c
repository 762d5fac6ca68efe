// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Values as text, and tables of fields. */
#include "cmd/output/fields.h"
#include "lib/verbs/access.h"
#include "tests/unit/unit.h"

struct sample {
	const char *string;
	char text[8];
	bool flag;
	struct opt_bool opt_flag;
	struct mr_opt_u64 number;
	struct mr_opt_u64 hex;
	struct mr_opt_u64 access;
	struct mr_opt_u64 pages;
	struct list list;
};

static const struct field sample_fields[] = {
	FIELD(struct sample, string, FIELD_STRING, 0, "a"),
	FIELD(struct sample, text, FIELD_TEXT, 0, "b"),
	FIELD(struct sample, flag, FIELD_BOOL, 0, "c"),
	FIELD(struct sample, opt_flag, FIELD_OPT_BOOL, 0, "d"),
	FIELD(struct sample, number, FIELD_NUMBER, 0, "e"),
	FIELD(struct sample, hex, FIELD_HEX, 0, "f"),
	FIELD(struct sample, access, FIELD_ACCESS, 0, "g"),
	FIELD(struct sample, pages, FIELD_PAGES, 0, "j"),
	FIELD(struct sample, list, FIELD_LIST, 0, "h"),
	FIELD_AS("other-name", struct sample, number, FIELD_NUMBER, 0, "i"),
	FIELD_END,
};
static const struct record sample_record = { "sample", sample_fields, NULL };

static const char *text_of(const struct sample *row, const char *key)
{
	static char buffer[FIELD_TEXT_MAX];
	const struct field *field = fields_find(&sample_record, key, strlen(key));

	assert_non_null(field);
	return field_text(field, row, buffer);
}

TEST(values_are_written_by_their_type)
{
	const struct sample row = {
		.string = "abc",
		.text = "def",
		.flag = true,
		.opt_flag = { false, true },
		.number = known(7),
		.hex = known(0xab),
		.access = known(5),
		.pages = known(0x201000),
	};

	assert_string_equal(text_of(&row, "string"), "abc");
	assert_string_equal(text_of(&row, "text"), "def");
	assert_string_equal(text_of(&row, "flag"), "true");
	assert_string_equal(text_of(&row, "opt_flag"), "false");
	assert_string_equal(text_of(&row, "number"), "7");
	assert_string_equal(text_of(&row, "hex"), "0xab");
	assert_string_equal(text_of(&row, "access"), "local-write,remote-read");
	assert_string_equal(text_of(&row, "pages"), "4K,2M");
	assert_string_equal(text_of(&row, "other-name"), "7");
}

TEST(all_bits_of_large_values_are_written)
{
	const struct sample row = { .number = known(UINT64_MAX), .hex = known(UINT64_MAX) };
	const struct sample odd = { .number = known((UINT64_C(1) << 53) + 1) };

	assert_string_equal(text_of(&row, "number"), "18446744073709551615");
	assert_string_equal(text_of(&row, "hex"), "0xffffffffffffffff");
	assert_string_equal(text_of(&odd, "number"), "9007199254740993");
}

TEST(unknown_values_have_no_text)
{
	const struct sample row = { 0 };

	assert_null(text_of(&row, "string"));
	assert_null(text_of(&row, "text"));
	assert_null(text_of(&row, "opt_flag"));
	assert_null(text_of(&row, "number"));
	assert_null(text_of(&row, "hex"));
	assert_null(text_of(&row, "access"));
	assert_null(text_of(&row, "pages"));
	assert_null(text_of(&row, "list"));
}

TEST(zero_is_a_value)
{
	const struct sample row = {
		.number = known(0), .hex = known(0), .access = known(0), .pages = known(0)
	};

	assert_string_equal(text_of(&row, "flag"), "false");
	assert_string_equal(text_of(&row, "number"), "0");
	assert_string_equal(text_of(&row, "hex"), "0x0");
	assert_string_equal(text_of(&row, "access"), "none");
	assert_string_equal(text_of(&row, "pages"), "none");
}

TEST(bits_without_a_name_are_written_as_a_number)
{
	const struct sample row = { .access = known(0x80008001) };

	assert_string_equal(text_of(&row, "access"), "local-write,0x8000,0x80000000");
}

static uint32_t parse_access(const char *text)
{
	struct mr_error err = { 0 };
	uint32_t bits;

	if (mr_flags_parse(mr_access_flags, "access flag", text, &bits, &err))
		fail_msg("'%s': %s", text, err.text);
	return bits;
}

TEST(every_access_mask_survives_being_written_and_read)
{
	static const struct field field = { .key = "access", .type = FIELD_ACCESS };
	char text[FIELD_TEXT_MAX];

	for (unsigned int shift = 0; shift < 32; shift++) {
		struct mr_opt_u64 one = known(1u << shift), below = known(one.value - 1);

		assert_int_equal(parse_access(field_text(&field, &one, text)), one.value);
		assert_int_equal(parse_access(field_text(&field, &below, text)), below.value);
	}
}

TEST(all_access_bits_fit_into_a_fields_text)
{
	static const struct field field = { .key = "access", .type = FIELD_ACCESS };
	char text[FIELD_TEXT_MAX];
	struct mr_opt_u64 all = known(UINT32_MAX);

	assert_int_equal(parse_access(field_text(&field, &all, text)), UINT32_MAX);
	assert_true(strlen(text) < FIELD_TEXT_MAX - 16);
}

TEST(all_page_sizes_fit_into_a_fields_text)
{
	const struct sample row = { .pages = known(UINT64_MAX) };
	const char *text = text_of(&row, "pages");

	assert_int_equal(strncmp(text, "1,2,4,", 6), 0);
	assert_contains(text, ",512,1K,");
	assert_string_equal(text + strlen(text) - 6, ",4E,8E");
}

TEST(a_field_is_found_by_its_whole_key)
{
	assert_non_null(fields_find(&sample_record, "hex,text", 3));
	assert_null(fields_find(&sample_record, "he", 2));
	assert_null(fields_find(&sample_record, "hexx", 4));
	assert_ptr_equal(fields_find(&sample_record, "HEX", 3),
			 fields_find(&sample_record, "hex", 3));
	assert_null(fields_find(&sample_record, "", 0));
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
}
