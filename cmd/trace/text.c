// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/output/output.h"
#include "cmd/trace/trace.h"
#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/simulator/enter.h"
#include "lib/trace/trace.h"
#include "lib/verbs/verbs.h"

/* The calls of one name. */
struct trace_call_row {
	const char *call;
	const struct mr_call_tally *tally;
};

/* A kind of refusal. */
struct trace_refusal_row {
	struct call_row call; /* the first one */
	const char *errno_name;
	uint64_t count, looked_at;
	const char *program;
	struct list ruled_out;
	struct why *why; /* for why_release(); NULL: the process was not examined */
};

/* Fields of a call's request; @at: where a row has the call, with its dot */
#define REQUEST_FIELDS(row, at)                                                                    \
	FIELD_AS("addr", row, at addr, FIELD_HEX, 0, "address of the first byte"),                 \
		FIELD_AS("offset", row, at offset, FIELD_NUMBER, 0,                                \
			 "first byte in the dma-buf or DM"),                                       \
		FIELD_AS("length", row, at length, FIELD_NUMBER, 0, "bytes"),                      \
		FIELD_AS("iova", row, at iova, FIELD_HEX, 0,                                       \
			 "address of the first byte for the HCA"),                                 \
		FIELD_AS("access", row, at access, FIELD_ACCESS, 0, "requested access flags"),     \
		FIELD_AS("access_bits", row, at access, FIELD_HEX, 0, "access flags as a mask")

static const struct field fields[] = {
	FIELD(struct call_row, at_ns, FIELD_NUMBER, 0, "time of the call, since the start"),
	FIELD(struct call_row, pid, FIELD_NUMBER, 0, "process"),
	FIELD(struct call_row, tid, FIELD_NUMBER, 0,
	      "number of the thread in the namespace of the process"),
	FIELD(struct call_row, call, FIELD_STRING, 0, "the call"),
	FIELD(struct call_row, device, FIELD_STRING, 0, "RDMA device"),
	FIELD(struct call_row, answer, FIELD_STRING, 0,
	      "ok, or the name of the errno; refused, if it has none"),
	FIELD(struct call_row, errno_value, FIELD_NUMBER, 0, "number of the errno"),
	REQUEST_FIELDS(struct call_row, ),
	FIELD(struct call_row, page_sizes, FIELD_PAGES, 0, "requested page sizes of a umem"),
	FIELD(struct call_row, fd, FIELD_NUMBER, 0, "descriptor of the dma-buf"),
	FIELD(struct call_row, flags, FIELD_HEX, 0,
	      "flags of ibv_rereg_mr and ibv_advise_mr; advice of madvise"),
	FIELD(struct call_row, lkey, FIELD_HEX, 0, "key for local use"),
	FIELD(struct call_row, rkey, FIELD_HEX, 0, "key for peers"),
	FIELD(struct call_row, handle, FIELD_NUMBER, 0, "the kernel's number for the region"),
	FIELD(struct call_row, object, FIELD_HEX, 0,
	      "address of the object in the process; the same in all calls on one region"),
	FIELD(struct call_row, pd, FIELD_HEX, 0, "address of the protection domain in the process"),
	FIELD(struct call_row, elapsed_ns, FIELD_NUMBER, 0, "time that the call took"),
	FIELD(struct call_row, place, FIELD_STRING, 0, "place in the program that made the call"),
	FIELD(struct call_row, stack, FIELD_WORDS, 0,
	      "with --stacks: that place and its callers, innermost first"),
	FIELD(struct call_row, kernel_asked, FIELD_TRISTATE, 0,
	      "whether libibverbs has called the kernel"),
	FIELD(struct call_row, memory, FIELD_STRING, 0,
	      "kind of memory (--memory) that resembles the range (refusals)"),
	FIELD(struct call_row, layer, FIELD_STRING, 0, "layer that refused (refusals)"),
	FIELD(struct call_row, causes, FIELD_LIST, 0, "causes, the most certain first (refusals)",
	      .record = &cause_record),
	FIELD_END,
};
const struct record call_record = { "call", fields, NULL };

