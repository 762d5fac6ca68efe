/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls to the kernel's uverbs interface, as the programs of attach_program.c copy them. */
#ifndef LIB_TRACE_KERNEL_CALL_H
#define LIB_TRACE_KERNEL_CALL_H

#include <stdbool.h>

#include "lib/trace/wire/calls.h"
#include "lib/trace/wire/wire.h"

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

/** A method of ioctl(2) that registers, changes, frees, or creates a queue. */
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

#endif
