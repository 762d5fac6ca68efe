/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_PROCESS_H
#define LIB_SIM_STATE_PROCESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/simulator/spec.h"

struct sim_file;

#define SIM_SHARES 256
#define SIM_SLOTS  256

/** Pages of this address space that are pinned by the objects of one table. */
struct sim_share {
	uint64_t table; /**< id of its header */
	uint64_t pages; /**< 0: the share is unused */
	int fd;         /**< a descriptor by which the table was seen */
};

/**
 * Pages of this address space that are pinned: the kernel's mm->pinned_vm.  A new address space
 * (fork, exec) has none.
 */
struct sim_account {
	uint32_t mm;     /**< random number of this address space in the tables; 0: not yet drawn */
	uint64_t pinned; /**< sum of the shares */
	uint64_t pending; /**< pages charged that no object has yet */
	bool incomplete;  /**< a table got no share, and @pinned lacks its pages */
	ino_t user_ns;    /**< inode of the user namespace; 0: not yet looked up */
	struct sim_share shares[SIM_SHARES];
};

/** A simulated descriptor of this process. */
struct sim_slot {
	int fd;
	dev_t dev; /**< with @ino: the file that fd was of */
	ino_t ino;
	struct sim_file *file; /**< NULL: the slot is empty */
};

/** What the simulator remembers for this process; all zeros in a new one and in a forked child. */
struct sim_process {
	pthread_mutex_t lock; /**< guards the account and the slots, and is never held long */
	struct sim_account account;
	struct sim_slot slots[SIM_SLOTS];
	uint64_t calls[MR_SIM_CALLS]; /**< how often each was made, if it has faults */
};

/** sim_process_lock() - lock and return what is remembered for this process; sim_process_unlock() it */
struct sim_process *sim_process_lock(void);
void sim_process_unlock(struct sim_process *process);

/**
 * sim_process_try_lock() - as sim_process_lock(), but without waiting and without making anything
 *
 * So close() costs nothing in programs that never open a simulated device.
 *
 * Return: NULL if nothing is remembered yet, or another thread holds the lock.
 */
struct sim_process *sim_process_try_lock(void);

/** sim_process_count() - count a call of this process; returns how many there were, with this one */
uint64_t sim_process_count(enum mr_sim_call call);

#endif
