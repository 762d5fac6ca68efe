/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of mrctl bench that take lists: "4K,64K", "4K..1G", "1..8". */
#ifndef CMD_BENCH_SWEEP_H
#define CMD_BENCH_SWEEP_H

#include "cmd/cli/option_table.h"
#include "lib/base/number.h"
#include "lib/memory/kinds.h"

enum { SWEEP_MAX = 64 /**< values of a list */ };

/** A list of numbers; empty: it was not given. */
struct sweep {
	uint64_t values[SWEEP_MAX];
	size_t count;
};

/** A list of kinds of memory. */
struct sweep_memory {
	struct mr_memory_kind kinds[SWEEP_MAX];
	size_t count;
};

/** What --occupied asks for. */
struct sweep_occupied {
	uint64_t count; /**< regions; 0: none */
	uint64_t bytes; /**< of each */
};

/** What --plan asks for. */
struct sweep_planned {
	uint64_t bytes;
	bool given;
};

/** Sizes; a range has each size that is four times the one before. */
#define OPTION_CTYPE_sizes struct sweep
/** Numbers from 1; a range has each that is twice the one before, and its end. */
#define OPTION_CTYPE_counts struct sweep
/** Kinds of memory, one for each time the option is given. */
#define OPTION_CTYPE_memories struct sweep_memory
/** N,BYTES */
#define OPTION_CTYPE_occupied struct sweep_occupied

/** Bytes, with an IEC suffix; that they were given chooses a view. */
#define OPTION_CTYPE_planned struct sweep_planned

/** A part of something, in thousandths: "5%", "2.5%". */
#define OPTION_CTYPE_percent struct mr_opt_u64

extern const struct option_type option_type_sizes, option_type_counts, option_type_memories,
	option_type_occupied, option_type_planned, option_type_percent;

#endif
