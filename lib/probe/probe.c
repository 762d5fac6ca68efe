// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/host/processes.h"
#include "lib/probe/attempt.h"
#include "lib/probe/probe.h"
#include "lib/verbs/verbs.h"

/* A call that says "not now" is made so many times, with a pause. */
#define ATTEMPTS     5
#define PAUSE_NS     2000000

#define ACCESS_FLUSH (3u << 8)

int mr_probe_open(struct mr_probe *probe, const char *name, struct mr_environment *environment,
		  struct mr_error *err)
{
	struct mr_memory_request request = { .kind = { .type = MR_MEMORY_ANON, .text = "anon" } };
	struct mr_error ignored;
	uint32_t pd_handle;
	int rc;

	*probe = (struct mr_probe){ .environment = environment, .page = (uint64_t)getpagesize() };
	rc = mr_device_open(name, &probe->device, environment, err);
	if (rc)
		return rc;
	request.length = MR_PROBE_PAGES * probe->page;
	rc = mr_memory_map(&request, &probe->memory, err);
	if (rc) {
		mr_device_close(&probe->device);
		return rc;
	}
	probe->uverbs = mr_device_uverbs(&probe->device, environment, &pd_handle);
	probe->library = (struct mr_registrar){ .via = MR_VIA_LIBRARY,
						.context = probe->device.context,
						.pd = probe->device.pd,
						.uverbs = &probe->uverbs };
	probe->kernel = (struct mr_registrar){ .via = MR_VIA_KERNEL,
					       .uverbs = &probe->uverbs,
					       .pd_handle = pd_handle };
	probe->in_force.uverbs = &probe->uverbs;
	probe->has_attributes =
		!mr_attributes_query(probe->device.context, &probe->attributes, &ignored);
	return 0;
}

void mr_probe_close(struct mr_probe *probe)
{
	mr_device_close(&probe->device);
	mr_memory_unmap(&probe->memory);
}

/*
 * Whether a refusal means that the device, its driver or its library cannot do it at all.  ENODEV does not:
 * ibv_import_device(3) answers it, too, where the process can open no more files.
 */
static bool means_no(int errnum)
{
	return mr_attempt_lacks(errnum) || errnum == EINVAL;
}

static bool is_passing(int errnum)
{
	return errnum == EAGAIN || errnum == EINTR;
}

/* Whether RLIMIT_MEMLOCK does not count for this process. */
static bool may_lock_all(void)
{
	struct mr_host host = MR_THIS_HOST;
	struct mr_process_status self;

	return mr_process_status_read(&host, "self", &self) || !self.effective.known ||
	       self.effective.value & MR_CAP_IPC_LOCK;
}

/* Why a refusal means neither yes nor no.  A limit is named only where its figure was seen. */
static void explain_doubt(const struct mr_probe *probe, struct mr_attempt *attempt)
{
	const struct mr_opt_u64 memlock = probe->environment->memlock_soft;

	switch (-attempt->rc) {
	case ENOMEM:
	case EPERM:
		if (memlock.known && !may_lock_all())
			mr_attempt_reason(attempt,
					  "maybe a limit of this process: it may lock %" PRIu64
					  " bytes of memory (RLIMIT_MEMLOCK)",
					  memlock.value);
		else
			mr_attempt_reason(attempt, "this host, its limits or its memory, may have "
						   "refused, and not the device");
		return;
	case EAGAIN:
		mr_attempt_reason(attempt,
				  "a limit (control group rdma) or a shortage of the device, "
				  "tried %d times",
				  ATTEMPTS);
		return;
	case EIO:
		mr_attempt_reason(attempt, "the device failed, or has gone");
		return;
	case ENODEV:
		mr_attempt_reason(attempt, "no device was found: it has gone, or this process can "
					   "open no more files (ulimit -n)");
		return;
	case EMFILE:
		mr_attempt_reason(attempt, "this process can open no more files (ulimit -n)");
		return;
	default:
		mr_attempt_reason(attempt,
				  "this errno tells of this attempt, not of what the device can");
	}
}

/* Makes the attempt, and again while the answer is "not now". */
static void attempt_trial(struct mr_probe *probe, const struct mr_trial *trial,
			  struct mr_attempt *attempt)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };

	for (int i = 0; i < ATTEMPTS; i++) {
		if (i)
			nanosleep(&pause, NULL);
		*attempt = (struct mr_attempt){ .made = false };
		trial->attempt(probe, trial, attempt);
		if (!is_passing(-attempt->rc))
			return;
	}
}

/*
 * Whether the library refused without asking the kernel.  The attempt is repeated with a context that has no
 * descriptor: where the library asks the kernel, the errno is then another one (EBADF).
 */
static enum mr_tristate library_refused(struct mr_probe *probe, const struct mr_trial *trial,
					const struct mr_attempt *first)
{
	struct mr_attempt second = { .made = false };

	if (mr_call_via(first->call, MR_VIA_LIBRARY) == MR_VIA_KERNEL)
		return MR_NO;
	if (first->rc == -EBADF)
		return MR_UNKNOWN;
	probe->blind = true;
	trial->attempt(probe, trial, &second);
	probe->blind = false;
	if (!second.made)
		return MR_UNKNOWN;
	if (second.rc == -EBADF)
		return MR_NO;
	return second.rc == first->rc ? MR_YES : MR_UNKNOWN;
}

