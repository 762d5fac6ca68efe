// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of trials, and what their calls need. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/probe/probe.h"
#include "lib/verbs/verbs.h"

/* An I/O virtual address unrelated to those of the process, on the border of a page of any size. */
#define IOVA (UINT64_C(1) << 40)

/* Bytes of memory on the device, and of a dma-buf of it: a page, which dma-bufs are made of. */
#define DM_SIZE 4096

#define DOUBT(attempt, ...)                                                                        \
	do {                                                                                       \
		(attempt)->doubtful = true;                                                        \
		MR_ATTEMPT_REASON(attempt, __VA_ARGS__);                                           \
	} while (0)

static const char *error_name(int rc)
{
	return mr_errno_name(-rc) ?: "unknown errno";
}

/* ---- memory ---- */

static int register_by(struct mr_attempt *attempt, const struct mr_registrar *registrar,
		       const struct mr_region_request *request)
{
	const int rc = mr_region_register(registrar, request, &attempt->region, &attempt->err);

	attempt->has_region = !rc;
	return rc;
}

/* Registers what a trial needs, such as a region that it changes.  Return: 0 or -errno. */
static int register_before(struct mr_attempt *attempt, const struct mr_region_request *request)
{
	return register_by(attempt, &attempt->probe->library, request);
}

/* Registers as the call that is tried. */
static int register_region(struct mr_attempt *attempt)
{
	return register_by(attempt, &attempt->registrar, &attempt->request);
}

/* One page, of memory of its own where the trial has a kind.  Without a huge page ordinary memory is tried. */
static int prepare_memory(struct mr_attempt *attempt)
{
	const struct mr_trial *trial = attempt->trial;
	const struct mr_memory_request wanted = {
		.kind = { .type = trial->memory,
			  .text = "huge pages",
			  .huge_size = trial->huge_size },
		.length = 1,
	};
	int rc;

	attempt->request.addr = attempt->probe->memory.start;
	attempt->request.length = attempt->probe->page;
	attempt->request.iova = IOVA;
	if (trial->memory == MR_MEMORY_ANON)
		return 0;
	rc = mr_memory_map(&wanted, &attempt->memory, &attempt->err);
	if (rc) {
		attempt->memory = (struct mr_memory){ .map = NULL };
		snprintf(attempt->lack, sizeof(attempt->lack),
			 "this host has no free huge page%s (mmap: %s)",
			 trial->huge_size >> 30 ? " of 1 GiB"
			 : trial->huge_size     ? " of 2 MiB"
						: "",
			 error_name(rc));
		return 0;
	}
	attempt->request.addr = attempt->memory.start;
	attempt->request.length = attempt->memory.page_size;
	return 0;
}

static void judge_memory(struct mr_attempt *attempt)
{
	if (attempt->rc == -EFAULT && attempt->trial->memory == MR_MEMORY_HUGETLB)
		MR_ATTEMPT_REASON(
			attempt,
			"no huge page could be used: maybe a limit of the control group (hugetlb)");
}

/* rxe takes the flag for persistent memory only (rxe_mr.c rxe_mr_fill_pages_from_sgt()), and this is none. */
static void judge_persistent(struct mr_attempt *attempt)
{
	if (attempt->rc == -EINVAL && mr_capability_query(attempt->probe, attempt->trial) != MR_NO)
		DOUBT(attempt, "the memory that was tried is not persistent");
}

/* A flag that the kernel may drop: that the region was registered proves nothing. */
static void judge_relaxed(struct mr_attempt *attempt)
{
	const uint32_t access = attempt->trial->access;
	const struct mr_in_force_region asked = { .call = attempt->trial->call, .access = access };
	struct mr_in_force *in_force = &attempt->probe->in_force;

	if (attempt->rc)
		return;
	mr_in_force_bits(in_force, &asked);
	if (in_force->optional == MR_NO) {
		attempt->proven = MR_NO;
		attempt->found.layer = "libibverbs";
		MR_ATTEMPT_REASON(attempt, "accepted, but omitted: %s",
				  mr_in_force_reason(in_force, access & -access));
		return;
	}
	DOUBT(attempt, "accepted, which proves nothing: the kernel and the device may "
		       "ignore this flag");
}

