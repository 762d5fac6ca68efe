/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limit of locked memory, RLIMIT_MEMLOCK of getrlimit(2), which counts the memory that RDMA pins, and the
 * process that a lower limit came from.
 */
#ifndef LIB_HOST_MEMLOCK_H
#define LIB_HOST_MEMLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/host/process_status.h"
#include "lib/host/root.h"

/** Bytes; UINT64_MAX: unlimited. */
struct mr_memlock {
	uint64_t soft; /**< the one that counts */
	uint64_t hard; /**< up to which the process may raise the other */
};

/**
 * mr_memlock_read() - read the limit of a process
 * @process: its number, or "self"
 *
 * Return: 0, or -errno; -EINVAL where the file does not have it.
 */
int mr_memlock_read(struct mr_host *host, const char *process, struct mr_memlock *limit);

/**
 * mr_memlock_is_lifted() - whether the kernel lets this process pin beyond its limit
 *
 * It asks for CAP_IPC_LOCK in the first user namespace (drivers/infiniband/core/umem.c capable()).
 */
enum mr_tristate mr_memlock_is_lifted(struct mr_host *host);

/** How far the limit of this process was followed upwards. */
enum mr_memlock_trace {
	MR_MEMLOCK_OWN,        /**< mr_limits_set() has set it: --limit */
	MR_MEMLOCK_SET,        /**< the parent of the process has another limit */
	MR_MEMLOCK_FROM_START, /**< the process is the first one that can be seen from here */
	MR_MEMLOCK_HIDDEN,     /**< the parent of the process cannot be read */
};

/** The farthest ancestor, or this process itself, up to which all have the limit of this process. */
struct mr_memlock_origin {
	enum mr_memlock_trace trace;
	uint64_t pid; /**< 0: this process */
	char name[16];
	uint64_t parent_pid; /**< 0: it has none */
	char parent[16]; /**< name of its parent; empty where there is none, or it is not known */
	struct mr_memlock parents; /**< the parent's limit, with MR_MEMLOCK_SET */
	char unit[256];            /**< systemd's service that it is in; empty: none is known */
};

/**
 * mr_memlock_trace() - find out where a limit came from
 * @limit: of this process
 *
 * A process inherits the limits of its parent.  Where the parent has another soft limit, the child has set its
 * own, or who started it has.
 *
 * Return: 0, or -errno where the status of this process cannot be read.
 */
int mr_memlock_trace(struct mr_host *host, const struct mr_memlock *limit,
		     struct mr_memlock_origin *origin);

#endif
