// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tries each kind of memory, dma-buf and object. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/probe/probe.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

/* An I/O virtual address that has nothing to do with the process's: on the border of a page of any size. */
#define IOVA (UINT64_C(1) << 40)

static struct mr_region_request request_of(const struct mr_probe *probe,
					   const struct mr_trial *trial)
{
	return (struct mr_region_request){
		.call = trial->call,
		.addr = probe->memory.start,
		.length = probe->page,
		.iova = IOVA,
		.access = trial->access,
	};
}

/* Where the trial has memory of its own, its request is of one page of that.  Return: 0 or -errno. */
static int map_own_memory(const struct mr_trial *trial, struct mr_memory *memory,
			  struct mr_region_request *request, struct mr_attempt *attempt)
{
	const struct mr_memory_request wanted = {
		.kind = { .type = trial->memory,
			  .text = "huge pages",
			  .huge_size = trial->huge_size },
		.length = 1,
	};

	*memory = (struct mr_memory){ .map = NULL };
	if (trial->memory == MR_MEMORY_ANON)
		return 0;
	attempt->rc = mr_memory_map(&wanted, memory, &attempt->err);
	if (attempt->rc)
		return attempt->rc;
	request->addr = memory->start;
	request->length = memory->page_size;
	return 0;
}

/* Tries the call on ordinary memory, because the host has no huge page. */
static void try_without_huge_page(struct mr_probe *probe, const struct mr_trial *trial,
				  const struct mr_region_request *request,
				  struct mr_attempt *attempt)
{
	const char *name = mr_errno_name(-attempt->rc);

	mr_attempt_without(probe, trial, request, attempt,
			   "this host gives no huge page%s (mmap: %s)",
			   trial->huge_size >> 30 ? " of 1 GiB"
			   : trial->huge_size     ? " of 2 MiB"
						  : "",
			   name ? name : "unknown errno");
}

void mr_try_memory(struct mr_probe *probe, const struct mr_trial *trial, struct mr_attempt *attempt)
{
	struct mr_region_request request = request_of(probe, trial);
	struct mr_region region;
	struct mr_memory own;

	if (map_own_memory(trial, &own, &request, attempt)) {
		try_without_huge_page(probe, trial, &request, attempt);
		return;
	}
	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
	else if (attempt->rc == -EFAULT && trial->memory == MR_MEMORY_HUGETLB)
		mr_attempt_reason(attempt, "the huge page could not be had: maybe a limit of the "
					   "control group (hugetlb)");
	mr_memory_unmap(&own);
}

/* rxe takes the flag for persistent memory only (rxe_mr.c rxe_mr_fill_pages_from_sgt()), and this is none. */
void mr_try_flush_persistent(struct mr_probe *probe, const struct mr_trial *trial,
			     struct mr_attempt *attempt)
{
	mr_try_memory(probe, trial, attempt);
	if (attempt->rc == -EINVAL && mr_capability_ask(probe, trial->capability) != MR_NO)
		mr_attempt_doubt(attempt, "the memory that was tried is not persistent");
}

/* A flag that the kernel may drop: that the region was registered proves nothing. */
void mr_try_relaxed(struct mr_probe *probe, const struct mr_trial *trial,
		    struct mr_attempt *attempt)
{
	const struct mr_in_force_region asked = { .call = trial->call, .access = trial->access };

	mr_try_memory(probe, trial, attempt);
	if (attempt->rc || !attempt->made)
		return;
	mr_in_force_bits(&probe->in_force, &asked);
	if (probe->in_force.optional == MR_NO) {
		attempt->proven = MR_NO;
		attempt->layer = "libibverbs";
		mr_attempt_reason(
			attempt, "accepted, and left out: %s",
			mr_in_force_reason(&probe->in_force, trial->access & -trial->access));
		return;
	}
	mr_attempt_doubt(attempt, "accepted, which proves nothing: the kernel and the device may "
				  "ignore this flag");
}

/* Whether the region begins at 0 the kernel is asked. */
void mr_try_zero_based(struct mr_probe *probe, const struct mr_trial *trial,
		       struct mr_attempt *attempt)
{
	struct mr_region_request request = request_of(probe, trial);
	struct mr_region region;

