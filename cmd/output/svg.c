// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "cmd/output/svg.h"
#include "cmd/output/text.h"
#include "lib/base/cleanup.h"

void svg_number(FILE *stream, double value)
{
	const long tenths = (long)(value * 10 + (value < 0 ? -0.5 : 0.5));
	const long size = tenths < 0 ? -tenths : tenths;

	fprintf(stream, "%s%ld", tenths < 0 ? "-" : "", size / 10);
	if (size % 10)
		fprintf(stream, ".%ld", size % 10);
}

void svg_attribute(FILE *stream, const char *name, double value)
{
	fprintf(stream, " %s=\"", name);
	svg_number(stream, value);
	fputc('"', stream);
}

void svg_escape(FILE *stream, const char *text, size_t length)
{
	for (const char *end = text + length; text < end; text++)
		if (*text == '&')
			fputs("&amp;", stream);
		else if (*text == '<')
			fputs("&lt;", stream);
		else if (*text == '>')
			fputs("&gt;", stream);
		else if (*text == '"')
			fputs("&quot;", stream);
		else if (!strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3))
			/* U+FFFE and U+FFFF are no characters of XML; U+FFFD stands for such ones. */
			fputs("\xef\xbf\xbd", stream), text += 2;
		else
			fputc(*text, stream);
}

/* The width of a character of a usual font, in parts of its size; whatever is not ASCII may be a wide one. */
static double character_width(const char *character)
{
	if ((unsigned char)*character >= 0xe1)
		return 1;
	if (strchr("ijlftr.,:;|!'()[]/ ", *character))
		return 0.4;
	if (strchr("mwMW%@", *character))
		return 1;
	return *character >= 'A' && *character <= 'Z' ? 0.75 : 0.63;
}

/* The bytes of a character. */
static size_t character_length(const char *text)
{
	size_t length = 1;

	while ((text[length] & 0xc0) == 0x80)
		length++;
	return length;
}

double svg_width(const char *text, double size)
{
	double width = 0;

	for (; *text; text += character_length(text))
		width += character_width(text) * size;
	return width;
}

size_t svg_fit(const char *text, double size, double room, bool at_blanks)
{
	size_t length = 0, blank = 0;

	while (text[length]) {
		room -= character_width(text + length) * size;
		if (room < 0 && length)
			return at_blanks && blank ? blank : length;
		blank = text[length] == ' ' ? length : blank;
		length += character_length(text + length);
	}
	return length;
}

void svg_text(FILE *stream, const struct svg_text *place, const char *text, size_t length,
	      bool is_cut)
{
	fputs("<text", stream);
	svg_attribute(stream, "x", place->x);
	svg_attribute(stream, "y", place->y);
	svg_attribute(stream, "font-size", place->size);
	if (strcmp(place->anchor, "start") != 0)
		fprintf(stream, " text-anchor=\"%s\"", place->anchor);
	fprintf(stream, "%s>", place->more);
	svg_escape(stream, text, length);
	fprintf(stream, "%s</text>\n", is_cut && text[length] ? "…" : "");
}

void svg_line(FILE *stream, double x1, double y1, double x2, double y2, const char *attributes)
{
	fputs("<line", stream);
	svg_attribute(stream, "x1", x1);
	svg_attribute(stream, "y1", y1);
	svg_attribute(stream, "x2", x2);
	svg_attribute(stream, "y2", y2);
	fprintf(stream, "%s/>\n", attributes);
}

void svg_title(FILE *stream, const char *text)
{
	mr_auto_free char *harmless = text_harmless(text);

	fputs("<title>", stream);
	svg_escape(stream, harmless ? harmless : "", harmless ? strlen(harmless) : 0);
	fputs("</title>\n", stream);
}
