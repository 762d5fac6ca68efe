/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_MEMORY_DMABUF_H
#define LIB_SIM_MEMORY_DMABUF_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/simulator/spec.h"

/** How the names of memfds begin that stand for dma-bufs; the second is for those of a heap. */
#define SIM_DMABUF_NAME    MR_SIM_DMABUF_NAME
#define SIM_DMABUF_OF_HEAP SIM_DMABUF_NAME "-heap"

/** The object of the device from whose pages a dma-buf was exported: a DM or a UAR. */
struct sim_export {
	uint64_t table; /**< id of the header of its table; 0: the dma-buf is of other memory */
	uint64_t id;    /**< its iova */
};

/** What registering a dma-buf needs to know of it. */
struct sim_dmabuf {
	bool scattered; /**< its pages are not contiguous */
	struct sim_export export;
};

/** sim_dmabuf_export() - make a dma-buf of pages of the device, @size bytes: its descriptor, or -errno */
int sim_dmabuf_export(const struct sim_export *export, uint64_t size);

/**
 * sim_dmabuf_get() - check a dma-buf as ib_umem_dmabuf_get() does
 * @offset: bytes from its start
 * @length: bytes
 * @dmabuf: set
 *
 * Return: 0, -EBADF, or -EINVAL for what is no dma-buf and for a range that is not in it.
 */
int sim_dmabuf_get(int fd, uint64_t offset, uint64_t length, struct sim_dmabuf *dmabuf);

/** sim_is_stand_in() - whether @fd is a memfd whose name begins with @name */
bool sim_is_stand_in(int fd, const char *name);

/** sim_stand_in_make() - make a memfd of a name and a size in bytes: its descriptor, or -errno */
int sim_stand_in_make(const char *name, uint64_t size, bool cloexec);

#endif
