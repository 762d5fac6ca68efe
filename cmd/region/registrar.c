// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "cmd/region/region.h"
#include "cmd/region/register.h"
#include "lib/session/changes.h"
#include "lib/session/session.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

static void use_kernel(struct registrar *registrar, uint32_t pd_handle)
{
	registrar->base = (struct mr_registrar){ .via = MR_VIA_KERNEL,
						 .uverbs = &registrar->uverbs,
						 .pd_handle = pd_handle };
}

static void use_library(struct registrar *registrar)
{
	registrar->base = (struct mr_registrar){ .via = MR_VIA_LIBRARY,
						 .context = registrar->device.context,
						 .pd = registrar->device.pd };
}

static int fail_no_handles(const struct registrar *registrar, struct mr_error *err)
{
	mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "mlx5dv_devx_umem_export",
		"rdma-core %s does not tell the handle of a umem, so it cannot stay",
		registrar->environment->rdma_core);
	mr_hint(err, "rdma-core 63 and later do; or use --via kernel");
	return -EOPNOTSUPP;
}

static int fail_no_dmah_handles(struct mr_error *err)
{
	mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "ibv_alloc_dmah",
		"no library tells the kernel's number of a DMA handle, so it cannot stay");
	mr_hint(err, "use --via kernel");
	return -EOPNOTSUPP;
}

/*
 * Clears *@library if the library cannot serve in this session; @kernel: --via allows the other path.
 * Return: 0, or -EOPNOTSUPP if it does not.
 */
static int check_library(const struct registrar *registrar, bool kernel, bool *library,
			 struct mr_error *err)
{
	if (!*library || mr_session_is_private(registrar->session))
		return 0;
	if (registrar->kind == MR_KIND_UMEM && !mr_umem_reports_handles() &&
	    (kernel || mr_driver_find(registrar->uverbs.driver_id)->imports)) {
		*library = false;
		return kernel ? 0 : fail_no_handles(registrar, err);
	}
	if (registrar->dmah) {
		*library = false;
		return kernel ? 0 : fail_no_dmah_handles(err);
	}
	*library = !kernel || mr_driver_find(registrar->uverbs.driver_id)->imports;
	return 0;
}

static int open_in_session(struct registrar *registrar, const struct registrar_request *request,
			   struct mr_error *err)
{
	struct mr_table_pd pd = { .handle = MR_NO_HANDLE };
	bool library = via_allows(request->via, MR_VIA_LIBRARY);
	bool kernel = via_allows(request->via, MR_VIA_KERNEL);
	struct mr_session *session =
		context_open_session(registrar->invocation, &request->room->session, err);
	int rc = 0;

	if (!session)
		return -err->errnum;
	registrar->in_session = true;
	registrar->session = session;
	mr_relaxed_expire(session);
	registrar->environment =
		context_environment(registrar->invocation, session, &request->room->environment);
	registrar->uverbs = session->uverbs;
	if (registrar->pd)
		rc = mr_session_pd(session, registrar->pd, &registrar->made_pd, &registrar->pd_slot,
				   &pd, err);
	if (!rc)
		rc = check_library(registrar, kernel, &library, err);
	if (rc)
		return rc;
	if (library) {
		rc = mr_session_device(session, registrar->pd_slot, pd.handle, &registrar->device,
				       err);
		if (!rc)
			use_library(registrar);
		/* Of a removed device (ENODEV) the kernel's own refusal is clearer. */
		if (!rc || !kernel || (rc != -EOPNOTSUPP && rc != -ENODEV))
			return rc;
		mr_error_clear(err); /* the other path serves */
	}
	use_kernel(registrar, pd.handle);
	return 0;
}

static int open_device(struct registrar *registrar, const struct registrar_request *request,
		       struct mr_error *err)
{
	struct mr_environment *environment = &request->room->environment;
	const char *name = request->invocation->global->device;
	bool library = via_allows(request->via, MR_VIA_LIBRARY);
	uint32_t pd_handle;
	/*
	 * libmlx5 needs DEVX for umems, and fails to open a device without it.  With --via kernel the device
	 * is opened without DEVX, so that the user sees the kernel's answer to the call itself.
	 */
	int rc = registrar->kind == MR_KIND_UMEM && library
			 ? mr_device_open_devx(name, &registrar->device, environment, err)
			 : mr_device_open(name, &registrar->device, environment, err);

	if (rc)
		return rc;
	registrar->uverbs = mr_device_uverbs(&registrar->device, environment, &pd_handle);
	if (library)
		use_library(registrar);
	else
		use_kernel(registrar, pd_handle);
	return 0;
}

int registrar_open(struct registrar *registrar, const struct registrar_request *request,
		   struct mr_error *err)
{
	const struct invocation *invocation = request->invocation;
	int rc;

	registrar->invocation = invocation;
	registrar->kind = request->kind;
	registrar->dmah = request->dmah;
	registrar->pd_slot = MR_TABLE_PDS;
	if (invocation->enclosing) {
		registrar->environment = invocation->enclosing->environment;
	} else {
		registrar->environment = &request->room->environment;
		mr_environment_init(&request->room->environment);
	}
	if (request->kind == MR_KIND_MR)
		registrar->pd = request->pd ? request->pd : MR_DEFAULT_PD;
	rc = context_session(invocation) ? open_in_session(registrar, request, err)
					 : open_device(registrar, request, err);
	registrar->base.untimed = request->untimed && registrar_is_own(registrar);
	return rc;
}

void registrar_leave_pd(struct registrar *registrar, bool is_used)
{
	struct mr_error ignored;

	if (!registrar->session)
		return;
	mr_session_leave_pd(registrar->session, registrar->pd_slot);
	if (registrar->made_pd && !is_used)
		mr_session_dealloc_pd(registrar->session, registrar->pd, &ignored);
	registrar->made_pd = false;
}

void registrar_close(struct registrar *registrar)
{
	if (!registrar->in_session) {
		mr_device_close(&registrar->device);
		return;
	}
	registrar_leave_pd(registrar, false);
	mr_session_release_device(registrar->session, &registrar->device);
	context_leave_session(registrar->invocation, registrar->session);
}
