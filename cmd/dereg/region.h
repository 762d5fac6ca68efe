/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Deregistering regions of the session's table, and invalidating those that are deferred. */
#ifndef CMD_DEREG_REGION_H
#define CMD_DEREG_REGION_H

#include "cmd/region/in_session.h"

/**
 * dereg_region() - deregister a region, or defer that if it is relaxed; prints it unless that fails
 * @slot:  of its entry in the table
 * @entry: a copy of that entry, brought up to date
 *
 * With --flush a relaxed region that becomes deferred is not printed: dereg_flush() will do that.
 *
 * Return: as mr_session_deregister(), or as mr_dereg_mr_relaxed().
 */
int dereg_region(struct session_job *job, uint32_t slot, struct mr_entry *entry,
		 struct mr_error *err);

/** How far dereg --all has come: { .most = 1 } before the first region. */
struct dereg_progress {
	uint64_t index; /**< of the last region among those of the command, from 1 */
	uint32_t most;  /**< regions of the next run */
};

/**
 * dereg_run() - dereg_region() of regions whose entries follow one another in the table
 * @slot: of the first one
 *
 * A failure is answered, unless it only says that the region has gone, or that another process is at work on it.
 * Where regions take long to deregister, runs are short: others may want those that are not reached yet.
 *
 * Return: the number of slots that are dealt with, at least 1.
 */
uint32_t dereg_run(struct session_job *job, uint32_t slot, struct dereg_progress *progress);

/**
 * dereg_flush() - --flush: invalidate deferred regions, and print each or why it failed
 * @pd_name: those of this protection domain; NULL: all
 */
void dereg_flush(struct session_job *job, const char *pd_name);

/**
 * dereg_flush_pd() - the same for a protection domain that the caller has found
 * @pd_slot: its slot in the table, or MR_ALL_PDS
 *
 * Return: whether a signal came before all were invalid.
 */
bool dereg_flush_pd(struct session_job *job, uint32_t pd_slot);

#endif
