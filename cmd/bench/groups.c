// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/bench/groups.h"
#include "lib/bench/bench.h"

void bench_device_text(const struct mr_environment *environment, char *text, size_t size)
{
	snprintf(text, size, "%s%s", environment->device,
		 environment->simulated ? " (simulated)" : "");
}

const char *bench_memory_text(const struct mr_bench_point *point)
{
	return mr_region_is_dmabuf(point->what->call) ? point->from.text : point->memory.text;
}

bool bench_same_setup(const struct bench_setup *left, const struct bench_setup *right)
{
	return left->point.what == right->point.what && left->threads == right->threads &&
	       left->processes == right->processes &&
	       !strcmp(bench_memory_text(&left->point), bench_memory_text(&right->point));
}

bool bench_same_group(const struct bench_series *left, const struct bench_series *right)
{
	return left->setup && right->setup && left->environment == right->environment &&
	       left->level == right->level && bench_same_setup(left->setup, right->setup);
}

bool bench_begins_group(const struct bench_job *job, size_t index)
{
	if (!job->series[index].round_count)
		return false;
	for (size_t i = 0; i < index; i++)
		if (job->series[i].round_count &&
		    bench_same_group(&job->series[i], &job->series[index]))
			return false;
	return true;
}

void bench_group_fill(struct bench_group_row *row, const struct bench_series *series)
{
	const struct mr_bench_point *point = &series->setup->point;

	*row = (struct bench_group_row){
		.call = point->what->name,
		.memory = bench_memory_text(point),
		.state = BENCH_STATE,
		.threads = known(series->setup->threads),
		.processes = known(series->setup->processes),
		.occupied = known(series->level->regions),
		.direction = series->level->direction,
	};
	bench_device_text(series->environment, row->device, sizeof(row->device));
}

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *fmt,
							 ...)
{
	const size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + used, size - used, fmt, ap);
	va_end(ap);
}

void bench_group_text(const struct bench_series *series, char *text, size_t size)
{
	const struct bench_setup *setup = series->setup;
	const struct mr_bench_point *point = &setup->point;
	const char *memory = bench_memory_text(point);
	char device[96];

	bench_device_text(series->environment, device, sizeof(device));
	snprintf(text, size, "%s on %s", point->what->name, device);
	if (strcmp(memory, "anon") != 0)
		append(text, size, ", %s", memory);
	if (setup->threads > 1)
		append(text, size, ", %u threads", setup->threads);
	if (setup->processes > 1)
		append(text, size, ", %u processes", setup->processes);
	if (series->level->direction)
		append(text, size, ", %llu occupied, %s",
		       (unsigned long long)series->level->regions, series->level->direction);
}
