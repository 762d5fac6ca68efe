/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares a refusal, the causes that it may have, and the diagnosis that weighs them. */
#ifndef LIB_DIAGNOSE_CAUSES_CAUSES_H
#define LIB_DIAGNOSE_CAUSES_CAUSES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/diagnose/proof/proof.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/memory/memory.h"
#include "lib/verbs/verbs.h"

/**
 * The first page of a range that the kernel cannot pin, by the rules of mm/gup.c check_vma_flags().  Pages are
 * pinned by ascending address, so the first obstacle is the one that a call is refused for.
 */
enum mr_obstacle_kind {
	MR_OBSTACLE_NONE,      /**< no page is known that cannot be pinned */
	MR_OBSTACLE_UNMAPPED,  /**< nothing is mapped in the whole range */
	MR_OBSTACLE_HOLE,      /**< a part of the range is not mapped, and what follows is */
	MR_OBSTACLE_END,       /**< the range goes on where the mappings end */
	MR_OBSTACLE_DEVICE,    /**< memory of a device, without pages of the kernel */
	MR_OBSTACLE_DAX,       /**< a file that is persistent memory itself */
	MR_OBSTACLE_SECRET,    /**< memfd_secret(2) */
	MR_OBSTACLE_FILE,      /**< the shared mapping of a file that is written back */
	MR_OBSTACLE_READ_ONLY, /**< mapped without write permission */
	MR_OBSTACLE_NO_ACCESS, /**< mapped without any permission, or without that to read */
	MR_OBSTACLE_FILE_END,  /**< beyond the end of the mapped file */
	MR_OBSTACLE_GUARD, /**< a page of MADV_GUARD_INSTALL, which /proc/PID/maps does not show */
};

struct mr_obstacle {
	enum mr_obstacle_kind kind;
	/**
	 * Nothing else can explain it: the page cannot be pinned, and those before it were.  Pinning puts each page
	 * into memory before it goes on to the next one.
	 */
	bool is_decisive;
	uint64_t addr; /**< of the page; of a hole: its first one */
	uint64_t hole; /**< HOLE, END, UNMAPPED: bytes of the range that are not mapped there */
	unsigned int mappings;      /**< of the range that were looked at */
	bool has_file;              /**< one of them is of a file */
	struct mr_mapping mapping;  /**< that has the page, or is before the hole */
	struct mr_mapped_file file; /**< behind @mapping */
	/** Where pinning ended before @addr, or is not known to have begun: the page, and the mapping that has it. */
	bool has_stop;
	struct mr_absent_page stop;
	struct mr_mapping stop_mapping;
	/** Where the shared mapping of a file has gaps that its file system has no room for. */
	bool has_full;
	struct mr_mapping full;
	struct mr_mapped_file full_file;
	/** Where pages are from the pool of hugetlb: the first mapping of them, and its facts in smaps. */
	bool has_huge;
	struct mr_mapping huge;
	struct mr_mapping_details huge_details;
};

/** Where a device is that could not be found or opened: in sysfs, and in /dev/infiniband. */
struct mr_place {
	char device[64]; /**< "mlx5_0", empty: none was named, and there is none */
	bool is_named;   /**< it was asked for by its name */
	bool is_shown;   /**< it is in the class of devices: in this network namespace */
	bool has_others; /**< there are devices in that class or in the next one */
	bool has_class;  /**< there is the class of nodes, which ib_uverbs makes */
	bool is_listed;  /**< it has a node in that class */
	struct mr_rdma_node node;
	/** -errno of opening the node for reading and writing, or 0; -ENODATA: not known, of another process. */
	int opened;
};

struct mr_data_row;
struct mr_table_pool;
struct mr_tries;

/** Operations.  Calls for the same operation are refused for the same causes, whichever path they take. */
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
	MR_OP_DATA,        /**< moving data through a key, or preparing that */
	MR_OPERATIONS,     /**< how many there are */
};

/** MR_ON() - the bit of an operation: MR_ON(REG) | MR_ON(UMEM) */
#define MR_ON(operation) (1U << MR_OP_##operation)

