/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A call that is being served, and the attributes that it came with. */
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

#define SIM_MAX_ATTRS 12

enum sim_attr_kind {
	SIM_ATTR_IN,      /**< data, inline up to 8 bytes */
	SIM_ATTR_OUT,     /**< room for data */
	SIM_ATTR_USE,     /**< handle of an object */
	SIM_ATTR_DESTROY, /**< handle of the object to destroy; the method's first attribute */
	SIM_ATTR_NEW,     /**< gets the handle of a new object */
	SIM_ATTR_NEW_FD,  /**< gets a new descriptor */
	SIM_ATTR_RAW_FD,  /**< a descriptor, whatever it is */
};

/** What a method accepts under one attribute id: the kernel's struct uverbs_attr_spec. */
struct sim_attr_spec {
	uint16_t id;
	uint8_t kind;
	bool mandatory;
	uint16_t min; /**< bytes; for a handle, the type of its object */
	uint16_t max;
	enum sim_change since; /**< kernels without this change do not know the attribute */
};

struct sim_method {
	uint32_t driver; /**< enum rdma_driver_id; RDMA_DRIVER_UNKNOWN: any */
	uint16_t object;
	uint16_t method;
	enum sim_change since; /**< kernels without this change do not know the method */

	/** Its name; MR_SIM_CALLS: none, as INVOKE_WRITE, which carries named commands. */
	enum mr_sim_call call;
	int (*handle)(struct sim_call *call); /**< NULL: nothing but the destroying */
	size_t count;
	struct sim_attr_spec attrs[SIM_MAX_ATTRS];
};

/** One ioctl on its way; the table is locked. */
struct sim_call {
	struct sim_table *table;
	const struct sim_profile *profile; /**< of the table's device */
	bool unlocked;                     /**< the table could not be locked again */
	const struct sim_method *method;
	struct ib_uverbs_attr *attrs[SIM_MAX_ATTRS]; /**< the caller's, in the order of the specs */
	struct sim_object *object;                   /**< that the handle attribute names */
	const struct sim_attr_spec *creates;         /**< NULL until something was created */
	uint32_t created;                            /**< its handle or descriptor */
};

/** sim_is_null() - whether a pointer is into the first page: EFAULT; other wild ones crash their program */
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
 * sim_call_unlock() - let others work on the table; what is to be created has no handle meanwhile
 *
 * Pinning takes as long as the memory is large, and nobody else shall wait for it.  No pointer into
 * the table is good afterwards.
 */
void sim_call_unlock(struct sim_call *call);

/**
 * sim_call_relock() - the end of sim_call_unlock()
 * @rc:     what was done meanwhile returned
 * @pinned: pages that were charged by it; given back where the table cannot be locked
 *
 * Return: @rc, or what sim_table_lock() failed with.
 */
int sim_call_relock(struct sim_call *call, int rc, uint32_t pinned);

/** sim_need_context() - -EINVAL before GET_CONTEXT (ib_uverbs_get_ucontext) */
int sim_need_context(const struct sim_table *table);

/** sim_attr() - an attribute that the caller passed, or NULL */
struct ib_uverbs_attr *sim_attr(const struct sim_call *call, uint16_t id);

/** sim_attr_data() - what the caller passed in under @id, wherever it is; NULL without it */
const void *sim_attr_data(const struct sim_call *call, uint16_t id, size_t *length);

/** sim_attr_is_zero() - whether what was passed in is all zeros from byte @start on */
bool sim_attr_is_zero(const struct sim_call *call, uint16_t id, size_t start);

/** sim_attr_number() - a mandatory constant (UVERBS_ATTR_CONST_IN) */
uint64_t sim_attr_number(const struct sim_call *call, uint16_t id);

/** sim_attr_flags() - uverbs_get_flags32(): -EINVAL for other bits than @allowed */
int sim_attr_flags(const struct sim_call *call, uint16_t id, uint32_t allowed, uint32_t *flags);

/**
 * sim_attr_copy() - answer; a shorter attribute gets less, a longer one keeps what is behind it
 *
 * Return: 0, -ENOENT when the caller did not ask, or -EFAULT.
 */
int sim_attr_copy(const struct sim_call *call, uint16_t id, const void *data, size_t size);

/**
 * sim_attr_put() - answer; a shorter attribute gets less, a longer one zeros behind it
 *
 * Return: 0 (also when the caller did not ask), or -EFAULT.
 */
int sim_attr_put(const struct sim_call *call, uint16_t id, const void *data, size_t size);

/**
 * sim_write_request() - copy the request of a write command, as uverbs_request() does
 *
 * Return: 0, or -EOPNOTSUPP when what follows the known part is not all zeros.
 */
int sim_write_request(const struct sim_call *call, void *request, size_t size);

#endif
