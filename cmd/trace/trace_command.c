// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/trace/trace.h"
#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/nldev/nldev.h"
#include "lib/simulator/enter.h"
#include "lib/trace/trace.h"
#include "lib/trace/wire/wire.h"

/* @program: set to its path, or its name in brackets where that is hidden.  Return: 0, or -errno */
static int identify(const struct mr_opt_u64 *number, char *program, size_t size,
		    struct mr_error *err)
{
	const pid_t pid = number->value <= INT32_MAX ? (pid_t)number->value : 0;
	const pid_t owner = pid ? mr_process_of_thread(pid) : 0;
	struct mr_process process;
	char name[16];
	bool has_program;

	if (!owner || !mr_process_open(pid, &process))
		return mr_fail_text(err, MR_ERROR_ABSENT, ESRCH, "no such process: %" PRIu64,
				    number->value);
	mr_process_command(&process, name);
	snprintf(program, size, "[%s]", name);
	has_program = mr_process_link(&process, "exe", program, size) || errno != ENOENT;
	mr_process_close(&process);
	mr_clean_text(program, size);
	if (owner != pid)
		return mr_fail_usage(err,
				     "%d is a thread of process %d: --pid requires the process",
				     pid, owner);
	if (!has_program)
		return mr_fail_usage(err, "%d (%s) is a thread of the kernel", pid, name);
	return 0;
}

/* Refuses processes and options for which the kernel shows no calls.  Return: 0, or -errno */
static int check_kernel(pid_t pid, struct mr_error *err)
{
	struct mr_host host = MR_THIS_HOST;

	host.process = pid;
	if (mr_simulator_is_entered() || mr_is_simulated(&host)) {
		mr_fail_usage(
			err,
			"--pid is not available on the simulated HCA: programs make no calls to "
			"the kernel there");
		mr_hint(err, "start the program by mrctl sim mrctl trace -- CMD");
		return -EINVAL;
	}
	if (mr_namespace_is_first(mr_this_host(), "pid") != MR_NO)
		return 0;
	mr_fail_text(err, MR_ERROR_HOST, EPERM, "--pid requires the initial PID namespace");
	mr_hint(err, "run mrctl on the host, with the PID that the process has there");
	return -EPERM;
}

/* ---- what is registered ---- */

/* Counts the regions of the process now.  Errors are ignored: the counts then stay unknown. */
static void count_registered(pid_t pid, struct trace_job *job)
{
	struct mr_opt_u64 *regions = &job->now_regions, *bytes = &job->now_bytes;
	struct mr_nldev nl = { .socket = NULL };
	struct mr_nldev_devices devices = { .count = 0 };
	struct mr_error ignored;
	uint64_t start;
	uint32_t last = 0;
	bool is_of_process = false;
	bool is_known = mr_process_life(pid, &start) == MR_PROCESS_LIVES &&
			!mr_nldev_open(&nl, &ignored) && !mr_nldev_devices(&nl, &devices, &ignored);

	for (size_t i = 0; is_known && i < devices.count; i++) {
		struct mr_nldev_mrs mrs = { .count = 0 };

		is_known = !mr_nldev_mrs(&nl, devices.list[i].index, &mrs, &ignored);
		for (size_t j = 0; j < mrs.count; j++) {
			const struct mr_nldev_mr *mr = &mrs.list[j];

			/* The kernel names the thread that registered it. */
			if (mr->pid != last)
				is_of_process =
					mr->pid && mr_process_of_thread((pid_t)mr->pid) == pid;
			last = mr->pid;
			regions->value += is_of_process;
			if (is_of_process && mr->odp != MR_NLDEV_ODP_IMPLICIT)
				bytes->value = mr_sum(bytes->value, mr->length);
		}
		mr_nldev_mrs_release(&mrs);
	}
	regions->known = bytes->known = is_known;
	mr_nldev_devices_release(&devices);
	mr_nldev_close(&nl);
}

/* ---- the run ---- */

