// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/output/output.h"
#include "lib/base/base.h"

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

/* The terminal's other page, a hidden cursor, and an empty page (xterm, "ctlseqs"). */
#define ENTER "\033[?1049h\033[?25l\033[H\033[J"
/* The last line first: a console without another page has its prompt there. */
#define LEAVE "\033[999H\n\033[?25h\033[?1049l"

/* No line is continued on the next: a wide character may be wider than it counts here. */
#define BEGIN_PAGE   "\033[H\033[?7l"
#define END_PAGE     "\033[?7h"
#define CLEAR_TO_END "\033[K"
#define CLEAR_REST   "\033[J"
#define NO_COLOUR    "\033[m"

/* Returns whether the terminal knows no escapes (TERM). */
static bool screen_is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || !strcmp(term, "dumb");
}

bool screen_is_possible(void)
{
	return isatty(STDOUT_FILENO) && !screen_is_dumb();
}

static void write_now(const char *text)
{
	fputs(text, stdout);
	fflush(stdout);
}

void screen_enter(struct screen *screen)
{
	*screen = (struct screen){ .out = NULL };
	sigemptyset(&screen->signals);
	sigaddset(&screen->signals, SIGWINCH);
	sigaddset(&screen->signals, SIGTSTP);
	sigaddset(&screen->signals, SIGQUIT);
	sigprocmask(SIG_BLOCK, &screen->signals, NULL);
	write_now(ENTER);
}

void screen_leave(struct screen *screen)
{
	write_now(LEAVE);
	sigprocmask(SIG_UNBLOCK, &screen->signals, NULL);
}

void screen_handle(int signal)
{
	sigset_t one;

	if (signal == SIGWINCH)
		return;
	sigemptyset(&one);
	sigaddset(&one, signal);
	write_now(LEAVE);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &one, NULL); /* here it stops or ends the process */
	sigprocmask(SIG_BLOCK, &one, NULL);
	write_now(ENTER);
}

static void release(struct screen *screen)
{
	if (screen->err) {
		fclose(stderr);
		stderr = screen->err;
	}
	if (screen->out) {
		fclose(stdout);
		stdout = screen->out;
	}
	screen->out = screen->err = NULL;
}

/* In glibc the standard streams are variables (its manual, "Standard Streams"). */
int screen_catch(struct screen *screen, struct mr_error *err)
{
	bool with_errors = isatty(STDERR_FILENO);
	FILE *out = open_memstream(&screen->text[0], &screen->size[0]);
	FILE *errors =
		out && with_errors ? open_memstream(&screen->text[1], &screen->size[1]) : NULL;

	if (!out || (with_errors && !errors)) {
		if (out)
			fclose(out);
		free(screen->text[0]);
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "open_memstream", NULL);
	}
	screen->out = stdout;
	stdout = out;
	if (errors) {
		screen->err = stderr;
		stderr = errors;
	}
	return 0;
}

/* A page that is being made. */
struct page {
	FILE *stream;
	size_t rows, columns;
	size_t row; /* lines so far, also those that are too many */
};