void call_row_fill(struct call_row *row, pid_t pid, const char *place,
		   const struct mr_trace_record *call, const struct mr_look *look,
		   const struct why *why)
{
	const enum mr_traced_effect effect = mr_traced_call_row(call->call)->effect;
	const bool has_keys = !call->errnum && call->lkey &&
			      (effect == MR_TRACED_REGISTERS || effect == MR_TRACED_CHANGES);
	const bool has_flags = effect == MR_TRACED_CHANGES || effect == MR_TRACED_ADVISES ||
			       effect == MR_TRACED_PROTECTS;
	const bool is_change = call->call == MR_TRACED_IBV_REREG_MR;
	const bool registers = effect == MR_TRACED_REGISTERS &&
			       call->call != MR_TRACED_IBV_ALLOC_NULL_MR &&
			       call->call != MR_TRACED_IBV_IMPORT_MR;
	const bool has_addr = is_change ? call->call_flags & MR_CHANGE_TRANSLATION
					: registers || effect == MR_TRACED_ADVISES ||
						  call->call == MR_TRACED_MADVISE;
	const bool has_access = is_change ? call->call_flags & MR_CHANGE_ACCESS : registers;
	const bool is_offset = has_addr && (call->flags & MR_TRACE_HAS_FD ||
					    call->call == MR_TRACED_IBV_REG_DM_MR);

	*row = (struct call_row){
		.pid = { (uint64_t)pid, pid != 0 },
		.tid = { call->tid, call->tid != 0 },
		.call = mr_traced_call_row(call->call)->name,
		.device = call->device[0] ? call->device : NULL,
		.answer = call->errnum ? mr_errno_name(call->errnum) ?: "refused" : "ok",
		.errno_value = { (uint64_t)call->errnum,
				 call->errnum && call->errnum != MR_TRACE_NO_ERRNO },
		.addr = { call->addr, has_addr && !is_offset },
		.offset = { call->addr, is_offset },
		.length = { call->length, has_addr || call->call == MR_TRACED_IBV_ALLOC_DM },
		.iova = { call->iova, call->flags & MR_TRACE_HAS_IOVA },
		.access = { call->access, has_access },
		.page_sizes = { call->page_sizes, call->flags & MR_TRACE_HAS_PAGE_SIZES },
		.fd = { (uint64_t)call->fd, call->flags & MR_TRACE_HAS_FD },
		.flags = { call->call_flags, has_flags },
		.lkey = { call->lkey, has_keys },
		.rkey = { call->rkey, has_keys },
		.handle = { call->handle, has_keys },
		.object = { call->object, call->object != 0 },
		.pd = { call->pd, call->pd != 0 },
		.elapsed_ns = known(call->elapsed_ns),
		.place = place,
		.kernel_asked = !(call->flags & MR_TRACE_KERNEL_SEEN) ? MR_UNKNOWN
				: call->kernel_calls                  ? MR_YES
								      : MR_NO,
		.memory = look && look->has_range && look->range.memory[0] ? look->range.memory
									   : NULL,
		.layer = why_found(why).layer,
		.causes = why_found(why).causes,
	};
}

#define FIELD_SUM(key, member, flag, help)                                                         \
	FIELD_AS(key, struct trace_job, member, FIELD_NUMBER, 0, help,                             \
		 KNOWN_BY(struct trace_job, flag))

