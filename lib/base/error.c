// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "lib/base/base.h"

/* include/linux/errno.h: an errno of the kernel's own that reaches user space all the same. */
#define KERNEL_ENOTSUPP 524

/* No errno from this number on has a name. */
#define ERRNO_END (KERNEL_ENOTSUPP + 1)

static void reset(struct mr_error *err, enum mr_error_kind kind, int errnum, const char *call)
{
	err->kind = kind;
	err->errnum = errnum;
	err->call = call;
	err->shown_by = NULL;
	mr_error_clear(err);
}

int mr_fail(struct mr_error *err, enum mr_error_kind kind, int errnum, const char *call,
	    const char *fmt, ...)
{
	const char *name = mr_errno_name(errnum);
	int used = 0;

	reset(err, kind, errnum, call);
	if (fmt) { /* 128 bytes are left for the call and its errno */
		va_list ap;

		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text) - 128, fmt, ap);
		va_end(ap);
		used = (int)strlen(err->text);
	}
	if (name)
		snprintf(err->text + used, sizeof(err->text) - (size_t)used, "%s%s: %s (%s)",
			 used ? ": " : "", call, name, mr_errno_text(errnum));
	else
		snprintf(err->text + used, sizeof(err->text) - (size_t)used, "%s%s: errno %d",
			 used ? ": " : "", call, errnum);
	return -errnum;
}

int mr_fail_text(struct mr_error *err, enum mr_error_kind kind, int errnum, const char *fmt, ...)
{
	va_list ap;

	reset(err, kind, errnum, NULL);
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -errnum;
}

void mr_text_add(char *text, size_t size, const char *separator, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list ap;

	if (used)
		used += (size_t)snprintf(text + used, size - used, "%s", separator);
	if (used >= size)
		return;
	va_start(ap, fmt);
	vsnprintf(text + used, size - used, fmt, ap);
	va_end(ap);
}

int mr_fail_word(struct mr_error *err, const char *what, const char *word, size_t length,
		 const void *table, size_t size)
{
	const char *guess = mr_guess_from(word, length, table, size);
	const char *const *name = table;
	bool is_full = false;

	mr_fail_usage(err, "unknown %s '%.*s'%s%s%s valid values:", what, (int)length, word,
		      guess ? ": did you mean '" : ";", guess ? guess : "", guess ? "'?" : "");
	for (; *name && !is_full; name = (const char *const *)((const char *)name + size)) {
		is_full = strlen(err->text) + strlen(*name) + sizeof(", , ...") > sizeof(err->text);
		mr_text_add(err->text, sizeof(err->text), name == table ? " " : ", ", "%s",
			    is_full ? "..." : *name);
	}
	return -EINVAL;
}

void mr_wrap(struct mr_error *err, const char *fmt, ...)
{
	char inner[sizeof(err->text)];
	va_list ap;
	size_t used;

	memcpy(inner, err->text, sizeof(inner));
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", inner);
}

void mr_hint(struct mr_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
}

bool mr_error_is_answer(enum mr_error_kind kind, const char *call)
{
	return kind == MR_ERROR_REFUSED || (kind == MR_ERROR_ABSENT && call);
}

const char *mr_errno_name(int errnum)
{
	return errnum == KERNEL_ENOTSUPP ? "ENOTSUPP" : strerrorname_np(errnum);
}

const char *mr_errno_text(int errnum)
{
	const char *text = strerrordesc_np(errnum);

	if (errnum == KERNEL_ENOTSUPP)
		return "Operation not supported, a kernel-internal errno";
	return text ? text : "unknown error";
}

/* Second names of numbers: strerrorname_np() knows the first ones only. */
static const struct errno_alias {
	const char *name;
	int errnum;
} aliases[] = {
	{ "EWOULDBLOCK", EWOULDBLOCK },
	{ "ENOTSUP", ENOTSUP },
	{ "EDEADLOCK", EDEADLOCK },
	{ NULL, 0 },
};

int mr_errno_parse(const char *name, size_t length)
{
	for (int i = 1; i < ERRNO_END; i++) {
		const char *candidate = mr_errno_name(i);

		if (candidate && mr_word_is(name, length, candidate))
			return i;
	}
	for (const struct errno_alias *a = aliases; a->name; a++)
		if (mr_word_is(name, length, a->name))
			return a->errnum;
	return 0;
}

