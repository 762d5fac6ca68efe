// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints a measurement: rows or a plan, lines through them, counters of the kernel, how and where it was made. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "lib/base/base.h"
#include "lib/host/reading.h"

/*
 * Lays a line through the times of a group by size.  @first: the first row of the group; @time: offset of the time in
 * struct bench_row.  Return: how many sizes there are; 0: they have no line.
 */
static size_t lay_line(const struct bench_job *job, const struct bench_row *first, size_t time,
		       struct mr_fit *fit)
{
	struct mr_fit_point *points = calloc(job->row_count, sizeof(*points));
	size_t count = 0;

	for (const struct bench_row *row = first; points && row < job->rows + job->row_count; row++)
		if (bench_same_group(first, row))
			points[count++] = (struct mr_fit_point){
				(double)row->size.value,
				(double)((const struct mr_opt_u64 *)((const char *)row + time))
					->value,
			};
	if (mr_fit(points, count, fit))
		count = 0;
	free(points);
	return count;
}

/* ---- plans ---- */

/* Longer times are not forecast; below it a double fits into 64 bits. */
#define MOST_NS 1e18

struct plan_row {
	struct bench_group group;
	bool simulated;
	struct mr_opt_u64 size, pieces;
	struct mr_opt_u64 time_ns, low_ns, high_ns, piece_ns, residual_percent;
};

static const struct field plan_fields[] = {
	BENCH_GROUP_FIELDS(struct plan_row),
	FIELD(struct plan_row, simulated, FIELD_BOOL, FIELD_DETAIL,
	      "whether the device is simulated"),
	FIELD(struct plan_row, size, FIELD_NUMBER, FIELD_IEC, "bytes of a piece"),
	FIELD(struct plan_row, pieces, FIELD_NUMBER, 0,
	      "regions; the last one may be smaller than the others"),
	FIELD(struct plan_row, time_ns, FIELD_NUMBER, FIELD_DURATION,
	      "time to register all pieces; the last one counts as a whole piece"),
	FIELD(struct plan_row, low_ns, FIELD_NUMBER, FIELD_DURATION,
	      "low end of the 95 % interval, from the errors of the line"),
	FIELD(struct plan_row, high_ns, FIELD_NUMBER, FIELD_DURATION,
	      "high end of the 95 % interval"),
	FIELD(struct plan_row, piece_ns, FIELD_NUMBER, FIELD_DURATION | FIELD_DETAIL,
	      "mean time of a call with that many threads"),
	FIELD(struct plan_row, residual_percent, FIELD_NUMBER, FIELD_DETAIL,
	      "root of the mean square of the line's relative errors"),
	FIELD_END,
};
const struct record bench_plan_record = { "plan", plan_fields, "plan" };

static uint64_t divide_up(uint64_t all, uint64_t by)
{
	return all / by + (all % by != 0);
}

/* Sets the times of a row by a line.  A falling line is chance, and a value below zero has no meaning. */
static void fill_times(struct plan_row *row, const struct mr_fit *fit)
{
	const double size = (double)row->size.value;
	const double turns = (double)divide_up(row->pieces.value, row->group.threads.value);
	const double ns = fit->fixed + fit->slope * size, error = mr_fit_error(fit, size);

	if (!(fit->slope > 0) || !(ns > 0) || !(ns * turns < MOST_NS))
		return;
	row->piece_ns = bench_rounded(ns);
	row->time_ns = bench_rounded(ns * turns);
	if (error < MOST_NS) {
		row->low_ns = bench_rounded((ns - error) * turns);
		row->high_ns = bench_rounded((ns + error) * turns);
	}
	row->residual_percent = bench_rounded(fit->residual * 100);
}

static void print_plan(struct bench_job *job, uint64_t *printed)
{
	struct sweep pieces;

	bench_pieces(job->args, &pieces);
	for (const struct bench_row *first = job->rows; first < job->rows + job->row_count;
	     first++) {
		struct mr_fit fit;
		size_t sizes;

		if (!bench_begins_group(job, first))
			continue;
		sizes = lay_line(job, first, offsetof(struct bench_row, mean_ns), &fit);
		for (size_t i = 0; i < pieces.count; i++, ++*printed) {
			struct plan_row row = {
				.group = first->group,
				.simulated = first->simulated,
				.size = known(pieces.values[i]),
				.pieces = known(divide_up(job->args->plan.value, pieces.values[i])),
			};

			if (sizes)
				fill_times(&row, &fit);
			answer_row(&job->answer, &row);
		}
	}
}

/* ---- lines through the medians, and the settings of UCX that follow from them ---- */

struct fit_row {
	struct bench_group group;
	struct mr_opt_u64 sizes, fixed_ns, mib_ns, residual_percent;
	char ucx[128];
};

