// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Trials that make other objects than regions, or take objects over into a second context. */
#include <infiniband/verbs.h>
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "lib/probe/dmabuf.h"
#include "lib/probe/memory.h"
#include "lib/probe/objects.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

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
	struct mlx5dv_devx_umem *second;
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
			mr_umem_forget(second);
		mr_device_close(&imported);
	}
	mr_attempt_deregister(probe, &region, attempt);
}