/* Asks the kernel whether the region begins at 0. */
static void judge_zero_based(struct mr_attempt *attempt)
{
	if (attempt->rc)
		return;
	switch (mr_in_force_at_zero(&attempt->probe->uverbs, attempt->trial->access,
				    &attempt->region)) {
	case MR_YES:
		break;
	case MR_NO:
		attempt->proven = MR_NO;
		MR_ATTEMPT_REASON(
			attempt,
			"accepted, but ignored: the region does not begin at 0 according to the "
			"kernel (QUERY_MR)");
		break;
	default:
		DOUBT(attempt, "accepted, which proves nothing: the kernel does not report where "
			       "the region begins (QUERY_MR)");
	}
}

/* hugetlb is read with on-demand only: see lib/verbs/calls.c. */
static void judge_ignored(struct mr_attempt *attempt)
{
	if (!attempt->rc)
		DOUBT(attempt, "accepted, which proves nothing: the flag has an effect only with "
			       "on-demand");
}

/* The request that ibv_reg_mr(3) takes for the whole address space. */
static int prepare_implicit(struct mr_attempt *attempt)
{
	attempt->request.iova = IOVA;
	attempt->request.length = SIZE_MAX;
	return 0;
}

/*
 * A umem of exactly one page of the wanted size, so that the kernel cannot take a smaller one
 * (devx.c devx_umem_find_best_pgsize()).
 */
static int prepare_umem_pages(struct mr_attempt *attempt)
{
	prepare_memory(attempt);
	if (!attempt->lack[0])
		attempt->request.length = attempt->request.page_sizes = attempt->trial->detail;
	return 0;
}

static void judge_page_size(struct mr_attempt *attempt)
{
	if (attempt->rc == -EINVAL && attempt->trial->memory == MR_MEMORY_ANON &&
	    attempt->trial->detail > (uint64_t)4096)
		DOUBT(attempt, "the memory is not known to have such pages");
}

/*
 * Where there can be no region with on-demand paging, the advice is given on another one: a device without
 * the call answers that it has none (EOPNOTSUPP), and one that has it answers something else.
 */
static int prepare_advice(struct mr_attempt *attempt)
{
	prepare_memory(attempt);
	attempt->request.access = MR_ACCESS_LOCAL_WRITE | MR_ACCESS_ON_DEMAND;
	if (!register_before(attempt, &attempt->request))
		return 0;
	attempt->is_plain = true;
	attempt->request.access = MR_ACCESS_LOCAL_WRITE;
	return register_before(attempt, &attempt->request);
}

static int advise(struct mr_attempt *attempt)
{
	const struct mr_advice advice = { .advice = attempt->trial->detail,
					  .flags = IBV_ADVISE_MR_FLAG_FLUSH };
	const struct mr_advice_range range = { .addr = attempt->region.iova,
					       .length = attempt->region.length,
					       .lkey = attempt->region.lkey };
	uint64_t ns;

	return mr_advise(&attempt->registrar, &advice, &range, &ns, &attempt->err);
}

static void judge_advice(struct mr_attempt *attempt)
{
	if (attempt->is_plain && attempt->rc != -EOPNOTSUPP)
		DOUBT(attempt, "no on-demand region could be registered to prefetch");
}

/* ---- changes ---- */

/*
 * The region has all access, and loses some: kernels from 6.12 on refuse to add write access to pages that
 * were pinned for reading (EACCES), which does not show whether access can be changed.
 */
static int prepare_rereg(struct mr_attempt *attempt)
{
	const struct mr_region_request old = { .call = MR_REG_MR,
					       .addr = attempt->probe->memory.start,
					       .length = attempt->probe->page,
					       .access = IBV_ACCESS_LOCAL_WRITE |
							 IBV_ACCESS_REMOTE_READ };

	if (attempt->trial->detail & MR_CHANGE_PD) {
		errno = 0;
		attempt->pd = ibv_alloc_pd(attempt->context);
		if (!attempt->pd)
			return mr_fail(&attempt->err, MR_ERROR_REFUSED, mr_call_errno(),
				       "ibv_alloc_pd", NULL);
		attempt->registrar.pd = attempt->pd;
		attempt->registrar.pd_handle = attempt->pd->handle;
	}
	return register_before(attempt, &old);
}

static int rereg(struct mr_attempt *attempt)
{
	const struct mr_probe *probe = attempt->probe;
	struct mr_rereg_request change = { .changes = attempt->trial->detail };
	struct mr_rereg_failure failure;

	if (change.changes & MR_CHANGE_TRANSLATION) {
		change.addr = change.iova = probe->memory.start + probe->page;
		change.length = probe->page;
	}
	if (change.changes & MR_CHANGE_ACCESS)
		change.access = attempt->trial->access;
	return mr_region_rereg(&attempt->registrar, &change, &attempt->region, &failure,
			       &attempt->err);
}

