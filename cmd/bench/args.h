/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_BENCH_ARGS_H
#define CMD_BENCH_ARGS_H

#include "cmd/bench/sweep.h"
#include "cmd/cli/command.h"
#include "cmd/cli/option_types.h"
#include "lib/memory/dmabuf.h"

/** What the options fill. */
struct bench_args {
	struct sweep sizes;
	struct sweep_memory memory;
	struct mr_dmabuf_source from; /**< no text: it was not given */
	struct access_option access;
	struct via_option via;
	struct sweep threads, processes;
	bool all_devices;
	struct sweep_occupied occupied;
	struct mr_opt_u64 rounds;
	struct mr_opt_u64 seconds; /**< for each row, in nanoseconds */
	struct mr_opt_u64 calls;   /**< of each worker, for each row */
	bool plot;
	const char *svg; /**< file for pictures, or NULL */
	bool force;      /**< @svg may exist */
	struct sweep_planned plan;
	bool compare;                /**< the operands are documents */
	struct mr_opt_u64 tolerance; /**< in thousandths */
	bool anyway;
};

/** Without options: rounds, and nanoseconds for each row. */
#define BENCH_ROUNDS  10
#define BENCH_ROW_NS  UINT64_C(500000000)
#define BENCH_WARM_UP 3 /**< calls of each worker in each round that do not count */

/** Without --tolerance: 5 %, in thousandths. */
#define BENCH_TOLERANCE 50

extern const struct command_view bench_compare;

#endif