static const struct field trace_fields[] = {
	FIELD(struct trace_job, program, FIELD_WORDS, 0, "the command line that was run"),
	FIELD(struct trace_job, exit_status, FIELD_NUMBER, 0, "exit status of the program"),
	FIELD(struct trace_job, signal, FIELD_NUMBER, 0, "signal that ended the program"),
	FIELD_BEHIND("pid", struct trace_job, args, struct trace_args, pid, FIELD_NUMBER, 0,
		     "with --pid: the process"),
	FIELD_SUM("processes", follow.joined, is_over, "processes that were followed"),
	FIELD_SUM("registered", registered, is_over, "calls that registered a region"),
	FIELD_SUM("registered_bytes", registered_bytes, is_over, "sum of the regions' lengths"),
	FIELD_SUM("most_regions", follow.totals.live.most_count, is_whole,
		  "most regions registered at a time"),
	FIELD_SUM("most_bytes", follow.totals.live.most_bytes, is_whole,
		  "most bytes registered at a time"),
	FIELD(struct trace_job, now_regions, FIELD_NUMBER, 0,
	      "with --pid: regions that the kernel lists for the process at the end"),
	FIELD(struct trace_job, now_bytes, FIELD_NUMBER, 0,
	      "with --pid: sum of the lengths of these regions"),
	FIELD_SUM("refused", follow.refusals.total, is_over, "calls that were refused"),
	FIELD_SUM("leaked", leaked, is_whole,
		  "regions that were registered when their process ended"),
	FIELD_SUM("leaked_bytes", leaked_bytes, is_whole, "sum of the lengths of these regions"),
	FIELD_SUM("unseen", unseen, is_over,
		  "calls that were made while mrctl did not answer; no other figure includes them"),
	FIELD(struct trace_job, complete, FIELD_BOOL, 0,
	      "whether all calls of all programs were seen"),
	FIELD(struct trace_job, simulated, FIELD_BOOL, 0, "whether the device is simulated"),
	FIELD(struct trace_job, libraries, FIELD_WORDS, FIELD_PROSE,
	      "paths of the libraries of RDMA, communication and GPUs that the processes had mapped"),
	FIELD_END,
};
REPORTED static const struct record trace_record = { "trace", trace_fields, NULL };

#define FIELD_TALLY(key, member, flags, help)                                                      \
	FIELD_BEHIND(key, struct trace_call_row, tally, struct mr_call_tally, member,              \
		     FIELD_NUMBER, flags, help)

static const struct field call_fields[] = {
	FIELD(struct trace_call_row, call, FIELD_STRING, FIELD_PUBLIC | FIELD_KNOWN,
	      "name of the call"),
	FIELD_TALLY("calls", calls, FIELD_KNOWN, "number of calls"),
	FIELD_TALLY("refused", refused, FIELD_KNOWN, "number of refused calls"),
	FIELD_TALLY("bytes", bytes, 0, "sum of the lengths of those that succeeded"),
	FIELD_TALLY("elapsed_ns", total_ns, FIELD_DURATION, "time that all calls took"),
	FIELD_TALLY("slowest_ns", slowest_ns, FIELD_DURATION, "time of the slowest call"),
	FIELD_TALLY("slowest_bytes", slowest_bytes, FIELD_DETAIL, "length of the slowest call"),
	FIELD_END,
};
REPORTED const struct record trace_call_record = { "trace_call", call_fields, "calls" };