/* ---- dma-bufs ---- */

static int request_descriptor(struct mr_attempt *attempt, int fd)
{
	attempt->request.length = attempt->probe->page;
	attempt->request.page_sizes = attempt->trial->detail;
	attempt->request.fd = fd;
	return 0;
}

/* Without a dma-buf the descriptor -1 is tried. */
static int prepare_dmabuf(struct mr_attempt *attempt)
{
	const enum mr_dmabuf_type type = attempt->trial->dmabuf;
	const struct mr_dmabuf_request request = { .source = { .type = type, .name = "system" },
						   .size = attempt->probe->page };
	const int rc = mr_dmabuf_open(&request, &attempt->dmabuf, &attempt->err);

	if (rc)
		snprintf(attempt->lack, sizeof(attempt->lack),
			 "this host does not provide %s (%s: %s)",
			 type == MR_DMABUF_UDMABUF ? "/dev/udmabuf" : "dma-heap \"system\"",
			 attempt->err.call ?: "open", error_name(rc));
	return request_descriptor(attempt, rc ? -1 : attempt->dmabuf.fd);
}

static int prepare_no_dmabuf(struct mr_attempt *attempt)
{
	return request_descriptor(attempt, -1);
}

/* Registers a dma-buf that the host makes.  Return: 0; -ENOENT where it makes none; or -errno of registering it. */
static int register_any_dmabuf(struct mr_attempt *attempt)
{
	static const enum mr_dmabuf_type types[] = { MR_DMABUF_UDMABUF, MR_DMABUF_HEAP };
	struct mr_dmabuf_request wanted = { .source = { .name = "system" },
					    .size = attempt->probe->page };
	struct mr_region_request request = attempt->request;
	struct mr_region region;
	struct mr_error ignored;
	struct mr_dmabuf dmabuf;
	int rc;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		wanted.source.type = types[i];
		if (mr_dmabuf_open(&wanted, &dmabuf, &ignored))
			continue;
		request.fd = dmabuf.fd;
		rc = mr_region_register(&attempt->registrar, &request, &region, &ignored);
		if (!rc)
			mr_region_deregister(&attempt->probe->library, &region, &ignored);
		mr_dmabuf_close(&dmabuf);
		return rc;
	}
	return -ENOENT;
}

/*
 * The usual test for dma-bufs: drivers check the descriptor last, so EBADF, the trial's yes_errno, shows that all
 * other checks passed.  It is not quite true: mlx5_ib looks for on-demand paging only after
 * it has found the dma-buf.  So a dma-buf of the host is registered, where it makes one.
 */
static void judge_no_dmabuf(struct mr_attempt *attempt)
{
	int rc;

	if (attempt->rc != -EBADF || attempt->blind)
		return;
	rc = register_any_dmabuf(attempt);
	if (rc == -ENOENT && attempt->probe->has_attributes &&
	    !(attempt->probe->attributes.odp.general & IBV_ODP_SUPPORT))
		DOUBT(attempt, "EBADF means yes, but not on mlx5 without on-demand paging; this "
			       "host provides no dma-buf to try");
	else if (rc && rc != -ENOENT)
		DOUBT(attempt,
		      "EBADF would mean yes, but a dma-buf of this host is "
		      "refused: %s",
		      error_name(rc));
}

/*
 * libmlx5 itself refuses the descriptor -1, so a file that is no dma-buf is given.  A kernel that does not
 * know the attribute answers EPROTONOSUPPORT; one that does looks at the file, and answers EINVAL.  That is
 * the answer to bad access flags and to a context without DEVX as well: so a umem of memory must be possible.
 */
static int prepare_umem_memfd(struct mr_attempt *attempt)
{
	const struct mr_registrar *library = &attempt->probe->library;
	const struct mr_region_request plain = { .call = MR_UMEM_REG,
						 .addr = attempt->probe->memory.start,
						 .length = attempt->probe->page };
	struct mr_region region;
	struct mr_error ignored;
	const int rc = mr_region_register(library, &plain, &region, &attempt->err);
	int fd;

	if (rc)
		return rc;
	mr_region_deregister(library, &region, &ignored);
	fd = mr_memfd_create("mrctl-probe", MFD_CLOEXEC);
	if (fd < 0)
		return mr_fail(&attempt->err, MR_ERROR_HOST, errno, "memfd_create", NULL);
	attempt->dmabuf = (struct mr_dmabuf){ .fd = fd, .memfd = -1, .owned = true };
	return request_descriptor(attempt, fd);
}

