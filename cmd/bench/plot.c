// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/bench/bench.h"
#include "cmd/cli/child.h"
#include "cmd/output/cell.h"
#include "cmd/output/paragraph.h"
#include "cmd/output/replaced_file.h"
#include "cmd/output/stream.h"
#include "lib/base/cleanup.h"
#include "lib/base/memfd.h"
#include "lib/bench/bench.h"

enum {
	CURVES_MAX = 12, /* more cannot be told apart */
	NAME_SIZE = 160,
	PATIENCE_S = 60,
};

/* A script for gnuplot while it is written: data blocks $c0, $c1, ... and what the plot needs that shows them. */
struct script {
	FILE *stream;
	char curves[CURVES_MAX][NAME_SIZE];
	size_t count, left_out;
	struct {
		double least, most;
	} x, y;
};

static const double parts[] = { 0.5, 0.9, 0.99, 1 };
static const char *const part_names[] = { "p50", "p90", "p99", "max" };

/* Text between single quotes, where gnuplot expands nothing. */
static void put_quoted(FILE *stream, const char *text)
{
	putc('\'', stream);
	for (; *text; text++)
		fputs(*text == '\'' ? "''"
				    : (char[]){ isprint((unsigned char)*text) ? *text : '?', '\0' },
		      stream);
	putc('\'', stream);
}

/* Begins the data of a curve.  Return: room for its name; NULL: there are too many curves. */
static char *begin_curve(struct script *script)
{
	if (script->count == CURVES_MAX) {
		script->left_out++;
		return NULL;
	}
	fprintf(script->stream, "$c%zu << EOD\n", script->count);
	return script->curves[script->count++];
}

static void put_point(struct script *script, double x, double y)
{
	fprintf(script->stream, "%.9f %.9f\n", x, y);
	script->x.least = x < script->x.least ? x : script->x.least;
	script->x.most = x > script->x.most ? x : script->x.most;
	script->y.least = y < script->y.least ? y : script->y.least;
	script->y.most = y > script->y.most ? y : script->y.most;
}

static void end_curve(struct script *script)
{
	fputs("EOD\n", script->stream);
}

static size_t count_groups(const struct bench_job *job)
{
	size_t groups = 0;

	for (size_t i = 0; i < bench_job_series_count(job); i++)
		groups += bench_begins_group(job, i);
	return groups;
}

static void begin_plot(struct script *script)
{
	script->count = script->left_out = 0;
	script->x.least = script->y.least = DBL_MAX;
	script->x.most = script->y.most = 0;
}

/* Writes titles, and the plot of the curves. */
static void end_plot(struct script *script, const struct bench_job *job, const char *what,
		     const char *x_label, const char *style)
{
	const struct mr_environment *environment = job->answer.environment;
	char text[512];

	snprintf(text, sizeof(text), "%s: %.64s%s, Linux %.64s", what, environment->device,
		 environment->simulated ? " (simulated)" : "", environment->kernel);
	fputs("set title ", script->stream);
	put_quoted(script->stream, text);
	snprintf(text, sizeof(text), "%s  (mrctl %.32s, rdma-core %.32s, %u round%s%s)", x_label,
		 environment->mrctl, environment->rdma_core, job->rounds,
		 job->rounds == 1 ? "" : "s", script->left_out ? ", not all curves" : "");
	fputs("\nset xlabel ", script->stream);
	put_quoted(script->stream, text);
	fprintf(script->stream, "\nset xrange [%.9f:%.9f]\nplot", script->x.least * 0.9,
		script->x.most * 1.1);
	for (size_t i = 0; i < script->count; i++) {
		fprintf(script->stream, "%s $c%zu with %s title ", i ? "," : "", i, style);
		put_quoted(script->stream, script->curves[i]);
	}
	putc('\n', script->stream);
}

/* Whether an axis in powers of 10 has labels enough. */
static bool has_decades(double least, double most)
{
	return most > 100 * least;
}

/* ---- percentiles by size ---- */

