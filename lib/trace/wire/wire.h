/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the records that the agent in a traced program writes, and the tables that both sides use. */
#ifndef LIB_TRACE_WIRE_WIRE_H
#define LIB_TRACE_WIRE_WIRE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Effect of a call on the objects of a program. */
enum mr_traced_effect {
	MR_TRACED_OPENS,       /**< opens a device: @object of the record is the context */
	MR_TRACED_CLOSES,      /**< closes it */
	MR_TRACED_ALLOCATES,   /**< allocates a protection domain, or memory on the device */
	MR_TRACED_FREES,       /**< frees that */
	MR_TRACED_REGISTERS,   /**< registers: @object is the new MR or umem */
	MR_TRACED_CHANGES,     /**< changes a region */
	MR_TRACED_DEREGISTERS, /**< deregisters it */
	MR_TRACED_ADVISES,     /**< advice about a range of regions */
	MR_TRACED_CREATES, /**< creates a CQ, QP or SRQ, for whose buffers the driver pins memory */
	MR_TRACED_PROTECTS, /**< sets fork protection: ibv_fork_init(), madvise() of libibverbs */
};

/** The calls.  Inline functions of verbs.h are seen in the table of the context, by their own names. */
#define MR_TRACED_CALLS(CALL)                                                                      \
	CALL(IBV_OPEN_DEVICE, "ibv_open_device", OPENS)                                            \
	CALL(IBV_IMPORT_DEVICE, "ibv_import_device", OPENS)                                        \
	CALL(MLX5DV_OPEN_DEVICE, "mlx5dv_open_device", OPENS)                                      \
	CALL(IBV_CLOSE_DEVICE, "ibv_close_device", CLOSES)                                         \
	CALL(IBV_ALLOC_PD, "ibv_alloc_pd", ALLOCATES)                                              \
	CALL(IBV_IMPORT_PD, "ibv_import_pd", ALLOCATES)                                            \
	CALL(IBV_ALLOC_PARENT_DOMAIN, "ibv_alloc_parent_domain", ALLOCATES)                        \
	CALL(IBV_ALLOC_DM, "ibv_alloc_dm", ALLOCATES)                                              \
	CALL(IBV_DEALLOC_PD, "ibv_dealloc_pd", FREES)                                              \
	CALL(IBV_UNIMPORT_PD, "ibv_unimport_pd", FREES)                                            \
	CALL(IBV_FREE_DM, "ibv_free_dm", FREES)                                                    \
	CALL(IBV_REG_MR, "ibv_reg_mr", REGISTERS)                                                  \
	CALL(IBV_REG_MR_IOVA, "ibv_reg_mr_iova", REGISTERS)                                        \
	CALL(IBV_REG_MR_IOVA2, "ibv_reg_mr_iova2", REGISTERS)                                      \
	CALL(IBV_REG_DMABUF_MR, "ibv_reg_dmabuf_mr", REGISTERS)                                    \
	CALL(IBV_REG_MR_EX, "ibv_reg_mr_ex", REGISTERS)                                            \
	CALL(IBV_REG_BUF_MR, "ibv_reg_buf_mr", REGISTERS)                                          \
	CALL(IBV_REG_DM_MR, "ibv_reg_dm_mr", REGISTERS)                                            \
	CALL(IBV_ALLOC_NULL_MR, "ibv_alloc_null_mr", REGISTERS)                                    \
	CALL(IBV_IMPORT_MR, "ibv_import_mr", REGISTERS)                                            \
	CALL(MLX5DV_REG_DMABUF_MR, "mlx5dv_reg_dmabuf_mr", REGISTERS)                              \
	CALL(MLX5DV_DEVX_UMEM_REG, "mlx5dv_devx_umem_reg", REGISTERS)                              \
	CALL(MLX5DV_DEVX_UMEM_REG_EX, "mlx5dv_devx_umem_reg_ex", REGISTERS)                        \
	CALL(IBV_REREG_MR, "ibv_rereg_mr", CHANGES)                                                \
	CALL(IBV_DEREG_MR, "ibv_dereg_mr", DEREGISTERS)                                            \
	CALL(IBV_UNIMPORT_MR, "ibv_unimport_mr", DEREGISTERS)                                      \
	CALL(MLX5DV_DEVX_UMEM_DEREG, "mlx5dv_devx_umem_dereg", DEREGISTERS)                        \
	CALL(IBV_ADVISE_MR, "ibv_advise_mr", ADVISES)                                              \
	CALL(IBV_CREATE_CQ, "ibv_create_cq", CREATES)                                              \
	CALL(IBV_CREATE_CQ_EX, "ibv_create_cq_ex", CREATES)                                        \
	CALL(MLX5DV_CREATE_CQ, "mlx5dv_create_cq", CREATES)                                        \
	CALL(IBV_CREATE_QP, "ibv_create_qp", CREATES)                                              \
	CALL(IBV_CREATE_QP_EX, "ibv_create_qp_ex", CREATES)                                        \
	CALL(MLX5DV_CREATE_QP, "mlx5dv_create_qp", CREATES)                                        \
	CALL(IBV_CREATE_SRQ, "ibv_create_srq", CREATES)                                            \
	CALL(IBV_CREATE_SRQ_EX, "ibv_create_srq_ex", CREATES)                                      \
	CALL(IBV_FORK_INIT, "ibv_fork_init", PROTECTS)                                             \
	CALL(MADVISE, "madvise", PROTECTS)