/* ---- memory on the device ---- */

/* A region on memory on the device is zero-based: mlx5 takes it only with that flag (mlx5_ib_reg_dm_mr()). */
static int prepare_dm(struct mr_attempt *attempt)
{
	request_descriptor(attempt, -1);
	attempt->request.dm = &attempt->dm;
	attempt->request.length = DM_SIZE;
	return mr_dm_alloc(&attempt->probe->library, DM_SIZE, &attempt->dm, &attempt->err);
}

static int prepare_dm_dmabuf(struct mr_attempt *attempt)
{
	int rc = prepare_dm(attempt);

	if (!rc)
		rc = mr_dm_export(&attempt->dm, &attempt->dmabuf, &attempt->err);
	attempt->request.dm = NULL;
	return rc ? rc : request_descriptor(attempt, attempt->dmabuf.fd);
}

static int alloc_dm(struct mr_attempt *attempt)
{
	return mr_dm_alloc(&attempt->registrar, DM_SIZE, &attempt->dm, &attempt->err);
}

static int export_dm(struct mr_attempt *attempt)
{
	return mr_dm_export(&attempt->dm, &attempt->dmabuf, &attempt->err);
}

/* ---- windows and DMA handles ---- */

static int alloc_window(struct mr_attempt *attempt)
{
	errno = 0;
	attempt->window =
		ibv_alloc_mw(attempt->registrar.pd, (enum ibv_mw_type)attempt->trial->detail);
	return attempt->window ? 0
			       : mr_fail(&attempt->err, MR_ERROR_REFUSED, mr_call_errno(),
					 "ibv_alloc_mw", NULL);
}

/* mlx5 wants a processing hint, and takes 0 (hw/mlx5/dmah.c mlx5_ib_alloc_dmah()). */
static const struct mr_dmah_hints hints = { .memory = MR_DMAH_NO_CPU, .ph = 0 };

static int alloc_dmah(struct mr_attempt *attempt)
{
	return mr_dmah_alloc(&attempt->probe->library, &hints, &attempt->dmah, &attempt->err);
}

static int prepare_dmah(struct mr_attempt *attempt)
{
	prepare_memory(attempt);
	attempt->request.iova = 0;
	attempt->request.dmah = &attempt->dmah;
	return mr_dmah_alloc(&attempt->probe->library, &hints, &attempt->dmah, &attempt->err);
}

/* ---- ibv_reg_mr_ex(3) ---- */

/*
 * Whether the provider has a function for ibv_reg_mr_ex(3).  Where it has none, libibverbs calls
 * the older ones, from rdma-core 64 on, and refuses attributes that it does not know (dummy_ops.c reg_mr_ex(),
 * EOPNOTSUPP).  The provider's function passes the rest on to the kernel, which a context without a descriptor
 * does not reach (EBADF).
 */
static enum mr_tristate provider_has_function(struct mr_probe *probe)
{
	struct mr_init_attr attr = { .length = probe->page,
				     .access = IBV_ACCESS_LOCAL_WRITE,
				     .comp_mask = MR_INIT_ATTR_ADDR | UINT64_C(1) << 62,
				     .addr = mr_pointer(probe->memory.start) };
	struct mr_error ignored;
	mr_reg_mr_ex *call = (mr_reg_mr_ex *)mr_symbol_find(MR_SYMBOL_REG_MR_EX, &ignored);

	if (!call)
		return MR_UNKNOWN;
	probe->device.context->cmd_fd = -1;
	errno = 0;
	call(probe->device.pd, &attr);
	probe->device.context->cmd_fd = probe->uverbs.fd;
	return errno == EBADF ? MR_YES : errno == EOPNOTSUPP ? MR_NO : MR_UNKNOWN;
}

/* Sets the call that reached the kernel, after the call has succeeded. */
static void judge_ex(struct mr_attempt *attempt)
{
	struct mr_probe *probe = attempt->probe;
	enum mr_tristate method, own;

	if (attempt->rc || attempt->blind)
		return;
	method = mr_uverbs_has_reg_mr(&probe->uverbs);
	own = provider_has_function(probe);
	if (own == MR_YES && method == MR_YES) {
		attempt->found.kernel_call = "method REG_MR";
	} else if (own == MR_NO || method == MR_NO) {
		attempt->found.kernel_call = mr_region_is_dmabuf(attempt->trial->call)
						     ? "method REG_DMABUF_MR"
						     : "command REG_MR";
		MR_ATTEMPT_REASON(attempt, "emulated by libibverbs: the kernel got the %s",
				  attempt->found.kernel_call);
	} else {
		MR_ATTEMPT_REASON(attempt, "which call reached the kernel is not known");
	}
}

