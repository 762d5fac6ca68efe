/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What mrctl trace has seen. */
#ifndef CMD_TRACE_RESULT_H
#define CMD_TRACE_RESULT_H

#include "cmd/output/output.h"
#include "lib/trace/trace.h"

/** A program that was not followed. */
struct not_followed {
	struct mr_opt_u64 pid;
	char program[MR_TRACE_PATH];
	const char *reason;
};

struct trace_result {
	struct mr_follow follow;
	int status;                      /**< of the program, as of wait(2) */
	const char *attached_program[2]; /**< of --pid: its path, and NULL */
	/** Of --pid: what the kernel lists as registered at the end; not known: it does not, or the process has ended */
	struct mr_opt_u64 now_regions, now_bytes;
	struct not_followed *not_followed;
	size_t not_followed_count;
};

#endif
