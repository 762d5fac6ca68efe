/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options that the registering commands share. */
#ifndef CMD_REGISTER_ARGS_H
#define CMD_REGISTER_ARGS_H

#include "cmd/cli/option_types.h"
#include "cmd/region/memory_args.h"
#include "lib/memory/memory.h"
#include "lib/verbs/verbs.h"

/** Advice to give about the regions once they are registered. */
struct advise_args {
	struct mr_advice advice;
	struct mr_opt_u64 offset; /**< bytes from the start of a region to the advised range */
	struct mr_opt_u64 size;   /**< bytes of that range; unknown: to the end of the region */
};

/** What the shared options fill: the first member of the struct of each registering command. */
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
	bool export; /**< of mrctl umem: print the blob by which others import the umem */
};

/** Groups of options that fill a struct register_args at offset 0. */
extern const struct option_group memory_group, region_group, call_group, umem_group, lifetime_group;
extern const struct option_group advise_group;

/** Rules for the options of lifetime_group. */
#define LIFETIME_RULES                                                                             \
	{ "hold", OPTION_EXCLUDES, "hold-for" },                                                   \
	{                                                                                          \
		"keep-going", OPTION_NEEDS, "count"                                                \
	}

/** Rules for the options of lifetime_group and advise_group, as rows and as a table. */
#define REGISTER_RULES                                                                             \
	LIFETIME_RULES, { "advise-offset", OPTION_NEEDS, "advise" },                               \
	{                                                                                          \
		"advise-size", OPTION_NEEDS, "advise"                                              \
	}
extern const struct option_rule register_rules[];

/** Options for the dma-buf that regions are on, of each command that registers such regions. */
struct dmabuf_args {
	struct mr_dmabuf_source source;
	struct mr_opt_u64 buffer; /**< bytes of the dma-buf to make */
};

/** The help of an option that fills @buffer. */
#define DMABUF_BUFFER_HELP "bytes of the dma-buf (default: as needed)"

#endif
