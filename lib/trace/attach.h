/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the watching of a program that runs already, by its calls into the kernel. */
#ifndef LIB_TRACE_ATTACH_H
#define LIB_TRACE_ATTACH_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/trace/trace.h"

/** Calls to the kernel's uverbs interface, as the BPF programs copy them. */
enum {
	MR_KERNEL_ATTRIBUTES = 12, /**< attributes of an ioctl that are copied */
	MR_KERNEL_BLOCK =
		56, /**< bytes behind an attribute's pointer; struct ib_uverbs_create_qp */
	MR_KERNEL_METHODS = 14,
	MR_KERNEL_COMMANDS = 9,
};

/** A call that has returned. */
struct mr_kernel_event {
	uint64_t begin_ns, end_ns; /**< CLOCK_MONOTONIC */
	uint32_t tid, pid;         /**< as the process sees them; struct bpf_pidns_info */
	int64_t result;
	uint64_t fd;       /**< UINT64_MAX: not known */
	uint64_t is_write; /**< @size is the command, and the first @block its request */
	/* Else struct ib_uverbs_ioctl_hdr and its attributes: */
	uint16_t size, object, method, attributes;
	uint64_t header[2];
	struct mr_kernel_attribute {
		uint16_t id, length;
		uint32_t flags;
		uint64_t data;
	} attribute[MR_KERNEL_ATTRIBUTES];
	uint8_t block[MR_KERNEL_ATTRIBUTES][MR_KERNEL_BLOCK];
};

/**
 * mr_kernel_call_read() - read a call as the agent would have recorded it
 * @record: set, but for its thread and its device
 *
 * Return: false where it is of no interest.
 */
bool mr_kernel_call_read(const struct mr_kernel_event *event, struct mr_trace_record *record);

/**
 * Watches the calls of a process that runs already to the kernel's uverbs interface; all zero: nothing is watched.
 *
 * Probes at the entry and return of ib_uverbs_ioctl() and ib_uverbs_write() run BPF programs, which copy the calls of
 * that process into a ring.  All of them belong to descriptors of this process, and the kernel removes them when it
 * ends, however it ends.  The process itself is neither stopped nor changed.
 */
struct mr_attach {
	int fds[16]; /**< maps, programs and probes */
	size_t fd_count;
	int ring, pending, lost; /**< of them: the maps */
	pid_t pid;               /**< of the process in the first PID namespace */
	/** Its own PID namespace, as bpf_get_ns_current_pid_tgid() takes it (bpf-helpers(7)) */
	uint32_t pid_device;
	uint64_t pid_inode;
	void *consumer, *producer;
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
