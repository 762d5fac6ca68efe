/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The types of options, for OPTION(): each is the type of the member that the option fills, and a row
 * of cmd/cli/option_types.c.
 */
#ifndef CMD_CLI_OPTION_TYPES_H
#define CMD_CLI_OPTION_TYPES_H

#include "cmd/cli/options.h"
#include "lib/base/number.h"
#include "lib/verbs/calls.h"

struct access_option {
	uint32_t bits;
	bool given;
};

/** The path that --via asks for. */
struct via_option {
	enum mr_via path;
	bool given;
};

/** via_allows() - whether a call may go that path */
static inline bool via_allows(struct via_option option, enum mr_via path)
{
	return !option.given || option.path == path;
}

/** Answers of the stack that a script expects. */
struct expect_option {
	bool given;
	bool ok;
	uint64_t errnums[9]; /**< one bit for each errno */
};

/** Nothing. */
#define OPTION_FLAG bool, option_type_flag
/** Any text. */
#define OPTION_STRING const char *, option_type_string
/** Names of columns, looked up where they are printed. */
#define OPTION_COLUMNS const char *, option_type_columns
/** The name of a path to the kernel: library or kernel. */
#define OPTION_VIA struct via_option, option_type_via
/** A region's name. */
#define OPTION_NAME const char *, option_type_name
/** Bytes, with an IEC suffix. */
#define OPTION_SIZE struct mr_opt_u64, option_type_size
/** 64 bits, decimal or hexadecimal. */
#define OPTION_NUMBER struct mr_opt_u64, option_type_number
/** Kept in nanoseconds. */
#define OPTION_SECONDS struct mr_opt_u64, option_type_seconds
/** Access flags. */
#define OPTION_ACCESS struct access_option, option_type_access
/** What rereg is to change, as flags. */
#define OPTION_CHANGES struct access_option, option_type_changes
/** Page sizes, a bit for each. */
#define OPTION_PAGES struct mr_opt_u64, option_type_pages
/** A kind of memory. */
#define OPTION_MEMORY struct mr_memory_kind, option_type_memory
/** A source of a dma-buf. */
#define OPTION_DMABUF struct mr_dmabuf_source, option_type_dmabuf
/** Advice about a region. */
#define OPTION_ADVICE struct mr_advice, option_type_advice
/** "ok" and names of errnos. */
#define OPTION_EXPECT struct expect_option, option_type_expect
/** A kind of simulated device. */
#define OPTION_PROFILE enum mr_sim_profile, option_type_profile
/** A simulated kernel. */
#define OPTION_KERNEL enum mr_sim_kernel, option_type_kernel
/** Faults of the simulated device. */
#define OPTION_FAULTS struct mr_sim_faults, option_type_faults

extern const struct option_type option_type_flag, option_type_string, option_type_columns,
	option_type_via, option_type_name, option_type_size, option_type_number,
	option_type_seconds, option_type_access, option_type_changes, option_type_pages,
	option_type_memory, option_type_dmabuf, option_type_advice, option_type_expect,
	option_type_profile, option_type_kernel, option_type_faults;

#endif
