// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/bench/groups.h"
#include "cmd/bench/pictures.h"
#include "cmd/output/cell.h"
#include "cmd/output/chart.h"
#include "cmd/output/paragraph.h"
#include "lib/bench/case.h"

/* More curves than these cannot be told apart. */
enum { CURVES_MAX = 12, NAME_SIZE = 160 };

/* A chart while it is made, with what its pointers point to. */
struct picture {
	struct chart chart;
	struct chart_curve curves[CURVES_MAX];
	char names[CURVES_MAX][NAME_SIZE];
	char title[256], subtitle[256];
	size_t left_out; /* curves that there is no room for */
	bool out_of_memory;
};

static const double parts[] = { 0.5, 0.9, 0.99, 1 };
static const char *const part_names[] = { "p50", "p90", "p99", "max" };

static void release(struct picture *picture)
{
	for (size_t i = 0; i < picture->chart.count; i++)
		free((void *)(uintptr_t)picture->curves[i].points);
}

/* Begins a curve.  Return: room for its points; NULL: there is none, or no memory. */
static struct chart_point *add_curve(struct picture *picture, size_t points)
{
	struct chart_curve *curve = &picture->curves[picture->chart.count];
	struct chart_point *room;

	if (picture->chart.count == CURVES_MAX) {
		picture->left_out++;
		return NULL;
	}
	room = calloc(points, sizeof(*room));
	if (!room) {
		picture->out_of_memory = true;
		return NULL;
	}
	*curve = (struct chart_curve){ .name = picture->names[picture->chart.count++],
				       .points = room };
	picture->chart.curves = picture->curves;
	return room;
}

static char *name_of_last(struct picture *picture)
{
	return picture->names[picture->chart.count - 1];
}

/* ---- percentiles by size ---- */

/* Adds the curve of a percentile of the group that begins with series @first. */
static void add_percentile(struct picture *picture, const struct bench_job *job, size_t first,
			   size_t part, bool is_only_group)
{
	const size_t count = bench_job_series_count(job);
	struct chart_point *points = add_curve(picture, count);
	struct chart_curve *curve = &picture->curves[picture->chart.count - 1];
	char group[NAME_SIZE];

	if (!points)
		return;
	for (size_t i = first; i < count; i++) {
		const struct bench_series *series = &job->series[i];

		if (series->round_count && bench_same_group(&job->series[first], series))
			points[curve->count++] = (struct chart_point){
				(double)series->setup->point.size,
				(double)mr_histogram_quantile(&series->histogram, parts[part]),
			};
	}
	bench_group_text(&job->series[first], group, sizeof(group));
	snprintf(name_of_last(picture), NAME_SIZE, "%s", is_only_group ? part_names[part] : group);
}

static size_t count_groups(const struct bench_job *job)
{
	size_t groups = 0;

	for (size_t i = 0; i < bench_job_series_count(job); i++)
		groups += bench_begins_group(job, i);
	return groups;
}

static void describe(struct picture *picture, const struct bench_job *job, const char *what)
{
	const struct mr_environment *environment = job->answer.environment;
	const size_t length = sizeof(picture->subtitle);
	int used;

	snprintf(picture->title, sizeof(picture->title), "%s: %s%s, Linux %s", what,
		 environment->device, environment->simulated ? " (simulated)" : "",
		 environment->kernel);
	used = snprintf(picture->subtitle, length, "mrctl %s, rdma-core %s, %u rounds",
			environment->mrctl, environment->rdma_core, job->rounds);
	if (picture->left_out && (size_t)used < length)
		snprintf(picture->subtitle + used, length - (size_t)used,
			 "; the first %d of %zu curves", CURVES_MAX,
			 CURVES_MAX + picture->left_out);
	picture->chart.title = picture->title;
	picture->chart.subtitle = picture->subtitle;
}

