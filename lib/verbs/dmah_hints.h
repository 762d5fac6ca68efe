/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a DMA handle is for, as it is asked for and stored. */
#ifndef LIB_VERBS_DMAH_HINTS_H
#define LIB_VERBS_DMAH_HINTS_H

#include <stdint.h>

#include "lib/base/base.h"

/** Kinds of memory that a steering tag can be for. */
enum mr_dmah_memory {
	MR_DMAH_NO_CPU, /**< there is no steering tag: neither memory nor CPU was given */
	MR_DMAH_VOLATILE,
	MR_DMAH_PERSISTENT,
	MR_DMAH_MEMORIES, /**< how many there are */
};

/** The names of these kinds; the first, which stands for none, is empty. */
extern const struct mr_word mr_dmah_memories[MR_DMAH_MEMORIES + 1];

/** The largest processing hint: PCIe gives it two bits. */
#define MR_DMAH_PH_MAX 3

/** What a handle is for.  It is also stored in sessions. */
struct mr_dmah_hints {
	uint32_t cpu;   /**< number of the CPU whose cache is meant, unless MR_DMAH_NO_CPU */
	uint8_t memory; /**< enum mr_dmah_memory */
	uint8_t ph;     /**< processing hint, 0 to MR_DMAH_PH_MAX */
	uint8_t unused[2];
};

/**
 * mr_dmah_parse() - read "cpu=N,mem=volatile|persistent,ph=N"
 *
 * A processing hint must be there, and a CPU and a kind of memory go together, as mlx5 wants it
 * (hw/mlx5/dmah.c mlx5_ib_alloc_dmah()).
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE.
 */
int mr_dmah_parse(const char *text, struct mr_dmah_hints *hints, struct mr_error *err);

#endif
