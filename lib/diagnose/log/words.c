// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/base.h"
#include "lib/diagnose/log/log.h"
#include "lib/verbs/verbs.h"

static bool is_of_word(char c)
{
	return mr_is_letter(c) || mr_is_digit(c) || c == '_';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Reads a word as a number.  Return: whether it is one that fits in 64 bits. */
static bool read_number(struct mr_token *token)
{
	char *end;

	token->is_hex =
		token->length > 2 && token->text[0] == '0' && (token->text[1] | 0x20) == 'x';
	errno = 0;
	token->value = strtoull(token->text, &end, token->is_hex ? 16 : 10);
	return !errno && end == token->text + token->length;
}

/* A "-" belongs to a number where nothing that could be subtracted from stands before it. */
static bool is_minus(const char *text, const char *at)
{
	return at > text && at[-1] == '-' &&
	       (at - 1 == text || !(is_of_word(at[-2]) || at[-2] == ')' || at[-2] == '-'));
}

static size_t word_length(const char *at, const char *end, bool in_parts)
{
	const bool has_capitals = in_parts && !mr_is_digit(*at); /* "64GB" is one */
	size_t length = 1;

	while (at + length < end && is_of_word(at[length]) && !(in_parts && at[length] == '_') &&
	       !(has_capitals && is_upper(at[length]) && !is_upper(at[length - 1])))
		length++;
	return length;
}

static void read_word(struct mr_token *token)
{
	const size_t most = sizeof(token->lower) - 1;

	token->kind = MR_TOKEN_NUMBER;
	if (mr_is_digit(*token->text) && read_number(token))
		return;
	token->kind = MR_TOKEN_WORD;
	for (size_t i = 0; i < token->length && i < most; i++)
		token->lower[i] =
			is_upper(token->text[i]) ? (char)(token->text[i] | 0x20) : token->text[i];
}

void mr_tokens_read(struct mr_tokens *tokens, const char *text, size_t length, bool in_parts)
{
	const char *end = text + length;

	tokens->count = 0;
	for (const char *at = text; at < end && tokens->count < MR_TOKENS_MAX;) {
		struct mr_token *token = &tokens->list[tokens->count];
		bool is_negative;

		if (mr_is_blank(*at) || (in_parts && *at && strchr("_'\"*`", *at))) {
			at++;
			continue;
		}
		*token = (struct mr_token){ .kind = MR_TOKEN_SIGN, .text = at, .length = 1 };
		if (is_of_word(*at)) {
			token->length = word_length(at, end, in_parts);
			read_word(token);
		}
		is_negative = token->kind == MR_TOKEN_NUMBER && is_minus(text, at);
		at += token->length;
		if (is_negative) {
			token->is_negative = true;
			token[-1] = *token; /* its sign */
		} else {
			tokens->count++;
		}
	}
	tokens->list[tokens->count] = (struct mr_token){ .kind = MR_TOKEN_END, .text = end };
}

bool mr_token_is(const struct mr_token *token, const char *words)
{
	const size_t length = strlen(token->lower);

	for (const char *at = words; length && (at = strstr(at, token->lower)); at += length)
		if ((at == words || at[-1] == '|') && (!at[length] || at[length] == '|'))
			return true;
	return false;
}

bool mr_token_is_sign(const struct mr_token *token, const char *signs)
{
	return token->kind == MR_TOKEN_SIGN && *token->text && strchr(signs, *token->text);
}

#define MEMBER(name) offsetof(struct mr_log_line, name)

/* Words before a number, and what it is. */
static const struct key {
	size_t member;    /* of struct mr_log_line */
	bool is_hex_only; /* the words are used for other numbers, too */
	const char *words;
} keys[] = {
	{ MEMBER(addr), false, "address|addr|va|vaddr|iov_base" },
	{ MEMBER(addr), true,
	  "ptr|pointer|buf|buffer|base|start|memory|mr|at|region|segment|data" },
	{ MEMBER(length), false,
	  "length|len|size|sz|bytes|nbytes|iov_len|mr_size|buf_size|buffer_size" },
	{ MEMBER(iova), false, "iova|hca_va" },
	{ MEMBER(access), false,
	  "access|access_flags|accessflag|accessflags|exp_access|mr_access|ibv_access|ibv_access_flags" },
	{ MEMBER(access), true, "flags" },
};

/* The first number of that kind in the line counts. */
static void set(struct mr_opt_u64 *number, uint64_t value)
{
	if (!number->known)
		*number = (struct mr_opt_u64){ value, true };
}

/* ---- amounts ---- */

/* "KB", "KiB", "kbytes" as programs mean them: 1,024 bytes.  Return: the power of 2; -1: no unit. */
static int unit_shift(const char *text, size_t length)
{
	static const char letters[] = "bkmgt";
	static const char *const rest[] = { "",      "b",        "i",        "ib",      "byte",
					    "bytes", "ilobytes", "egabytes", "igabytes" };
	const char *letter = length ? strchr(letters, *text | 0x20) : NULL;

	if (!letter || !*letter)
		return -1;
	if (letter == letters)
		return length == 1 || (length == 5 && !strncasecmp(text, "bytes", length)) ? 0 : -1;
	for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++)
		if (strlen(rest[i]) == length - 1 && !strncasecmp(text + 1, rest[i], length - 1))
			return (int)(letter - letters) * 10;
	return -1;
}

