// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/line_reader.h"
#include "lib/base/shell_words.h"
#include "lib/base/signals.h"

/* A line that fills it has no end where one must be. */
#define BUFFER_SIZE (MR_LINE_MAX + 1)

static int fail_read(struct mr_error *err)
{
	return mr_fail(err, MR_ERROR_HOST, errno, "read", "cannot read the lines");
}

/* More bytes behind those that are there: how many, 0 at the end, or -1. */
static ssize_t read_on(struct mr_lines *lines)
{
	ssize_t got;

	do
		got = read(lines->fd, lines->buffer + lines->end, lines->size - lines->end);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		lines->end += (size_t)got;
	return got;
}

/* Whatever becomes of the file meanwhile, what was checked is what will be run. */
static int read_all(struct mr_lines *lines, struct mr_error *err)
{
	ssize_t got;

	while ((got = read_on(lines)) > 0) {
		char *larger;

		if (lines->end < lines->size)
			continue;
		larger = realloc(lines->buffer, 2 * lines->size);
		if (!larger)
			return mr_fail(err, MR_ERROR_HOST, ENOMEM, "realloc",
				       "cannot read the lines");
		lines->buffer = larger;
		lines->size *= 2;
	}
	lines->is_text = !memchr(lines->buffer, '\0', lines->end);
	return got ? fail_read(err) : 0;
}

int mr_lines_open(struct mr_lines *lines, const char *path, struct mr_error *err)
{
	bool named = path && strcmp(path, "-") != 0;
	struct stat st;

	*lines = (struct mr_lines){ .size = BUFFER_SIZE };
	lines->fd = named ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (lines->fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "cannot read '%s'", path);
	lines->buffer = malloc(lines->size);
	if (!lines->buffer)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	lines->is_file = !fstat(lines->fd, &st) && S_ISREG(st.st_mode);
	return lines->is_file ? read_all(lines, err) : 0;
}

void mr_lines_close(struct mr_lines *lines)
{
	if (lines->fd > STDERR_FILENO)
		close(lines->fd);
	lines->fd = -1;
	free(lines->buffer);
	lines->buffer = NULL;
}

/* What is there of a line goes to the front, and more comes behind it: 1, 0 at the end, or -errno. */
static int fill(struct mr_lines *lines, struct mr_error *err)
{
	ssize_t got;

	if (lines->is_file)
		return 0;
	if (!mr_signals_wait_readable(lines->fd))
		return mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted");
	lines->end -= lines->at;
	memmove(lines->buffer, lines->buffer + lines->at, lines->end);
	lines->at = 0;
	got = read_on(lines);
	return got < 0 ? fail_read(err) : got > 0;
}

/* How long the next line is, without its end: 1, 0 where there is none, or -errno. */
static int measure(struct mr_lines *lines, size_t *length, struct mr_error *err)
{
	size_t seen = 0;
	int rc;

	do {
		const char *from = lines->buffer + lines->at;
		const char *newline = memchr(from + seen, '\n', lines->end - lines->at - seen);

		seen = lines->end - lines->at;
		*length = newline ? (size_t)(newline - from) : seen;
		if (newline || seen > MR_LINE_MAX)
			return 1;
		rc = fill(lines, err);
	} while (rc > 0);
	return rc ? rc : seen > 0;
}

/* The line ends in the buffer: what is there comes back before anything else is done. */
static void end_line(struct mr_lines *lines, size_t length)
{
	lines->length = length;
	lines->ended = lines->line[length];
	lines->line[length] = '\0';
}

static void mend_line(struct mr_lines *lines)
{
	if (lines->line)
		lines->line[lines->length] = lines->ended;
}

int mr_lines_next(struct mr_lines *lines, struct mr_error *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* editors of Windows begin UTF-8 with it */
	size_t length;
	int rc;

	mend_line(lines);
	lines->line = NULL;
	lines->number++;
	rc = measure(lines, &length, err);
	if (rc <= 0)
		return rc;
	if (length > MR_LINE_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, EMSGSIZE, "longer than %d bytes",
				    MR_LINE_MAX);
	lines->line = lines->buffer + lines->at;
	lines->at += length + (lines->at + length < lines->end);
	if (lines->number == 1 && length >= strlen(mark) &&
	    !memcmp(lines->line, mark, strlen(mark))) {
		lines->line += strlen(mark);
		length -= strlen(mark);
	}
	if (length && lines->line[length - 1] == '\r')
		length--;
	if (!lines->is_text && memchr(lines->line, '\0', length))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "a NUL byte: this is no text");
	end_line(lines, length);
	return 1;
}

void mr_lines_trim(struct mr_lines *lines)
{
	size_t length = lines->length;

	if (length && !mr_is_blank(*lines->line) && !mr_is_blank(lines->line[length - 1]))
		return;
	mend_line(lines);
	while (lines->length && mr_is_blank(*lines->line)) {
		lines->line++;
		lines->length--;
	}
	length = lines->length;
	while (length && mr_is_blank(lines->line[length - 1]))
		length--;
	end_line(lines, length);
}

void mr_lines_again(struct mr_lines *lines)
{
	mend_line(lines);
	lines->line = NULL;
	lines->number = lines->at = 0;
}
