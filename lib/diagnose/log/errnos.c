// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/base.h"
#include "lib/diagnose/log/log.h"
#include "lib/host/host.h"

/* No errno from this number on has a name (lib/base/base.h), and none between these but one of the kernel's own. */
#define ERRNO_END    525
#define ERRNO_COMMON 134
#define ERRNO_KERNEL 524

/* Words before the number of an errno. */
static const struct key {
	bool is_strict; /* programs use them for other numbers, too: 1 and -1 mean that something failed */
	bool is_negative; /* of these only negative ones are errnos */
	const char *words;
} keys[] = {
	{ false, false, "errno|errnum|err|error|errcode|error_code|rte_errno|errmsg" },
	{ true, false, "ret|rc|retval|code|result|returned|ret_val" },
	{ true, true, "status|res|rv" },
};

/* Words between that word and the number. */
static const char fillers[] = "is|code|value|no|number|with|was|of";

/* "0xfffffff4" and "4294967284" are -12 as unsigned numbers of 32 bits. */
static int errno_of(const struct mr_token *number)
{
	const bool is_unsigned =
		number->value <= UINT32_MAX && number->value > UINT32_MAX - ERRNO_END;
	const uint64_t value = is_unsigned ? UINT32_MAX - number->value + 1 : number->value;
	const bool has_name = value && value < ERRNO_END && mr_errno_name((int)value);

	return has_name ? (int)value : 0;
}

/* "ERROR" in capitals is the level of a message. */
static bool is_level(const struct mr_token *token)
{
	return !strncmp(token->text, "ERR", 3);
}

static int errno_behind(const struct mr_token *token, const struct key *key)
{
	const struct mr_token *number = token + 1;

	for (int i = 0;
	     i < 6 && (mr_token_is_sign(number, ":=([\"'") || mr_token_is(number, fillers)); i++)
		number++;
	/* "12:30" and "12.5" are a time and a fraction. */
	if (number->kind != MR_TOKEN_NUMBER ||
	    (mr_token_is_sign(&number[1], ":.") && number[2].kind == MR_TOKEN_NUMBER &&
	     number[2].text == number[1].text + 1) ||
	    (key->is_strict && number->value == 1) || (key->is_negative && !number->is_negative))
		return 0;
	return errno_of(number);
}

/* An errno behind a word: "errno = 14", "ret is:-12", "err(-22)", "[error code: 14]". */
static int find_number(const struct mr_tokens *tokens)
{
	int weak = 0, errnum;

	for (const struct mr_token *token = tokens->list; token->kind != MR_TOKEN_END; token++) {
		const struct mr_token *next = token + 1;

		/* Most words have no number behind them. */
		if (token->kind != MR_TOKEN_WORD ||
		    !(next->kind == MR_TOKEN_NUMBER || mr_token_is_sign(next, ":=([\"'") ||
		      mr_token_is(next, fillers)))
			continue;
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
			if (!mr_token_is(token, keys[i].words) || is_level(token))
				continue;
			errnum = errno_behind(token, &keys[i]);
			if (errnum && !keys[i].is_strict)
				return errnum;
			weak = weak ? weak : errnum;
		}
	}
	return weak;
}

/* A number in brackets: "(-95)" anywhere, "[14]" and "(14)" at the end, but not "access_flags(14)". */
static int find_bracket(const struct mr_tokens *tokens)
{
	for (size_t i = 1; i + 1 < tokens->count; i++) {
		const struct mr_token *number = &tokens->list[i], *rest = number + 1;
		const bool is_argument = i > 1 && memchr(number[-2].text, '_', number[-2].length);

		if (number->kind != MR_TOKEN_NUMBER || !mr_token_is_sign(number - 1, "([") ||
		    !mr_token_is_sign(rest, ")]") || is_argument)
			continue;
		while (rest->kind == MR_TOKEN_SIGN)
			rest++;
		if (number->is_negative || rest->kind == MR_TOKEN_END)
			return errno_of(number);
	}
	return 0;
}

/* Words behind which ": NUMBER" and a negative number can be the errno although more follows. */
static const char refused[] =
	"failed|failure|error|register|registration|region|mr|memory|mem|buffer|buf|umem|mkey|qp|cq";

/*
 * A number without anything: "failed with -12", "memory region: -12, ...", "mr -12, ...", and at the end ": -12",
 * "failed with 22", "failed: 14".
 */
