/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The protection domains of a session: what the table knows of them, and their locks. */
#ifndef LIB_SESSION_TABLE_PDS_H
#define LIB_SESSION_TABLE_PDS_H

#include "lib/session/table/table.h"

/** mr_table_pd() - copy the PD in that slot, with a printable name.  Return: false where there is none. */
bool mr_table_pd(const struct mr_table *table, uint32_t pd_slot, struct mr_table_pd *pd);

/** mr_table_find_pd() - find a PD by its name.  Return: its slot, or MR_NO_SLOT. */
uint32_t mr_table_find_pd(const struct mr_table *table, const char *name);

/**
 * mr_table_add_pd() - note a PD that the kernel has just allocated
 *
 * The kernel gives a handle out again once its PD has gone: another PD of that handle is removed.
 *
 * Return: its slot, or MR_NO_SLOT where all are taken.
 */
uint32_t mr_table_add_pd(struct mr_table *table, const char *name, uint32_t handle);

/** mr_table_doubt_pd() - note that the kernel is about to be asked to deallocate a PD, or that the PD stays */
void mr_table_doubt_pd(struct mr_table *table, uint32_t pd_slot, bool in_doubt);

/** mr_table_remove_pd() - free the slot of a PD that was deallocated */
void mr_table_remove_pd(struct mr_table *table, uint32_t pd_slot);

/**
 * mr_table_use_pd() - keep others from deallocating the PD in that slot; many may use it at once
 *
 * It is a record lock, which ends with its process or with mr_table_leave_pd().
 *
 * Return: 0, -EBUSY where another process has claimed it, or another -errno.
 */
int mr_table_use_pd(const struct mr_table *table, uint32_t pd_slot, struct mr_error *err);

/**
 * mr_table_claim_pd() - keep others from using the PD in that slot
 * Return: 0, -EBUSY where another process uses or claims it, or another -errno.
 */
int mr_table_claim_pd(const struct mr_table *table, uint32_t pd_slot, struct mr_error *err);

/** mr_table_leave_pd() - give up what mr_table_use_pd() or mr_table_claim_pd() has taken */
void mr_table_leave_pd(const struct mr_table *table, uint32_t pd_slot);

#endif
