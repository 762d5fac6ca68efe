// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "cmd/bench/groups.h"
#include "cmd/bench/phases.h"

struct phase_row {
	struct bench_group_row group;
	struct mr_opt_u64 size;
	struct mr_opt_u64 fault_ns, pin_ns, rest_ns;
};

static const struct field phase_fields[] = {
	BENCH_GROUP_FIELDS(struct phase_row),
	FIELD(struct phase_row, size, FIELD_NUMBER, FIELD_IEC, "bytes of the region"),
	FIELD(struct phase_row, fault_ns, FIELD_NUMBER, FIELD_DURATION,
	      "making the pages: untouched less populated"),
	FIELD(struct phase_row, pin_ns, FIELD_NUMBER, FIELD_DURATION,
	      "pinning and mapping them: populated less on-demand"),
	FIELD(struct phase_row, rest_ns, FIELD_NUMBER, FIELD_DURATION,
	      "all else: on-demand, which pins nothing"),
	FIELD_END,
};
static const struct record phase_record = { "phase", phase_fields, "phases" };

/* The series that differs from @series in how the memory is before the calls alone; NULL: it was not measured. */
static const struct bench_series *other_state(const struct bench_job *job,
					      const struct bench_series *series,
					      enum mr_bench_state state)
{
	for (size_t i = 0; i < bench_job_series_count(job); i++) {
		const struct bench_series *other = &job->series[i];

		if (other->round_count && bench_is_alike(other, series) &&
		    other->setup->point.size == series->setup->point.size &&
		    other->setup->point.state == state)
			return other;
	}
	return NULL;
}

static struct mr_opt_u64 median_of(const struct bench_series *series)
{
	return series ? known(mr_histogram_quantile(&series->histogram, 0.5))
		      : (struct mr_opt_u64){ 0 };
}

/* Not known where one is not, or chance has made the greater one the less. */
static struct mr_opt_u64 difference(struct mr_opt_u64 all, struct mr_opt_u64 part)
{
	const bool is_known = all.known && part.known && all.value >= part.value;

	return (struct mr_opt_u64){ is_known ? all.value - part.value : 0, is_known };
}

static void fill_row(const struct bench_job *job, const struct bench_series *populated,
		     struct phase_row *row)
{
	const struct mr_opt_u64 all = median_of(populated);
	const struct mr_opt_u64 untouched =
		median_of(other_state(job, populated, MR_BENCH_UNTOUCHED));

	*row = (struct phase_row){ .size = known(populated->setup->point.size) };
	bench_group_fill(&row->group, populated);
	row->rest_ns = median_of(other_state(job, populated, MR_BENCH_ON_DEMAND));
	row->fault_ns = difference(untouched, all);
	row->pin_ns = difference(all, row->rest_ns);
}

void bench_print_phases(struct bench_job *job)
{
	const size_t count = bench_job_series_count(job);
	struct phase_row *rows = job->args->phases ? calloc(count, sizeof(*rows)) : NULL;
	struct list list = { &phase_record, rows, 0, sizeof(*rows) };

	if (!rows) {
		if (job->args->phases)
			job->answer.out.error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (job->series[i].round_count &&
		    job->series[i].setup->point.state == MR_BENCH_POPULATED)
			fill_row(job, &job->series[i], &rows[list.count++]);
	output_table(&job->answer.out, phase_record.list, &list,
		     BENCH_GROUP_COLUMNS ",size,fault_ns,pin_ns,rest_ns");
	free(rows);
}
