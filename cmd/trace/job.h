/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of mrctl trace, and what it does while the program runs. */
#ifndef CMD_TRACE_JOB_H
#define CMD_TRACE_JOB_H

#include <stdio.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/trace/args.h"
#include "cmd/trace/result.h"

struct trace_job {
	const struct invocation *invocation;
	const struct trace_args *args;
	FILE *calls, *reproduction, *summary; /**< of -o, --reproduce and --summary; or NULL */
	int calls_errnum; /**< of the first call that could not be written; or 0 */
	struct json_rows call_texts;
	uint64_t start_ns;
	bool out_of_memory; /**< a call could not be written */
	struct trace_result result;
};

/** trace_job_sink() - who is told of calls: -o, --live, and what cannot be followed */
struct mr_trace_sink trace_job_sink(struct trace_job *job);

/** trace_note_not_followed() - say that a program cannot be followed, and why; @pid: 0 before it runs */
void trace_note_not_followed(struct trace_job *job, pid_t pid, const char *path, uint32_t obstacle);

#endif
