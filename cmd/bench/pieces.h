/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pieces that --plan registers memory in. */
#ifndef CMD_BENCH_PIECES_H
#define CMD_BENCH_PIECES_H

#include "cmd/bench/args.h"
#include "lib/bench/forecast.h"
#include "lib/bench/bench.h"

/** With --plan, and without options that say otherwise: a short measurement. */
#define BENCH_PLAN_ROUNDS 3
#define BENCH_PLAN_ROW_NS UINT64_C(100000000)

/** bench_pieces() - sizes of pieces: those of --sizes, or the usual ones */
void bench_pieces(const struct bench_args *args, struct sweep *pieces);

/**
 * bench_pieces_measured() - sizes to measure for --plan
 * @most: bytes that each worker can have
 * @sizes: set to the pieces that fit, and to sizes for a line to those that do not
 */
void bench_pieces_measured(const struct bench_args *args, uint64_t most, struct sweep *sizes);

/** bench_pieces_plan() - what is to be registered, for the calls of @point */
struct mr_forecast_plan bench_pieces_plan(const struct bench_args *args,
					  const struct mr_bench_point *point, uint64_t piece);

/** bench_pieces_check() - whether a command line with --plan makes sense: check of struct command_view */
int bench_pieces_check(const struct invocation *invocation, struct mr_error *err);

#endif
