// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/markdown_text.h"
#include "cmd/output/text.h"
#include "lib/base/cleanup.h"

/* What is written in place of a character that Markdown or HTML would obey; NULL: the character itself. */
static const char *escape(const char *text, size_t i)
{
	static const char *const escapes[128] = {
		['|'] = "\\|",  ['`'] = "\\`",  ['\\'] = "\\\\", ['*'] = "\\*",
		['['] = "\\[",  [']'] = "\\]",  ['~'] = "\\~",   ['$'] = "\\$",
		['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;"
	};
	unsigned char c = (unsigned char)text[i];

	/* Between letters and digits an underscore means itself. */
	if (c == '_')
		return i && isalnum((unsigned char)text[i - 1]) &&
				       isalnum((unsigned char)text[i + 1])
			       ? NULL
			       : "\\_";
	return c < sizeof(escapes) / sizeof(*escapes) ? escapes[c] : NULL;
}

char *markdown_escaped(const char *text)
{
	mr_auto_free char *harmless = text_harmless(text ? text : "-");
	char *escaped = NULL;
	size_t size;
	FILE *stream = harmless ? open_memstream(&escaped, &size) : NULL;

	if (!stream)
		return NULL;
	for (size_t i = 0; harmless[i]; i++) {
		const char *instead = escape(harmless, i);

		if (instead)
			fputs(instead, stream);
		else
			fputc(harmless[i], stream);
	}
	if (fclose(stream)) {
		free(escaped);
		return NULL;
	}
	return escaped;
}

static void print_escaped(const char *text, const char *before, const char *after)
{
	mr_auto_free char *escaped = markdown_escaped(text);

	printf("%s%s%s", before, escaped ? escaped : "", after);
}

void markdown_heading(unsigned int level, const char *text)
{
	static const char marks[] = "######";

	printf("\n%.*s ", (int)level, marks);
	print_escaped(text, "", "\n\n");
}

void markdown_line(const char *before, const char *text)
{
	print_escaped(text, before, "\n");
}

/* The longest row of backticks in the text. */
static size_t longest_ticks(const char *text)
{
	size_t longest = 0, length;

	for (; *text; text += length ? length : 1) {
		length = strspn(text, "`");
		longest = length > longest ? length : longest;
	}
	return longest;
}

static void print_ticks(size_t count)
{
	while (count--)
		putchar('`');
}

void markdown_fence(const char *language, const char *text)
{
	const size_t ticks = longest_ticks(text) < 3 ? 3 : longest_ticks(text) + 1;
	size_t length;

	print_ticks(ticks);
	printf("%s\n", language);
	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		text_print_part(text, length, stdout);
		putchar('\n');
	}
	print_ticks(ticks);
	putchar('\n');
}

void markdown_fold(const char *summary)
{
	print_escaped(summary, "\n<details><summary>", "</summary>\n\n");
}

void markdown_unfold(void)
{
	printf("\n</details>\n");
}
