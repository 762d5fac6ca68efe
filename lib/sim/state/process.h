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

/** What is pinned in one table: none where @pages is 0. */
struct sim_share {
	uint64_t table; /**< its header's id */
	uint64_t pages;
	int fd; /**< by which it was seen last */
};

/**
 * Pages of this address space that are pinned: the kernel's mm->pinned_vm.  A new address space
 * (fork, exec) starts at nothing.
 */
struct sim_account {
	uint32_t mm;      /**< names this address space in the tables; 0: not yet named */
	uint64_t pinned;  /**< sum of the shares */
	uint64_t pending; /**< pages that are in no table yet */
	bool incomplete;  /**< there was no share for a table: @pinned is too low */
	ino_t user_ns;    /**< its user namespace; 0: not yet asked */
	struct sim_share shares[SIM_SHARES];
};

/** What is remembered of a simulated descriptor. */
struct sim_slot {
	int fd;
	dev_t dev;
	ino_t ino;
	struct sim_file *file; /**< NULL: the slot is empty */
};

/** What this process remembers; a forked child starts with an empty one. */
struct sim_process {
	pthread_mutex_t lock; /**< guards the account and the slots; it is never held long */
	struct sim_account account;
	struct sim_slot slots[SIM_SLOTS];
	uint64_t calls[MR_SIM_CALLS]; /**< how many were made, of those that can have a fault */
};

/** sim_process_lock() - what this process remembers; sim_process_unlock() it */
struct sim_process *sim_process_lock(void);
void sim_process_unlock(struct sim_process *process);

/**
 * sim_process_try_lock() - as sim_process_lock(), without waiting
 *
 * Most programs never meet a simulated descriptor, and all of them close others: these calls cost
 * nothing.
 *
 * Return: NULL where nothing is remembered yet, or another holds the lock.
 */
struct sim_process *sim_process_try_lock(void);

/** sim_process_count() - count a call of this process; returns how many there were */
uint64_t sim_process_count(enum mr_sim_call call);

#endif
