// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/escapes.h"

static size_t read_number(const char *at, size_t digits, int base, char *byte)
{
	char copy[4] = "", *end;
	unsigned long value;

	memcpy(copy, at, strnlen(at, digits));
	value = strtoul(copy, &end, base);
	*byte = (char)value;
	return isalnum((unsigned char)*copy) && end == copy + digits && value < 256 ? digits : 0;
}

size_t escape_read(const char *at, char *byte)
{
	size_t length = 0;

	if (*at == '%' || (*at == '\\' && at[1] == 'x')) {
		const size_t skip = *at == '%' ? 1 : 2;

		length = read_number(at + skip, 2, 16, byte);
		return length ? skip + length : 0;
	}
	if (*at != '\\')
		return 0;
	length = read_number(at + 1, 3, 8, byte);
	if (length || !at[1])
		return length ? length + 1 : 0;
	*byte = at[1] == 'n' ? '\n' : at[1] == 't' ? '\t' : at[1];
	return 2;
}

void escape_undo(char *path)
{
	char *to = path, byte;
	size_t escape;

	for (const char *at = path; *at; at += escape ? escape : 1) {
		escape = escape_read(at, &byte);
		if (escape && !byte)
			escape = 0;
		*to++ = escape ? byte : *at;
	}
	*to = '\0';
}