/** All operations but DATA, which fails by the status of a completion. */
#define MR_ON_ALL ((1U << MR_OP_DATA) - 1)

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
	const char *call;        /**< "ibv_reg_mr", as of struct mr_error */
	int errnum;              /**< positive */
	enum mr_error_kind kind; /**< MR_ERROR_HOST: mrctl did not make the call, or prepared it */
	enum mr_via via;
	const struct mr_environment *environment; /**< of the call's device */
	const struct mr_registrar *registrar;     /**< the path, and what is open for it */
	struct ibv_context *context; /**< the device that libibverbs has open, on either path */
	struct ibv_pd *library_pd;   /**< the PD of that, or NULL */
	bool is_own; /**< only this process has that context: its regions end with it */
	/** @context and @uverbs are not those of the call: the same device was opened anew. */
	bool is_opened_anew;
	/** Bytes that simulated devices have pinned for another process; for this one the simulator reports them. */
	struct mr_opt_u64 simulated_pinned;
	/** Fork protection of libibverbs, if that is known; else its environment shows whether it is requested. */
	enum mr_tristate fork_safe;
	/** Whether the errno is that of a call of libibverbs to the kernel, where those calls were seen. */
	enum mr_tristate by_kernel;
	/** For a umem: errno of another DEVX call in the call's own context, 0: none; unknown: ask by @uverbs. */
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
	uint64_t most_held; /**< of another process: the most bytes registered at once */
	const struct mr_rereg_request *rereg;         /**< of REREG */
	const struct mr_rereg_failure *rereg_failure; /**< of REREG */
	const char *device; /**< name that was looked for, of FIND and OPEN */
	uint64_t try_ns;    /**< time that tries may take, in nanoseconds */
	const struct mr_tries
		*tries; /**< results of the call with changes; NULL: none were tried */
	/** Another process was refused: what is known of this process is not known of that one. */
	bool is_of_other_process;
	/** The process has gone on since: its memory and limits may have changed. */
	bool has_gone_on;
	const struct mr_table_pool *pool; /**< relaxed regions of the session, of REG */
	const char *pd;                   /**< name of the PD, of FREE */
	/** For FREE: regions of the session that are in the PD, or on the memory. */
	struct mr_opt_u64 users;
	/* An object by its number, of DEREG, FREE and ADVISE: */
	bool handle_known;
	enum mr_region_kind handle_kind; /**< MR_KIND_DM: memory on the device, of FREE */
	uint32_t handle;
	/* About an existing region (REREG, ADVISE, DEREG): */
	bool region_known;
	enum mr_region_call region_call; /**< that registered it */
	uint32_t region_access;
	/** The access with which the region's pages were pinned, which a change of the access leaves. */
	struct mr_opt_u64 pinned_access;
	uint64_t region_addr, region_length, region_iova;
	const struct mr_proven *proven; /**< by watching the kernel; NULL: it was not watched */
	/* The data that was to move: */
	const struct mr_data_row *data; /**< the operation, and its answer */
	bool is_gone;                   /**< the kernel has no such region any more */
	enum mr_tristate is_inert;      /**< the process that registered it has ended */
	bool is_revoked;                /**< its Data Direct function was unbound */
};

/** mr_operation_of() - what a call does, by its name; @refusal need have no more than the call and request */
enum mr_operation mr_operation_of(const struct mr_refusal *refusal);

/** mr_call_name() - the @index-th call that mr_operation_of() knows; NULL: there is none */
const char *mr_call_name(size_t index);

/** mr_call_find() - the call of that name (@length bytes); NULL: it is unknown */
const char *mr_call_find(const char *text, size_t length);

/** mr_operation_name() - the usual call of an operation: "ibv_reg_mr"; NULL for MR_OP_OTHER */
const char *mr_operation_name(enum mr_operation operation);

/** mr_operations_of_name() - bits of all operations that a call of that name can be; 0: the name is unknown */
uint32_t mr_operations_of_name(const char *call);

/** The kernel's own errno for what is not supported, which user space does not know (include/linux/errno.h). */
#define ENOTSUPP_OF_KERNEL 524

/** A fact that is looked up when it is asked for first. */
enum mr_fact { MR_FACT_NOT_READ, MR_FACT_KNOWN, MR_FACT_UNKNOWN };

/** A range of addresses of this process. */
struct mr_range {
	uint64_t addr, length;
};

/** mr_range_wraps() - whether the end of a range, rounded up to pages, is beyond the last address */
static inline bool mr_range_wraps(const struct mr_range *range, uint64_t page)
{
	return range->length > UINT64_MAX - (page - 1) - range->addr ||
	       range->addr > UINT64_MAX - (page - 1);
}

