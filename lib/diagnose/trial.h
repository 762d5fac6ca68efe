/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares tries: a refused call that is made again with one thing changed. */
#ifndef LIB_DIAGNOSE_TRIAL_H
#define LIB_DIAGNOSE_TRIAL_H

#include "lib/diagnose/causes/causes.h"

/** Time that the tries of a command take, in nanoseconds; a call that has begun is not cut short. */
#define MR_TRIES_NS UINT64_C(5000000000)

/**
 * mr_tries_make() - repeat a refused call, within its time for tries
 *
 * The call itself comes first.  Changes follow only where it is refused again with the same errno.  A region that passes
 * is deregistered at once.  Regions that were there before are left as they are, and nothing is registered in a
 * session, which would outlive this process.  The tries end early where a signal is pending (mr_interrupted()).
 */
void mr_tries_make(const struct mr_refusal *refusal, struct mr_tries *tries);

/** mr_tries_exist() - whether mr_tries_make() can try anything */
bool mr_tries_exist(const struct mr_refusal *refusal);

/** mr_tries_text() - the results of the tries, as a sentence without a subject: "it passes without remote-atomic; ..." */
void mr_tries_text(const struct mr_tries *tries, char *text, size_t size);

#endif
