// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/base/character.h"
#include "lib/diagnose/log/parts.h"
#include "lib/host/mlx5_status.h"

/* No errno from this number on has a name (lib/base/error.h). */
#define ERRNO_END 532

/* Words before the number of an errno. */
struct key {
	const char *word;
	bool is_strict; /* programs use it for other numbers, too: 1 and -1 mean that something failed */
	bool is_negative; /* of these only negative ones are errnos */
};

static const struct key keys[] = {
	{ "errno", false, false },     { "errnum", false, false },  { "err", false, false },
	{ "error", false, false },     { "errcode", false, false }, { "error_code", false, false },
	{ "rte_errno", false, false }, { "ret", true, false },      { "rc", true, false },
	{ "retval", true, false },     { "code", true, false },     { "result", true, false },
	{ "returned", true, false },   { "ret_val", true, false },  { "status", true, true },
	{ "res", true, true },
};

/* Words between that word and the number. */
static const char *const fillers[] = { "is", "code", "value", "no", "number", "with", "was", "of" };

static bool is_filler(const struct mr_token *token)
{
	if (mr_token_is_sign(token, ":=([ "))
		return true;
	for (size_t i = 0; i < sizeof(fillers) / sizeof(*fillers); i++)
		if (mr_token_is(token, fillers[i]))
			return true;
	return false;
}

static int errno_of(const struct mr_token *number)
{
	const bool has_name =
		number->value && number->value < ERRNO_END && mr_errno_name((int)number->value);

	return has_name ? (int)number->value : 0;
}

/* Whether the number goes on as a time or a fraction does: "12:30", "12.5". */
static bool goes_on(const struct mr_token *number)
{
	return mr_token_is_sign(&number[1], ":.") && number[2].kind == MR_TOKEN_NUMBER &&
	       number[2].text == number[1].text + 1;
}

/* "ERROR" in capitals is the level of a message. */
static bool is_level(const struct mr_token *token)
{
	return !strncmp(token->text, "ERR", 3);
}

static int errno_behind(const struct mr_token *token, const struct key *key)
{
	const struct mr_token *number = token + 1;

	for (int i = 0; i < 6 && is_filler(number); i++)
		number++;
	if (number->kind != MR_TOKEN_NUMBER || goes_on(number) ||
	    (key->is_strict && number->value == 1) || (key->is_negative && !number->is_negative))
		return 0;
	return errno_of(number);
}

/* An errno behind a word: "errno = 14", "ret is:-12", "err(-22)", "[error code: 14]". */
static int find_number(const struct mr_tokens *tokens)
{
	int weak = 0, errnum;

	for (const struct mr_token *token = tokens->list; token->kind != MR_TOKEN_END; token++) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
			if (!mr_token_is(token, keys[i].word) || is_level(token))
				continue;
			errnum = errno_behind(token, &keys[i]);
			if (errnum && !keys[i].is_strict)
				return errnum;
			weak = weak ? weak : errnum;
		}
	}
	return weak;
}

/* A number in brackets: "(-95)" anywhere, "[14]" and "(14)" at the end. */
static int find_bracket(const struct mr_tokens *tokens)
{
	for (size_t i = 1; i + 1 < tokens->count; i++) {
		const struct mr_token *number = &tokens->list[i];
		size_t rest = i + 1;

		if (number->kind != MR_TOKEN_NUMBER || !mr_token_is_sign(number - 1, "([") ||
		    !mr_token_is_sign(number + 1, ")]"))
			continue;
		while (tokens->list[rest].kind == MR_TOKEN_SIGN)
			rest++;
		if (number->is_negative || tokens->list[rest].kind == MR_TOKEN_END)
			return errno_of(number);
	}
	return 0;
}

/* A number without anything at the end: ": -12". */
static int find_last(const struct mr_tokens *tokens)
{
	const struct mr_token *last = tokens->count ? &tokens->list[tokens->count - 1] : NULL;

	return last && last->kind == MR_TOKEN_NUMBER && last->is_negative && last->value > 1
		       ? errno_of(last)
		       : 0;
}

/* A name: "ENOMEM", and of libfabric "FI_ENOMEM". */
static int find_name(const struct mr_tokens *tokens)
{
	for (const struct mr_token *token = tokens->list; token->kind != MR_TOKEN_END; token++) {
		const char *name = token->text;
		size_t length = token->length;
		int errnum;

		if (token->kind != MR_TOKEN_WORD)
			continue;
		if (length > 3 && !strncmp(name, "FI_", 3)) {
			name += 3;
			length -= 3;
		}
		errnum = *name == 'E' && isupper((unsigned char)name[1]) &&
					 isupper((unsigned char)name[length - 1])
				 ? mr_errno_parse(name, length)
				 : 0;
		if (errnum)
			return errnum;
	}
	return 0;
}

/* Whether @text stands in the line as whole words; sets @last behind the last place where it does. */
static bool is_in(const char *line, const char *text, const char **last)
{
	const size_t length = strlen(text);
	bool found = false;

	for (const char *at = line; (at = strcasestr(at, text)); at++) {
		if ((at > line && mr_is_letter(at[-1])) || mr_is_letter(at[length]))
			continue;
		*last = at + length;
		found = true;
	}
	return found;
}

/* The text of strerror(3).  The last one counts: others before it are about what else went wrong. */
static int find_text(const char *line)
{
	const char *best = NULL, *end;
	size_t longest = 0;
	int errnum = 0;

	for (int i = 1; i < ERRNO_END; i++) {
		const char *text = mr_errno_name(i) ? mr_errno_text(i) : NULL;

		if (!text || !is_in(line, text, &end) ||
		    (best && (end < best || (end == best && strlen(text) <= longest))))
			continue;
		best = end;
		longest = strlen(text);
		errnum = i;
	}
	/* as musl and Rust have it */
	if (!errnum && is_in(line, "Out of memory", &end))
		return ENOMEM;
	return errnum;
}

void mr_log_find_errno(struct mr_log_line *line, const struct mr_tokens *tokens, const char *text)
{
	const struct mr_mlx5_status *status =
		line->status.known ? mr_mlx5_status(line->status.value) : NULL;
	const int found[] = {
		find_name(tokens),    find_text(text),   find_number(tokens),
		find_bracket(tokens), find_last(tokens), status ? status->errnum : 0,
	};

	for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++) {
		if (!line->errnum)
			line->errnum = found[i];
		else if (!line->other_errnum && found[i] && found[i] != line->errnum)
			line->other_errnum = found[i];
	}
}
