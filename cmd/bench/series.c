// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/series.h"

static int compare_times(const void *left, const void *right)
{
	const uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;

	return (l > r) - (l < r);
}

uint64_t bench_median(const uint64_t *values, size_t count)
{
	uint64_t *sorted = count ? malloc(count * sizeof(*sorted)) : NULL;
	uint64_t median = 0;

	if (sorted) {
		memcpy(sorted, values, count * sizeof(*sorted));
		qsort(sorted, count, sizeof(*sorted), compare_times);
		median = sorted[(count - 1) / 2];
	}
	free(sorted);
	return median;
}

void bench_series_add(struct bench_series *series, const struct mr_bench_crew *crew, size_t place)
{
	struct bench_round_result *round = &series->rounds[series->round_count];
	uint64_t sum = 0, workers = 0;

	*round = (struct bench_round_result){ 0 };
	for (uint32_t i = 0; i < crew->count; i++) {
		const struct mr_bench_worker *worker = &crew->workers[i];
		uint64_t median;

		if (worker->place != place || !worker->count)
			continue;
		median = bench_median(worker->samples, worker->count);
		if (!series->first_ns)
			series->first_ns = worker->first_ns;
		if (median > round->slowest_ns)
			round->slowest_ns = median;
		sum += median;
		workers++;
		round->count += worker->count;
		for (uint64_t j = 0; j < worker->count; j++)
			mr_histogram_add(&series->histogram, worker->samples[j], 1);
	}
	if (!workers)
		return;
	round->p50_ns = sum / workers;
	series->round_count++;
}
