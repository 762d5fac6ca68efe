// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdarg.h>
#include <stdio.h>

#include "lib/base/base.h"
#include "lib/probe/probe.h"
#include "lib/verbs/device.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

void mr_attempt_begin(struct mr_probe *probe, struct mr_attempt *attempt, const char *call)
{
	attempt->made = true;
	attempt->call = call;
	if (!attempt->context)
		attempt->context = probe->device.context;
	attempt->fd = attempt->context->cmd_fd;
	if (probe->blind)
		attempt->context->cmd_fd = -1;
	attempt->start_ns = mr_now_ns();
}

void mr_attempt_end(struct mr_attempt *attempt, int rc)
{
	attempt->elapsed_ns = mr_now_ns() - attempt->start_ns;
	attempt->context->cmd_fd = attempt->fd;
	attempt->rc = rc;
	if (rc && attempt->err.call)
		attempt->call = attempt->err.call;
}

void mr_attempt_reason(struct mr_attempt *attempt, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(attempt->reason, sizeof(attempt->reason), fmt, ap);
	va_end(ap);
}

void mr_attempt_doubt(struct mr_attempt *attempt, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(attempt->reason, sizeof(attempt->reason), fmt, ap);
	va_end(ap);
	attempt->doubtful = true;
}

bool mr_attempt_lacks(int errnum)
{
	/* The last is the kernel's own ENOTSUPP, which some drivers return to users. */
	return errnum == EOPNOTSUPP || errnum == EPROTONOSUPPORT || errnum == ENOSYS ||
	       errnum == 524;
}

void mr_attempt_without(struct mr_probe *probe, const struct mr_trial *trial,
			const struct mr_region_request *request, struct mr_attempt *attempt,
			const char *fmt, ...)
{
	struct mr_region region;
	va_list ap;

	if (!mr_attempt_register(probe, trial, request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
	else if (mr_attempt_lacks(-attempt->rc) || probe->blind)
		return;
	attempt->made = false;
	attempt->rc = 0;
	va_start(ap, fmt);
	vsnprintf(attempt->reason, sizeof(attempt->reason), fmt, ap);
	va_end(ap);
}

const struct mr_registrar *mr_attempt_registrar(const struct mr_probe *probe,
						const struct mr_trial *trial)
{
	return trial->via == MR_VIA_KERNEL ? &probe->kernel : &probe->library;
}

int mr_attempt_prepare(struct mr_probe *probe, const struct mr_region_request *request,
		       struct mr_region *region, struct mr_attempt *attempt)
{
	attempt->rc = mr_region_register(&probe->library, request, region, &attempt->err);
	return attempt->rc;
}

int mr_attempt_register(struct mr_probe *probe, const struct mr_trial *trial,
			const struct mr_region_request *request, struct mr_region *region,
			struct mr_attempt *attempt)
{
	int rc;

	mr_attempt_begin(probe, attempt, mr_region_call_name(trial->call, trial->via));
	rc = mr_region_register(mr_attempt_registrar(probe, trial), request, region, &attempt->err);
	mr_attempt_end(attempt, rc);
	return rc;
}

void mr_attempt_deregister(struct mr_probe *probe, struct mr_region *region,
			   struct mr_attempt *attempt)
{
	struct mr_error err;
	int rc = mr_region_deregister(&probe->library, region, &err);
	const char *name = mr_errno_name(-rc);

	if (rc && !attempt->reason[0])
		mr_attempt_reason(attempt, "stays until the command ends: %s: %s", err.call,
				  name ? name : "unknown errno");
}

/* Linux 6.2 <rdma/ib_user_verbs.h>, enum ib_uverbs_device_cap_flags */
#define FLUSH_GLOBAL     (UINT64_C(1) << 38)
#define FLUSH_PERSISTENT (UINT64_C(1) << 39)

#define WINDOWS_1        ((uint64_t)IBV_DEVICE_MEM_WINDOW)
#define WINDOWS_2        ((uint64_t)(IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B))

static enum mr_tristate yes_if(bool condition)
{
	return condition ? MR_YES : MR_NO;
}

/* hw/mlx5/main.c UVERBS_HANDLER(MLX5_IB_METHOD_GET_DATA_DIRECT_SYSFS_PATH) answers ENODEV where there is none. */
static enum mr_tristate ask_data_direct(const struct mr_probe *probe)
{
	char path[256] = "";
	struct mr_error ignored;

	switch (mr_uverbs_data_direct_path(&probe->uverbs, path, sizeof(path), &ignored)) {
	case 0:
	case -ENOSPC:
		return MR_YES;
	case -ENODEV:
	case -EOPNOTSUPP: /* no device of mlx5 */
		return MR_NO;
	default:
		return MR_UNKNOWN;
	}
}

static enum mr_tristate ask_attributes(const struct mr_attributes *attributes,
				       enum mr_capability capability)
{
	switch (capability) {
	case MR_CAPABILITY_ATOMICS:
		return yes_if(attributes->atomic != IBV_ATOMIC_NONE);
	case MR_CAPABILITY_ODP:
		return yes_if(attributes->odp.general & IBV_ODP_SUPPORT);
	case MR_CAPABILITY_IMPLICIT:
		return yes_if(attributes->odp.general & IBV_ODP_SUPPORT_IMPLICIT);
	case MR_CAPABILITY_WINDOWS:
		return yes_if(attributes->capabilities & (WINDOWS_1 | WINDOWS_2));
	case MR_CAPABILITY_WINDOWS_1:
		return yes_if(attributes->capabilities & WINDOWS_1);
	case MR_CAPABILITY_WINDOWS_2:
		return yes_if(attributes->capabilities & WINDOWS_2);
	case MR_CAPABILITY_FLUSH_GLOBAL:
		return yes_if(attributes->capabilities & FLUSH_GLOBAL);
	case MR_CAPABILITY_FLUSH_PERSISTENT:
		return yes_if(attributes->capabilities & FLUSH_PERSISTENT);
	case MR_CAPABILITY_DM:
		return yes_if(attributes->max_dm_size);
	default:
		return MR_UNKNOWN;
	}
}

enum mr_tristate mr_capability_ask(struct mr_probe *probe, enum mr_capability capability)
{
	switch (capability) {
	case MR_CAPABILITY_NONE:
		return MR_UNKNOWN;
	case MR_CAPABILITY_FORBIDDEN:
		return MR_NO;
	case MR_CAPABILITY_RELAXED:
		return mr_orders_relaxed(&probe->uverbs);
	case MR_CAPABILITY_DATA_DIRECT:
		return ask_data_direct(probe);
	default:
		return probe->has_attributes ? ask_attributes(&probe->attributes, capability)
					     : MR_UNKNOWN;
	}
}

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
