/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mrctl bench --plan: how long it takes to register much memory, and whether limits allow it. */
#ifndef CMD_BENCH_FORECAST_H
#define CMD_BENCH_FORECAST_H

#include "cmd/bench/job.h"

extern const struct record bench_forecast_record;

/** The usual columns of its table. */
#define BENCH_FORECAST_COLUMNS                                                                     \
	"call,device,memory,size,pieces,threads,time_ns,by,pinned_pages,entries,allowed,reason"

/** bench_forecast_print() - print a row for each piece size and number of threads, and the limits; @printed: rows */
void bench_forecast_print(struct bench_job *job, uint64_t *printed);

#endif
