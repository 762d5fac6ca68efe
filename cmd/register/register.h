/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the registering commands share: options, the trial or hold, and the report. */
#ifndef CMD_REGISTER_REGISTER_H
#define CMD_REGISTER_REGISTER_H

#include "cmd/cli/command.h"
#include "cmd/cli/option_types.h"
#include "cmd/output/fields.h"
#include "cmd/region/memory_args.h"
#include "lib/memory/dmabuf.h"
#include "lib/verbs/advice.h"
#include "lib/verbs/calls.h"
#include "lib/verbs/dm.h"

/** What is to be told about the regions once they are registered. */
struct advise_args {
	struct mr_advice advice;
	struct mr_opt_u64 offset;
	struct mr_opt_u64 size;
};

/** First member of a registering command's args. */
struct register_args {
	struct memory_args memory;
	struct access_option access;
	const char *name;
	const char *pd;
	struct via_option via;
	const char *call;
	bool hold;
	struct mr_opt_u64 hold_for;
	struct expect_option expect;
	bool keep_going;
	struct advise_args advise;
	bool export; /**< of umems, through libmlx5 */
	/** Of the calls for dma-bufs, else NULL; the memory is of kind NONE then, with its text. */
	const struct mr_dmabuf_request *dmabuf;
	/** Of memory on the device, else NULL; the same holds for the memory. */
	const struct mr_dm_request *dm;
};

/** Groups of options that fill a struct register_args at offset 0. */
extern const struct option_group memory_group, region_group, call_group, umem_group, trial_group;
extern const struct option_group advise_group;

/** What the options of trial_group and advise_group say about one another. */
#define REGISTER_RULES                                                                             \
	{ "hold", OPTION_EXCLUDES, "hold-for" },                                                   \
	{                                                                                          \
		"keep-going", OPTION_NEEDS, "count"                                                \
	}
#define ADVISE_RULES                                                                               \
	{ "advise-offset", OPTION_NEEDS, "advise" },                                               \
	{                                                                                          \
		"advise-size", OPTION_NEEDS, "advise"                                              \
	}

/** register_access() - the access flags that @args ask for */
uint32_t register_access(const struct register_args *args);

/**
 * register_check() - of command.h, for a command whose args begin with a struct register_args
 * @call: that of the command, without --call
 */
int register_check(const struct invocation *invocation, enum mr_region_call call,
		   struct mr_error *err);

/**
 * register_choose_call() - the call that --call asks for
 * @call: that of the command; changed where it is to be another one
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int register_choose_call(const struct register_args *args, enum mr_region_call *call,
			 struct mr_error *err);

/**
 * register_run() - register what @args describe, report, and deregister
 * @pattern: which call, and what belongs to it alone; the IOVA is that of the first region
 *
 * Return: exit status; a negative errno with @err set where nothing was tried.
 */
int register_run(const struct invocation *invocation, const struct register_args *args,
		 const struct mr_region_request *pattern, struct mr_error *err);

#endif
