/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of the kernel's log that have to do with RDMA, or with memory that was short. */
#ifndef LIB_HOST_KERNEL_LOG_H
#define LIB_HOST_KERNEL_LOG_H

#include "lib/host/root.h"

/** Bytes of the lines that are kept, the newest ones. */
#define MR_KERNEL_LOG_MAX (48 << 10)

/** What a line must have to be kept, in any case; ends with NULL. */
extern const char *const mr_kernel_log_words[];

/**
 * mr_kernel_log_read() - read these lines
 * @text: set to the lines, each with its newline
 *
 * It is the answer "kernel-log" of a host.
 *
 * Return: 0; or -errno: -EPERM where only root may read the log (kernel.dmesg_restrict), -ENOENT where a recording does
 * not have it.
 */
int mr_kernel_log_read(struct mr_host *host, char text[MR_KERNEL_LOG_MAX]);

/**
 * mr_kernel_log_choose() - keep the lines of a log that have one of the words
 * @log:  is changed: it is cut into its lines
 * @text: set to the last ones that fit into @size bytes
 */
void mr_kernel_log_choose(char *log, char *text, size_t size);

#endif
