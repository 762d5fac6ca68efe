// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/host.h"
#include "lib/probe/probe.h"
#include "lib/verbs/verbs.h"

/* Pages of the memory that most trials register some of. */
#define MR_PROBE_PAGES 4

static enum mr_tristate yes_if(bool condition)
{
	return condition ? MR_YES : MR_NO;
}

/* hw/mlx5/main.c UVERBS_HANDLER(MLX5_IB_METHOD_GET_DATA_DIRECT_SYSFS_PATH) answers ENODEV where there is none. */
static enum mr_tristate query_data_direct(const struct mr_probe *probe)
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

enum mr_tristate mr_capability_query(struct mr_probe *probe, const struct mr_trial *trial)
{
	const struct mr_attributes *attributes = &probe->attributes;

	if (trial->capability == MR_CAPABILITY_FORBIDDEN)
		return MR_NO;
	if (trial->capability == MR_CAPABILITY_RELAXED)
		return mr_orders_relaxed(&probe->uverbs);
	if (trial->capability == MR_CAPABILITY_DATA_DIRECT)
		return query_data_direct(probe);
	if (trial->capability == MR_CAPABILITY_NONE || !probe->has_attributes)
		return MR_UNKNOWN;
	if (trial->capability == MR_CAPABILITY_ATOMICS)
		return yes_if(attributes->atomic != IBV_ATOMIC_NONE);
	if (trial->capability == MR_CAPABILITY_DM)
		return yes_if(attributes->max_dm_size);
	return yes_if(attributes->capabilities & trial->device_bits ||
		      attributes->odp.general & trial->odp_bits);
}

/* ---- an attempt ---- */

/* Whether a refusal means that there is no such call or attribute at all. */
static bool means_absent(int errnum)
{
	/* The last is the kernel's own ENOTSUPP, which some drivers return to users. */
	return errnum == EOPNOTSUPP || errnum == EPROTONOSUPPORT || errnum == ENOSYS ||
	       errnum == 524;
}

static void release(struct mr_attempt *attempt)
{
	struct mr_error err = { .call = NULL };
	int rc = 0;

	mr_device_close(&attempt->imported);
	if (attempt->has_region)
		rc = mr_region_deregister(&attempt->probe->library, &attempt->region, &err);
	if (rc && !attempt->found.reason[0])
		MR_ATTEMPT_REASON(attempt, "stays until the command ends: %s: %s", err.call,
				  mr_errno_name(-rc) ?: "unknown errno");
	mr_dmabuf_close(&attempt->dmabuf);
	mr_dm_free(&attempt->probe->library, &attempt->dm, &err);
	mr_dmah_free(&attempt->dmah, &err);
	if (attempt->window)
		ibv_dealloc_mw(attempt->window);
	if (attempt->pd)
		ibv_dealloc_pd(attempt->pd);
	mr_memory_unmap(&attempt->memory);
}

/* Makes the call, and notes how that went. */
static void make_call(struct mr_attempt *attempt)
{
	const struct mr_trial *trial = attempt->trial;
	const int fd = attempt->context->cmd_fd;
	uint64_t start;

	attempt->found.made = true;
	attempt->found.call = trial->name ?: mr_region_call_name(trial->call, trial->via);
	if (attempt->blind)
		attempt->context->cmd_fd = -1;
	start = mr_now_ns();
	attempt->rc = trial->make(attempt);
	attempt->found.elapsed_ns = mr_now_ns() - start;
	attempt->context->cmd_fd = fd;
	if (attempt->rc && attempt->err.call)
		attempt->found.call = attempt->err.call;
	if (trial->judge && !attempt->lack[0])
		trial->judge(attempt);
}

/* Makes an attempt, and releases everything. */
static void attempt_once(struct mr_probe *probe, const struct mr_trial *trial, bool blind,
			 struct mr_attempt *attempt)
{
	*attempt = (struct mr_attempt){
		.probe = probe,
		.trial = trial,
		.blind = blind,
		.context = probe->device.context,
		.registrar = probe->library,
		.request = { .call = trial->call, .access = trial->access },
	};
	attempt->registrar.via = trial->via;
	if (trial->prepare)
		attempt->rc = trial->prepare(attempt);
	if (!attempt->rc)
		make_call(attempt);
	release(attempt);
	/* Where the device, its driver or its library lacks the call altogether, that is the answer all the same. */
	if (attempt->lack[0] && !(attempt->rc && (means_absent(-attempt->rc) || blind))) {
		attempt->found.made = false;
		attempt->rc = 0;
		MR_ATTEMPT_REASON(attempt, "%s", attempt->lack);
	}
}