#define MR_TRACED_CONSTANT_(constant, name, effect) MR_TRACED_##constant,
/** A call; the numbers are those of the table. */
enum mr_traced_call { MR_TRACED_CALLS(MR_TRACED_CONSTANT_) MR_TRACED_CALL_COUNT };
#undef MR_TRACED_CONSTANT_

/** A row of the table. */
struct mr_traced_call_row {
	const char *name;
	enum mr_traced_effect effect;
};

/** The table, whose last row is for numbers that are no call. */
extern const struct mr_traced_call_row mr_traced_calls[MR_TRACED_CALL_COUNT + 1];

/** mr_traced_call_row() - the row of a call; the number comes from another program, and need not be one */
static inline const struct mr_traced_call_row *mr_traced_call_row(uint32_t call)
{
	return &mr_traced_calls[call < MR_TRACED_CALL_COUNT ? call : MR_TRACED_CALL_COUNT];
}

/*
 * The least bytes that the buffers of CQs, QPs and SRQs take on mlx5; 0: not known.
 * providers/mlx5/verbs.c create_cq(), mlx5_calc_sq_size(), mlx5_calc_rq_size(), mlx5_alloc_srq_buf().
 */

/** mr_trace_cq_bytes() - compute the bytes of a CQ of at least @cqe entries */
uint64_t mr_trace_cq_bytes(uint32_t cqe);
/**
 * mr_trace_qp_bytes() - compute the bytes of a QP's queues
 * @type:    enum ibv_qp_type
 * @has_srq: it has no separate receive queue
 */
uint64_t mr_trace_qp_bytes(uint32_t type, uint32_t max_send_wr, uint32_t max_recv_wr,
			   uint32_t max_recv_sge, bool has_srq);
/** mr_trace_srq_bytes() - compute the bytes of an SRQ of at least @max_wr entries */
uint64_t mr_trace_srq_bytes(uint32_t max_wr);

/*
 * The protocol between mrctl and the agent in each traced process.
 *
 * The agent finds an abstract socket by $MRCTL_TRACE, and joins: it sends a request and receives a memfd, its
 * ring.  It keeps no descriptor, so that the program's descriptors have the numbers that they would have, and the
 * program may close all.  Each call is a record in the ring; mrctl empties it every few milliseconds.  Where a call was
 * refused the agent waits until mrctl has taken its record: mrctl examines the process before the call returns.  That
 * takes no system call but futex(2), as the program may have a filter by then.
 *
 * Each process has a separate ring, even after fork(2).  mrctl checks everything that a process writes there.
 */

/**
 * Environment variable that the agent reads: NAME:TOKEN.  NAME is that of the abstract socket, without the NUL
 * before it.  TOKEN is 32 hexadecimal digits, so that no other program can join.
 */
#define MR_TRACE_VARIABLE "MRCTL_TRACE"