	if (mr_attempt_register(probe, trial, &request, &region, attempt))
		return;
	switch (mr_in_force_at_zero(&probe->uverbs, trial->access, &region)) {
	case MR_YES:
		break;
	case MR_NO:
		attempt->proven = MR_NO;
		mr_attempt_reason(attempt, "accepted, and ignored: the region does not begin at 0, "
					   "as the kernel says (QUERY_MR)");
		break;
	default:
		mr_attempt_doubt(attempt, "accepted, which proves nothing: the kernel does not say "
					  "where the region begins (QUERY_MR)");
	}
	mr_attempt_deregister(probe, &region, attempt);
}

/* hugetlb is read with on-demand only: see lib/verbs/calls.c. */
void mr_try_ignored(struct mr_probe *probe, const struct mr_trial *trial,
		    struct mr_attempt *attempt)
{
	mr_try_memory(probe, trial, attempt);
	if (attempt->made && !attempt->rc)
		mr_attempt_doubt(attempt, "accepted, which proves nothing: the flag counts only "
					  "with on-demand");
}

/* The request that ibv_reg_mr(3) takes for the whole address space. */
void mr_try_implicit(struct mr_probe *probe, const struct mr_trial *trial,
		     struct mr_attempt *attempt)
{
	struct mr_region_request request = request_of(probe, trial);
	struct mr_region region;

	request.addr = 0;
	request.length = SIZE_MAX;
	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
}

void mr_try_null(struct mr_probe *probe, const struct mr_trial *trial, struct mr_attempt *attempt)
{
	const struct mr_region_request request = { .call = trial->call };
	struct mr_region region;

	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
}

static void advise(struct mr_probe *probe, const struct mr_trial *trial,
		   const struct mr_region *region, struct mr_attempt *attempt)
{
	const struct mr_advice advice = { .advice = trial->detail,
					  .flags = IBV_ADVISE_MR_FLAG_FLUSH };
	const struct mr_advice_range range = { .addr = region->iova,
					       .length = region->length,
					       .lkey = region->lkey };
	const bool kernel = trial->via == MR_VIA_KERNEL;
	uint64_t ns;
	int rc;

	mr_attempt_begin(probe, attempt, kernel ? "ioctl(ADVISE_MR)" : "ibv_advise_mr");
	rc = mr_advise(mr_attempt_registrar(probe, trial), &advice, &range, &ns, &attempt->err);
	mr_attempt_end(attempt, rc);
}

/*
 * Where there can be no region with on-demand paging, the advice is given on another one: a device without
 * the call answers that it has none (EOPNOTSUPP), and one that has it answers something else.
 */
void mr_try_advice(struct mr_probe *probe, const struct mr_trial *trial, struct mr_attempt *attempt)
{
	struct mr_region_request request = request_of(probe, trial);
	struct mr_region region;
	bool on_demand = true;

	request.access = MR_ACCESS_LOCAL_WRITE | MR_ACCESS_ON_DEMAND;
	if (mr_attempt_prepare(probe, &request, &region, attempt)) {
		on_demand = false;
		request.access = MR_ACCESS_LOCAL_WRITE;
		if (mr_attempt_prepare(probe, &request, &region, attempt))
			return;
	}
	advise(probe, trial, &region, attempt);
	if (!on_demand && attempt->rc != -EOPNOTSUPP)
		mr_attempt_doubt(attempt,
				 "no region with on-demand paging could be had to prefetch");
	mr_attempt_deregister(probe, &region, attempt);
}

static void explain_page_size(const struct mr_trial *trial, struct mr_attempt *attempt)
{
	if (attempt->rc == -EINVAL && trial->memory == MR_MEMORY_ANON &&
	    trial->detail > (uint64_t)4096)
		mr_attempt_doubt(attempt, "the memory is not known to have such pages");
}

/*
 * A umem of exactly one page of the wanted size, so that the kernel cannot take a smaller one
 * (devx.c devx_umem_find_best_pgsize()).
 */
void mr_try_umem_pages(struct mr_probe *probe, const struct mr_trial *trial,
		       struct mr_attempt *attempt)
{
	struct mr_region_request request = request_of(probe, trial);
	struct mr_region region;
	struct mr_memory own;

