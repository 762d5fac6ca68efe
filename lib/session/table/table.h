/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the table of a session: its file, its entries, protection domains, marks and locks. */
#ifndef LIB_SESSION_TABLE_TABLE_H
#define LIB_SESSION_TABLE_TABLE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/verbs/verbs.h"

/**
 * The session table: facts about a session's regions that the kernel does not report.  It is in a
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

/** A process of the PID namespace in which the session was opened. */
struct mr_registrant {
	uint32_t pid;
	uint32_t start; /**< mr_registrant_start(); 0: not known, or it does not matter */
};

/** Owner of the memory of a region; the text of its memory is for people only, and may be cut. */
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
		uint64_t page_sizes; /**< of a umem: asked for, where its call is given them */
	};
	uint64_t elapsed_ns;
	union {
		uint64_t new_length; /**< where @in_doubt: the length that was asked for */
		/** Relaxed regions: time of deregistering (mr_now_ns()), or 0. */
		uint64_t marked_ns;
	};
	union {
		uint64_t new_iova; /**< where @in_doubt: the IOVA that was asked for */
		/** Relaxed regions: nanoseconds from the mark until its age alone invalidates the region. */
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
	uint8_t in_doubt;                /**< enum mr_change: asked for, and the answer not noted */
	uint8_t refused;                 /**< enum mr_change: refused, and may have broken it */
	uint8_t memory_of;               /**< enum mr_entry_memory */
	uint8_t page_shift;              /**< mr_page_shift() of its memory */
	uint32_t next[MR_TABLE_INDEXES]; /**< slot of the next entry in the chain of each index */
	char name[MR_NAME_SIZE];         /**< or empty */
	char memory[32];                 /**< kind of memory as typed, for people; cut if longer */
	union {
		uint32_t dm;   /**< of MR_MEMORY_OF_RDMA_DEVICE: its handle */
		uint32_t dmah; /**< of a call that is given one: its DMA handle, or MR_NO_HANDLE */
		uint32_t mark_errno; /**< of a relaxed one: errno of invalidating it, or 0 */
		uint32_t binding;    /**< of Data Direct: mr_pci_binding() then; 0: not known */
		/** Other regions: the access with which its pages were pinned, which a change may leave. */
		uint32_t pinned_access;
	};
	union {
		/** The registering process, if the region needs it; else all zeros. */
		struct mr_registrant registrant;
		struct mr_dmah_hints hints; /**< of a call that is given a DMA handle */
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
	bool is_private; /**< no other process has it: there is nothing to lock or claim */
	/** The errno by which the command has given up to lock it, or 0: it does not wait again, and should end. */
	int gave_up;
	uint64_t waited_ns; /**< time that the command has waited for other processes */
};

/** The layout of the session table in memory; for the files of this folder alone. */
struct mr_table_header {
	char magic[16];
	uint32_t version;
	uint32_t entry_size;
	uint32_t capacity;
	uint32_t count;
	uint32_t free; /* slot of the first free entry; free entries are chained by next[0] */
	uint32_t indexes_valid; /* 0 while a process changes them */
	uint64_t last_id;
	struct mr_table_pool pool;
	uint32_t marked; /* slot of the entry that was marked last: the chain of MR_BY_MARK */
	struct mr_table_device device;
	struct mr_table_pd pds[MR_TABLE_PDS];
};

_Static_assert(sizeof(struct mr_entry) == 216,
	       "an entry fits in 256 bytes with its share of the indexes and of the room to grow");

#define HEADER_SIZE 8192u
_Static_assert(sizeof(struct mr_table_header) <= HEADER_SIZE, "the header has its own pages");

/*
 * Copy something out of the table, to be checked.  The compiler must not read the original again after that:
 * another process may have changed it since.
 */
static inline void mr_copy_out(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	__asm__ volatile("" : : "r"(to) : "memory");
}

/* The entry in a slot, which must be below the capacity.  Other processes may write it at any time. */
static inline struct mr_entry *mr_entry_at(const struct mr_table *table, uint32_t slot)
{
	return (struct mr_entry *)(void *)((char *)table->header + HEADER_SIZE) + slot;
}

/** mr_table_create() - create a new table.  Return: 0 or -errno with MR_ERROR_HOST. */
int mr_table_create(const struct mr_table_device *device, struct mr_table *table,
		    struct mr_error *err);

/**
 * mr_table_open() - map a table that another process has created
 * @fd: taken over, also on failure
 *
 * Return: 0; -EPROTO with MR_ERROR_ABSENT for anything that is no sound table of this version; or another
 * -errno with MR_ERROR_HOST.
 */
int mr_table_open(int fd, struct mr_table *table, struct mr_error *err);

/** mr_table_close() - unmap it and close its descriptor: with that all locks of this process are gone */
void mr_table_close(struct mr_table *table);

/** mr_table_noun() - what the table is of, for messages: "session", or "batch" where it is private */
const char *mr_table_noun(const struct mr_table *table);

/** mr_table_device() - copy the facts about the session; texts are terminated, and printable ASCII */
void mr_table_device(const struct mr_table *table, struct mr_table_device *device);

/*
 * The indexes of a session table: they find an entry without a look at all entries.
 *
 * Each index but that of marked entries is a hash table whose buckets follow the entries; entries of
 * one bucket are chained by mr_entry.next[].
 */

/**
 * mr_table_find() - find an entry by id, handle, lkey or rkey; or with MR_BY_NAME by its name
 * @name: with MR_BY_NAME; else NULL
 *
 * Return: its slot, or MR_NO_SLOT.
 */
uint32_t mr_table_find(const struct mr_table *table, enum mr_table_index index, uint64_t value,
		       const char *name);

/**
 * mr_entry_matches() - whether an entry is one that mr_table_find() looks for
 *
 * Its callers check the copy that they make: another holder may have changed the entry since.
 */
bool mr_entry_matches(const struct mr_entry *entry, enum mr_table_index index, uint64_t value,
		      const char *name);

/**
 * mr_table_lock() - keep other processes out of the table
 *
 * It waits for other processes, but a command waits no more than 10 seconds in all (mr_table_wait()); the
 * message says which process has the lock.  A process that is killed loses the lock.  If that process was changing
 * the indexes, this function rebuilds them; if the table has grown, it is mapped again.
 *
 * Return: 0, -ETIMEDOUT, -EINTR, or another -errno.
 */
int mr_table_lock(struct mr_table *table, struct mr_error *err);

/** mr_table_unlock() - let other processes have the lock; nothing happens where it is not locked */
void mr_table_unlock(struct mr_table *table);

/** mr_table_begin_command() - another command works on the table from here on: it may wait again */
void mr_table_begin_command(struct mr_table *table);

/** A wait for another process, of several pauses; all zeros before the first. */
struct mr_table_wait {
	uint32_t pause_ns; /**< the next pause */
	uint64_t waited_ns;
};

/**
 * mr_table_wait() - pause before another attempt at what another process has locked or claimed
 *
 * Return: 0; -ETIMEDOUT where the command has waited 10 seconds in all; -EINTR where a signal that it has
 * blocked is pending (mr_interrupted()), but not before a tenth of a second.
 */
int mr_table_wait(struct mr_table *table, struct mr_table_wait *wait);

/** mr_table_take_lock() - mr_table_lock() of a table that others have, without a look at what they changed */
int mr_table_take_lock(struct mr_table *table, struct mr_error *err);

/** The byte that processes lock together while they make objects without an entry. */
#define MR_UNNAMED_BYTE (((off_t)1 << 40) + 1)

/** mr_lock_byte() - set or end a record lock.  Return: 0, or -1 with errno. */
int mr_lock_byte(const struct mr_table *table, short type, off_t byte);

/** mr_find_lock() - find another process's lock of a byte.  Return: 1 with @lock; 0; or -1 with errno. */
int mr_find_lock(const struct mr_table *table, short type, off_t byte, struct flock *lock);

/**
 * mr_table_claim() - keep others off the entry in a slot, while the lock is not held
 *
 * A claim is a record lock: it ends with its process, or with mr_table_unclaim().
 *
 * Return: false with errno, which is EAGAIN or EACCES where another process has claimed it
 */
bool mr_table_claim(const struct mr_table *table, uint32_t slot);
void mr_table_unclaim(const struct mr_table *table, uint32_t slot);

/** mr_table_is_claimed() - whether another process has claimed the entry in that slot */
bool mr_table_is_claimed(const struct mr_table *table, uint32_t slot);

/**
 * mr_table_fail_claimed() - the error for an entry that cannot be claimed
 * @errnum: of mr_table_claim()
 *
 * Return: -EBUSY where a process has it; -ENOLCK where an open file has it, which no process will ever
 * give back; or another -errno.
 */
int mr_table_fail_claimed(const struct mr_table *table, uint32_t slot, uint64_t id, int errnum,
			  struct mr_error *err);

/** mr_table_pd() - copy the PD in that slot, with a printable name.  Return: false where there is none. */
bool mr_table_pd(const struct mr_table *table, uint32_t pd_slot, struct mr_table_pd *pd);

/** mr_table_find_pd() - find a PD by its name.  Return: its slot, or MR_NO_SLOT. */
uint32_t mr_table_find_pd(const struct mr_table *table, const char *name);

/**
 * mr_table_add_pd() - record a PD that the kernel has just allocated
 *
 * The kernel reuses the handle of a deallocated PD: another PD with that handle is removed.
 *
 * Return: its slot, or MR_NO_SLOT where all are taken.
 */
uint32_t mr_table_add_pd(struct mr_table *table, const char *name, uint32_t handle);

/** mr_table_doubt_pd() - record that a PD is about to be deallocated, or that it stays */
void mr_table_doubt_pd(struct mr_table *table, uint32_t pd_slot, bool in_doubt);

/** mr_table_remove_pd() - free the slot of a PD that was deallocated */
void mr_table_remove_pd(struct mr_table *table, uint32_t pd_slot);

/**
 * mr_table_lock_pd() - keep others from deallocating the PD in that slot; with @alone, also from using it
 *
 * It is a record lock, which ends with its process or with mr_table_unlock_pd().  It does nothing where @pd_slot is
 * beyond all slots.
 *
 * Return: 0, -EBUSY where another process has locked it against that, or another -errno.
 */
int mr_table_lock_pd(const struct mr_table *table, uint32_t pd_slot, bool alone,
		     struct mr_error *err);
void mr_table_unlock_pd(const struct mr_table *table, uint32_t pd_slot);

/**
 * mr_table_add() - add an entry in state PENDING
 * @entry: what is known of it; its id and state are set
 * @slot:  set to its slot
 *
 * Where a marked entry has the same name, that entry loses it.
 *
 * Return: 0, -EEXIST for a name in use (MR_ERROR_USAGE), -EAGAIN where the pool of relaxed regions is
 * full (MR_ERROR_RELAXED), -ENOMEM, ….
 */
int mr_table_add(struct mr_table *table, struct mr_entry *entry, uint32_t *slot,
		 struct mr_error *err);

/**
 * mr_table_commit() - record the keys of a region that the kernel has registered: its entry becomes LIVE
 * @entry: new contents; its id and name are those that it has
 *
 * The kernel reuses a handle at once, so the region of any other entry with this handle no longer exists.
 * The entry is removed; one that a process has claimed gets MR_NO_HANDLE until that process removes it.
 *
 * Return: false where the entry in that slot has another id by now.
 */
bool mr_table_commit(struct mr_table *table, uint32_t slot, const struct mr_entry *entry);

/**
 * mr_table_change() - give an entry that has a handle new contents, and update its indexes
 * @entry: new contents; its id and handle are those that it has, and its state is LIVE or IN_DOUBT
 *
 * Return: false where the entry in that slot has another id or handle by now.
 */
bool mr_table_change(struct mr_table *table, uint32_t slot, const struct mr_entry *entry);

/**
 * mr_table_get() - copy an entry out of the table
 *
 * The texts of the copy are terminated, and printable ASCII.  Its numbers may be any: another holder can have
 * written them.
 *
 * Return: false for a slot that is free, or beyond the table.
 */
bool mr_table_get(const struct mr_table *table, uint32_t slot, struct mr_entry *entry);

/** mr_table_is_used() - whether there seems to be an entry in that slot; needs no lock */
bool mr_table_is_used(const struct mr_table *table, uint32_t slot);

/** mr_table_set_state() - change the state of the entry in that slot, if it still has that id */
void mr_table_set_state(struct mr_table *table, uint32_t slot, uint64_t id,
			enum mr_entry_state state);

/** mr_table_remove() - remove the entry in that slot, if it still has that id */
void mr_table_remove(struct mr_table *table, uint32_t slot, uint64_t id);

/** mr_table_count() - the number of entries in the table, which another holder can have changed */
uint32_t mr_table_count(const struct mr_table *table);

/** mr_table_has_id() - whether there is an entry with that id in that slot */
bool mr_table_has_id(const struct mr_table *table, uint32_t slot, uint64_t id);

/** mr_table_pool() - copy the pool; needs no lock */
void mr_table_pool(const struct mr_table *table, struct mr_table_pool *pool);

/** mr_table_set_pool() - set limit and watermark to those of @pool.  Return: 0, or -errno of locking the table. */
int mr_table_set_pool(struct mr_table *table, const struct mr_table_pool *pool,
		      struct mr_error *err);

/**
 * mr_table_mark() - note that a relaxed region is deregistered, if the entry in that slot still has that id
 * @now:      mr_now_ns()
 * @defer_ns: nanoseconds from now until its age alone invalidates it
 */
void mr_table_mark(struct mr_table *table, uint32_t slot, uint64_t id, uint64_t now,
		   uint64_t defer_ns);

/** mr_table_refuse_mark() - note the errno by which a marked region could not be invalidated */
void mr_table_refuse_mark(struct mr_table *table, uint32_t slot, uint64_t id, int errnum);

/**
 * mr_table_next_marked() - go through the marked entries, the one that was marked last first
 * @slot: slot of the one before, or MR_NO_SLOT
 *
 * Another holder may have made the chain a circle: a caller takes no more steps than the table has slots.
 *
 * Return: its slot, or MR_NO_SLOT after the last.
 */
uint32_t mr_table_next_marked(const struct mr_table *table, uint32_t slot);

/**
 * mr_table_begin_unnamed() - this process is about to make objects that no entry names at first
 *
 * It takes the table's lock for a moment.  The note ends with mr_table_end_unnamed(), or with the process.
 *
 * Return: 0 or -errno.
 */
int mr_table_begin_unnamed(struct mr_table *table, struct mr_error *err);

/** mr_table_end_unnamed() - all these objects have entries now, or are destroyed */
void mr_table_end_unnamed(const struct mr_table *table);

/**
 * mr_table_others_make_objects() - under the lock: whether another process is making objects
 *
 * Their objects may have no entry yet.  Objects of a killed process are excluded: its locks are released.
 */
bool mr_table_others_make_objects(const struct mr_table *table);

#endif