/*
 * The layer that refused, where that is proven.  In the kernel, uverbs answers EPROTONOSUPPORT to a method or
 * an attribute that it does not know (uverbs_ioctl.c), and EINVAL to forbidden access flags before it asks the
 * driver (ib_check_mr_access()).  That function answers EOPNOTSUPP, too, but only to flags for on-demand
 * paging and flushing; to others it is the driver's answer, or that of a driver that lacks the function.
 */
static const char *find_layer(struct mr_probe *probe, const struct mr_trial *trial,
			      const struct mr_attempt *attempt)
{
	const bool is_mlx5dv = !strncmp(attempt->call, "mlx5dv_", strlen("mlx5dv_"));
	const int errnum = -attempt->rc;

	if (attempt->layer)
		return attempt->layer;
	if (errnum == ENOSYS && attempt->err.kind == MR_ERROR_HOST)
		return is_mlx5dv ? "provider" : "libibverbs";
	switch (library_refused(probe, trial, attempt)) {
	case MR_YES:
		return is_mlx5dv || errnum == EOPNOTSUPP ? "provider" : NULL;
	case MR_NO:
		if (errnum == EPROTONOSUPPORT)
			return "uverbs";
		if (errnum == EINVAL && trial->capability == MR_CAPABILITY_FORBIDDEN)
			return "uverbs";
		if (errnum == EOPNOTSUPP && !(trial->access & (MR_ACCESS_ON_DEMAND | ACCESS_FLUSH)))
			return "driver";
		return NULL;
	default:
		return NULL;
	}
}

/* Whether the stack lacks what the call needs, such as memory on the device, so that it cannot be made. */
static bool is_impossible(const struct mr_attempt *attempt)
{
	return attempt->rc && attempt->err.call && mr_attempt_lacks(-attempt->rc) &&
	       mr_call_via(attempt->err.call, MR_VIA_KERNEL) == MR_VIA_LIBRARY;
}

/*
 * Providers refuse by themselves, with EINVAL, what the device does not report: libmlx5 so takes a device that
 * did not answer for one without memory.
 */
static bool is_uninformed(const struct mr_probe *probe, const struct mr_trial *trial,
			  const struct mr_attempt *attempt)
{
	return attempt->rc == -EINVAL && !probe->has_attributes &&
	       trial->capability != MR_CAPABILITY_NONE &&
	       trial->capability != MR_CAPABILITY_FORBIDDEN;
}

static enum mr_tristate judge(const struct mr_probe *probe, const struct mr_trial *trial,
			      const struct mr_attempt *attempt)
{
	if (attempt->doubtful || is_uninformed(probe, trial, attempt))
		return MR_UNKNOWN;
	if (!attempt->made)
		return is_impossible(attempt) ? MR_NO : MR_UNKNOWN;
	if (!attempt->rc)
		return attempt->proven == MR_UNKNOWN ? MR_YES : attempt->proven;
	if (trial->yes_errno && attempt->rc == -trial->yes_errno)
		return MR_YES;
	return means_no(-attempt->rc) ? MR_NO : MR_UNKNOWN;
}

/* Why the call was not made: what it needs could not be had. */
static void explain_preparation(struct mr_attempt *attempt)
{
	const char *name = mr_errno_name(-attempt->rc);

	if (attempt->err.call)
		mr_attempt_reason(attempt, "it needs %s, which answers %s", attempt->err.call,
				  name ? name : "an unknown errno");
	else
		mr_attempt_reason(attempt, "what it needs could not be had: %.150s",
				  attempt->err.text);
}

/* Compares the answer with what the device reports, and adds a difference to the reason. */
static void compare(struct mr_probe *probe, const struct mr_trial *trial,
		    struct mr_trial_answer *answer, struct mr_attempt *attempt)
{
	char found[sizeof(attempt->reason)];

	answer->capability = mr_capability_ask(probe, trial->capability);
	answer->agrees = MR_UNKNOWN;
	if (answer->capability == MR_UNKNOWN || answer->answer == MR_UNKNOWN)
		return;
	answer->agrees = answer->capability == answer->answer ? MR_YES : MR_NO;
	if (answer->agrees == MR_YES)
		return;
	memcpy(found, attempt->reason, sizeof(found));
	if (trial->capability == MR_CAPABILITY_FORBIDDEN)
		mr_attempt_reason(attempt, "accepted, although ibv_reg_mr(3) forbids it");
	else
		mr_attempt_reason(attempt, "%.180s%sthe device reports that it can%s do this",
				  found, found[0] ? "; " : "",
				  answer->capability == MR_YES ? "" : "not");
}

void mr_probe_try(struct mr_probe *probe, const struct mr_trial *trial,
		  struct mr_trial_answer *answer)
{
	struct mr_attempt attempt;

	attempt_trial(probe, trial, &attempt);
	*answer = (struct mr_trial_answer){
		.answer = judge(probe, trial, &attempt),
		.made = attempt.made,
		.errnum = attempt.made ? -attempt.rc : 0,
		.call = attempt.made ? attempt.call : NULL,
		.elapsed_ns = attempt.elapsed_ns,
		.kernel_call = attempt.kernel_call,
	};
	if (answer->answer == MR_NO && attempt.made && attempt.rc)
		answer->layer = find_layer(probe, trial, &attempt);
	else if (answer->answer == MR_NO)
		answer->layer = attempt.layer;
	compare(probe, trial, answer, &attempt);
	if (attempt.reason[0])
		;
	else if (!attempt.made)
		explain_preparation(&attempt);
	else if (answer->answer == MR_UNKNOWN)
		explain_doubt(probe, &attempt);
	snprintf(answer->reason, sizeof(answer->reason), "%s", attempt.reason);
}
