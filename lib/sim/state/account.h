/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_ACCOUNT_H
#define LIB_SIM_STATE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "lib/sim/state/table.h"

/** sim_account_limit() - RLIMIT_MEMLOCK of the caller, in bytes */
rlim_t sim_account_limit(void);

/** sim_account_locking_allowed() - can_do_mlock(): false at limit 0 without CAP_IPC_LOCK */
bool sim_account_locking_allowed(rlim_t limit);

/**
 * sim_account_charge() - count pages against a limit in bytes; no table may be locked
 *
 * Return: 0, or -ENOMEM over the limit without CAP_IPC_LOCK.
 */
int sim_account_charge(uint64_t pages, rlim_t limit);

/** sim_account_cancel() - give charged pages back that no object took */
void sim_account_cancel(uint64_t pages);

/** sim_account_commit() - an object of a locked table holds the pages; returns what to store in its mm */
uint32_t sim_account_commit(const struct sim_table *table, uint64_t pages);

/** sim_account_release() - an object of address space @mm in a locked table is gone */
void sim_account_release(const struct sim_table *table, uint32_t mm, uint64_t pages);

#endif
