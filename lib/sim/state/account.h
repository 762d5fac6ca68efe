/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_ACCOUNT_H
#define LIB_SIM_STATE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "lib/sim/state/table.h"

/** sim_is_capable() - the kernel's capable(): whether this process has a capability (CAP_...) on the machine */
bool sim_is_capable(unsigned int capability);

/** sim_account_limit() - RLIMIT_MEMLOCK of this process, in bytes */
rlim_t sim_account_limit(void);

/** sim_account_locking_allowed() - can_do_mlock(): false with a limit of 0 and without CAP_IPC_LOCK */
bool sim_account_locking_allowed(rlim_t limit);

/**
 * sim_account_charge() - count pages that are about to be pinned; no table may be locked
 * @limit: bytes that this process may have pinned
 *
 * Follow with sim_account_commit() or sim_account_cancel().
 *
 * Return: 0, or -ENOMEM where they would exceed the limit and CAP_IPC_LOCK is missing.
 */
int sim_account_charge(uint64_t pages, rlim_t limit);

/** sim_account_cancel() - uncount pages that were charged, and became those of no object */
void sim_account_cancel(uint64_t pages);

/**
 * sim_account_commit() - make charged pages those of an object
 * @table: locked, has the object
 *
 * Return: the address space that is charged, for @mm of the object.
 */
uint32_t sim_account_commit(const struct sim_table *table, uint64_t pages);

/**
 * sim_account_release() - uncount the pages of an object that is gone
 * @table: locked, had the object
 * @mm:    of the object; pages of another address space are none of this process
 */
void sim_account_release(const struct sim_table *table, uint32_t mm, uint64_t pages);

/** sim_account_pinned() - bytes that this process has pinned by all its simulated devices; no table may be locked */
uint64_t sim_account_pinned(void);

#endif
