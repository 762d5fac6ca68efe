/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One run of rereg: its options, the region before and after the change, and what the call is given. */
#ifndef CMD_REREG_JOB_H
#define CMD_REREG_JOB_H

#include "cmd/cli/option_types.h"
#include "cmd/region/in_session.h"
#include "cmd/region/memory_args.h"
#include "lib/session/changes.h"
#include "lib/verbs/device.h"

/** What the options of rereg fill. */
struct rereg_args {
	struct memory_args memory;
	struct mr_opt_u64 iova;
	struct access_option access;
	struct access_option flags; /**< enum mr_change, or any other bits */
	const char *pd;
	struct via_option via;
	struct expect_option expect;
};

/** One run of rereg. */
struct rereg_job {
	struct session_job *in; /**< the session and the answer */
	const struct rereg_args *args;
	enum mr_via via;
	uint32_t slot;    /**< of the region; MR_NO_SLOT: no entry names it */
	uint32_t pd_slot; /**< of the call's PD in the session's table; MR_TABLE_PDS: none */
	bool made_pd;     /**< this command has allocated it */
	struct mr_entry before;
	struct mr_entry after;
	struct mr_device device;
	struct mr_registrar registrar;
	struct memory_plan plan;
	struct mr_memory memory;
	struct mr_rereg_request request;
	struct mr_rereg_failure failure;
};

#endif
