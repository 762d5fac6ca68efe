// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/notation.h"
#include "cmd/report/paths.h"
#include "cmd/report/patterns.h"
#include "cmd/report/replace.h"
#include "lib/base/cleanup.h"

/* A text that is replaced. */
struct work {
	struct stand_ins *all;
	const char *text;
	FILE *stream;
};

static void put(const struct work *work, const char *kind, const char *stand_in)
{
	if (stand_in)
		fputs(stand_in, work->stream);
	else
		fprintf(work->stream, "%s-beyond-%d", kind, STAND_INS_MAX);
}

/* ---- hosts ---- */

static size_t label_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || at[length] == '-')
		length++;
	return length;
}

/* The domain behind a host's name: in a text any one, which the host's is from then on; in a file the known one. */
static size_t domain_length(struct stand_ins *all, const char *at)
{
	const size_t known = strlen(all->domain);
	size_t length = 0, labels = 0;

	if (known && !strncasecmp(at, all->domain, known) && pattern_is_edge(at[known]))
		return known;
	for (; !all->is_file && at[length] == '.' && isalpha((unsigned char)at[length + 1]);
	     labels++)
		length += 1 + label_length(at + length + 1);
	if (labels > 1 && !known && length < sizeof(all->domain))
		memcpy(all->domain, at, length);
	return length;
}

/* Another host of that domain, known by its short name from then on */
static size_t put_neighbour(const struct work *work, const char *at)
{
	const size_t length = label_length(at), domain = strlen(work->all->domain);

	if (!length || !domain || work->all->is_file ||
	    strncasecmp(at + length, work->all->domain, domain) != 0 ||
	    !pattern_is_edge(at[length + domain]))
		return 0;
	stand_ins_learn(work->all, "host", at, length);
	put(work, "host", stand_ins_of(work->all, "host", at, length));
	return length + domain;
}

/* ---- names ---- */

static size_t match_path(const char *at, const char *path, bool *is_longer)
{
	static const char home[] = "/home/";
	size_t length;

	if (*at != '~' || strncmp(path, home, strlen(home)) != 0)
		return path_match(at, path, is_longer);
	length = path_match(at + 1, path + strlen(home), is_longer);
	return length ? length + 1 : 0;
}

/* Return: the bytes at @at that are the name; 0: they are not. */
static size_t match_name(struct stand_ins *all, const struct stand_in *name, const char *at,
			 bool *is_longer)
{
	const bool is_host = !strcmp(name->kind, "host");
	const size_t length = name->length;

	*is_longer = false;
	if (name->is_of_texts && all->is_file)
		return 0;
	if (!strcmp(name->kind, "path"))
		return match_path(at, name->original, is_longer);
	if ((is_host ? strncasecmp : strncmp)(at, name->original, length) != 0 ||
	    !pattern_is_edge(at[length]))
		return 0;
	return is_host ? length + domain_length(all, at + length) : length;
}

/* Puts a stand-in for what begins at @at.  Return: the bytes that it stands for; 0: none. */
static size_t put_name(const struct work *work, const char *at)
{
	for (size_t i = 0; i < work->all->names.count; i++) {
		const struct stand_in *name = &work->all->names.list[i];
		bool is_longer;
		const size_t length = match_name(work->all, name, at, &is_longer);

		if (!length)
			continue;
		put(work, name->kind,
		    is_longer ? stand_ins_of(work->all, "path", at, length) : name->text);
		return length;
	}
	return 0;
}

/* ---- patterns ---- */

/* Puts a stand-in for a number, but for one of zeros, which is nobody's.  Eight bytes are a GUID. */
static bool put_number(const struct work *work, const char *kind, const char *at, size_t length)
{
	mr_auto_free char *plain = notation_plain(kind, at, length);

	if (plain && strspn(plain, "0") == strlen(plain))
		return false;
	if (plain && notation_bytes(plain) == 8 && !strcmp(kind, "mac"))
		kind = "guid";
	put(work, kind, stand_ins_of(work->all, kind, at, length));
	return true;
}

/* The number without separators, where it was found with them.  Small ones may be any number. */
static size_t put_known(const struct work *work, const char *at)
{
	const size_t skip = !strncasecmp(at, "0x", 2) ? 2 : 0;
	const size_t length = skip + strspn(at + skip, "0123456789abcdefABCDEF");
	mr_auto_free char *plain = NULL;
	const char *known = NULL;

	if (length >= 12 && pattern_is_edge(at[length]))
		plain = notation_plain("id", at, length);
	if (plain && strncmp(plain, "000000", 6) != 0 && notation_bytes(plain) >= 6)
		known = stand_ins_known(work->all, plain);
	if (!known)
		return 0;
	put(work, "id", known);
	return length;
}

static size_t put_pattern(const struct work *work, const char *at)
{
	struct stand_ins *all = work->all;
	size_t length = (all->is_file ? path_in_file : path_in_text)(work->text, at, all->home);

	if (length) {
		put(work, "path", stand_ins_of(all, "path", at, length));
		return length;
	}
	for (const struct pattern *pattern = patterns; pattern->stand_in; pattern++) {
		length = pattern->match(work->text, at);
		if (!length)
			continue;
		if (!notation_is_number(pattern->stand_in))
			put(work, pattern->stand_in,
			    stand_ins_of(all, pattern->stand_in, at, length));
		else if (!put_number(work, pattern->stand_in, at, length))
			continue;
		return length;
	}
	length = put_known(work, at);
	return length ? length : put_neighbour(work, at);
}

/* ---- a text ---- */

/* Whether the word before ends so: a number is part of the name that follows. */
static bool is_behind(const char *text, const char *at, const char *word)
{
	const size_t length = strlen(word);

	return (size_t)(at - text) >= length && !strncmp(at - length, word, length);
}

/* Whether something may begin here.  A UUID follows Kubernetes' "pod", and an address systemd's "enx". */
static bool is_begin(const char *text, const char *at)
{
	return at == text || pattern_is_edge(at[-1]) || pattern_is_edge(*at) ||
	       is_behind(text, at, "pod") || is_behind(text, at, "enx") ||
	       is_behind(text, at, "ibx") || is_behind(text, at, "rocex");
}

char *replace_own(struct stand_ins *all, const char *text)
{
	char *replaced = NULL;
	size_t size, length;
	bool changed = false;
	const struct work work = { all, text, open_memstream(&replaced, &size) };

	for (const char *at = text; work.stream && *at; at += length) {
		length = 0;
		if (is_begin(text, at)) {
			length = put_name(&work, at);
			length = length ? length : put_pattern(&work, at);
		}
		changed = changed || length;
		if (!length)
			fputc(*at, work.stream);
		length = length ? length : 1;
	}
	if (work.stream && !fclose(work.stream) && changed)
		return replaced;
	all->out_of_memory = all->out_of_memory || !work.stream;
	free(replaced);
	return NULL;
}
