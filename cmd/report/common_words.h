/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words that paths and texts of any report have.  A host, user or group that is called so keeps its name. */
#ifndef CMD_REPORT_COMMON_WORDS_H
#define CMD_REPORT_COMMON_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/** is_common_word() - whether a name is one of them, or too short to be looked for */
bool is_common_word(const char *name, size_t length);

#endif
