// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Charts as files of SVG. */
#include <locale.h>
#include <math.h>

#include "cmd/output/chart.h"
#include "tests/unit/unit.h"

#define POINTS 100000

static char path[64];
static char text[1 << 20];

/* Element names that are open. */
static char open_elements[16][16];
static size_t depth;

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

/* Fails unless there are bytes of UTF-8 that XML has, and entities that it knows.  Return: behind them. */
static const char *check_characters(const char *at, const char *end)
{
	while (*at && !strchr(end, *at)) {
		const unsigned char c = (unsigned char)*at;

		if (c == '&' && strncmp(at, "&amp;", 5) && strncmp(at, "&lt;", 4) &&
		    strncmp(at, "&gt;", 4) && strncmp(at, "&quot;", 6))
			fail_msg("entity at '%.20s'", at);
		if ((c < ' ' && c != '\n') || c == '<' || c == 0xff ||
		    !strncmp(at, "\xef\xbf\xbe", 3) || !strncmp(at, "\xef\xbf\xbf", 3))
			fail_msg("character 0x%x at '%.20s'", c, at);
		at++;
	}
	return at;
}

static const char *check_attributes(const char *at)
{
	while (*at == ' ') {
		at += 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyzBC-12");
		assert_true(at[0] == '=' && at[1] == '"');
		at = check_characters(at + 2, "\"");
		assert_int_equal(*at++, '"');
	}
	return at;
}

static const char *check_tag(const char *at)
{
	const bool is_end = *at == '/';
	const size_t length = strspn(at += is_end, "abcdefghijklmnopqrstuvwxyz");
	char name[16];

	assert_in_range(length, 1, sizeof(name) - 1);
	memcpy(name, at, length);
	name[length] = '\0';
	at += length;
	if (is_end) {
		assert_true(depth > 0);
		assert_string_equal(name, open_elements[--depth]);
	} else {
		at = check_attributes(at);
		assert_true(depth < ARRAY_SIZE(open_elements));
		strcpy(open_elements[depth++], name);
		depth -= *at == '/';
		at += *at == '/';
	}
	assert_int_equal(*at, '>');
	return at + 1;
}

/* Fails unless the file is well-formed, as far as chart_svg() uses XML. */
static void check_xml(void)
{
	static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ";
	const char *at = text + sizeof(head) - sizeof("<svg ");

	assert_memory_equal(text, head, sizeof(head) - 1);
	depth = 0;
	do {
		assert_int_equal(*at, '<');
		at = check_tag(at + 1);
		at = check_characters(at, "<");
	} while (depth);
	assert_string_equal(at, "");
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_true(mbstowcs(NULL, text, 0) != (size_t)-1);
	setlocale(LC_CTYPE, "C");
}

/* Writes charts.  Return: what is in the file. */
static const char *written(const struct chart *charts, size_t count)
{
	struct mr_error err = { 0 };
	FILE *file;

	assert_int_equal(chart_svg(path, charts, count, &err), 0);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	check_xml();
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
	written(&usual, 1);
	assert_contains(text, " role=\"img\" aria-labelledby=\"title\" width=\"800\"");
	assert_contains(text, "<title id=\"title\">Latency</title>");
	assert_contains(text, " font-weight=\"bold\">Latency</text>");
	assert_contains(text, ">of registration</text>");
	assert_contains(text, ">size (log scale)</text>");
	assert_contains(text, ">time (log scale)</text>");
	assert_contains(text, ">4K</text>");
	assert_contains(text, ">1G</text>");
	assert_contains(text, ">1 us</text>");
	assert_contains(text, ">p50</text>");
	assert_int_equal(count("<circle"), 3);
}

TEST(panels_are_one_below_the_other)
{
	const struct chart two[] = { usual, usual };
	double one_height, height;

	assert_int_equal(sscanf(strstr(written(two, 1), " height="), " height=\"%lf", &one_height),
			 1);
	assert_int_equal(sscanf(strstr(written(two, 2), " height="), " height=\"%lf", &height), 1);
	assert_true(height > 1.9 * one_height && height < 2 * one_height);
	assert_int_equal(count("<path"), 2);
	written(two, 0);
	assert_int_equal(count("<path"), 0);
}