	if (map_own_memory(trial, &own, &request, attempt)) {
		try_without_huge_page(probe, trial, &request, attempt);
		return;
	}
	request.length = request.page_sizes = trial->detail;
	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
	explain_page_size(trial, attempt);
	mr_memory_unmap(&own);
}

/* Bytes of memory on the device, and of a dma-buf of it: a page, which dma-bufs are made of. */
#define DM_SIZE 4096

static struct mr_region_request dmabuf_request_of(const struct mr_probe *probe,
						  const struct mr_trial *trial, int fd)
{
	return (struct mr_region_request){
		.call = trial->call,
		.length = probe->page,
		.page_sizes = trial->detail,
		.access = trial->access,
		.fd = fd,
	};
}

static void register_descriptor(struct mr_probe *probe, const struct mr_trial *trial, int fd,
				struct mr_attempt *attempt)
{
	const struct mr_region_request request = dmabuf_request_of(probe, trial, fd);
	struct mr_region region;

	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
}

void mr_try_dmabuf(struct mr_probe *probe, const struct mr_trial *trial, struct mr_attempt *attempt)
{
	const struct mr_dmabuf_request request = {
		.source = { .type = trial->dmabuf, .name = "system" },
		.size = probe->page,
	};
	struct mr_dmabuf dmabuf;

	attempt->rc = mr_dmabuf_open(&request, &dmabuf, &attempt->err);
	if (attempt->rc) {
		const struct mr_region_request without = dmabuf_request_of(probe, trial, -1);
		const char *name = mr_errno_name(-attempt->rc);

		mr_attempt_without(
			probe, trial, &without, attempt, "this host gives no %s (%s: %s)",
			trial->dmabuf == MR_DMABUF_UDMABUF ? "/dev/udmabuf" : "dma-heap \"system\"",
			attempt->err.call ? attempt->err.call : "open",
			name ? name : "unknown errno");
		return;
	}
	register_descriptor(probe, trial, dmabuf.fd, attempt);
	mr_dmabuf_close(&dmabuf);
}

/* Registers a dma-buf that the host makes.  Return: 0; -ENOENT where it makes none; or -errno of registering it. */
static int register_any_dmabuf(struct mr_probe *probe, const struct mr_trial *trial)
{
	struct mr_dmabuf_request request = { .source = { .name = "system" }, .size = probe->page };
	static const enum mr_dmabuf_type types[] = { MR_DMABUF_UDMABUF, MR_DMABUF_HEAP };
	struct mr_dmabuf dmabuf;
	struct mr_error ignored;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct mr_attempt second = { .made = false };

		request.source.type = types[i];
		if (mr_dmabuf_open(&request, &dmabuf, &ignored))
			continue;
		register_descriptor(probe, trial, dmabuf.fd, &second);
		mr_dmabuf_close(&dmabuf);
		return second.rc;
	}
	return -ENOENT;
}

/*
 * The usual way to ask for dma-bufs: drivers look at the descriptor last, so EBADF, the trial's yes_errno, says
 * that everything before it was in order.  It is not quite true: mlx5_ib looks for on-demand paging only after
 * it has found the dma-buf.  So a dma-buf of the host is registered, where it makes one.
 */
void mr_try_no_dmabuf(struct mr_probe *probe, const struct mr_trial *trial,
		      struct mr_attempt *attempt)
{
	const char *name;
	int rc;

	register_descriptor(probe, trial, -1, attempt);
	if (attempt->rc != -EBADF || probe->blind)
		return;
	rc = register_any_dmabuf(probe, trial);
	name = mr_errno_name(-rc);
	if (rc == -ENOENT && mr_capability_ask(probe, MR_CAPABILITY_ODP) == MR_NO)
		mr_attempt_doubt(attempt, "EBADF means yes, but not on mlx5 without on-demand "
					  "paging; and this host gives no dma-buf to try");
	else if (rc && rc != -ENOENT)
		mr_attempt_doubt(attempt,
				 "EBADF would mean yes, but a dma-buf of this host is "
				 "refused: %s",
				 name ? name : "unknown errno");
}

