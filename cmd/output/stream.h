/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Standard output as a stream of bytes, below the document that is printed on it. */
#ifndef CMD_OUTPUT_STREAM_H
#define CMD_OUTPUT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/base/base.h"

/** output_init() - at the start of the program, before anything is printed */
void output_init(void);

/** output_is_terminal() - whether standard output is a terminal */
bool output_is_terminal(void);

/** output_text() - plain text for people: help and version */
void output_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** output_put() - print a small piece of a document, of which a line of a batch has many; only one thread prints */
void output_put(const char *text);

/** output_put_bytes() - the same of so many bytes */
void output_put_bytes(const char *bytes, size_t count);

/** output_foreign() - print text that may hold any bytes, as text_print() does */
void output_foreign(const char *text);

/**
 * output_redirect() - make a file standard output
 * @path: of that file, for messages; must live as long as the process, or NULL
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int output_redirect(int fd, const char *path, struct mr_error *err);

/** output_has_failed() - whether something could not be written, so that nothing can any more */
static inline bool output_has_failed(void)
{
	return ferror(stdout);
}

/**
 * output_flush() - write out what was printed
 * Return: 0, or -errno with MR_ERROR_HOST (a full disk, a closed pipe).
 */
int output_flush(struct mr_error *err);

#endif
