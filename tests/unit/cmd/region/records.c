// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables of fields that commands about regions print. */
#include "cmd/output/fields.h"
#include "cmd/region/environment.h"
#include "cmd/region/failures.h"
#include "cmd/region/request.h"
#include "cmd/region/row.h"
#include "tests/unit/unit.h"

static void check_table(const struct record *record)
{
	for (const struct field *f = record->fields; f->key; f++) {
		assert_true(*f->key);
		/* Keys go into JSON, headings and lists of columns as they are. */
		assert_int_equal(strspn(f->key, "abcdefghijklmnopqrstuvwxyz0123456789_"),
				 strlen(f->key));
		assert_true(strlen(f->key) < 18);
		assert_true(f->help && *f->help);
		assert_ptr_equal(fields_find(record, f->key, strlen(f->key)), f);
	}
}

TEST(keys_of_the_printed_records_are_words_of_their_own_with_help)
{
	check_table(&region_record);
	check_table(&environment_record);
	check_table(&failure_record);
	check_table(&request_record);
}
