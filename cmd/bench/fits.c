// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/fits.h"
#include "cmd/bench/groups.h"
#include "cmd/output/paragraph.h"
#include "lib/base/cleanup.h"
#include "lib/bench/bench.h"

#define MIB (1024.0 * 1024.0)

struct fit_row {
	struct bench_group_row group;
	struct mr_opt_u64 sizes;
	struct mr_opt_u64 fixed_ns, mib_ns, residual_percent;
	char ucx[128];
};

static const struct field fit_fields[] = {
	BENCH_GROUP_FIELDS(struct fit_row),
	FIELD(struct fit_row, sizes, FIELD_NUMBER, 0, "sizes that the line goes through"),
	FIELD(struct fit_row, fixed_ns, FIELD_NUMBER, FIELD_DURATION,
	      "what a call takes however small the region; not known: less than nothing"),
	FIELD(struct fit_row, mib_ns, FIELD_NUMBER, FIELD_DURATION, "what each MiB adds"),
	FIELD(struct fit_row, residual_percent, FIELD_NUMBER, 0,
	      "root of the mean square of the relative errors of all sizes"),
	FIELD(struct fit_row, ucx, FIELD_TEXT, 0, "the same as settings of UCX"),
	FIELD_END,
};
static const struct record fit_record = { "fit", fit_fields, "fits" };

/* A line that is farther from the medians gives UCX no advice. */
#define UCX_RESIDUAL 0.25

/* UCX' defaults are "16us" and "0.06ns"; its cost is that of ibv_reg_mr() of memory that is there. */
static void fill_ucx(struct fit_row *row, const struct bench_series *series,
		     const struct mr_fit *fit)
{
	const struct mr_bench_point *point = &series->setup->point;

	if (series->setup->threads == 1 && series->setup->processes == 1 &&
	    !series->level->regions && point->what->call == MR_REG_MR && point->what->registers &&
	    fit->fixed > 0 && fit->slope > 0 && fit->residual <= UCX_RESIDUAL)
		snprintf(row->ucx, sizeof(row->ucx),
			 "UCX_IB_MEM_REG_OVERHEAD=%.3gus UCX_IB_MEM_REG_GROWTH=%.3gns",
			 fit->fixed / 1e3, fit->slope);
}

/* Return: whether a line can be laid through the group that begins with this series. */
static bool fill_row(const struct bench_job *job, size_t first, struct fit_row *row)
{
	const size_t count = bench_job_series_count(job);
	struct mr_fit_point *points = calloc(count, sizeof(*points));
	struct mr_fit fit;
	size_t used = 0;
	int rc;

	for (size_t i = first; points && i < count; i++) {
		const struct bench_series *series = &job->series[i];

		if (series->round_count && bench_same_group(&job->series[first], series))
			points[used++] = (struct mr_fit_point){
				(double)series->setup->point.size,
				(double)mr_histogram_quantile(&series->histogram, 0.5),
			};
	}
	rc = points ? mr_fit(points, used, &fit) : -ENOMEM;
	free(points);
	if (rc)
		return false;
	*row = (struct fit_row){ .sizes = known(used) };
	bench_group_fill(&row->group, &job->series[first]);
	if (fit.fixed > 0)
		row->fixed_ns = known((uint64_t)(fit.fixed + 0.5));
	if (fit.slope > 0)
		row->mib_ns = known((uint64_t)(fit.slope * MIB + 0.5));
	row->residual_percent = known((uint64_t)(fit.residual * 100 + 0.5));
	fill_ucx(row, &job->series[first], &fit);
	return true;
}

static void print_ucx(const struct fit_row *row)
{
	const bool is_usual = !strcmp(row->group.memory, "anon");
	mr_auto_free char *text = NULL;

	if (!row->ucx[0] ||
	    asprintf(&text, "UCX takes for %s%s%s: %s", row->group.device, is_usual ? "" : ", ",
		     is_usual ? "" : row->group.memory, row->ucx) < 0)
		return;
	output_paragraph(text, 0, 2);
}

void bench_print_fits(struct bench_job *job)
{
	const size_t count = bench_job_series_count(job);
	struct fit_row *rows = calloc(count, sizeof(*rows));
	struct list list = { &fit_record, rows, 0, sizeof(*rows) };

	if (!rows) {
		job->answer.out.error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (bench_begins_group(job, i) && fill_row(job, i, &rows[list.count]))
			list.count++;
	output_table(&job->answer.out, fit_record.list, &list,
		     BENCH_GROUP_COLUMNS ",sizes,fixed_ns,mib_ns,residual_percent");
	for (size_t i = 0; i < list.count && output_is_for_people(&job->answer.out); i++)
		print_ucx(&rows[i]);
	free(rows);
}
