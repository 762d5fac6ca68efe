// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <sys/wait.h>

#include "cmd/trace/args.h"
#include "cmd/trace/rows.h"
#include "lib/base/base.h"
#include "lib/simulator/enter.h"
#include "lib/trace/trace.h"

static const struct field trace_fields[] = {
	FIELD(struct trace_row, program, FIELD_WORDS, 0, "the command line that was run"),
	FIELD(struct trace_row, exit_status, FIELD_NUMBER, 0, "of the program"),
	FIELD(struct trace_row, signal, FIELD_NUMBER, 0, "that ended the program"),
	FIELD(struct trace_row, pid, FIELD_NUMBER, 0, "with --pid: the process"),
	FIELD(struct trace_row, processes, FIELD_NUMBER, 0, "that were followed"),
	FIELD(struct trace_row, registered, FIELD_NUMBER, 0, "calls that registered a region"),
	FIELD(struct trace_row, registered_bytes, FIELD_NUMBER, 0, "sum of their lengths"),
	FIELD(struct trace_row, most_regions, FIELD_NUMBER, 0, "registered at once"),
	FIELD(struct trace_row, most_bytes, FIELD_NUMBER, 0, "registered at once"),
	FIELD(struct trace_row, now_regions, FIELD_NUMBER, 0,
	      "with --pid: that the kernel lists for the process at the end"),
	FIELD(struct trace_row, now_bytes, FIELD_NUMBER, 0, "with --pid: sum of their lengths"),
	FIELD(struct trace_row, refused, FIELD_NUMBER, 0, "calls that were refused"),
	FIELD(struct trace_row, leaked, FIELD_NUMBER, 0,
	      "regions that were registered when their process ended"),
	FIELD(struct trace_row, leaked_bytes, FIELD_NUMBER, 0, "sum of their lengths"),
	FIELD(struct trace_row, unseen, FIELD_NUMBER, 0,
	      "calls that were made while mrctl did not answer; they count nowhere else"),
	FIELD(struct trace_row, complete, FIELD_BOOL, 0,
	      "whether all calls of all programs were seen"),
	FIELD(struct trace_row, simulated, FIELD_BOOL, 0, "whether the device is simulated"),
	FIELD(struct trace_row, libraries, FIELD_WORDS, FIELD_PROSE,
	      "paths of the libraries of RDMA, communication and GPUs that the processes had mapped"),
	FIELD_END,
};
REPORTED const struct record trace_record = { "trace", trace_fields, NULL };

static const struct field call_fields[] = {
	FIELD(struct trace_call_row, call, FIELD_STRING, FIELD_PUBLIC, "name of the call"),
	FIELD(struct trace_call_row, calls, FIELD_NUMBER, 0, "how often it was made"),
	FIELD(struct trace_call_row, refused, FIELD_NUMBER, 0, "how often it was refused"),
	FIELD(struct trace_call_row, bytes, FIELD_NUMBER, 0,
	      "sum of the lengths of those that succeeded"),
	FIELD(struct trace_call_row, elapsed_ns, FIELD_NUMBER, FIELD_DURATION,
	      "time that all took"),
	FIELD(struct trace_call_row, slowest_ns, FIELD_NUMBER, FIELD_DURATION,
	      "time that the slowest one took"),
	FIELD(struct trace_call_row, slowest_bytes, FIELD_NUMBER, FIELD_DETAIL,
	      "length of that one"),
	FIELD_END,
};
REPORTED const struct record trace_call_record = { "trace_call", call_fields, "calls" };

