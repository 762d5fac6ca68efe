// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/output/output.h"
#include "cmd/trace/args.h"
#include "cmd/trace/rows.h"
#include "cmd/trace/summary.h"
#include "cmd/trace/text.h"
#include "lib/base/base.h"

static void print_calls(struct output *out, const struct mr_follow *follow)
{
	output_list_begin(out, trace_call_record.list, &trace_call_record, false);
	for (uint32_t i = 0; i < MR_TRACED_CALL_COUNT; i++) {
		struct trace_call_row row;

		if (!follow->totals.calls[i].calls)
			continue;
		trace_call_row_fill(&row, follow, i);
		output_row(out, &trace_call_record, &row);
	}
	output_list_end(out);
}

static void print_refusals(struct output *out, const struct mr_follow *follow)
{
	output_list_begin(out, trace_refusal_record.list, &trace_refusal_record, false);
	for (size_t i = 0; i < follow->refusals.count; i++) {
		struct trace_refusal_row row;

		trace_refusal_row_fill(&row, follow->refusals.kinds[i]);
		output_row(out, &trace_refusal_record, &row);
		why_release(row.why);
	}
	output_list_end(out);
}

static void print_leaks(struct output *out, const struct mr_follow *follow)
{
	output_list_begin(out, trace_leak_record.list, &trace_leak_record, false);
	for (size_t i = 0; i < follow->leaks.count; i++) {
		struct trace_leak_row row;

		trace_leak_row_fill(&row, &follow->leaks.list[i]);
		output_row(out, &trace_leak_record, &row);
	}
	output_list_end(out);
}

static void print_document(struct output *out, const struct trace_row *row,
			   const struct trace_result *result)
{
	const struct list not_followed = { &not_followed_record, result->not_followed,
					   result->not_followed_count,
					   sizeof(*result->not_followed) };

	output_begin(out, "trace");
	output_members(out, &trace_record, row);
	print_calls(out, &result->follow);
	print_refusals(out, &result->follow);
	print_leaks(out, &result->follow);
	output_json_list(out, not_followed_record.list, &not_followed);
}

/* Standard output belongs to the program, which has ended: mrctl's own becomes that of the summary. */
static int redirect(FILE *file, const char *path, struct mr_error *err)
{
	int fd = file ? fileno(file) : STDERR_FILENO;
	int rc = output_redirect(fd, path, err);

	if (!rc && dup2(fd, STDERR_FILENO) < 0)
		rc = mr_fail(err, MR_ERROR_HOST, errno, "dup2", NULL);
	return rc;
}

/* Standard error remembers that a write has failed, but not why: one more fails for the same reason. */
static int check_text(const struct trace_args *args, struct mr_error *err)
{
	if (!args->summary_file || !ferror(stderr))
		return 0;
	return mr_fail(err, MR_ERROR_HOST, write(STDERR_FILENO, "\n", 1) < 0 ? errno : EIO, "write",
		       "%s", args->summary_file);
}

static int print_summary(const struct invocation *invocation, struct trace_result *result,
			 struct mr_error *err)
{
	const struct trace_args *args = invocation->args;
	struct trace_row row;
	struct output out;
	int rc;

	trace_row_fill(&row, invocation, result);
	rc = output_open(&out, &invocation->global->style, &trace_call_record, err);
	if (rc)
		return rc;
	if (invocation->global->style.json) {
		print_document(&out, &row, result);
	} else {
		trace_text(invocation, &row, result);
		if (args->calls && !invocation->global->style.quiet)
			print_calls(&out, &result->follow);
	}
	rc = output_end(&out, err);
	output_release(&out);
	return rc ? rc : check_text(args, err);
}

int summary_print(const struct invocation *invocation, struct trace_result *result, FILE *file,
		  struct mr_error *err)
{
	mr_auto_fd int errors = dup(STDERR_FILENO);
	const struct trace_args *args = invocation->args;
	int rc = redirect(file, args->summary_file, err);

	if (!rc)
		rc = print_summary(invocation, result, err);
	if (errors >= 0) /* an error that follows is for the terminal, not for the summary */
		dup2(errors, STDERR_FILENO);
	return rc;
}
