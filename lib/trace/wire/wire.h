/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What mrctl and the agent in each traced process tell each other.
 *
 * The agent finds an abstract socket by $MRCTL_TRACE, and joins: it sends a request and receives a memfd, its
 * ring.  It keeps no descriptor, so that the program's descriptors have the numbers that they would have, and the
 * program may close all.  Each call is a record in the ring; mrctl empties it every few milliseconds.  Where a call was
 * refused the agent waits until mrctl has taken its record: mrctl looks at the process before the call returns.  That
 * takes no system call but futex(2), as the program may have a filter by then.
 *
 * Each process has a ring of its own, also after fork(2).  Whatever a process writes there, mrctl checks.
 */
#ifndef LIB_TRACE_WIRE_WIRE_H
#define LIB_TRACE_WIRE_WIRE_H

#include <stdatomic.h>
#include <stdint.h>

/**
 * Environment variable that the agent reads: NAME:TOKEN.  NAME is that of the abstract socket, without the NUL
 * before it.  TOKEN is 32 hexadecimal digits, so that no other program can join.
 */
#define MR_TRACE_VARIABLE "MRCTL_TRACE"

enum {
	MR_TRACE_MAGIC = 0x6d727472,
	MR_TRACE_VERSION = 3,  /**< of this file: mrctl and its agent are of one version */
	MR_TRACE_TOKEN = 32,   /**< bytes of the token, without a NUL */
	MR_TRACE_SLOTS = 8192, /**< records of a ring; a power of 2 */
	MR_TRACE_FRAMES = 32,  /**< return addresses of a record, with --stacks */
	MR_TRACE_PATH = 256,   /**< bytes of a path in a request */
	MR_TRACE_DEVICE = 32,  /**< bytes of a device's name in a record */
	MR_TRACE_PATIENCE_MS =
		30000, /**< after this the agent does not wait for mrctl any longer */
};

/** What an agent asks for. */
enum mr_trace_request_kind {
	MR_TRACE_JOIN, /**< the process has begun, or was forked: a ring, by SCM_RIGHTS with the reply */
	MR_TRACE_LOST, /**< the process is about to run a program that cannot be followed */
	MR_TRACE_CLOSE, /**< the process is about to unmap a library: reply once its places are named */
};

/** Why a program cannot be followed. */
enum mr_trace_obstacle {
	MR_TRACE_FOLLOWED,      /**< it can */
	MR_TRACE_STATIC,        /**< it is linked statically: it loads no libraries */
	MR_TRACE_PRIVILEGED,    /**< set-user-ID, set-group-ID or with file capabilities */
	MR_TRACE_OTHER_MACHINE, /**< it is for another architecture, or has 32 bits */
	MR_TRACE_OTHER_LIBC,    /**< its loader is not that of the GNU C library */
	MR_TRACE_UNREADABLE,    /**< it cannot be read, so it is not known */
	/* What mrctl alone finds out, of a program that runs: */
	MR_TRACE_NO_VARIABLES, /**< it was started without the variables by which it loads the agent */
	MR_TRACE_NOT_LOADED, /**< it has them, and has not loaded the agent */
	MR_TRACE_OTHER_NETWORK, /**< its network namespace is another one: it does not reach the socket */
	MR_TRACE_FILTERED, /**< a filter of system calls, or a security module, does not let it join */
	MR_TRACE_NO_DESCRIPTORS, /**< it has no descriptors to spare */
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
	uint64_t address;         /**< CLOSE: in the library */
	uint64_t parent;          /**< JOIN: id of the process that it was forked from; 0: none */
	char path[MR_TRACE_PATH]; /**< LOST: of the program; JOIN: of the one that runs */
};

/** The reply. */
struct mr_trace_reply {
	uint32_t magic;
	uint32_t
		frames; /**< JOIN: how many return addresses each record is to have; 0: the caller's alone */
	uint64_t
		id; /**< JOIN: of the process, not 0: its children by fork(2) know it as their parent's */
};

