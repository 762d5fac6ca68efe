// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "cmd/stat/system/order.h"

/* By what a row is sorted. */
struct key {
	size_t row;
	uint64_t number;
	const char *text;
	bool known;
};

static struct key key_of(const struct field *field, size_t n, const union any_row *row)
{
	const void *member = (const char *)row + field->offset;
	struct key key = { .row = n };

	switch (field->type) {
	case FIELD_STRING:
		key.text = *(const char *const *)member;
		key.known = key.text != NULL;
		break;
	case FIELD_OPT_BOOL:
		key.number = ((const struct opt_bool *)member)->value;
		key.known = ((const struct opt_bool *)member)->known;
		break;
	default: /* FIELD_NUMBER, FIELD_HEX: these records have no others */
		key.number = ((const struct mr_opt_u64 *)member)->value;
		key.known = ((const struct mr_opt_u64 *)member)->known;
	}
	return key;
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = (x->known < y->known) - (x->known > y->known);

	if (!order && x->text && y->text)
		order = strcmp(x->text, y->text);
	if (!order && x->known)
		order = (x->number < y->number) - (x->number > y->number);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

size_t *order_rows(struct rows *rows, const struct listing *listing, const struct field *field)
{
	size_t count = listing->count(rows);
	size_t *order = count ? calloc(count, sizeof(*order)) : NULL;
	struct key *keys = order && field ? calloc(count, sizeof(*keys)) : NULL;
	union any_row row;

	if (!order || (field && !keys)) {
		free(order);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		order[i] = i;
		if (!field)
			continue;
		listing->fill(rows, i, &row);
		keys[i] = key_of(field, i, &row);
	}
	if (field)
		qsort(keys, count, sizeof(*keys), compare_keys);
	for (size_t i = 0; field && i < count; i++)
		order[i] = keys[i].row;
	free(keys);
	return order;
}
