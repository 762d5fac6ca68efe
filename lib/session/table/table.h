/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The session table: what mrctl notes of a session's regions, as the kernel does not tell it.  It is in a
 * memfd that all holders of the session share.
 *
 * Every holder can write it, and a process with more rights may join.  So what is read is copied out first
 * and checked then, texts are reduced to printable ASCII, and no slot leads out of the mapping.
 *
 *   header | entries | indexes
 *
 * Entries are the truth.  The indexes are derived from them, and are made anew when the table grows, or
 * when a process was killed while it changed them.
 */
#ifndef LIB_SESSION_TABLE_TABLE_H
#define LIB_SESSION_TABLE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

#define MR_NAME_SIZE 64
#define MR_TABLE_PDS 64
#define MR_NO_SLOT   UINT32_MAX

enum mr_entry_state {
	MR_ENTRY_FREE,
	MR_ENTRY_PENDING,  /**< the kernel was asked to register it */
	MR_ENTRY_LIVE,     /**< registered */
	MR_ENTRY_IN_DOUBT, /**< the kernel was asked to deregister or change it */
};

/** The indexes: by what an entry is found. */
enum mr_table_index {
	MR_BY_ID,
	MR_BY_NAME,
	MR_BY_HANDLE,
	MR_BY_LKEY,
	MR_BY_RKEY,
	MR_TABLE_HASHES,
	MR_BY_MARK = MR_TABLE_HASHES, /**< no hash: all that are marked */
	MR_TABLE_INDEXES,
};

/** A process of the PID namespace in which the session was opened; see registrant.h. */
struct mr_registrant {
	uint32_t pid;
	uint32_t start; /**< mr_registrant_start(); 0: not known, or it does not matter */
};

/** Whose memory a region is on; the text of its memory is for people only, and may be cut. */
enum mr_entry_memory {
	MR_MEMORY_OF_HOST,
	MR_MEMORY_OF_RDMA_DEVICE, /**< allocated for the region: mr_entry.dm, which goes with it */
	MR_MEMORY_OF_GPU,         /**< gone with the process that registered the region */
};

struct mr_entry {
	uint64_t id; /**< never 0, never used again */
	uint64_t addr;
	uint64_t length;
	union {
		uint64_t iova;       /**< of an MR */
		uint64_t page_sizes; /**< of a umem: asked for; see mr_region_has_page_sizes() */
	};
	uint64_t elapsed_ns;
	union {
		uint64_t new_length; /**< where @unsure: the length that was asked for */
		/** Of a relaxed one: when it was deregistered (mr_now_ns()), or 0. */
		uint64_t marked_ns;
	};
	union {
		uint64_t new_iova; /**< where @unsure: the IOVA that was asked for */
		/** Of a relaxed one: nanoseconds from the mark until its age alone invalidates it. */
		uint64_t defer_ns;
	};
	uint32_t state; /**< enum mr_entry_state */
	uint32_t handle;
	union {
		uint32_t lkey;    /**< of an MR */
		uint32_t umem_id; /**< of a umem */
	};
	uint32_t rkey; /**< of an MR */
	uint32_t access;
	uint16_t pd;                     /**< slot of its PD, MR_TABLE_PDS: none */
	uint8_t call;                    /**< enum mr_region_call, of which its kind follows */
	uint8_t via;                     /**< enum mr_via */
	uint8_t unsure;                  /**< enum mr_change: asked for, and the answer not noted */
	uint8_t refused;                 /**< enum mr_change: refused, and may have broken it */
	uint8_t memory_of;               /**< enum mr_entry_memory */
	uint8_t page_shift;              /**< mr_page_shift() of its memory */
	uint32_t next[MR_TABLE_INDEXES]; /**< slot of the next entry in the chain of each index */
	char name[MR_NAME_SIZE];         /**< or empty */
	char memory[32];                 /**< kind of memory as typed, for people; cut if longer */
	union {
		uint32_t dm;   /**< of MR_MEMORY_OF_RDMA_DEVICE: its handle */
		uint32_t dmah; /**< of mr_region_has_dmah(): its DMA handle, or MR_NO_HANDLE */
		uint32_t mark_errno; /**< of a relaxed one: errno of invalidating it, or 0 */
		uint32_t binding;    /**< of Data Direct: mr_pci_binding() then; 0: not known */
		/** Of another one: the access with which its pages were pinned, which a change may leave. */
		uint32_t pinned_access;
	};
	union {
		/** Of a region that needs its process; else all zeros. */
		struct mr_registrant registrant;
		struct mr_dmah_hints hints; /**< of mr_region_has_dmah() */
	};
};

