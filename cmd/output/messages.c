// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/output/output.h"
#include "lib/base/base.h"

/* Bytes of a message; none that is made of a struct mr_error is as long. */
#define MESSAGE_MAX 2048

static void print_line(const char *prefix, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/*
 * A message is one line: line ends in the names that it holds are escaped.  A terminal would cut the line
 * within words, so there it is wrapped; scripts and tickets get the line.
 */
static void print_line(const char *prefix, const char *fmt, va_list ap)
{
	char text[MESSAGE_MAX];
	size_t blanks;

	vsnprintf(text, sizeof(text), fmt, ap);
	blanks = strspn(text, " ");
	fprintf(stderr, "%s%.*s", prefix, (int)blanks, text);
	if (isatty(STDERR_FILENO) && text[blanks]) {
		text_print_wrapped(text + blanks, strlen(prefix) + blanks, blanks + 4, stderr);
		return;
	}
	text_print(text + blanks, stderr);
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

/* Between two updates of the line. */
#define INTERVAL_NS 200000000

/* Work on fewer bytes takes too little time to be announced. */
#define LONG_BYTES (UINT64_C(1) << 30)

#define CLEAR_LINE "\r\033[K"

void progress_init(struct progress *progress, uint64_t total, bool quiet)
{
	*progress = (struct progress){
		.total = total,
		/* A dumb terminal would show each update, and the escape before it. */
		.silent = quiet || !output_is_screen(STDERR_FILENO),
	};
}

void progress_show(struct progress *progress, const char *what, uint64_t done)
{
	uint64_t now;

	/* Reading the clock at each short step would take longer than the step. */
	if (progress->silent || progress->total == 1 || (done % 256 && !progress->left_ns))
		return;
	now = mr_now_ns();
	if (now - progress->shown_at < INTERVAL_NS)
		return;
	progress->shown_at = now;
	fprintf(stderr, CLEAR_LINE "%s %" PRIu64, what, done);
	if (done <= progress->total)
		fprintf(stderr, " of %" PRIu64, progress->total);
	if (progress->left_ns)
		fprintf(stderr, ", %" PRIu64 " s left",
			(progress->left_ns + 999999999) / 1000000000);
}

void progress_wait(struct progress *progress, const char *what, uint64_t bytes)
{
	if (progress->silent || bytes < LONG_BYTES)
		return;
	progress->shown_at = mr_now_ns();
	fprintf(stderr, CLEAR_LINE "%s %" PRIu64 " GiB ...", what, bytes / LONG_BYTES);
}

void progress_clear(struct progress *progress)
{
	if (progress->shown_at)
		fputs(CLEAR_LINE, stderr);
	progress->shown_at = 0;
}
