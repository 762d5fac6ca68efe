/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The types of options.  OPTION() takes a type by its name, such as "flag".  A type has two parts:
 * OPTION_CTYPE_flag is the type of the member that such an option fills, and option_type_flag is a row of
 * cmd/cli/option_types.c.
 */
#ifndef CMD_CLI_OPTION_TYPES_H
#define CMD_CLI_OPTION_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/cli/expect_option.h"
#include "cmd/cli/option_table.h"
#include "cmd/output/output.h"
#include "lib/base/base.h"
#include "lib/memory/memory.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

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

/** The DMA handle that --dmah asks for. */
struct dmah_option {
	struct mr_dmah_hints hints;
	const char *text; /**< as it was typed; NULL: none is asked for */
};

/** The format that --format asks for. */
struct format_option {
	enum output_format format;
	bool given;
};

/** The format of a report. */
enum report_format { REPORT_MARKDOWN, REPORT_JSON };

/** Memory that is planned, and need not be here. */
struct planned_memory {
	struct mr_memory_kind kind;
	bool is_gpu; /**< it is that of a GPU, and no kind */
};

struct mr_cause;

/** From which verdict of a check on the exit status is 1. */
enum fail_on { FAIL_ON_BAD, FAIL_ON_WARN };

/** How deep the causes of a refusal are looked for. */
enum why_depth {
	WHY_READ,  /**< look only */
	WHY_TRY,   /**< repeat the call with one thing changed at a time */
	WHY_PROVE, /**< watch the kernel refuse */
	WHY_NONE,  /**< do not look */
	WHY_DEPTHS,
};

/** The names of the depths. */
extern const struct mr_word why_depths[WHY_DEPTHS + 1];

/** Whose exit statuses checks have. */
enum exit_style {
	EXIT_STYLE_PLAIN,
	EXIT_STYLE_NAGIOS, /**< a plugin of Nagios */
	EXIT_STYLE_NPD,    /**< a custom plugin of Kubernetes' node-problem-detector */
};

/** No value: the member becomes true. */
#define OPTION_CTYPE_flag bool
/** Any text. */
#define OPTION_CTYPE_string const char *
/** Names of columns, looked up where they are printed. */
#define OPTION_CTYPE_columns const char *
/** The name of a path to the kernel: library or kernel. */
#define OPTION_CTYPE_via struct via_option
/** A region's name. */
#define OPTION_CTYPE_name const char *
/** Bytes, with an IEC suffix. */
#define OPTION_CTYPE_size struct mr_opt_u64
/** 64 bits, decimal or hexadecimal. */
#define OPTION_CTYPE_number struct mr_opt_u64
/** Seconds, kept in nanoseconds. */
#define OPTION_CTYPE_seconds struct mr_opt_u64
/** Access flags. */
#define OPTION_CTYPE_access struct access_option
/** What rereg is to change, as flags. */
#define OPTION_CTYPE_changes struct access_option
/** Page sizes, a bit for each. */
#define OPTION_CTYPE_pages struct mr_opt_u64
/** The name of a format that records are printed in. */
#define OPTION_CTYPE_format struct format_option
/** The name of the format of a report. */
#define OPTION_CTYPE_report_format enum report_format
/** A kind of memory. */
#define OPTION_CTYPE_memory struct mr_memory_kind
/** A kind of memory, or "cuda:N". */
#define OPTION_CTYPE_planned_memory struct planned_memory
/** A source of a dma-buf. */
#define OPTION_CTYPE_dmabuf struct mr_dmabuf_source
/** Advice about a region. */
#define OPTION_CTYPE_advice struct mr_advice
/** What a DMA handle is for. */
#define OPTION_CTYPE_dmah struct dmah_option
/** "ok", names of errnos, and those with the id of a cause: "ENOMEM:MR-MEMLOCK". */
#define OPTION_CTYPE_expect struct expect_option
/** A kind of simulated device. */
#define OPTION_CTYPE_profile enum mr_sim_profile
/** A simulated kernel. */
#define OPTION_CTYPE_kernel enum mr_sim_kernel
/** Faults of the simulated device. */
#define OPTION_CTYPE_faults struct mr_sim_faults
/** Limits of this process: "memlock=64K". */
#define OPTION_CTYPE_limits struct mr_limits
/** A verdict of checks. */
#define OPTION_CTYPE_fail_on enum fail_on
/** How deep the causes of a refusal are looked for. */
#define OPTION_CTYPE_why enum why_depth
/** A style of exit statuses. */
#define OPTION_CTYPE_exit_style enum exit_style

extern const struct option_type option_type_flag, option_type_string, option_type_columns,
	option_type_via, option_type_name, option_type_size, option_type_number,
	option_type_seconds, option_type_format, option_type_access, option_type_changes,
	option_type_pages, option_type_memory, option_type_planned_memory, option_type_dmabuf,
	option_type_advice, option_type_dmah, option_type_expect, option_type_profile,
	option_type_kernel, option_type_faults, option_type_limits, option_type_fail_on,
	option_type_exit_style, option_type_why, option_type_report_format;

#endif
