// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "cmd/bench/counters.h"
#include "lib/bench/kernel_counters.h"

struct bench_counters {
	struct mr_environment environment;
	struct mr_kernel_counter list[MR_KERNEL_COUNTERS];
};

struct counter_row {
	const char *device, *counter;
	struct mr_opt_u64 before, after;
};

static const struct field counter_fields[] = {
	FIELD(struct counter_row, device, FIELD_STRING, 0, "RDMA device"),
	FIELD(struct counter_row, counter, FIELD_STRING, 0,
	      "command that the firmware was sent, or MRs of the kernel's pools"),
	FIELD(struct counter_row, before, FIELD_NUMBER, 0, "before the first call"),
	FIELD(struct counter_row, after, FIELD_NUMBER, 0, "after the last one"),
	FIELD_END,
};
static const struct record counter_record = { "counter", counter_fields, "counters" };

void bench_counters_begin(struct bench_job *job, const struct mr_bench_place *places)
{
	if (job->counters)
		return;
	job->counters = calloc(job->device_count, sizeof(*job->counters));
	for (size_t i = 0; job->counters && i < job->device_count; i++) {
		job->counters[i].environment = places[i].environment;
		mr_kernel_counters_read(&places[i].environment, job->counters[i].list);
	}
}

/* Nothing is lost for people where a counter stands still. */
static bool is_told(const struct bench_job *job, const struct counter_row *row)
{
	return row->before.known && row->after.known &&
	       (job->answer.out.style->json || row->before.value != row->after.value);
}

static size_t fill_rows(const struct bench_job *job, const struct bench_counters *before,
			struct counter_row *rows)
{
	struct mr_kernel_counter after[MR_KERNEL_COUNTERS];
	size_t count = 0;

	mr_kernel_counters_read(&before->environment, after);
	for (size_t i = 0; i < MR_KERNEL_COUNTERS; i++) {
		rows[count] = (struct counter_row){ before->environment.device, after[i].name,
						    before->list[i].value, after[i].value };
		count += is_told(job, &rows[count]);
	}
	return count;
}

void bench_print_counters(struct bench_job *job)
{
	struct counter_row *rows =
		calloc(job->device_count * MR_KERNEL_COUNTERS + 1, sizeof(*rows));
	struct list list = { &counter_record, rows, 0, sizeof(*rows) };

	if (!rows) {
		job->answer.out.error = -ENOMEM;
		return;
	}
	for (size_t i = 0; job->counters && i < job->device_count; i++)
		list.count += fill_rows(job, &job->counters[i], &rows[list.count]);
	output_table(&job->answer.out, counter_record.list, &list, "device,counter,before,after");
	free(rows);
}
