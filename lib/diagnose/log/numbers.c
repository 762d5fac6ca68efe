// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/diagnose/log/parts.h"
#include "lib/verbs/access.h"

/* Words before a number, and what it is. */
struct key {
	const char *word;
	size_t member;    /* of struct mr_log_line */
	bool is_hex_only; /* the word is used for other numbers, too */
};

#define KEY(word_, member_, is_hex_only_)                                                          \
	{                                                                                          \
		(word_), offsetof(struct mr_log_line, member_), (is_hex_only_)                     \
	}

static const struct key keys[] = {
	KEY("address", addr, false),
	KEY("addr", addr, false),
	KEY("va", addr, false),
	KEY("vaddr", addr, false),
	KEY("ptr", addr, true),
	KEY("buf", addr, true),
	KEY("buffer", addr, true),
	KEY("base", addr, true),
	KEY("start", addr, true),
	KEY("memory", addr, true),
	KEY("at", addr, true),
	KEY("region", addr, true),
	KEY("data", addr, true),
	KEY("length", length, false),
	KEY("len", length, false),
	KEY("size", length, false),
	KEY("sz", length, false),
	KEY("nbytes", length, false),
	KEY("iov_len", length, false),
	KEY("mr_size", length, false),
	KEY("buf_size", length, false),
	KEY("buffer_size", length, false),
	KEY("iova", iova, false),
	KEY("hca_va", iova, false),
	KEY("access", access, false),
	KEY("access_flags", access, false),
	KEY("accessflag", access, false),
	KEY("accessflags", access, false),
	KEY("exp_access", access, false),
	KEY("mr_access", access, false),
	KEY("ibv_access", access, false),
	KEY("flags", access, true),
};

static struct mr_opt_u64 *member_of(struct mr_log_line *line, const struct key *key)
{
	return (struct mr_opt_u64 *)((char *)line + key->member);
}

/* The first number of that kind in the line counts. */
static void set(struct mr_opt_u64 *number, uint64_t value)
{
	if (!number->known)
		*number = (struct mr_opt_u64){ value, true };
}

/* "0x7f1000..0x7f2000" and "0x7f1000-0x7f2000": the second number is the end. */
static bool is_range(const struct mr_token *number)
{
	return number->is_hex &&
	       ((mr_token_is_sign(&number[1], ".") && mr_token_is_sign(&number[2], ".") &&
		 number[3].kind == MR_TOKEN_NUMBER && number[3].is_hex &&
		 number[3].value > number->value));
}

static void set_addr(struct mr_log_line *line, const struct mr_token *number)
{
	if (line->addr.known)
		return;
	set(&line->addr, number->value);
	if (is_range(number))
		set(&line->length, number[3].value - number->value);
	/* "(0x7f73b1200000,2147483648)" */
	else if (mr_token_is_sign(&number[-1], "(") && mr_token_is_sign(&number[1], ",") &&
		 number[2].kind == MR_TOKEN_NUMBER && !number[2].is_hex)
		set(&line->length, number[2].value);
}

/* The number behind a word: "length=4096", "addr: (0x7f...", "size 4096", "sa.size()=4096"; or NULL. */
static const struct mr_token *number_behind(const struct mr_token *word)
{
	const struct mr_token *number = word + 1;

	for (int i = 0; i < 4 && mr_token_is_sign(number, ":=()[<\"' "); i++)
		number++;
	return number->kind == MR_TOKEN_NUMBER && !number->is_negative ? number : NULL;
}

static void take_number(struct mr_log_line *line, const struct mr_token *word)
{
	const struct mr_token *number = number_behind(word);

	for (size_t i = 0; number && i < sizeof(keys) / sizeof(*keys); i++) {
		struct mr_opt_u64 *member = member_of(line, &keys[i]);

		if (!mr_token_is(word, keys[i].word) || (keys[i].is_hex_only && !number->is_hex))
			continue;
		if (member == &line->addr)
			set_addr(line, number);
		else if (member != &line->access || number->value <= UINT32_MAX)
			set(member, number->value);
	}
}

/* A flag by its name in C: "IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ". */
static void take_flag(struct mr_log_line *line, const struct mr_token *word)
{
	static const char prefix[] = "IBV_ACCESS_";
	const size_t length = strlen(prefix);

	if (word->length <= length || strncmp(word->text, prefix, length) != 0)
		return;
	for (const struct mr_word *flag = mr_access_flags; flag->name; flag++) {
		if (!mr_word_is(word->text + length, word->length - length, flag->name))
			continue;
		line->access.value |= flag->bit;
		line->access.known = true;
	}
}

/* Flags of libfabric are not those of libibverbs. */
static bool has_other_flags(const struct mr_token *word)
{
	return word->length > 3 && !strncmp(word->text, "fi_", 3);
}

void mr_log_find_numbers(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	bool is_libfabric = false;

	for (const struct mr_token *token = tokens->list; token->kind != MR_TOKEN_END; token++) {
		if (token->kind == MR_TOKEN_WORD) {
			take_number(line, token);
			take_flag(line, token);
			is_libfabric |= has_other_flags(token);
		} else if (token->kind == MR_TOKEN_NUMBER && !token->is_hex &&
			   mr_token_is(&token[1], "bytes")) {
			set(&line->length, token->value);
		} else if (token->kind == MR_TOKEN_NUMBER && is_range(token)) {
			set_addr(line, token);
		}
	}
	if (is_libfabric)
		line->access.known = false;
}
