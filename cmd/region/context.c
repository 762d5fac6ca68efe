// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds where a command works (in a session, in a batch, or alone), and the path of its calls. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"
#include "lib/verbs/verbs.h"

const char *context_session(const struct invocation *invocation)
{
	const struct global_args *global = invocation->global;
	const char *where;

	if (invocation->enclosing)
		return "batch";
	where = global->session ? global->session : getenv(MR_SESSION_VARIABLE);
	return where && *where ? where : NULL;
}

/* Outside of a session the user may have wanted a view, which does not require one. */
static void fail_no_session(const struct invocation *invocation, struct mr_error *err)
{
	const struct command *command = invocation->command;
	const char *word = invocation->operands[0];
	const struct command *const *view = command->views;
	char options[128] = "", type[32];

	mr_fail_text(err, MR_ERROR_ABSENT, ENOTCONN, "not in a session");
	for (const struct command *const *v = view; v && *v; v++)
		mr_text_add(options, sizeof(options), " ", "--%s", (*v)->name);
	mr_hint(err, "open one with mrctl session, or name one with --session%s%s",
		*options ? "; outside a session, use " : "", options);
	if (!view || !word)
		return;
	while (*view && strcmp((*view)->name, word) != 0)
		view++;
	/* "stat mlx5_0", "stat host" */
	if (mr_host_line(mr_this_host(), type, sizeof(type), "/sys/class/infiniband/%s/node_type",
			 word))
		mr_hint(err, "did you mean 'mrctl %s --device %s'?", command->name, word);
	else if (*view)
		mr_hint(err, "did you mean 'mrctl %s --%s'?", command->name, word);
	else if (!strcmp(word, "help"))
		mr_hint(err, "did you mean 'mrctl help %s'?", command->name);
}

struct mr_session *context_open_session(const struct invocation *invocation,
					struct mr_session *room, struct mr_environment *environment,
					struct mr_error *err)
{
	const struct global_args *global = invocation->global;
	const char *where = context_session(invocation);

	if (invocation->enclosing) {
		*environment = *invocation->enclosing->environment;
		return invocation->enclosing->session;
	}
	if (!where) {
		fail_no_session(invocation, err);
		return NULL;
	}
	if (global->device) {
		mr_fail_usage(err, "a session is bound to its device: omit --device");
		return NULL;
	}
	if (mr_session_open(where, room, err))
		return NULL;
	if (environment)
		mr_session_environment(room, environment);
	return room;
}

int context_check_operands(const struct invocation *invocation, const char *verb,
			   struct mr_error *err)
{
	struct mr_operand operand;

	for (char **word = invocation->operands; *word; word++) {
		if (mr_operand_parse(*word, &operand, err))
			return -EINVAL;
		if (verb && operand.type == MR_OPERAND_PD)
			return mr_fail_usage(err, "%s %s regions: '%s' is not one",
					     invocation->command->name, verb, *word);
	}
	return 0;
}

bool context_is_interrupted(const struct invocation *invocation, bool first)
{
	return !(first && invocation->enclosing) && mr_interrupted();
}

void overdue_report(const struct invocation *invocation, struct mr_session *session)
{
	struct mr_entry first;
	const char *name;
	uint32_t count;

	/*
	 * A batch reports once for all its lines.  A batch outside a session has nothing to report here: at its end
	 * it deregisters the remaining regions, and a refusal is a failure of the batch.
	 */
	if (invocation->enclosing || mr_session_is_private(session))
		return;
	count = mr_relaxed_overdue(session, &first);
	if (!count)
		return;
	name = mr_errno_name((int)first.mark_errno);
	report_note(invocation->command->name,
		    "%u deferred region%s could not be invalidated: region %" PRIu64 ": %s (%s)",
		    count, count == 1 ? "" : "s", first.id, name ? name : "unknown errno",
		    mr_errno_text((int)first.mark_errno));
	report_detail("the keys still work: mrctl dereg --flush tries again");
}

void context_hold(const struct invocation *invocation, uint64_t count, struct mr_opt_u64 time,
		  bool in_session)
{
	char seconds[48] = "";

	if (time.known)
		snprintf(seconds, sizeof(seconds), "for %g s, or ", (double)time.value / 1e9);
	if (!invocation->global->style.quiet && (!time.known || time.value))
		report_note(invocation->command->name,
			    "holding %" PRIu64 " region%s %suntil Ctrl-C%s%s; pid %d", count,
			    count == 1 ? "" : "s", seconds,
			    mr_signals_include_hangup() ? ", SIGTERM or SIGHUP" : " or SIGTERM",
			    in_session ? ", then left to the session (mrctl dereg)" : "",
			    (int)getpid());
	proof_end(invocation);
	mr_signals_wait_until(time.known ? mr_sum(mr_now_ns(), time.value) : UINT64_MAX, NULL, -1);
	mr_signals_ignore(); /* timeout(1) sends its signal twice */
}