static const struct field refusal_fields[] = {
	FIELD_AS("call", struct trace_refusal_row, call.call, FIELD_STRING,
		 FIELD_PUBLIC | FIELD_KNOWN, "the call"),
	FIELD_AS("errno", struct trace_refusal_row, errno_name, FIELD_STRING, FIELD_PUBLIC,
		 "name of the errno"),
	FIELD_AS("errno_value", struct trace_refusal_row, call.errno_value, FIELD_NUMBER, 0,
		 "number of the errno"),
	FIELD(struct trace_refusal_row, count, FIELD_NUMBER, FIELD_KNOWN,
	      "number of such refusals"),
	FIELD(struct trace_refusal_row, looked_at, FIELD_NUMBER, 0,
	      "number of refusals that were diagnosed; the others are assumed to have the same "
	      "causes"),
	FIELD_AS("pid", struct trace_refusal_row, call.pid, FIELD_NUMBER, 0,
		 "process of the first such refusal"),
	FIELD(struct trace_refusal_row, program, FIELD_STRING, 0, "program of that process"),
	FIELD_AS("place", struct trace_refusal_row, call.place, FIELD_STRING, 0,
		 "place in the program that made that call"),
	FIELD_AS("device", struct trace_refusal_row, call.device, FIELD_STRING, 0, "RDMA device"),
	REQUEST_FIELDS(struct trace_refusal_row, call.),
	FIELD_AS("memory", struct trace_refusal_row, call.memory, FIELD_STRING, FIELD_MEMORY,
		 "kind of memory (--memory) that resembles the range"),
	FIELD_AS("stack", struct trace_refusal_row, call.stack, FIELD_WORDS, FIELD_PROSE,
		 "with --leaks or --stacks: that place and its callers, innermost first"),
	FIELD_AS("layer", struct trace_refusal_row, call.layer, FIELD_STRING, FIELD_PUBLIC,
		 "layer that refused"),
	FIELD_AS("causes", struct trace_refusal_row, call.causes, FIELD_LIST, FIELD_KNOWN,
		 "causes, the most certain first", .record = &cause_record),
	FIELD(struct trace_refusal_row, ruled_out, FIELD_LIST, FIELD_KNOWN,
	      "causes that are excluded, and the reason", .record = &ruled_out_record),
	FIELD_END,
};
REPORTED static const struct record trace_refusal_record = { "trace_refusal", refusal_fields,
							     "refusals" };

static const struct field leak_fields[] = {
	FIELD(struct mr_leak, program, FIELD_STRING, 0, "program that registered the regions"),
	FIELD(struct mr_leak, place, FIELD_STRING, 0, "place in the program that made the call"),
	FIELD(struct mr_leak, call, FIELD_STRING, FIELD_PUBLIC | FIELD_KNOWN, "the call"),
	FIELD_AS("regions", struct mr_leak, count, FIELD_NUMBER, FIELD_KNOWN, "number of regions"),
	FIELD(struct mr_leak, bytes, FIELD_NUMBER, FIELD_KNOWN, "sum of the regions' lengths"),
	FIELD(struct mr_leak, stack, FIELD_WORDS, FIELD_PROSE,
	      "with --leaks or --stacks: that place and its callers, innermost first"),
	FIELD_END,
};
REPORTED static const struct record trace_leak_record = { "trace_leak", leak_fields, "leaks" };

static const struct field not_followed_fields[] = {
	FIELD(struct not_followed, pid, FIELD_NUMBER, 0, "process that ran the program"),
	FIELD(struct not_followed, program, FIELD_TEXT, 0, "path of the program"),
	FIELD(struct not_followed, reason, FIELD_STRING, FIELD_PROSE,
	      "reason why the program cannot be followed"),
	FIELD_END,
};
REPORTED static const struct record not_followed_record = { "not_followed", not_followed_fields,
							    "not_followed" };

const struct field trace_members[] = {
	DOCUMENT_PART(&trace_record),
	DOCUMENT_LIST("calls", &trace_call_record, "sums for each call"),
	DOCUMENT_LIST("refusals", &trace_refusal_record, "calls that were refused, and why"),
	DOCUMENT_LIST("leaks", &trace_leak_record, "regions that were never deregistered"),
	DOCUMENT_LIST("not_followed", &not_followed_record, "programs that cannot be followed"),
	FIELD_END,
};

