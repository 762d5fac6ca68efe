/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the phases of a registration take, by the difference of medians. */
#ifndef CMD_BENCH_PHASES_H
#define CMD_BENCH_PHASES_H

#include "cmd/bench/job.h"

/** bench_print_phases() - print them where --phases asks for them; text: a line for each */
void bench_print_phases(struct bench_job *job);

#endif