/* Reads decimal digits, as "1,073,741,824" and as "1.5"; @scale: set to by what the number is to be divided. */
static const char *read_decimal(const char *at, uint64_t *value, uint64_t *scale)
{
	const char *begin = at;
	char *end;

	*scale = 1;
	*value = strtoull(at, &end, 10); /* UINT64_MAX where it is too large */
	at = end;
	while (at - begin <= 3 && *at == ',' && *value < UINT64_MAX / 1000 - 1 &&
	       mr_is_digit(at[1]) && mr_is_digit(at[2]) && mr_is_digit(at[3]) &&
	       !is_of_word(at[4])) {
		*value = *value * 1000 + strtoull(at + 1, &end, 10);
		begin = at + 1;
		at = end;
	}
	if (*at == '.' && mr_is_digit(at[1]))
		for (at++; mr_is_digit(*at) && *scale < 1000000 && *value < UINT64_MAX / 100;
		     at++) {
			*value = *value * 10 + (uint64_t)(*at - '0');
			*scale *= 10;
		}
	return at;
}

/*
 * An amount of bytes: "4096", "0x1000", "8388608 KB", "2G", "1,073,741,824", "8.0 GiB".
 * @has_unit: set to whether it says that these are bytes, or more of them
 * Return: the token behind it; NULL: there is none
 */
static const struct mr_token *read_amount(const struct mr_token *token, uint64_t *amount,
					  bool *has_unit)
{
	const bool is_number = token->kind == MR_TOKEN_NUMBER && !token->is_negative;
	const char *end = token->text + token->length, *unit;
	uint64_t value = token->value, scale = 1;
	size_t length = 0;
	int shift;

	if (!is_number && (token->kind != MR_TOKEN_WORD || !mr_is_digit(*token->text)))
		return NULL;
	if (!token->is_hex)
		end = read_decimal(token->text, &value, &scale);
	unit = *end == ' ' ? end + 1 : end;
	while (mr_is_letter(unit[length]))
		length++;
	/* "0x1000 bytes=4096" has none */
	shift = is_of_word(unit[length]) || unit[length] == '=' ? -1 : unit_shift(unit, length);
	*has_unit = shift >= 0;
	if (shift < 0 && (!is_number || scale > 1))
		return NULL;
	if (shift >= 0)
		end = unit + length;
	else
		shift = 0;
	*amount = value > UINT64_MAX >> shift ? UINT64_MAX : (value << shift) / scale;
	while (token->kind != MR_TOKEN_END && token->text < end)
		token++;
	return token;
}

/* ---- ranges ---- */

static bool is_hex(const struct mr_token *token)
{
	return token->kind == MR_TOKEN_NUMBER && token->is_hex;
}

/*
 * The end behind a begin: "A..B", "A-B", "A:B", "A ~ B", "A to B", "A+LENGTH", and in brackets "[A, B)".
 * Return: whether there is one
 */
static bool end_of_range(const struct mr_token *number, bool in_brackets, uint64_t *end)
{
	const struct mr_token *next = number + 1;
	const bool is_length = mr_token_is_sign(next, "+");

	if (mr_token_is_sign(next, ".") && mr_token_is_sign(&next[1], "."))
		next += 2;
	else if (mr_token_is_sign(next, "-:~+") || mr_token_is(next, "to") ||
		 (in_brackets && mr_token_is_sign(next, ",")))
		next++;
	else
		return false;
	*end = is_length ? number->value + next->value : next->value;
	return is_hex(next) && *end > number->value && (*end - number->value) >> 48 == 0;
}

static void find_range(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	for (size_t i = 0; i < tokens->count && !line->addr.known; i++) {
		const struct mr_token *number = &tokens->list[i];
		const bool in_brackets = i && mr_token_is_sign(number - 1, "[(");
		uint64_t end;

		if (!is_hex(number) || !end_of_range(number, in_brackets, &end))
			continue;
		set(&line->addr, number->value);
		/* "0x1000:0x1fff" has its last byte, not its end */
		set(&line->length, end - number->value + (end & 1));
	}
}

/* ---- words and numbers ---- */