void trace_sum(struct trace_job *job)
{
	const struct mr_follow *follow = &job->follow;
	const int status = job->status;

	for (uint32_t i = 0; i < MR_TRACED_CALL_COUNT; i++) {
		const struct mr_call_tally *tally = &follow->totals.calls[i];

		if (mr_traced_call_row(i)->effect != MR_TRACED_REGISTERS)
			continue;
		job->registered += tally->calls - tally->refused;
		job->registered_bytes = mr_sum(job->registered_bytes, tally->bytes);
	}
	for (size_t i = 0; i < follow->leaks.count; i++) {
		job->leaked += follow->leaks.list[i].count;
		job->leaked_bytes = mr_sum(job->leaked_bytes, follow->leaks.list[i].bytes);
	}
	job->simulated = mr_simulator_is_entered(); /* or the program has entered it */
	for (size_t i = 0; i < follow->refusals.count; i++) {
		const struct mr_look *look = follow->refusals.kinds[i]->look;

		job->simulated |= look && look->environment.simulated;
	}
	job->is_over = true;
	job->is_whole = !job->args->pid.known;
	job->program = job->is_whole ? (const char *const *)job->invocation->operands
				     : job->attached_program;
	job->libraries = (const char *const *)follow->libraries;
	job->exit_status = (struct mr_opt_u64){ (uint64_t)WEXITSTATUS(status),
						job->is_whole && WIFEXITED(status) };
	job->signal = (struct mr_opt_u64){ (uint64_t)WTERMSIG(status), WIFSIGNALED(status) };
	job->unseen = follow->unseen + follow->totals.uncounted;
	job->complete = follow->joined && !job->unseen && !job->not_followed_count;
}

/* The caller releases the member why. */
static void trace_refusal_row_fill(struct trace_refusal_row *row,
				   const struct mr_refusal_kind *kind)
{
	const struct mr_look *look = kind->look;
	struct why *why = look ? why_of_diagnosis(&look->diagnosis) : NULL;

	*row = (struct trace_refusal_row){
		.errno_name = mr_errno_name(kind->record.call.errnum),
		.count = kind->count,
		.looked_at = kind->looked_at,
		.program = kind->program,
		.ruled_out = why_found(why).ruled_out,
		.why = why,
	};
	call_row_fill(&row->call, kind->pid, kind->place, &kind->record.call, look, why);
	row->call.stack = (const char *const *)kind->stack;
}

const char *trace_obstacle_text(uint32_t obstacle)
{
	static const char *const texts[] = {
		[MR_TRACE_STATIC] = "it is linked statically, so it loads no libraries",
		[MR_TRACE_PRIVILEGED] =
			"it runs with the rights of another user or group, or with capabilities, "
			"so it loads no library of mrctl",
		[MR_TRACE_OTHER_MACHINE] = "it is for another kind of processor, or has 32 bits",
		[MR_TRACE_OTHER_LIBC] = "it does not use the GNU C library",
		[MR_TRACE_NO_VARIABLES] = "it was started without mrctl's environment variables",
		[MR_TRACE_NOT_LOADED] = "it has not loaded mrctl's library",
		[MR_TRACE_OTHER_NETWORK] =
			"it is in another network namespace, and cannot reach mrctl",
		[MR_TRACE_FILTERED] =
			"it could not connect to mrctl, and its system calls are filtered (seccomp)",
		[MR_TRACE_NO_DESCRIPTORS] =
			"it could not connect to mrctl, and has fewer than two free descriptors",
		[MR_TRACE_NOT_JOINED] = "it could not connect to mrctl",
		[MR_TRACE_NO_ROOM] = "mrctl has no memory or descriptors for one more process",
	};
	const char *text = obstacle < sizeof(texts) / sizeof(*texts) ? texts[obstacle] : NULL;

	return text ?: "its file cannot be read, so it is not known whether it can be followed";
}

enum {
	LEAKS_SHOWN = 3, /* without --leaks */
};

static const char command[] = "trace";

/* "3 regions of 12 KiB" */
static const char *amount(char *text, size_t size, uint64_t regions, uint64_t bytes)
{
	snprintf(text, size, "%" PRIu64 " region%s of %s", regions, regions == 1 ? "" : "s",
		 mr_size_text(bytes).text);
	return text;
}