static const struct field fit_fields[] = {
	BENCH_GROUP_FIELDS(struct fit_row),
	FIELD(struct fit_row, sizes, FIELD_NUMBER, 0, "number of sizes that the line is fitted to"),
	FIELD(struct fit_row, fixed_ns, FIELD_NUMBER, FIELD_DURATION,
	      "time of a call for the smallest region; unknown if the line gives less than 0"),
	FIELD(struct fit_row, mib_ns, FIELD_NUMBER, FIELD_DURATION, "time that each MiB adds"),
	FIELD(struct fit_row, residual_percent, FIELD_NUMBER, 0,
	      "root of the mean square of the relative errors of all sizes"),
	FIELD(struct fit_row, ucx, FIELD_TEXT, 0, "the line as settings of UCX"),
	FIELD_END,
};
static const struct record fit_record = { "fit", fit_fields, "fits" };

/* A line that is farther from the medians gives UCX no advice. */
#define UCX_RESIDUAL 0.25

/* Return: whether a line can be laid through the group that begins with @first. */
static bool fill_fit(const struct bench_job *job, const struct bench_row *first,
		     struct fit_row *row)
{
	const struct mr_bench_case *what = first->setup->point.what;
	struct mr_fit fit;

	*row = (struct fit_row){ .group = first->group };
	row->sizes = known(lay_line(job, first, offsetof(struct bench_row, p50_ns), &fit));
	if (!row->sizes.value)
		return false;
	if (fit.fixed > 0)
		row->fixed_ns = bench_rounded(fit.fixed);
	if (fit.slope > 0)
		row->mib_ns = bench_rounded(fit.slope * (1 << 20));
	row->residual_percent = bench_rounded(fit.residual * 100);
	/* UCX' defaults are "16us" and "0.06ns", of ibv_reg_mr(). */
	if (first->group.threads.value == 1 && first->group.processes.value == 1 &&
	    !first->level->regions && what->call == MR_REG_MR && what->registers && fit.fixed > 0 &&
	    fit.slope > 0 && fit.residual <= UCX_RESIDUAL)
		snprintf(row->ucx, sizeof(row->ucx),
			 "UCX_IB_MEM_REG_OVERHEAD=%.3gus UCX_IB_MEM_REG_GROWTH=%.3gns",
			 fit.fixed / 1e3, fit.slope);
	return true;
}

static void print_fits(struct bench_job *job)
{
	mr_auto_free struct fit_row *rows = calloc(job->row_count + 1, sizeof(*rows));
	struct list list = { &fit_record, rows, 0, sizeof(*rows) };

	if (!rows)
		job->answer.out.error = -ENOMEM;
	for (size_t i = 0; rows && i < job->row_count; i++)
		list.count += bench_begins_group(job, &job->rows[i]) &&
			      fill_fit(job, &job->rows[i], &rows[list.count]);
	output_table(&job->answer.out, fit_record.list, &list,
		     BENCH_GROUP_COLUMNS ",sizes,fixed_ns,mib_ns,residual_percent");
	for (size_t i = 0; i < list.count && output_is_for_people(&job->answer.out); i++) {
		const struct bench_group *group = &rows[i].group;
		const bool is_usual = !strcmp(group->memory, "anon");
		mr_auto_free char *text = NULL;

		if (rows[i].ucx[0] &&
		    asprintf(&text, "settings of UCX for %s%s%s: %s", group->device,
			     is_usual ? "" : ", ", is_usual ? "" : group->memory, rows[i].ucx) >= 0)
			output_paragraph(text, 0, 2);
	}
}

/* ---- what the kernel has counted ---- */

static const struct field counter_fields[] = {
	FIELD(struct bench_counter, device, FIELD_STRING, 0, "RDMA device"),
	FIELD(struct bench_counter, counter, FIELD_STRING, 0,
	      "command of the firmware, or MRs of the kernel's pools"),
	FIELD(struct bench_counter, before, FIELD_NUMBER, 0, "before the first call"),
	FIELD(struct bench_counter, after, FIELD_NUMBER, 0, "after the last one"),
	FIELD_END,
};
static const struct record counter_record = { "counter", counter_fields, "counters" };

/* People see the counters that have changed. */
static void print_counters(struct bench_job *job)
{
	struct list list = { &counter_record, job->counters, 0, sizeof(*job->counters) };

	for (size_t i = 0; i < job->counter_count; i++) {
		const struct bench_counter counter = job->counters[i];

		if (counter.before.known && counter.after.known &&
		    (job->answer.out.style->json || counter.before.value != counter.after.value))
			job->counters[list.count++] = counter;
	}
	output_table(&job->answer.out, counter_record.list, &list, "device,counter,before,after");
}

/* ---- how it was measured ---- */

static const struct field method_fields[] = {
	FIELD(struct bench_method, rounds, FIELD_NUMBER, 0, "rounds of each row"),
	FIELD(struct bench_method, row_ns, FIELD_NUMBER, FIELD_DURATION, "time for each row"),
	FIELD(struct bench_method, calls, FIELD_NUMBER, 0,
	      "calls of each worker, in place of a time"),
	FIELD(struct bench_method, warm_up, FIELD_NUMBER, 0,
	      "warm-up calls of each worker in each round, which are excluded"),
	FIELD(struct bench_method, clock_ns, FIELD_NUMBER, FIELD_DURATION,
	      "time of reading the clock, which each figure includes"),
	FIELD(struct bench_method, elapsed_ns, FIELD_NUMBER, FIELD_DURATION, "time of all rows"),
	FIELD(struct bench_method, interrupted, FIELD_BOOL, 0,
	      "whether a signal interrupted the measurement"),
	FIELD_END,
};
const struct record bench_method_record = { "method", method_fields, NULL };

