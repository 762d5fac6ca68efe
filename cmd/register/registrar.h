/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a command registers with: a device of its own or the session's, the protection domain, and the path of
 * the calls.
 */
#ifndef CMD_REGISTER_REGISTRAR_H
#define CMD_REGISTER_REGISTRAR_H

#include "cmd/cli/command.h"
#include "cmd/cli/option_types.h"
#include "cmd/region/context.h"
#include "lib/session/session.h"
#include "lib/verbs/device.h"

/** What a command needs a registrar for. */
struct registrar_request {
	const struct invocation *invocation;
	enum mr_region_kind kind; /**< what is to be registered; umems need DEVX, and no PD */
	const char *pd; /**< name of the PD, allocated if there is none; NULL: MR_DEFAULT_PD */
	struct via_option via;
	bool dmah;    /**< with a DMA handle */
	bool untimed; /**< this command shows no times: those of its own device need not be taken */
	struct context_room *room; /**< must stay until registrar_close() */
};

/** An open registrar. */
struct registrar {
	const struct invocation *invocation;
	bool in_session;
	struct mr_session *session; /**< if @in_session */
	struct mr_device device;    /**< its own, or the session's, imported; or none */
	const struct mr_environment *environment;
	struct mr_uverbs uverbs;
	struct mr_registrar base; /**< for the calls themselves */
	enum mr_region_kind kind; /**< what is to be registered */
	bool dmah;                /**< with a DMA handle */
	const char *pd;           /**< name of the PD; NULL for umems, which need none */
	uint32_t pd_slot;         /**< of the PD in the session's table; MR_TABLE_PDS: none */
	bool made_pd;             /**< this command has allocated it, and is not known to use it */
};

/**
 * registrar_open() - open the device or join the session, and choose PD and path
 * @registrar: all zeros; registrar_close() it in either case
 *
 * Without --via the path is the library's wherever it can serve: what libibverbs does is what the user asks
 * about.  In a session it can serve if the provider can import the session's device, and for umems only if
 * libmlx5 reports their handles, without which no later command could deregister them.  No library reports
 * those of DMA handles.
 *
 * Return: 0 or -errno.
 */
int registrar_open(struct registrar *registrar, const struct registrar_request *request,
		   struct mr_error *err);

/** registrar_is_open() - whether registrar_open() got as far as to open a device */
static inline bool registrar_is_open(const struct registrar *registrar)
{
	return registrar->base.uverbs || registrar->base.context;
}

/** registrar_is_own() - whether the device's file is this process's alone: no session outlives this process */
static inline bool registrar_is_own(const struct registrar *registrar)
{
	return !registrar->in_session || mr_session_is_private(registrar->session);
}

/** registrar_close() - close the device, and leave the session */
void registrar_close(struct registrar *registrar);

/**
 * registrar_leave_pd() - let the PD be deallocated: this command registers nothing more in it
 * @is_used: something was registered; else a PD that was allocated for it is deallocated
 */
void registrar_leave_pd(struct registrar *registrar, bool is_used);

#endif
