// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/output/digits.h"

char *put_decimal(char *to, uint64_t number)
{
	unsigned int digits = 1;

	for (uint64_t rest = number; rest >= 10; rest /= 10)
		digits++;
	for (unsigned int i = digits; i; number /= 10)
		to[--i] = (char)('0' + number % 10);
	return to + digits;
}

char *put_hexadecimal(char *to, uint64_t number)
{
	unsigned int shift = number ? (63 - (unsigned int)__builtin_clzll(number)) & ~3u : 0;

	*to++ = '0';
	*to++ = 'x';
	for (; shift; shift -= 4)
		*to++ = "0123456789abcdef"[number >> shift & 15];
	*to++ = "0123456789abcdef"[number & 15];
	return to;
}
