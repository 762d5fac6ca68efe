// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "lib/base/base.h"
#include "lib/probe/attempt.h"
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