static int find_plain(const struct mr_tokens *tokens)
{
	for (size_t i = 1; i < tokens->count; i++) {
		const struct mr_token *number = &tokens->list[i], *before = number - 1;
		const bool is_last = i + 1 == tokens->count;
		bool is_result;

		if (number->kind != MR_TOKEN_NUMBER || number->value < 2)
			continue;
		if (mr_token_is_sign(before, ":") && before > tokens->list)
			before--;
		is_result = mr_token_is(before, "with|failed") ||
			    ((before < number - 1 || number->is_negative) &&
			     mr_token_is(before, refused) && mr_token_is_sign(&number[1], ",;"));
		if (number->is_negative ? is_last || is_result : is_last && is_result)
			return errno_of(number);
	}
	return 0;
}

/* A name: "ENOMEM", and of libfabric "FI_ENOMEM". */
static int find_name(const struct mr_tokens *tokens)
{
	for (const struct mr_token *token = tokens->list; token->kind != MR_TOKEN_END; token++) {
		const char *name = token->text;
		size_t length = token->length;
		int errnum;

		if (length > 3 && !strncmp(name, "FI_", 3)) {
			name += 3;
			length -= 3;
		}
		errnum = *name == 'E' && !is_level(token) && isupper((unsigned char)name[1]) &&
					 isupper((unsigned char)name[length - 1])
				 ? mr_errno_parse(name, length)
				 : 0;
		if (errnum)
			return errnum;
	}
	return 0;
}

/* Whether the text begins a whole word or more of the line at @at, where no letter stands before. */
static bool is_at(const char *at, const char *text, size_t length)
{
	return !strncasecmp(at, text, length) && !mr_is_letter(at[length]);
}

static bool begins_word(const char *line, const char *at)
{
	return mr_is_letter(*at) && (at == line || !mr_is_letter(at[-1]));
}

/* The text of strerror(3).  The last one counts: others before it are about what else went wrong. */
static int find_text(const char *line)
{
	int errnum = 0;

	for (const char *at = line; *at; at++) {
		size_t longest = 0;

		if (!begins_word(line, at))
			continue;
		for (int i = 1; i < ERRNO_END; i = i == ERRNO_COMMON ? ERRNO_KERNEL : i + 1) {
			const char *text = mr_errno_text(i);

			if ((*text ^ *at) & 31 || !mr_errno_name(i) || strlen(text) <= longest ||
			    !is_at(at, text, strlen(text)))
				continue;
			longest = strlen(text);
			errnum = i;
		}
	}
	/* as musl and Rust have it */
	for (const char *at = line; !errnum && *at; at++)
		if (begins_word(line, at) && is_at(at, "Out of memory", 13))
			errnum = ENOMEM;
	return errnum;
}

void mr_log_find_errno(struct mr_log_line *line, const struct mr_tokens *tokens, const char *text)
{
	const struct mr_mlx5_status *status =
		line->status.known ? mr_mlx5_status(line->status.value) : NULL;
	const int found[] = {
		find_name(tokens),    find_text(text),    find_number(tokens),
		find_bracket(tokens), find_plain(tokens), status ? status->errnum : 0,
	};

	for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++) {
		if (!line->errnum)
			line->errnum = found[i];
		else if (!line->other_errnum && found[i] && found[i] != line->errnum)
			line->other_errnum = found[i];
	}
}

/* Bytes of a catalogue at most, and of a text at least: a shorter one may stand in a line by chance. */
enum { CATALOGUE_MAX = 4 << 20, TEXT_MIN = 6, TEXTS_MAX = UINT16_MAX - 1 };

struct text {
	char *text;
	size_t length;
	int errnum;
	uint16_t next; /* with the same first two bytes; 0: none */
};

struct mr_languages {
	struct text *texts; /* from 1 */
	size_t count;
	uint16_t first[UINT16_MAX + 1]; /* by their first two bytes */
};

static uint16_t key_of(const char *text)
{
	return (uint16_t)((unsigned char)text[0] << 8 | (unsigned char)text[1]);
}

