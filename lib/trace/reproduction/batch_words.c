// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "lib/trace/reproduction/batch_words.h"
#include "lib/verbs/verbs.h"

void mr_batch_print_foreign(FILE *file, const char *text)
{
	for (; *text; text++)
		fputc(isprint((unsigned char)*text) ? *text : '?', file);
}

/* A word in quotes, as a batch reads it. */
static void print_quoted(FILE *file, const char *word)
{
	fputc('\'', file);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", file);
		else
			fputc(*word, file);
	fputc('\'', file);
}

static bool needs_quotes(const char *word)
{
	return word[strcspn(word, " \t'\"\\#")] != '\0';
}

void mr_batch_print_memory(FILE *file, const char *option, const char *memory)
{
	fprintf(file, " %s ", option);
	if (needs_quotes(memory))
		print_quoted(file, memory);
	else
		fputs(memory, file);
}

void mr_batch_print_size(FILE *file, const char *option, uint64_t bytes)
{
	if (bytes == UINT64_MAX)
		fprintf(file, " %s max", option);
	else
		fprintf(file, " %s %" PRIu64, option, bytes);
}

void mr_batch_print_access(FILE *file, uint32_t access)
{
	const char *separator = " --access ", *name;
	char raw[16];

	if (!access)
		fputs(" --access none", file);
	while ((name = mr_access_next(&access, raw))) {
		fprintf(file, "%s%s", separator, name);
		separator = ",";
	}
}

void mr_batch_print_pages(FILE *file, uint64_t sizes)
{
	if (sizes)
		fprintf(file, " --page-sizes 0x%" PRIx64, sizes);
	else
		fputs(" --page-sizes none", file);
}

void mr_batch_print_shell_word(FILE *file, const char *word)
{
	char clean[PATH_MAX];
	size_t length = 0;

	for (; length < sizeof(clean) - 1 && word[length]; length++)
		clean[length] = isprint((unsigned char)word[length]) ? word[length] : '?';
	clean[length] = '\0';
	fputc(' ', file);
	if (clean[strspn(clean, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				"/._-+,:=@%")])
		print_quoted(file, clean);
	else
		fputs(clean, file);
}
