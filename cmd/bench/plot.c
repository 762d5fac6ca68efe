// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl bench --plot: percentiles by size, and the distribution of the calls, drawn by gnuplot. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "lib/base/base.h"

enum {
	CURVES_MAX = 12, /* more cannot be distinguished */
	DECADES =
		100, /* an axis in powers of 10 has labels enough where times differ more than that */
	NAME_SIZE = 256,
	PATIENCE_S = 60,
};

/* Writes text between single quotes, where gnuplot expands nothing. */
static void put_quoted(FILE *script, const char *text)
{
	putc('\'', script);
	for (; *text; text++)
		fputs(*text == '\'' ? "''"
				    : (char[]){ isprint((unsigned char)*text) ? *text : '?', '\0' },
		      script);
	putc('\'', script);
}

/* Names a group by its values that are not the usual ones: "reg, mlx5_0, thp, threads 4". */
static void name_group(const struct bench_row *row, char name[NAME_SIZE])
{
	char buffer[FIELD_TEXT_MAX];
	size_t used = 0;

	for (const struct field *f = bench_record.fields; strcmp(f->key, "simulated"); f++) {
		const char *text = field_text(f, row, buffer);

		if (text && (!f->usual || strcmp(text, f->usual) != 0) && used < NAME_SIZE)
			used += (size_t)snprintf(name + used, NAME_SIZE - used, "%s%s%s%s",
						 used ? ", " : "",
						 f->type == FIELD_NUMBER ? f->key : "",
						 f->type == FIELD_NUMBER ? " " : "", text);
	}
}

/* Writes title and label, and begins the command that draws the curves. */
static void begin_curves(FILE *script, const struct bench_job *job, const char *what,
			 const char *label, size_t curves)
{
	const struct mr_environment *environment = &job->environment;
	char text[512];

	snprintf(text, sizeof(text), "%s: %.64s%s, Linux %.64s", what, environment->device,
		 environment->simulated ? " (simulated)" : "", environment->kernel);
	fputs("set title ", script);
	put_quoted(script, text);
	snprintf(text, sizeof(text), "%s  (mrctl %.32s, rdma-core %.32s, %u round%s%s)", label,
		 environment->mrctl, environment->rdma_core, (unsigned int)job->method.rounds.value,
		 job->method.rounds.value == 1 ? "" : "s",
		 curves > CURVES_MAX ? ", not all curves" : "");
	fputs("\nset xlabel ", script);
	put_quoted(script, text);
	fputs("\nplot ", script);
}

static void put_curve(FILE *script, size_t block, unsigned int column, const char *style,
		      const char *name)
{
	fprintf(script, "$b%zu using 1:%u with %s title ", block, column, style);
	put_quoted(script, name);
	fputs(", ", script); /* gnuplot takes one behind the last, too */
}

static double seconds(struct mr_opt_u64 ns)
{
	return (double)ns.value / 1e9;
}

/* Plots the percentiles of one group by size, or the medians of several. */
static void plot_percentiles(FILE *script, const struct bench_job *job, size_t groups)
{
	static const char *const names[] = { "p50", "p90", "p99", "max" };
	const struct bench_row *end = job->rows + job->row_count, *only = NULL;
	const struct bench_row *firsts[CURVES_MAX] = { NULL };
	char name[NAME_SIZE] = "median by size";
	double least = 0, most = 0;
	size_t blocks = 0;

	for (const struct bench_row *first = job->rows; first < end; first++) {
		if (!bench_begins_group(job, first) || blocks == CURVES_MAX)
			continue;
		fprintf(script, "$b%zu << EOD\n", blocks);
		for (const struct bench_row *row = first; row < end; row++) {
			const double p50 = seconds(row->p50_ns), max = seconds(row->max_ns);

			if (!bench_same_group(first, row))
				continue;
			fprintf(script, "%" PRIu64 " %.9f %.9f %.9f %.9f\n", row->size.value, p50,
				seconds(row->p90_ns), seconds(row->p99_ns), max);
			least = least > 0 ? fmin(least, p50) : p50;
			most = fmax(most, groups == 1 ? max : p50);
		}
		fputs("EOD\n", script);
		firsts[blocks++] = first;
	}
	only = groups == 1 ? firsts[0] : NULL;
	fprintf(script,
		"set ylabel 'time of a call'\nset format x '%%.0b %%BB'\nset format y '%%.0s %%cs'\n"
		"set logscale x 2\nset yrange [%.9f:%.9f]\n%s",
		least * 0.9, most * 1.1, most > DECADES * least ? "set logscale y 10\n" : "");
	if (only)
		snprintf(name, sizeof(name), "%s by size", only->group.call);
	begin_curves(script, job, name, "size", groups);
	for (unsigned int i = 0; only && i < 4; i++)
		put_curve(script, 0, i + 2, "linespoints", names[i]);
	for (size_t i = 0; !only && i < blocks; i++) {
		name_group(firsts[i], name);
		put_curve(script, i, 2, "linespoints", name);
	}
}