/* The curve of a percentile of the group that begins with series @first. */
static void put_percentile(struct script *script, const struct bench_job *job, size_t first,
			   size_t part, bool is_only_group)
{
	char *name = begin_curve(script);

	if (!name)
		return;
	for (size_t i = first; i < bench_job_series_count(job); i++) {
		const struct bench_series *series = &job->series[i];

		if (series->round_count && bench_same_group(&job->series[first], series))
			put_point(script, (double)series->setup->point.size,
				  (double)mr_histogram_quantile(&series->histogram, parts[part]) /
					  1e9);
	}
	end_curve(script);
	if (is_only_group)
		snprintf(name, NAME_SIZE, "%s", part_names[part]);
	else
		bench_group_text(&job->series[first], name, NAME_SIZE);
}

/* Of one group the percentiles, of several groups their medians. */
static void plot_percentiles(struct script *script, const struct bench_job *job)
{
	const bool is_only_group = count_groups(job) == 1;
	char what[NAME_SIZE] = "median by size";

	begin_plot(script);
	for (size_t i = 0; i < bench_job_series_count(job); i++) {
		if (!bench_begins_group(job, i))
			continue;
		for (size_t part = 0; part < (is_only_group ? sizeof(parts) / sizeof(*parts) : 1);
		     part++)
			put_percentile(script, job, i, part, is_only_group);
		if (is_only_group)
			snprintf(what, sizeof(what), "%s by size",
				 job->series[i].setup->point.what->name);
	}
	fprintf(script->stream,
		"set logscale x 2\n%s\nset ylabel 'time of a call'\n"
		"set format x '%%.0b %%BB'\nset format y '%%.0s %%cs'\nset yrange [%.9f:%.9f]\n",
		has_decades(script->y.least, script->y.most) ? "set logscale y 10" : "",
		script->y.least * 0.9, script->y.most * 1.1);
	end_plot(script, job, what, "size", "linespoints");
}

/* ---- distribution ---- */

/* From the least value on, each bucket adds its part. */
static void put_distribution(struct script *script, const struct bench_series *series,
			     bool is_only_group)
{
	char size[FIELD_TEXT_MAX], group[NAME_SIZE], *name = begin_curve(script);
	struct mr_histogram_bucket bucket;
	uint64_t seen = 0;
	size_t from = 0;

	if (!name)
		return;
	put_point(script, (double)series->histogram.min / 1e9, 0);
	while (mr_histogram_next(&series->histogram, &from, &bucket)) {
		seen += bucket.count;
		put_point(script, (double)bucket.ns / 1e9,
			  100 * (double)seen / (double)series->histogram.count);
	}
	end_curve(script);
	cell_iec_text(series->setup->point.size, size);
	bench_group_text(series, group, sizeof(group));
	snprintf(name, NAME_SIZE, "%.20s%s%.120s", size, is_only_group ? "" : " ",
		 is_only_group ? "" : group);
}

static void plot_distributions(struct script *script, const struct bench_job *job)
{
	const bool is_only_group = count_groups(job) == 1;

	begin_plot(script);
	for (size_t i = 0; i < bench_job_series_count(job); i++)
		if (job->series[i].round_count)
			put_distribution(script, &job->series[i], is_only_group);
	fprintf(script->stream,
		"unset logscale\n%s\nset ylabel 'calls'\n"
		"set format x '%%.0s %%cs'\nset format y '%%.0f %%%%'\nset yrange [0:100]\n",
		has_decades(script->x.least, script->x.most) ? "set logscale x 10" : "");
	end_plot(script, job, "distribution of calls", "time of a call", "steps");
}

/* ---- gnuplot ---- */

/* Writes the script for a terminal of gnuplot. */
static void write_script(FILE *stream, const struct bench_job *job, const char *terminal,
			 bool is_file)
{
	struct script script = { .stream = stream };

	fprintf(stream, "set terminal %s\nset encoding utf8\nset grid\nset key below width 2\n",
		terminal);
	if (is_file)
		fputs("set multiplot layout 2,1\n", stream);
	plot_percentiles(&script, job);
	plot_distributions(&script, job);
	if (is_file)
		fputs("unset multiplot\n", stream);
}

