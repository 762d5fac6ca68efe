// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Plain records as JSON: in the bytes of cJSON, or not at all. */
#include "cmd/output/json_plain.h"

#include <cjson/cJSON.h>
#include <inttypes.h>

#include "cmd/output/json.h"
#include "lib/verbs/access.h"
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

static uint64_t seed = 1;

/* xorshift64, whose steps are the same on each machine. */
static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* Numbers of all sizes, and the ends of their range. */
static struct mr_opt_u64 draw_number(void)
{
	uint64_t kind = draw() % 8, value = draw() >> draw() % 64;

	return (struct mr_opt_u64){ kind == 1 ? 0 : kind == 2 ? UINT64_MAX : value, kind != 0 };
}

/* Mostly printable; else any bytes, such as controls, quotes and what is no UTF-8. */
static void draw_text(char *text, size_t size)
{
	bool is_printable = draw() % 2;
	size_t length = draw() % size;

	for (size_t i = 0; i < length; i++)
		text[i] = (char)(is_printable ? 'a' + draw() % 26 : 1 + draw() % 255);
	text[length] = '\0';
}

static void add_raw(cJSON *object, const char *key, struct mr_opt_u64 number)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%" PRIu64, number.value);
	cJSON_AddItemToObject(object, key,
			      number.known ? cJSON_CreateRaw(digits) : cJSON_CreateNull());
}

static void add_text(cJSON *object, const char *key, const char *text)
{
	cJSON_AddItemToObject(object, key, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

static void add_access(cJSON *object, struct mr_opt_u64 access)
{
	uint32_t bits = (uint32_t)access.value;
	cJSON *list = access.known ? cJSON_CreateArray() : cJSON_CreateNull();
	const char *name;
	char raw[16];

	while (access.known && (name = mr_access_next(&bits, raw)))
		cJSON_AddItemToArray(list, cJSON_CreateString(name));
	cJSON_AddItemToObject(object, "access", list);
}

static void add_pages(cJSON *object, struct mr_opt_u64 pages)
{
	cJSON *list = pages.known ? cJSON_CreateArray() : cJSON_CreateNull();
	char digits[32];

	for (unsigned int bit = 0; pages.known && bit < 64; bit++) {
		snprintf(digits, sizeof(digits), "%" PRIu64, UINT64_C(1) << bit);
		if (pages.value >> bit & 1)
			cJSON_AddItemToArray(list, cJSON_CreateRaw(digits));
	}
	cJSON_AddItemToObject(object, "pages", list);
}

/* The record as cJSON prints it; free() it. */
static char *by_cjson(const struct sample *row)
{
	cJSON *object = cJSON_CreateObject();
	char hex[32], *text;

	add_text(object, "string", row->string);
	add_text(object, "text", *row->text ? row->text : NULL);
	cJSON_AddBoolToObject(object, "flag", row->flag);
	cJSON_AddItemToObject(object, "opt_flag",
			      row->opt_flag.known ? cJSON_CreateBool(row->opt_flag.value)
						  : cJSON_CreateNull());
	add_raw(object, "number", row->number);
	add_raw(object, "limit", row->limit);
	snprintf(hex, sizeof(hex), "0x%" PRIx64, row->hex.value);
	add_text(object, "hex", row->hex.known ? hex : NULL);
	add_access(object, row->access);
	add_pages(object, row->pages);
	text = cJSON_PrintUnformatted(object);
	cJSON_Delete(object);
	return text;
}

static bool is_plain(const char *text)
{
	for (; text && *text; text++)
		if ((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e || *text == '"' ||
		    *text == '\\')
			return false;
	return true;
}

TEST(plain_records_have_the_bytes_of_cjson)
{
	size_t plain = 0, others = 0;

	for (int i = 0; i < 20000; i++) {
		struct sample row = { .flag = draw() % 2,
				      .opt_flag = { draw() % 2, draw() % 2 },
				      .number = draw_number(),
				      .limit = draw_number(),
				      .hex = draw_number(),
				      .access = draw_number(),
				      .pages = draw_number() };
		char string[2000], *text, *expected;

		draw_text(string, i % 100 ? 20 : sizeof(string));
		draw_text(row.text, sizeof(row.text));
		row.string = draw() % 8 ? string : NULL;
		assert_int_equal(json_plain_text(&sample_record, NULL, &row, &text),
				 is_plain(row.string) && is_plain(row.text));
		if (text) {
			expected = by_cjson(&row);
			assert_string_equal(text, expected);
			free(expected);
			plain++;
		} else {
			others++;
		}
		free(text);
	}
	assert_true(plain > 1000 && others > 1000);
}

TEST(what_is_not_plain_is_valid_json_all_the_same)
{
	for (int i = 0; i < 20000; i++) {
		struct sample row = { .number = draw_number() };
		char string[64], *text;
		cJSON *object;

		draw_text(string, sizeof(string));
		row.string = string;
		text = json_text(&sample_record, NULL, &row);
		assert_non_null(text);
		for (const char *c = text; *c; c++)
			assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
		object = cJSON_Parse(text);
		assert_non_null(object);
		if (is_plain(string))
			assert_string_equal(cJSON_GetObjectItem(object, "string")->valuestring,
					    string);
		cJSON_Delete(object);
		json_free(text);
	}
}

TEST(columns_are_those_that_were_chosen)
{
	const struct field *const columns[] = { &sample_fields[6], &sample_fields[0], NULL };
	const struct sample row = { .string = "a", .hex = known(0) };
	const struct sample quoted = { .string = "a\"b" };
	char *text;

	assert_true(json_plain_text(&sample_record, columns, &row, &text));
	assert_string_equal(text, "{\"hex\":\"0x0\",\"string\":\"a\"}");
	free(text);
	assert_false(json_plain_text(&sample_record, columns, &quoted, &text));
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_records_have_the_bytes_of_cjson),
		cmocka_unit_test(what_is_not_plain_is_valid_json_all_the_same),
		cmocka_unit_test(columns_are_those_that_were_chosen),
	};

	return cmocka_run_group_tests_name("plain JSON", tests, NULL, NULL);
}