/** What is known of a call beyond its numbers: bits of mr_trace_record.flags. */
enum mr_trace_flags {
	MR_TRACE_KERNEL_SEEN =
		1
		<< 0, /**< calls of libibverbs to the kernel have been seen, so kernel_calls counts */
	MR_TRACE_FORK_SAFE = 1 << 1,      /**< fork protection of libibverbs is on */
	MR_TRACE_IN_LIBRARY = 1 << 2,     /**< madvise(): libibverbs itself made the call */
	MR_TRACE_LOOKED_AT = 1 << 3,      /**< the agent waits until the record is taken */
	MR_TRACE_HAS_IOVA = 1 << 4,       /**< the call was given an IOVA */
	MR_TRACE_HAS_PAGE_SIZES = 1 << 5, /**< page_sizes was given: a umem's pgsz_bitmap */
	MR_TRACE_HAS_DMAH = 1 << 6,       /**< ibv_reg_mr_ex(): with a DMA handle */
	MR_TRACE_HAS_FD = 1 << 7,         /**< fd is that of a dma-buf */
	MR_TRACE_HAS_PINNED = 1 << 8,     /**< pinned is set: the devices are simulated */
	MR_TRACE_HAS_DEVX = 1 << 9,       /**< devx_errnum is set */
};

/** errnum of a refused call that has left errno as it was: nobody said why. */
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
	uint64_t caller; /**< return address: in the program or the library that made the call */
	uint64_t
		outer; /**< where the inline function of verbs.h returns to, if the caller is one; 0: not known */
	uint64_t object;  /**< pointer to the new object, or to that which is changed or freed */
	uint64_t context; /**< pointer to the struct ibv_context */
	uint64_t pd;      /**< pointer to the struct ibv_pd; CHANGES: to the new one */
	uint64_t
		addr; /**< address, or offset in a dma-buf or in memory on the device; ADVISES: of the first range */
	uint64_t length; /**< bytes */
	uint64_t iova;
	uint64_t page_sizes; /**< umem: pgsz_bitmap */
	uint64_t dm;         /**< pointer to the struct ibv_dm */
	uint64_t
		queue_bytes; /**< CREATES: that the buffers of the queue take at least on mlx5; 0: not known */
	uint64_t comp_mask; /**< of the attributes, where the call takes a struct of them */
	/** Of a refused call that is looked at: mr_simulator_pinned(), which is in no file of /proc. */
	uint64_t pinned;
	uint32_t call;   /**< enum mr_traced_call */
	uint32_t tid;    /**< as the process sees it; 0: not known */
	int32_t errnum;  /**< positive, also MR_TRACE_NO_ERRNO; 0: the call has succeeded */
	int32_t result;  /**< what the call returned, of those that return an int */
	uint32_t access; /**< access flags; ADVISES: the advice */
	uint32_t
		call_flags; /**< ibv_rereg_mr: IBV_REREG_MR_*; ibv_advise_mr: flags; madvise: the advice */
	uint32_t lkey, rkey;
	uint32_t handle; /**< the kernel's, of an MR */
	uint32_t pd_handle;
	int32_t fd;     /**< of a dma-buf */
	uint32_t flags; /**< enum mr_trace_flags */
	uint32_t
		kernel_calls; /**< ioctl and write of libibverbs and its provider during the call */
	int32_t kernel_errnum;        /**< of the last of them that failed; 0: none has */
	char device[MR_TRACE_DEVICE]; /**< "mlx5_0", cut */
	uint32_t frame_count;
	/** Of a refused umem that is looked at: of another call of DEVX in the same context; 0: it was answered. */
	int32_t devx_errnum;
	uint32_t range_count; /**< ADVISES: only the first one is in the record */
	uint32_t reserved;
};

/** A ring: this, then the records, each of @record_size bytes. */
struct mr_trace_ring {
	uint32_t magic;
	uint32_t version;
	uint32_t slots;       /**< MR_TRACE_SLOTS */
	uint32_t record_size; /**< bytes, a multiple of 64 */
	uint32_t frames;      /**< as of the reply */
	uint32_t reserved[11];
	_Alignas(64) _Atomic uint64_t head; /**< records that were begun */
	_Alignas(64) _Atomic uint64_t tail; /**< records that mrctl has taken, and is done with */
	_Alignas(64) _Atomic uint64_t lost; /**< calls that were made while mrctl did not answer */
};

/** mr_trace_record_size() - bytes of a record with @frames return addresses, as record_size of a ring */
static inline uint32_t mr_trace_record_size(uint32_t frames)
{
	return (uint32_t)((sizeof(struct mr_trace_record) + frames * sizeof(uint64_t) + 63) / 64 *
			  64);
}

#endif
