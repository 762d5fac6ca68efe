// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <arpa/inet.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/escapes.h"
#include "cmd/report/notation.h"

static char *copy_hex(const unsigned char *bytes, size_t count)
{
	char *text = malloc(2 * count + 1);

	for (size_t i = 0; text && i < count; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

static char *plain_address(const char *address)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	unsigned char bytes[sizeof(struct in6_addr)];

	if (inet_pton(AF_INET, address, bytes) == 1)
		return copy_hex(bytes, 4);
	if (inet_pton(AF_INET6, address, bytes) != 1)
		return strdup(address);
	return memcmp(bytes, mapped, sizeof(mapped)) != 0 ? copy_hex(bytes, sizeof(bytes))
							  : copy_hex(bytes + 12, 4);
}

/* Keeps the digits, in lower case: "0x0A0B" becomes "0a0b". */
static char *plain_digits(char *number)
{
	char *to = number;

	for (const char *at = number + 2 * !strncasecmp(number, "0x", 2); *at; at++)
		if (isxdigit((unsigned char)*at))
			*to++ = (char)tolower((unsigned char)*at);
	*to = '\0';
	return strlen(number) == 32 && !strncmp(number, "00000000000000000000ffff", 24)
		       ? memmove(number, number + 24, 9)
		       : number;
}

static char *plain_path(char *path)
{
	char *below_home = NULL;

	escape_undo(path);
	if (path[0] != '~' || path[1] == '/' || !path[1])
		return path;
	if (asprintf(&below_home, "/home/%s", path + 1) < 0)
		below_home = NULL;
	free(path);
	return below_home;
}

bool notation_is_number(const char *kind)
{
	return !strcmp(kind, "guid") || !strcmp(kind, "mac") || !strcmp(kind, "ip") ||
	       !strcmp(kind, "id");
}

char *notation_plain(const char *kind, const char *original, size_t length)
{
	char *copy = strndup(original, length), *plain;

	if (!copy)
		return NULL;
	if (!strcmp(kind, "path"))
		return plain_path(copy);
	if (!strcmp(kind, "ip")) {
		plain = plain_address(copy);
		free(copy);
		return plain;
	}
	if (notation_is_number(kind))
		return plain_digits(copy);
	if (!strcmp(kind, "host"))
		for (char *at = copy; *at; at++)
			*at = (char)tolower((unsigned char)*at);
	return copy;
}

size_t notation_bytes(const char *plain)
{
	const size_t digits = strlen(plain);

	return strspn(plain, "0123456789abcdef") == digits && digits % 2 == 0 ? digits / 2 : 0;
}
