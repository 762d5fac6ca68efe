/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A refused call: what was asked for, how, and the answer. */
#ifndef LIB_DIAGNOSE_CAUSES_REFUSAL_H
#define LIB_DIAGNOSE_CAUSES_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/diagnose/proof/proof.h"
#include "lib/memory/memory.h"
#include "lib/verbs/device.h"
#include "lib/verbs/verbs.h"

struct mr_table_pool;
struct mr_tries;

/** What a call does.  Calls that do the same are refused for the same causes, whichever path they take. */
enum mr_operation {
	MR_OP_OTHER,       /**< a call that mr_operation_of() does not know */
	MR_OP_PREPARE,     /**< making the memory or dma-buf that is to be registered: mmap, ... */
	MR_OP_FIND,        /**< looking for a device */
	MR_OP_OPEN,        /**< opening a device */
	MR_OP_IMPORT,      /**< importing a session's device, PD or region */
	MR_OP_ALLOC_PD,    /**< allocating a protection domain */
	MR_OP_ALLOC_DM,    /**< allocating memory on the device */
	MR_OP_ALLOC_DMAH,  /**< allocating a DMA handle */
	MR_OP_EXPORT,      /**< exporting memory of the device, or a umem */
	MR_OP_REG,         /**< registering memory of the process */
	MR_OP_REG_DMABUF,  /**< registering a dma-buf */
	MR_OP_REG_DM,      /**< registering memory on the device */
	MR_OP_NULL_MR,     /**< allocating a null MR */
	MR_OP_UMEM,        /**< registering memory of the process as a umem */
	MR_OP_UMEM_DMABUF, /**< registering a dma-buf as a umem */
	MR_OP_REREG,       /**< changing a region */
	MR_OP_ADVISE,      /**< advice about a region */
	MR_OP_DEREG,       /**< deregistering a region */
	MR_OP_FREE,        /**< freeing another object: a PD, memory on the device */
	MR_OP_QUEUE,       /**< creating a CQ, QP or SRQ, whose buffers the driver pins */
	MR_OP_QUERY,       /**< asking the kernel about objects */
	MR_OPERATIONS,     /**< how many there are */
};

/** MR_ON() - the bit of an operation: MR_ON(REG) | MR_ON(UMEM) */
#define MR_ON(operation) (1U << MR_OP_##operation)

/** All operations. */
#define MR_ON_ALL ((1U << MR_OPERATIONS) - 1)

/** The operations that pin memory of the process, or may do so. */
#define MR_ON_PINNING (MR_ON(REG) | MR_ON(UMEM) | MR_ON(REREG))

/** The operations that count against the limit of locked memory. */
#define MR_ON_LOCKING (MR_ON_PINNING | MR_ON(QUEUE))

/** The operations that register a dma-buf. */
#define MR_ON_DMABUFS (MR_ON(REG_DMABUF) | MR_ON(UMEM_DMABUF))

/**
 * A refused call.  Only call, errnum and via are always known; a pointer that is NULL means that the
 * call has no such thing, or that its caller does not know it.
 */
struct mr_refusal {
	const char *call; /**< "ibv_reg_mr", as of struct mr_error */
	int errnum;       /**< positive */
	enum mr_error_kind
		kind; /**< MR_ERROR_HOST: mrctl itself did not make the call, or prepared it */
	enum mr_via via;
	const struct mr_environment
		*environment; /**< its members about a device are those of the call's */
	const struct mr_registrar *registrar; /**< the path, and what is open for it */
	struct ibv_context *context; /**< the device that libibverbs has open, on either path */
	struct ibv_pd *library_pd;   /**< the PD of that, or NULL */
	bool is_own; /**< that context is this process's alone: what is registered ends with it */
	/** @context and @uverbs are not those of the call: the same device was opened anew. */
	bool is_opened_anew;
	/** Bytes that simulated devices have pinned for another process; of this one the simulator itself tells. */
	struct mr_opt_u64 simulated_pinned;
	/** Fork protection of libibverbs, where that is known; else its environment tells what it asks for. */
	enum mr_tristate fork_safe;
	/** Whether the errno is that of a call of libibverbs to the kernel, where those calls were seen. */
	enum mr_tristate by_kernel;
	/** Of a umem: errno of another call of DEVX in the call's own context, 0: none; not known: @uverbs may tell. */
	struct mr_opt_u64 devx_errnum;
	const struct mr_uverbs *uverbs;          /**< the open file of the device, on either path */
	const struct mr_memory_request *mapping; /**< of PREPARE: memory that was to be mapped */
	const struct mr_dmabuf_request *dmabuf;  /**< of PREPARE: the dma-buf that was to be made */
	const struct mr_region_request *request; /**< of a registration */
	uint64_t unknown_attributes; /**< bits of a comp_mask that mrctl does not know */
	uint64_t dm_length;          /**< of ALLOC_DM: bytes */
	uint64_t queue_bytes; /**< of QUEUE: that its buffers take at least on mlx5; 0: not known */
	const struct mr_dmah_hints *hints;     /**< of ALLOC_DMAH */
	const struct mr_advice *advice;        /**< of ADVISE */
	const struct mr_advice_range *advised; /**< of ADVISE */
	bool has_more_ranges; /**< of ADVISE: @advised, and the region, are of the first range */
	const char *memory;   /**< kind of memory or of the dma-buf, as the user gave it: "anon" */
	uint64_t held; /**< bytes that this process has registered before, as far as is known */
	uint64_t
		most_held; /**< of another process: the most bytes that it has had registered at once */
	const struct mr_rereg_request *rereg;         /**< of REREG */
	const struct mr_rereg_failure *rereg_failure; /**< of REREG */
	const char *device; /**< name that was looked for, of FIND and OPEN */
	bool in_session;
	uint64_t try_ns; /**< time that tries may take, in nanoseconds */
	const struct mr_tries
		*tries; /**< what became of the call with changes; NULL: none were tried */
	/** Another process was refused: what is known of this process is not known of that one. */
	bool is_elsewhere;
	/** The process has gone on since: its memory and limits may have changed. */
	bool has_gone_on;
	const struct mr_table_pool *pool; /**< relaxed regions of the session, of REG */
	const char *pd;                   /**< name of the PD, of FREE */
	/** Of FREE: regions of the session that are in the PD, or on the memory. */
	struct mr_opt_u64 users;
	/* An object by its number, of DEREG, FREE and ADVISE: */
	bool handle_known;
	enum mr_region_kind handle_kind; /**< MR_KIND_DM: memory on the device, of FREE */
	uint32_t handle;
	/* Of a region that was there before (REREG, ADVISE, DEREG): */
	bool region_known;
	enum mr_region_call region_call; /**< that registered it */
	uint32_t region_access;
	/** The access with which the region's pages were pinned, which a change of the access leaves. */
	struct mr_opt_u64 pinned_access;
	uint64_t region_addr, region_length, region_iova;
	const struct mr_proven *proven; /**< by watching the kernel; NULL: it was not watched */
};

/** mr_operation_of() - what a call does, by its name; @refusal need have no more than the call and request */
enum mr_operation mr_operation_of(const struct mr_refusal *refusal);

/** mr_call_name() - the @index-th call that mr_operation_of() knows; NULL: there is none */
const char *mr_call_name(size_t index);

/** mr_operation_name() - the usual call of an operation: "ibv_reg_mr"; NULL for MR_OP_OTHER */
const char *mr_operation_name(enum mr_operation operation);

/** mr_operations_of_name() - bits of all operations that a call of that name can be; 0: the name is unknown */
uint32_t mr_operations_of_name(const char *call);

#endif
