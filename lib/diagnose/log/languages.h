/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The texts of strerror(3) in other languages, by the message catalogues of the C library. */
#ifndef LIB_DIAGNOSE_LOG_LANGUAGES_H
#define LIB_DIAGNOSE_LOG_LANGUAGES_H

#include <stddef.h>

/** Where catalogues are: FOLDER/LANGUAGE/LC_MESSAGES/libc.mo */
#define MR_LANGUAGES_FOLDER "/usr/share/locale"

struct mr_languages;

/** mr_languages_open() - read the catalogues below @folder; NULL: no memory */
struct mr_languages *mr_languages_open(const char *folder);

/** mr_languages_errno() - the errno whose text a line has, the longest one; 0: none; @languages may be NULL */
int mr_languages_errno(const struct mr_languages *languages, const char *text, size_t length);

/** mr_languages_close() - @languages may be NULL */
void mr_languages_close(struct mr_languages *languages);

#endif
