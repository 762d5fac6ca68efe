/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests to the kernel's uverbs ioctl interface: an object, a method, and attributes. */
#ifndef LIB_VERBS_IOCTL_H
#define LIB_VERBS_IOCTL_H

#include <rdma/rdma_user_ioctl_cmds.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/verbs/descriptor.h"

/** Attributes that a request has at most. */
#define MR_IOCTL_ATTRS 10

/** A request being put together.  Its header ends with an array of no length: the attributes. */
struct mr_ioctl {
	union {
		struct ib_uverbs_ioctl_hdr header;
		struct {
			char before[sizeof(struct ib_uverbs_ioctl_hdr)];
			struct ib_uverbs_attr attrs[MR_IOCTL_ATTRS];
		};
	};
};

/** mr_ioctl_new() - a request without attributes: UVERBS_OBJECT_…, UVERBS_METHOD_… */
struct mr_ioctl mr_ioctl_new(uint16_t object, uint16_t method);

/**
 * mr_ioctl_new_write() - one of the older commands (IB_USER_VERBS_CMD_…), by UVERBS_METHOD_INVOKE_WRITE
 * @in:  the command's request, and @out its response: both stay in use until mr_ioctl_submit()
 */
struct mr_ioctl mr_ioctl_new_write(uint64_t command, const void *in, size_t in_length, void *out,
				   size_t out_length);

/** mr_ioctl_add() - an attribute as it stands; the kernel writes the handle of a new object to it */
struct ib_uverbs_attr *mr_ioctl_add(struct mr_ioctl *request, uint16_t id, size_t length,
				    uint64_t data);

/** mr_ioctl_add_handle() - the handle of an object */
void mr_ioctl_add_handle(struct mr_ioctl *request, uint16_t id, uint32_t handle);

/** mr_ioctl_add_in() - a value; one of more than eight bytes stays in use until mr_ioctl_submit() */
void mr_ioctl_add_in(struct mr_ioctl *request, uint16_t id, const void *value, size_t length);

/** mr_ioctl_add_out() - room for what the kernel answers */
void mr_ioctl_add_out(struct mr_ioctl *request, uint16_t id, void *value, size_t length);

/**
 * mr_ioctl_submit() - ask the kernel
 * @call: what errors call it: "ioctl(REG_MR)"
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_ioctl_submit(const struct mr_uverbs *uverbs, struct mr_ioctl *request, const char *call,
		    struct mr_error *err);

#endif
