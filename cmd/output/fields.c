// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/output.h"
#include "lib/base/base.h"
#include "lib/verbs/verbs.h"

const char *access_text(uint32_t bits, char *buffer)
{
	char raw[16];
	const char *name;

	*buffer = '\0';
	while ((name = mr_access_next(&bits, raw)))
		mr_text_add(buffer, FIELD_TEXT_MAX, ",", "%s", name);
	return *buffer ? buffer : "none";
}

/* Powers of 1024; one decimal where a whole number would be off by more than one in a hundred. */
const char *iec_text(uint64_t bytes, char buffer[IEC_TEXT_MAX])
{
	static const char units[] = { ' ', 'K', 'M', 'G', 'T', 'P', 'E' };
	uint64_t whole = bytes, rest = 0;
	size_t unit;

	for (unit = 0; whole >= 1024; unit++) {
		rest = whole % 1024;
		whole /= 1024;
	}
	if (!unit)
		snprintf(buffer, IEC_TEXT_MAX, "%" PRIu64, whole);
	else if (rest && whole < 100)
		snprintf(buffer, IEC_TEXT_MAX, "%" PRIu64 ".%" PRIu64 "%c", whole, rest * 10 / 1024,
			 units[unit]);
	else
		snprintf(buffer, IEC_TEXT_MAX, "%" PRIu64 "%c", whole, units[unit]);
	return buffer;
}

/* So many neighbouring sizes are a range. */
#define PAGES_RANGE 3

static const char *put_pages(uint64_t sizes, bool ranges, char *buffer)
{
	char first[IEC_TEXT_MAX], end[IEC_TEXT_MAX];
	unsigned int last;

	*buffer = '\0';
	for (unsigned int bit = 0; bit < 64; bit = last + 1) {
		last = bit;
		if (!(sizes >> bit & 1))
			continue;
		while (last < 63 && sizes >> (last + 1) & 1)
			last++;
		if (!ranges || last - bit < PAGES_RANGE - 1)
			last = bit;
		mr_text_add(buffer, FIELD_TEXT_MAX, ",", "%s%s%s",
			    iec_text(UINT64_C(1) << bit, first), last > bit ? ".." : "",
			    last > bit ? iec_text(UINT64_C(1) << last, end) : "");
	}
	return sizes ? buffer : "none";
}

const char *pages_text(uint64_t sizes, char *buffer)
{
	return put_pages(sizes, false, buffer);
}

/* Whether a shell takes the word as it is, without quotes. */
static bool is_bare(const char *word)
{
	for (const char *c = word; *c; c++)
		if (!isascii((unsigned char)*c) ||
		    (!isalnum((unsigned char)*c) && !strchr("-_=+./:,@%", *c)))
			return false;
	return *word;
}

/* Bytes of a command line that are printed; the buffer has room for " ..." where more follow. */
#define WORDS_MAX (FIELD_TEXT_MAX - sizeof(" ..."))

static size_t put_text(char *buffer, size_t used, const char *text)
{
	while (*text && used < WORDS_MAX)
		buffer[used++] = *text++;
	return used;
}

/* Between single quotes a shell takes all characters as they are, except single quotes. */
static size_t put_quoted(char *buffer, size_t used, const char *word)
{
	used = put_text(buffer, used, "'");
	for (; *word; word++) {
		const char text[] = { *word, '\0' };

		used = put_text(buffer, used, *word == '\'' ? "'\\''" : text);
	}
	return put_text(buffer, used, "'");
}

const char *words_text(const char *const *words, char *buffer)
{
	size_t used = 0;

	if (!words)
		return NULL;
	if (!*words)
		return "none";
	for (; *words && used < WORDS_MAX; words++) {
		if (used)
			buffer[used++] = ' ';
		used = is_bare(*words) ? put_text(buffer, used, *words)
				       : put_quoted(buffer, used, *words);
	}
	strcpy(buffer + used, used < WORDS_MAX ? "" : "...");
	return buffer;
}

/* The member behind a field; NULL where it is not known. */
static const void *find_member(const struct field *field, const void *row)
{
	if (field->pointer)
		row = *(const void *const *)((const char *)row + field->pointer - 1);
	if (!row || (field->known_by && !*(const bool *)((const char *)row + field->known_by - 1)))
		return NULL;
	return (const char *)row + field->offset;
}

bool field_is_number(const struct field *field)
{
	return field->type >= FIELD_BOOL && field->type <= FIELD_ERRNO;
}

struct mr_opt_u64 field_number(const struct field *field, const void *row)
{
	const void *member = find_member(field, row);
	enum mr_tristate answer;

	if (!member || !field_is_number(field))
		return (struct mr_opt_u64){ 0 };
	if (field->type == FIELD_BOOL)
		return known(*(const bool *)member);
	if (field->type == FIELD_TRISTATE) {
		answer = *(const enum mr_tristate *)member;
		return (struct mr_opt_u64){ answer == MR_YES, answer != MR_UNKNOWN };
	}
	if (field->size == sizeof(uint32_t))
		return known(*(const uint32_t *)member);
	if (field->size == sizeof(uint64_t))
		return known(*(const uint64_t *)member);
	return *(const struct mr_opt_u64 *)member;
}