enum {
	MR_TRACE_MAGIC = 0x6d727472,
	MR_TRACE_VERSION = 6,         /**< of this file: mrctl and its agent are of one version */
	MR_TRACE_TOKEN = 32,          /**< bytes of the token, without a NUL */
	MR_TRACE_SLOTS = 8192,        /**< records of a ring; a power of 2 */
	MR_TRACE_FRAMES = 32,         /**< return addresses of a record, with --stacks */
	MR_TRACE_PATH = 256,          /**< bytes of a path in a request */
	MR_TRACE_DEVICE = 32,         /**< bytes of a device's name in a record */
	MR_TRACE_PATIENCE_MS = 30000, /**< how long the agent waits for mrctl */
};

/** Kinds of requests of an agent. */
enum mr_trace_request_kind {
	MR_TRACE_JOIN, /**< the process has begun, or was forked: a ring, by SCM_RIGHTS with the reply */
	MR_TRACE_LOST,  /**< the process is about to run a program that cannot be followed */
	MR_TRACE_CLOSE, /**< the process closes a library: reply once the calls so far are taken */
};

/** Why a program cannot be followed. */
enum mr_trace_obstacle {
	MR_TRACE_FOLLOWED,      /**< it can */
	MR_TRACE_STATIC,        /**< it is linked statically: it loads no libraries */
	MR_TRACE_PRIVILEGED,    /**< set-user-ID, set-group-ID or with file capabilities */
	MR_TRACE_OTHER_MACHINE, /**< it is for another architecture, or has 32 bits */
	MR_TRACE_OTHER_LIBC,    /**< its loader is not that of the GNU C library */
	MR_TRACE_UNREADABLE,    /**< it cannot be read, so it is not known */
	/* Found out by mrctl, about a running program: */
	MR_TRACE_NO_VARIABLES, /**< it was started without the variables by which it loads the agent */
	MR_TRACE_NOT_LOADED, /**< it has them, and has not loaded the agent */
	MR_TRACE_OTHER_NETWORK, /**< its network namespace is another one: it does not reach the socket */
	MR_TRACE_FILTERED, /**< a filter of system calls, or a security module, does not let it join */
	MR_TRACE_NO_DESCRIPTORS, /**< it has too few free descriptors */
	MR_TRACE_NOT_JOINED,     /**< it could not join for another reason */
	MR_TRACE_NO_ROOM,        /**< mrctl has no memory or descriptors for one more */
};

/** A request: one message on a SOCK_SEQPACKET socket. */
struct mr_trace_request {
	uint32_t magic;
	uint32_t version;
	char token[MR_TRACE_TOKEN];
	uint32_t kind;            /**< enum mr_trace_request_kind */
	uint32_t obstacle;        /**< LOST: enum mr_trace_obstacle */
	uint64_t parent;          /**< JOIN: id of the process that it was forked from; 0: none */
	char path[MR_TRACE_PATH]; /**< LOST: of the program; JOIN: of the one that runs */
};

/** The reply. */
struct mr_trace_reply {
	uint32_t magic;
	uint32_t frames; /**< JOIN: return addresses of each record; 0: the caller's alone */
	uint64_t id;     /**< JOIN: of the process, not 0; its children have it as their parent's */
};

/** Further facts about a call: bits of mr_trace_record.flags. */
enum mr_trace_flags {
	MR_TRACE_KERNEL_SEEN = 1 << 0,    /**< kernel_calls counts: some have been seen */
	MR_TRACE_FORK_SAFE = 1 << 1,      /**< fork protection of libibverbs is on */
	MR_TRACE_LOOKED_AT = 1 << 3,      /**< the agent waits until the record is taken */
	MR_TRACE_HAS_IOVA = 1 << 4,       /**< the call was given an IOVA */
	MR_TRACE_HAS_PAGE_SIZES = 1 << 5, /**< page_sizes was given: a umem's pgsz_bitmap */
	MR_TRACE_HAS_DMAH = 1 << 6,       /**< ibv_reg_mr_ex(): with a DMA handle */
	MR_TRACE_HAS_FD = 1 << 7,         /**< fd is that of a dma-buf */
	MR_TRACE_HAS_PINNED = 1 << 8,     /**< pinned is set: the devices are simulated */
	MR_TRACE_HAS_DEVX = 1 << 9,       /**< devx_errnum is set */
};

