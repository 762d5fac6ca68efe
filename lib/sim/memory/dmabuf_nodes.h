/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_MEMORY_DMABUF_NODES_H
#define LIB_SIM_MEMORY_DMABUF_NODES_H

#include <stdbool.h>

/**
 * sim_dmabuf_node_open() - open a node that makes dma-bufs, if it is one and the environment asks for a
 * simulated device
 * @path: or NULL
 * @fd:   set to the descriptor or -errno
 *
 * Return: false for any other path.
 */
bool sim_dmabuf_node_open(const char *path, int flags, int *fd);

/**
 * sim_dmabuf_node_ioctl() - serve such a node
 * @answer: set to what ioctl() returns, or -errno
 *
 * Return: false for any other descriptor.
 */
bool sim_dmabuf_node_ioctl(int fd, unsigned long request, void *arg, int *answer);

#endif
