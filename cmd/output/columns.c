// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/columns.h"
#include "lib/base/base.h"

bool columns_have(const struct field *const *columns, const struct field *field)
{
	while (*columns && *columns != field)
		columns++;
	return *columns;
}

/* A table has no place for records in a cell. */
static bool is_nested(const struct field *field)
{
	return field->type == FIELD_LIST || field->type == FIELD_RECORD ||
	       field->type == FIELD_ONE || field->type == FIELD_MEMBERS;
}

int columns_parse(const struct record *record, const char *text, bool json,
		  const struct field ***columns, struct mr_error *err)
{
	size_t count = 0, length;
	const char *item;

	*columns = calloc(strlen(text) + 2, sizeof(**columns));
	if (!*columns)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	while ((item = mr_list_item(&text, ",", &length))) {
		bool plus = length && *item == '+';
		const struct field *field = fields_find(record, item + plus, length - plus);

		if (!field)
			return mr_fail_word(err, "column", item + plus, length - plus,
					    record->fields, sizeof(*record->fields));
		if (!json && is_nested(field))
			return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
					    "column '%s' needs --json: it has more than one value",
					    field->key);
		if (!json || !columns_have(*columns, field))
			(*columns)[count++] = field;
	}
	return 0;
}

const struct field **columns_usual(const struct record *record, bool verbose)
{
	const struct field **columns;
	size_t count = 0;

	for (const struct field *f = record->fields; f->key; f++)
		count++;
	columns = calloc(count + 1, sizeof(*columns));
	count = 0;
	for (const struct field *f = record->fields; columns && f->key; f++)
		if (!is_nested(f) && (verbose || !(f->flags & FIELD_DETAIL)))
			columns[count++] = f;
	return columns;
}

const struct field **columns_add(const struct field **columns, const struct field *const *more)
{
	size_t count = columns_count(columns);
	const struct field **all =
		reallocarray(columns, count + columns_count(more) + 1, sizeof(*all));

	if (!all)
		free(columns);
	for (; all && more && *more; more++) {
		if (!columns_have(all, *more))
			all[count++] = *more;
		all[count] = NULL;
	}
	return all;
}

const struct field *columns_find(const struct field *const *columns, const char *key)
{
	for (; key && *columns; columns++)
		if (!strcmp((*columns)->key, key))
			return *columns;
	return NULL;
}

size_t columns_count(const struct field *const *columns)
{
	size_t count = 0;

	while (columns && columns[count])
		count++;
	return count;
}
