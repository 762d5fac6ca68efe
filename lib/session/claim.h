/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A region in the hands of this process, while it is changed or deregistered. */
#ifndef LIB_SESSION_CLAIM_H
#define LIB_SESSION_CLAIM_H

#include "lib/session/state.h"

/**
 * mr_session_claim() - take an entry in hand, under the table's lock
 * @slot:   its place in the table
 * @id:     its id; another one in that place is left alone
 * @entry:  set to a copy
 * @state:  set where it is ours: LIVE, DEFERRED, IN_DOUBT, SUSPECT, GONE, or UNKNOWN where the device has gone
 * @kernel: set as by mr_session_query()
 * @err:    also filled where the state is UNKNOWN
 *
 * Return: 0, and mr_session_unclaim() gives it up; -errno where it is not there, in another
 * process's hands, or the kernel cannot be asked.
 */
int mr_session_claim(struct mr_session *session, uint32_t slot, uint64_t id, struct mr_entry *entry,
		     enum mr_session_state *state, struct mr_uverbs_mr *kernel,
		     struct mr_error *err);

/** mr_session_unclaim() - give up claim and lock */
void mr_session_unclaim(struct mr_session *session, uint32_t slot);

/** mr_session_fail_gone() - the error for an entry whose region the kernel does not have */
int mr_session_fail_gone(const struct mr_entry *entry, struct mr_error *err);

#endif