TEST(texts_of_any_bytes_are_characters_of_xml)
{
	static const char bytes[] =
		"<a href=\"x\">&amp;'</a>]]>\x01\x1b\x7f\xff\xc3\xef\xbf\xbe\xed\xa0\x80 "
		"\xef\xbf\xbf\xc2\x85\xf0\x9f\x98\x80";
	const struct chart_curve curves[] = { { bytes, line, 3, false } };
	const struct chart chart = { .title = bytes,
				     .subtitle = bytes,
				     .x = { bytes, CHART_BYTES, true },
				     .y = { bytes, CHART_NS, true },
				     .curves = curves,
				     .count = 1 };

	written(&chart, 1);
	assert_contains(text,
			"&lt;a href=&quot;x&quot;&gt;&amp;amp;'&lt;/a&gt;]]&gt;\\x01\\x1b\\x7f");
	/* the page, each curve, and its entry in the legend */
	assert_int_equal(count("<title"), 3);
}

TEST(long_texts_are_cut_or_take_more_lines)
{
	static char longest[1001];
	const struct chart_curve curves[] = { { longest, line, 3, false } };
	struct chart chart = usual;
	const size_t lines = (written(&usual, 1), count("<text"));

	for (size_t i = 0; i < 1000; i++)
		longest[i] = i % 8 ? 'W' : ' ';
	chart.curves = curves;
	written(&chart, 1);
	assert_int_equal(count("…</text>"), 1);
	assert_int_equal(count("<text"), lines);
	chart.title = longest;
	written(&chart, 1);
	assert_true(count("<text") > lines + 5);
}

/* Each of 28 curves has another colour or another pattern of dashes. */
TEST(many_curves_differ)
{
	static char styles[28][80];
	struct chart_curve curves[28];
	struct chart chart = usual;
	const char *at = text;

	for (size_t i = 0; i < ARRAY_SIZE(curves); i++)
		curves[i] = curve;
	chart.curves = curves;
	chart.count = ARRAY_SIZE(curves);
	written(&chart, 1);
	for (size_t i = 0; i < ARRAY_SIZE(curves); i++) {
		at = strstr(at, "<g fill=\"none\"");
		assert_non_null(at);
		at = strstr(at, " stroke=");
		snprintf(styles[i], sizeof(styles[i]), "%.*s", (int)strcspn(at, ">"), at);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(styles[i], styles[j]);
	}
}

TEST(points_without_a_place_are_left_out)
{
	static const struct chart_point points[] = {
		{ 0, 1 },         { 1, 0 },     { -1, 1 },      { NAN, 1 },
		{ 1, -INFINITY }, { 1e300, 1 }, { 4096, 1e12 },
	};
	struct chart_curve lost = { "lost", points, 6, false };
	struct chart chart = usual;

	chart.curves = &lost;
	assert_contains(written(&chart, 1), ">no data</text>");
	assert_contains(text, "<path d=\"\"/>");
	lost.count = 7;
	assert_null(strstr(written(&chart, 1), "no data"));
	assert_contains(text, ">1000 s</text>");
	assert_int_equal(count("<circle"), 1);
	chart.count = 0;
	assert_contains(written(&chart, 1), ">no data</text>");
}

TEST(a_distribution_of_many_samples_is_a_short_path)
{
	static struct chart_point points[POINTS];
	const struct chart_curve many = { "many", points, POINTS, true };
	const struct chart chart = { .title = "Many",
				     .x = { "time", CHART_NS, false },
				     .y = { "part", CHART_FRACTION, false },
				     .curves = &many,
				     .count = 1 };

	for (size_t i = 0; i < POINTS; i++)
		points[i] = (struct chart_point){ (double)i, (double)(i + 1) / POINTS };
	written(&chart, 1);
	assert_true(strlen(text) < 50000);
	assert_contains(text, "H");
	assert_contains(text, "V");
	assert_contains(text, ">100 us</text>");
	assert_int_equal(count("<circle"), 0);
}

TEST(a_failure_is_an_error_and_the_old_file_stays)
{
	struct mr_error err = { 0 };

	assert_int_equal(chart_svg("/dev/full", &usual, 1, &err), -ENOSPC);
	assert_string_equal(err.text, "/dev/full: write: ENOSPC (No space left on device)");
	assert_int_equal(err.kind, MR_ERROR_HOST);
	assert_int_equal(chart_svg("/none/chart.svg", &usual, 1, &err), -ENOENT);
	assert_string_equal(err.text, "/none/chart.svg: open: ENOENT (No such file or directory)");
}

static int make_file(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/chart.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

ALL_TESTS(make_file, remove_file)