static void report_request(const struct call_row *row)
{
	const char *of = row->offset.known ? "a dma-buf or memory on the device" : "memory";
	char access[FIELD_TEXT_MAX], at[32] = "";

	if (!row->length.known)
		return;
	if (row->addr.known || row->offset.known)
		snprintf(at, sizeof(at), " at 0x%" PRIx64,
			 row->offset.known ? row->offset.value : row->addr.value);
	report_detail("asked for %" PRIu64 " bytes%s of %s%s%s%s%s%s", row->length.value, at, of,
		      row->memory ? " (as --memory " : "", row->memory ?: "",
		      row->memory ? ")" : "", row->access.known ? ", access " : "",
		      row->access.known ? access_text((uint32_t)row->access.value, access) : "");
}

/* "ENOMEM (Cannot allocate memory)" */
static const char *trace_errno_text(int errnum, char *text, size_t size)
{
	const char *name = mr_errno_name(errnum);

	if (errnum == MR_TRACE_NO_ERRNO)
		return "refused without an errno";
	if (name)
		snprintf(text, size, "%s (%s)", name, mr_errno_text(errnum));
	else
		snprintf(text, size, "errno %d", errnum);
	return text;
}

/* Prints commands that find the cause by making the same call, if no cause is known. */
static void report_experiment(const struct trace_args *args, uint32_t call)
{
	const enum mr_traced_effect effect = mr_traced_call_row(call)->effect;

	if (effect != MR_TRACED_REGISTERS && effect != MR_TRACED_CHANGES &&
	    effect != MR_TRACED_ADVISES)
		return;
	report_detail("try: %smrctl --why try batch %s, which changes one thing at a time; or as "
		      "root --why prove, which finds the function of the kernel that refuses",
		      args->paths[REPRODUCED_FILE] ? "" : "--reproduce FILE, and then ",
		      args->paths[REPRODUCED_FILE] ?: "FILE");
}

static void report_refusal(const struct trace_job *job, const struct mr_refusal_kind *kind)
{
	const struct trace_args *args = job->args;
	struct trace_refusal_row row;
	char errno_text[128], times[40];

	trace_refusal_row_fill(&row, kind);
	snprintf(times, sizeof(times), "%" PRIu64 " times", kind->count);
	report_note(command, "%s: %s, %s", row.call.call,
		    trace_errno_text(kind->record.call.errnum, errno_text, sizeof(errno_text)),
		    kind->count > 1 ? times : "once");
	report_detail("%sby %s (pid %" PRIu64 ")%s%s%s%s%s", kind->count > 1 ? "first " : "",
		      row.program && row.program[0] ? row.program : "a program", row.call.pid.value,
		      row.call.place ? " at " : "", row.call.place ?: "",
		      row.call.device ? ", on " : "",
		      row.call.device && kind->look && kind->look->environment.simulated
			      ? "the simulated HCA "
			      : "",
		      row.call.device ? row.call.device : "");
	for (const char *const *frame = args->stacks ? row.call.stack : NULL; frame && *frame;
	     frame++)
		report_detail("    %s", *frame);
	report_request(&row.call);
	if (row.why)
		why_report(row.why, job->invocation->global->style.verbose);
	else if (kind->is_ambiguous)
		report_detail(
			"because: not known; these refusals were not examined, and equal requests "
			"have several causes");
	else
		report_detail("because: not known; the waiting process could not be examined");
	if (!why_first(row.why) && args->pid.known)
		report_detail("the process continued meanwhile, so the cause may no longer exist; "
			      "under mrctl trace -- CMD it waits");
	else if (!why_first(row.why))
		report_experiment(args, kind->record.call.call);
	if (kind->looked_at && kind->looked_at < kind->count)
		report_detail("%" PRIu64 " of these refusals were examined", kind->looked_at);
	why_release(row.why);
}

