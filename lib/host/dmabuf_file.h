/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an open descriptor of the process is, which was given as that of a dma-buf. */
#ifndef LIB_HOST_DMABUF_FILE_H
#define LIB_HOST_DMABUF_FILE_H

#include <stdbool.h>

#include "lib/base/base.h"
#include "lib/host/root.h"

struct mr_dmabuf_file {
	bool is_dmabuf;
	bool is_path;      /**< it was opened by O_PATH: reading it, or registering it, is EBADF */
	bool is_simulated; /**< a memfd that stands for a dma-buf where the HCA is simulated */
	char target[104];  /**< what /proc/self/fd shows: "/dev/zero", "pipe:[1234]" */
	char exporter[32]; /**< driver that made the dma-buf: "udmabuf"; empty: not known */
	struct mr_opt_u64 size; /**< bytes of the dma-buf */
};

/**
 * mr_dmabuf_file_read() - look at a descriptor
 *
 * Return: 0; -ENOENT where no such descriptor is open; or -errno where /proc does not tell.
 */
int mr_dmabuf_file_read(struct mr_host *host, int fd, struct mr_dmabuf_file *file);

#endif