/* Plots for each row how many of its calls took at most how long. */
static void plot_distributions(FILE *script, const struct bench_job *job, size_t groups)
{
	const struct bench_row *end = job->rows + job->row_count;
	size_t block = 0;

	for (const struct bench_row *row = job->rows; row < end && block < CURVES_MAX; row++) {
		double seen = 0;

		fprintf(script, "$b%zu << EOD\n%.9f 0\n", block++, seconds(row->min_ns));
		for (size_t i = 0; i < row->buckets.count; i++) {
			seen += (double)row->bucket[i].count.value;
			fprintf(script, "%.9f %.9f\n", seconds(row->bucket[i].ns),
				100 * seen / (double)row->count.value);
		}
		fputs("EOD\n", script);
	}
	fputs("set ylabel 'calls'\nset format x '%.0s %cs'\nset format y '%.0f %%'\n"
	      "set yrange [0:100]\n",
	      script);
	begin_curves(script, job, "distribution of calls", "time of a call", job->row_count);
	block = 0;
	for (const struct bench_row *row = job->rows; row < end && block < CURVES_MAX; row++) {
		char size[IEC_TEXT_MAX], group[NAME_SIZE], name[2 * NAME_SIZE];

		name_group(row, group);
		snprintf(name, sizeof(name), "%.20s%s%s", iec_text(row->size.value, size),
			 groups == 1 ? "" : " ", groups == 1 ? "" : group);
		put_curve(script, block++, 2, "steps", name);
	}
}

static void write_script(FILE *script, const struct bench_job *job, const char *terminal,
			 bool is_file)
{
	double least_size = INFINITY, most_size = 0, least = INFINITY, most = 0;
	size_t groups = 0;

	for (const struct bench_row *row = job->rows; row < job->rows + job->row_count; row++) {
		groups += bench_begins_group(job, row);
		least_size = fmin(least_size, (double)row->size.value);
		most_size = fmax(most_size, (double)row->size.value);
		least = fmin(least, seconds(row->min_ns));
		most = fmax(most, seconds(row->max_ns));
	}
	fprintf(script,
		"set terminal %s\nset encoding utf8\nset grid\nset key below width 2\n%s"
		"set xrange [%.0f:%.0f]\n",
		terminal, is_file ? "set multiplot layout 2,1\n" : "", least_size * 0.9,
		most_size * 1.1);
	plot_percentiles(script, job, groups);
	fprintf(script, "\nunset logscale\nset xrange [%.9f:%.9f]\n%s", least * 0.9, most * 1.1,
		most > DECADES * least ? "set logscale x 10\n" : "");
	plot_distributions(script, job, groups);
	putc('\n', script);
}

/* Draws for a terminal of gnuplot.  Return: 0, and what gnuplot printed, which is to be freed; or -errno. */
static int draw(const struct bench_job *job, const char *terminal, bool is_file,
		struct child *child, struct mr_error *err)
{
	mr_auto_fd int fd = mr_memfd_create("mrctl-plot", 0); /* gnuplot inherits it */
	sigset_t none;
	FILE *script;
	char path[32];
	int rc;

	*child = (struct child){ .text = NULL };
	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "memfd_create", NULL);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	script = fopen(path, "we");
	if (!script)
		return mr_fail(err, MR_ERROR_HOST, errno, "fopen", NULL);
	write_script(script, job, terminal, is_file);
	if (fclose(script))
		return mr_fail(err, MR_ERROR_HOST, errno, "fclose", NULL);
	sigemptyset(&none);
	*child = (struct child){ .argv = (char *[]){ (char[]){ "gnuplot" }, path, NULL },
				 .output = CHILD_CATCH,
				 .patience_ns = PATIENCE_S * UINT64_C(1000000000),
				 .mask = &none };
	rc = child_run(child, err);
	if (rc == -ENOENT)
		mr_hint(err, "gnuplot draws the pictures: install it (Debian: gnuplot-nox)");
	if (rc || !child->status)
		return rc;
	free(child->text);
	child->text = NULL;
	mr_fail_text(err, MR_ERROR_HOST, EIO,
		     child->is_late ? "gnuplot did not end within %d seconds"
				    : "gnuplot failed; its message is above",
		     PATIENCE_S);
	return -EIO;
}

static int draw_file(const struct bench_job *job, const char *path, struct mr_error *err)
{
	const char *ending = strrchr(path, '.');
	struct replaced_file file;
	struct child child;
	int rc = draw(job,
		      ending && !strcasecmp(ending, ".png") ? "pngcairo noenhanced size 1000,1100"
		      : ending && !strcasecmp(ending, ".pdf")
			      ? "pdfcairo noenhanced size 8,9"
			      : "svg noenhanced size 1000,1100 background 'white'",
		      true, &child, err);

	if (rc)
		return rc;
	rc = replaced_file_open(&file, path, err);
	if (!rc) {
		fwrite(child.text, 1, child.length, file.stream);
		rc = replaced_file_close(&file, err);
	}
	free(child.text);
	return rc;
}

int bench_plot(const struct bench_job *job, struct mr_error *err)
{
	const struct bench_args *args = job->args;
	struct child child;
	int rc = 0;

	if (!job->row_count)
		return 0;
	if (args->plot && !*args->plot && output_is_for_people(&job->answer.out)) {
		rc = draw(job, "dumb nofeed noenhanced size 79,24", false, &child, err);
		if (!rc)
			output_text("%s", child.text);
		free(child.text);
	}
	if (!rc && args->plot && *args->plot)
		rc = draw_file(job, args->plot, err);
	return rc || !args->svg ? rc : draw_file(job, args->svg, err);
}
