/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines through the medians by size, and the settings of UCX that follow from them. */
#ifndef CMD_BENCH_FITS_H
#define CMD_BENCH_FITS_H

#include "cmd/bench/job.h"

/** bench_print_fits() - print them; text: a line for each */
void bench_print_fits(struct bench_job *job);

#endif
