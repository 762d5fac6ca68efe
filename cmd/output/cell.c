// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/output/cell.h"

static bool is_duration(const struct field *field, bool is_for_people)
{
	return is_for_people && field->flags & FIELD_DURATION;
}

void cell_heading(const struct field *field, bool is_for_people, char heading[HEADING_MAX])
{
	size_t length = strlen(field->key), i;

	if (is_duration(field, is_for_people))
		length -= strlen("_ns");
	for (i = 0; i < HEADING_MAX - 1 && i < length; i++)
		heading[i] = (char)toupper((unsigned char)field->key[i]);
	heading[i] = '\0';
}

static const char *duration_text(uint64_t ns, char *buffer)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	const size_t last = sizeof(units) / sizeof(*units) - 1;
	uint64_t whole = ns, rest = 0;
	size_t unit;

	for (unit = 0; whole >= 1000 && unit < last; unit++) {
		rest = whole % 1000;
		whole /= 1000;
	}
	if (unit && whole < 10)
		snprintf(buffer, FIELD_TEXT_MAX, "%" PRIu64 ".%" PRIu64 " %s", whole, rest / 100,
			 units[unit]);
	else
		snprintf(buffer, FIELD_TEXT_MAX, "%" PRIu64 " %s", whole, units[unit]);
	return buffer;
}

/* Powers of 1024; one decimal where a whole number would be off by more than one in a hundred. */
const char *cell_iec_text(uint64_t bytes, char *buffer)
{
	static const char units[] = { ' ', 'K', 'M', 'G', 'T', 'P', 'E' };
	uint64_t whole = bytes, rest = 0;
	size_t unit;

	for (unit = 0; whole >= 1024; unit++) {
		rest = whole % 1024;
		whole /= 1024;
	}
	if (!unit)
		snprintf(buffer, FIELD_TEXT_MAX, "%" PRIu64, whole);
	else if (rest && whole < 100)
		snprintf(buffer, FIELD_TEXT_MAX, "%" PRIu64 ".%" PRIu64 "%c", whole,
			 rest * 10 / 1024, units[unit]);
	else
		snprintf(buffer, FIELD_TEXT_MAX, "%" PRIu64 "%c", whole, units[unit]);
	return buffer;
}

const char *cell_text(const struct field *field, bool is_for_people, const void *row, char *buffer)
{
	const struct mr_opt_u64 *number = (const void *)((const char *)row + field->offset);

	if (!is_duration(field, is_for_people) && !(is_for_people && field->flags & FIELD_IEC))
		return field_text(field, row, buffer);
	if (!number->known)
		return NULL;
	return field->flags & FIELD_IEC ? cell_iec_text(number->value, buffer)
					: duration_text(number->value, buffer);
}

const char *cell_escape(const struct field *field, const char *text)
{
	for (const struct coloured_word *colours = field->colours; colours && colours->word;
	     colours++)
		if (!strcmp(colours->word, text))
			return colour_escape(colours->colour);
	return NULL;
}
