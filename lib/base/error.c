// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/choice.h"
#include "lib/base/error.h"

/* include/linux/errno.h: an errno of the kernel's own that reaches user space all the same. */
#define KERNEL_ENOTSUPP 524

/* No errno from this number on has a name. */
#define ERRNO_END 532

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

int mr_fail_word(struct mr_error *err, const char *what, const char *word, size_t length,
		 const void *table, size_t size)
{
	const char *guess = mr_guess_from(word, length, table, size);
	const char *const *name = table;
	bool is_full;
	size_t used;

	mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "unknown %s '%.*s'%s%s%s valid values:", what,
		     (int)length, word, guess ? ": did you mean '" : ";", guess ? guess : "",
		     guess ? "'?" : "");
	while (*name) {
		used = strlen(err->text);
		is_full = used + strlen(*name) + sizeof(", , ...") > sizeof(err->text);
		snprintf(err->text + used, sizeof(err->text) - used, "%s %s",
			 name == table ? "" : ",", is_full ? "..." : *name);
		if (is_full)
			break;
		name = (const char *const *)((const char *)name + size);
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
		return "Operation not supported, a kernel-internal number";
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
	struct mr_guess guess = mr_guess_init(name, length);

	for (int i = 1; i < ERRNO_END; i++)
		if (mr_errno_name(i))
			mr_guess_try(&guess, mr_errno_name(i));
	return guess.best;
}
