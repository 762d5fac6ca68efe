// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Trials that change a region. */
#include <infiniband/verbs.h>
#include <errno.h>

#include "lib/probe/change.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

/* A second protection domain, to move a region to. */
struct second_pd {
	struct mr_registrar registrar;
	struct ibv_pd *pd;
};

static int open_second_pd(struct mr_probe *probe, const struct mr_trial *trial,
			  struct second_pd *second, struct mr_attempt *attempt)
{
	second->registrar = *mr_attempt_registrar(probe, trial);
	second->pd = NULL;
	if (!(trial->detail & MR_CHANGE_PD))
		return 0;
	errno = 0;
	second->pd = ibv_alloc_pd(probe->device.context);
	if (!second->pd) {
		attempt->rc = mr_fail(&attempt->err, MR_ERROR_REFUSED, mr_call_errno(),
				      "ibv_alloc_pd", NULL);
		return attempt->rc;
	}
	second->registrar.pd = second->pd;
	second->registrar.pd_handle = second->pd->handle;
	return 0;
}

/*
 * The region has all access, and loses some: kernels from 6.12 on refuse to add write access to pages that
 * were pinned for reading (EACCES), which does not tell whether access can be changed.
 */
void mr_try_rereg(struct mr_probe *probe, const struct mr_trial *trial, struct mr_attempt *attempt)
{
	const struct mr_region_request old = { .call = MR_REG_MR,
					       .addr = probe->memory.start,
					       .length = probe->page,
					       .access = IBV_ACCESS_LOCAL_WRITE |
							 IBV_ACCESS_REMOTE_READ };
	struct mr_rereg_request change = { .changes = trial->detail };
	struct mr_rereg_failure failure;
	struct second_pd second;
	struct mr_region region;
	int rc;

	if (trial->detail & MR_CHANGE_TRANSLATION) {
		change.addr = change.iova = probe->memory.start + probe->page;
		change.length = probe->page;
	}
	if (trial->detail & MR_CHANGE_ACCESS)
		change.access = trial->access;
	if (open_second_pd(probe, trial, &second, attempt))
		return;
	if (!mr_attempt_prepare(probe, &old, &region, attempt)) {
		const bool kernel = trial->via == MR_VIA_KERNEL;

		mr_attempt_begin(probe, attempt, kernel ? "ioctl(REREG_MR)" : "ibv_rereg_mr");
		rc = mr_region_rereg(&second.registrar, &change, &region, &failure, &attempt->err);
		mr_attempt_end(attempt, rc);
		mr_attempt_deregister(probe, &region, attempt);
	}
	if (second.pd)
		ibv_dealloc_pd(second.pd);
}
