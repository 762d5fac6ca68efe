/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line of a log as words, numbers and signs. */
#ifndef LIB_DIAGNOSE_LOG_TOKENS_H
#define LIB_DIAGNOSE_LOG_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mr_token_kind {
	MR_TOKEN_END,    /**< behind the last one */
	MR_TOKEN_WORD,   /**< letters, digits and "_", and it is no number */
	MR_TOKEN_NUMBER, /**< decimal, or 0x hexadecimal */
	MR_TOKEN_SIGN,   /**< any other byte that is no blank */
};

struct mr_token {
	enum mr_token_kind kind;
	const char *text; /**< in the line */
	size_t length;
	uint64_t value; /**< of a number, without its "-" */
	bool is_negative;
	bool is_hex;
};

enum { MR_TOKENS_MAX = 1024 };

/** The tokens of a line; further ones are left out. */
struct mr_tokens {
	struct mr_token list[MR_TOKENS_MAX + 1]; /**< ends with MR_TOKEN_END */
	size_t count;
};

/** mr_tokens_read() - split a line of @length bytes, which may be any */
void mr_tokens_read(struct mr_tokens *tokens, const char *text, size_t length);

/** mr_token_is() - whether it is that word, in any case */
bool mr_token_is(const struct mr_token *token, const char *word);

/** mr_token_is_sign() - whether it is one of these signs */
bool mr_token_is_sign(const struct mr_token *token, const char *signs);

#endif
