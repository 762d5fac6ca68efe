/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How rereg answers: the region before and after the change, or the refusal. */
#ifndef CMD_REREG_ANSWER_H
#define CMD_REREG_ANSWER_H

#include "cmd/cli/option_types.h"
#include "cmd/region/in_session.h"
#include "cmd/region/memory_args.h"
#include "lib/session/rereg.h"
#include "lib/verbs/device.h"

struct rereg_args {
	struct memory_args memory;
	struct mr_opt_u64 iova;
	struct access_option access;
	struct access_option flags; /**< enum mr_change, and bits that are none */
	const char *pd;
	struct via_option via;
	struct expect_option expect;
};

/** One run of rereg. */
struct rereg_job {
	struct session_job *in;
	const struct rereg_args *args;
	enum mr_via via;
	uint32_t slot;    /**< or MR_NO_SLOT: no entry names the region */
	uint32_t pd_slot; /**< of the call's PD in the session's table; MR_TABLE_PDS: none */
	struct mr_entry before;
	struct mr_entry after;
	struct mr_device device;
	struct mr_registrar registrar;
	struct memory_plan plan;
	struct mr_memory memory;
	struct mr_rereg_request request;
	struct mr_rereg_failure failure;
};

/** rereg_refuse() - report a refusal, with what was asked for */
void rereg_refuse(struct rereg_job *job, struct mr_error *err);

/** rereg_print() - print the document but for its end; @changed: the region was changed */
void rereg_print(struct rereg_job *job, bool changed);

#endif
