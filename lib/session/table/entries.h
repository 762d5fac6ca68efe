/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The session table: what mrctl knows of a session's regions beyond what the kernel can tell,
 * in a memfd that all holders of the session share.
 *
 * Every holder can write it, and a process with more rights may join: whatever is read is copied
 * and checked, texts hold printable ASCII only, and nothing leads out of the mapping.
 *
 *   header | entries | indexes
 *
 * Entries are the truth; the indexes are derived, and made anew when the table grows or when a
 * holder was killed while it changed them.
 */
#ifndef LIB_SESSION_TABLE_ENTRIES_H
#define LIB_SESSION_TABLE_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/number.h"
#include "lib/verbs/region.h"

#define MR_NAME_SIZE 64
#define MR_TABLE_PDS 64
#define MR_NO_SLOT   UINT32_MAX

enum mr_entry_state {
	MR_ENTRY_FREE,
	MR_ENTRY_PENDING,  /**< the kernel was asked to register it */
	MR_ENTRY_LIVE,     /**< registered */
	MR_ENTRY_IN_DOUBT, /**< the kernel was asked to deregister or change it */
};

/** By what an entry is found. */
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
		uint64_t new_length; /**< where it is unsure: what these may be instead */
		uint64_t marked_ns;  /**< of a relaxed one: when it was deregistered, or 0 */
	};
	union {
		uint64_t new_iova;
		uint64_t
			defer_ns; /**< of a relaxed one: so long it is not invalidated for its age */
	};
	uint32_t state; /**< enum mr_entry_state */
	uint32_t handle;
	union {
		uint32_t lkey;    /**< of an MR */
		uint32_t umem_id; /**< of a umem */
	};
	uint32_t rkey; /**< of an MR */
	uint32_t access;
	uint16_t pd;                     /**< place of its PD in the table, MR_TABLE_PDS: none */
	uint8_t call;                    /**< enum mr_region_call, of which its kind follows */
	uint8_t via;                     /**< enum mr_via */
	uint8_t unsure;                  /**< enum mr_change: the kernel was asked, not yet noted */
	uint8_t refused;                 /**< enum mr_change: the kernel refused the last such */
	uint8_t has_dm;                  /**< 1: it is on memory on the device, @dm */
	uint8_t page_shift;              /**< mr_page_shift() of its memory */
	uint32_t next[MR_TABLE_INDEXES]; /**< slot of the next one with the same hash */
	char name[MR_NAME_SIZE];         /**< or empty */
	char memory[32];                 /**< kind of memory as typed, cut if it is longer */
	union {
		uint32_t dm;         /**< handle of that */
		uint32_t mark_errno; /**< of a relaxed one: what refused to invalidate it, or 0 */
	};
	struct mr_registrant registrant; /**< of a region that needs its process */
};

/** mr_page_shift() - a page size in one byte: its power of two; 0 where it is 0, or no power of two */
static inline uint8_t mr_page_shift(uint64_t size)
{
	return size && !(size & (size - 1)) ? (uint8_t)__builtin_ctzll(size) : 0;
}

/** mr_entry_page_size() - bytes; 0 where they are not known, or another holder has written nonsense */
static inline uint64_t mr_entry_page_size(const struct mr_entry *entry)
{
	return entry->page_shift && entry->page_shift < 64 ? UINT64_C(1) << entry->page_shift : 0;
}

/**
 * mr_entry_is_marked() - whether it is a relaxed region that was deregistered
 *
 * It is there, also where a process was killed that was invalidating it.
 */
static inline bool mr_entry_is_marked(const struct mr_entry *entry)
{
	return entry->call == MR_REG_MR_RELAXED && entry->marked_ns &&
	       (entry->state == MR_ENTRY_LIVE || entry->state == MR_ENTRY_IN_DOUBT);
}

/**
 * mr_entry_matches() - whether a copy of an entry is what was looked for
 * @name: with MR_BY_NAME; else NULL, and @value counts
 *
 * Another holder may have changed the entry after it was found.
 */
bool mr_entry_matches(const struct mr_entry *entry, enum mr_table_index index, uint64_t value,
		      const char *name);

/** The pool of relaxed regions. */
struct mr_table_pool {
	uint32_t limit;     /**< so many relaxed regions at most, marked ones too */
	uint32_t watermark; /**< so many marked ones are invalidated */
	uint32_t relaxed;   /**< relaxed regions that there are */
	uint32_t marked;    /**< of them */
};

struct mr_table_pd {
	char name[MR_NAME_SIZE]; /**< empty: the place is free */
	uint32_t handle;
	uint32_t in_doubt; /**< the kernel was asked to deallocate it */
};