/* ---- registrar ---- */

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

/*
 * Clears *@library if the library cannot be used in this session; @kernel: --via allows the other path.
 * Return: 0, or -EOPNOTSUPP if it does not.
 */
static int check_library(const struct registrar *registrar, bool kernel, bool *library,
			 struct mr_error *err)
{
	bool imports, lacks_umem;

	if (!*library || mr_session_is_private(registrar->session))
		return 0;
	imports = mr_driver_find(registrar->uverbs.driver_id)->imports;
	lacks_umem = registrar->kind == MR_KIND_UMEM && !mr_umem_reports_handles() &&
		     (kernel || imports);
	*library = !lacks_umem && !registrar->dmah && (!kernel || imports);
	if (*library || kernel)
		return 0;
	if (registrar->dmah) {
		mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "ibv_alloc_dmah",
			"a DMA handle made by the library cannot stay in a session: no library "
			"exports its kernel handle");
		mr_hint(err, "use --via kernel");
	} else {
		mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "mlx5dv_devx_umem_export",
			"a umem cannot stay in a session: rdma-core %s does not export its handle",
			registrar->environment.rdma_core);
		mr_hint(err, "use --via kernel, or rdma-core 63 or later");
	}
	return -EOPNOTSUPP;
}

int registrar_choose_path(struct registrar *registrar, bool makes_pd, struct mr_error *err)
{
	struct mr_table_pd pd = { .handle = MR_NO_HANDLE };
	bool library = via_allows(registrar->allowed, MR_VIA_LIBRARY);
	bool kernel = via_allows(registrar->allowed, MR_VIA_KERNEL);
	struct mr_session *session = registrar->session;
	int rc = 0;

	registrar->uverbs = session->uverbs;
	if (registrar->pd)
		rc = mr_session_pd(session, registrar->pd, makes_pd ? &registrar->made_pd : NULL,
				   &registrar->pd_slot, &pd, err);
	if (!rc)
		rc = check_library(registrar, kernel, &library, err);
	if (rc)
		return rc;
	if (library) {
		rc = mr_session_device(session, registrar->pd_slot, pd.handle, &registrar->device,
				       err);
		if (!rc)
			use_library(registrar);
		/* The kernel's refusal is clearer for a removed device (ENODEV). */
		if (!rc || !kernel || (rc != -EOPNOTSUPP && rc != -ENODEV))
			return rc;
		mr_error_clear(err); /* the other path can be used */
	}
	use_kernel(registrar, pd.handle);
	return 0;
}

static int open_device(struct registrar *registrar, struct mr_error *err)
{
	struct mr_environment *environment = &registrar->environment;
	const char *name = registrar->invocation->global->device;
	bool library = via_allows(registrar->allowed, MR_VIA_LIBRARY);
	uint32_t pd_handle;
	/*
	 * libmlx5 needs DEVX for umems, and fails to open a device without it.  With --via kernel the device
	 * is opened without DEVX, so that the user sees the kernel's answer to the call itself.
	 */
	int rc = registrar->kind == MR_KIND_UMEM && library
			 ? mr_device_open_alone(name, true, &registrar->device, environment, err)
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

int registrar_open(struct registrar *registrar, struct mr_error *err)
{
	const struct invocation *invocation = registrar->invocation;
	int rc;

	registrar->pd_slot = MR_TABLE_PDS;
	registrar->pd = registrar->kind == MR_KIND_UMEM ? NULL : registrar->pd ?: MR_DEFAULT_PD;
	if (!invocation->enclosing)
		mr_environment_init(&registrar->environment);
	if (!context_session(invocation)) {
		rc = open_device(registrar, err);
	} else {
		registrar->session = context_open_session(invocation, &registrar->own_session,
							  &registrar->environment, err);
		if (!registrar->session)
			return -err->errnum;
		mr_relaxed_expire(registrar->session);
		rc = registrar_choose_path(registrar, true, err);
	}
	registrar->base.untimed = registrar->untimed && registrar_is_own(registrar);
	return rc;
}

void registrar_leave_pd(struct registrar *registrar, bool is_used)
{
	struct mr_error ignored;

	if (!registrar->session)
		return;
	mr_table_unlock_pd(&registrar->session->table, registrar->pd_slot);
	if (registrar->made_pd && !is_used)
		mr_session_dealloc_pd(registrar->session, registrar->pd, &ignored);
	registrar->made_pd = false;
}

void registrar_close(struct registrar *registrar)
{
	if (!registrar->session) {
		mr_device_close(&registrar->device);
		return;
	}
	registrar_leave_pd(registrar, false);
	mr_session_release_device(registrar->session, &registrar->device);
	if (!registrar->invocation->enclosing)
		mr_session_close(registrar->session);
}