/* Watches the process until it ends, or a signal comes.  Return: 0, or -errno. */
static int attach_run(struct trace_job *job, struct mr_error *err)
{
	const pid_t pid = (pid_t)job->args->pid.value;
	struct mr_follow *follow = &job->follow;
	struct mr_attach attach = { .fd_count = 0 };
	char program[MR_TRACE_PATH];
	int rc = identify(&job->args->pid, program, sizeof(program), err);

	if (!rc)
		rc = check_kernel(pid, err);
	if (rc)
		return rc;
	signal(SIGPIPE, SIG_IGN); /* the reader of a file of trace may end before the summary */
	rc = mr_follow_attach(follow, pid, program, err);
	if (rc)
		return rc;
	job->attached_program[0] = follow->first->program;
	rc = mr_attach_begin(&attach, pid, err);
	if (!rc && !job->invocation->global->style.quiet)
		report_note("trace", "watching %s (pid %d) until it ends, or Ctrl-C", program, pid);
	if (!rc) {
		rc = mr_attach_run(&attach, follow, err);
		count_registered(pid, job);
	}
	mr_attach_end(&attach);
	return rc;
}

/* ---- calls, while the program runs ---- */

/* Prints an argument of print_call() if it is known. */
#define ARGUMENT(is_known, ...)                                                                    \
	do {                                                                                       \
		if (!(is_known))                                                                   \
			break;                                                                     \
		fputs(separator, line);                                                            \
		fprintf(line, __VA_ARGS__);                                                        \
		separator = ", ";                                                                  \
	} while (0)

static void print_call(FILE *line, const struct call_row *row)
{
	const bool has_other_iova = !row->addr.known || row->iova.value != row->addr.value;
	const char *separator = row->device ? ", " : "";
	char text[FIELD_TEXT_MAX];

	fprintf(line, "%s(%s", row->call, row->device ?: "");
	ARGUMENT(row->addr.known, "0x%" PRIx64, row->addr.value);
	ARGUMENT(row->fd.known, "fd %" PRIu64, row->fd.value);
	ARGUMENT(row->offset.known, "offset %" PRIu64, row->offset.value);
	ARGUMENT(row->length.known, "%" PRIu64, row->length.value);
	ARGUMENT(row->iova.known && has_other_iova, "iova 0x%" PRIx64, row->iova.value);
	ARGUMENT(row->access.known, "%s", access_text((uint32_t)row->access.value, text));
	ARGUMENT(row->page_sizes.known, "pages %s", pages_text(row->page_sizes.value, text));
	ARGUMENT(row->flags.known, "flags 0x%" PRIx64, row->flags.value);
	fprintf(line, ") = ");
	if (row->errno_value.known)
		fprintf(line, "%s (%s)", row->answer, mr_errno_text((int)row->errno_value.value));
	else if (row->lkey.known)
		fprintf(line, "lkey 0x%" PRIx64 ", rkey 0x%" PRIx64, row->lkey.value,
			row->rkey.value);
	else
		fputs(row->answer, line);
	fprintf(line, " <%" PRIu64 ".%03u us>", row->elapsed_ns.value / 1000,
		(unsigned int)(row->elapsed_ns.value % 1000));
}

/* Prints a call on standard error: "[pid 12] ibv_reg_mr(mlx5_0, ...) = lkey 0x1308 <12 us>". */
static void live_print(const struct call_row *row, bool is_attached)
{
	mr_auto_free char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		return;
	if (is_attached)
		fprintf(line, "%" PRIu64 ".%06u [pid %" PRIu64 ", tid %" PRIu64 "] ",
			row->at_ns.value / 1000000000,
			(unsigned int)(row->at_ns.value % 1000000000 / 1000), row->pid.value,
			row->tid.value);
	else
		fprintf(line, "[pid %" PRIu64 "] ", row->pid.value);
	print_call(line, row);
	if (fclose(line))
		return;
	text_print(text, stderr);
	fputc('\n', stderr);
}

static void note_unwritten(struct trace_job *job)
{
	if (!job->calls_errnum)
		job->calls_errnum = errno;
}

