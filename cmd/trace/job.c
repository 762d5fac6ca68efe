// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/output.h"
#include "cmd/trace/call_row.h"
#include "cmd/trace/job.h"
#include "cmd/trace/live.h"
#include "cmd/trace/rows.h"
#include "lib/base/base.h"

static void note_unwritten(struct trace_job *job)
{
	if (!job->calls_errnum)
		job->calls_errnum = errno;
}

static void write_call(struct trace_job *job, const struct call_row *row)
{
	size_t length;
	const char *text = json_text(&job->call_texts, &call_record, NULL, row, &length);

	if (!text)
		job->out_of_memory = true;
	else if (fprintf(job->calls, "%s\n", text) < 0)
		note_unwritten(job);
}

static void show_call(void *data, struct mr_traced_process *process,
		      const struct mr_traced_record *record, struct mr_site *site,
		      const struct mr_look *look)
{
	struct trace_job *job = data;
	const struct output_style *style = &job->invocation->global->style;
	const bool is_shown = job->args->pid.known && record->call.errnum && !style->quiet;
	struct call_facts facts = { .process = process,
				    .record = record,
				    .site = site,
				    .look = look,
				    .has_stack = job->args->stacks,
				    .start_ns = job->start_ns };
	struct why *why;
	struct call_row row;

	if (job->args->refused_only && !record->call.errnum)
		return;
	/* libibverbs makes one for each registration of a program that forks. */
	if (record->call.call == MR_TRACED_MADVISE && !record->call.errnum && !style->verbose)
		return;
	facts.why = why = look ? why_of_diagnosis(&look->diagnosis) : NULL;
	call_row_fill(&row, &facts);
	if (job->calls)
		write_call(job, &row);
	if (job->args->live || is_shown)
		live_print(&row, job->args->pid.known);
	if (is_shown && why)
		why_report(why, style->verbose);
	why_release(why);
}

static bool is_told(const struct trace_result *result, const struct not_followed *row)
{
	for (size_t i = 0; i < result->not_followed_count; i++)
		if (!strcmp(result->not_followed[i].program, row->program) &&
		    result->not_followed[i].reason == row->reason)
			return true;
	return false;
}

void trace_note_not_followed(struct trace_job *job, pid_t pid, const char *path, uint32_t obstacle)
{
	struct trace_result *result = &job->result;
	struct not_followed row = { .pid = { (uint64_t)pid, pid != 0 },
				    .reason = trace_obstacle_text(obstacle) };
	struct not_followed *more;

	snprintf(row.program, sizeof(row.program), "%s", path);
	mr_clean_text(row.program, sizeof(row.program));
	if (is_told(result, &row))
		return;
	if (pid)
		report_note("trace", "%s (pid %d) is not followed: %s", row.program, pid,
			    row.reason);
	else
		report_note("trace", "%s is not followed: %s", row.program, row.reason);
	more = reallocarray(result->not_followed, result->not_followed_count + 1, sizeof(*more));
	if (!more)
		return;
	result->not_followed = more;
	more[result->not_followed_count++] = row;
}

static void note_not_followed(void *data, pid_t pid, const char *path, uint32_t obstacle)
{
	trace_note_not_followed(data, pid, path, obstacle);
}

static void flush_calls(void *data)
{
	struct trace_job *job = data;

	if (job->calls && fflush(job->calls))
		note_unwritten(job);
}

struct mr_trace_sink trace_job_sink(struct trace_job *job)
{
	const bool shows = job->args->calls_file || job->args->live || job->args->pid.known;

	return (struct mr_trace_sink){ .data = job,
				       .call = shows ? show_call : NULL,
				       .not_followed = note_not_followed,
				       .caught_up = flush_calls };
}