/* The shortest time between two readings of the clock, which they add to a call between them. */
static uint64_t clock_cost(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		const uint64_t start = mr_now_ns(), cost = mr_now_ns() - start;

		if (cost < least)
			least = cost;
	}
	return least;
}

/* ---- where it was measured ---- */

#define HOST(key, member, ...) FIELD_AS(key, struct bench_host, member, __VA_ARGS__)

static const struct field host_fields[] = {
	HOST("cpu", processor.model, FIELD_TEXT, 0, "model of the CPUs"),
	HOST("cpus", processor.online, FIELD_TEXT, 0, "CPUs that are online"),
	HOST("governor", processor.governor, FIELD_TEXT, 0, "frequency governor of CPU 0"),
	HOST("numa_nodes", processor.nodes, FIELD_TEXT, 0, "NUMA nodes that have memory"),
	HOST("clock", processor.clock, FIELD_TEXT, 0, "clock source of the kernel"),
	HOST("driver", device.driver, FIELD_TEXT, 0, "the kernel's driver of the device"),
	HOST("device_numa_node", device.numa_node, FIELD_NUMBER, 0, "NUMA node of the device"),
	HOST("iommu", iommu.type, FIELD_TEXT, 0, "type of the device's IOMMU group, or none"),
	FIELD(struct bench_host, thp, FIELD_TEXT, 0, "transparent huge pages"),
	HOST("memory_total", memory.total, FIELD_NUMBER, FIELD_IEC, "bytes of memory"),
	HOST("memory_available", memory.available, FIELD_NUMBER, FIELD_IEC,
	     "bytes of memory that are available after the measurement"),
	HOST("fork_safe", fork.is_requested, FIELD_BOOL, 0,
	     "whether the environment enables fork protection of libibverbs"),
	HOST("huge_pages_safe", fork.huge_pages, FIELD_BOOL, 0,
	     "whether RDMAV_HUGEPAGES_SAFE is set"),
	FIELD_END,
};
const struct record bench_host_record = { "host", host_fields, NULL };

void bench_read_host(struct bench_job *job)
{
	struct mr_host *this_host = mr_this_host();
	struct bench_host *host = &job->host;

	*host = (struct bench_host){ .thp = "" };
	mr_processor_read(this_host, &host->processor);
	mr_meminfo_read(this_host, &host->memory);
	mr_thp_mode(this_host, host->thp, sizeof(host->thp));
	mr_fork_read(this_host, &host->fork);
	mr_rdma_device_read_place(this_host, job->environment.device, &host->device);
	/* A simulated device is on no bus. */
	if (!host->device.pci_address[0])
		return;
	mr_iommu_read(this_host, host->device.pci_address, &host->iommu);
	if (!host->iommu.group[0])
		strcpy(host->iommu.type, "none");
}

/* ---- all of it ---- */

const struct field bench_members[] = {
	DOCUMENT_OBJECT("method", &bench_method_record, "how it was measured"),
	DOCUMENT_OBJECT("host", &bench_host_record, "where it was measured"),
	DOCUMENT_LIST("fits", &fit_record, "lines through the medians"),
	DOCUMENT_LIST("counters", &counter_record, "counters of the kernel before and after"),
	FIELD_END,
};

int bench_print(struct bench_job *job, struct mr_error *err)
{
	struct answer *answer = &job->answer;
	struct bench_method *method = &job->method;
	const bool is_plan = job->args->plan.known;
	uint64_t printed = 0;
	int rc;

	bench_read_host(job);
	method->clock_ns = known(clock_cost());
	answer_begin(answer);
	if (is_plan)
		print_plan(job, &printed);
	for (; !is_plan && printed < job->row_count; printed++)
		answer_row(answer, &job->rows[printed]);
	answer_end_rows(answer);
	if (answer->out.style->json) {
		output_object(&answer->out, "method", &bench_method_record, method);
		output_object(&answer->out, "host", &bench_host_record, &job->host);
	}
	if (!is_plan) {
		print_fits(job);
		print_counters(job);
		if (bench_plot(job, err)) {
			answer_fail(answer, err, 0, 0, MR_VIA_LIBRARY);
			mr_error_clear(err);
		}
	}
	rc = answer_end(answer, printed, err);
	if (rc)
		return rc;
	if (printed && output_is_for_people(&answer->out)) {
		answer_note(answer,
			    "%" PRIu64 " round%s; %" PRIu64
			    " warm-up calls per round are excluded; "
			    "reading the clock costs %" PRIu64 " ns, which each figure includes",
			    method->rounds.value, method->rounds.value == 1 ? "" : "s",
			    method->warm_up.value, method->clock_ns.value);
		if (method->interrupted)
			answer_note(answer, "interrupted: %" PRIu64 " of %" PRIu64 " measurements",
				    job->done, job->total);
	}
	return answer_status(answer, printed, NULL);
}
