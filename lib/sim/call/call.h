/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares a call of the simulated uverbs: its attributes, its objects, and the device's profile. */
#ifndef LIB_SIM_CALL_CALL_H
#define LIB_SIM_CALL_CALL_H

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/sim/base/base.h"
#include "lib/sim/memory/memory.h"
#include "lib/sim/state/state.h"

struct sim_call;
struct sim_profile;

/** Carries a call out: a method of the ioctl, or a write command.  Return: 0, or -errno. */
typedef int sim_handler(struct sim_call *call);

#define SIM_MAX_ATTRS    16
#define SIM_COMP_VECTORS 8 /* of each device */

/** Values that a method accepts under one attribute id: the kernel's struct uverbs_attr_spec. */
struct sim_attr_spec {
	uint16_t id;
	uint8_t kind; /**< enum sim_attr_kind */
	bool mandatory;
	bool mlx5_only;        /**< other drivers do not know the attribute */
	uint16_t min;          /**< least bytes; of a handle: the type of its object */
	uint16_t max;          /**< most bytes */
	enum sim_change since; /**< kernels without this change do not know the attribute */
};

/** A method of the ioctl: a row of uverbs/dispatch.c. */
struct sim_method {
	uint16_t object;
	uint16_t method;
	bool mlx5_only; /**< other drivers do not know the method, though the type of objects */
	enum sim_change since; /**< kernels without this change do not know the method */

	enum mr_sim_call call; /**< its name for faults; MR_SIM_CALLS: none */

	sim_handler *handle; /**< NULL: there is nothing to do but to create or destroy */
	size_t count;        /**< of @attrs */
	struct sim_attr_spec attrs[SIM_MAX_ATTRS];
};

/** A call that is being served.  The table is locked, but between sim_call_unlock() and sim_call_relock(). */
struct sim_call {
	struct sim_table *table;
	const struct sim_profile *profile; /**< of the table's device */
	bool unlocked;                     /**< sim_call_relock() failed to lock the table */
	const struct sim_method *method;
	struct ib_uverbs_attr *attrs[SIM_MAX_ATTRS]; /**< the caller's, in the order of the specs */
	struct sim_object *object;       /**< found or reserved by the last handle attribute */
	uint16_t creates;                /**< type of the object that is being made; 0: none */
	uint32_t created;                /**< its handle; or a new descriptor */
	struct ib_uverbs_attr *new_attr; /**< gets that handle, of a method; or NULL */
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
 * sim_call_create() - reserve a handle for a new object, which exists once the call has succeeded
 * @attr: gets the handle; NULL of a write command, whose answer has it: call->created, which sim_call_relock() changes
 *
 * Return: 0, -EINVAL before GET_CONTEXT, or as sim_object_reserve().
 */
int sim_call_create(struct sim_call *call, uint16_t type, struct ib_uverbs_attr *attr);

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

/** sim_attr_fit() - bytes of an answer of @size bytes that the caller has room for; without the attribute, all */
uint32_t sim_attr_fit(const struct sim_call *call, uint16_t id, size_t size);

/** SIM_COPY(), SIM_PUT() - sim_attr_copy() and sim_attr_put() of a variable */
#define SIM_COPY(call, id, variable) sim_attr_copy(call, id, &(variable), sizeof(variable))
#define SIM_PUT(call, id, variable)  sim_attr_put(call, id, &(variable), sizeof(variable))

/**
 * sim_write_request() - uverbs_request(): copy the request of a write command
 * @request: gets it; zeros behind a shorter one
 * @size:    bytes of @request
 *
 * Return: 0, or -EOPNOTSUPP if a longer request has anything but zeros behind @size bytes.
 */
int sim_write_request(const struct sim_call *call, void *request, size_t size);

/** sim_is_object_type() - whether the kernel knows a type of objects on the call's device */
bool sim_is_object_type(const struct sim_call *call, uint16_t object);

/** sim_is_unmodelled_method() - whether the kernel knows a method that uverbs/dispatch.c has no row for */
bool sim_is_unmodelled_method(const struct sim_call *call, uint16_t object, uint16_t method);

struct ib_uverbs_sge;
struct sim_advice;
struct sim_call;
struct sim_mr_request;
struct sim_queue_request;
struct sim_rereg;

/** A kind of device: what its driver does and reports.  Functions return 0 or -errno, if not said otherwise. */
struct sim_profile {
	enum mr_sim_profile kind;
	const char *node;   /**< path of the character device */
	unsigned int major; /**< as in the file "dev" of the profile's sysfs tree */
	unsigned int minor;
	uint32_t driver_id; /**< enum rdma_driver_id */
	uint64_t node_guid; /**< in the machine's byte order; the GUID of the port is one more */
	struct ib_uverbs_query_device_resp attributes; /**< all but the GUIDs */
	uint64_t
		flush_capabilities; /**< enum ib_uverbs_device_cap_flags, from SIM_ACCESS_CAPS on */
	struct ib_uverbs_odp_caps odp;
	enum sim_change odp_since;   /**< kernels without this change have no on-demand paging */
	enum sim_change rereg_since; /**< kernels without this change have no rereg_user_mr */
	uint32_t xrc_odp;
	uint64_t max_dm_size; /**< bytes of the largest DM; 0: the device has no memory */
	struct ib_uverbs_query_port_resp port;
	uint32_t gid_type;       /**< enum ib_uverbs_gid_type */
	bool has_dmabuf;         /**< reg_mr takes dma-bufs */
	uint32_t unknown_access; /**< access flags that the device lacks */

