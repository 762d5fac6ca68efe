/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A call that is being served, and its attributes. */
#ifndef LIB_SIM_CALL_ATTRS_H
#define LIB_SIM_CALL_ATTRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/rdma_user_ioctl_cmds.h>

#include "lib/sim/base/kernel_versions.h"
#include "lib/sim/state/table.h"

struct sim_call;
struct sim_profile;

#define SIM_MAX_ATTRS 13

/** What an attribute carries: the kernel's enum uverbs_attr_type. */
enum sim_attr_kind {
	SIM_ATTR_IN,      /**< data from the caller, inline up to 8 bytes */
	SIM_ATTR_ENUM,    /**< a value of an enumeration, below @max, without data */
	SIM_ATTR_OUT,     /**< a buffer of the caller for data */
	SIM_ATTR_USE,     /**< handle of an object */
	SIM_ATTR_DESTROY, /**< handle of an object to destroy; the method's first attribute */
	SIM_ATTR_NEW,     /**< gets the handle of a new object */
	SIM_ATTR_NEW_FD,  /**< gets a new descriptor */
	SIM_ATTR_RAW_FD,  /**< a descriptor of any file */
};

/** What a method accepts under one attribute id: the kernel's struct uverbs_attr_spec. */
struct sim_attr_spec {
	uint16_t id;
	uint8_t kind; /**< enum sim_attr_kind */
	bool mandatory;
	uint16_t min;          /**< least bytes; of a handle: the type of its object */
	uint16_t max;          /**< most bytes */
	enum sim_change since; /**< kernels without this change do not know the attribute */
};

/** A method of the ioctl: a row of uverbs/methods.c. */
struct sim_method {
	uint32_t driver; /**< enum rdma_driver_id; RDMA_DRIVER_UNKNOWN: any */
	uint16_t object;
	uint16_t method;
	enum sim_change since; /**< kernels without this change do not know the method */

	enum mr_sim_call call; /**< its name for faults; MR_SIM_CALLS: none */

	/** Carries the call out: 0, or -errno; NULL: there is nothing to do but to create or destroy. */
	int (*handle)(struct sim_call *call);
	size_t count; /**< of @attrs */
	struct sim_attr_spec attrs[SIM_MAX_ATTRS];
};

/** A call that is being served.  The table is locked, but between sim_call_unlock() and sim_call_relock(). */
struct sim_call {
	struct sim_table *table;
	const struct sim_profile *profile; /**< of the table's device */
	bool unlocked;                     /**< sim_call_relock() failed to lock the table */
	const struct sim_method *method;
	struct ib_uverbs_attr *attrs[SIM_MAX_ATTRS]; /**< the caller's, in the order of the specs */
	struct sim_object *object;           /**< found or reserved by the last handle attribute */
	const struct sim_attr_spec *creates; /**< attribute of what is created, or NULL */
	uint32_t created;                    /**< handle or descriptor of that */
};

/** sim_is_null() - whether a pointer is in the first page: EFAULT; other wild pointers crash the program */
static inline bool sim_is_null(uint64_t address)
{
	return address < 4096;
}

/** sim_attr_is_inline() - whether the attribute itself holds its data, rather than a pointer to it */
static inline bool sim_attr_is_inline(const struct ib_uverbs_attr *attr)
{
	return attr->len <= sizeof(attr->data);
}

/**
 * sim_call_unlock() - unlock the table while the call pins memory; sim_call_relock() it
 *
 * Pinning takes the longer the more memory there is, and other processes shall not wait for it.
 * Pointers into the table are invalid afterwards, and what is being created has no handle until
 * sim_call_relock().
 */
void sim_call_unlock(struct sim_call *call);

/**
 * sim_call_relock() - lock the table again after sim_call_unlock()
 * @rc:     result of what was done in between
 * @pinned: pages that were charged in between; uncounted if the table cannot be locked
 *
 * Return: @rc; if that is 0 and the table cannot be locked, -errno of sim_table_lock().
 */
int sim_call_relock(struct sim_call *call, int rc, uint32_t pinned);

/** sim_need_context() - ib_uverbs_get_ucontext(): 0, or -EINVAL before GET_CONTEXT */
int sim_need_context(const struct sim_table *table);

/** sim_attr() - the attribute with an id, or NULL if the caller did not pass it */
struct ib_uverbs_attr *sim_attr(const struct sim_call *call, uint16_t id);

/** sim_attr_data() - the data of an attribute, inline or not, and its bytes; NULL and 0 without it */
const void *sim_attr_data(const struct sim_call *call, uint16_t id, size_t *length);

/** sim_attr_is_zero() - whether the data of an attribute is all zeros from byte @start on */
bool sim_attr_is_zero(const struct sim_call *call, uint16_t id, size_t start);

/** sim_attr_number() - the inline data of a mandatory attribute, as a number */
uint64_t sim_attr_number(const struct sim_call *call, uint16_t id);

/** sim_attr_flags() - uverbs_get_flags32(): sets @flags; returns 0, or -EINVAL for bits that are not @allowed */
int sim_attr_flags(const struct sim_call *call, uint16_t id, uint32_t allowed, uint32_t *flags);

/**
 * sim_attr_copy() - copy data to the caller; the rest of a longer buffer is left as it is
 * @size: bytes of @data; a shorter buffer gets fewer
 *
 * Return: 0, -ENOENT if the caller did not pass the attribute, or -EFAULT.
 */
int sim_attr_copy(const struct sim_call *call, uint16_t id, const void *data, size_t size);

/**
 * sim_attr_put() - copy data to the caller; the rest of a longer buffer is zeroed
 * @size: bytes of @data; a shorter buffer gets fewer
 *
 * Return: 0, also if the caller did not pass the attribute, or -EFAULT.
 */
int sim_attr_put(const struct sim_call *call, uint16_t id, const void *data, size_t size);

/**
 * sim_write_request() - uverbs_request(): copy the request of a write command
 * @request: gets it; zeros behind a shorter one
 * @size:    bytes of @request
 *
 * Return: 0, or -EOPNOTSUPP if a longer request has anything but zeros behind @size bytes.
 */
int sim_write_request(const struct sim_call *call, void *request, size_t size);

#endif
