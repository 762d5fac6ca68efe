/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Watching the calls of a process that runs already to the kernel's uverbs interface.
 *
 * Probes at the entry and return of ib_uverbs_ioctl() and ib_uverbs_write() run BPF programs, which copy the calls of
 * that process into a ring.  All of them belong to descriptors of this process, and the kernel removes them when it
 * ends, however it ends.  The process itself is neither stopped nor changed.
 */
#ifndef LIB_TRACE_ATTACH_H
#define LIB_TRACE_ATTACH_H

#include "lib/trace/attach_program.h"
#include "lib/trace/follow.h"

/** All zero: nothing is watched. */
struct mr_attach {
	int fds[16]; /**< maps, programs and probes */
	size_t fd_count;
	struct mr_attach_maps maps;
	void *consumer, *producer;
	bool has_own_threads; /**< the process numbers its threads in another PID namespace */
	uint64_t looks, last_look_ns; /**< at the process */
};

/**
 * mr_attach_begin() - watch a process
 * @pid: its number in the first PID namespace
 *
 * Return: 0, or -errno with MR_ERROR_HOST and a hint.  mr_attach_end() it in any case.
 */
int mr_attach_begin(struct mr_attach *attach, pid_t pid, struct mr_error *err);

/**
 * mr_attach_run() - follow the process until it ends, or a signal comes that ends commands
 * @follow: its only process is this one
 *
 * Return: 0, or -errno.
 */
int mr_attach_run(struct mr_attach *attach, struct mr_follow *follow, struct mr_error *err);
void mr_attach_end(struct mr_attach *attach);

#endif