/** The access flags by which a device may write: rdma/ib_verbs.h ib_access_writable() */
#define MR_WRITING                                                                                 \
	(MR_ACCESS_LOCAL_WRITE | MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_ATOMIC |                \
	 MR_ACCESS_MW_BIND)

/** The certainty of a cause, in ascending order. */
enum mr_certainty {
	MR_UNRELATED, /**< has nothing to do with the call */
	MR_RULED_OUT,
	MR_POSSIBLE,
	MR_LIKELY,
	MR_CERTAIN,
	MR_CERTAINTIES, /**< how many there are */
};

struct mr_cause;
struct mr_suspicion;

struct mr_inquiry {
	const struct mr_refusal *refusal;
	const struct mr_region_request *request; /**< of the refusal */
	const struct mr_environment
		*environment; /**< of the refusal; all empty where it has none */
	enum mr_operation operation;
	struct mr_host *host;

	enum mr_fact has_status, has_attributes, has_kernel, has_place, has_obstacle;
	enum mr_fact has_dmabuf, has_log_line, has_gpu;
	struct mr_process_status status;
	struct mr_attributes attributes;
	struct mr_kernel_version kernel;
	bool is_vendors; /**< the vendor of that kernel may have added features of newer releases */
	enum mr_tristate has_ofed; /**< whether its RDMA modules are those of OFED */
	struct mr_place place;
	struct mr_dmabuf_file dmabuf;
	struct mr_mlx5_log_line log_line;
	struct mr_obstacle obstacle; /**< mr_obstacle_find() */
	struct mr_mapping gpu;       /**< of a GPU's node, anywhere: mr_obstacle_gpu() */
	struct mr_range range;       /**< of a cause that needs it */
};

/** mr_inquiry_init() - begin an inquiry; nothing is read yet */
void mr_inquiry_init(struct mr_inquiry *inquiry, const struct mr_refusal *refusal,
		     struct mr_host *host);

/** mr_inquiry_status() - this process */
const struct mr_process_status *mr_inquiry_status(struct mr_inquiry *inquiry);

/** mr_inquiry_attributes() - what the call's device reports of itself */
const struct mr_attributes *mr_inquiry_attributes(struct mr_inquiry *inquiry);

/** mr_inquiry_kernel() - the kernel that answered: of the simulated HCA the one that it simulates */
const struct mr_kernel_version *mr_inquiry_kernel(struct mr_inquiry *inquiry);

/** mr_inquiry_place() - where the call's device is, or the one that was looked for; never NULL */
const struct mr_place *mr_inquiry_place(struct mr_inquiry *inquiry);

/**
 * mr_inquiry_kernel_since() - whether that kernel works like Linux from @major.@minor on
 *
 * Return: MR_UNKNOWN if the release does not show it: an older release whose vendor may have added features, or any
 * release with the RDMA modules of OFED, which has its own releases.
 */
enum mr_tristate mr_inquiry_kernel_since(struct mr_inquiry *inquiry, unsigned int major,
					 unsigned int minor);

/** mr_inquiry_is_since() - whether it is known to work so */
static inline bool mr_inquiry_is_since(struct mr_inquiry *inquiry, unsigned int major,
				       unsigned int minor)
{
	return mr_inquiry_kernel_since(inquiry, major, minor) == MR_YES;
}

/** mr_inquiry_kernel_is_known() - whether it is none of those that were released after this was written */
static inline bool mr_inquiry_kernel_is_known(struct mr_inquiry *inquiry)
{
	return mr_inquiry_kernel_since(inquiry, 7, 3) == MR_NO;
}

/** mr_inquiry_has_ofed() - whether the RDMA modules are those of OFED, not of the kernel */
enum mr_tristate mr_inquiry_has_ofed(struct mr_inquiry *inquiry);

/** mr_inquiry_is_call() - whether that call was refused, by its name */
static inline bool mr_inquiry_is_call(const struct mr_inquiry *inquiry, const char *call)
{
	return !strcmp(inquiry->refusal->call, call);
}

/** mr_inquiry_is_driver() - whether the call's device is of the provider @name: "mlx5", "rxe" */
static inline bool mr_inquiry_is_driver(const struct mr_inquiry *inquiry, const char *name)
{
	return !strcmp(inquiry->environment->provider, name);
}

/**
 * mr_inquiry_is_software() - whether it is a software device, for which no vendor distributes another driver or
 * provider
 */