static void set_addr(struct mr_log_line *line, const struct mr_token *number)
{
	if (line->addr.known)
		return;
	set(&line->addr, number->value);
	/* "(0x7f73b1200000,2147483648)" */
	if (mr_token_is_sign(&number[-1], "(") && mr_token_is_sign(&number[1], ",") &&
	    number[2].kind == MR_TOKEN_NUMBER && !number[2].is_hex)
		set(&line->length, number[2].value);
}

/* Finds the number after a word: "length=4096", "addr: (0x7f...", "size 4096", "sa.size()=4096". */
static const struct mr_token *behind(const struct mr_token *word)
{
	const struct mr_token *number = word + 1;

	if (mr_token_is(number, "of") || mr_token_is(number, "is"))
		number++;
	for (int i = 0; i < 4 && mr_token_is_sign(number, ":=()[<\"' "); i++)
		number++;
	return number;
}

/* "total mr reg size 79699968", "page size 4096": an amount of something else; "Bad address (14)": an errno. */
static bool is_of_other(const struct mr_tokens *tokens, const struct mr_token *word)
{
	if (word > tokens->list && mr_token_is(word - 1, "bad"))
		return true;
	while (word-- > tokens->list && word->kind == MR_TOKEN_WORD)
		if (mr_token_is(word, "total|max|maximum|min|page|hugepage"))
			return true;
	return false;
}

static void take_number(struct mr_log_line *line, const struct mr_tokens *tokens,
			const struct mr_token *word)
{
	const struct mr_token *number = behind(word), *before = word - (word > tokens->list);
	uint64_t amount;
	bool ignored;

	before -= mr_token_is_sign(before, ",") && before > tokens->list;
	/* Most words have no number: the words of the keys are searched for those that have one. */
	if ((!mr_is_digit(*number->text) && !is_hex(before)) || is_of_other(tokens, word))
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct mr_opt_u64 *member = (struct mr_opt_u64 *)((char *)line + keys[i].member);

		/* No length has as many digits as an address in decimal. */
		if (!mr_token_is(word, keys[i].words) ||
		    (keys[i].is_hex_only && !is_hex(number) && !(number->value >> 44)))
			continue;
		if (member == &line->length) {
			if (read_amount(number, &amount, &ignored))
				set(member, amount);
			/* "0x7f0000000000, len 4096" */
			if (is_hex(before) && before->value >> 32)
				set_addr(line, before);
		} else if (number->kind != MR_TOKEN_NUMBER || number->is_negative) {
			continue;
		} else if (member == &line->addr) {
			set_addr(line, number);
		} else if (member != &line->access || number->value <= UINT32_MAX) {
			set(member, number->value);
		}
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

/* "memlock=unlimited", but not "set the limit to 'unlimited'" */
static bool is_unlimited(const struct mr_token *token)
{
	return mr_token_is(token, "unlimited") &&
	       (mr_token_is_sign(&token[-1], "=:)") || mr_token_is(&token[-1], "is|memlock"));
}

/*
 * The limit of locked memory: the first amount behind its name.
 * Return: the token behind that amount; NULL: there is no amount
 */
static const struct mr_token *find_limit(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	const struct mr_token *token = tokens->list, *end;
	bool is_behind = false, in_kbytes = false, has_unit;
	uint64_t amount;

	for (; line->is_memlock && token->kind != MR_TOKEN_END; token++) {
		is_behind |= mr_token_is(token, "rlimit_memlock|memlock|ulimit|current|locked");
		/* "max locked memory (kbytes, -l) 64" */
		in_kbytes |= is_behind && mr_token_is(token, "kbytes") &&
			     mr_token_is_sign(&token[-1], "(");
		if (is_behind && is_unlimited(token)) {
			set(&line->limit, UINT64_MAX);
			return NULL;
		}
		end = is_behind ? read_amount(token, &amount, &has_unit) : NULL;
		/* "Memlock limit: 65536" */
		if (!end || (!has_unit && !in_kbytes &&
			     (amount < 1024 || token < tokens->list + 2 ||
			      !mr_token_is(token - 2, "limit|rlimit_memlock|memlock"))))
			continue;
		set(&line->limit, in_kbytes && !has_unit ? amount << 10 : amount);
		return end;
	}
	return NULL;
}

bool mr_log_has_address(const struct mr_tokens *tokens)
{
	for (size_t i = 0; i < tokens->count; i++)
		if (tokens->list[i].kind == MR_TOKEN_NUMBER && tokens->list[i].value >> 32)
			return true;
	return false;
}

void mr_log_find_numbers(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	const struct mr_token *limit = find_limit(line, tokens);
	struct mr_opt_u64 from_range;
	find_range(line, tokens);
	from_range = line->length;
	line->length.known = false;
	for (const struct mr_token *token = tokens->list; token->kind != MR_TOKEN_END; token++) {
		if (token->kind == MR_TOKEN_WORD) {
			take_number(line, tokens, token);
			take_flag(line, token);
			line->is_of_libfabric |=
				token->length > 3 && !strncmp(token->text, "fi_", 3);
		}
	}
	for (const struct mr_token *token = tokens->list;
	     token->kind != MR_TOKEN_END && !from_range.known; token++) {
		uint64_t amount;
		bool has_unit;
		const struct mr_token *end = read_amount(token, &amount, &has_unit);

		/* "5m" may be anything, and "2 MB pages" are no length */
		if (end && has_unit && end != limit && end[-1].length > 1 &&
		    !mr_token_is(end, "page|pages|hugepages") &&
		    mr_is_letter(end[-1].text[end[-1].length - 2]))
			set(&line->length, amount);
	}
	if (from_range.known)
		set(&line->length, from_range.value);
	if (line->is_of_libfabric) /* whose flags are others */
		line->access.known = false;
}

/* How names of devices, drivers and functions begin, and the provider of rdma-core. */
static const struct {
	const char *prefix;
	const char *provider;
} prefixes[] = {
	{ "mlx5", "mlx5" },   { "mlx4", "mlx4" },       { "rdma_rxe", "rxe" },
	{ "rxe", "rxe" },     { "siw", "siw" },         { "efa", "efa" },
	{ "rdmap", "efa" },   { "erdma", "erdma" },     { "irdma", "irdma" },
	{ "i40iw", "irdma" }, { "bnxt_re", "bnxt_re" }, { "hns", "hns" },
	{ "qedr", "qedr" },   { "ionic", "ionic" },     { "cxgb4", "cxgb4" },
	{ "mana", "mana" },   { "ocrdma", "ocrdma" },   { "hfi1", "hfi1" },
	{ "qib", "qib" },     { "mthca", "mthca" },     { "vmw_pvrdma", "vmw_pvrdma" },
};

static const char *provider_of(const struct mr_token *word)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		const size_t length =
			*word->text == *prefixes[i].prefix ? strlen(prefixes[i].prefix) : 0;

		if (length && word->length >= length &&
		    !strncmp(word->text, prefixes[i].prefix, length) &&
		    (word->length == length || !mr_is_letter(word->text[length])))
			return prefixes[i].provider;
	}
	return NULL;
}

