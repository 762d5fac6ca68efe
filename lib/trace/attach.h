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

#include "lib/trace/follow.h"

enum {
	MR_KERNEL_ATTRIBUTES = 12, /**< attributes of an ioctl that are copied */
	MR_KERNEL_BLOCK = 48, /**< bytes behind an attribute's pointer; struct ib_uverbs_rereg_mr */
	MR_KERNEL_METHODS = 11,
	MR_KERNEL_COMMANDS = 5,
};

/** A call that has returned. */
struct mr_kernel_event {
	uint64_t begin_ns, end_ns; /**< CLOCK_MONOTONIC */
	uint32_t tid, pid;
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

/** A method of ioctl(2) that registers, changes or frees. */
struct mr_kernel_method {
	uint16_t object, method;
	enum mr_traced_call
		call; /**< of the library that makes it; MR_TRACED_CALL_COUNT: a command */
	/** Numbers of attributes, plus 1; 0: there is none */
	uint16_t addr, length, access, iova, fd, pages, flags, handle;
};

extern const struct mr_kernel_method mr_kernel_methods[MR_KERNEL_METHODS];

/** Commands of write(2), which an ioctl carries out as well: IB_USER_VERBS_CMD_... */
extern const uint32_t mr_kernel_commands[MR_KERNEL_COMMANDS];

/**
 * mr_kernel_call_read() - read a call as the agent would have recorded it
 * @record: set, but for its thread and its device
 *
 * Return: false where it is of no interest.
 */
bool mr_kernel_call_read(const struct mr_kernel_event *event, struct mr_trace_record *record);

/** All zero: nothing is watched. */
struct mr_attach {
	int fds[16]; /**< maps, programs and probes */
	size_t fd_count;
	int ring, pending, lost; /**< the maps */
	void *consumer, *producer;
	struct mr_attach_call *calls;
	size_t call_count;
	uint64_t unpaired;            /**< calls whose return was not seen */
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