/* Runs gnuplot with one argument.  Return: 0, and what it printed, which is to be freed; or -errno. */
static int run_gnuplot(char *argument, char **text, size_t *length, struct mr_error *err)
{
	char *argv[] = { (char[]){ "gnuplot" }, argument, NULL };
	sigset_t none;
	struct child child = { .argv = argv,
			       .output = CHILD_CATCH,
			       .patience_ns = PATIENCE_S * UINT64_C(1000000000),
			       .mask = &none };
	int rc;

	sigemptyset(&none);
	rc = child_run(&child, err);
	if (rc == -ENOENT)
		mr_hint(err, "gnuplot draws the pictures: install it (Debian: gnuplot-nox)");
	if (!rc && child.status) {
		free(child.text);
		mr_fail_text(err, MR_ERROR_HOST, EIO,
			     child.is_late ? "gnuplot did not end within %d seconds"
					   : "gnuplot failed; its message is above",
			     PATIENCE_S);
		return -EIO;
	}
	*text = child.text;
	*length = child.length;
	return rc;
}

int bench_draw_check(const struct bench_args *args, struct mr_error *err)
{
	size_t length;
	char *text;
	int rc;

	if (!args->plot && !args->svg)
		return 0;
	rc = run_gnuplot((char[]){ "--version" }, &text, &length, err);
	if (!rc)
		free(text);
	return rc;
}

/* Draws for a terminal of gnuplot.  Return: as run_gnuplot(). */
static int draw(const struct bench_job *job, const char *terminal, bool is_file, char **text,
		size_t *length, struct mr_error *err)
{
	mr_auto_fd int fd = mr_memfd_create("mrctl-plot", 0); /* gnuplot inherits it */
	FILE *stream;
	char path[32];

	*text = NULL;
	*length = 0;
	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "memfd_create", NULL);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	stream = fopen(path, "we");
	if (!stream)
		return mr_fail(err, MR_ERROR_HOST, errno, "fopen", NULL);
	write_script(stream, job, terminal, is_file);
	if (fclose(stream))
		return mr_fail(err, MR_ERROR_HOST, errno, "fclose", NULL);
	return run_gnuplot(path, text, length, err);
}

/* Without the blanks and empty lines that gnuplot fills the picture with. */
static int draw_text(const struct bench_job *job, struct mr_error *err)
{
	bool was_empty = true;
	size_t length;
	char *text;
	int rc = draw(job, "dumb nofeed noenhanced size 79,24", false, &text, &length, err);

	if (rc)
		return rc;
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		for (char *end = line + strlen(line);
		     end > line && isspace((unsigned char)end[-1]);)
			*--end = '\0';
		if (*line && was_empty)
			output_empty_line();
		if (*line)
			output_text("%s\n", line);
		was_empty = !*line;
	}
	free(text);
	return 0;
}

/* The file has the kind of its ending. */
static const char *terminal_for(const char *path)
{
	const char *ending = strrchr(path, '.');

	if (ending && !strcasecmp(ending, ".png"))
		return "pngcairo noenhanced size 1000,1100";
	if (ending && !strcasecmp(ending, ".pdf"))
		return "pdfcairo noenhanced size 8,9";
	return "svg noenhanced size 1000,1100 background 'white'";
}

static int draw_file(const struct bench_job *job, struct mr_error *err)
{
	const char *path = job->args->svg;
	struct replaced_file file;
	size_t length;
	char *text;
	int rc = draw(job, terminal_for(path), true, &text, &length, err);

	if (rc)
		return rc;
	rc = replaced_file_open(&file, path, err);
	if (!rc) {
		fwrite(text, 1, length, file.stream);
		rc = replaced_file_close(&file, err);
	}
	free(text);
	return rc;
}

int bench_draw(const struct bench_job *job, struct mr_error *err)
{
	int rc = 0;

	if (!count_groups(job))
		return 0; /* nothing was measured */
	if (job->args->plot && output_is_for_people(&job->answer.out))
		rc = draw_text(job, err);
	if (!rc && job->args->svg)
		rc = draw_file(job, err);
	return rc;
}
