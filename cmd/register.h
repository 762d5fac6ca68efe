/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the registering commands share: options, the trial or hold, and the report. */
#ifndef REGISTER_H
#define REGISTER_H

#include "command.h"
#include "fields.h"
#include "memory_args.h"
#include "region.h"

/** First member of a registering command's args. */
struct register_args {
	struct memory_args memory;
	struct access_option access;
	const char *name;
	const char *pd;
	const char *via;
	bool hold;
	struct mr_opt_u64 hold_for;
	struct expect_option expect;
	bool keep_going;
};

/** Groups of options that fill a struct register_args at offset 0. */
extern const struct option_group memory_group, region_group, trial_group;

/**
 * register_run() - register what @args describe, report, and deregister
 * @call: which call
 * @iova: of the first region, for MR_REG_MR_IOVA
 *
 * Return: exit status; a negative errno with @err set where nothing was tried.
 */
int register_run(const struct invocation *invocation, const struct register_args *args,
		 enum mr_region_call call, uint64_t iova, struct mr_error *err);

#endif
