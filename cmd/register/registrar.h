/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a registering command works: on a device of its own, or in a session. */
#ifndef CMD_REGISTER_REGISTRAR_H
#define CMD_REGISTER_REGISTRAR_H

#include "cmd/cli/command.h"
#include "lib/session/regions.h"
#include "lib/verbs/device.h"

/** Room for what a command opens and finds out for itself; a batch has that for its lines. */
struct place_own {
	struct mr_session session;
	struct mr_environment environment;
};

struct place {
	const struct global_args *global;
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
 * place_session() - where the session is
 * Return: the word for it from --session or MRCTL_SESSION, or NULL outside of one.  Lines of a batch
 * work in that of the batch.
 */
const char *place_session(const struct global_args *global);

/**
 * place_open_session() - join the session
 * @own: room for it
 *
 * Return: @own, or for a line of a batch the batch's; NULL with an error, outside of a session with
 * MR_ERROR_ABSENT.
 */
struct mr_session *place_open_session(const struct global_args *global, struct mr_session *own,
				      struct mr_error *err);

/** place_leave_session() - what place_open_session() has joined */
void place_leave_session(const struct global_args *global, struct mr_session *session);

/**
 * place_describe() - the environment of an open session
 * @own: room for it
 *
 * Return: @own, or for a line of a batch the batch's.
 */
const struct mr_environment *place_describe(const struct global_args *global,
					    const struct mr_session *session,
					    struct mr_environment *own);

/**
 * place_block_signals() - mr_hold_block(), so that a region is either there and known or not
 *
 * For a line of a batch they are blocked already.
 */
void place_block_signals(const struct global_args *global);

/**
 * place_interrupted() - mr_interrupted()
 * @first: before the first region; for a line of a batch that has been asked for already
 */
bool place_interrupted(const struct global_args *global, bool first);

/**
 * place_paths() - the paths that --via allows
 * @via: as of OPTION_VIA, or NULL for both
 */
void place_paths(const char *via, bool *library, bool *kernel);

/**
 * place_open() - open the device or join the session, and choose PD and path
 * @place: all zeros
 * @own:  must stay until place_close()
 * @kind: what is to be registered; umems need a DEVX context and no PD
 * @pd:  name of the protection domain, or NULL; made where there is none
 * @via: "library", "kernel", or NULL for what suits
 *
 * The path of choice is the library's, wherever the provider can import a session's device: what
 * libibverbs does is what the user asks about.  For umems in a session also wherever libmlx5 tells
 * their handles, without which nobody could deregister them later.
 */
int place_open(struct place *place, struct place_own *own, const struct global_args *global,
	       enum mr_region_kind kind, const char *pd, const char *via, struct mr_error *err);
void place_close(struct place *place);

/** place_leave_pd() - nothing more is registered: the protection domain may be deallocated */
void place_leave_pd(const struct place *place);

#endif
