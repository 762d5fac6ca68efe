// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>
#include <strings.h>

#include "lib/base/base.h"
#include "lib/diagnose/log/tokens.h"

static bool is_of_word(char c)
{
	return mr_is_letter(c) || mr_is_digit(c) || c == '_';
}

/* The value of a digit, or 16 */
static unsigned int digit_of(char c)
{
	if (mr_is_digit(c))
		return (unsigned int)(c - '0');
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 : 16;
}

/* Reads a word as a number.  Return: whether it is one that fits in 64 bits. */
static bool read_number(struct mr_token *token)
{
	const char *end = token->text + token->length;
	const char *at = token->text;

	token->is_hex = token->length > 2 && at[0] == '0' && (at[1] | 0x20) == 'x';
	at += token->is_hex ? 2 : 0;
	for (const uint64_t base = token->is_hex ? 16 : 10; at < end; at++) {
		const unsigned int digit = digit_of(*at);

		if (digit >= base || __builtin_mul_overflow(token->value, base, &token->value) ||
		    __builtin_add_overflow(token->value, digit, &token->value))
			return false;
	}
	return true;
}

/* A "-" belongs to a number where nothing that could be subtracted from stands before it. */
static bool is_minus(const char *text, const char *at)
{
	return at > text && at[-1] == '-' &&
	       (at - 1 == text || !(is_of_word(at[-2]) || at[-2] == ')' || at[-2] == '-'));
}

void mr_tokens_read(struct mr_tokens *tokens, const char *text, size_t length)
{
	const char *end = text + length;

	tokens->count = 0;
	for (const char *at = text; at < end && tokens->count < MR_TOKENS_MAX;) {
		struct mr_token token = { .kind = MR_TOKEN_SIGN, .text = at, .length = 1 };

		if (mr_is_blank(*at)) {
			at++;
			continue;
		}
		if (is_of_word(*at)) {
			while (at + token.length < end && is_of_word(at[token.length]))
				token.length++;
			token.kind = mr_is_digit(*at) && read_number(&token) ? MR_TOKEN_NUMBER
									     : MR_TOKEN_WORD;
			token.is_negative = token.kind == MR_TOKEN_NUMBER && is_minus(text, at);
		}
		if (token.is_negative)
			tokens->count--; /* its sign */
		at += token.length;
		tokens->list[tokens->count++] = token;
	}
	tokens->list[tokens->count] = (struct mr_token){ .kind = MR_TOKEN_END, .text = end };
}

bool mr_token_is(const struct mr_token *token, const char *word)
{
	return token->kind == MR_TOKEN_WORD && (*token->text | 0x20) == (*word | 0x20) &&
	       token->length == strlen(word) && !strncasecmp(token->text, word, token->length);
}

bool mr_token_is_sign(const struct mr_token *token, const char *signs)
{
	return token->kind == MR_TOKEN_SIGN && *token->text && strchr(signs, *token->text);
}