void mr_log_find_device(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	for (const struct mr_token *token = tokens->list; token->kind != MR_TOKEN_END; token++) {
		const char *provider = token->kind == MR_TOKEN_WORD ? provider_of(token) : NULL;
		const char *end;

		if (!provider)
			continue;
		if (!line->provider[0])
			snprintf(line->provider, sizeof(line->provider), "%s", provider);
		/* "mlx5_0", "mlx5_bond_2", "rxe0": it ends with a number, and is no file such as "ib_mlx5.c". */
		end = token->text + token->length;
		if (!line->device[0] && token->length > strlen(provider) && mr_is_digit(end[-1]) &&
		    !(mr_token_is_sign(&token[1], ".") && token[1].text == end))
			snprintf(line->device, sizeof(line->device), "%.*s", (int)token->length,
				 token->text);
	}
}

/* The number of "NAME(0x8)": the token at @at is the name. */
static bool number_in_brackets(const struct mr_token *at, struct mr_opt_u64 *number)
{
	/* The text ends with MR_TOKEN_END, so each of these is looked at only if the one before is there. */
	if (at[0].kind == MR_TOKEN_END || !mr_token_is_sign(&at[1], "(") ||
	    at[2].kind != MR_TOKEN_NUMBER)
		return false;
	*number = (struct mr_opt_u64){ at[2].value, true };
	return true;
}

void mr_log_find_command(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	const struct mr_token *at = tokens->list;
	struct mr_opt_u64 opcode;

	/* "CREATE_MKEY(0x200) op_mod(0x0) failed", "CREATE_MKEY(0x200) timeout" */
	while (at->kind != MR_TOKEN_END &&
	       !(at->kind == MR_TOKEN_WORD && number_in_brackets(at, &opcode) &&
		 mr_token_is_sign(&at[3], ")") &&
		 (mr_token_is(&at[4], "op_mod|timeout|canceled") ||
		  (mr_token_is(&at[4], "no") && mr_token_is(&at[5], "done")))))
		at++;
	if (at->kind == MR_TOKEN_END)
		return;
	snprintf(line->command, sizeof(line->command), "%.*s", (int)at->length, at->text);
	/* The driver waits for a command without an answer, and then returns this. */
	line->errnum = mr_token_is(&at[4], "op_mod") ? 0 : ETIMEDOUT;
	while (at->kind != MR_TOKEN_END && !mr_token_is(at, "status"))
		at++;
	for (; at->kind != MR_TOKEN_END && !line->syndrome.known; at++)
		if (mr_token_is(at, "syndrome"))
			number_in_brackets(at, &line->syndrome);
		else if (!line->status.known)
			number_in_brackets(at, &line->status);
}
