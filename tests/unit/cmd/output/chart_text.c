// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Charts on a terminal. */
#include <fcntl.h>
#include <math.h>
#include <sys/ioctl.h>

#include "cmd/output/chart.h"
#include "tests/unit/unit.h"

#define UTF8  "C.UTF-8"
#define ASCII "C"

static const struct chart_point falling[] = { { 4096, 3000 }, { 16384, 2000 }, { 65536, 1000 } };
static const struct chart_point rising[] = { { 4096, 1000 }, { 16384, 2000 }, { 65536, 3000 } };

static const struct chart_curve two_curves[] = { { "falling", falling, 3, false },
						 { "rising", rising, 3, false } };

static const struct chart two = {
	.title = "Title",
	.subtitle = "subtitle",
	.x = { "size", CHART_BYTES, true },
	.y = { "latency", CHART_NS, false },
	.curves = two_curves,
	.count = 2,
};

/* Draws a chart in a locale.  Return: what came out. */
static const char *drawn(const struct chart *chart, const char *locale, size_t columns)
{
	static struct capture captured;
	struct mr_error err = { 0 };
	int rc;

	setenv("LC_ALL", locale, 1);
	capture_begin(&captured, STDOUT_FILENO);
	rc = chart_text(chart, columns, &err);
	capture_end(&captured);
	assert_int_equal(rc, 0);
	assert_null(strstr(captured.text, "nan"));
	assert_null(strstr(captured.text, "inf"));
	return captured.text;
}

/* The characters of the longest line. */
static size_t width_of(const char *text)
{
	size_t widest = 0, width = 0;

	for (; *text; text++) {
		width = *text == '\n' ? 0 : width + ((*text & 0xc0) != 0x80);
		widest = width > widest ? width : widest;
	}
	return widest;
}

TEST(curves_of_dots_have_marks_in_turn)
{
	assert_string_equal(drawn(&two, UTF8, 40), "Title\n"
						   "subtitle\n"
						   "\n"
						   "       latency\n"
						   "  3 us ┤●⠢⣀                         ○⠔⠊\n"
						   "       │   ⠑⠢⣀                   ⢀⠤⠊⠁\n"
						   "2.5 us ┤      ⠑⠢●             ⢀⡠⠊⠁\n"
						   "       │        ⠈⠑⠤⡀       ⢀○⠒⠁\n"
						   "       │           ⠈⠑⠤⡀  ⡠⠔⠁\n"
						   "  2 us ┤              ⡨⠕●⡀\n"
						   "       │           ⡠○⠉   ⠈⠒⢄⡀\n"
						   "       │        ⡠⠔⠉         ⠈⠒⢄\n"
						   "1.5 us ┤     ⣀⠔⠊               ⠉●⢄\n"
						   "       │  ⣀⠔○                     ⠉⠢⣀\n"
						   "  1 us ┤⠔⠊                           ⠑⠢\n"
						   "       │\n"
						   "       │\n"
						   "500 ns ┤\n"
						   "       │\n"
						   "     0 ┤\n"
						   "       └┬──────────────┬──────────────┬\n"
						   "       4K             16K           64K\n"
						   "                       size (log scale)\n"
						   "       ● falling   ○ rising\n");
}

TEST(a_chart_is_as_wide_as_the_terminal_and_without_points_says_so)
{
	static const struct chart_point lost[] = {
		{ 0, 1 }, { -1, 1 }, { NAN, 1 }, { 1, INFINITY }
	};
	const struct chart_curve curve = { "lost", lost, 4, true };
	struct chart chart = two;

	assert_int_equal(width_of(drawn(&two, UTF8, 0)), 79);
	assert_int_equal(width_of(drawn(&two, ASCII, 60)), 59);
	assert_int_equal(width_of(drawn(&two, UTF8, 1)), 39);
	chart.count = 1;
	chart.curves = &curve;
	assert_contains(drawn(&chart, UTF8, 80), "no data");
	assert_contains(drawn(&chart, "xx_XX.UTF-8", 80), "* lost\n");
}

TEST(texts_of_any_bytes_do_no_harm)
{
	static char longest[300];
	const struct chart_curve curves[] = { { longest, rising, 3, false },
					      { "a\x1b[2J\xff", falling, 3, false } };
	struct chart chart = two;
	const char *text;

	memset(longest, 'x', sizeof(longest) - 1);
	chart.curves = curves;
	chart.x.label = chart.y.label = longest;
	text = drawn(&chart, ASCII, 60);
	assert_contains(text, "xxx... (log scale)\n");
	assert_contains(text, "+ a\\x1b[2J\\xff\n");
	assert_int_equal(width_of(text), 59);
}

/* Draws on a terminal of these columns.  Return: what came out. */
static const char *drawn_on_terminal(unsigned short columns)
{
	static char text[65536];
	const struct winsize size = { .ws_row = 24, .ws_col = columns };
	const int master = posix_openpt(O_RDWR | O_NOCTTY), saved = dup(STDOUT_FILENO);
	struct mr_error err = { 0 };
	ssize_t got;
	size_t length = 0;
	int slave;

	assert_true(master >= 0);
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	fflush(stdout);
	dup2(slave, STDOUT_FILENO);
	assert_int_equal(chart_text(&two, 0, &err), 0);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(slave);
	while ((got = read(master, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	close(master);
	return text;
}

TEST(a_terminal_gets_colours_unless_refused)
{
	const char *text;

	setenv("LC_ALL", ASCII, 1);
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	text = drawn_on_terminal(50);
	assert_contains(text, "\033[1mTitle\r\n\033[0m");
	assert_contains(text, "\033[36m*\033[0m falling   \033[33m+\033[0m rising\r\n");
	assert_contains(text, "+\033[36m**\033[33m  ");
	setenv("NO_COLOR", "1", 1);
	text = drawn_on_terminal(50);
	assert_null(strchr(text, '\033'));
	/* with the carriage returns of the terminal */
	assert_int_equal(width_of(text), 50);
}
