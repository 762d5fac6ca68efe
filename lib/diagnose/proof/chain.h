/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which function of the kernel has refused: the deepest one that returned the error that came out. */
#ifndef LIB_DIAGNOSE_PROOF_CHAIN_H
#define LIB_DIAGNOSE_PROOF_CHAIN_H

#include <stddef.h>

#include "lib/diagnose/proof/watch.h"

enum { MR_CHAIN_MAX = 16 /**< functions of a chain that are kept */ };

/** A function that has returned an error. */
struct mr_chain_link {
	const struct mr_kernel_function *function;
	int errnum; /**< positive */
};

/** Functions that have passed on an error. */
struct mr_chain {
	struct mr_chain_link links[MR_CHAIN_MAX]; /**< from the outermost to the one that refused */
	size_t count;                             /**< 0: no system call has returned the errno */
	bool was_entered; /**< some system call has come to the RDMA stack */
};

/**
 * mr_chain_find() - find the functions that have passed on an error
 * @returns: what has returned, the newest first, as of mr_watch_read()
 * @errnum:  that the system call has returned, positive
 *
 * The functions that a function has called are those that returned before it, deeper in the stack.
 */
void mr_chain_find(const struct mr_return *returns, size_t count, int errnum,
		   struct mr_chain *chain);

#endif