static const struct field refusal_fields[] = {
	FIELD(struct trace_refusal_row, call, FIELD_STRING, FIELD_PUBLIC, "the call"),
	FIELD_AS("errno", struct trace_refusal_row, errno_name, FIELD_STRING, FIELD_PUBLIC,
		 "name of the errno"),
	FIELD(struct trace_refusal_row, errno_value, FIELD_NUMBER, 0, "number of the errno"),
	FIELD(struct trace_refusal_row, count, FIELD_NUMBER, 0, "how often it was refused so"),
	FIELD(struct trace_refusal_row, looked_at, FIELD_NUMBER, 0,
	      "how often the cause was looked for; of the others it is taken to be the same"),
	FIELD(struct trace_refusal_row, pid, FIELD_NUMBER, 0, "process of the first one"),
	FIELD(struct trace_refusal_row, program, FIELD_STRING, 0, "program of that process"),
	FIELD(struct trace_refusal_row, place, FIELD_STRING, 0, "place that made that call"),
	FIELD(struct trace_refusal_row, device, FIELD_STRING, 0, "RDMA device"),
	FIELD(struct trace_refusal_row, addr, FIELD_HEX, 0, "address of the first byte"),
	FIELD(struct trace_refusal_row, offset, FIELD_NUMBER, 0, "first byte in the dma-buf or DM"),
	FIELD(struct trace_refusal_row, length, FIELD_NUMBER, 0, "bytes"),
	FIELD(struct trace_refusal_row, iova, FIELD_HEX, 0,
	      "address of the first byte for the HCA"),
	FIELD(struct trace_refusal_row, access, FIELD_ACCESS, 0,
	      "access flags that were asked for"),
	FIELD(struct trace_refusal_row, access_bits, FIELD_HEX, 0, "the same as a mask"),
	FIELD(struct trace_refusal_row, memory, FIELD_STRING, FIELD_MEMORY,
	      "kind of memory of mrctl that is like the range"),
	FIELD(struct trace_refusal_row, stack, FIELD_WORDS, FIELD_PROSE,
	      "with --leaks or --stacks: that place and its callers, the innermost first"),
	FIELD(struct trace_refusal_row, layer, FIELD_STRING, FIELD_PUBLIC, "layer that refused"),
	FIELD(struct trace_refusal_row, causes, FIELD_LIST, 0, "causes, the most certain first"),
	FIELD(struct trace_refusal_row, ruled_out, FIELD_LIST, 0,
	      "causes that the evidence excludes"),
	FIELD_END,
};
REPORTED const struct record trace_refusal_record = { "trace_refusal", refusal_fields, "refusals" };

static const struct field leak_fields[] = {
	FIELD(struct trace_leak_row, program, FIELD_STRING, 0, "program that registered it"),
	FIELD(struct trace_leak_row, place, FIELD_STRING, 0, "place that made the call"),
	FIELD(struct trace_leak_row, call, FIELD_STRING, FIELD_PUBLIC, "the call"),
	FIELD(struct trace_leak_row, regions, FIELD_NUMBER, 0, "how many"),
	FIELD(struct trace_leak_row, bytes, FIELD_NUMBER, 0, "sum of their lengths"),
	FIELD(struct trace_leak_row, stack, FIELD_WORDS, FIELD_PROSE,
	      "with --leaks or --stacks: that place and its callers, the innermost first"),
	FIELD_END,
};
REPORTED const struct record trace_leak_record = { "trace_leak", leak_fields, "leaks" };

static const struct field not_followed_fields[] = {
	FIELD(struct not_followed, pid, FIELD_NUMBER, 0, "process that ran it"),
	FIELD(struct not_followed, program, FIELD_TEXT, 0, "path of the program"),
	FIELD(struct not_followed, reason, FIELD_STRING, FIELD_PROSE, "why it cannot be followed"),
	FIELD_END,
};
REPORTED const struct record not_followed_record = { "not_followed", not_followed_fields,
						     "not_followed" };

/* mrctl may run on the simulated HCA itself, or the program may enter it. */
static bool is_simulated(const struct mr_refusals *refusals)
{
	for (size_t i = 0; i < refusals->count; i++)
		if (refusals->kinds[i]->has_look && refusals->kinds[i]->look.environment.simulated)
			return true;
	return mr_simulator_is_entered();
}

void trace_row_fill(struct trace_row *row, const struct invocation *invocation,
		    const struct trace_result *result)
{
	const struct mr_follow *follow = &result->follow;
	const struct mr_trace_totals *totals = &follow->totals;
	const struct mr_opt_u64 pid = ((const struct trace_args *)invocation->args)->pid;
	const bool is_whole = !pid.known; /* else nothing is known of the time before */
	uint64_t count = 0, bytes = 0, leaked = 0, leaked_bytes = 0;

	for (uint32_t i = 0; i < MR_TRACED_CALL_COUNT; i++) {
		const struct mr_call_tally *tally = &totals->calls[i];

		if (mr_traced_call_row(i)->effect != MR_TRACED_REGISTERS)
			continue;
		count += tally->calls - tally->refused;
		bytes = mr_sum(bytes, tally->bytes);
	}
	for (size_t i = 0; i < follow->leaks.count; i++) {
		leaked += follow->leaks.list[i].count;
		leaked_bytes = mr_sum(leaked_bytes, follow->leaks.list[i].bytes);
	}
	*row = (struct trace_row){
		.program = is_whole ? (const char *const *)invocation->operands
				    : result->attached_program,
		.exit_status = { (uint64_t)WEXITSTATUS(result->status),
				 is_whole && WIFEXITED(result->status) },
		.signal = { (uint64_t)WTERMSIG(result->status), WIFSIGNALED(result->status) },
		.pid = pid,
		.processes = known(follow->joined),
		.registered = known(count),
		.registered_bytes = known(bytes),
		.most_regions = { totals->live.most_count, is_whole },
		.most_bytes = { totals->live.most_bytes, is_whole },
		.now_regions = result->now_regions,
		.now_bytes = result->now_bytes,
		.refused = known(follow->refusals.total),
		.leaked = { leaked, is_whole },
		.leaked_bytes = { leaked_bytes, is_whole },
		.unseen = known(follow->unseen + totals->uncounted),
		.complete = follow->joined && !follow->unseen && !totals->uncounted &&
			    !result->not_followed_count,
		.simulated = is_simulated(&follow->refusals),
		.libraries = (const char *const *)follow->libraries,
	};
}

