/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of the summary of mrctl trace. */
#ifndef CMD_TRACE_ROWS_H
#define CMD_TRACE_ROWS_H

#include "cmd/cli/cli.h"
#include "cmd/region/region.h"
#include "cmd/trace/result.h"

extern const struct record trace_record, trace_call_record, trace_refusal_record, trace_leak_record,
	not_followed_record;

/** The trace as a whole. */
struct trace_row {
	const char *const *program;
	struct mr_opt_u64 exit_status, signal;
	struct mr_opt_u64 pid;
	struct mr_opt_u64 processes;
	struct mr_opt_u64 registered, registered_bytes;
	struct mr_opt_u64 most_regions, most_bytes;
	struct mr_opt_u64 now_regions, now_bytes;
	struct mr_opt_u64 refused;
	struct mr_opt_u64 leaked, leaked_bytes;
	struct mr_opt_u64 unseen;
	bool complete;
	bool simulated;
	const char *const *libraries;
};

/** The calls of one name. */
struct trace_call_row {
	const char *call;
	struct mr_opt_u64 calls, refused, bytes;
	struct mr_opt_u64 elapsed_ns, slowest_ns, slowest_bytes;
};

/** A kind of refusal. */
struct trace_refusal_row {
	const char *call;
	const char *errno_name;
	struct mr_opt_u64 errno_value, count, looked_at;
	struct mr_opt_u64 pid;
	const char *program, *place, *device;
	struct mr_opt_u64 addr, offset, length, iova, access, access_bits;
	const char *memory;
	const char *const *stack;
	const char *layer;
	struct list causes, ruled_out;
	struct why *why; /**< for why_release(); NULL: the process was not looked at */
};

/** What was never deregistered. */
struct trace_leak_row {
	const char *program, *place, *call;
	struct mr_opt_u64 regions, bytes;
	const char *const *stack;
};

void trace_row_fill(struct trace_row *row, const struct invocation *invocation,
		    const struct trace_result *result);
void trace_call_row_fill(struct trace_call_row *row, const struct mr_follow *follow, uint32_t call);

/** trace_refusal_row_fill() - why_release() its member why */
void trace_refusal_row_fill(struct trace_refusal_row *row, const struct mr_refusal_kind *kind);
void trace_leak_row_fill(struct trace_leak_row *row, const struct mr_leak *leak);

/** trace_obstacle_text() - why a program cannot be followed: "it is linked statically" */
const char *trace_obstacle_text(uint32_t obstacle);

#endif
