// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/paths.h"
#include "cmd/report/patterns.h"
#include "cmd/report/stand_ins.h"

/* More of them would make redacting slow: the report of a hostile host may have millions. */
#define STAND_INS_MAX 4096

/* Hexadecimal digits have two spellings, names have one. */
static const struct stand_in *find(const struct stand_ins *all, const char *original, size_t length,
				   bool is_name)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct stand_in *known = &all->list[i];

		if (known->is_name == is_name && strlen(known->original) == length &&
		    !(is_name ? strncmp : strncasecmp)(known->original, original, length))
			return known;
	}
	return NULL;
}

/* The number of the next stand-in of a kind, from 1. */
static size_t next_number(const struct stand_ins *all, const char *kind)
{
	const size_t length = strlen(kind);
	size_t number = 1;

	for (size_t i = 0; i < all->count; i++)
		number += !strncmp(all->list[i].text, kind, length) &&
			  all->list[i].text[length] == '-';
	return number;
}

/* Puts it before the first shorter one. */
static void insert(struct stand_ins *all, struct stand_in added)
{
	struct stand_in *list = reallocarray(all->list, all->count + 1, sizeof(*list));
	size_t at = 0;

	if (!list || !added.original || !added.text) {
		all->list = list ? list : all->list;
		all->out_of_memory = true;
		free(added.original);
		free(added.text);
		return;
	}
	all->list = list;
	while (at < all->count && strlen(list[at].original) >= strlen(added.original))
		at++;
	memmove(list + at + 1, list + at, (all->count - at) * sizeof(*list));
	list[at] = added;
	all->count++;
}

static void take(struct stand_ins *all, const char *kind, const char *original, size_t length,
		 struct stand_in added)
{
	if (!length || all->count >= STAND_INS_MAX || find(all, original, length, added.is_name))
		return;
	added.original = strndup(original, length);
	if (asprintf(&added.text, "%s-%zu", kind, next_number(all, kind)) < 0)
		added.text = NULL;
	insert(all, added);
}

void stand_ins_add(struct stand_ins *all, const char *kind, const char *name, size_t length)
{
	take(all, kind, name, length, (struct stand_in){ .is_name = true });
}

void stand_ins_add_in_texts(struct stand_ins *all, const char *kind, const char *name,
			    size_t length)
{
	take(all, kind, name, length, (struct stand_in){ .is_name = true, .is_of_texts = true });
}

void stand_ins_add_path(struct stand_ins *all, const char *path, size_t length)
{
	take(all, "path", path, length,
	     (struct stand_in){ .is_name = true, .is_path = true, .is_of_texts = true });
}

/* Return: the bytes at @at that are the name; 0: they are not. */
static size_t match_name(const struct stand_in *name, const char *at, bool *is_longer)
{
	const size_t length = strlen(name->original);

	*is_longer = false;
	if (name->is_path)
		return path_match(at, name->original, is_longer);
	return !strncmp(at, name->original, length) && pattern_is_edge(at[length]) ? length : 0;
}

/* Puts a stand-in for what is found by its looks. */
static void put_found(struct stand_ins *all, const char *kind, const char *at, size_t length,
		      FILE *stream)
{
	const struct stand_in *found;

	take(all, kind, at, length, (struct stand_in){ .is_name = false });
	found = find(all, at, length, false);
	if (found)
		fputs(found->text, stream);
	else
		fprintf(stream, "%s-beyond-%d", kind, STAND_INS_MAX);
}

/* Puts a stand-in for what begins at @at.  Return: the bytes that it stands for; 0: none. */
static size_t put_name(struct stand_ins *all, const char *at, FILE *stream)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct stand_in *name = &all->list[i];
		bool is_longer;
		size_t length;

		if (!name->is_name || (name->is_of_texts && all->is_file))
			continue;
		length = match_name(name, at, &is_longer);
		if (!length)
			continue;
		if (is_longer)
			put_found(all, "path", at, length, stream);
		else
			fputs(name->text, stream);
		return length;
	}
	return 0;
}

static size_t put_pattern(struct stand_ins *all, const char *text, const char *at, FILE *stream)
{
	const char *kind = "path";
	size_t length = (all->is_file ? path_in_file : path_in_text)(text, at, all->home);

	for (const struct pattern *pattern = patterns; !length && pattern->stand_in; pattern++) {
		kind = pattern->stand_in;
		length = pattern->match(text, at);
	}
	if (length)
		put_found(all, kind, at, length, stream);
	return length;
}

/* Whether something may begin here.  In a name of Kubernetes a UUID follows "pod" without a dash. */
static bool is_begin(const char *text, const char *at)
{
	return at == text || pattern_is_edge(at[-1]) || pattern_is_edge(*at) ||
	       (at - text >= 3 && !strncmp(at - 3, "pod", 3));
}

char *stand_ins_apply(struct stand_ins *all, const char *text)
{
	char *replaced = NULL;
	size_t size, length;
	bool changed = false;
	FILE *stream = open_memstream(&replaced, &size);

	for (const char *at = text; stream && *at; at += length) {
		length = 0;
		if (is_begin(text, at)) {
			length = put_name(all, at, stream);
			length = length ? length : put_pattern(all, text, at, stream);
		}
		changed = changed || length;
		if (!length)
			fputc(*at, stream);
		length = length ? length : 1;
	}
	if (stream && !fclose(stream) && changed)
		return replaced;
	all->out_of_memory = all->out_of_memory || !stream;
	free(replaced);
	return NULL;
}

void stand_ins_release(struct stand_ins *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free(all->list[i].original);
		free(all->list[i].text);
	}
	free(all->list);
	*all = (struct stand_ins){ .count = 0 };
}