/* Bytes of the escape sequence at @text that chooses a colour (ECMA-48, Select Graphic Rendition); 0: none is there. */
static size_t colour_length(const char *text, size_t length)
{
	size_t i = 2;

	if (length < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (i < length && (isdigit((unsigned char)text[i]) || text[i] == ';'))
		i++;
	return i < length && text[i] == 'm' ? i + 1 : 0;
}

/*
 * Puts a line on the page, cut to its width.  What mrctl printed is harmless; libraries print as well, and of what
 * a terminal obeys nothing but colours is let through.
 */
static void put_line(struct page *page, const char *text, size_t length)
{
	size_t column = 0, escape;
	bool is_coloured = false;

	if (page->row++ >= page->rows)
		return;
	if (page->row > 1)
		fputs("\r\n", page->stream);
	for (size_t i = 0; i < length; i += escape ?: 1) {
		unsigned char c = (unsigned char)text[i];

		escape = colour_length(text + i, length - i);
		is_coloured |= escape != 0;
		if (escape)
			fwrite(text + i, 1, escape, page->stream);
		else if ((c & 0xc0) != 0x80 && column++ == page->columns)
			break;
		else
			fputc(c < ' ' || c == 0x7f ? ' ' : c, page->stream);
	}
	if (is_coloured) /* its end may have been cut off */
		fputs(NO_COLOUR, page->stream);
	if (column < page->columns) /* in the last column it would clear the last character */
		fputs(CLEAR_TO_END, page->stream);
}

static void put_text(struct page *page, const char *text, size_t size)
{
	while (size) {
		const char *end = memchr(text, '\n', size);
		size_t length = end ? (size_t)(end - text) : size;

		put_line(page, text, length);
		length += end != NULL;
		text += length;
		size -= length;
	}
}

static size_t count_lines(const char *text, size_t size)
{
	size_t lines = 0;

	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n' || i + 1 == size;
	return lines;
}

static void put_page(struct page *page, const struct screen *screen, const char *heading)
{
	size_t lines = 2 * (heading != NULL), rows = page->rows;
	char more[64];

	for (size_t i = 0; i < 2; i++)
		lines += count_lines(screen->text[i], screen->size[i]);
	page->rows -= lines > rows; /* whose last line says how many are missing */
	fputs(BEGIN_PAGE, page->stream);
	if (heading) {
		put_line(page, heading, strlen(heading));
		put_line(page, "", 0);
	}
	put_text(page, screen->text[1], screen->size[1]);
	put_text(page, screen->text[0], screen->size[0]);
	if (lines > rows) {
		snprintf(more, sizeof(more), "(%zu more lines)", lines - page->rows);
		page->rows = rows;
		page->row = rows - 1;
		put_line(page, more, strlen(more));
	} else if (lines < rows) {
		fputs("\r\n" CLEAR_REST, page->stream);
	}
	fputs(END_PAGE, page->stream);
}

void screen_show(struct screen *screen, const char *heading)
{
	struct winsize size = { 0 };
	struct page page;
	char *text = NULL;
	size_t bytes;

	release(screen);
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	page = (struct page){ .stream = open_memstream(&text, &bytes),
			      .rows = size.ws_row ? size.ws_row : 24,
			      .columns = size.ws_col ? size.ws_col : 80 };
	if (page.stream) {
		put_page(&page, screen, heading);
		fclose(page.stream);
		write_now(text);
	}
	free(text);
	for (size_t i = 0; i < 2; i++) {
		free(screen->text[i]);
		screen->text[i] = NULL;
		screen->size[i] = 0;
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
		.silent = quiet || !isatty(fileno(stderr)) || screen_is_dumb(),
	};
}

void progress_show(struct progress *progress, const char *what, uint64_t done)
{
	uint64_t now;

	/* Reading the clock at each step would take longer than the step. */
	if (progress->silent || progress->total == 1 || done % 256)
		return;
	now = mr_now_ns();
	if (now - progress->shown_at < INTERVAL_NS)
		return;
	progress->shown_at = now;
	fprintf(stderr, CLEAR_LINE "%s %" PRIu64, what, done);
	if (done <= progress->total)
		fprintf(stderr, " of %" PRIu64, progress->total);
}

void progress_wait(struct progress *progress, const char *what, uint64_t bytes)
{
	if (progress->silent || bytes < LONG_BYTES)
		return;
	progress->shown_at = mr_now_ns();
	fprintf(stderr, CLEAR_LINE "%s %" PRIu64 " GiB ...", what, bytes / LONG_BYTES);
}

void progress_time(struct progress *progress, const char *what, uint64_t done, uint64_t total,
		   uint64_t left_ns)
{
	const uint64_t now = mr_now_ns();

	if (progress->silent || now - progress->shown_at < INTERVAL_NS)
		return;
	progress->shown_at = now;
	fprintf(stderr, CLEAR_LINE "%s %" PRIu64 " of %" PRIu64 ", %" PRIu64 " s left", what, done,
		total, (left_ns + 999999999) / 1000000000);
}

void progress_clear(struct progress *progress)
{
	if (progress->shown_at)
		fputs(CLEAR_LINE, stderr);
	progress->shown_at = 0;
}
