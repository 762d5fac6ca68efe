// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "cmd/output/output.h"
#include "cmd/trace/args.h"
#include "cmd/trace/text.h"
#include "lib/diagnose/diagnose.h"

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

static void report_request(const struct trace_refusal_row *row)
{
	const char *of = row->offset.known ? "a dma-buf or memory on the device" : "memory";
	char access[FIELD_TEXT_MAX], at[32] = "";

	if (!row->length.known)
		return;
	if (row->addr.known || row->offset.known)
		snprintf(at, sizeof(at), " at 0x%" PRIx64,
			 row->offset.known ? row->offset.value : row->addr.value);
	report_detail("asked for %" PRIu64 " bytes%s of %s%s%s%s%s", row->length.value, at, of,
		      row->memory ? " like " : "", row->memory ? row->memory : "",
		      row->access.known ? ", access " : "",
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

/* Where no cause is known: what mrctl can find out when it makes the same call itself. */
static void report_experiment(const struct invocation *invocation, uint32_t call)
{
	const struct trace_args *args = invocation->args;
	const enum mr_traced_effect effect = mr_traced_call_row(call)->effect;

	if (effect != MR_TRACED_REGISTERS && effect != MR_TRACED_CHANGES &&
	    effect != MR_TRACED_ADVISES)
		return;
	report_detail("try: %smrctl --why try batch %s, which changes one thing at a time; or as "
		      "root --why prove, which names the function of the kernel that refuses",
		      args->reproduce ? "" : "--reproduce FILE, and then ",
		      args->reproduce ?: "FILE");
}

static void report_refusal(const struct invocation *invocation, const struct mr_refusal_kind *kind)
{
	const struct trace_args *args = invocation->args;
	struct trace_refusal_row row;
	char errno_text[128], times[40];

	trace_refusal_row_fill(&row, kind);
	snprintf(times, sizeof(times), "%" PRIu64 " times", kind->count);
	report_note(command, "%s: %s, %s", row.call,
		    trace_errno_text(kind->record.call.errnum, errno_text, sizeof(errno_text)),
		    kind->count > 1 ? times : "once");
	report_detail("%sby %s (pid %" PRIu64 ")%s%s%s%s%s", kind->count > 1 ? "first " : "",
		      row.program && row.program[0] ? row.program : "a program", row.pid.value,
		      row.place ? " at " : "", row.place ?: "", row.device ? ", on " : "",
		      row.device && kind->has_look && kind->look.environment.simulated
			      ? "the simulated HCA "
			      : "",
		      row.device ? row.device : "");
	for (const char *const *frame = args->stacks ? row.stack : NULL; frame && *frame; frame++)
		report_detail("    %s", *frame);
	report_request(&row);
	if (row.why)
		why_report(row.why, invocation->global->style.verbose);
	else if (kind->is_ambiguous)
		report_detail(
			"because: not known; these were not looked at, and others that asked for the "
			"same have several causes");
	else
		report_detail(
			"because: not known; the process could not be looked at while it waited");
	if (!why_first(row.why) && args->pid.known)
		report_detail("the process has gone on since: what it was refused for may be over; "
			      "mrctl trace -- CMD lets it wait");
	else if (!why_first(row.why))
		report_experiment(invocation, kind->record.call.call);
	if (kind->looked_at && kind->looked_at < kind->count)
		report_detail("looked at %" PRIu64 " of them", kind->looked_at);
	why_release(row.why);
}

static void report_leaks(const struct invocation *invocation, const struct trace_row *row,
			 const struct mr_follow *follow)
{
	const struct trace_args *args = invocation->args;
	const size_t shown = args->leaks || follow->leaks.count <= LEAKS_SHOWN ? follow->leaks.count
									       : LEAKS_SHOWN;
	char text[96];

	if (!follow->leaks.count) {
		if (args->leaks)
			report_note(command,
				    row->complete ? "all regions were deregistered"
						  : "all regions that were seen were deregistered");
		return;
	}
	report_note(command, "%s never deregistered",
		    amount(text, sizeof(text), row->leaked.value, row->leaked_bytes.value));
	for (size_t i = 0; i < shown; i++) {
		const struct mr_leak *leak = &follow->leaks.list[i];

		report_detail("%s by %s at %s in %s",
			      amount(text, sizeof(text), leak->count, leak->bytes),
			      mr_traced_call_row(leak->call)->name, leak->place, leak->program);
		for (char *const *frame = leak->frames; *frame; frame++)
			report_detail("    %s", *frame);
	}
	if (shown < follow->leaks.count)
		report_detail("and at %zu other places (--leaks)", follow->leaks.count - shown);
}

static void report_unnamed(const struct trace_result *result)
{
	const struct mr_refusals *refusals = &result->follow.refusals;
	const char *package = mr_places_package();

	if (refusals->left_out)
		report_note(command, "and %" PRIu64 " refusals of yet other kinds",
			    refusals->left_out);
	if (package && (refusals->count || result->follow.leaks.count))
		report_note(command, "places have no names of functions: install %s", package);
}

/* With --pid nothing is known of what was registered before. */
static void report_attached(const struct trace_row *row)
{
	char now[96], text[128] = "";

	if (row->now_regions.known)
		snprintf(text, sizeof(text), "; %s registered now",
			 amount(now, sizeof(now), row->now_regions.value, row->now_bytes.value));
	report_note(command,
		    "%" PRIu64 " registration%s of %s by pid %" PRIu64 "; %" PRIu64 " refused%s",
		    row->registered.value, row->registered.value == 1 ? "" : "s",
		    mr_size_text(row->registered_bytes.value).text, row->pid.value,
		    row->refused.value, text);
}

static void report_total(const struct trace_row *row)
{
	char most[96], processes[48];

	snprintf(processes, sizeof(processes), "%" PRIu64 " process%s", row->processes.value,
		 row->processes.value == 1 ? "" : "es");
	if (row->registered.value)
		report_note(
			command,
			"%" PRIu64 " registration%s of %s by %s, at most %s at once; %" PRIu64
			" refused",
			row->registered.value, row->registered.value == 1 ? "" : "s",
			mr_size_text(row->registered_bytes.value).text, processes,
			amount(most, sizeof(most), row->most_regions.value, row->most_bytes.value),
			row->refused.value);
	else
		report_note(command, "nothing was registered by %s; %" PRIu64 " refused", processes,
			    row->refused.value);
	if (row->simulated)
		report_detail("these are answers of the simulated HCA");
}

static bool has_calls(const struct mr_follow *follow)
{
	for (uint32_t i = 0; i < MR_TRACED_CALL_COUNT; i++)
		if (follow->totals.calls[i].calls)
			return true;
	return false;
}

static void report_unseen(const struct trace_row *row)
{
	const uint64_t unseen = row->unseen.value;

	if (unseen)
		report_note(command,
			    "not complete: %" PRIu64 " call%s made while mrctl did not answer",
			    unseen, unseen == 1 ? " was" : "s were");
}

/* Each was told when it began, which may be far above. */
static void report_not_followed(const struct trace_result *result)
{
	const size_t count = result->not_followed_count;

	if (count)
		report_note(command, "not complete: %zu program%s not followed", count,
			    count == 1 ? " was" : "s were");
	for (size_t i = 0; i < count; i++)
		report_detail("%s: %s", result->not_followed[i].program,
			      result->not_followed[i].reason);
}

/* Of a program that could not be followed, or not be run, a message has told already. */
static void report_nothing(const struct trace_row *row, const struct trace_result *result)
{
	const uint64_t status = row->exit_status.value;

	if (result->not_followed_count || status == EXIT_CANNOT_EXEC || status == EXIT_NO_PROGRAM)
		return;
	if (row->processes.value)
		report_note(command, "no call of libibverbs was seen in %" PRIu64 " process%s",
			    row->processes.value, row->processes.value == 1 ? "" : "es");
	else
		report_note(command, "no process could be followed");
}

void trace_text(const struct invocation *invocation, const struct trace_row *row,
		const struct trace_result *result)
{
	const struct trace_args *args = invocation->args;
	const struct mr_follow *follow = &result->follow;
	const bool quiet = invocation->global->style.quiet;

	for (size_t i = 0; i < follow->refusals.count; i++)
		report_refusal(invocation, follow->refusals.kinds[i]);
	if ((!quiet || args->leaks) && !args->pid.known)
		report_leaks(invocation, row, follow);
	report_unnamed(result);
	report_unseen(row);
	if (quiet)
		return;
	report_not_followed(result);
	if (row->pid.known)
		report_attached(row);
	else if (has_calls(follow))
		report_total(row);
	else
		report_nothing(row, result);
}