static void show_call(void *data, struct mr_traced_process *process,
		      const struct mr_traced_record *record, struct mr_site *site,
		      const struct mr_look *look)
{
	struct trace_job *job = data;
	const struct output_style *style = &job->invocation->global->style;
	const struct mr_trace_record *call = &record->call;
	const bool is_attached = job->args->pid.known;
	const bool is_shown = is_attached && call->errnum && !style->quiet;
	FILE *calls = job->files[CALLS_FILE];
	struct call_row row;
	struct why *why;
	char **callers;

	if (job->args->refused_only && !call->errnum)
		return;
	/* libibverbs makes one for each registration of a program that forks. */
	if (call->call == MR_TRACED_MADVISE && !call->errnum && !style->verbose)
		return;
	why = look ? why_of_diagnosis(&look->diagnosis) : NULL;
	call_row_fill(&row, process->pid, mr_process_place(process, site), call, look, why);
	row.at_ns = known(call->begin_ns > job->start_ns ? call->begin_ns - job->start_ns : 0);
	callers = job->args->stacks ? mr_process_callers(process, record->frames, call->frame_count)
				    : NULL;
	row.stack = (const char *const *)callers;
	if (calls) {
		json_put_object(calls, &call_record, NULL, &row);
		if (fputc('\n', calls) < 0)
			note_unwritten(job);
	}
	if (job->args->live || is_shown)
		live_print(&row, is_attached);
	if (is_shown && why)
		why_report(why, style->verbose);
	mr_callers_release(callers);
	why_release(why);
}

/* Reports that a program cannot be followed, and why; @pid: 0 before it runs. */
static void note_not_followed(void *data, pid_t pid, const char *path, uint32_t obstacle)
{
	struct trace_job *job = data;
	struct not_followed row = { .pid = { (uint64_t)pid, pid != 0 },
				    .reason = trace_obstacle_text(obstacle) };
	struct not_followed *more = job->not_followed;

	snprintf(row.program, sizeof(row.program), "%s", path);
	mr_clean_text(row.program, sizeof(row.program));
	for (size_t i = 0; i < job->not_followed_count; i++)
		if (!strcmp(more[i].program, row.program) && more[i].reason == row.reason)
			return;
	if (pid)
		report_note("trace", "%s (pid %d) is not followed: %s", row.program, pid,
			    row.reason);
	else
		report_note("trace", "%s is not followed: %s", row.program, row.reason);
	more = reallocarray(more, job->not_followed_count + 1, sizeof(*more));
	if (!more)
		return;
	job->not_followed = more;
	more[job->not_followed_count++] = row;
}

static void flush_calls(void *data)
{
	struct trace_job *job = data;

	if (job->files[CALLS_FILE] && fflush(job->files[CALLS_FILE]))
		note_unwritten(job);
}

/* Runs the program and follows it.  Reports at once if mrctl cannot follow it. */
static int follow_program(struct trace_job *job, struct mr_error *err)
{
	struct mr_follow *follow = &job->follow;
	const char *program = job->invocation->operands[0];
	enum mr_trace_obstacle obstacle = MR_TRACE_FOLLOWED;
	struct mr_error failure = { 0 };
	char path[MR_TRACE_PATH];
	pid_t child;

	if (program && !mr_trace_find_program(program, getenv("PATH"), path, sizeof(path)))
		obstacle = mr_trace_program(AT_FDCWD, path);
	if (obstacle != MR_TRACE_FOLLOWED)
		note_not_followed(job, 0, path, obstacle);
	child = mr_follow_fork(follow);
	if (child < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "fork", NULL);
	if (!child && !mr_trace_enter(follow->channel.name, follow->channel.token, &failure))
		_exit(program_exec(job->invocation, &failure));
	if (!child) {
		report_error("trace", &failure);
		_exit(EXIT_REFUSED);
	}
	signal(SIGPIPE, SIG_IGN); /* the program continues where the reader of a file ends */
	if (obstacle != MR_TRACE_FOLLOWED)
		mr_monitor_announced(&follow->monitor, child);
	return mr_follow_run(follow, child, &job->status, err);
}

