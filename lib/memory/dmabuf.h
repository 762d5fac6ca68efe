/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The dma-bufs behind a region: descriptors of memory that one driver shares with others. */
#ifndef LIB_MEMORY_DMABUF_H
#define LIB_MEMORY_DMABUF_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/choice.h"
#include "lib/base/error.h"

struct mr_cuda;

/** In the place of a descriptor that is closed; not -1, which libmlx5 refuses without asking the kernel. */
#define MR_DMABUF_CLOSED INT_MIN

enum mr_dmabuf_type {
	MR_DMABUF_FD,      /**< an inherited descriptor */
	MR_DMABUF_UDMABUF, /**< made by /dev/udmabuf of a memfd */
	MR_DMABUF_HEAP,    /**< made by /dev/dma_heap/NAME */
	MR_DMABUF_CUDA,    /**< made by the CUDA driver of memory of a GPU */
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
 * A descriptor that is closed becomes MR_DMABUF_CLOSED: its number might be given to a file that is
 * opened later, and the stack would be asked about that file.
 *
 * Return: 0, or -EINVAL/-ERANGE with MR_ERROR_USAGE.
 */
int mr_dmabuf_source_parse(const char *text, struct mr_dmabuf_source *source, struct mr_error *err);

/** mr_dmabuf_source_size() - bytes of the dma-buf of an FD; 0 where they are not known */
uint64_t mr_dmabuf_source_size(const struct mr_dmabuf_source *source);

struct mr_dmabuf_request {
	struct mr_dmabuf_source source;
	uint64_t size;    /**< bytes to make, rounded up to whole pages, at least one; not of FD */
	bool data_direct; /**< of CUDA: export it for PCIe, as Data Direct needs it */
};

struct mr_dmabuf {
	int fd;
	int memfd; /**< of UDMABUF: the memory, or -1 */
	bool owned;
	uint64_t page_size;   /**< bytes of its pages, 0 where they are not known */
	struct mr_cuda *cuda; /**< of CUDA, or NULL */
};

/**
 * mr_dmabuf_open() - make or find the dma-buf
 * @dmabuf: set on success; mr_dmabuf_close() it
 *
 * Whether the descriptor of an FD is a dma-buf is not checked: the stack answers to that.
 *
 * Return: 0, or -errno of the host call that failed.
 */
int mr_dmabuf_open(const struct mr_dmabuf_request *request, struct mr_dmabuf *dmabuf,
		   struct mr_error *err);

/**
 * mr_dmabuf_close() - give it back; also one that is all zeros
 *
 * A region on it keeps the dma-buf alive.  But memory of CUDA is freed all the same.
 */
void mr_dmabuf_close(struct mr_dmabuf *dmabuf);

#endif
