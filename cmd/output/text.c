// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/output/output.h"

/* Prints the first @length bytes of @text, which end with a whole character. */
static void text_print_part(const char *text, size_t length, FILE *stream)
{
	const char *end = text + length;

	while (text < end) {
		uint32_t c;
		size_t bytes = mr_utf8_decode(text, &c);

		if (bytes && !mr_utf8_is_obeyed(c)) {
			fwrite_unlocked(text, 1, bytes, stream);
			text += bytes;
			continue;
		}
		for (bytes = bytes ?: 1; bytes; bytes--)
			fprintf(stream, "\\x%02x", (unsigned char)*text++);
	}
}

void text_print(const char *text, FILE *stream)
{
	text_print_part(text, strlen(text), stream);
}

void text_print_json(const char *text, FILE *stream)
{
	putc_unlocked('"', stream);
	for (;;) {
		size_t length = 0; /* of printable ASCII, which is the same in JSON */
		uint32_t c;

		while (text[length] >= ' ' && text[length] <= '~' && text[length] != '"' &&
		       text[length] != '\\')
			length++;
		fwrite_unlocked(text, 1, length, stream);
		text += length;
		if (!*text)
			break;
		length = mr_utf8_decode(text, &c);
		if (!length)
			fputs_unlocked("\xef\xbf\xbd", stream); /* U+FFFD */
		else if (mr_utf8_is_obeyed(c))                  /* none needs surrogates */
			fprintf(stream, "\\u%04x", (unsigned int)c);
		else
			fprintf(stream, c == '"' || c == '\\' ? "\\%.*s" : "%.*s", (int)length,
				text);
		text += length ? length : 1;
	}
	putc_unlocked('"', stream);
}

#define WIDTH 80

/* Where a line of at most @room bytes of @text ends: before blanks, or behind a word that is too long. */
static size_t end_of_line(const char *text, size_t room)
{
	size_t cut = strlen(text);

	if (cut <= room)
		return cut;
	for (cut = room; cut && text[cut] != ' '; cut--)
		;
	while (cut && text[cut - 1] == ' ')
		cut--;
	return cut ? cut : strcspn(text, " ");
}

void text_print_wrapped(const char *text, size_t at, size_t indent, FILE *stream)
{
	while (*text) {
		const size_t cut = end_of_line(text, at < WIDTH ? WIDTH - 1 - at : 0);

		text_print_part(text, cut, stream);
		fputc('\n', stream);
		text += cut + strspn(text + cut, " ");
		at = indent;
		if (*text)
			fprintf(stream, "%*s", (int)indent, "");
	}
}

void output_paragraph(const char *text, size_t at, size_t indent)
{
	text_print_wrapped(text, at, indent, stdout);
}

/* Bytes that are written together.  A file or pipe suggests 4096, of which a list of all MRs has thousands. */
#define BUFFER_SIZE 65536

void output_init(void)
{
	static char buffer[BUFFER_SIZE];

	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

/* Path of the file that replaced standard output; NULL: it is the original one. */
static const char *output_path;

int output_redirect(int fd, const char *path, struct mr_error *err)
{
	if (dup2(fd, STDOUT_FILENO) < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "dup2", NULL);
	output_path = path;
	return 0;
}

int output_flush(struct mr_error *err)
{
	int errnum;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	/* The stream remembers that an earlier write failed, but not its errno. */
	errnum = errno ? errno : EIO;
	return mr_fail(err, MR_ERROR_HOST, errnum, "write", "%s",
		       output_path ?: "cannot write to standard output");
}

bool output_is_screen(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

void output_foreign(const char *text)
{
	text_print(text, stdout);
}

void output_text(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
}

void output_put(const char *text)
{
	fputs_unlocked(text, stdout);
}

const struct mr_word output_formats[OUTPUT_FORMATS + 1] = {
	[OUTPUT_TEXT] = MR_WORD("text", "lines and tables for people"),
	[OUTPUT_MARKDOWN] = MR_WORD("markdown", "text in a fenced block, for a ticket"),
	[OUTPUT_OPENMETRICS] = MR_WORD("openmetrics", "metrics for monitoring"),
};