static inline bool mr_inquiry_is_software(const struct mr_inquiry *inquiry)
{
	return mr_inquiry_is_driver(inquiry, "rxe") || mr_inquiry_is_driver(inquiry, "siw");
}

/** mr_inquiry_is_data_direct() - whether the call registers a dma-buf by Data Direct */
static inline bool mr_inquiry_is_data_direct(const struct mr_inquiry *inquiry)
{
	return inquiry->request && mr_call_row(inquiry->request->call)->data_direct;
}

/** mr_inquiry_access() - the requested access flags, or those of the region; 0 where the call has none */
uint32_t mr_inquiry_access(const struct mr_inquiry *inquiry);

/** mr_inquiry_is_on_demand() - whether the access is on demand, so that no memory is pinned */
static inline bool mr_inquiry_is_on_demand(const struct mr_inquiry *inquiry)
{
	return mr_inquiry_access(inquiry) & MR_ACCESS_ON_DEMAND;
}

/**
 * mr_inquiry_check() - the finding of the check @id of stat --host about the call; @device: check only this one,
 * NULL: all
 */
struct mr_finding mr_inquiry_check(const struct mr_inquiry *inquiry, const char *id,
				   const char *device);

/** mr_suspect_found() - take over the finding of a check: its detail as evidence, and its remedy */
void mr_suspect_found(struct mr_suspicion *suspicion, struct mr_finding finding);

/**
 * mr_suspect_by_check() - run the check with the id of the cause, for all devices
 * @what: text before its figure
 * @warn, @bad: how certain the cause is by its verdict; "ok" rules it out
 */
struct mr_finding mr_suspect_by_check(const struct mr_inquiry *inquiry,
				      struct mr_suspicion *suspicion, const char *what,
				      enum mr_certainty warn, enum mr_certainty bad);

/** mr_inquiry_dmabuf() - the descriptor that was given as that of a dma-buf; NULL, too, where none was */
const struct mr_dmabuf_file *mr_inquiry_dmabuf(struct mr_inquiry *inquiry);

/**
 * mr_inquiry_mlx5_log() - the answer in the kernel's log to the last command that mlx5_core has sent for this thread
 */
const struct mr_mlx5_log_line *mr_inquiry_mlx5_log(struct mr_inquiry *inquiry);

/** mr_inquiry_range() - the memory that the call was given; false: it was given none */
bool mr_inquiry_range(const struct mr_inquiry *inquiry, struct mr_range *range);

/** mr_inquiry_proof() - the proof from watching the kernel; NULL: none */
const struct mr_proven *mr_inquiry_proof(const struct mr_inquiry *inquiry);

/** mr_inquiry_function() - the function that is proven to have refused; NULL: it is not known */
const char *mr_inquiry_function(const struct mr_inquiry *inquiry);

/** mr_mapping_find() - the mapping that has an address, or the next one; false: there is none */
bool mr_mapping_find(struct mr_host *host, uint64_t addr, struct mr_mapping *mapping);

/** mr_is_gpu_mapping() - whether a mapping is of a node of a GPU or another accelerator */
bool mr_is_gpu_mapping(const struct mr_mapping *mapping);

/**
 * mr_obstacle_gpu() - the node of a GPU's driver to which the obstacle belongs
 *
 * It is the obstacle's own mapping.  CUDA reserves the addresses of most memory of a GPU by mappings without access and
 * without a file, and maps nodes of its driver elsewhere: then it is one of these.
 *
 * Return: NULL where it is no memory of a GPU.
 */
const struct mr_mapping *mr_obstacle_gpu(struct mr_inquiry *inquiry,
					 const struct mr_obstacle *obstacle);

/**
 * mr_obstacle_find() - look for it
 *
 * It is looked for once in an inquiry.
 *
 * Return: NULL where the call pins no memory of the process, or the mappings cannot be read.
 */
const struct mr_obstacle *mr_obstacle_find(struct mr_inquiry *inquiry);

/**
 * mr_obstacle_find_fault() - look for the first page that cannot be faulted in, as advice does
 * Return: whether that is known.
 */
bool mr_obstacle_find_fault(struct mr_inquiry *inquiry, const struct mr_range *range, bool writes,
			    struct mr_obstacle *obstacle);

/**
 * mr_obstacle_may_be_in() - whether the page that was not pinned can be in the mapping, although the mapping does not
 * show it
 *
 * It can be if pinning ended in it, or if that place is unknown and no mapping is an obstacle.
 */