const char *mr_errno_guess(const char *name, size_t length)
{
	struct mr_guess guess = { .word = name, .length = length };

	for (int i = 1; i < ERRNO_END; i++)
		if (mr_errno_name(i))
			mr_guess_try(&guess, mr_errno_name(i));
	return guess.best;
}

/* Longer words are not guessed: no name is as long. */
#define GUESS_MAX 32

/* A shorter word may be the beginning of any name, so a common beginning proves nothing. */
#define BEGINNING_MIN 3

const char *mr_list_item(const char **rest, const char *separators, size_t *length)
{
	const char *item = *rest;
	size_t end;

	if (!item)
		return NULL;
	end = strcspn(item, separators);
	*rest = item[end] ? item + end + 1 : NULL;
	for (; end && mr_is_blank(*item); end--)
		item++;
	while (end && mr_is_blank(item[end - 1]))
		end--;
	*length = end;
	return item;
}

/* The spelling of a character for comparison: lower case in any locale, and '-' for '_'. */
static char fold(char c)
{
	if (c == '_')
		return '-';
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool is_same(const char *a, const char *b, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (fold(a[i]) != fold(b[i]))
			return false;
	return true;
}

bool mr_word_is(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && is_same(word, name, length);
}

int mr_word_find(const struct mr_word *words, const char *word, size_t length)
{
	for (int i = 0; words[i].name; i++)
		if (mr_word_is(word, length, words[i].name))
			return i;
	return -1;
}

const char *mr_word_without(const char *word, size_t *length, const char *const *prefixes)
{
	for (; *prefixes; prefixes++) {
		size_t prefix = strlen(*prefixes);

		if (prefix < *length && !strncmp(word, *prefixes, prefix)) {
			*length -= prefix;
			return word + prefix;
		}
	}
	return word;
}

/*
 * Edit distance of two words with at most GUESS_MAX characters each.  Three rows of the usual table are
 * kept: those for the first i (row), i - 1 (last) and i - 2 (before) characters of @a.
 */
static unsigned int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned int rows[3][GUESS_MAX + 1], *before = rows[0], *last = rows[1], *row = rows[2];

	for (unsigned int j = 0; j <= b_length; j++)
		row[j] = j;
	for (unsigned int i = 1; i <= a_length; i++) {
		unsigned int *spare = before;

		before = last;
		last = row;
		row = spare;
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			bool differ = fold(a[i - 1]) != fold(b[j - 1]);

			row[j] = MIN(last[j - 1] + differ, MIN(last[j], row[j - 1]) + 1);
			if (differ && i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]))
				row[j] = MIN(row[j], before[j - 2] + 1);
		}
	}
	return row[b_length];
}

/* Whether a word is the name with something before it: ibv_reg_mr for reg_mr. */
static bool is_end(const char *word, size_t size, const char *name, size_t length)
{
	return size > length && fold(word[size - length - 1]) == fold('_') &&
	       is_same(word + size - length, name, length);
}

void mr_guess_try(struct mr_guess *guess, const char *name)
{
	size_t length = strcspn(name, "[:"), word = 0, shorter;
	unsigned int found, limit;

	while (word < guess->length && guess->word[word] != ':')
		word++;
	if (!word || word > GUESS_MAX || !length || length > GUESS_MAX)
		return;
	shorter = MIN(word, length);
	found = distance(guess->word, word, name, length);
	limit = (unsigned int)MAX(word, length) / 3;
	if (found > limit && shorter >= BEGINNING_MIN &&
	    (is_same(guess->word, name, shorter) || is_end(guess->word, word, name, length)))
		found = limit; /* near, but any nearer name wins */
	if (found <= limit && (!guess->best || found < guess->distance)) {
		guess->best = name;
		guess->distance = found;
	}
}

const char *mr_guess_from(const char *word, size_t length, const void *table, size_t size)
{
	struct mr_guess guess = { .word = word, .length = length };
	const char *const *name = table;

	for (; *name; name = (const char *const *)((const char *)name + size))
		mr_guess_try(&guess, *name);
	return guess.best;
}
