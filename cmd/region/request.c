// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "cmd/region/request.h"

static const struct field request_fields[] = {
	FIELD(struct request, argv, FIELD_WORDS, 0, "the command line"),
	FIELD(struct request, memory, FIELD_STRING, FIELD_MEMORY,
	      "kind of memory, or source of the dma-buf"),
	FIELD(struct request, addr, FIELD_HEX, 0, "address of the first byte"),
	FIELD(struct request, offset, FIELD_NUMBER, 0, "first byte in the dma-buf or DM"),
	FIELD(struct request, length, FIELD_NUMBER, 0, "bytes"),
	FIELD(struct request, iova, FIELD_HEX, 0, "address of the first byte for the HCA"),
	FIELD(struct request, access, FIELD_ACCESS, 0, "access flags"),
	FIELD(struct request, access_bits, FIELD_HEX, 0, "the same as a mask"),
	FIELD(struct request, page_sizes, FIELD_PAGES, 0, "page sizes for a umem"),
	FIELD(struct request, dmah, FIELD_STRING, FIELD_PUBLIC,
	      "what the DMA handle is for (--dmah)"),
	FIELD(struct request, pd, FIELD_STRING, 0, "protection domain"),
	FIELD(struct request, count, FIELD_NUMBER, 0, "regions (--count)"),
	FIELD_END,
};
REPORTED const struct record request_record = { "request", request_fields, NULL };

static bool same_words(const char *const *a, const char *const *b)
{
	while (*a && *b && !strcmp(*a, *b))
		a++, b++;
	return !*a && !*b;
}

static const char *keep_text(const char *text, const char *former)
{
	if (!text || (former && !strcmp(text, former)))
		return text ? former : NULL;
	return strdup(text);
}

/* Copies words into one block of memory: the pointers, and after them the texts. */
static const char *const *keep_words(const char *const *words, const char *const *former)
{
	size_t count = 0, bytes = 0;
	const char **kept;
	char *text;

	if (!words || (former && same_words(words, former)))
		return words ? former : NULL;
	for (; words[count]; count++)
		bytes += strlen(words[count]) + 1;
	kept = malloc((count + 1) * sizeof(*kept) + bytes);
	if (!kept)
		return NULL;
	text = (char *)(kept + count + 1);
	for (size_t i = 0; i < count; i++) {
		kept[i] = text;
		text = stpcpy(text, words[i]) + 1;
	}
	kept[count] = NULL;
	return kept;
}

void request_keep(struct request *request, const struct request *former)
{
	static const struct request none = { .argv = NULL };

	if (!former)
		former = &none;
	request->argv = keep_words(request->argv, former->argv);
	request->memory = keep_text(request->memory, former->memory);
	request->dmah = keep_text(request->dmah, former->dmah);
	request->pd = keep_text(request->pd, former->pd);
}

void request_release(struct request *request, const struct request *next)
{
	if (!next || next->argv != request->argv)
		free((void *)request->argv);
	if (!next || next->memory != request->memory)
		free((void *)request->memory);
	if (!next || next->dmah != request->dmah)
		free((void *)request->dmah);
	if (!next || next->pd != request->pd)
		free((void *)request->pd);
}
