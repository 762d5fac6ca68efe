// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"

/* Bytes of the longest name: it must fit an entry of the session table (MR_NAME_SIZE). */
#define NAME_MAX_LENGTH 63

static int fail_invalid(struct mr_error *err, int errnum, const char *what, const char *text,
			const char *why)
{
	return mr_fail_text(err, MR_ERROR_USAGE, errnum, "invalid %s '%s': %s", what, text, why);
}

/* Reads the digits at *text and moves past them.  Return: 0, -EINVAL where there are none, or -ERANGE. */
static int read_digits(const char **text, int base, uint64_t *value)
{
	char *end;

	if (base == 16 ? !isxdigit((unsigned char)**text) : !mr_is_digit(**text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(*text, &end, base);
	*text = end;
	return -errno;
}

static int read_number(const char **text, uint64_t *value)
{
	if ((*text)[0] == '0' && ((*text)[1] == 'x' || (*text)[1] == 'X')) {
		*text += 2;
		/* strtoull() takes a second "0x" for the prefix */
		return **text == '0' && ((*text)[1] | 0x20) == 'x' ? -EINVAL
								   : read_digits(text, 16, value);
	}
	return read_digits(text, 10, value);
}

int mr_parse_u64(const char *text, uint64_t max, uint64_t *value, struct mr_error *err)
{
	const char *end = text;
	uint64_t result = 0;
	int rc = read_number(&end, &result);

	if (rc == -EINVAL || *end)
		return fail_invalid(err, EINVAL, "number", text,
				    "give digits, or 0x and hexadecimal digits");
	if (rc || result > max)
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE,
				    "number '%s' is too large: at most %" PRIu64, text, max);
	*value = result;
	return 0;
}

int mr_parse_u64_item(const char *item, size_t length, uint64_t max, uint64_t *value,
		      struct mr_error *err)
{
	char number[24] = "";

	if (length >= sizeof(number))
		return mr_fail_usage(err, "'%.*s' is too large", (int)length, item);
	memcpy(number, item, length);
	return mr_parse_u64(number, max, value, err);
}

/* The factor of the suffix at *text, which is moved past it; 0 for an unknown suffix. */
static uint64_t read_suffix(const char **text)
{
	static const char suffixes[] = "KMGTPE";
	const char *suffix = strchr(suffixes, toupper((unsigned char)**text));
	uint64_t unit = 1024, factor = 1;

	if (!**text)
		return 1;
	if (!suffix)
		return 0;
	(*text)++;
	if (mr_word_is(*text, strlen(*text), "iB")) {
		*text += 2;
	} else if (mr_word_is(*text, strlen(*text), "B")) {
		unit = 1000;
		(*text)++;
	}
	for (const char *s = suffixes; s <= suffix; s++)
		factor *= unit;
	return factor;
}

int mr_parse_size(const char *text, uint64_t *bytes, struct mr_error *err)
{
	const char *end = text;
	uint64_t result = 0, factor;
	int rc;

	if (mr_word_is(text, strlen(text), "max")) {
		*bytes = SIZE_MAX;
		return 0;
	}
	rc = read_number(&end, &result);
	factor = read_suffix(&end);
	if (rc == -EINVAL || *end)
		return fail_invalid(err, EINVAL, "size", text,
				    "give bytes, a number with K, M, G, T, P or E, or max");
	if (rc || __builtin_mul_overflow(result, factor, &result))
		return fail_invalid(err, ERANGE, "size", text, "it does not fit in 64 bits");
	*bytes = result;
	return 0;
}

/* Reads a size, which must be a power of two, or with 0x a mask with any bits. */
static int parse_page_size(const char *text, size_t length, uint64_t *bits)
{
	struct mr_error ignored;
	char item[32] = "";
	int rc;

	if (length >= sizeof(item))
		return -EINVAL;
	memcpy(item, text, length);
	rc = mr_parse_size(item, bits, &ignored);
	if (!rc && strncmp(item, "0x", 2) != 0 && (!*bits || *bits & (*bits - 1)))
		return -EINVAL;
	return rc;
}

int mr_parse_page_sizes(const char *text, uint64_t *sizes, struct mr_error *err)
{
	const char *rest = text, *item;
	uint64_t sum = 0, bits = 0;
	size_t length;

	if (mr_word_is(text, strlen(text), "none")) {
		*sizes = 0;
		return 0;
	}
	while ((item = mr_list_item(&rest, ",", &length))) {
		int rc = parse_page_size(item, length, &bits);

		if (rc)
			return fail_invalid(
				err, -rc, "page sizes", text,
				"give powers of two such as 4K,2M, a mask with 0x, or none");
		sum |= bits;
	}
	*sizes = sum;
	return 0;
}

int mr_parse_seconds(const char *text, uint64_t *ns, struct mr_error *err)
{
	const char *end = text;
	uint64_t whole = 0, fraction = 0, scale = 1000000000;
	int rc = read_digits(&end, 10, &whole);

	if (!rc && *end == '.' && mr_is_digit(end[1])) {
		for (end++; mr_is_digit(*end); end++) {
			scale /= 10;
			fraction += (uint64_t)(*end - '0') * scale;
		}
	}
	if (rc == -EINVAL || *end)
		return fail_invalid(err, EINVAL, "time", text, "give seconds, such as 10 or 0.5");
	if (rc || whole > INT32_MAX)
		return fail_invalid(err, ERANGE, "time", text, "it is too long");
	*ns = whole * 1000000000 + fraction;
	return 0;
}

int mr_parse_name(const char *text, struct mr_error *err)
{
	size_t length = 0, allowed = 0, digits = 0;

	for (const char *c = text; *c; c++, length++) {
		digits += mr_is_digit(*c);
		allowed +=
			mr_is_digit(*c) || mr_is_letter(*c) || *c == '.' || *c == '_' || *c == '-';
	}
	if (!length || length > NAME_MAX_LENGTH)
		return fail_invalid(err, EINVAL, "name", text, "give 1 to 63 characters");
	if (allowed != length)
		return fail_invalid(err, EINVAL, "name", text,
				    "give letters, digits, '.', '_' and '-'");
	if (*text == '-')
		return fail_invalid(err, EINVAL, "name", text,
				    "a leading '-' would make it an option");
	if (digits == length)
		return fail_invalid(err, EINVAL, "name", text,
				    "a name of digits only would be an id");
	return 0;
}