static void report_leaks(const struct trace_job *job)
{
	const struct mr_leaks *leaks = &job->follow.leaks;
	const size_t shown =
		job->args->leaks || leaks->count <= LEAKS_SHOWN ? leaks->count : LEAKS_SHOWN;
	char text[96];

	if (!leaks->count && job->args->leaks)
		report_note(command, job->complete
					     ? "all regions were deregistered"
					     : "all regions that were seen were deregistered");
	if (!leaks->count)
		return;
	report_note(command, "%s never deregistered",
		    amount(text, sizeof(text), job->leaked, job->leaked_bytes));
	for (size_t i = 0; i < shown; i++) {
		const struct mr_leak *leak = &leaks->list[i];

		report_detail("%s by %s at %s in %s",
			      amount(text, sizeof(text), leak->count, leak->bytes), leak->call,
			      leak->place, leak->program);
		for (const char *const *frame = leak->stack; frame && *frame; frame++)
			report_detail("    %s", *frame);
	}
	if (shown < leaks->count)
		report_detail("and at %zu other places (--leaks)", leaks->count - shown);
}

static void report_total(const struct trace_job *job)
{
	const struct mr_live_tally *live = &job->follow.totals.live;
	const uint64_t processes = job->follow.joined, refused = job->follow.refusals.total;
	const struct mr_size_text registered = mr_size_text(job->registered_bytes);
	const char *plural = job->registered == 1 ? "" : "s", *es = processes == 1 ? "" : "es";
	char regions[96], text[128] = "";

	if (job->now_regions.known)
		snprintf(text, sizeof(text), "; %s registered now",
			 amount(regions, sizeof(regions), job->now_regions.value,
				job->now_bytes.value));
	if (!job->is_whole) /* nothing is known of what was registered before */
		report_note(command,
			    "%" PRIu64 " registration%s of %s by pid %" PRIu64 "; %" PRIu64
			    " refused%s",
			    job->registered, plural, registered.text, job->args->pid.value, refused,
			    text);
	else if (job->registered)
		report_note(command,
			    "%" PRIu64 " registration%s of %s by %" PRIu64
			    " process%s, at most %s at once; %" PRIu64 " refused",
			    job->registered, plural, registered.text, processes, es,
			    amount(regions, sizeof(regions), live->most_count, live->most_bytes),
			    refused);
	else
		report_note(command,
			    "nothing was registered by %" PRIu64 " process%s; %" PRIu64 " refused",
			    processes, es, refused);
	if (job->simulated)
		report_detail("these are answers of the simulated HCA");
}

/* A program that cannot be followed or run already has a message. */
static void report_nothing(const struct trace_job *job)
{
	const uint64_t status = job->exit_status.value, processes = job->follow.joined;

	if (job->not_followed_count || status == EXIT_CANNOT_EXEC || status == EXIT_NO_PROGRAM)
		return;
	if (processes)
		report_note(command, "no call of libibverbs was seen in %" PRIu64 " process%s",
			    processes, processes == 1 ? "" : "es");
	else
		report_note(command, "no process could be followed");
}

/* Reports unseen calls and programs that were not followed: the messages at their start may be far above. */
static void report_incomplete(const struct trace_job *job)
{
	const size_t count = job->invocation->global->style.quiet ? 0 : job->not_followed_count;

	if (job->unseen)
		report_note(command,
			    "not complete: %" PRIu64 " call%s made while mrctl did not answer",
			    job->unseen, job->unseen == 1 ? " was" : "s were");
	if (count)
		report_note(command, "not complete: %zu program%s not followed", count,
			    count == 1 ? " was" : "s were");
	for (size_t i = 0; i < count; i++)
		report_detail("%s: %s", job->not_followed[i].program, job->not_followed[i].reason);
}

