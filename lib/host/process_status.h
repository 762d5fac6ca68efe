/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What /proc/PID/status tells of a process: who it is, what it may do, and what memory it has pinned. */
#ifndef LIB_HOST_PROCESS_STATUS_H
#define LIB_HOST_PROCESS_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/host/root.h"

/** CAP_IPC_LOCK of capabilities(7), as a bit: memory may be pinned beyond RLIMIT_MEMLOCK */
#define MR_CAP_IPC_LOCK (UINT64_C(1) << 14)

/** CAP_DAC_OVERRIDE of capabilities(7), as a bit: files may be opened whatever their permission is */
#define MR_CAP_DAC_OVERRIDE (UINT64_C(1) << 1)

enum { MR_STATUS_GROUPS = 64 /**< groups of a process that are looked at */ };

/** A process.  What its file does not tell is not known. */
struct mr_process_status {
	char name[16];                     /**< its command, in printable characters */
	struct mr_opt_u64 process;         /**< of a thread: number of its process (Tgid) */
	struct mr_opt_u64 parent;          /**< its number; 0: none that can be seen from here */
	struct mr_opt_u64 uid, gid;        /**< effective ones */
	uint32_t groups[MR_STATUS_GROUPS]; /**< supplementary ones */
	unsigned int group_count;
	struct mr_opt_u64 permitted, effective, bounding; /**< capabilities, one bit each */
	struct mr_opt_u64 no_new_privs; /**< 1: set-user-ID programs do not count */
	struct mr_opt_u64 threads;
	struct mr_opt_u64 seccomp; /**< 0: off, 1: strict, 2: system calls are filtered */
	struct mr_opt_u64 mapped;  /**< bytes of its address space */
	struct mr_opt_u64 data;    /**< bytes of it that are private and writable */
	struct mr_opt_u64 pinned;  /**< bytes that drivers pinned for it; RDMA counts these */
	struct mr_opt_u64 locked;  /**< bytes that mlock(2) locked; RDMA does not count these */
};

/**
 * mr_process_status_read() - read the status of a process
 * @process: its number, or "self"
 *
 * Return: 0, or -errno.
 */
int mr_process_status_read(struct mr_host *host, const char *process,
			   struct mr_process_status *status);

/** mr_process_may_write() - whether the permission bits of a file let a process read and write it */
bool mr_process_may_write(const struct mr_process_status *process,
			  const struct mr_host_status *file);

#endif
