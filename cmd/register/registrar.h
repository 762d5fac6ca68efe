/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a registering command works: on a device of its own, or in a session. */
#ifndef CMD_REGISTER_REGISTRAR_H
#define CMD_REGISTER_REGISTRAR_H

#include "cmd/cli/command.h"
#include "cmd/cli/option_types.h"
#include "cmd/region/context.h"
#include "lib/session/regions.h"
#include "lib/verbs/device.h"

struct place {
	const struct invocation *invocation;
	bool in_session;
	struct mr_session *session; /**< where it is in one */
	struct mr_device device;    /**< its own, or the session's, imported; or none */
	const struct mr_environment *environment;
	struct mr_uverbs uverbs;
	struct mr_registrar registrar;
	enum mr_region_kind kind; /**< what is to be registered */
	const char *pd;    /**< name of the protection domain; NULL for umems, which need none */
	uint32_t pd_place; /**< in the session's table; MR_TABLE_PDS: none */
};

/**
 * place_open() - open the device or join the session, and choose PD and path
 * @place: all zeros
 * @own:  must stay until place_close()
 * @kind: what is to be registered; umems need a DEVX context and no PD
 * @pd:  name of the protection domain, or NULL; made where there is none
 * @via: the path that --via asks for; not given: what suits
 *
 * The path of choice is the library's, wherever the provider can import a session's device: what
 * libibverbs does is what the user asks about.  For umems in a session also wherever libmlx5 tells
 * their handles, without which nobody could deregister them later.
 */
int place_open(struct place *place, struct context_room *own, const struct invocation *invocation,
	       enum mr_region_kind kind, const char *pd, struct via_option via,
	       struct mr_error *err);
void place_close(struct place *place);

/** place_leave_pd() - nothing more is registered: the protection domain may be deallocated */
void place_leave_pd(const struct place *place);

#endif
