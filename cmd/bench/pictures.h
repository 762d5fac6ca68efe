/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pictures of what was measured: percentiles by size, and the distribution of the calls. */
#ifndef CMD_BENCH_PICTURES_H
#define CMD_BENCH_PICTURES_H

#include "cmd/bench/job.h"

/**
 * bench_draw() - draw them on a terminal, or with --plot wherever text for people goes, and to the file of --svg
 * Return: 0 or -errno.
 */
int bench_draw(const struct bench_job *job, struct mr_error *err);

#endif