/* Prints the summary on standard error: refusals with their causes, leaks, sums. */
static void report_all(const struct trace_job *job)
{
	const struct mr_follow *follow = &job->follow;
	const struct mr_refusals *refusals = &follow->refusals;
	const bool quiet = job->invocation->global->style.quiet;
	const char *package = mr_places_package();
	bool has_calls = false;

	for (size_t i = 0; i < refusals->count; i++)
		report_refusal(job, refusals->kinds[i]);
	if ((!quiet || job->args->leaks) && job->is_whole)
		report_leaks(job);
	if (refusals->left_out)
		report_note(command, "and %" PRIu64 " refusals of other kinds", refusals->left_out);
	if (package && (refusals->count || follow->leaks.count))
		report_note(command, "places have no function names: install %s", package);
	report_incomplete(job);
	if (quiet)
		return;
	for (uint32_t i = 0; i < MR_TRACED_CALL_COUNT; i++)
		has_calls |= follow->totals.calls[i].calls != 0;
	if (!job->is_whole || has_calls)
		report_total(job);
	else
		report_nothing(job);
}

static void print_calls(struct output *out, const struct mr_follow *follow)
{
	output_list_begin(out, trace_call_record.list, &trace_call_record, false);
	for (uint32_t i = 0; i < MR_TRACED_CALL_COUNT; i++) {
		const struct trace_call_row row = { mr_traced_call_row(i)->name,
						    &follow->totals.calls[i] };

		if (row.tally->calls)
			output_row(out, &trace_call_record, &row);
	}
	output_list_end(out);
}

static void print_document(struct output *out, const struct trace_job *job)
{
	const struct mr_follow *follow = &job->follow;
	const struct list leaks = { &trace_leak_record, follow->leaks.list, follow->leaks.count,
				    sizeof(*follow->leaks.list) };
	const struct list not_followed = { &not_followed_record, job->not_followed,
					   job->not_followed_count, sizeof(*job->not_followed) };

	output_begin(out, "trace");
	for (const struct field *f = trace_record.fields; f->key; f++)
		output_member(out, f, job);
	print_calls(out, follow);
	output_list_begin(out, trace_refusal_record.list, &trace_refusal_record, false);
	for (size_t i = 0; i < follow->refusals.count; i++) {
		struct trace_refusal_row refusal;

		trace_refusal_row_fill(&refusal, follow->refusals.kinds[i]);
		output_row(out, &trace_refusal_record, &refusal);
		why_release(refusal.why);
	}
	output_list_end(out);
	output_json_list(out, trace_leak_record.list, &leaks);
	output_json_list(out, not_followed_record.list, &not_followed);
}

int summary_print(struct trace_job *job, struct mr_error *err)
{
	mr_auto_fd int errors = dup(STDERR_FILENO);
	const struct output_style *style = &job->invocation->global->style;
	const char *path = job->args->paths[SUMMARY_FILE];
	const int fd = path ? fileno(job->files[SUMMARY_FILE]) : STDERR_FILENO;
	struct output out;
	/* Standard output belongs to the program, which has ended: mrctl's own becomes that of the summary. */
	int rc = output_redirect(fd, path, err);

	if (!rc && dup2(fd, STDERR_FILENO) < 0)
		rc = mr_fail(err, MR_ERROR_HOST, errno, "dup2", NULL);
	if (!rc)
		rc = output_open(&out, style, &trace_call_record, err);
	if (!rc) {
		if (style->json)
			print_document(&out, job);
		else
			report_all(job);
		if (!style->json && job->args->calls && !style->quiet)
			print_calls(&out, &job->follow);
		rc = output_end(&out, err);
		output_release(&out);
	}
	/* Standard error remembers that a write failed, but not why: one more write fails with the same errno. */
	if (!rc && path && ferror(stderr))
		rc = mr_fail(err, MR_ERROR_HOST, write(STDERR_FILENO, "\n", 1) < 0 ? errno : EIO,
			     "write", "%s", path);
	if (errors >= 0) /* an error that follows is for the terminal, not for the summary */
		dup2(errors, STDERR_FILENO);
	return rc;
}
