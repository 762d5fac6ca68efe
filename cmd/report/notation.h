/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers and paths that have more than one notation: in which one they are compared. */
#ifndef CMD_REPORT_NOTATION_H
#define CMD_REPORT_NOTATION_H

#include <stdbool.h>
#include <stddef.h>

/** notation_is_number() - whether stand-ins of a kind stand for numbers: "guid", "mac", "ip", "id" */
bool notation_is_number(const char *kind);

/**
 * notation_plain() - write a number or path in the notation in which all are compared
 * @kind: of its stand-in: "guid", "mac", "ip", "id", "path"
 *
 * A number becomes its hexadecimal digits.  So an address of IPv4 is the same in a GID or an address of IPv6, and a
 * GUID is the same with and without colons.  "~user/x" becomes "/home/user/x".
 *
 * Return: free() it; NULL: no memory.
 */
char *notation_plain(const char *kind, const char *original, size_t length);

/** notation_bytes() - the bytes of a number that notation_plain() wrote; 0: it is something else */
size_t notation_bytes(const char *plain);

#endif