bool mr_obstacle_may_be_in(const struct mr_obstacle *obstacle, const struct mr_mapping *mapping);

/** mr_is_pinned() - whether nothing is known that keeps the memory from being pinned, which drivers do first */
bool mr_is_pinned(struct mr_inquiry *inquiry);

/** Changes, in the order of the tries.  The first three repeat the call itself. */
enum mr_try_change {
	MR_TRY_UNCHANGED,   /**< nothing */
	MR_TRY_OWN_CONTEXT, /**< nothing but the context and PD: a session's are left alone */
	MR_TRY_ANEW,        /**< of a change of a region: an equal region is registered */
	MR_TRY_NO_LOCAL_WRITE,
	MR_TRY_NO_REMOTE_WRITE,
	MR_TRY_NO_REMOTE_READ,
	MR_TRY_NO_REMOTE_ATOMIC,
	MR_TRY_NO_MW_BIND,
	MR_TRY_NO_ZERO_BASED,
	MR_TRY_NO_ON_DEMAND,
	MR_TRY_NO_HUGETLB,
	MR_TRY_NO_FLUSH_GLOBAL,
	MR_TRY_NO_FLUSH_PERSISTENT,
	MR_TRY_NO_RELAXED_ORDERING,
	MR_TRY_NO_OTHER_FLAGS, /**< without flags that have no name */
	MR_TRY_LOCAL_WRITE,
	MR_TRY_ON_DEMAND,
	MR_TRY_HALF,
	MR_TRY_PAGE,
	MR_TRY_ALIGNED,
	MR_TRY_FRESH_MEMORY,
	MR_TRY_IOVA,
	MR_TRY_OFFSET_0,
	MR_TRY_UDMABUF,
	MR_TRY_NO_DATA_DIRECT,
	MR_TRY_ANY_PAGE_SIZE,
	MR_TRY_OTHER_CALL,
	MR_TRY_OTHER_PATH,
	MR_TRY_OTHER_PD,
	MR_TRY_CHANGES, /**< how many there are */
};

/** MR_CURED_BY() - the bit of a change: MR_CURED_BY(HALF) | MR_CURED_BY(PAGE) */
#define MR_CURED_BY(change) (UINT64_C(1) << MR_TRY_##change)

/** A try. */
struct mr_try {
	enum mr_try_change change;
	const char *id;      /**< "without-remote-atomic" */
	char words[48];      /**< "without remote-atomic" */
	bool made;           /**< the call was made */
	int errnum;          /**< of the call; 0: it succeeded */
	uint64_t elapsed_ns; /**< time the call took */
	char reason[128];    /**< why it was not made, or a remark; or empty */
};

struct mr_tries {
	struct mr_try list[MR_TRY_CHANGES];
	size_t count;
	/**
	 * The call itself was made again, and refused as before: so a change with which it succeeds makes the
	 * difference.
	 */
	bool is_refused_again;
	uint64_t elapsed_ns; /**< of all */
	char note[192];      /**< why there are no tries, or no more; or empty */
};

/*
 * Causes of refusals.  A cause is a row: its id, its calls and errnos, its description, and the function that
 * looks for its evidence.  A wrong cause is worse than none, so such a function
 *  - sets MR_CERTAIN only if the call must fail with that errno for this reason, whatever else is wrong;
 *  - sets MR_LIKELY if the evidence supports the cause, and another cause is possible;
 *  - sets MR_POSSIBLE if no evidence excludes the cause, and some evidence exists;
 *  - rules the cause out if the evidence excludes it;
 *  - sets nothing if the cause is unrelated to the call.
 */

/** The names of certainties, for output and options. */
extern const struct mr_word mr_certainties[MR_CERTAINTIES + 1];

/** A fact that supports a cause. */
struct mr_evidence {
	const char *name; /**< a key of JSON, static: "limit" */
	bool is_number;
	uint64_t number;
	char text[104];
};

enum {
	MR_EVIDENCE_MAX = 10, /**< facts of a cause */
	MR_CAUSE_ERRNOS = 8,  /**< errnos of a cause, and a 0 behind them */
	MR_CAUSE_SAYINGS = 5, /**< sentences of a cause, and an empty one behind them */
};

/** Findings about a cause. */
struct mr_suspicion {
	const struct mr_cause *cause;
	enum mr_certainty certainty;
	enum mr_layer layer; /**< that of the cause, or the one that checks it in this call */
	char text[384]; /**< the cause with its figures, one sentence; or why it is ruled out */
	char remedy[384];
	struct mr_evidence evidence[MR_EVIDENCE_MAX];
	size_t evidence_count;
};

