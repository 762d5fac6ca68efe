// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

/* No word is shorter than a character and what parts it from the next one. */
static int make_room(struct mr_words *words, size_t length, struct mr_error *err)
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

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* What stands for itself; most words hold nothing else. */
static bool is_plain(char c)
{
	return c && !is_blank(c) && c != '\'' && c != '"' && c != '\\';
}

/* What follows a backslash in double quotes, or the backslash itself. */
static bool is_escaped(const char *at)
{
	return *at == '\\' && at[1] && strchr("\"\\$`", at[1]);
}

static int fail_quote(char quote, struct mr_error *err)
{
	return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "the quote %c has no end in this line",
			    quote);
}

/* One word, from *from to *to; both are moved behind it. */
static int read_word(const char **from, char **to, struct mr_error *err)
{
	char quote = '\0';

	while (is_plain(**from))
		*(*to)++ = *(*from)++;
	for (; **from && (quote || !is_blank(**from)); (*from)++) {
		if (quote ? **from == quote : **from == '"' || **from == '\'') {
			quote = quote ? '\0' : **from;
			continue;
		}
		if (quote == '"' ? is_escaped(*from) : !quote && **from == '\\')
			(*from)++;
		if (!**from)
			return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
					    "there is nothing behind the backslash at the end: "
					    "a command is one line");
		*(*to)++ = **from;
	}
	*(*to)++ = '\0';
	return quote ? fail_quote(quote, err) : 0;
}

int mr_words_split(struct mr_words *words, const char *line, struct mr_error *err)
{
	int rc = make_room(words, strlen(line), err);
	char *to = words->buffer;

	words->count = 0;
	while (!rc) {
		while (is_blank(*line))
			line++;
		if (!*line || *line == '#')
			break;
		words->list[words->count++] = to;
		rc = read_word(&line, &to, err);
	}
	if (!rc)
		words->list[words->count] = NULL;
	return rc;
}

void mr_words_release(struct mr_words *words)
{
	free(words->list);
	free(words->buffer);
	*words = (struct mr_words){ .count = 0 };
}
