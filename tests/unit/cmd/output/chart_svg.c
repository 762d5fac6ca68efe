// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Charts as files of SVG. */
#include <errno.h>
#include <math.h>

#include "cmd/output/chart.h"
#include "tests/unit/unit.h"

static char path[] = "/tmp/chart.XXXXXX";
static char text[1 << 20];

static const struct chart_point line[] = { { 4096, 1e3 }, { 1 << 20, 2e4 }, { 1 << 30, 3e6 } };
static const struct chart_curve curve = { "p50", line, 3, false };
static const struct chart usual = {
	.title = "Latency",
	.subtitle = "of registration",
	.x = { "size", CHART_BYTES, true },
	.y = { "time", CHART_NS, true },
	.curves = &curve,
	.count = 1,
};

/* Returns what is in the file after the charts were written to it. */
static const char *written(const struct chart *charts, size_t count)
{
	struct mr_error err = { 0 };
	FILE *file;

	assert_int_equal(chart_svg(path, charts, count, &err), 0);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	return text;
}

static size_t count(const char *part)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		n++;
	return n;
}

TEST(a_chart_has_titles_axes_and_a_legend)
{
	static const char *const parts[] = {
		" role=\"img\" aria-labelledby=\"title\" width=\"800\"",
		"<title id=\"title\">Latency</title>",
		">of registration</text>",
		">size (log scale)</text>",
		">time (log scale)</text>",
		">4K</text>",
		">1G</text>",
		">1 us</text>",
		">p50</text>"
	};
	const struct chart two[] = { usual, usual };

	written(&usual, 1);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		assert_contains(text, parts[i]);
	assert_int_equal(count("<circle"), 3);
	/* eight lines a decade from 1 us on, and none outside the plot, which ends at 5 ms */
	assert_int_equal(count("#f0f0f0"), 3 * 8 + 3);
	written(two, 2);
	assert_int_equal(count("<path"), 2);
	written(two, 0);
	assert_int_equal(count("<path"), 0);
}

TEST(texts_of_any_bytes_are_characters_of_xml_and_long_ones_are_cut)
{
	static const char bytes[] = "<a href=\"x\">&']]>\x01\x7f\xff\xed\xa0\x80\xef\xbf\xbf";
	static char longest[1001];
	const struct chart_curve curves[] = { { bytes, line, 3, false },
					      { longest, line, 3, false } };
	struct chart chart = usual;

	memset(longest, 'W', 1000);
	chart.curves = curves;
	chart.count = 2;
	chart.title = chart.x.label = bytes;
	written(&chart, 1);
	assert_contains(text, "&lt;a href=&quot;x&quot;&gt;&amp;']]&gt;\\x01\\x7f\\xff");
	assert_null(strpbrk(text, "\x01\x7f\xff\xed"));
	assert_int_equal(count("…</text>"), 1);
}

TEST(points_without_a_place_are_left_out_and_many_are_a_short_path)
{
	static struct chart_point many[100000];
	static const struct chart_point points[] = { { 0, 1 },      { 1, 0 },         { -1, 1 },
						     { NAN, 1 },    { 1, -INFINITY }, { 1e300, 1 },
						     { 4096, 1e12 } };
	struct chart_curve some = { "some", points, 6, false };
	struct chart chart = usual;

	chart.curves = &some;
	assert_contains(written(&chart, 1), ">no data</text>");
	some.count = 7;
	assert_null(strstr(written(&chart, 1), "no data"));
	assert_int_equal(count("<circle"), 1);
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (struct chart_point){ (double)i, (double)i / ARRAY_SIZE(many) };
	some = (struct chart_curve){ "many", many, ARRAY_SIZE(many), true };
	chart.x = (struct chart_axis){ "time", CHART_NS, false };
	chart.y = (struct chart_axis){ "part", CHART_FRACTION, false };
	assert_true(strlen(written(&chart, 1)) < 50000);
	assert_int_equal(count("<circle"), 0);
}

TEST(a_failure_to_write_is_an_error)
{
	struct mr_error err = { 0 };

	assert_int_equal(chart_svg("/dev/full", &usual, 1, &err), -ENOSPC);
	assert_int_equal(chart_svg("/none/chart.svg", &usual, 1, &err), -ENOENT);
	assert_int_equal(err.kind, MR_ERROR_HOST);
}

static int make_file(void **state __attribute__((unused)))
{
	const int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state __attribute__((unused)))
{
	return unlink(path);
}

ALL_TESTS(make_file, remove_file)
