/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers as digits: in a list of a million rows snprintf() would take most of the time. */
#ifndef CMD_OUTPUT_DIGITS_H
#define CMD_OUTPUT_DIGITS_H

#include <stdint.h>

/** put_decimal() - put the digits of a number, 20 at most.  Return: where they end; no '\0' is put there. */
char *put_decimal(char *to, uint64_t number);

/** put_hexadecimal() - put "0x" and the digits of a number, 16 at most.  Return: as put_decimal(). */
char *put_hexadecimal(char *to, uint64_t number);

#endif
