// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>

#include "lib/base/base.h"
#include "lib/diagnose/trial/make.h"

/* A text that grows, and is cut where the room ends. */
struct growing {
	char *text;
	size_t size, used;
};

static void add(struct growing *growing, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct growing *growing, const char *fmt, ...)
{
	va_list ap;
	int length;

	if (growing->used >= growing->size)
		return;
	va_start(ap, fmt);
	length = vsnprintf(growing->text + growing->used, growing->size - growing->used, fmt, ap);
	va_end(ap);
	growing->used += length > 0 ? (size_t)length : 0;
}

static void add_separator(struct growing *growing, const char *separator)
{
	if (growing->used)
		add(growing, "%s", separator);
}

static const char *name_of(int errnum)
{
	return mr_errno_name(errnum) ?: "an unknown errno";
}

/* The call itself passes now, or is refused with another errno. */
static void add_first(struct growing *growing, const struct mr_try *first)
{
	static const char *const passed[] = {
		[MR_TRY_UNCHANGED] = "unchanged it passes now, so what refused it has passed",
		[MR_TRY_OWN_CONTEXT] =
			"in a context of its own it passes, so the session's makes the "
			"difference, or what refused it has passed",
		[MR_TRY_ANEW] = "a new region of that range and access is registered, so it is the "
				"change that is refused",
	};

	if (!first->errnum)
		add(growing, "%s", passed[first->change]);
	else
		add(growing, "%s it answers %s now, so no change was tried", first->words,
		    name_of(first->errnum));
}

static void add_passes(struct growing *growing, const struct mr_tries *tries)
{
	bool is_first = true;

	for (size_t i = 0; i < tries->count; i++)
		if (tries->list[i].made && !tries->list[i].errnum) {
			add(growing, is_first ? "it passes %s" : ", %s", tries->list[i].words);
			is_first = false;
		}
	if (is_first && tries->count > 1)
		add(growing, "nothing helps");
}

static bool is_new_errno(const struct mr_tries *tries, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (tries->list[i].made && tries->list[i].errnum == tries->list[index].errnum)
			return false;
	return tries->list[index].made && tries->list[index].errnum;
}

/* "EINVAL again unchanged, with half the length; EFAULT with one page" */
static void add_refusals(struct growing *growing, const struct mr_tries *tries)
{
	for (size_t i = 0; i < tries->count; i++) {
		const int errnum = tries->list[i].errnum;

		if (!is_new_errno(tries, i))
			continue;
		add_separator(growing, "; ");
		add(growing, "%s%s", name_of(errnum), i ? "" : " again");
		for (size_t k = i; k < tries->count; k++)
			if (tries->list[k].made && tries->list[k].errnum == errnum)
				add(growing, "%s %s", k == i ? "" : ",", tries->list[k].words);
	}
}

static void add_remarks(struct growing *growing, const struct mr_tries *tries)
{
	for (size_t i = 0; i < tries->count; i++) {
		const struct mr_try *try = &tries->list[i];

		if (!try->reason[0])
			continue;
		add_separator(growing, "; ");
		add(growing, "%s%s: %s", try->made ? "" : "not ", try->words, try->reason);
	}
}

void mr_tries_text(const struct mr_tries *tries, char *text, size_t size)
{
	struct growing growing = { text, size, 0 };

	text[0] = '\0';
	if (tries->count && tries->list[0].made && !tries->is_refused_again) {
		add_first(&growing, &tries->list[0]);
	} else {
		add_passes(&growing, tries);
		add_refusals(&growing, tries);
	}
	add_remarks(&growing, tries);
	if (tries->note[0]) {
		add_separator(&growing, "; ");
		add(&growing, "%s", tries->note);
	}
}
