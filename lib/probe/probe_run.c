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
#include "lib/host/processes.h"
#include "lib/probe/probe.h"
#include "lib/verbs/verbs.h"

/* Pages of the memory that most trials register some of. */
#define MR_PROBE_PAGES 4

#define LW             IBV_ACCESS_LOCAL_WRITE
#define RW             IBV_ACCESS_REMOTE_WRITE
#define RR             IBV_ACCESS_REMOTE_READ
#define RA             IBV_ACCESS_REMOTE_ATOMIC
#define MW             IBV_ACCESS_MW_BIND
#define GLOBAL         (1u << 8) /* rdma-core 45: IBV_ACCESS_FLUSH_GLOBAL */
#define PERSISTENT     (1u << 9) /* rdma-core 45: IBV_ACCESS_FLUSH_PERSISTENT */

#define HUGE_2M        (UINT64_C(2) << 20)
#define HUGE_1G        (UINT64_C(1) << 30)

/* A region of one page of memory.  @...: further members */
#define REGION(group_, name_, subject_, access_, ...)                                              \
	{                                                                                          \
		.id = group_ "." name_, .group = (group_), .subject = (subject_),                  \
		.attempt = mr_try_memory, .access = (access_), __VA_ARGS__                         \
	}

/* An access flag, or a combination of them, by the letters that each id is made of: lw for local-write, ... */
#define ACCESS(name_, access_, ...)                                                                \
	REGION("access", name_, "these access flags", access_, __VA_ARGS__)

/* A trial with an attempt of its own. */
#define TRIAL(group_, name_, subject_, attempt_, ...)                                              \
	{                                                                                          \
		.id = group_ "." name_, .group = (group_), .subject = (subject_),                  \
		.attempt = (attempt_), __VA_ARGS__                                                 \
	}

#define NEEDS(capability_) .capability = MR_CAPABILITY_##capability_

/*
 * The legal combinations of the flags that every device has are all here.  Write access of peers needs that
 * of the device itself.
 */
