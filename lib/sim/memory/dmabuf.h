/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_MEMORY_DMABUF_H
#define LIB_SIM_MEMORY_DMABUF_H

#include <stdbool.h>
#include <stdint.h>

/** Memfds whose names begin so stand for dma-bufs. */
#define SIM_DMABUF_NAME "mrctl-dmabuf"

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

/**
 * sim_dmabuf_open() - open a node that makes dma-bufs, if it is one and the environment asks for a
 * simulated device
 * @path: or NULL
 * @fd:   set to the descriptor or -errno
 *
 * Return: false for any other path.
 */
bool sim_dmabuf_open(const char *path, int flags, int *fd);

/**
 * sim_dmabuf_ioctl() - serve such a node
 * @answer: set to what ioctl() returns, or -errno
 *
 * Return: false for any other descriptor.
 */
bool sim_dmabuf_ioctl(int fd, unsigned long request, void *arg, int *answer);

#endif