/* ---- judging ---- */

/* A call that answers "not now" is made this many times, with a pause. */
#define ATTEMPTS      5
#define ATTEMPTS_TEXT "5"
#define PAUSE_NS      2000000

#define ACCESS_FLUSH  (3u << 8)

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

/* Notes on an errno that means neither yes nor no. */
static const struct {
	int errnum; /* 0: any other */
	const char *text;
} doubts[] = {
	{ ENOMEM, "possibly refused by this host (limits, memory), not by the device" },
	{ EPERM, "possibly refused by this host (limits, memory), not by the device" },
	{ EAGAIN, "a limit (control group rdma) or a shortage of the device, tried " ATTEMPTS_TEXT
		  " times" },
	{ EIO, "the device failed or was removed" },
	{ ENODEV, "no device was found: it was removed, or this process can open no more "
		  "files (ulimit -n)" },
	{ EMFILE, "this process can open no more files (ulimit -n)" },
	{ 0, "this errno describes this attempt, not what the device supports" },
};

/* Says why a refusal means neither yes nor no.  A limit is named only where its figure was seen. */
static void explain_doubt(struct mr_attempt *attempt)
{
	const struct mr_opt_u64 memlock = attempt->probe->environment->memlock_soft;
	size_t i = 0;

	while (doubts[i].errnum && doubts[i].errnum != -attempt->rc)
		i++;
	if ((attempt->rc == -ENOMEM || attempt->rc == -EPERM) && memlock.known &&
	    mr_memlock_is_lifted(mr_this_host()) == MR_NO)
		MR_ATTEMPT_REASON(attempt,
				  "maybe a limit of this process: it may lock %" PRIu64
				  " bytes of memory (RLIMIT_MEMLOCK)",
				  memlock.value);
	else
		MR_ATTEMPT_REASON(attempt, "%s", doubts[i].text);
}

/* Makes the attempt, and again while the answer is "not now". */
static void attempt_trial(struct mr_probe *probe, const struct mr_trial *trial,
			  struct mr_attempt *attempt)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };

	for (int i = 0; i < ATTEMPTS; i++) {
		if (i)
			nanosleep(&pause, NULL);
		attempt_once(probe, trial, false, attempt);
		if (attempt->rc != -EAGAIN && attempt->rc != -EINTR)
			return;
	}
}

/*
 * Whether the library refused without calling the kernel.  The attempt is repeated with a context that has no
 * descriptor: if the library calls the kernel, the errno is then another one (EBADF).
 */
static enum mr_tristate library_refused(const struct mr_attempt *first)
{
	struct mr_attempt second;

	if (mr_call_via(first->found.call, MR_VIA_LIBRARY) == MR_VIA_KERNEL)
		return MR_NO;
	if (first->rc == -EBADF)
		return MR_UNKNOWN;
	attempt_once(first->probe, first->trial, true, &second);
	if (!second.found.made)
		return MR_UNKNOWN;
	if (second.rc == -EBADF)
		return MR_NO;
	return second.rc == first->rc ? MR_YES : MR_UNKNOWN;
}

/*
 * The layer that refused, where that is proven.  In the kernel, uverbs answers EPROTONOSUPPORT to a method or
 * an attribute that it does not know (uverbs_ioctl.c), and EINVAL to forbidden access flags before it asks the
 * driver (ib_check_mr_access()).  ib_check_mr_access() answers EOPNOTSUPP, too, but only to flags for on-demand
 * paging and flushing; to others it is the driver's answer, or that of a driver that lacks the function.
 */