/** mr_page_shift() - a page size in one byte: log2 of it; 0 where it is 0, or no power of two */
static inline uint8_t mr_page_shift(uint64_t size)
{
	return size && !(size & (size - 1)) ? (uint8_t)__builtin_ctzll(size) : 0;
}

/** mr_entry_page_size() - bytes; 0 where they are not known, or another holder has written nonsense */
static inline uint64_t mr_entry_page_size(const struct mr_entry *entry)
{
	return entry->page_shift && entry->page_shift < 64 ? UINT64_C(1) << entry->page_shift : 0;
}

/** mr_entry_region() - the region that an entry describes, but for the library's side of it */
static inline struct mr_region mr_entry_region(const struct mr_entry *entry)
{
	return (struct mr_region){ .addr = entry->addr,
				   .length = entry->length,
				   .iova = entry->iova,
				   .elapsed_ns = entry->elapsed_ns,
				   .handle = entry->handle,
				   .lkey = entry->lkey, /* or umem_id */
				   .rkey = entry->rkey,
				   .kind = (uint8_t)mr_region_kind(entry->call),
				   .live = true };
}

/**
 * mr_entry_is_marked() - whether it is a relaxed region that was deregistered
 *
 * The region still exists, also where a process was killed while it invalidated it.
 */
static inline bool mr_entry_is_marked(const struct mr_entry *entry)
{
	return entry->call == MR_REG_MR_RELAXED && entry->marked_ns &&
	       (entry->state == MR_ENTRY_LIVE || entry->state == MR_ENTRY_IN_DOUBT);
}

/** The pool of relaxed regions. */
struct mr_table_pool {
	uint32_t limit;     /**< most relaxed regions that there may be, marked ones included */
	uint32_t watermark; /**< as soon as this many are marked, they are invalidated */
	uint32_t relaxed;   /**< relaxed regions that there are, marked ones included */
	uint32_t marked;    /**< how many of them are marked */
};

/** A protection domain. */
struct mr_table_pd {
	char name[MR_NAME_SIZE]; /**< empty: the slot is free */
	uint32_t handle;
	uint32_t in_doubt; /**< the kernel was asked to deallocate it, and the answer not noted */
};

/** Facts about the session that the process that opened it has noted. */
struct mr_table_device {
	char name[64];
	char provider[32];
	uint32_t driver_id;     /**< enum rdma_driver_id */
	uint32_t simulated;     /**< 1: the device is mrctl's simulated HCA */
	uint32_t pid_namespace; /**< in which it was opened: mr_process_namespace() */
};

struct mr_table_header;

/** An open table. */
struct mr_table {
	int fd; /**< the only one: closing another of the same file would drop the locks (fcntl(2)) */
	struct mr_table_header *header;
	uint64_t mapped;   /**< bytes */
	uint32_t capacity; /**< entries that the mapping holds; checked */
	uint32_t buckets;  /**< of each index; checked */
	bool locked;
	bool is_private;    /**< no other process has it: there is nothing to lock or claim */
	int gave_up;        /**< errno by which the command has given up to lock it, or 0 */
	uint64_t waited_ns; /**< time that the command has waited for other processes */
};

#endif
