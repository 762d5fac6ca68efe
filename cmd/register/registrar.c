// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "cmd/region/enclosing.h"
#include "cmd/register/registrar.h"
#include "lib/base/signals.h"
#include "lib/session/library.h"
#include "lib/session/pds.h"
#include "lib/session/relaxed.h"
#include "lib/verbs/drivers.h"
#include "lib/verbs/umem.h"

/* What is quiet and stays in this process shows no times; other commands show a session's. */
static bool is_untimed(const struct place *place)
{
	return place->invocation->global->style.quiet &&
	       (!place->in_session || mr_session_is_private(place->session));
}

static void use_kernel(struct place *place, uint32_t pd_handle)
{
	place->registrar = (struct mr_registrar){ .via = MR_VIA_KERNEL,
						  .uverbs = &place->uverbs,
						  .pd_handle = pd_handle,
						  .untimed = is_untimed(place) };
}

static void use_library(struct place *place)
{
	place->registrar = (struct mr_registrar){ .via = MR_VIA_LIBRARY,
						  .context = place->device.context,
						  .pd = place->device.pd,
						  .untimed = is_untimed(place) };
}

static int fail_no_handles(const struct place *place, struct mr_error *err)
{
	mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "mlx5dv_devx_umem_export",
		"rdma-core %s does not tell the handle of a umem, so it cannot stay",
		place->environment->rdma_core);
	mr_hint(err, "rdma-core 63 and later do; or use --via kernel");
	return -EOPNOTSUPP;
}

/* Whether the library can serve at all; if not, and nothing else may, that is the error. */
static int check_library(const struct place *place, bool kernel, bool *library,
			 struct mr_error *err)
{
	if (!*library || mr_session_is_private(place->session))
		return 0;
	if (place->kind == MR_KIND_UMEM && !mr_umem_tells_handles() &&
	    (kernel || mr_driver_imports(place->uverbs.driver_id))) {
		*library = false;
		return kernel ? 0 : fail_no_handles(place, err);
	}
	*library = !kernel || mr_driver_imports(place->uverbs.driver_id);
	return 0;
}

static int open_in_session(struct place *place, struct context_room *own, bool library, bool kernel,
			   struct mr_error *err)
{
	struct mr_table_pd pd = { .handle = MR_NO_HANDLE };
	struct mr_session *session = context_open_session(place->invocation, &own->session, err);
	int rc = 0;

	if (!session)
		return -err->errnum;
	place->in_session = true;
	place->session = session;
	mr_relaxed_expire(session);
	place->environment = context_environment(place->invocation, session, &own->environment);
	place->uverbs = session->uverbs;
	if (place->pd)
		rc = mr_session_pd(session, place->pd, true, &place->pd_place, &pd, err);
	if (!rc)
		rc = check_library(place, kernel, &library, err);
	if (rc)
		return rc;
	if (library) {
		rc = mr_session_device(session, place->pd_place, pd.handle, &place->device, err);
		if (!rc)
			use_library(place);
		/* ENODEV: the device was removed, which the kernel says better. */
		if (!rc || !kernel || (rc != -EOPNOTSUPP && rc != -ENODEV))
			return rc;
		mr_error_clear(err); /* the other path serves */
	}
	use_kernel(place, pd.handle);
	return 0;
}

static int open_device(struct place *place, struct mr_environment *environment, bool library,
		       struct mr_error *err)
{
	const char *name = place->invocation->global->device;
	uint32_t pd_handle;
	/* Without DEVX the kernel's answer to the call itself is the one that --via kernel is for. */
	int rc = place->kind == MR_KIND_UMEM && library
			 ? mr_device_open_devx(name, &place->device, environment, err)
			 : mr_device_open(name, &place->device, environment, err);

	if (rc)
		return rc;
	place->uverbs = mr_device_uverbs(&place->device, environment, &pd_handle);
	if (library)
		use_library(place);
	else
		use_kernel(place, pd_handle);
	return 0;
}

int place_open(struct place *place, struct context_room *own, const struct invocation *invocation,
	       enum mr_region_kind kind, const char *pd, struct via_option via,
	       struct mr_error *err)
{
	bool library = via_allows(via, MR_VIA_LIBRARY), kernel = via_allows(via, MR_VIA_KERNEL);

	place->invocation = invocation;
	place->kind = kind;
	place->pd_place = MR_TABLE_PDS;
	if (invocation->enclosing) {
		place->environment = invocation->enclosing->environment;
	} else {
		place->environment = &own->environment;
		mr_environment_init(&own->environment);
	}
	if (kind == MR_KIND_MR)
		place->pd = pd ? pd : MR_DEFAULT_PD;
	if (context_session(invocation))
		return open_in_session(place, own, library, kernel, err);
	return open_device(place, &own->environment, library, err);
}

void place_leave_pd(const struct place *place)
{
	if (place->session)
		mr_session_leave_pd(place->session, place->pd_place);
}

void place_close(struct place *place)
{
	if (!place->in_session) {
		mr_device_close(&place->device);
		return;
	}
	place_leave_pd(place);
	mr_session_release_device(place->session, &place->device);
	context_leave_session(place->invocation, place->session);
}
