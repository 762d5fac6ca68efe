/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory behind a region: where it comes from, and the kinds that reproduce failures.
 */
#ifndef LIB_MEMORY_MAPPING_H
#define LIB_MEMORY_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/choice.h"
#include "lib/base/error.h"
#include "lib/base/number.h"
#include "lib/memory/unfinished.h"

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
	MR_MEMORY_DM,      /**< on the RDMA device: nothing to map */
	MR_MEMORY_NULL_MR, /**< none, and no request for any: the null MR */
};

/** A kind of memory as the user names it: "anon", "hugetlb:2M", "file:PATH". */
struct mr_memory_kind {
	enum mr_memory_type type;
	const char *text;          /**< as typed */
	const char *path;          /**< of FILE, FILE_PRIVATE and DEVICE, else NULL */
	uint64_t huge_size;        /**< of HUGETLB: bytes of a page, 0 for the system's default */
	struct mr_opt_u64 dm_size; /**< of DM: bytes to allocate; not known: as regions need */
};

/** All kinds, for help texts; the last one has no name. */
extern const struct mr_word mr_memory_kinds[];

/**
 * mr_memory_kind_parse() - read a KIND; @text must outlive @kind
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int mr_memory_kind_parse(const char *text, struct mr_memory_kind *kind, struct mr_error *err);

struct mr_memory_request {
	struct mr_memory_kind kind;
	uint64_t length;        /**< bytes wanted behind the start */
	uint64_t offset;        /**< bytes from the start of the mapping to the start */
	struct mr_opt_u64 addr; /**< map there or fail */
	struct mr_opt_u64 node; /**< NUMA node of the pages */
	bool populate;          /**< fault the pages in now */
};

struct mr_memory {
	uint64_t start;            /**< address of the first byte, the mapping's plus the offset */
	uint64_t page_size;        /**< bytes; of the base or huge pages behind it */
	void *map;                 /**< the mapping, or NULL */
	uint64_t map_length;       /**< bytes */
	struct mr_unfinished made; /**< the file that was made for it, until it is kept */
};

/**
 * mr_memory_map() - make the memory
 * @request: what is wanted
 * @memory:  set on success; mr_memory_unmap() it
 *
 * The kinds that leave a gap (unmapped, hole) need that nobody maps anything between this call
 * and the registration: allocate before.
 *
 * Return: 0, or -errno of the host call that failed.
 */
int mr_memory_map(const struct mr_memory_request *request, struct mr_memory *memory,
		  struct mr_error *err);

/** mr_memory_keep_file() - a region has come about on it: a file that was made for it stays */
void mr_memory_keep_file(struct mr_memory *memory);

/**
 * mr_memory_unmap() - give it back; a region on it has been deregistered before
 *
 * A file that was made for it and not kept is removed.
 */
void mr_memory_unmap(struct mr_memory *memory);

#endif
