// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/character.h"
#include "lib/base/shell_words.h"

/*
 * Each word but the last takes at least two characters of the line: one of its own, and a blank.  So the
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

/* Whether a character stands for itself.  Most words have no other characters, and are copied fast. */
static bool is_plain(char c)
{
	static const bool is_special[256] = {
		['\0'] = true, [' '] = true, ['\t'] = true,
		['\''] = true, ['"'] = true, ['\\'] = true,
	};

	return !is_special[(unsigned char)c];
}

/* Whether there is a backslash at @at that, in double quotes, escapes the character behind it. */
static bool is_escaped(const char *at)
{
	return *at == '\\' && at[1] && strchr("\"\\$`", at[1]);
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
		if (quote == '"' ? is_escaped(from) : !quote && *from == '\\')
			from++;
		if (!*from) {
			mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				     "there is nothing behind the backslash at the end: "
				     "a command is one line");
			return NULL;
		}
		*to++ = *from;
	}
	*line = from;
	if (!quote)
		return to;
	mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "the quote %c has no end in this line", quote);
	return NULL;
}

/* Copies a word; moves *line behind it.  Return: the end of the copy, or NULL with an error. */
static char *read_word(const char **line, char *to, struct mr_error *err)
{
	const char *from = *line;

	while (is_plain(*from))
		*to++ = *from++;
	*line = from;
	return !*from || mr_is_blank(*from) ? to : read_quoted(line, to, err);
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
