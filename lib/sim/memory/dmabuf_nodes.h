/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_MEMORY_DMABUF_NODES_H
#define LIB_SIM_MEMORY_DMABUF_NODES_H

#include <stdbool.h>

/**
 * sim_dmabuf_node_open() - open a device node that makes dma-bufs
 * @path:  may be NULL
 * @flags: of open(2), of which O_CLOEXEC counts
 * @fd:    set to the descriptor or -errno
 *
 * Return: false for any other path, and where the environment asks for no simulated device.
 */
bool sim_dmabuf_node_open(const char *path, int flags, int *fd);

/**
 * sim_dmabuf_node_ioctl() - serve an ioctl of such a node
 * @answer: set to what ioctl() returns, or to -errno
 *
 * Return: false for any other descriptor or request.
 */
bool sim_dmabuf_node_ioctl(int fd, unsigned long request, void *arg, int *answer);

#endif
