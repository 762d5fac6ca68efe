/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the parts of trace. */
#ifndef CMD_TRACE_TRACE_H
#define CMD_TRACE_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/trace/trace.h"

/** Files that a trace writes. */
enum {
	CALLS_FILE,      /**< each call as a line of JSON */
	REPRODUCED_FILE, /**< the batch that is refused in the same way */
	SUMMARY_FILE,    /**< the summary, in the place of standard error */
	TRACE_FILES,
};

/** The options of mrctl trace. */
struct trace_args {
	struct mr_opt_u64 pid; /**< of a program that runs already */
	const char *paths[TRACE_FILES];
	bool force; /**< overwrite files that exist */
	bool refused_only;
	bool calls; /**< the summary has a table of the calls */
	bool stacks;
	bool live;
	bool leaks;
	bool expect_none_refused;
};

/** A program that was not followed. */
struct not_followed {
	struct mr_opt_u64 pid;
	char program[MR_TRACE_PATH];
	const char *reason;
};

/** A run of mrctl trace, and the row of its document. */
struct trace_job {
	const struct invocation *invocation;
	const struct trace_args *args;
	FILE *files[TRACE_FILES]; /**< or NULL */
	int calls_errnum;         /**< of the first call that could not be written; or 0 */
	uint64_t start_ns;
	struct mr_follow follow;
	int status;                      /**< of the program, as of wait(2) */
	const char *attached_program[2]; /**< of --pid: its path, and NULL */
	/** With --pid: the regions that the kernel lists at the end; unknown: it does not, or the process has ended */
	struct mr_opt_u64 now_regions, now_bytes;
	struct not_followed *not_followed;
	size_t not_followed_count;
	/* By trace_sum(): */
	const char *const *program, *const *libraries;
	struct mr_opt_u64 exit_status, signal;
	uint64_t registered, registered_bytes, leaked, leaked_bytes, unseen;
	bool is_over;  /**< the sums are known */
	bool is_whole; /**< the program was also followed from its beginning */
	bool complete, simulated;
};

/** A call of a traced program, as records and lines have it. */
struct call_row {
	struct mr_opt_u64 at_ns;
	struct mr_opt_u64 pid, tid;
	const char *call;
	const char *device;
	const char *answer;
	struct mr_opt_u64 errno_value;
	struct mr_opt_u64 addr, offset, length, iova;
	struct mr_opt_u64 access;
	struct mr_opt_u64 page_sizes;
	struct mr_opt_u64 fd;
	struct mr_opt_u64 flags;
	struct mr_opt_u64 lkey, rkey, handle;
	struct mr_opt_u64 object, pd;
	struct mr_opt_u64 elapsed_ns;
	const char *place;
	const char *const *stack;
	enum mr_tristate kernel_asked;
	const char *memory;
	const char *layer;
	struct list causes;
};

extern const struct record call_record;

/**
 * call_row_fill() - fill all but the time and the stack; @row refers to what the others have
 * @look, @why: what was found out, and that of its diagnosis; or NULL
 */
void call_row_fill(struct call_row *row, pid_t pid, const char *place,
		   const struct mr_trace_record *call, const struct mr_look *look,
		   const struct why *why);

/** A row of the summary's table of calls. */
extern const struct record trace_call_record;
/** Members of its document; ends with one without key. */
extern const struct field trace_members[];

/** trace_sum() - complete the row when the program has ended */
void trace_sum(struct trace_job *job);

/** trace_obstacle_text() - why a program cannot be followed: "it is linked statically" */
const char *trace_obstacle_text(uint32_t obstacle);

/** summary_print() - print the summary, on standard error or in its file, which stays open.  Return: 0, or -errno */
int summary_print(struct trace_job *job, struct mr_error *err);

#endif