const struct mr_trial mr_trials[] = {
	ACCESS("none", 0, .call = MR_REG_MR),
	ACCESS("local-write", LW, .call = MR_REG_MR),
	ACCESS("remote-read", RR, .call = MR_REG_MR),
	ACCESS("remote-write", RW, NEEDS(FORBIDDEN)),
	ACCESS("remote-atomic", RA, NEEDS(FORBIDDEN)),
	ACCESS("mw-bind", MW, NEEDS(WINDOWS)),
	ACCESS("rr+mw", RR | MW, NEEDS(WINDOWS)),
	ACCESS("lw+mw", LW | MW, NEEDS(WINDOWS)),
	ACCESS("lw+rr", LW | RR, .call = MR_REG_MR),
	ACCESS("lw+rr+mw", LW | RR | MW, NEEDS(WINDOWS)),
	ACCESS("lw+rw", LW | RW, .call = MR_REG_MR),
	ACCESS("lw+rw+mw", LW | RW | MW, NEEDS(WINDOWS)),
	ACCESS("lw+rw+rr", LW | RW | RR, .call = MR_REG_MR),
	ACCESS("lw+rw+rr+mw", LW | RW | RR | MW, NEEDS(WINDOWS)),
	ACCESS("lw+ra", LW | RA, NEEDS(ATOMICS)),
	ACCESS("lw+ra+mw", LW | RA | MW, NEEDS(ATOMICS)),
	ACCESS("lw+rr+ra", LW | RR | RA, NEEDS(ATOMICS)),
	ACCESS("lw+rr+ra+mw", LW | RR | RA | MW, NEEDS(ATOMICS)),
	ACCESS("lw+rw+ra", LW | RW | RA, NEEDS(ATOMICS)),
	ACCESS("lw+rw+ra+mw", LW | RW | RA | MW, NEEDS(ATOMICS)),
	ACCESS("lw+rw+rr+ra", LW | RW | RR | RA, NEEDS(ATOMICS)),
	ACCESS("lw+rw+rr+ra+mw", LW | RW | RR | RA | MW, NEEDS(ATOMICS)),
	ACCESS("rw+rr", RW | RR, NEEDS(FORBIDDEN)),
	ACCESS("rr+ra", RR | RA, NEEDS(FORBIDDEN)),
	ACCESS("rw+ra", RW | RA, NEEDS(FORBIDDEN)),
	ACCESS("rw+rr+ra+mw", RW | RR | RA | MW, NEEDS(FORBIDDEN)),
	ACCESS("on-demand", MR_ACCESS_ON_DEMAND, NEEDS(ODP)),
	TRIAL("access", "hugetlb", "these access flags", mr_try_ignored,
	      .access = MR_ACCESS_HUGETLB),
	ACCESS("flush-global", GLOBAL, NEEDS(FLUSH_GLOBAL)),
	TRIAL("access", "flush-persistent", "these access flags", mr_try_flush_persistent,
	      .access = PERSISTENT, NEEDS(FLUSH_PERSISTENT)),
	TRIAL("access", "relaxed-ordering", "these access flags", mr_try_relaxed,
	      .access = MR_ACCESS_RELAXED_ORDERING, NEEDS(RELAXED)),
	TRIAL("access", "lw+rw+relaxed-ordering", "these access flags", mr_try_relaxed,
	      .access = LW | RW | MR_ACCESS_RELAXED_ORDERING, NEEDS(RELAXED)),
	ACCESS("unknown-bit", 1u << 15, NEEDS(FORBIDDEN)),

	REGION("kind", "plain", "ibv_reg_mr", LW, .call = MR_REG_MR),
	REGION("kind", "plain-ioctl", "the same by the kernel itself", LW, .via = MR_VIA_KERNEL),
	REGION("kind", "iova", "another address for the HCA", LW, .call = MR_REG_MR_IOVA),
	TRIAL("kind", "zero-based", "a region that begins at 0, by the flag", mr_try_zero_based,
	      .access = LW | MR_ACCESS_ZERO_BASED),
	REGION("kind", "huge-pages", "on a huge page of the host", LW, .memory = MR_MEMORY_HUGETLB),
	REGION("kind", "odp-explicit", "pages fetched on demand", LW | MR_ACCESS_ON_DEMAND,
	       NEEDS(ODP)),
	TRIAL("kind", "odp-implicit", "the whole address space, on demand", mr_try_implicit,
	      .access = LW | MR_ACCESS_ON_DEMAND, NEEDS(IMPLICIT)),
	REGION("kind", "odp-huge-pages", "on demand, on a huge page",
	       LW | MR_ACCESS_ON_DEMAND | MR_ACCESS_HUGETLB, .memory = MR_MEMORY_HUGETLB),
	TRIAL("kind", "null-mr", "the region that takes all and holds nothing", mr_try_null,
	      .call = MR_ALLOC_NULL_MR),

	TRIAL("prefetch", "read", "fetch pages, for reading", mr_try_advice,
	      .detail = IBV_ADVISE_MR_ADVICE_PREFETCH),
	TRIAL("prefetch", "write", "fetch pages, for writing", mr_try_advice,
	      .detail = IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE),
	TRIAL("prefetch", "no-fault", "fetch the pages that are there", mr_try_advice,
	      .detail = IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT),
	TRIAL("prefetch", "ioctl", "fetch pages, by the kernel itself", mr_try_advice,
	      .via = MR_VIA_KERNEL, .detail = IBV_ADVISE_MR_ADVICE_PREFETCH),

	TRIAL("dmabuf", "none", "with the descriptor -1: EBADF means yes", mr_try_no_dmabuf,
	      .call = MR_REG_DMABUF_MR, .access = LW, .yes_errno = EBADF),
	TRIAL("dmabuf", "udmabuf", "of memory, by /dev/udmabuf", mr_try_dmabuf,
	      .call = MR_REG_DMABUF_MR, .access = LW, .dmabuf = MR_DMABUF_UDMABUF),
	TRIAL("dmabuf", "heap", "of the dma-heap \"system\"", mr_try_dmabuf,
	      .call = MR_REG_DMABUF_MR, .access = LW, .dmabuf = MR_DMABUF_HEAP),
	TRIAL("dmabuf", "dm", "of memory on the device", mr_try_dm_dmabuf, .call = MR_REG_DMABUF_MR,
	      .access = LW),
	TRIAL("dmabuf", "ioctl", "with the descriptor -1, by the kernel itself", mr_try_no_dmabuf,
	      .call = MR_REG_DMABUF_MR, .via = MR_VIA_KERNEL, .access = LW, .yes_errno = EBADF),
	TRIAL("dmabuf", "data-direct", "by Data Direct, with the descriptor -1", mr_try_no_dmabuf,
	      .call = MR_DV_REG_DMABUF_MR, .access = LW, .yes_errno = EBADF, NEEDS(DATA_DIRECT)),
	TRIAL("dmabuf", "data-direct-heap", "by Data Direct, of the dma-heap", mr_try_dmabuf,
	      .call = MR_DV_REG_DMABUF_MR, .access = LW, .dmabuf = MR_DMABUF_HEAP,
	      NEEDS(DATA_DIRECT)),

	REGION("umem", "plain", "a umem of DEVX", LW, .call = MR_UMEM_REG),
	TRIAL("umem", "pages-4k", "a umem with pages of 4 KiB", mr_try_umem_pages,
	      .call = MR_UMEM_REG_EX, .access = LW, .detail = 4096),
	TRIAL("umem", "pages-64k", "a umem with pages of 64 KiB, on a huge page", mr_try_umem_pages,
	      .call = MR_UMEM_REG_EX, .access = LW, .memory = MR_MEMORY_HUGETLB, .detail = 65536),
	TRIAL("umem", "pages-2m", "a umem with pages of 2 MiB, on a huge page", mr_try_umem_pages,
	      .call = MR_UMEM_REG_EX, .access = LW, .memory = MR_MEMORY_HUGETLB,
	      .huge_size = HUGE_2M, .detail = HUGE_2M),
	TRIAL("umem", "pages-1g", "a umem with pages of 1 GiB, on a huge page", mr_try_umem_pages,
	      .call = MR_UMEM_REG_EX, .access = LW, .memory = MR_MEMORY_HUGETLB,
	      .huge_size = HUGE_1G, .detail = HUGE_1G),
	TRIAL("umem", "dmabuf", "a umem of the dma-heap \"system\"", mr_try_dmabuf,
	      .call = MR_UMEM_REG_DMABUF, .access = LW, .dmabuf = MR_DMABUF_HEAP),
	TRIAL("umem", "dmabuf-none", "of a file that is none: EINVAL means yes", mr_try_umem_memfd,
	      .call = MR_UMEM_REG_DMABUF, .access = LW, .yes_errno = EINVAL),
	REGION("umem", "ioctl", "a umem, by the kernel itself", LW, .call = MR_UMEM_REG,
	       .via = MR_VIA_KERNEL),

	TRIAL("rereg", "translation", "other memory for a region", mr_try_rereg,
	      .detail = MR_CHANGE_TRANSLATION),
	TRIAL("rereg", "pd", "another protection domain", mr_try_rereg, .detail = MR_CHANGE_PD),
	TRIAL("rereg", "access", "other access flags", mr_try_rereg, .detail = MR_CHANGE_ACCESS,
	      .access = LW),
	TRIAL("rereg", "translation-ioctl", "other memory, by the kernel itself", mr_try_rereg,
	      .via = MR_VIA_KERNEL, .detail = MR_CHANGE_TRANSLATION),
	TRIAL("rereg", "pd-ioctl", "another domain, by the kernel itself", mr_try_rereg,
	      .via = MR_VIA_KERNEL, .detail = MR_CHANGE_PD),
	TRIAL("rereg", "access-ioctl", "other access, by the kernel itself", mr_try_rereg,
	      .via = MR_VIA_KERNEL, .detail = MR_CHANGE_ACCESS, .access = LW),

	TRIAL("window", "type-1", "a memory window of type 1", mr_try_window,
	      .detail = IBV_MW_TYPE_1, NEEDS(WINDOWS_1)),
	TRIAL("window", "type-2", "a memory window of type 2", mr_try_window,
	      .detail = IBV_MW_TYPE_2, NEEDS(WINDOWS_2)),

	TRIAL("dm", "alloc", "memory on the device", mr_try_dm_alloc, NEEDS(DM)),
	TRIAL("dm", "register", "a region on memory on the device", mr_try_dm_register,
	      .call = MR_REG_DM_MR, .access = LW | MR_ACCESS_ZERO_BASED),
	TRIAL("dm", "export", "a dma-buf of memory on the device", mr_try_dm_export),

	TRIAL("reg-mr-ex", "addr", "ibv_reg_mr_ex of memory", mr_try_ex, .call = MR_REG_MR_EX,
	      .access = LW),
	TRIAL("reg-mr-ex", "iova", "the same at another address", mr_try_ex,
	      .call = MR_REG_MR_EX_IOVA, .access = LW),
	TRIAL("reg-mr-ex", "dmabuf", "the same of the dma-heap \"system\"", mr_try_ex,
	      .call = MR_REG_MR_EX_FD, .access = LW, .dmabuf = MR_DMABUF_HEAP),

	TRIAL("import", "device", "a device in a second process", mr_try_import_device,
	      .call = MR_REG_MR),
	TRIAL("import", "pd", "a protection domain there", mr_try_import_pd, .call = MR_REG_MR),
	TRIAL("import", "mr", "a region there", mr_try_import_mr, .call = MR_REG_MR),
	TRIAL("import", "umem", "a umem there", mr_try_import_umem, .call = MR_UMEM_REG),

	TRIAL("dma-handle", "alloc", "a DMA handle (hints for PCIe)", mr_try_dma_handle,
	      .call = MR_REG_MR),
	TRIAL("dma-handle", "register", "a region with a DMA handle", mr_try_dmah_register,
	      .call = MR_REG_MR_DMAH, .access = LW),
	{ .id = NULL },
};