/*
 * libmlx5 itself refuses the descriptor -1, so a file that is no dma-buf is given.  A kernel that does not
 * know the attribute answers EPROTONOSUPPORT; one that does looks at the file, and answers EINVAL.  That is
 * the answer to bad access flags and to a context without DEVX as well: so a umem of memory must be possible.
 */
void mr_try_umem_memfd(struct mr_probe *probe, const struct mr_trial *trial,
		       struct mr_attempt *attempt)
{
	const struct mr_region_request plain = { .call = MR_UMEM_REG,
						 .addr = probe->memory.start,
						 .length = probe->page };
	struct mr_region region;
	int fd;

	if (mr_attempt_prepare(probe, &plain, &region, attempt))
		return;
	mr_attempt_deregister(probe, &region, attempt);
	fd = mr_memfd_create("mrctl-probe", MFD_CLOEXEC);
	if (fd < 0) {
		attempt->rc = mr_fail(&attempt->err, MR_ERROR_HOST, errno, "memfd_create", NULL);
		return;
	}
	register_descriptor(probe, trial, fd, attempt);
	close(fd);
}

void mr_try_dm_alloc(struct mr_probe *probe, const struct mr_trial *trial,
		     struct mr_attempt *attempt)
{
	const bool kernel = trial->via == MR_VIA_KERNEL;
	const struct mr_registrar *registrar = mr_attempt_registrar(probe, trial);
	struct mr_error ignored;
	struct mr_dm dm;
	int rc;

	mr_attempt_begin(probe, attempt, kernel ? "ioctl(DM_ALLOC)" : "ibv_alloc_dm");
	rc = mr_dm_alloc(registrar, DM_SIZE, &dm, &attempt->err);
	mr_attempt_end(attempt, rc);
	if (!rc)
		mr_dm_free(registrar, &dm, &ignored);
}

/* A region on memory on the device is zero-based: mlx5 takes it only with that flag (mlx5_ib_reg_dm_mr()). */
void mr_try_dm_register(struct mr_probe *probe, const struct mr_trial *trial,
			struct mr_attempt *attempt)
{
	struct mr_region_request request = dmabuf_request_of(probe, trial, -1);
	struct mr_region region;
	struct mr_error ignored;
	struct mr_dm dm;

	attempt->rc = mr_dm_alloc(&probe->library, DM_SIZE, &dm, &attempt->err);
	if (attempt->rc)
		return;
	request.dm = &dm;
	request.length = DM_SIZE;
	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
	mr_dm_free(&probe->library, &dm, &ignored);
}

void mr_try_dm_export(struct mr_probe *probe, const struct mr_trial *trial,
		      struct mr_attempt *attempt)
{
	struct mr_error ignored;
	struct mr_dmabuf dmabuf;
	struct mr_dm dm;
	int rc;

	(void)trial;
	attempt->rc = mr_dm_alloc(&probe->library, DM_SIZE, &dm, &attempt->err);
	if (attempt->rc)
		return;
	mr_attempt_begin(probe, attempt, "ibv_dm_export_dmabuf_fd");
	rc = mr_dm_export(&dm, &dmabuf, &attempt->err);
	mr_attempt_end(attempt, rc);
	if (!rc)
		mr_dmabuf_close(&dmabuf);
	mr_dm_free(&probe->library, &dm, &ignored);
}

void mr_try_dm_dmabuf(struct mr_probe *probe, const struct mr_trial *trial,
		      struct mr_attempt *attempt)
{
	struct mr_dmabuf dmabuf;
	struct mr_error ignored;
	struct mr_dm dm;

	attempt->rc = mr_dm_alloc(&probe->library, DM_SIZE, &dm, &attempt->err);
	if (attempt->rc)
		return;
	attempt->rc = mr_dm_export(&dm, &dmabuf, &attempt->err);
	if (!attempt->rc) {
		register_descriptor(probe, trial, dmabuf.fd, attempt);
		mr_dmabuf_close(&dmabuf);
	}
	mr_dm_free(&probe->library, &dm, &ignored);
}

