/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests to the kernel's uverbs ioctl interface: an object, a method, and attributes. */
#ifndef LIB_VERBS_IOCTL_H
#define LIB_VERBS_IOCTL_H

#include <rdma/rdma_user_ioctl_cmds.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/descriptor.h"

/** Room for attributes: no request of this folder has more. */
#define MR_IOCTL_ATTRS 10

/** A request.  Its header ends with an array of no length, which the attributes follow. */
struct mr_ioctl {
	union {
		struct ib_uverbs_ioctl_hdr header;
		struct {
			char before[sizeof(struct ib_uverbs_ioctl_hdr)];
			struct ib_uverbs_attr attrs[MR_IOCTL_ATTRS];
		};
	};
};

/**
 * mr_ioctl_new() - begin a request, without attributes
 * @object: UVERBS_OBJECT_…
 * @method: UVERBS_METHOD_…
 */
struct mr_ioctl mr_ioctl_new(uint16_t object, uint16_t method);

/**
 * mr_ioctl_new_write() - begin an older command (IB_USER_VERBS_CMD_…), by UVERBS_METHOD_INVOKE_WRITE
 * @in, @out: the command's request and its response, which must live until mr_ioctl_submit()
 */
struct mr_ioctl mr_ioctl_new_write(uint64_t command, const void *in, size_t in_length, void *out,
				   size_t out_length);

/**
 * mr_ioctl_add() - add an attribute
 * @length, @data: as the kernel gets them
 *
 * Return: the attribute; where it is the handle of a new object, mr_ioctl_submit() sets its data.
 */
struct ib_uverbs_attr *mr_ioctl_add(struct mr_ioctl *request, uint16_t id, size_t length,
				    uint64_t data);

/** mr_ioctl_add_handle() - add the handle of an object; 0 where the call makes the object */
void mr_ioctl_add_handle(struct mr_ioctl *request, uint16_t id, uint32_t handle);

/** mr_ioctl_add_in() - add a value; one of more than eight bytes must live until mr_ioctl_submit() */
void mr_ioctl_add_in(struct mr_ioctl *request, uint16_t id, const void *value, size_t length);

/** mr_ioctl_add_out() - add room for an answer of the kernel, of at most @length bytes */
void mr_ioctl_add_out(struct mr_ioctl *request, uint16_t id, void *value, size_t length);

/**
 * mr_ioctl_submit() - send the request to the kernel
 * @call: its name in errors: "ioctl(REG_MR)"
 * @err:  filled, or NULL where nobody reads it
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_ioctl_submit(const struct mr_uverbs *uverbs, struct mr_ioctl *request, const char *call,
		    struct mr_error *err);

#endif