/* Adds a text; without memory for it, it is left out. */
static void add(struct mr_languages *languages, const char *text, size_t length, int errnum)
{
	const size_t index = languages->count + 1;
	uint16_t *first = &languages->first[key_of(text)];
	struct text *texts;

	if (length < TEXT_MIN || index > TEXTS_MAX)
		return;
	for (size_t i = *first; i; i = languages->texts[i].next)
		if (languages->texts[i].length == length &&
		    !memcmp(languages->texts[i].text, text, length))
			return;
	texts = realloc(languages->texts, (index + 1) * sizeof(*texts));
	if (!texts)
		return;
	languages->texts = texts;
	texts[index] = (struct text){ strndup(text, length), length, errnum, *first };
	if (!texts[index].text)
		return;
	*first = (uint16_t)index;
	languages->count++;
}

/* A catalogue: gettext's info page, "The Format of GNU MO Files". */
struct catalogue {
	char *bytes;
	size_t size;
	struct {
		uint32_t magic, revision, count, originals, translations;
	} header; /* entries, and where their tables are */
};

/* Returns the text of an entry, whose length excludes its NUL; NULL: the catalogue is broken. */
static const char *text_of(const struct catalogue *catalogue, uint32_t table, uint32_t index,
			   size_t *length)
{
	const uint64_t at = table + (uint64_t)index * 8;
	uint32_t entry[2]; /* bytes, and where they are */

	if (at + sizeof(entry) > catalogue->size)
		return NULL;
	memcpy(entry, catalogue->bytes + at, sizeof(entry));
	if ((uint64_t)entry[0] + entry[1] >= catalogue->size ||
	    catalogue->bytes[entry[0] + entry[1]])
		return NULL;
	*length = entry[0];
	return catalogue->bytes + entry[1];
}

/* The originals are sorted. */
static void add_translation(struct mr_languages *languages, const struct catalogue *catalogue,
			    int errnum)
{
	uint32_t low = 0, high = catalogue->header.count;
	int order = 1;

	while (low < high && order) {
		const uint32_t middle = low + (high - low) / 2;
		size_t length;
		const char *text = text_of(catalogue, catalogue->header.originals, middle, &length);

		order = text ? strcmp(mr_errno_text(errnum), text) : 0;
		if (text && !order)
			text = text_of(catalogue, catalogue->header.translations, middle, &length);
		if (text && !order)
			add(languages, text, length, errnum);
		*(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
	}
}

static void read_catalogue(struct mr_languages *languages, const char *path)
{
	struct catalogue catalogue = { .bytes = malloc(CATALOGUE_MAX) };
	FILE *file = fopen(path, "re");

	if (catalogue.bytes && file)
		catalogue.size = fread(catalogue.bytes, 1, CATALOGUE_MAX, file);
	if (file)
		fclose(file);
	if (catalogue.size >= sizeof(catalogue.header)) {
		memcpy(&catalogue.header, catalogue.bytes, sizeof(catalogue.header));
		for (int i = 1; catalogue.header.magic == 0x950412de && i < ERRNO_COMMON; i++)
			if (mr_errno_name(i))
				add_translation(languages, &catalogue, i);
	}
	free(catalogue.bytes);
}

struct mr_languages *mr_languages_open(const char *folder)
{
	struct mr_languages *languages = calloc(1, sizeof(*languages));
	char pattern[PATH_MAX];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*/LC_MESSAGES/libc.mo", folder);
	if (!languages || glob(pattern, GLOB_NOSORT, NULL, &found))
		return languages;
	for (size_t i = 0; i < found.gl_pathc; i++)
		read_catalogue(languages, found.gl_pathv[i]);
	globfree(&found);
	return languages;
}

int mr_languages_errno(const struct mr_languages *languages, const char *text, size_t length)
{
	size_t longest = 0;
	int errnum = 0;

	for (size_t at = 0; languages && at + TEXT_MIN <= length; at++)
		for (size_t i = languages->first[key_of(text + at)]; i;
		     i = languages->texts[i].next) {
			const struct text *candidate = &languages->texts[i];

			if (candidate->length <= longest || candidate->length > length - at ||
			    memcmp(text + at, candidate->text, candidate->length) != 0)
				continue;
			longest = candidate->length;
			errnum = candidate->errnum;
		}
	return errnum;
}

void mr_languages_free(struct mr_languages *languages)
{
	for (size_t i = 1; languages && i <= languages->count; i++)
		free(languages->texts[i].text);
	if (languages)
		free(languages->texts);
	free(languages);
}
