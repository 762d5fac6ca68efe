/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The dma-bufs behind a region: descriptors of memory that one driver shares with others. */
#ifndef LIB_MEMORY_DMABUF_H
#define LIB_MEMORY_DMABUF_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"

struct mr_cuda;

/** Stands for a descriptor that is closed.  It is not -1, because libmlx5 refuses -1 without asking the kernel. */
#define MR_DMABUF_CLOSED INT_MIN

enum mr_dmabuf_type {
	MR_DMABUF_FD,      /**< an inherited descriptor */
	MR_DMABUF_UDMABUF, /**< made of a memfd by /dev/udmabuf */
	MR_DMABUF_HEAP,    /**< made by /dev/dma_heap/NAME */
	MR_DMABUF_CUDA,    /**< made of a GPU's memory by the CUDA driver */
	MR_DMABUF_DM,      /**< made of memory on the RDMA device: see mr_dm_export() */
	MR_DMABUF_TYPES,   /**< how many there are */
};

/** A source of a dma-buf as the user names it: "fd:N", "udmabuf", "heap:NAME", "cuda:N". */
struct mr_dmabuf_source {
	enum mr_dmabuf_type type;
	const char *text; /**< as typed */
	const char *name; /**< of HEAP, else NULL */
	int number; /**< of FD: the descriptor, negative ones too, or MR_DMABUF_CLOSED; of CUDA: the device */
};

/** All sources, for help texts; the last one has no name. */
extern const struct mr_word mr_dmabuf_sources[MR_DMABUF_TYPES + 1];

/**
 * mr_dmabuf_source_parse() - read a SOURCE; @text must outlive @source
 *
 * A descriptor that is closed becomes MR_DMABUF_CLOSED.  Its number may be given to a file that mrctl
 * opens later, and the stack would then be asked to register that file.
 *
 * Return: 0, or -EINVAL/-ERANGE with MR_ERROR_USAGE.
 */
int mr_dmabuf_source_parse(const char *text, struct mr_dmabuf_source *source, struct mr_error *err);

/** mr_dmabuf_source_size() - bytes of the dma-buf where @source is an FD; 0 where they are not known */
uint64_t mr_dmabuf_source_size(const struct mr_dmabuf_source *source);

/** A dma-buf that is wanted. */
struct mr_dmabuf_request {
	struct mr_dmabuf_source source;
	uint64_t size;    /**< bytes to make, rounded up to whole pages, at least one; not of FD */
	bool data_direct; /**< of CUDA: export it for PCIe, as Data Direct needs it */
};

/** An open dma-buf.  All zeros: none. */
struct mr_dmabuf {
	int fd;
	int memfd;            /**< of UDMABUF: the memory, or -1 */
	bool owned;           /**< mr_dmabuf_close() closes it; false for an inherited descriptor */
	uint64_t page_size;   /**< bytes of its pages, 0 where they are not known */
	struct mr_cuda *cuda; /**< of CUDA, or NULL */
};

/**
 * mr_dmabuf_open() - make the dma-buf, or take the inherited descriptor
 * @dmabuf: set on success; mr_dmabuf_close() it
 *
 * Whether an inherited descriptor is a dma-buf is not checked: the stack refuses another one.
 *
 * Return: 0, or -errno of the call that failed, with MR_ERROR_HOST.
 */
int mr_dmabuf_open(const struct mr_dmabuf_request *request, struct mr_dmabuf *dmabuf,
		   struct mr_error *err);

/**
 * mr_dmabuf_close() - close a dma-buf; nothing to do for one that is all zeros
 *
 * A region that is registered on it keeps the dma-buf alive; but memory of a GPU is freed all the same.
 */
void mr_dmabuf_close(struct mr_dmabuf *dmabuf);

#endif