/** How often sites meet a cause, most often first. */
enum mr_frequency { MR_COMMON, MR_OCCASIONAL, MR_RARE };

/** Facts about a call that may be unknown. */
enum mr_need {
	MR_NEED_REQUEST,   /**< a registration's */
	MR_NEED_REREG,     /**< that of a change */
	MR_NEED_REGION,    /**< the region that was there before */
	MR_NEED_RANGE,     /**< memory of the process; it is in the inquiry then */
	MR_NEED_PINNED,    /**< the same, and that is pinned */
	MR_NEED_ON_DEMAND, /**< the access is on demand */
	MR_NEED_OBSTACLE,  /**< mr_obstacle_find(); it is in the inquiry then */
	MR_NEED_DMABUF,    /**< the descriptor of a dma-buf; it is in the inquiry then */
	MR_NEED_EXPORTER,  /**< the same, and the driver that made the dma-buf */
	MR_NEED_MAPPING,   /**< of PREPARE: memory that was to be mapped */
	MR_NEED_PATH,      /**< the same, of a file by its path */
	MR_NEED_CHANGE, /**< of a change: it reached the kernel, unless a code of libibverbs shows otherwise */
	MR_NEED_INPUT, /**< of a change: libibverbs refused it before it called the provider */
	MR_NEED_ADVICE,
	MR_NEED_DEVICE,      /**< its name, in the environment */
	MR_NEED_UVERBS,      /**< the open file of the device */
	MR_NEED_ATTRIBUTES,  /**< what the device reports; it is in the inquiry then */
	MR_NEED_KERNEL,      /**< its version; it is in the inquiry then */
	MR_NEED_LIBRARY,     /**< the call was one to a library */
	MR_NEED_MLX5,        /**< the device is one of mlx5 */
	MR_NEED_RXE,         /**< the device is one of rxe */
	MR_NEED_DATA_DIRECT, /**< the call registers a dma-buf by Data Direct */
	MR_NEED_HINTS,       /**< the memory that a DMA handle is for */
	MR_NEED_PLACE, /**< mr_inquiry_place(), a device that has a node; it is in the inquiry then */
	MR_NEED_HANDLE,        /**< the number of the object */
	MR_NEED_OTHER_PROCESS, /**< another process was refused */
	MR_NEED_DATA,          /**< the operation that was to move data */
	MR_NEED_KEY_CHECK,     /**< the same, and its answer is that of a check of keys */
	MR_NEED_INSIDE, /**< the same, refused although it is inside of the region and has its access */
	MR_NEED_DMABUF_REGION, /**< the region is on a dma-buf */
	/* Conditions of sentences: */
	MR_NEED_GRANTED,       /**< the region has the access of the operation */
	MR_NEED_ATOMIC,        /**< the operation is atomic */
	MR_NEED_WINDOW,        /**< the operation binds a memory window */
	MR_NEED_FLUSHED,       /**< the operation was flushed behind one that failed */
	MR_NEED_UNANSWERED,    /**< the peer did not answer the operation */
	MR_NEED_GONE,          /**< the kernel has no such region any more */
	MR_NEED_REVOKED,       /**< the kernel has revoked the keys of the region */
	MR_NEED_INERT,         /**< the process that registered the region has ended */
	MR_NEED_ALIVE,         /**< it has not */
	MR_NEED_DM_REGION,     /**< the region is on memory of the device */
	MR_NEED_MEMORY_REGION, /**< the region is on memory of the process */
	MR_NEED_OWN_REGION,    /**< of a failed change: this process registered the region */
	MR_NEED_DMAH_REGION,   /**< the region has a DMA handle */
	MR_NEED_DMAH,          /**< the request has a DMA handle */
	MR_NEED_KNOWN_CHANGES, /**< the kernel knows all flags of the change, or it is not known */
	MR_NEED_ODP,           /**< the device reports on-demand paging; with ATTRIBUTES */
	MR_NEED_KNOWN_ADVICE,  /**< drivers know the number of the advice */
	MR_NEED_KNOWN_ADVICE_FLAGS, /**< the kernel knows the flags of the advice */
	MR_NEED_KNOWN_KERNEL,       /**< mr_inquiry_kernel_is_known() */
	MR_NEED_SINCE_6_2,          /**< the kernel works like Linux from 6.2 on */
	MR_NEED_BEFORE_5_13,        /**< it is known to be older */
	MR_NEED_BEFORE_6_6,
	MR_NEED_SOFTWARE,       /**< mr_inquiry_is_software() */
	MR_NEED_UNKNOWN_DRIVER, /**< mrctl itself called a driver that it does not know; with UVERBS */
	MR_NEED_NO_DMABUFS,     /**< mrctl itself called a driver that registers no dma-bufs */
	MR_NEED_UNKNOWN_ATTRIBUTES, /**< comp_mask has unknown bits, and the kernel has not refused */
	MR_NEED_NO_KERNEL,          /**< the library refused without calling the kernel */
	MR_NEED_POOL,               /**< the session refused, and has a pool of relaxed regions */
	MR_NEED_FIXED,              /**< memory was to be mapped at an address */
	MR_NEED_DEVX_DEVICE,        /**< the device was to be opened with DEVX */
	MR_NEED_IMPORTED_DEVICE,    /**< a device of a known provider was to be imported */
	MR_NEED_PCIE_EXPORT,        /**< a dma-buf of NVIDIA's driver, without Data Direct */
};

