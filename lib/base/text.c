// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"

/* Reads from a pipe or terminal, for getline(3). */
static ssize_t read_more(void *data, char *text, size_t size)
{
	struct mr_line_reader *reader = data;
	const char *newline;
	ssize_t got;

	if (!mr_signals_wait_readable(reader->fd)) {
		errno = EINTR;
		return -1;
	}
	do
		got = read(reader->fd, text, size);
	while (got < 0 && errno == EINTR);
	newline = got > 0 ? memrchr(text, '\n', (size_t)got) : NULL;
	if (newline)
		reader->unended = (size_t)(text + got - newline);
	else
		reader->unended += got > 0 ? (size_t)got : 0;
	/* Stop: getline() must not collect all of a line that is too long. */
	return reader->unended > 2 * MR_LINE_MAX ? 0 : got;
}

/* A batch file is checked before it is run.  It is read once, so that it cannot change in between. */
static FILE *copy_file(int fd, const char **call)
{
	mr_auto_fd int copy = mr_memfd_create("mrctl-lines", MFD_CLOEXEC);
	FILE *stream = NULL;
	ssize_t got = copy;

	*call = copy < 0 ? "memfd_create" : "sendfile";
	while (copy >= 0 && (got = sendfile(copy, fd, NULL, 1 << 20)) > 0)
		;
	if (!got && !lseek(copy, 0, SEEK_SET)) {
		*call = "fdopen";
		stream = fdopen(copy, "r");
	}
	if (stream)
		mr_steal_fd(&copy);
	return stream;
}

int mr_line_reader_open(struct mr_line_reader *reader, const char *path, struct mr_error *err)
{
	const cookie_io_functions_t functions = { .read = read_more };
	bool named = path && strcmp(path, "-") != 0;
	const char *call = "fopencookie";
	struct stat st;

	*reader = (struct mr_line_reader){ .fd = STDIN_FILENO };
	if (named)
		reader->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (reader->fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "cannot read '%s'", path);
	reader->is_file = !fstat(reader->fd, &st) && S_ISREG(st.st_mode);
	reader->stream = reader->is_file ? copy_file(reader->fd, &call)
					 : fopencookie(reader, "r", functions);
	return reader->stream ? 0
			      : mr_fail(err, MR_ERROR_HOST, errno, call, "cannot read the lines");
}

void mr_line_reader_close(struct mr_line_reader *reader)
{
	if (reader->stream)
		fclose(reader->stream);
	if (reader->fd > STDERR_FILENO)
		close(reader->fd);
	free(reader->buffer);
	*reader = (struct mr_line_reader){ .fd = -1 };
}

int mr_line_reader_next(struct mr_line_reader *reader, struct mr_error *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* Windows editors write it before UTF-8 */
	size_t length;
	ssize_t got;

	reader->line = NULL;
	reader->number++;
	errno = 0;
	got = getline(&reader->buffer, &reader->size, reader->stream);
	if (ferror(reader->stream) && errno == EINTR)
		return mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted");
	if (got < 0 && feof(reader->stream))
		return 0;
	if (got < 0 || ferror(reader->stream))
		return mr_fail(err, MR_ERROR_HOST, mr_call_errno(), "read",
			       "cannot read the lines");
	reader->line = reader->buffer;
	length = (size_t)got - (reader->line[got - 1] == '\n');
	if (length > MR_LINE_MAX)
		return mr_fail_text(err, MR_ERROR_USAGE, EMSGSIZE, "longer than %d bytes",
				    MR_LINE_MAX);
	if (reader->number == 1 && length >= strlen(mark) &&
	    !memcmp(reader->line, mark, strlen(mark))) {
		reader->line += strlen(mark);
		length -= strlen(mark);
	}
	if (length && reader->line[length - 1] == '\r')
		length--;
	if (memchr(reader->line, '\0', length))
		return mr_fail_usage(err, "it has a NUL byte: not a text");
	reader->line[length] = '\0';
	reader->length = length;
	return 1;
}

void mr_line_reader_trim(struct mr_line_reader *reader)
{
	for (; reader->length && mr_is_blank(*reader->line); reader->length--)
		reader->line++;
	while (reader->length && mr_is_blank(reader->line[reader->length - 1]))
		reader->length--;
	reader->line[reader->length] = '\0';
}

void mr_line_reader_rewind(struct mr_line_reader *reader)
{
	reader->line = NULL;
	reader->number = 0;
	rewind(reader->stream);
}

/*
 * Each word but the last takes at least two characters of the line: one character, and a blank.  So the
 * list has at most size / 2 + 1 words, and a NULL.
 */
