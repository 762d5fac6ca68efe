// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory cannot be given back to child processes: libibverbs is short of memory for its notes of
 * what it keeps from them.  As that happens nowhere else, this makes the answer of the real one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>

int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		 int access)
{
	int (*real)(struct ibv_mr *, int, struct ibv_pd *, void *, size_t, int);
	int rc;

	*(void **)&real = dlsym(RTLD_NEXT, "ibv_rereg_mr");
	rc = real(mr, flags, pd, addr, length, access);
	if (rc && rc != IBV_REREG_MR_ERR_CMD)
		return rc;
	errno = ENOMEM;
	return rc ? IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW : IBV_REREG_MR_ERR_DO_FORK_OLD;
}
