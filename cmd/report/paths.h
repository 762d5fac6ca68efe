/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a path begins and ends that is somebody's own. */
#ifndef CMD_REPORT_PATHS_H
#define CMD_REPORT_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * path_in_text() - a path below a home folder, or @home if that is set, in a text that says something else as well
 *
 * A blank may be part of it.  Where nothing tells, as quotes do, it goes on to the end of the clause, and to the
 * last word that has a slash inside: too much is replaced rather than too little.
 *
 * Return: its bytes at @at; 0: there is none.
 */
size_t path_in_text(const char *text, const char *at, const char *home);

/** path_in_file() - the same in a file of the kernel's, which writes a blank in a path as "\040" */
size_t path_in_file(const char *text, const char *at, const char *home);

/** path_is_of_system() - whether a path is in a folder whose files are on many hosts */
bool path_is_of_system(const char *path);

/**
 * path_of_word() - the path in a value that is one, or in an argument of a program: behind "--in=" or "file:"
 *
 * Return: where it begins, up to the end of the word; NULL where there is none, or it is the system's, such as /dev/null.
 */
const char *path_of_word(const char *word);

/**
 * path_of_place() - the path in a place of a program: "main (/src/x.c:12)"
 * @length: its bytes
 *
 * Return: NULL: there is none.
 */
const char *path_of_place(const char *place, size_t *length);

/**
 * path_match() - whether a text begins with a path, in whatever notation: "\040", "\x20", "\ " and "%20" are a blank
 * @is_longer: set to whether the text goes on with a longer path
 *
 * Return: the bytes of the text, of the longer path too; 0: it does not.
 */
size_t path_match(const char *text, const char *path, bool *is_longer);

/** path_user() - the user in whose home a path is; NULL: it is in none.  @length: bytes of the name */
const char *path_user(const char *path, size_t *length);

#endif
