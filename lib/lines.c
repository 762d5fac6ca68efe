// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold.h"
#include "lines.h"

#define BUFFER_SIZE 65536

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
	return got ? fail_read(err) : 0;
}

int mr_lines_open(struct mr_lines *lines, const char *path, struct mr_error *err)
{
	bool named = path && strcmp(path, "-") != 0;
	struct stat st;

	lines->number = lines->at = lines->end = 0;
	lines->size = BUFFER_SIZE;
	lines->buffer = NULL;
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

void mr_lines_again(struct mr_lines *lines)
{
	lines->number = lines->at = 0;
}

/* 1, 0 at the end, or -errno. */
static int fill(struct mr_lines *lines, struct mr_error *err)
{
	ssize_t got;

	if (lines->is_file)
		return 0;
	if (!mr_hold_readable(lines->fd))
		return mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted");
	lines->at = lines->end = 0;
	got = read_on(lines);
	return got < 0 ? fail_read(err) : got > 0;
}

/* Moves what is there of the line over.  Return: whether its end was among it. */
static bool take(struct mr_lines *lines, size_t *length, bool *too_long)
{
	const char *from = lines->buffer + lines->at;
	size_t left = lines->end - lines->at;
	const char *newline = memchr(from, '\n', left);
	size_t n = newline ? (size_t)(newline - from) : left;

	lines->at += n + (newline != NULL);
	if (n > MR_LINE_MAX - *length) {
		*too_long = true;
		n = MR_LINE_MAX - *length;
	}
	memcpy(lines->line + *length, from, n);
	*length += n;
	return newline;
}

int mr_lines_next(struct mr_lines *lines, struct mr_error *err)
{
	bool too_long = false, ended = false;
	size_t length = 0;
	int rc = 1;

	lines->number++;
	while (!ended && !too_long) {
		if (lines->at == lines->end)
			rc = fill(lines, err);
		if (rc < 0)
			return rc;
		if (!rc)
			break;
		ended = take(lines, &length, &too_long);
	}
	if (!rc && !length)
		return 0;
	if (too_long)
		return mr_fail_text(err, MR_ERROR_USAGE, EMSGSIZE, "longer than %d bytes",
				    MR_LINE_MAX);
	if (memchr(lines->line, '\0', length))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "a NUL byte: this is no text");
	if (length && lines->line[length - 1] == '\r')
		length--;
	lines->line[length] = '\0';
	return 1;
}
