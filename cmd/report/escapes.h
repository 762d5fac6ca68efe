/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Escapes in paths: the kernel's "\040", a shell's "\ ", and "%20" of URLs. */
#ifndef CMD_REPORT_ESCAPES_H
#define CMD_REPORT_ESCAPES_H

#include <stddef.h>

/** escape_read() - the byte that an escape stands for.  Return: the escape's bytes; 0: it is none. */
size_t escape_read(const char *at, char *byte);

/** escape_undo() - write a text without escapes: it does not become longer */
void escape_undo(char *text);

#endif
