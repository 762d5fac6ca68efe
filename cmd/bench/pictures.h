/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pictures of what was measured, drawn by gnuplot: percentiles by size, and the distribution of the calls. */
#ifndef CMD_BENCH_PICTURES_H
#define CMD_BENCH_PICTURES_H

#include "cmd/bench/job.h"

/** bench_draw_check() - whether gnuplot can be run, where pictures are wanted.  Return: 0, or -errno with MR_ERROR_HOST. */
int bench_draw_check(const struct bench_args *args, struct mr_error *err);

/**
 * bench_draw() - with --plot print them as text, with --svg write them to a file of the kind of its ending
 *
 * Return: 0, or -errno with MR_ERROR_HOST; then a file that was there is as it was.
 */
int bench_draw(const struct bench_job *job, struct mr_error *err);

#endif