bool mr_trial_has_access(const struct mr_trial *trial)
{
	return trial->access || trial->attempt == mr_try_memory;
}

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
	struct mr_host host = MR_THIS_HOST;
	struct mr_available available;
	int rc = mr_available_read(&host, &available);
	const uint64_t most = rc ? UINT64_MAX : available.bytes - available.bytes / 16;

	if (given.known && given.value <= most) {
		found->cap = given.value;
		return 0;
	}
	if (rc) {
		mr_fail_text(err, MR_ERROR_HOST, -rc,
			     "how much memory is available is not known (/proc/meminfo)");
		mr_hint(err, "give the largest size to be tried with --cap");
		return rc;
	}
	found->cap = given.known ? most : available.bytes / 2;
	found->cap_by = available.by;
	return 0;
}

/* Registers fresh memory and takes it back.  Return: 0 or -errno, with err set. */
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

/* The device has failed or gone, which tells nothing of a size: none counts as refused. */
static void give_up(struct search *search)
{
	search->high = 0;
	search->is_over = true;
}

/* Tries a size, and notes what it tells. */
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
	if (!rc || search->is_over)
		search->low = pages;
	else if (rc == -EIO || rc == -ENODEV)
		give_up(search);
	else
		search->high = pages;
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
	struct mr_host host = MR_THIS_HOST;
	struct mr_process_status self;

	if (!found->refused.known)
		return NULL;
	if (probe->has_attributes && found->refused.value > probe->attributes.max_mr_size)
		return "max_mr_size";
	if (found->err.errnum != ENOMEM || !memlock.known ||
	    found->refused.value <= memlock.value || mr_process_status_read(&host, "self", &self) ||
	    !self.effective.known || self.effective.value & MR_CAP_IPC_LOCK)
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
