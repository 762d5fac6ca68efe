/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_MEMORY_DMABUF_H
#define LIB_SIM_MEMORY_DMABUF_H

#include <stdbool.h>
#include <stdint.h>

/** Memfds whose names begin so stand for dma-bufs, the latter for those of a heap. */
#define SIM_DMABUF_NAME    "mrctl-dmabuf"
#define SIM_DMABUF_OF_HEAP SIM_DMABUF_NAME "-heap"

/** What a dma-buf of pages of the device is of. */
struct sim_export {
	uint64_t table; /**< header->id of the context; 0: it is of other memory */
	uint64_t id;    /**< the object's iova */
};

struct sim_dmabuf {
	bool scattered; /**< its pages are not contiguous */
	struct sim_export export;
};

/** sim_dmabuf_export() - a dma-buf of pages of the device; returns the descriptor or -errno */
int sim_dmabuf_export(const struct sim_export *export, uint64_t size);

/**
 * sim_dmabuf_get() - what ib_umem_dmabuf_get() can fail with
 * @dmabuf: set
 *
 * Return: 0, -EBADF, or -EINVAL for what is no dma-buf and for a range that is not in it.
 */
int sim_dmabuf_get(int fd, uint64_t offset, uint64_t length, struct sim_dmabuf *dmabuf);

/** sim_is_stand_in() - whether a descriptor is of a memfd whose name begins with @name */
bool sim_is_stand_in(int fd, const char *name);

/** sim_stand_in_make() - a memfd of that name and size; returns the descriptor or -errno */
int sim_stand_in_make(const char *name, uint64_t size, bool cloexec);

#endif