	sim_handler *get_context;   /**< NULL: it has nothing to do */
	sim_handler *query_context; /**< NULL: contexts cannot be imported */
	sim_handler *query_device;
	sim_handler *alloc_pd; /**< NULL: it has nothing to do */

	/** reg_user_mr and reg_user_mr_dmabuf: fills in the rest of the request; no table may be locked. */
	int (*reg_mr)(struct sim_mr_request *request);

	/** rereg_user_mr: fills in the rest of the request; no table may be locked. */
	int (*rereg_mr)(struct sim_rereg *rereg);

	/** Whether an MR can be prefetched; NULL: the key is that of no MR. */
	int (*check_prefetch)(const struct sim_advice *advice, const struct sim_object *mr);

	/** Sets the address of the memory behind a part of an MR that is to be prefetched. */
	int (*prefetch_address)(const struct sim_object *mr, const struct ib_uverbs_sge *part,
				uint64_t *addr);

	/**
	 * create_cq, create_srq, create_qp: checks the request and fills in the rest of it.  It may unlock the table
	 * with sim_call_unlock(): then objects that the request names may be gone.
	 */
	int (*create_queue)(struct sim_call *call, struct sim_queue_request *request);

	/** Answers the driver's data of a queue that has its number. */
	int (*answer_queue)(const struct sim_call *call, const struct sim_queue_request *request);

	/** modify_qp: checks what the core has not; the state changes from @from to @to. */
	int (*check_qp)(const struct sim_call *call, const struct ib_uverbs_modify_qp *cmd,
			uint8_t from, uint8_t to);

	/** modify_srq: checks the command, and sets the @attr of the SRQ. */
	int (*modify_srq)(const struct sim_call *call, struct sim_srq *srq,
			  const struct ib_uverbs_modify_srq *cmd);

	/** Answers the driver's data of an address handle; NULL: there are none. */
	int (*answer_ah)(const struct sim_call *call);

	/** Returns a memory key that no object has; @variant is the @key_variant of struct sim_mr_request. */
	uint32_t (*make_key)(struct sim_table *table, uint8_t variant);

	/** mmap(2) of pages of the device, which returns as that. */
	void *(*mmap)(struct sim_table *table, void *addr, size_t length, int prot, int flags,
		      off_t offset);
};

/** A request to the driver to register; the driver fills in the members with "set". */
struct sim_mr_request {
	enum mr_sim_kernel kernel;
	/** The MR: addr (of a dma-buf bytes from its start), length, iova and access; set: flags, pinned and its union. */
	struct sim_object mr;
	bool is_dmabuf;
	bool data_direct;         /**< through the Data Direct device */
	bool has_dmah;            /**< with the DMA handle @dmah */
	uint32_t dmah;            /**< its handle */
	int fd;                   /**< of the dma-buf */
	struct sim_dmabuf dmabuf; /**< set */
	uint8_t key_variant;      /**< set: of the keys that will do */