static int make_room(struct mr_shell_words *words, size_t length, struct mr_error *err)
{
	size_t size = length + 1;
	char **list;
	char *buffer;

	if (size <= words->size)
		return 0;
	buffer = realloc(words->buffer, size);
	if (buffer)
		words->buffer = buffer;
	list = buffer ? reallocarray(words->list, size / 2 + 2, sizeof(*list)) : NULL;
	if (!list)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "realloc", "cannot read the line");
	words->list = list;
	words->size = size;
	return 0;
}

/* Copies the rest of a word that has quotes or backslashes; moves *line behind it.  Return: the end of the copy. */
static char *read_quoted(const char **line, char *to, struct mr_error *err)
{
	const char *from = *line;
	char quote = '\0';

	for (; *from && (quote || !mr_is_blank(*from)); from++) {
		if (quote ? *from == quote : *from == '"' || *from == '\'') {
			quote = quote ? '\0' : *from;
			continue;
		}
		/* In double quotes a backslash escapes these characters only. */
		if (*from == '\\' && (quote == '"' ? from[1] && strchr("\"\\$`", from[1]) : !quote))
			from++;
		if (!*from) {
			mr_fail_usage(
				err,
				"nothing follows the backslash at the end: a command is one line");
			return NULL;
		}
		*to++ = *from;
	}
	*line = from;
	if (!quote)
		return to;
	mr_fail_usage(err, "the quote %c is not closed in this line", quote);
	return NULL;
}

/* Copies a word; moves *line behind it.  Return: the end of the copy, or NULL with an error. */
static char *read_word(const char **line, char *to, struct mr_error *err)
{
	/* Fast path: most words have no other characters. */
	const size_t plain = strcspn(*line, " \t'\"\\");

	memcpy(to, *line, plain);
	*line += plain;
	to += plain;
	return !**line || mr_is_blank(**line) ? to : read_quoted(line, to, err);
}

int mr_shell_words_split(struct mr_shell_words *words, const char *line, size_t length,
			 struct mr_error *err)
{
	int rc = make_room(words, length, err);
	char *to = words->buffer;
	size_t count = 0;

	words->count = 0;
	if (rc)
		return rc;
	for (;;) {
		while (mr_is_blank(*line))
			line++;
		if (!*line || *line == '#')
			break;
		words->list[count++] = to;
		to = read_word(&line, to, err);
		if (!to)
			return -err->errnum;
		*to++ = '\0';
	}
	words->list[count] = NULL;
	words->count = count;
	return 0;
}

void mr_shell_words_release(struct mr_shell_words *words)
{
	free(words->list);
	free(words->buffer);
	*words = (struct mr_shell_words){ .count = 0 };
}

size_t mr_utf8_decode(const char *text, uint32_t *character)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *b = (const unsigned char *)text;
	size_t length = b[0] < 0x80   ? 1
			: b[0] < 0xc0 ? 0
			: b[0] < 0xe0 ? 2
			: b[0] < 0xf0 ? 3
			: b[0] < 0xf8 ? 4
				      : 0;
	uint32_t c = length < 2 ? b[0] : b[0] & 0x7fu >> length;

	for (size_t i = 1; i < length; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (b[i] & 0x3f);
	}
	if (!length || c < least[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*character = c;
	return length;
}

bool mr_utf8_is_obeyed(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

size_t mr_utf8_shown(const char *text)
{
	uint32_t c;
	const size_t length = mr_utf8_decode(text, &c);

	if (!length || mr_utf8_is_obeyed(c))
		return 0;
	/* Characters without width: two texts that look the same would differ. */
	return (c >= 0x200b && c <= 0x200f) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ? 0
											   : length;
}

/* A longer item is no number of 32 bits. */
#define NUMBER_MAX 16

int mr_word_with_argument(const struct mr_word *words, const char *what, const char *text,
			  const char **argument, struct mr_error *err)
{
	const size_t length = strcspn(text, ":");

	*argument = text[length] ? text + length + 1 : NULL;
	for (int i = 0; words[i].name; i++) {
		const char *name = words[i].name;
		bool optional, takes;

		if (strcspn(name, "[:") != length || strncmp(name, text, length) != 0)
			continue;
		optional = name[length] == '[';
		takes = optional || name[length] == ':';
		if (takes ? !(*argument ? **argument : optional) : *argument != NULL)
			return mr_fail_usage(err, "invalid %s '%s': the form is %s", what, text,
					     name);
		return i;
	}
	return mr_fail_word(err, what, text, strlen(text), words, sizeof(*words));
}

int mr_word_as_number(const struct mr_word *words, const char *what, const char *item,
		      size_t length, uint32_t *number, struct mr_error *err)
{
	uint64_t value;
	int rc;

	if (!length || !mr_is_digit(item[0]) || length >= NUMBER_MAX)
		return mr_fail_word(err, what, item, length, words, sizeof(*words));
	rc = mr_parse_u64_item(item, length, UINT32_MAX, &value, err);
	if (!rc)
		*number = (uint32_t)value;
	return rc;
}