/* Of one group the percentiles, of several groups their medians. */
static void draw_percentiles(struct picture *picture, const struct bench_job *job)
{
	const size_t groups = count_groups(job), count = bench_job_series_count(job);
	char what[NAME_SIZE] = "median by size";

	picture->chart.x = (struct chart_axis){ "size", CHART_BYTES, true };
	picture->chart.y = (struct chart_axis){ "time of a call", CHART_NS, true };
	for (size_t i = 0; i < count; i++) {
		if (!bench_begins_group(job, i))
			continue;
		for (size_t part = 0; part < (groups == 1 ? sizeof(parts) / sizeof(*parts) : 1);
		     part++)
			add_percentile(picture, job, i, part, groups == 1);
		if (groups == 1)
			snprintf(what, sizeof(what), "%s by size",
				 job->series[i].setup->point.what->name);
	}
	describe(picture, job, what);
}

/* ---- distribution ---- */

/* From the least value on, each bucket adds its part. */
static void add_distribution(struct picture *picture, const struct bench_series *series)
{
	struct mr_histogram_bucket bucket;
	size_t from = 0, buckets = 0;
	struct chart_point *points;
	uint64_t seen = 0;

	while (mr_histogram_next(&series->histogram, &from, &bucket))
		buckets++;
	points = add_curve(picture, buckets + 1);
	if (!points)
		return;
	points[0] = (struct chart_point){ (double)series->histogram.min, 0 };
	buckets = 1;
	for (from = 0; mr_histogram_next(&series->histogram, &from, &bucket); buckets++) {
		seen += bucket.count;
		points[buckets] =
			(struct chart_point){ (double)bucket.ns,
					      (double)seen / (double)series->histogram.count };
	}
	picture->curves[picture->chart.count - 1].count = buckets;
	picture->curves[picture->chart.count - 1].is_stepped = true;
}

static void name_distribution(struct picture *picture, const struct bench_series *series,
			      bool is_only_group)
{
	char size[FIELD_TEXT_MAX], group[NAME_SIZE];

	cell_iec_text(series->setup->point.size, size);
	bench_group_text(series, group, sizeof(group));
	snprintf(name_of_last(picture), NAME_SIZE, "%.20s%s%.120s", size, is_only_group ? "" : " ",
		 is_only_group ? "" : group);
}

static void draw_distributions(struct picture *picture, const struct bench_job *job)
{
	const bool is_only_group = count_groups(job) == 1;

	picture->chart.x = (struct chart_axis){ "time of a call", CHART_NS, true };
	picture->chart.y = (struct chart_axis){ "calls", CHART_FRACTION, false };
	for (size_t i = 0; i < bench_job_series_count(job); i++) {
		const struct bench_series *series = &job->series[i];
		const size_t before = picture->chart.count;

		if (series->round_count)
			add_distribution(picture, series);
		if (picture->chart.count > before)
			name_distribution(picture, series, is_only_group);
	}
	describe(picture, job, "distribution of calls");
}

/* ---- drawing ---- */

static bool wants_text(const struct bench_job *job)
{
	return output_is_for_people(&job->answer.out) && (job->args->plot || isatty(STDOUT_FILENO));
}

static int draw_text(const struct picture *pictures, size_t count, struct mr_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		output_empty_line();
		rc = chart_text(&pictures[i].chart, 0, err);
	}
	return rc;
}

static int draw(const struct bench_job *job, struct picture *pictures, struct mr_error *err)
{
	const struct chart charts[] = { pictures[0].chart, pictures[1].chart };
	int rc = 0;

	if (pictures[0].out_of_memory || pictures[1].out_of_memory)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	if (!charts[0].count)
		return 0; /* nothing was measured */
	if (wants_text(job))
		rc = draw_text(pictures, 2, err);
	if (!rc && job->args->svg)
		rc = chart_svg(job->args->svg, charts, 2, err);
	return rc;
}

int bench_draw(const struct bench_job *job, struct mr_error *err)
{
	struct picture *pictures = calloc(2, sizeof(*pictures));
	int rc;

	if (!wants_text(job) && !job->args->svg) {
		free(pictures);
		return 0;
	}
	if (!pictures)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	draw_percentiles(&pictures[0], job);
	draw_distributions(&pictures[1], job);
	rc = draw(job, pictures, err);
	release(&pictures[0]);
	release(&pictures[1]);
	free(pictures);
	return rc;
}