void trace_call_row_fill(struct trace_call_row *row, const struct mr_follow *follow, uint32_t call)
{
	const struct mr_call_tally *tally = &follow->totals.calls[call];

	*row = (struct trace_call_row){
		.call = mr_traced_call_row(call)->name,
		.calls = known(tally->calls),
		.refused = known(tally->refused),
		.bytes = known(tally->bytes),
		.elapsed_ns = known(tally->total_ns),
		.slowest_ns = known(tally->slowest_ns),
		.slowest_bytes = known(tally->slowest_bytes),
	};
}

void trace_refusal_row_fill(struct trace_refusal_row *row, const struct mr_refusal_kind *kind)
{
	const struct mr_trace_record *call = &kind->record.call;
	const bool has_addr = mr_traced_has_addr(call), is_offset = mr_traced_has_offset(call);
	const struct mr_opt_u64 access = { call->access, mr_traced_has_access(call) };
	struct why *why = kind->has_look ? why_of_diagnosis(&kind->look.diagnosis) : NULL;

	*row = (struct trace_refusal_row){
		.call = mr_traced_call_row(call->call)->name,
		.errno_name = mr_errno_name(call->errnum),
		.errno_value = { (uint64_t)call->errnum, call->errnum != MR_TRACE_NO_ERRNO },
		.count = known(kind->count),
		.looked_at = known(kind->looked_at),
		.pid = { (uint64_t)kind->pid, kind->pid != 0 },
		.program = kind->program,
		.place = kind->place,
		.device = call->device[0] ? call->device : NULL,
		.addr = { call->addr, has_addr && !is_offset },
		.offset = { call->addr, is_offset },
		.length = { call->length, mr_traced_has_length(call) },
		.iova = { call->iova, call->flags & MR_TRACE_HAS_IOVA },
		.access = access,
		.access_bits = access,
		.memory = kind->has_look && kind->look.has_range && kind->look.range.memory[0]
				  ? kind->look.range.memory
				  : NULL,
		.stack = kind->frames[0] ? (const char *const *)kind->frames : NULL,
		.layer = why_layer(why),
		.causes = why_causes(why),
		.ruled_out = why_ruled_out(why),
		.why = why,
	};
}

void trace_leak_row_fill(struct trace_leak_row *row, const struct mr_leak *leak)
{
	*row = (struct trace_leak_row){
		.program = leak->program,
		.place = leak->place,
		.call = mr_traced_call_row(leak->call)->name,
		.regions = known(leak->count),
		.bytes = known(leak->bytes),
		.stack = leak->frames[0] ? (const char *const *)leak->frames : NULL,
	};
}

const char *trace_obstacle_text(uint32_t obstacle)
{
	switch (obstacle) {
	case MR_TRACE_STATIC:
		return "it is linked statically, so it loads no libraries";
	case MR_TRACE_PRIVILEGED:
		return "it gets rights of another user or group, or capabilities, so it is given no library";
	case MR_TRACE_OTHER_MACHINE:
		return "it is for another kind of processor, or has 32 bits";
	case MR_TRACE_OTHER_LIBC:
		return "it does not use the GNU C library";
	case MR_TRACE_NO_VARIABLES:
		return "it was started without the variables of the environment that let it find mrctl";
	case MR_TRACE_NOT_LOADED:
		return "it has not loaded the library by which it is followed";
	case MR_TRACE_OTHER_NETWORK:
		return "it is in another network namespace, in which it does not reach mrctl";
	case MR_TRACE_FILTERED:
		return "it could not connect to mrctl, and its system calls are filtered (seccomp)";
	case MR_TRACE_NO_DESCRIPTORS:
		return "it could not connect to mrctl, and has fewer than two descriptors to spare";
	case MR_TRACE_NOT_JOINED:
		return "it could not connect to mrctl";
	case MR_TRACE_NO_ROOM:
		return "mrctl has no memory or descriptors for one more process";
	default:
		return "it cannot be read, so it is not known whether it can be followed";
	}
}
