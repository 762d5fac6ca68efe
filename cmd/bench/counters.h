/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel counted while it was measured: whether keys were made anew, or taken from those that it keeps. */
#ifndef CMD_BENCH_COUNTERS_H
#define CMD_BENCH_COUNTERS_H

#include "cmd/bench/job.h"

/** bench_counters_begin() - read the counters of all devices, which are open, before the first call */
void bench_counters_begin(struct bench_job *job, const struct mr_bench_place *places);

/** bench_print_counters() - read them again, and print those that are known; text: only those that have changed */
void bench_print_counters(struct bench_job *job);

#endif
