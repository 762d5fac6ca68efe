// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Plain records as JSON: in the bytes of cJSON, or not at all. */
#include "cmd/output/json_rows.h"

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

/* Draws a record, whose string is in @string. */
static struct sample draw_sample(char *string, size_t size)
{
	struct sample row = { .flag = draw() % 2,
			      .opt_flag = { draw() % 2, draw() % 2 },
			      .number = draw_number(),
			      .limit = draw_number(),
			      .hex = draw_number(),
			      .access = draw_number(),
			      .pages = draw_number() };

	draw_text(string, size);
	draw_text(row.text, sizeof(row.text));
	row.string = draw() % 8 ? string : NULL;
	return row;
}

/* The text of the record is that of cJSON, or there is none.  Return: whether it is plain. */
static bool assert_as_by_cjson(struct json_rows *rows, const struct sample *row)
{
	const char *text;
	size_t length;
	bool plain = json_rows_text(rows, &sample_record, NULL, row, &text, &length);

	assert_int_equal(plain, is_plain(row->string) && is_plain(row->text));
	if (plain) {
		char *expected = by_cjson(row);

		assert_string_equal(text, expected);
		assert_int_equal(length, strlen(expected));
		free(expected);
	} else {
		assert_null(text);
	}
	return plain;
}

TEST(plain_records_have_the_bytes_of_cjson)
{
	struct json_rows rows = { .count = 0 };
	size_t plain = 0, others = 0;

	for (int i = 0; i < 20000; i++) {
		char string[2000];
		struct sample row = draw_sample(string, i % 100 ? 20 : sizeof(string));

		if (assert_as_by_cjson(&rows, &row))
			plain++;
		else
			others++;
		if (i % 10 == 0)
			json_rows_release(&rows);
	}
	assert_true(plain > 1000 && others > 1000);
	json_rows_release(&rows);
}

/* Changes one member, at times not at all.  The string is at another place now and then. */
static void change_sample(struct sample *row, char (*strings)[20])
{
	char *string = strings[draw() % 2];
	struct sample other = draw_sample(string, sizeof(strings[0]));

	if (row->string && row->string != string)
		strcpy(string, row->string);
	row->string = row->string ? string : NULL;
	switch (draw() % 12) {
	case 0:
		draw_text(string, sizeof(strings[0]));
		row->string = string;
		break;
	case 1:
		row->string = NULL;
		break;
	case 2:
		memcpy(row->text, other.text, sizeof(row->text));
		break;
	case 3:
		row->flag = other.flag;
		break;
	case 4:
		row->opt_flag = other.opt_flag;
		break;
	case 5:
		row->number = other.number;
		break;
	case 6:
		row->limit = other.limit;
		break;
	case 7:
		row->hex = other.hex;
		break;
	case 8:
		row->access = other.access;
		break;
	case 9:
		row->pages = other.pages;
		break;
	default:
		break;
	}
}

TEST(records_that_are_much_like_the_one_before_have_the_bytes_of_cjson)
{
	struct json_rows rows = { .count = 0 };
	char strings[2][20] = { "a", "b" };
	struct sample row = { .string = strings[0] };
	size_t plain = 0;

	for (int i = 0; i < 50000; i++) {
		plain += assert_as_by_cjson(&rows, &row);
		change_sample(&row, strings);
	}
	assert_true(plain > 10000);
	json_rows_release(&rows);
}

TEST(what_is_not_plain_is_valid_json_all_the_same)
{
	struct json_rows rows = { .count = 0 };

	for (int i = 0; i < 20000; i++) {
		struct sample row = { .number = draw_number() };
		const char *text;
		char string[64];
		size_t length;
		cJSON *object;

		draw_text(string, sizeof(string));
		row.string = string;
		text = json_text(&rows, &sample_record, NULL, &row, &length);
		assert_non_null(text);
		assert_int_equal(length, strlen(text));
		for (const char *c = text; *c; c++)
			assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
		object = cJSON_Parse(text);
		assert_non_null(object);
		if (is_plain(string))
			assert_string_equal(cJSON_GetObjectItem(object, "string")->valuestring,
					    string);
		cJSON_Delete(object);
	}
	json_rows_release(&rows);
}

TEST(columns_are_those_that_were_chosen)
{
	const struct field *const columns[] = { &sample_fields[6], &sample_fields[0], NULL };
	const struct field *const others[] = { &sample_fields[0], &sample_fields[4], NULL };
	const struct field *const none[] = { NULL };
	const struct sample row = { .string = "a", .hex = known(0), .number = known(7) };
	const struct sample quoted = { .string = "a\"b" };
	struct json_rows rows = { .count = 0 };
	const char *text;
	size_t length;

	assert_true(json_rows_text(&rows, &sample_record, columns, &row, &text, &length));
	assert_string_equal(text, "{\"hex\":\"0x0\",\"string\":\"a\"}");
	assert_true(json_rows_text(&rows, &sample_record, others, &row, &text, &length));
	assert_string_equal(text, "{\"string\":\"a\",\"number\":7}");
	assert_true(json_rows_text(&rows, &sample_record, none, &row, &text, &length));
	assert_string_equal(text, "{}");
	assert_true(json_rows_text(&rows, &sample_record, others, &row, &text, &length));
	assert_string_equal(text, "{\"string\":\"a\",\"number\":7}");
	assert_false(json_rows_text(&rows, &sample_record, columns, &quoted, &text, &length));
	assert_null(text);
	assert_true(json_rows_text(&rows, &sample_record, columns, &row, &text, &length));
	assert_string_equal(text, "{\"hex\":\"0x0\",\"string\":\"a\"}");
	json_rows_release(&rows);
}