void mr_try_window(struct mr_probe *probe, const struct mr_trial *trial, struct mr_attempt *attempt)
{
	struct ibv_mw *window;
	int rc = 0;

	mr_attempt_begin(probe, attempt, "ibv_alloc_mw");
	errno = 0;
	window = ibv_alloc_mw(probe->device.pd, (enum ibv_mw_type)trial->detail);
	if (!window)
		rc = mr_fail(&attempt->err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_alloc_mw",
			     NULL);
	mr_attempt_end(attempt, rc);
	if (window)
		ibv_dealloc_mw(window);
}

/* ---- DMA handles ---- */

/* mlx5 wants a processing hint, and takes 0 (hw/mlx5/dmah.c mlx5_ib_alloc_dmah()). */
static const struct mr_dmah_hints hints = { .memory = MR_DMAH_NO_CPU, .ph = 0 };

void mr_try_dma_handle(struct mr_probe *probe, const struct mr_trial *trial,
		       struct mr_attempt *attempt)
{
	struct mr_error ignored;
	struct mr_dmah dmah;
	int rc;

	(void)trial;
	mr_attempt_begin(probe, attempt, "ibv_alloc_dmah");
	rc = mr_dmah_alloc(&probe->library, &hints, &dmah, &attempt->err);
	mr_attempt_end(attempt, rc);
	mr_dmah_free(&dmah, &ignored);
}

void mr_try_dmah_register(struct mr_probe *probe, const struct mr_trial *trial,
			  struct mr_attempt *attempt)
{
	struct mr_region_request request = { .call = trial->call,
					     .addr = probe->memory.start,
					     .length = probe->page,
					     .access = trial->access };
	struct mr_region region;
	struct mr_error ignored;
	struct mr_dmah dmah;

	attempt->rc = mr_dmah_alloc(&probe->library, &hints, &dmah, &attempt->err);
	if (attempt->rc)
		return;
	request.dmah = &dmah;
	if (!mr_attempt_register(probe, trial, &request, &region, attempt))
		mr_attempt_deregister(probe, &region, attempt);
	mr_dmah_free(&dmah, &ignored);
}

/* ---- ibv_reg_mr_ex(3) ---- */

/*
 * Whether the provider has a function of its own for ibv_reg_mr_ex(3).  Where it has none, libibverbs calls
 * the older ones, from rdma-core 64 on, and refuses attributes that it does not know (dummy_ops.c reg_mr_ex(),
 * EOPNOTSUPP).  The provider's function passes the rest on to the kernel, which a context without a descriptor
 * does not reach (EBADF).
 */