/** MR_NEEDS() - the bit of a need */
#define MR_NEEDS(need) (UINT64_C(1) << MR_NEED_##need)

/** A sentence about a cause. */
struct mr_saying {
	uint64_t needs; /**< it is true where these are known: bits, as of the cause */
	enum mr_certainty certainty;
	const char *text; /**< has names of facts of the call in braces: "{address}"; NULL: none */
};

/** A cause: an entry of a file such as nodes.txt, of which rows.awk makes it. */
struct mr_cause {
	const char *id;      /**< "MR-MEMLOCK"; the id of a check of stat --host about the same */
	const char *subject; /**< a few words: "limit of locked memory" */
	uint32_t operations; /**< bits: MR_ON(REG) | ... */
	const char *prepared_by[3];   /**< the only calls of PREPARE; ends with NULL; none: any */
	int errnums[MR_CAUSE_ERRNOS]; /**< ends with 0; none: any errno */
	enum mr_layer layer;          /**< that checks it, of most calls */
	enum mr_frequency frequency;
	uint64_t cured_by;     /**< bits of changes that cure it: MR_CURED_BY(FRESH_MEMORY) | ... */
	uint32_t needs_access; /**< it requires one of these access flags; 0: none */
	uint64_t needs;        /**< facts that must be known: bits, MR_NEEDS(REQUEST) | ... */
	const char *driver;    /**< the provider whose devices alone have it: "efa"; NULL: any */
	enum mr_obstacle_kind obstacle; /**< that the memory of the call has */
	const char *statuses;           /**< by which mlx5's firmware has refused; a byte each */
	const char *shows; /**< names of facts of the call that are evidence, or NULL */
	bool is_of_gpu;    /**< of memory of a GPU */
	bool is_of_request; /**< other memory does not cure it: address, length or flags are refused */
	const struct mr_cause *table; /**< the table of the row */
	void (*look)(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion);
	struct mr_saying
		says[MR_CAUSE_SAYINGS]; /**< without a function: the first true one speaks */
	const char *what;               /**< description: one or two sentences */
	const char *recognise;          /**< how to tell it from others */
	const char *remedy;             /**< used if the function sets none */
	const char *sources;            /**< references: files of the kernel, man pages, threads */
};

/** mr_cause_speaks_for() - whether a cause can be that of an errno; 0: any */
bool mr_cause_speaks_for(const struct mr_cause *cause, uint32_t operations, int errnum);

/** mr_cause_has_status() - whether it is one by which the firmware refuses for this cause */
static inline bool mr_cause_has_status(const struct mr_cause *cause, uint64_t status)
{
	return cause->statuses && status && status < 0x80 && strchr(cause->statuses, (int)status);
}

