/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sizes and lists of names in the text of a finding. */
#ifndef LIB_DIAGNOSE_SIZE_TEXT_H
#define LIB_DIAGNOSE_SIZE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/** A size as text, returned by value: mr_size_text(bytes).text is valid to the end of the expression. */
struct mr_size_text {
	char text[32];
};

/** mr_size_text() - bytes as "8 MiB", or as "1.5 GiB" where the last digit is rounded down */
struct mr_size_text mr_size_text(uint64_t bytes);

/** Names, separated by ", ": as many as fit, and how many more there are. */
struct mr_name_text {
	char text[96];
	unsigned int count;  /**< of all */
	unsigned int hidden; /**< of those that did not fit */
	size_t shown;        /**< bytes of the names in the text */
};

/** mr_name_add() - add a name */
void mr_name_add(struct mr_name_text *names, const char *name);

#endif