static enum mr_tristate provider_has_function(struct mr_probe *probe,
					      const struct mr_region_request *request)
{
	struct mr_init_attr attr = { .length = request->length,
				     .access = (int)request->access,
				     .comp_mask = MR_INIT_ATTR_ADDR | UINT64_C(1) << 62,
				     .addr = (void *)(uintptr_t)request->addr }; // NOLINT
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

/* Sets what the kernel was asked, once the call has succeeded. */
static void find_kernel_call(struct mr_probe *probe, const struct mr_trial *trial,
			     struct mr_attempt *attempt)
{
	const struct mr_region_request request = { .addr = probe->memory.start,
						   .length = probe->page,
						   .access = IBV_ACCESS_LOCAL_WRITE };
	const enum mr_tristate method = mr_uverbs_has_reg_mr(&probe->uverbs);
	const enum mr_tristate own = provider_has_function(probe, &request);

	if (own == MR_YES && method == MR_YES) {
		attempt->kernel_call = "method REG_MR";
	} else if (own == MR_NO || method == MR_NO) {
		attempt->kernel_call = mr_region_is_dmabuf(trial->call) ? "method REG_DMABUF_MR"
									: "command REG_MR";
		mr_attempt_reason(attempt, "emulated by libibverbs: the kernel got the %s",
				  attempt->kernel_call);
	} else {
		mr_attempt_reason(attempt, "which call reached the kernel is not known");
	}
}

void mr_try_ex(struct mr_probe *probe, const struct mr_trial *trial, struct mr_attempt *attempt)
{
	if (mr_region_is_dmabuf(trial->call))
		mr_try_dmabuf(probe, trial, attempt);
	else
		mr_try_memory(probe, trial, attempt);
	if (attempt->made && !attempt->rc && !probe->blind)
		find_kernel_call(probe, trial, attempt);
}

/* ---- importing ---- */

void mr_try_import_device(struct mr_probe *probe, const struct mr_trial *trial,
			  struct mr_attempt *attempt)
{
	struct mr_device imported;
	int rc;

	(void)trial;
	if (probe->blind) /* the call takes a descriptor, and no context that could be without one */
		return;
	mr_attempt_begin(probe, attempt, "ibv_import_device");
	rc = mr_device_import(probe->uverbs.fd, MR_NO_HANDLE, &imported, &attempt->err);
	mr_attempt_end(attempt, rc);
	/* libibverbs/device.c: EOPNOTSUPP where the provider has no import_context() */
	if (rc == -EOPNOTSUPP)
		attempt->layer = "provider";
	if (!rc)
		mr_device_close(&imported);
}

/* Opens a second context on the same descriptor.  Return: 0 or -errno. */
static int import_device(struct mr_probe *probe, uint32_t pd_handle, struct mr_device *imported,
			 struct mr_attempt *attempt)
{
	attempt->rc = mr_device_import(probe->uverbs.fd, pd_handle, imported, &attempt->err);
	return attempt->rc;
}

void mr_try_import_pd(struct mr_probe *probe, const struct mr_trial *trial,
		      struct mr_attempt *attempt)
{
	struct mr_device imported;
	struct ibv_pd *pd;
	int rc = 0;

	(void)trial;
	if (import_device(probe, MR_NO_HANDLE, &imported, attempt))
		return;
	attempt->context = imported.context;
	mr_attempt_begin(probe, attempt, "ibv_import_pd");
	errno = 0;
	pd = ibv_import_pd(imported.context, probe->device.pd->handle);
	if (!pd)
		rc = mr_fail(&attempt->err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_import_pd",
			     NULL);
	mr_attempt_end(attempt, rc);
	if (pd)
		ibv_unimport_pd(pd);
	mr_device_close(&imported);
}

void mr_try_import_mr(struct mr_probe *probe, const struct mr_trial *trial,
		      struct mr_attempt *attempt)
{
	const struct mr_region_request request = { .addr = probe->memory.start,
						   .length = probe->page };
	struct mr_registrar registrar = probe->library;
	struct mr_region region, second;
	struct mr_device imported;
	int rc;

	(void)trial;
	if (mr_attempt_prepare(probe, &request, &region, attempt))
		return;
	if (!import_device(probe, probe->device.pd->handle, &imported, attempt)) {
		registrar.context = imported.context;
		registrar.pd = imported.pd;
		attempt->context = imported.context;
		mr_attempt_begin(probe, attempt, "ibv_import_mr");
		rc = mr_region_import(&registrar, region.handle, &second, &attempt->err);
		mr_attempt_end(attempt, rc);
		if (!rc)
			mr_region_forget(&second);
		mr_device_close(&imported);
	}
	mr_attempt_deregister(probe, &region, attempt);
}

/* libmlx5 does not ask the kernel: a success proves that the library has the calls. */
void mr_try_import_umem(struct mr_probe *probe, const struct mr_trial *trial,
			struct mr_attempt *attempt)
{
	struct mr_umem_blob blob = { .size = 0 };
	const struct mr_region_request request = { .call = MR_UMEM_REG,
						   .addr = probe->memory.start,
						   .length = probe->page };
	struct mr_region second;
	struct mr_device imported;
	struct mr_region region;
	int rc;

	(void)trial;
	if (mr_attempt_prepare(probe, &request, &region, attempt))
		return;
	if (!import_device(probe, MR_NO_HANDLE, &imported, attempt)) {
		attempt->context = imported.context;
		mr_attempt_begin(probe, attempt, "mlx5dv_devx_umem_import");
		rc = mr_umem_export(region.umem, &blob, &attempt->err);
		if (!rc)
			rc = mr_umem_import(imported.context, &blob, &second, &attempt->err);
		mr_attempt_end(attempt, rc);
		if (!rc)
			mr_region_forget(&second);
		mr_device_close(&imported);
	}
	mr_attempt_deregister(probe, &region, attempt);
}