/* Ends this process as the program was ended, so that a shell sees the same; it returns where that is not possible. */
static void end_by_signal(int signal_number)
{
	const struct rlimit none = { 0, 0 };
	sigset_t mask;

	setrlimit(RLIMIT_CORE, &none);
	signal(signal_number, SIG_DFL);
	sigemptyset(&mask);
	sigaddset(&mask, signal_number);
	raise(signal_number);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
}

static int status_of(const struct trace_job *job)
{
	const int status = job->status, code = WEXITSTATUS(status); /* 0 after a signal */

	if (job->args->expect_none_refused && job->follow.refusals.total)
		return EXIT_REFUSED;
	if (job->args->expect_none_refused && !job->complete && code != EXIT_CANNOT_EXEC &&
	    code != EXIT_NO_PROGRAM)
		return EXIT_UNSEEN;
	if (WIFEXITED(status))
		return code;
	end_by_signal(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

/* Prints and writes all results, even if a part cannot be written.  @err: of the first part that cannot */
static int write_results(struct trace_job *job, struct mr_error *err)
{
	struct mr_error errors[TRACE_FILES] = { 0 };
	char command[FIELD_TEXT_MAX];

	if (job->files[REPRODUCED_FILE])
		mr_reproduction_write(&job->follow.refusals, words_text(job->program, command),
				      job->args->paths[REPRODUCED_FILE],
				      mr_clock_ns(CLOCK_REALTIME) / 1000000000,
				      job->files[REPRODUCED_FILE]);
	for (int i = CALLS_FILE; i <= REPRODUCED_FILE; i++) {
		if (job->files[i])
			private_file_close(job->files[i], job->args->paths[i], &errors[i]);
		job->files[i] = NULL;
	}
	if (job->calls_errnum)
		mr_fail(&errors[CALLS_FILE], MR_ERROR_HOST, job->calls_errnum, "write", "%s",
			job->args->paths[CALLS_FILE]);
	summary_print(job, &errors[SUMMARY_FILE]);
	for (int i = 0; i < TRACE_FILES; i++)
		if (mr_error_is_set(&errors[i])) {
			*err = errors[i];
			return -err->errnum;
		}
	return 0;
}

static int run_job(struct trace_job *job, struct mr_error *err)
{
	const struct trace_args *args = job->args;
	int rc = args->pid.known ? 0 : mr_channel_open(&job->follow.channel, err);

	/* Before the program runs: a wrong path must not cost the results of hours. */
	for (int i = 0; !rc && i < TRACE_FILES; i++)
		if (args->paths[i] &&
		    !(job->files[i] = private_file_open(args->paths[i], args->force, err)))
			rc = -err->errnum;
	if (!rc)
		rc = args->pid.known ? attach_run(job, err) : follow_program(job, err);
	if (rc)
		return rc;
	trace_sum(job);
	if (!write_results(job, err))
		return status_of(job);
	if (WIFEXITED(job->status) && !WEXITSTATUS(job->status))
		return -err->errnum;
	report_error("trace", err);
	mr_error_clear(err);
	return status_of(job);
}

static int run_trace(const struct invocation *invocation, struct mr_error *err)
{
	const struct trace_args *args = invocation->args;
	struct trace_job job = { .invocation = invocation, .args = args, .start_ns = mr_now_ns() };
	struct mr_follow *follow = &job.follow;
	int rc;

	follow->frames = args->stacks || args->leaks ? MR_TRACE_FRAMES : 0;
	follow->channel.fd = -1;
	follow->signals = -1;
	follow->sink = (struct mr_trace_sink){ .data = &job,
					       .not_followed = note_not_followed,
					       .caught_up = flush_calls };
	if (args->paths[CALLS_FILE] || args->live || args->pid.known)
		follow->sink.call = show_call;
	rc = run_job(&job, err);
	for (int i = 0; i < TRACE_FILES; i++)
		if (job.files[i])
			fclose(job.files[i]);
	mr_follow_close(follow);
	free(job.not_followed);
	return rc;
}

static int check_trace(const struct invocation *invocation, struct mr_error *err)
{
	const struct trace_args *args = invocation->args;

	if (args->pid.known && invocation->operands[0])
		return mr_fail_usage(err, "--pid excludes a program to run: '%s'",
				     invocation->operands[0]);
	if (args->pid.known && (args->stacks || args->leaks))
		return mr_fail_usage(
			err,
			"--%s excludes --pid: the kernel does not know the place of a call in "
			"the program",
			args->stacks ? "stacks" : "leaks");
	if (args->refused_only && !args->paths[CALLS_FILE] && !args->live)
		return mr_fail_usage(err, "--refused-only requires -o FILE or --live");
	if (args->force && !args->paths[CALLS_FILE] && !args->paths[REPRODUCED_FILE] &&
	    !args->paths[SUMMARY_FILE])
		return mr_fail_usage(err, "--force requires -o, --reproduce or --summary");
	for (int i = 1; i < TRACE_FILES; i++)
		for (int j = 0; args->paths[i] && j < i; j++)
			if (args->paths[j] && !strcmp(args->paths[i], args->paths[j]) &&
			    strncmp(args->paths[i], "/dev/", 5) != 0)
				return mr_fail_usage(
					err,
					"-o, --reproduce and --summary require different files");
	return 0;
}

static const struct option_spec options[] = {
	OPTION('p', "pid", number, struct trace_args, pid, "PID",
	       "watch a running program, as root, until it ends or Ctrl-C"),
	OPTION('o', "output", string, struct trace_args, paths[CALLS_FILE], "FILE",
	       "write each call to FILE, as JSON Lines"),
	OPTION(0, "live", flag, struct trace_args, live, NULL,
	       "show each call on standard error while the program runs"),
	OPTION(0, "refused-only", flag, struct trace_args, refused_only, NULL,
	       "with -o and --live: only refused calls"),
	OPTION(0, "stacks", flag, struct trace_args, stacks, NULL,
	       "show the callers of each call, not only its place"),
	OPTION(0, "calls", flag, struct trace_args, calls, NULL,
	       "add a table of the calls to the summary"),
	OPTION(0, "leaks", flag, struct trace_args, leaks, NULL,
	       "show all places of regions that were never deregistered, with their callers"),
	OPTION(0, "reproduce", string, struct trace_args, paths[REPRODUCED_FILE], "FILE",
	       "write a batch that is refused in the same way"),
	OPTION(0, "force", flag, struct trace_args, force, NULL, "overwrite files that exist"),
	OPTION(0, "summary", string, struct trace_args, paths[SUMMARY_FILE], "FILE",
	       "write the summary to FILE, not to standard error"),
	OPTION(0, "expect-none-refused", flag, struct trace_args, expect_none_refused, NULL,
	       "exit 1 if a call was refused, 4 if not all were seen"),
	OPTION_END,
};

static const struct option_group group = { "Trace", options };
static const struct option_group *const groups[] = { &group, NULL };

const struct command command_trace = {
	.name = "trace",
	.operands = "[-- CMD [ARG...]]",
	.summary = "show what a program registers, and why a call is refused",
	.description =
		"Runs CMD (default: $SHELL) and follows all processes that it starts. It records "
		"each call of libibverbs and libmlx5 that registers, changes or deregisters "
		"memory. When all processes have ended, a summary on standard error shows the "
		"registered regions, the regions that were never deregistered, and the causes of "
		"refusals. CMD and its output are not changed. With --pid it watches a "
		"running program.",
	.groups = groups,
	.args_size = sizeof(struct trace_args),
	.record = &trace_call_record,
	.members = trace_members,
	.lines = &call_record,
	.columns = "call,calls,refused,bytes,elapsed_ns,slowest_ns",
	.examples =
		(const char *const[]){ "mrctl trace -- ibv_rc_pingpong",
				       "mrctl trace -o calls.jsonl --stacks -- ibv_devinfo",
				       "mrctl sim -- mrctl trace -- mrctl reg --memory readonly",
				       NULL },
	.runs_program = true,
	.opens_no_device = true,
	.not_in_batch = true,
	.has_own_document = true,
	.check = check_trace,
	.run = run_trace,
};