	/** Set: the driver does not store length and IOVA in the MR; the write command REG_MR does. */
	bool range_unset;
};

/** A request to the driver to create a CQ, SRQ or QP; the driver fills in the members with "set". */
struct sim_queue_request {
	uint16_t type;  /**< UVERBS_OBJECT_CQ, _SRQ or _QP */
	uint32_t pd;    /**< handle, or SIM_NO_HANDLE of a CQ */
	uint32_t flags; /**< enum ib_uverbs_ex_create_cq_flags or ib_uverbs_qp_create_flags */
	struct ib_uverbs_qp_cap cap; /**< of a QP; the driver may answer greater ones */

	/** The record; set: rings, doorbell, user index, and the limits in its @cqe or @attr. */
	struct sim_queue queue;
	uint32_t pinned; /**< set: pages that were charged */
};

/** A request to the driver to change an MR. */
struct sim_rereg {
	struct sim_object old; /**< the MR as it is */

	/** The MR after the change; unless @translate, its memory is the old one. */
	struct sim_mr_request request;
	bool translate; /**< the memory changes; the driver may set it to pin the old memory anew */
	bool new_key;   /**< set: the MR gets another key */

	struct sim_object given; /**< addr, length and iova of the command, wanted or not */
};

/** A request to the driver to prefetch: the members that all parts of a call share. */
struct sim_advice {
	uint64_t kind; /**< enum ib_uverbs_advise_mr_advice */
	uint64_t pd;   /**< handle */
	bool flush;    /**< false: the kernel prefetches later, and reports no errors */
};

/** All access flags that the newest kernel knows: IB_ACCESS_SUPPORTED. */
#define SIM_ACCESS_KNOWN                                                                           \
	(((SIM_ACCESS_FLUSH_PERSISTENT << 1) - 1) | (uint32_t)IB_UVERBS_ACCESS_OPTIONAL_RANGE)

/** sim_odp_caps() - on-demand paging that the device has with its kernel */
struct ib_uverbs_odp_caps sim_odp_caps(const struct sim_call *call);

/** sim_access_check() - ib_check_mr_access(): 0, -EINVAL, or -EOPNOTSUPP */
int sim_access_check(const struct sim_call *call, uint32_t access);

/** sim_same_page_offset() - whether memory and IOVA have the same offset in their pages, as they must */
static inline bool sim_same_page_offset(uint64_t addr, uint64_t iova)
{
	return !sim_page_offset(addr ^ iova);
}

/** sim_mr_is_implicit() - whether an on-demand MR is of the whole address space: implicit ODP */
static inline bool sim_mr_is_implicit(uint64_t addr, uint64_t length)
{
	return !addr && length == UINT64_MAX;
}

/** sim_mr_page_size() - bytes of the pages that an MR's access flags promise */
static inline uint64_t sim_mr_page_size(const struct sim_object *mr)
{
	return mr->access & IB_UVERBS_ACCESS_HUGETLB ? SIM_HUGE_PAGE : sim_page_size();
}

/** sim_advice_lacks_access() - whether the advice is to prefetch for writing an MR without write access */
static inline bool sim_advice_lacks_access(const struct sim_advice *advice,
					   const struct sim_object *mr)
{
	return advice->kind == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	       !(mr->flags & SIM_MR_WRITABLE);
}

/** sim_call_data() - copy the data for the driver, of which the caller must pass @least bytes: 0, or -EINVAL */
int sim_call_data(const struct sim_call *call, void *data, size_t size, size_t least);

/** sim_round_up_to_power() - the least power of 2 that is not below a number */
static inline uint64_t sim_round_up_to_power(uint64_t number)
{
	return number > 1 ? UINT64_C(1) << (64 - __builtin_clzll(number - 1)) : 1;
}

#define SIM_SRQ_LIMIT 2u /* rdma/ib_verbs.h IB_SRQ_LIMIT */

/** sim_set_srq_limit() - set the limit of an SRQ if the command is to: 0, or -EINVAL if it exceeds the SRQ */
static inline int sim_set_srq_limit(struct sim_srq *srq, const struct ib_uverbs_modify_srq *cmd)
{
	if (!(cmd->attr_mask & SIM_SRQ_LIMIT))
		return 0;
	if (cmd->srq_limit >= srq->ring.count)
		return -EINVAL;
	srq->attr.srq_limit = cmd->srq_limit;
	return 0;
}

/** sim_destroy_object() - uobj_destroy() and the type's destroy_hw(): 0, or -EBUSY while it is needed */
int sim_destroy_object(struct sim_table *table, const struct sim_object *object);

#endif
