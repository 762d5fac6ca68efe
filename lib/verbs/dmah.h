/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DMA handles (ibv_alloc_dmah(3)): hints that the device gives to PCIe with its accesses to a region. */
#ifndef LIB_VERBS_DMAH_H
#define LIB_VERBS_DMAH_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/choice.h"
#include "lib/base/error.h"

struct ibv_dmah;
struct mr_registrar;
struct mr_uverbs;

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

/** A DMA handle.  All zeros: none. */
struct mr_dmah {
	struct ibv_dmah *dmah;          /**< by MR_VIA_LIBRARY, else NULL */
	const struct mr_uverbs *uverbs; /**< by MR_VIA_KERNEL, else NULL */
	struct mr_dmah_hints hints;
	uint32_t handle; /**< the kernel's number of it; MR_NO_HANDLE: the library does not tell */
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

/**
 * mr_dmah_alloc() - ibv_alloc_dmah(3), or the method DMAH_ALLOC by MR_VIA_KERNEL
 * @dmah: set on success; mr_dmah_free() it
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; -ENOSYS with MR_ERROR_HOST where the library lacks the call.
 */
int mr_dmah_alloc(const struct mr_registrar *registrar, const struct mr_dmah_hints *hints,
		  struct mr_dmah *dmah, struct mr_error *err);

/**
 * mr_dmah_free() - ibv_dealloc_dmah(3), or the method DMAH_FREE; nothing to do where @dmah is none
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED: -EBUSY while a region uses it.
 */
int mr_dmah_free(struct mr_dmah *dmah, struct mr_error *err);

#endif
