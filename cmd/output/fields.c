// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/output/digits.h"
#include "cmd/output/fields.h"
#include "lib/base/base.h"
#include "lib/verbs/verbs.h"

const char *access_text(uint32_t bits, char *buffer)
{
	char raw[16];
	const char *name;
	size_t used = 0;

	if (!bits)
		return "none";
	while ((name = mr_access_next(&bits, raw)))
		used += (size_t)snprintf(buffer + used, FIELD_TEXT_MAX - used, "%s%s",
					 used ? "," : "", name);
	return buffer;
}

/* Appends a size that is a power of two: "4K". */
static size_t put_size(char *buffer, size_t used, const char *before, unsigned int bit)
{
	static const char *const suffixes[] = { "", "K", "M", "G", "T", "P", "E" };

	return used + (size_t)snprintf(buffer + used, FIELD_TEXT_MAX - used, "%s%u%s", before,
				       1u << bit % 10, suffixes[bit / 10]);
}

/* So many neighbouring sizes are a range. */
#define PAGES_RANGE 3

static const char *put_pages(uint64_t sizes, bool ranges, char *buffer)
{
	unsigned int last;
	size_t used = 0;

	for (unsigned int bit = 0; bit < 64; bit = last + 1) {
		last = bit;
		if (!(sizes >> bit & 1))
			continue;
		while (last < 63 && sizes >> (last + 1) & 1)
			last++;
		if (!ranges || last - bit < PAGES_RANGE - 1)
			last = bit;
		used = put_size(buffer, used, used ? "," : "", bit);
		if (last > bit)
			used = put_size(buffer, used, "..", last);
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

const char *field_text(const struct field *field, const void *row, char *buffer)
{
	const void *value = (const char *)row + field->offset;
	const struct mr_opt_u64 *number = value;
	const struct opt_bool *truth = value;

	switch (field->type) {
	case FIELD_STRING:
		return *(const char *const *)value;
	case FIELD_TEXT:
		return *(const char *)value ? value : NULL;
	case FIELD_BOOL:
		return *(const bool *)value ? "true" : "false";
	case FIELD_OPT_BOOL:
		return !truth->known ? NULL : truth->value ? "true" : "false";
	case FIELD_NUMBER:
		*put_decimal(buffer, number->value) = '\0';
		return number->known ? buffer : NULL;
	case FIELD_LIMIT:
		*put_decimal(buffer, number->value) = '\0';
		return number->known ? buffer : "unlimited";
	case FIELD_RATIO:
		snprintf(buffer, FIELD_TEXT_MAX, "%" PRIu64 ".%03" PRIu64, number->value / 1000,
			 number->value % 1000);
		return number->known ? buffer : NULL;
	case FIELD_HEX:
		*put_hexadecimal(buffer, number->value) = '\0';
		return number->known ? buffer : NULL;
	case FIELD_ACCESS:
		return number->known ? access_text((uint32_t)number->value, buffer) : NULL;
	case FIELD_PAGES:
		return number->known ? put_pages(number->value, field->flags & FIELD_RANGES, buffer)
				     : NULL;
	case FIELD_WORDS:
		return words_text(*(const char *const *const *)value, buffer);
	case FIELD_LIST:
	case FIELD_RECORD:
	case FIELD_ONE:
	case FIELD_MEMBERS:
		break;
	}
	return NULL;
}

const struct field *fields_find(const struct record *record, const char *key, size_t length)
{
	for (const struct field *f = record->fields; f->key; f++)
		if (mr_word_is(key, length, f->key))
			return f;
	return NULL;
}