/** Facts about the session that its maker wrote down. */
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
	int fd; /**< opened once and closed last: closing any other would drop the lock */
	struct mr_table_header *header;
	uint64_t mapped;   /**< bytes */
	uint32_t capacity; /**< entries that the mapping holds; checked */
	uint32_t buckets;  /**< of each index; checked */
	bool locked;
	bool is_private;    /**< no other process has it: there is nothing to lock or claim */
	int gave_up;        /**< errno by which the command has given up to lock it, or 0 */
	uint64_t waited_ns; /**< of what it may wait, so much is over */
};

/** mr_table_create() - a new table.  Return: 0 or -errno with MR_ERROR_HOST. */
int mr_table_create(const struct mr_table_device *device, struct mr_table *table,
		    struct mr_error *err);

/**
 * mr_table_open() - map a table that another process made
 * @fd: taken over, also on failure
 *
 * Return: 0, or -EPROTO with MR_ERROR_ABSENT for anything that is no sound table of this version.
 */
int mr_table_open(int fd, struct mr_table *table, struct mr_error *err);
void mr_table_close(struct mr_table *table);

/** mr_table_noun() - what users call what it is the table of: "session", or "batch" */
const char *mr_table_noun(const struct mr_table *table);

/** mr_table_device() - what its maker wrote down; strings are terminated */
void mr_table_device(const struct mr_table *table, struct mr_table_device *device);

/**
 * mr_table_lock() - keep other processes out; everything below needs it
 *
 * Waits for others, but a command no more than 10 seconds in all (mr_table_wait()); the message says
 * who has it.  A killed holder's lock is gone, and what it left half done in the indexes is mended here.
 *
 * Return: 0, -ETIMEDOUT, -EINTR, or another -errno.
 */
int mr_table_lock(struct mr_table *table, struct mr_error *err);
void mr_table_unlock(struct mr_table *table);

/** mr_table_begin_command() - another command works on it from here on, and may wait again */
void mr_table_begin_command(struct mr_table *table);

/**
 * mr_table_gave_up() - whether the command has tried to lock it in vain
 *
 * What it tries after that it tries without waiting, and it should come to its end.
 */
static inline bool mr_table_gave_up(const struct mr_table *table)
{
	return table->gave_up;
}

/** One wait for another process; all zeros before it. */
struct mr_table_wait {
	uint32_t pause_ns; /**< the next pause */
	uint64_t waited_ns;
};

/**
 * mr_table_wait() - a pause, before what another process has in hand is tried again
 *
 * Return: 0; -ETIMEDOUT where the command has waited 10 seconds in all, -EINTR soon after a signal that
 * it has blocked (mr_interrupted()).
 */
int mr_table_wait(struct mr_table *table, struct mr_table_wait *wait);

/**
 * mr_table_add() - a new entry in state PENDING; its id is chosen
 * @entry: what is known; id, next are set
 * @slot:  set to its place
 *
 * The name of a marked entry may be used again: that entry has none then.
 *
 * Return: 0, -EEXIST for a name in use (MR_ERROR_USAGE), -EAGAIN where the pool of relaxed regions is
 * full (MR_ERROR_RELAXED), -ENOMEM, ….
 */
int mr_table_add(struct mr_table *table, struct mr_entry *entry, uint32_t *slot,
		 struct mr_error *err);

/**
 * mr_table_commit() - the kernel registered it: the entry gets its keys and is LIVE
 *
 * The kernel reuses handles at once, so every other entry with that handle is one whose region
 * has gone: it is removed, or has MR_NO_HANDLE until the process that claims it removes it.
 *
 * Return: false if the entry there has not that id any more.
 */
bool mr_table_commit(struct mr_table *table, uint32_t slot, const struct mr_entry *entry);

/**
 * mr_table_change() - new contents of an entry that has its handle already, indexed anew
 * @entry: id and handle are those that it has; its state is LIVE or IN_DOUBT
 *
 * Return: false if the entry there has not that id and handle any more.
 */
bool mr_table_change(struct mr_table *table, uint32_t slot, const struct mr_entry *entry);

/** mr_table_get() - a checked copy of an entry.  Return: false for a place that is free. */
bool mr_table_get(const struct mr_table *table, uint32_t slot, struct mr_entry *entry);

/** mr_table_is_used() - whether there seems to be an entry; a look without the lock */
bool mr_table_is_used(const struct mr_table *table, uint32_t slot);

/** mr_table_set_state() - if the entry there still has that id */
void mr_table_set_state(struct mr_table *table, uint32_t slot, uint64_t id,
			enum mr_entry_state state);

