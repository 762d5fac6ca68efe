/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A call of a traced program, as records and lines have it. */
#ifndef CMD_TRACE_CALL_ROW_H
#define CMD_TRACE_CALL_ROW_H

#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/trace/trace.h"

struct call_row {
	struct mr_opt_u64 at_ns;
	struct mr_opt_u64 pid, tid;
	const char *call;
	const char *device;
	const char *answer;
	struct mr_opt_u64 errno_value;
	struct mr_opt_u64 addr, offset, length, iova;
	struct mr_opt_u64 access, access_bits;
	struct mr_opt_u64 page_sizes;
	struct mr_opt_u64 fd;
	struct mr_opt_u64 flags;
	struct mr_opt_u64 lkey, rkey, handle;
	struct mr_opt_u64 object, pd;
	struct mr_opt_u64 elapsed_ns;
	const char *place;
	const char *const *stack;
	struct opt_bool kernel_asked;
	const char *memory;
	const char *layer;
	struct list causes;
	const char *frames[MR_TRACE_FRAMES + 1]; /**< of stack */
};

extern const struct record call_record;

/** What a row is made of. */
struct call_facts {
	struct mr_traced_process *process;
	const struct mr_traced_record *record;
	struct mr_site *site;
	const struct mr_look *look; /**< or NULL */
	const struct why *why;      /**< of its diagnosis; or NULL */
	bool has_stack;             /**< the callers are asked for */
	uint64_t start_ns;          /**< of the trace, as mr_now_ns() counts */
};

/** call_row_fill() - @row refers to what @facts has */
void call_row_fill(struct call_row *row, const struct call_facts *facts);

#endif