/** errnum of a refused call that did not set errno: the reason is unknown. */
#define MR_TRACE_NO_ERRNO INT32_MAX

/**
 * One call.  Members that a call does not have are 0.  With --stacks @frame_count return addresses of 64 bits follow,
 * the innermost first.
 */
struct mr_trace_record {
	/** The index of the record plus 1, stored last, with release order: until then it is being written. */
	_Atomic uint64_t ready;
	uint64_t begin_ns; /**< CLOCK_MONOTONIC */
	uint64_t elapsed_ns;
	uint64_t caller;  /**< return address: in the program or the library that made the call */
	uint64_t outer;   /**< where the caller returns to, if it is of verbs.h; 0: not known */
	uint64_t object;  /**< pointer to the new object, or to that which is changed or freed */
	uint64_t context; /**< pointer to the struct ibv_context */
	uint64_t pd;      /**< pointer to the struct ibv_pd; CHANGES: to the new one */
	/** Address, or offset in a dma-buf or in memory on the device; ADVISES: of the first range */
	uint64_t addr;
	uint64_t length; /**< bytes */
	uint64_t iova;
	uint64_t page_sizes;  /**< umem: pgsz_bitmap */
	uint64_t dm;          /**< pointer to the struct ibv_dm */
	uint64_t queue_bytes; /**< CREATES: of buffers, at least, on mlx5; 0: not known */
	uint64_t comp_mask;   /**< of the attributes, where the call takes a struct of them */
	/** For a refused call that is examined: mr_simulator_pinned(), which /proc does not show. */
	uint64_t pinned;
	uint32_t call;       /**< enum mr_traced_call */
	uint32_t tid;        /**< as the process sees it; 0: not known */
	int32_t errnum;      /**< positive, also MR_TRACE_NO_ERRNO; 0: the call has succeeded */
	int32_t result;      /**< the result of a call that returns an int */
	uint32_t access;     /**< access flags; ADVISES: the advice */
	uint32_t call_flags; /**< IBV_REREG_MR_*; ibv_advise_mr: flags; madvise: the advice */
	uint32_t lkey, rkey;
	uint32_t handle;       /**< the kernel's, of an MR */
	int32_t fd;            /**< of a dma-buf */
	uint32_t flags;        /**< enum mr_trace_flags */
	uint32_t kernel_calls; /**< ioctl and write of libibverbs and its provider within it */
	int32_t kernel_errnum; /**< of the last of them that failed; 0: none has */
	char device[MR_TRACE_DEVICE]; /**< "mlx5_0", cut */
	uint32_t frame_count;
	/** For a refused umem that is examined: errno of another DEVX call in the same context; 0: it succeeded. */
	int32_t devx_errnum;
	uint32_t range_count;   /**< ADVISES: only the first one is in the record */
	uint32_t pinned_access; /**< of a region, in mrctl: with which its pages were pinned last */
};

/** A ring in the memory that both sides share: this, then MR_TRACE_SLOTS records with room for @frames addresses. */
struct mr_trace_ring {
	_Alignas(64) _Atomic uint64_t head; /**< records that were begun */
	_Alignas(64) _Atomic uint64_t tail; /**< records that mrctl has taken and finished */
	_Alignas(64) _Atomic uint64_t lost; /**< calls that were made while mrctl did not answer */
};

/** mr_trace_record_size() - bytes of a slot: of a record with @frames return addresses */
static inline uint32_t mr_trace_record_size(uint32_t frames)
{
	return (uint32_t)((sizeof(struct mr_trace_record) + frames * sizeof(uint64_t) + 63) / 64 *
			  64);
}

/** mr_trace_ring_size() - bytes of a ring whose records have @frames return addresses */
static inline size_t mr_trace_ring_size(uint32_t frames)
{
	return sizeof(struct mr_trace_ring) + (size_t)MR_TRACE_SLOTS * mr_trace_record_size(frames);
}

/** A record with its return addresses. */
struct mr_traced_record {
	struct mr_trace_record call;
	uint64_t frames[MR_TRACE_FRAMES];
};

