// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/character.h"
#include "lib/base/line_reader.h"
#include "lib/base/signals.h"

/* Room for the longest line and its newline: where the buffer is full without a newline, the line is too long. */
#define BUFFER_SIZE (MR_LINE_MAX + 1)

static int fail_read(struct mr_error *err)
{
	return mr_fail(err, MR_ERROR_HOST, errno, "read", "cannot read the lines");
}

/* Reads more bytes behind those in the buffer.  Return: how many, 0 at the end, or -1 with errno. */
static ssize_t read_on(struct mr_line_reader *reader)
{
	ssize_t got;

	do
		got = read(reader->fd, reader->buffer + reader->end, reader->size - reader->end);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		reader->end += (size_t)got;
	return got;
}

/* A batch file is checked before it is run.  It is read once, so that it cannot change in between. */
static int read_all(struct mr_line_reader *reader, struct mr_error *err)
{
	ssize_t got;

	while ((got = read_on(reader)) > 0) {
		char *larger;

		if (reader->end < reader->size)
			continue;
		larger = realloc(reader->buffer, 2 * reader->size);
		if (!larger)
			return mr_fail(err, MR_ERROR_HOST, ENOMEM, "realloc",
				       "cannot read the lines");
		reader->buffer = larger;
		reader->size *= 2;
	}
	reader->is_text = !memchr(reader->buffer, '\0', reader->end);
	return got ? fail_read(err) : 0;
}

int mr_line_reader_open(struct mr_line_reader *reader, const char *path, struct mr_error *err)
{
	bool named = path && strcmp(path, "-") != 0;
	struct stat st;

	*reader = (struct mr_line_reader){ .size = BUFFER_SIZE };
	reader->fd = named ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (reader->fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "cannot read '%s'", path);
	reader->buffer = malloc(reader->size);
	if (!reader->buffer)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	reader->is_file = !fstat(reader->fd, &st) && S_ISREG(st.st_mode);
	return reader->is_file ? read_all(reader, err) : 0;
}

void mr_line_reader_close(struct mr_line_reader *reader)
{
	if (reader->fd > STDERR_FILENO)
		close(reader->fd);
	reader->fd = -1;
	free(reader->buffer);
	reader->buffer = NULL;
}

/* Moves the beginning of a line to the front of the buffer and reads on.  Return: 1, 0 at the end, or -errno. */
static int fill(struct mr_line_reader *reader, struct mr_error *err)
{
	ssize_t got;

	if (reader->is_file)
		return 0;
	if (!mr_signals_wait_readable(reader->fd))
		return mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted");
	reader->end -= reader->at;
	memmove(reader->buffer, reader->buffer + reader->at, reader->end);
	reader->at = 0;
	got = read_on(reader);
	return got < 0 ? fail_read(err) : got > 0;
}

/* Measures the next line, without its end.  Return: 1, 0 where there is none, or -errno. */
static int measure(struct mr_line_reader *reader, size_t *length, struct mr_error *err)
{
	size_t seen = 0;
	int rc;

	do {
		const char *from = reader->buffer + reader->at;
		const char *newline = memchr(from + seen, '\n', reader->end - reader->at - seen);

		seen = reader->end - reader->at;
		*length = newline ? (size_t)(newline - from) : seen;
		if (newline || seen > MR_LINE_MAX)
			return 1;
		rc = fill(reader, err);
	} while (rc > 0);
	return rc ? rc : seen > 0;
}

/* Puts a NUL behind the line, over the beginning of the next one: restore_buffer() undoes that. */
static void terminate_line(struct mr_line_reader *reader, size_t length)
{
	reader->length = length;
	reader->overwritten = reader->line[length];
	reader->line[length] = '\0';
}

static void restore_buffer(struct mr_line_reader *reader)
{
	if (reader->line)
		reader->line[reader->length] = reader->overwritten;
}

int mr_line_reader_next(struct mr_line_reader *reader, struct mr_error *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* Windows editors write it before UTF-8 */
	size_t length;
	int rc;

	restore_buffer(reader);
	reader->line = NULL;
	reader->number++;
	rc = measure(reader, &length, err);
	if (rc <= 0)
		return rc;
	if (length > MR_LINE_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, EMSGSIZE, "longer than %d bytes",
				    MR_LINE_MAX);
	reader->line = reader->buffer + reader->at;
	reader->at += length + (reader->at + length < reader->end);
	if (reader->number == 1 && length >= strlen(mark) &&
	    !memcmp(reader->line, mark, strlen(mark))) {
		reader->line += strlen(mark);
		length -= strlen(mark);
	}
	if (length && reader->line[length - 1] == '\r')
		length--;
	if (!reader->is_text && memchr(reader->line, '\0', length))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "a NUL byte: this is no text");
	terminate_line(reader, length);
	return 1;
}

void mr_line_reader_trim(struct mr_line_reader *reader)
{
	size_t length = reader->length;

	if (length && !mr_is_blank(*reader->line) && !mr_is_blank(reader->line[length - 1]))
		return;
	restore_buffer(reader);
	while (reader->length && mr_is_blank(*reader->line)) {
		reader->line++;
		reader->length--;
	}
	length = reader->length;
	while (length && mr_is_blank(reader->line[length - 1]))
		length--;
	terminate_line(reader, length);
}

void mr_line_reader_rewind(struct mr_line_reader *reader)
{
	restore_buffer(reader);
	reader->line = NULL;
	reader->number = reader->at = 0;
}