/* ---- importing ---- */

/* The call takes a descriptor, and no context that could be without one. */
static int refuse_blind(struct mr_attempt *attempt)
{
	return attempt->blind ? -EBADF : 0;
}

/* Opens a second context on the same descriptor. */
static int import_context(struct mr_attempt *attempt, uint32_t pd_handle)
{
	return mr_device_import(attempt->probe->uverbs.fd, pd_handle, &attempt->imported,
				&attempt->err);
}

static int import_device(struct mr_attempt *attempt)
{
	const int rc = import_context(attempt, MR_NO_HANDLE);

	/* libibverbs/device.c: EOPNOTSUPP where the provider has no import_context() */
	if (rc == -EOPNOTSUPP)
		attempt->found.layer = "provider";
	return rc;
}

/* Opens a second context, where the call is made; after a region is registered, with its protection domain. */
static int prepare_import(struct mr_attempt *attempt)
{
	const bool with_pd = attempt->has_region && attempt->trial->call != MR_UMEM_REG;
	const int rc =
		import_context(attempt, with_pd ? attempt->probe->device.pd->handle : MR_NO_HANDLE);

	if (rc)
		return rc;
	attempt->context = attempt->registrar.context = attempt->imported.context;
	attempt->registrar.pd = attempt->imported.pd;
	return 0;
}

static int prepare_import_region(struct mr_attempt *attempt)
{
	const struct mr_region_request request = { .call = attempt->trial->call,
						   .addr = attempt->probe->memory.start,
						   .length = attempt->probe->page };

	return register_before(attempt, &request) ?: prepare_import(attempt);
}

static int import_pd(struct mr_attempt *attempt)
{
	struct ibv_pd *pd;

	errno = 0;
	pd = ibv_import_pd(attempt->context, attempt->probe->device.pd->handle);
	if (!pd)
		return mr_fail(&attempt->err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_import_pd",
			       NULL);
	ibv_unimport_pd(pd);
	return 0;
}

static int import_region(struct mr_attempt *attempt)
{
	struct mr_region second;
	const int rc = mr_region_import(&attempt->registrar, attempt->region.handle, &second,
					&attempt->err);

	if (!rc)
		mr_region_forget(&second);
	return rc;
}

/* libmlx5 does not call the kernel: a success proves that the library has the calls. */
static int import_umem(struct mr_attempt *attempt)
{
	struct mr_umem_blob blob = { .size = 0 };
	struct mr_region second;
	int rc = mr_umem_export(attempt->region.umem, &blob, &attempt->err);

	if (!rc)
		rc = mr_umem_import(attempt->context, &blob, &second, &attempt->err);
	if (!rc)
		mr_region_forget(&second);
	return rc;
}

/* ---- all ---- */

#define LW IBV_ACCESS_LOCAL_WRITE
#define RW IBV_ACCESS_REMOTE_WRITE
#define RR IBV_ACCESS_REMOTE_READ
#define RA IBV_ACCESS_REMOTE_ATOMIC
#define MW IBV_ACCESS_MW_BIND
/* rdma-core 45: IBV_ACCESS_FLUSH_GLOBAL; its bit 38, and 39 for the next, in enum ib_uverbs_device_cap_flags (Linux 6.2) */
#define GLOBAL     (1u << 8)
#define PERSISTENT (1u << 9) /* rdma-core 45: IBV_ACCESS_FLUSH_PERSISTENT */

#define HUGE_2M    (UINT64_C(2) << 20)
#define HUGE_1G    (UINT64_C(1) << 30)

/* A region of one page of memory.  @...: further members */
#define REGION(group_, name_, subject_, access_, ...)                                              \
	{                                                                                          \
		.id = group_ "." name_, .group = (group_), .subject = (subject_),                  \
		.prepare = prepare_memory, .make = register_region, .judge = judge_memory,         \
		.access = (access_), __VA_ARGS__                                                   \
	}

/* An access flag, or a combination of them, by the letters that each id is made of: lw for local-write, ... */
#define ACCESS(name_, access_, ...)                                                                \
	REGION("access", name_, "these access flags", access_, __VA_ARGS__)