/** mr_suspect() - set the certainty of the cause, and the sentence with its figures */
void mr_suspect(struct mr_suspicion *suspicion, enum mr_certainty certainty, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** mr_rule_out() - rule the cause out, with the reason */
#define mr_rule_out(suspicion, ...) mr_suspect(suspicion, MR_RULED_OUT, __VA_ARGS__)

/** mr_certain_if() - MR_CERTAIN, or MR_LIKELY */
static inline enum mr_certainty mr_certain_if(bool is_certain)
{
	return is_certain ? MR_CERTAIN : MR_LIKELY;
}

/** mr_likely_if() - MR_LIKELY, or MR_POSSIBLE */
static inline enum mr_certainty mr_likely_if(bool is_likely)
{
	return is_likely ? MR_LIKELY : MR_POSSIBLE;
}

/** mr_suspect_remedy() - set a remedy that fits this host better than that of the row */
void mr_suspect_remedy(struct mr_suspicion *suspicion, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** mr_evidence_number() - add a figure; @name is static */
void mr_evidence_number(struct mr_suspicion *suspicion, const char *name, uint64_t number);

/** mr_evidence_text() - add a text */
void mr_evidence_text(struct mr_suspicion *suspicion, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** mr_evidence_hex() - add a mask or an address, as "0x..." */
#define mr_evidence_hex(suspicion, name, number)                                                   \
	mr_evidence_text(suspicion, name, "0x%" PRIx64, (uint64_t)(number))

/** mr_evidence_limit() - add a limit: UINT64_MAX is "unlimited" */
static inline void mr_evidence_limit(struct mr_suspicion *suspicion, const char *name,
				     uint64_t limit)
{
	if (limit == UINT64_MAX)
		mr_evidence_text(suspicion, name, "unlimited");
	else
		mr_evidence_number(suspicion, name, limit);
}

/** mr_cause_find() - the cause with that id (@length bytes, in any case), or NULL */
const struct mr_cause *mr_cause_find(const char *id, size_t length);

/** mr_cause_next() - the cause after @cause, the first one after NULL; NULL after the last one */
const struct mr_cause *mr_cause_next(const struct mr_cause *cause);

/** The tables of causes; their files say what each is about. */
extern const struct mr_cause mr_causes_of_opening[], mr_causes_of_nodes[], mr_causes_of_devx[],
	mr_causes_of_preparing[], mr_causes_of_libraries[], mr_causes_of_fork_protection[],
	mr_causes_of_rereg[], mr_causes_of_uverbs[], mr_causes_of_drivers[],
	mr_causes_of_device_memory[], mr_causes_of_dma_handles[], mr_causes_of_odp[],
	mr_causes_of_advice[], mr_causes_of_dmabufs[], mr_causes_of_exporters[],
	mr_causes_of_umems[], mr_causes_of_changes[], mr_causes_of_ranges[],
	mr_causes_of_control_groups[], mr_causes_of_memlock[], mr_causes_of_limits[],
	mr_causes_of_mappings[], mr_causes_of_gpu_memory[], mr_causes_of_huge_pages[],
	mr_causes_of_firmware[], mr_causes_of_freeing[], mr_causes_of_sandboxes[],
	mr_causes_of_data[];

/** The causes of a refusal: those that the evidence supports, and those that it excludes. */
enum {
	MR_DIAGNOSIS_CAUSES = 8,     /**< causes that are kept, the most certain ones */
	MR_DIAGNOSIS_RULED_OUT = 48, /**< causes ruled out that are kept */
};

/** A cause that was ruled out. */
struct mr_ruled_out {
	const struct mr_cause *cause;
	char reason[160];
};

struct mr_diagnosis {
	enum mr_layer layer; /**< that of the first cause, unless that is only possible */
	struct mr_suspicion causes[MR_DIAGNOSIS_CAUSES]; /**< the most certain one first */
	size_t cause_count;
	struct mr_ruled_out ruled_out[MR_DIAGNOSIS_RULED_OUT];
	size_t ruled_out_count;
};

/** mr_cause_look() - look for the evidence of a cause; nothing is found where its row already excludes the call */
void mr_cause_look(struct mr_inquiry *inquiry, const struct mr_cause *cause,
		   struct mr_suspicion *suspicion);

/**
 * mr_diagnose() - look for the causes of a refusal
 * @host: where facts are read
 *
 * At most one cause is certain: the first one that the call meets.  Another one that would have refused the
 * call as well is possible only.
 */
void mr_diagnose(const struct mr_refusal *refusal, struct mr_host *host,
		 struct mr_diagnosis *diagnosis);

/** mr_suspect_shortage() - suspect a limit, where it is the one by which mmap(2) has failed */
void mr_suspect_shortage(const struct mr_inquiry *inquiry, enum mr_shortage_kind kind,
			 enum mr_certainty certainty, struct mr_suspicion *suspicion);

#endif