/** One side of a ring; ring.c describes the rules of both sides. */
struct mr_ring {
	struct mr_trace_ring *shared; /**< NULL: none */
	uint32_t frames;
	_Atomic uint64_t taken; /**< records that mrctl has; the process: at its last look */
	_Atomic bool is_left;   /**< the process: mrctl has ended, or does not answer */
};

/** Waits a moment.  @begin: when the wait began; 0: it does now.  Return: false where there is no hope */
typedef bool mr_ring_pause(uint64_t *begin);

/**
 * mr_ring_put() - put a record into the ring of this process
 *
 * It waits while the ring is full, and after MR_TRACE_LOOKED_AT until mrctl has handled the record.  If mrctl does
 * not empty the ring, the record is reported as lost.
 *
 * Return: false where mrctl does not answer.
 */
bool mr_ring_put(struct mr_ring *ring, const struct mr_traced_record *record, mr_ring_pause *pause);

/**
 * mr_ring_take() - take the next record; the process may continue after the previous one
 * @is_last: the process has ended: records that it did not complete are skipped
 *
 * Return: false where there is none yet.
 */
bool mr_ring_take(struct mr_ring *ring, bool is_last, struct mr_traced_record *record);

/** mr_ring_lost() - calls that the process made while mrctl did not answer */
uint64_t mr_ring_lost(const struct mr_ring *ring);

/** mr_trace_mix() - a hash of two numbers that is not 0 */
static inline uint64_t mr_trace_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	hash ^= hash >> 32;
	return hash ? hash : 1;
}

/** mr_trace_likeness() - a number that is equal for similar refusals */
static inline uint64_t mr_trace_likeness(const struct mr_trace_record *call)
{
	const uint32_t request =
		MR_TRACE_HAS_IOVA | MR_TRACE_HAS_PAGE_SIZES | MR_TRACE_HAS_DMAH | MR_TRACE_HAS_FD;
	/* No other length or range is refused for itself. */
	const uint32_t odd = call->length ? call->addr + call->length < call->addr : 2;
	uint64_t hash = mr_trace_mix(call->call, (uint32_t)call->errnum);

	hash = mr_trace_mix(hash, call->access);
	hash = mr_trace_mix(hash, call->call_flags);
	hash = mr_trace_mix(hash, call->flags & request);
	hash = mr_trace_mix(hash, call->page_sizes);
	return mr_trace_mix(hash, odd);
}

/** mr_trace_range_likeness() - the same for refusals of one range: where @likeness is equal, and the range as well */
static inline uint64_t mr_trace_range_likeness(const struct mr_trace_record *call,
					       uint64_t likeness)
{
	return mr_trace_mix(mr_trace_mix(likeness, call->addr), call->length);
}

/** The library that is preloaded into traced programs: lib/trace/agent */
#define MR_TRACE_AGENT "libmrctl-trace.so"

/** In ASAN_OPTIONS: AddressSanitizer's library ends a program where another one is loaded before it */
#define MR_TRACE_ASAN_OPTION "verify_asan_link_order=0"

/**
 * mr_trace_program() - whether a program that execveat(2) is to run can be followed
 * @dir:   a folder's descriptor, or AT_FDCWD; the program's own where @path is ""
 * @path:  of a program or a script, whose interpreter is then checked
 *
 * It allocates nothing and takes no lock: it is called between vfork(2) and execve(2).  It leaves errno.
 *
 * Rules: ld.so(8), secure-execution mode; capabilities(7), "Capabilities and execution of programs by root";
 * execve(2), interpreter scripts; elf(5).
 *
 * Return: MR_TRACE_FOLLOWED also where execve(2) is going to fail: then nothing runs.
 */
enum mr_trace_obstacle mr_trace_program(int dir, const char *path);

/**
 * mr_trace_find_program() - where execvp(3) finds a program
 * @path: set to it, cut to @size bytes
 * @list: folders as in $PATH; NULL: those of confstr(3)
 *
 * Return: 0; -EACCES: the file with that name cannot be run; -ENOENT: no such file, even if execvp(3) answers EACCES
 * for an unreadable folder.
 */
int mr_trace_find_program(const char *name, const char *list, char *path, unsigned long size);

#endif