/** mr_table_remove() - if the entry there still has that id */
void mr_table_remove(struct mr_table *table, uint32_t slot, uint64_t id);

/** mr_table_mark() - a relaxed region is deregistered, if the entry there still has that id */
void mr_table_mark(struct mr_table *table, uint32_t slot, uint64_t id, uint64_t now,
		   uint64_t defer_ns);

/** mr_table_refuse_mark() - note the errno by which a marked region could not be invalidated */
void mr_table_refuse_mark(struct mr_table *table, uint32_t slot, uint64_t id, int errnum);

/**
 * mr_table_next_marked() - go through marked entries, the newest first
 * @slot: that of the one before, or MR_NO_SLOT
 *
 * Return: MR_NO_SLOT after the last; but another holder may have made them a circle.
 */
uint32_t mr_table_next_marked(const struct mr_table *table, uint32_t slot);

/** mr_table_pool() - a copy; a look without the lock */
void mr_table_pool(const struct mr_table *table, struct mr_table_pool *pool);

/** mr_table_set_pool() - limit and watermark; the rest of @pool is not used */
void mr_table_set_pool(struct mr_table *table, const struct mr_table_pool *pool);

/**
 * mr_table_find() - by id, handle, lkey or rkey
 * Return: its slot, or MR_NO_SLOT.
 */
uint32_t mr_table_find(const struct mr_table *table, enum mr_table_index index, uint64_t value);
uint32_t mr_table_find_name(const struct mr_table *table, const char *name);

/** mr_table_count() - entries there are */
uint32_t mr_table_count(const struct mr_table *table);

/**
 * mr_table_claim() - keep others off an entry while the lock is not held
 *
 * A record lock of its own: gone when its holder is.  Return: false where another has it (errno
 * is EAGAIN or EACCES then), or where it cannot be had.
 */
bool mr_table_claim(const struct mr_table *table, uint32_t slot);
void mr_table_unclaim(const struct mr_table *table, uint32_t slot);

/** mr_table_is_claimed() - by another process */
bool mr_table_is_claimed(const struct mr_table *table, uint32_t slot);

/**
 * mr_table_begin_unnamed() - this process is about to make objects that no entry names at first
 *
 * Takes the table's lock for a moment.  It ends with mr_table_end_unnamed(), or with the process.
 */
int mr_table_begin_unnamed(struct mr_table *table, struct mr_error *err);
void mr_table_end_unnamed(const struct mr_table *table);

/**
 * mr_table_others_make() - under the lock: whether another process is making objects
 *
 * What the kernel has of these may have no entry yet.  A killed process makes nothing.
 */
bool mr_table_others_make(const struct mr_table *table);

/**
 * mr_table_fail_claimed() - the error for an entry that cannot be claimed
 * @errnum: of mr_table_claim()
 *
 * Return: -EBUSY for one that another process has in hand; -ENOLCK for one that none has, so that it
 * stays so; or another -errno.
 */
int mr_table_fail_claimed(const struct mr_table *table, uint32_t slot, uint64_t id, int errnum,
			  struct mr_error *err);

/**
 * mr_table_use_pd() - keep others from deallocating the PD in that place; many may use it at once
 *
 * A record lock: gone when its holder is, or with mr_table_leave_pd().
 *
 * Return: 0, -EBUSY where another process has claimed it, or another -errno.
 */
int mr_table_use_pd(const struct mr_table *table, uint32_t place, struct mr_error *err);

/** mr_table_claim_pd() - for this process alone.  Return: 0, -EBUSY where another uses it, or -errno. */
int mr_table_claim_pd(const struct mr_table *table, uint32_t place, struct mr_error *err);
void mr_table_leave_pd(const struct mr_table *table, uint32_t place);

/** mr_table_pd() - a copy of the PD in that place.  Return: false where there is none. */
bool mr_table_pd(const struct mr_table *table, uint32_t place, struct mr_table_pd *pd);
/** mr_table_find_pd() - Return: its place, or MR_NO_SLOT. */
uint32_t mr_table_find_pd(const struct mr_table *table, const char *name);
/**
 * mr_table_add_pd() - a PD that the kernel has just allocated; another with its handle has gone
 * Return: its place, or MR_NO_SLOT where all are taken.
 */
uint32_t mr_table_add_pd(struct mr_table *table, const char *name, uint32_t handle);
void mr_table_doubt_pd(struct mr_table *table, uint32_t place, bool in_doubt);
void mr_table_remove_pd(struct mr_table *table, uint32_t place);

/** mr_table_size() - bytes of the table */
uint64_t mr_table_size(const struct mr_table *table);

#endif
