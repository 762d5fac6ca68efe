/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kinds of memory, by the words that users choose them with. */
#ifndef LIB_MEMORY_KINDS_H
#define LIB_MEMORY_KINDS_H

#include <stdint.h>

#include "lib/base/base.h"

/** The kinds.  A new one needs a row in mr_memory_kinds, and a row in kinds[] of mapping.c. */
enum mr_memory_type {
	MR_MEMORY_ANON,
	MR_MEMORY_THP,
	MR_MEMORY_MEMFD,
	MR_MEMORY_HUGETLB,
	MR_MEMORY_FILE,
	MR_MEMORY_FILE_PRIVATE,
	MR_MEMORY_NONE,
	MR_MEMORY_READONLY,
	MR_MEMORY_UNMAPPED,
	MR_MEMORY_HOLE,
	MR_MEMORY_DEVICE,
	MR_MEMORY_CUDA,    /**< of a GPU, by the CUDA driver: this process cannot read it */
	MR_MEMORY_DM,      /**< memory on the RDMA device: nothing is mapped */
	MR_MEMORY_NULL_MR, /**< the null MR, which has no memory: nothing is mapped */
	MR_MEMORY_TYPES,   /**< how many there are */
};

/** A kind of memory as the user names it: "anon", "hugetlb:2M", "file:PATH". */
struct mr_memory_kind {
	enum mr_memory_type type;
	const char *text;          /**< as typed */
	const char *path;          /**< of FILE, FILE_PRIVATE and DEVICE, else NULL */
	uint64_t huge_size;        /**< of HUGETLB: bytes of a page, 0 for the system's default */
	int gpu;                   /**< of CUDA: the number of the GPU */
	struct mr_opt_u64 dm_size; /**< of DM: bytes to allocate; not known: as regions need */
};

/** All kinds, with their help, by enum mr_memory_type; the last one has no name. */
extern const struct mr_word mr_memory_kinds[MR_MEMORY_TYPES + 1];

/**
 * mr_memory_kind_parse() - read a KIND; @text must outlive @kind
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int mr_memory_kind_parse(const char *text, struct mr_memory_kind *kind, struct mr_error *err);

#endif