/* A trial that prepares or judges in its own way. */
#define TRIAL(group_, name_, subject_, prepare_, make_, judge_, ...)                               \
	{                                                                                          \
		.id = group_ "." name_, .group = (group_), .subject = (subject_),                  \
		.prepare = (prepare_), .make = (make_), .judge = (judge_), __VA_ARGS__             \
	}

#define NEEDS(capability_)  .capability = MR_CAPABILITY_##capability_
#define NEEDS_DEVICE(bits_) NEEDS(BITS), .device_bits = (bits_)
#define NEEDS_ODP(bits_)    NEEDS(BITS), .odp_bits = (bits_)

#define WINDOWS_1           ((uint64_t)IBV_DEVICE_MEM_WINDOW)
#define WINDOWS_2           ((uint64_t)(IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B))
#define WINDOWS             NEEDS_DEVICE(WINDOWS_1 | WINDOWS_2)

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
	ACCESS("mw-bind", MW, WINDOWS),
	ACCESS("rr+mw", RR | MW, WINDOWS),
	ACCESS("lw+mw", LW | MW, WINDOWS),
	ACCESS("lw+rr", LW | RR, .call = MR_REG_MR),
	ACCESS("lw+rr+mw", LW | RR | MW, WINDOWS),
	ACCESS("lw+rw", LW | RW, .call = MR_REG_MR),
	ACCESS("lw+rw+mw", LW | RW | MW, WINDOWS),
	ACCESS("lw+rw+rr", LW | RW | RR, .call = MR_REG_MR),
	ACCESS("lw+rw+rr+mw", LW | RW | RR | MW, WINDOWS),
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
	ACCESS("on-demand", MR_ACCESS_ON_DEMAND, NEEDS_ODP(IBV_ODP_SUPPORT)),
	TRIAL("access", "hugetlb", "these access flags", prepare_memory, register_region,
	      judge_ignored, .access = MR_ACCESS_HUGETLB),
	ACCESS("flush-global", GLOBAL, NEEDS_DEVICE(UINT64_C(1) << 38)),
	TRIAL("access", "flush-persistent", "these access flags", prepare_memory, register_region,
	      judge_persistent, .access = PERSISTENT, NEEDS_DEVICE(UINT64_C(1) << 39)),
	TRIAL("access", "relaxed-ordering", "these access flags", prepare_memory, register_region,
	      judge_relaxed, .access = MR_ACCESS_RELAXED_ORDERING, NEEDS(RELAXED)),
	TRIAL("access", "lw+rw+relaxed-ordering", "these access flags", prepare_memory,
	      register_region, judge_relaxed, .access = LW | RW | MR_ACCESS_RELAXED_ORDERING,
	      NEEDS(RELAXED)),
	ACCESS("unknown-bit", 1u << 15, NEEDS(FORBIDDEN)),

	REGION("kind", "plain", "ibv_reg_mr", LW, .call = MR_REG_MR),
	REGION("kind", "plain-ioctl", "registration by the kernel directly", LW,
	       .via = MR_VIA_KERNEL),
	REGION("kind", "iova", "another address for the HCA", LW, .call = MR_REG_MR_IOVA),
	TRIAL("kind", "zero-based", "a region that begins at 0, by the flag", prepare_memory,
	      register_region, judge_zero_based, .access = LW | MR_ACCESS_ZERO_BASED),
	REGION("kind", "huge-pages", "on a huge page of the host", LW, .memory = MR_MEMORY_HUGETLB),
	REGION("kind", "odp-explicit", "pages fetched on demand", LW | MR_ACCESS_ON_DEMAND,
	       NEEDS_ODP(IBV_ODP_SUPPORT)),
	TRIAL("kind", "odp-implicit", "the whole address space, on demand", prepare_implicit,
	      register_region, NULL, .access = LW | MR_ACCESS_ON_DEMAND,
	      NEEDS_ODP(IBV_ODP_SUPPORT_IMPLICIT)),
	REGION("kind", "odp-huge-pages", "on demand, on a huge page",
	       LW | MR_ACCESS_ON_DEMAND | MR_ACCESS_HUGETLB, .memory = MR_MEMORY_HUGETLB),
	TRIAL("kind", "null-mr", "the null MR: reads are zeros, writes are discarded", NULL,
	      register_region, NULL, .call = MR_ALLOC_NULL_MR),

	TRIAL("prefetch", "read", "fetch pages, for reading", prepare_advice, advise, judge_advice,
	      .name = "ibv_advise_mr", .detail = IBV_ADVISE_MR_ADVICE_PREFETCH),
	TRIAL("prefetch", "write", "fetch pages, for writing", prepare_advice, advise, judge_advice,
	      .name = "ibv_advise_mr", .detail = IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE),
	TRIAL("prefetch", "no-fault", "fetch only pages that are present", prepare_advice, advise,
	      judge_advice, .name = "ibv_advise_mr",
	      .detail = IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT),
	TRIAL("prefetch", "ioctl", "fetch pages, by the kernel directly", prepare_advice, advise,
	      judge_advice, .name = "ioctl(ADVISE_MR)", .via = MR_VIA_KERNEL,
	      .detail = IBV_ADVISE_MR_ADVICE_PREFETCH),

	TRIAL("dmabuf", "none", "with the descriptor -1: EBADF means yes", prepare_no_dmabuf,
	      register_region, judge_no_dmabuf, .call = MR_REG_DMABUF_MR, .access = LW,
	      .yes_errno = EBADF),
	TRIAL("dmabuf", "udmabuf", "of memory, by /dev/udmabuf", prepare_dmabuf, register_region,
	      NULL, .call = MR_REG_DMABUF_MR, .access = LW, .dmabuf = MR_DMABUF_UDMABUF),
	TRIAL("dmabuf", "heap", "of the dma-heap \"system\"", prepare_dmabuf, register_region, NULL,
	      .call = MR_REG_DMABUF_MR, .access = LW, .dmabuf = MR_DMABUF_HEAP),
	TRIAL("dmabuf", "dm", "of memory on the device", prepare_dm_dmabuf, register_region, NULL,
	      .call = MR_REG_DMABUF_MR, .access = LW),
	TRIAL("dmabuf", "ioctl", "with the descriptor -1, by the kernel directly",
	      prepare_no_dmabuf, register_region, judge_no_dmabuf, .call = MR_REG_DMABUF_MR,
	      .via = MR_VIA_KERNEL, .access = LW, .yes_errno = EBADF),
	TRIAL("dmabuf", "data-direct", "by Data Direct, with the descriptor -1", prepare_no_dmabuf,
	      register_region, judge_no_dmabuf, .call = MR_DV_REG_DMABUF_MR, .access = LW,
	      .yes_errno = EBADF, NEEDS(DATA_DIRECT)),
	TRIAL("dmabuf", "data-direct-heap", "by Data Direct, of the dma-heap", prepare_dmabuf,
	      register_region, NULL, .call = MR_DV_REG_DMABUF_MR, .access = LW,
	      .dmabuf = MR_DMABUF_HEAP, NEEDS(DATA_DIRECT)),

	REGION("umem", "plain", "a umem of DEVX", LW, .call = MR_UMEM_REG),
	TRIAL("umem", "pages-4k", "a umem with pages of 4 KiB", prepare_umem_pages, register_region,
	      judge_page_size, .call = MR_UMEM_REG_EX, .access = LW, .detail = 4096),
	TRIAL("umem", "pages-64k", "a umem with pages of 64 KiB, on a huge page",
	      prepare_umem_pages, register_region, judge_page_size, .call = MR_UMEM_REG_EX,
	      .access = LW, .memory = MR_MEMORY_HUGETLB, .detail = 65536),
	TRIAL("umem", "pages-2m", "a umem with pages of 2 MiB, on a huge page", prepare_umem_pages,
	      register_region, judge_page_size, .call = MR_UMEM_REG_EX, .access = LW,
	      .memory = MR_MEMORY_HUGETLB, .huge_size = HUGE_2M, .detail = HUGE_2M),
	TRIAL("umem", "pages-1g", "a umem with pages of 1 GiB, on a huge page", prepare_umem_pages,
	      register_region, judge_page_size, .call = MR_UMEM_REG_EX, .access = LW,
	      .memory = MR_MEMORY_HUGETLB, .huge_size = HUGE_1G, .detail = HUGE_1G),
	TRIAL("umem", "dmabuf", "a umem of the dma-heap \"system\"", prepare_dmabuf,
	      register_region, NULL, .call = MR_UMEM_REG_DMABUF, .access = LW,
	      .dmabuf = MR_DMABUF_HEAP),
	TRIAL("umem", "dmabuf-none", "of a file that is not a dma-buf: EINVAL means yes",
	      prepare_umem_memfd, register_region, NULL, .call = MR_UMEM_REG_DMABUF, .access = LW,
	      .yes_errno = EINVAL),
	REGION("umem", "ioctl", "a umem, by the kernel directly", LW, .call = MR_UMEM_REG,
	       .via = MR_VIA_KERNEL),

	TRIAL("rereg", "translation", "other memory for a region", prepare_rereg, rereg, NULL,
	      .name = "ibv_rereg_mr", .detail = MR_CHANGE_TRANSLATION),
	TRIAL("rereg", "pd", "another protection domain", prepare_rereg, rereg, NULL,
	      .name = "ibv_rereg_mr", .detail = MR_CHANGE_PD),
	TRIAL("rereg", "access", "other access flags", prepare_rereg, rereg, NULL,
	      .name = "ibv_rereg_mr", .detail = MR_CHANGE_ACCESS, .access = LW),
	TRIAL("rereg", "translation-ioctl", "other memory, by the kernel directly", prepare_rereg,
	      rereg, NULL, .name = "ioctl(REREG_MR)", .via = MR_VIA_KERNEL,
	      .detail = MR_CHANGE_TRANSLATION),
	TRIAL("rereg", "pd-ioctl", "another domain, by the kernel directly", prepare_rereg, rereg,
	      NULL, .name = "ioctl(REREG_MR)", .via = MR_VIA_KERNEL, .detail = MR_CHANGE_PD),
	TRIAL("rereg", "access-ioctl", "other access, by the kernel directly", prepare_rereg, rereg,
	      NULL, .name = "ioctl(REREG_MR)", .via = MR_VIA_KERNEL, .detail = MR_CHANGE_ACCESS,
	      .access = LW),

	TRIAL("window", "type-1", "a memory window of type 1", NULL, alloc_window, NULL,
	      .name = "ibv_alloc_mw", .detail = IBV_MW_TYPE_1, NEEDS_DEVICE(WINDOWS_1)),
	TRIAL("window", "type-2", "a memory window of type 2", NULL, alloc_window, NULL,
	      .name = "ibv_alloc_mw", .detail = IBV_MW_TYPE_2, NEEDS_DEVICE(WINDOWS_2)),

	TRIAL("dm", "alloc", "memory on the device", NULL, alloc_dm, NULL, .name = "ibv_alloc_dm",
	      NEEDS(DM)),
	TRIAL("dm", "register", "a region on memory on the device", prepare_dm, register_region,
	      NULL, .call = MR_REG_DM_MR, .access = LW | MR_ACCESS_ZERO_BASED),
	TRIAL("dm", "export", "a dma-buf of memory on the device", prepare_dm, export_dm, NULL,
	      .name = "ibv_dm_export_dmabuf_fd"),

	TRIAL("reg-mr-ex", "addr", "ibv_reg_mr_ex of memory", prepare_memory, register_region,
	      judge_ex, .call = MR_REG_MR_EX, .access = LW),
	TRIAL("reg-mr-ex", "iova", "ibv_reg_mr_ex at another address", prepare_memory,
	      register_region, judge_ex, .call = MR_REG_MR_EX_IOVA, .access = LW),
	TRIAL("reg-mr-ex", "dmabuf", "ibv_reg_mr_ex of the dma-heap \"system\"", prepare_dmabuf,
	      register_region, judge_ex, .call = MR_REG_MR_EX_FD, .access = LW,
	      .dmabuf = MR_DMABUF_HEAP),

	TRIAL("import", "device", "a device in a second process", refuse_blind, import_device, NULL,
	      .name = "ibv_import_device", .call = MR_REG_MR),
	TRIAL("import", "pd", "a protection domain there", prepare_import, import_pd, NULL,
	      .name = "ibv_import_pd", .call = MR_REG_MR),
	TRIAL("import", "mr", "a region there", prepare_import_region, import_region, NULL,
	      .name = "ibv_import_mr", .call = MR_REG_MR),
	TRIAL("import", "umem", "a umem there", prepare_import_region, import_umem, NULL,
	      .name = "mlx5dv_devx_umem_import", .call = MR_UMEM_REG),

	TRIAL("dma-handle", "alloc", "a DMA handle (hints for PCIe)", NULL, alloc_dmah, NULL,
	      .name = "ibv_alloc_dmah", .call = MR_REG_MR),
	TRIAL("dma-handle", "register", "a region with a DMA handle", prepare_dmah, register_region,
	      NULL, .call = MR_REG_MR_DMAH, .access = LW),
	{ .id = NULL },
};