const struct list *field_list(const struct field *field, const void *row)
{
	const struct list *list = find_member(field, row);

	if (field->type != FIELD_LIST && field->type != FIELD_ONE)
		return NULL;
	return list && list->record ? list : NULL;
}

const char *const *field_words(const struct field *field, const void *row, struct field_words *room)
{
	const void *member = find_member(field, row);
	struct mr_opt_u64 bits;
	size_t count = 0;

	if (field->type == FIELD_WORDS)
		return member ? *(const char *const *const *)member : NULL;
	bits = field_number(field, row);
	if (field->type != FIELD_BITS || !bits.known)
		return NULL;
	for (const struct mr_word *word = field->words; word->name; word++) {
		if (bits.value & word->bit)
			room->list[count++] = word->name;
		bits.value &= ~(uint64_t)word->bit;
	}
	if (bits.value && !(field->flags & FIELD_NAMED)) {
		*put_hexadecimal(room->rest, bits.value) = '\0';
		room->list[count++] = room->rest;
	}
	room->list[count] = NULL;
	return room->list;
}

const struct mr_evidence *field_evidence(const struct field *field, const void *row, size_t *count)
{
	const char *evidence = find_member(field, row);

	*count = evidence ? *(const size_t *)(evidence - field->offset + field->count) : 0;
	return (const struct mr_evidence *)evidence;
}

/* An errno by name, or as a number. */
static const char *errno_text(int errnum, char *buffer)
{
	const char *name = mr_errno_name(abs(errnum));

	snprintf(buffer, FIELD_TEXT_MAX, "%d", abs(errnum));
	return errnum ? name ?: buffer : NULL;
}

/* The first word may have no name, and no number is larger than that of the last one. */
static const char *word_text(const struct mr_word *words, uint64_t number)
{
	for (uint64_t i = 1; i < number; i++)
		if (!words[i].name)
			return NULL;
	return words[number].name;
}

const char *field_text(const struct field *field, const void *row, char *buffer)
{
	const void *member = find_member(field, row);
	const struct mr_opt_u64 number = field_number(field, row);
	struct field_words room;

	if (!member || (field_is_number(field) && !number.known))
		return field->type == FIELD_LIMIT ? "unlimited" : NULL;
	switch (field->type) {
	case FIELD_STRING:
		return *(const char *const *)member;
	case FIELD_TEXT:
		return *(const char *)member ? member : NULL;
	case FIELD_BOOL:
	case FIELD_TRISTATE:
		return number.value ? "true" : "false";
	case FIELD_NUMBER:
	case FIELD_LIMIT:
		*put_decimal(buffer, number.value) = '\0';
		return buffer;
	case FIELD_RATIO:
		snprintf(buffer, FIELD_TEXT_MAX, "%" PRIu64 ".%03" PRIu64, number.value / 1000,
			 number.value % 1000);
		return buffer;
	case FIELD_HEX:
		*put_hexadecimal(buffer, number.value) = '\0';
		return buffer;
	case FIELD_ACCESS:
		return access_text((uint32_t)number.value, buffer);
	case FIELD_PAGES:
		return put_pages(number.value, field->flags & FIELD_RANGES, buffer);
	case FIELD_WORD:
		return word_text(field->words, number.value);
	case FIELD_ERRNO:
		return !number.value && field->flags & FIELD_OK
			       ? "ok"
			       : errno_text((int)number.value, buffer);
	case FIELD_WORDS:
	case FIELD_BITS:
		return words_text(field_words(field, row, &room), buffer);
	default:
		return NULL;
	}
}

const struct field *fields_find(const struct record *record, const char *key, size_t length)
{
	for (const struct field *f = record->fields; f->key; f++)
		if (mr_word_is(key, length, f->key))
			return f;
	return NULL;
}

char *put_decimal(char *to, uint64_t number)
{
	unsigned int digits = 1;

	for (uint64_t rest = number; rest >= 10; rest /= 10)
		digits++;
	for (unsigned int i = digits; i; number /= 10)
		to[--i] = (char)('0' + number % 10);
	return to + digits;
}

char *put_hexadecimal(char *to, uint64_t number)
{
	unsigned int shift = number ? (63 - (unsigned int)__builtin_clzll(number)) & ~3u : 0;

	*to++ = '0';
	*to++ = 'x';
	for (; shift; shift -= 4)
		*to++ = "0123456789abcdef"[number >> shift & 15];
	*to++ = "0123456789abcdef"[number & 15];
	return to;
}

const struct field *columns_find(const struct field *const *columns, const char *key)
{
	for (; key && *columns; columns++)
		if (!strcmp((*columns)->key, key))
			return *columns;
	return NULL;
}