static const char *find_layer(const struct mr_attempt *attempt)
{
	const struct mr_trial *trial = attempt->trial;
	const bool is_mlx5dv = !strncmp(attempt->found.call, "mlx5dv_", strlen("mlx5dv_"));
	const int errnum = -attempt->rc;

	if (attempt->found.layer)
		return attempt->found.layer;
	if (errnum == ENOSYS && attempt->err.kind == MR_ERROR_HOST)
		return is_mlx5dv ? "provider" : "libibverbs";
	switch (library_refused(attempt)) {
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

static enum mr_tristate judge(const struct mr_attempt *attempt)
{
	const struct mr_trial *trial = attempt->trial;
	/*
	 * Providers refuse by themselves, with EINVAL, what the device does not report: libmlx5 so takes a device
	 * that did not answer for one without memory.
	 */
	const bool is_uninformed = attempt->rc == -EINVAL && !attempt->probe->has_attributes &&
				   trial->capability != MR_CAPABILITY_NONE &&
				   trial->capability != MR_CAPABILITY_FORBIDDEN;
	/* The stack lacks what the call needs, such as memory on the device, so that it cannot be made. */
	const bool is_impossible = attempt->rc && attempt->err.call && means_absent(-attempt->rc) &&
				   mr_call_via(attempt->err.call, MR_VIA_KERNEL) == MR_VIA_LIBRARY;

	if (attempt->doubtful || is_uninformed)
		return MR_UNKNOWN;
	if (!attempt->found.made)
		return is_impossible ? MR_NO : MR_UNKNOWN;
	if (!attempt->rc)
		return attempt->proven == MR_UNKNOWN ? MR_YES : attempt->proven;
	if (trial->yes_errno && attempt->rc == -trial->yes_errno)
		return MR_YES;
	/* ENODEV: ibv_import_device(3) answers it, too, where the process can open no more files. */
	return means_absent(-attempt->rc) || attempt->rc == -EINVAL ? MR_NO : MR_UNKNOWN;
}

/* Compares the answer with what the device reports, and adds a difference to the reason. */
static void compare(struct mr_attempt *attempt)
{
	struct mr_trial_answer *answer = &attempt->found;
	char found[sizeof(answer->reason)];

	answer->capability = mr_capability_query(attempt->probe, attempt->trial);
	if (answer->capability == MR_UNKNOWN || answer->answer == MR_UNKNOWN)
		return;
	answer->agrees = answer->capability == answer->answer ? MR_YES : MR_NO;
	if (answer->agrees == MR_YES)
		return;
	memcpy(found, answer->reason, sizeof(found));
	if (attempt->trial->capability == MR_CAPABILITY_FORBIDDEN)
		MR_ATTEMPT_REASON(attempt, "accepted, although ibv_reg_mr(3) forbids it");
	else
		MR_ATTEMPT_REASON(attempt, "%.180s%sthe device reports that it can%s do this",
				  found, found[0] ? "; " : "",
				  answer->capability == MR_YES ? "" : "not");
}

void mr_probe_try(struct mr_probe *probe, const struct mr_trial *trial,
		  struct mr_trial_answer *answer)
{
	struct mr_attempt attempt;
	struct mr_trial_answer *found = &attempt.found;

	attempt_trial(probe, trial, &attempt);
	found->answer = judge(&attempt);
	found->errnum = found->made ? -attempt.rc : 0;
	if (found->answer != MR_NO)
		found->layer = NULL;
	else if (found->errnum)
		found->layer = find_layer(&attempt);
	compare(&attempt);
	if (found->reason[0])
		;
	else if (!found->made && attempt.err.call)
		MR_ATTEMPT_REASON(&attempt, "it needs %s, which answers %s", attempt.err.call,
				  mr_errno_name(-attempt.rc) ?: "an unknown errno");
	else if (!found->made)
		MR_ATTEMPT_REASON(&attempt, "its requirements are not met: %.150s",
				  attempt.err.text);
	else if (found->answer == MR_UNKNOWN)
		explain_doubt(&attempt);
	if (!found->made)
		found->call = NULL;
	*answer = *found;
}

/* The search ends where what is left is this part of the size: each further try would pin all of it again. */
#define PRECISION 1024

/* A call that a signal interrupts is made so many times. */
#define INTERRUPTIONS 5

/* A search. */
struct search {
	struct mr_probe *probe;
	void (*step)(uint64_t bytes, void *data);
	void *data;
	struct mr_max_size *found;
	uint64_t low;  /* pages that worked */
	uint64_t high; /* pages that were refused; 0: none were */
	bool is_over;  /* a region could not be taken back, or the device has failed */
};

/*
 * Sets the cap: the given one, or half of what is available.  More than 15/16 of that is never tried: for want of
 * the rest, which page tables and the driver's own lists need, the kernel would kill processes.
 */
static int find_cap(struct mr_opt_u64 given, struct mr_max_size *found, struct mr_error *err)
{
	struct mr_available available;
	int rc = mr_available_read(mr_this_host(), &available);
	const uint64_t most = rc ? UINT64_MAX : available.bytes - available.bytes / 16;

	if (given.known && given.value <= most) {
		found->cap = given.value;
		return 0;
	}
	if (rc) {
		mr_fail_text(err, MR_ERROR_HOST, -rc,
			     "the available memory is not known (/proc/meminfo)");
		mr_hint(err, "give the largest size to try with --cap");
		return rc;
	}
	found->cap = given.known ? most : available.bytes / 2;
	found->cap_by = available.by;
	return 0;
}

/* Registers new memory, and deregisters it.  Return: 0 or -errno, with err set. */
static int register_once(struct search *search, uint64_t bytes, struct mr_error *err)
{
	const struct mr_memory_request wanted = {
		.kind = { .type = MR_MEMORY_ANON, .text = "anon" }, .length = bytes
	};
	struct mr_region_request request = { .call = MR_REG_MR,
					     .length = bytes,
					     .access = IBV_ACCESS_LOCAL_WRITE };
	const struct mr_registrar *registrar = &search->probe->library;
	struct mr_region region;
	struct mr_memory memory;
	int rc = mr_memory_map(&wanted, &memory, err);

	if (rc)
		return rc;
	request.addr = memory.start;
	rc = mr_region_register(registrar, &request, &region, err);
	if (!rc) {
		rc = mr_region_deregister(registrar, &region, err);
		search->is_over = rc;
	}
	mr_memory_unmap(&memory);
	return rc;
}

/* Tries a size, and notes the result. */
static void try_pages(struct search *search, uint64_t pages)
{
	struct mr_max_size *found = search->found;
	const uint64_t bytes = pages * search->probe->page;
	struct mr_error err = { .text = "" };
	int rc, left = INTERRUPTIONS;

	search->step(bytes, search->data);
	do {
		found->tries++;
		rc = register_once(search, bytes, &err);
	} while (rc == -EINTR && !search->is_over && --left);
	if (!rc || search->is_over) {
		search->low = pages;
	} else if (rc == -EIO || rc == -ENODEV) {
		/* The device failed or was removed, which proves nothing about a size: none is reported as refused. */
		search->high = 0;
		search->is_over = true;
	} else {
		search->high = pages;
	}
	if (rc)
		found->err = err;
}

static void find_pages(struct search *search, uint64_t cap)
{
	for (uint64_t pages = 1; !search->high && search->low < cap && !search->is_over;
	     pages = pages > cap / 2 ? cap : 2 * pages)
		try_pages(search, pages);
	while (search->high - search->low > 1 + search->low / PRECISION && search->high &&
	       !search->is_over)
		try_pages(search, search->low + (search->high - search->low) / 2);
}

/* The limit that the refused size exceeds, as its figure shows; or NULL. */
static const char *find_limit(const struct mr_probe *probe, const struct mr_max_size *found)
{
	const struct mr_opt_u64 memlock = probe->environment->memlock_soft;

	if (!found->refused.known)
		return NULL;
	if (probe->has_attributes && found->refused.value > probe->attributes.max_mr_size)
		return "max_mr_size";
	if (found->err.errnum != ENOMEM || !memlock.known ||
	    found->refused.value <= memlock.value || mr_memlock_is_lifted(mr_this_host()) != MR_NO)
		return NULL;
	return "RLIMIT_MEMLOCK";
}

int mr_max_size_find(struct mr_probe *probe, struct mr_opt_u64 cap,
		     void (*step)(uint64_t bytes, void *data), void *data,
		     struct mr_max_size *found, struct mr_error *err)
{
	struct search search = { .probe = probe, .step = step, .data = data, .found = found };
	uint64_t start = mr_now_ns();
	int rc;

	*found = (struct mr_max_size){ .cap = 0 };
	rc = find_cap(cap, found, err);
	if (rc)
		return rc;
	find_pages(&search, found->cap / probe->page);
	found->size = (struct mr_opt_u64){ search.low * probe->page, search.low };
	found->refused = (struct mr_opt_u64){ search.high * probe->page, search.high };
	found->limit = find_limit(probe, found);
	found->elapsed_ns = mr_now_ns() - start;
	return 0;
}
