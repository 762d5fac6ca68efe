// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>

#include "cmd/output/exit_status.h"
#include "cmd/output/lines.h"
#include "cmd/output/messages.h"
#include "cmd/output/text.h"

/* Bytes of a message; none that is made of a struct mr_error is as long. */
#define MESSAGE_MAX 2048

static void print_line(const char *prefix, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* A message is one line: line ends in the names that it holds are escaped. */
static void print_line(const char *prefix, const char *fmt, va_list ap)
{
	char text[MESSAGE_MAX];

	vsnprintf(text, sizeof(text), fmt, ap);
	fputs(prefix, stderr);
	text_print(text, stderr);
	fputc('\n', stderr);
}

void report_note(const char *command, const char *fmt, ...)
{
	char prefix[64];
	va_list ap;

	snprintf(prefix, sizeof(prefix), "mrctl: %s%s", command ? command : "",
		 command ? ": " : "");
	va_start(ap, fmt);
	print_line(prefix, fmt, ap);
	va_end(ap);
}

void report_detail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line("  ", fmt, ap);
	va_end(ap);
}

void report_lines(const struct record *record, const void *row)
{
	lines_print(record, row, LINES_ALL_KNOWN, "  ", stderr);
}

void report_error(const char *command, const struct mr_error *err)
{
	report_note(command, "%s", err->text);
	if (err->hint[0])
		report_detail("%s", err->hint);
	if (err->kind == MR_ERROR_USAGE)
		fprintf(stderr, "Try 'mrctl %s%s--help'.\n", command ? command : "",
			command ? " " : "");
}

int report_status(const struct mr_error *err)
{
	switch (err->kind) {
	case MR_ERROR_USAGE:
		return EXIT_USAGE;
	case MR_ERROR_ABSENT:
		return EXIT_ABSENT;
	default:
		return EXIT_REFUSED;
	}
}
