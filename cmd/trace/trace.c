// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cli/cli.h"
#include "cmd/output/files.h"
#include "cmd/output/output.h"
#include "cmd/trace/attach.h"
#include "cmd/trace/job.h"
#include "cmd/trace/rows.h"
#include "cmd/trace/summary.h"
#include "lib/base/base.h"
#include "lib/trace/reproduction/reproduction.h"
#include "lib/trace/trace.h"
#include "lib/trace/wire/wire.h"

/* The child: sets the environment, and becomes the program. */
static void run_program(const struct trace_job *job)
{
	const struct mr_channel *channel = &job->result.follow.channel;
	struct mr_error err = { 0 };
	int status;

	if (mr_trace_enter(channel->name, channel->token, &err)) {
		report_error("trace", &err);
		_exit(EXIT_REFUSED);
	}
	status = program_exec(job->invocation, &err);
	_exit(status);
}

/* Says at once that the program itself cannot be followed, before it runs.  Return: whether it was said. */
static bool check_program(struct trace_job *job)
{
	char path[MR_TRACE_PATH];
	enum mr_trace_obstacle obstacle;

	if (!job->invocation->operands[0] ||
	    mr_trace_find_program(job->invocation->operands[0], getenv("PATH"), path, sizeof(path)))
		return false;
	obstacle = mr_trace_program(AT_FDCWD, path);
	if (obstacle != MR_TRACE_FOLLOWED)
		trace_note_not_followed(job, 0, path, obstacle);
	return obstacle != MR_TRACE_FOLLOWED;
}

static int follow_program(struct trace_job *job, struct mr_error *err)
{
	struct mr_follow *follow = &job->result.follow;
	const bool is_told = check_program(job);
	const pid_t child = mr_follow_fork(follow);

	if (child < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "fork", NULL);
	if (!child)
		run_program(job);
	signal(SIGPIPE, SIG_IGN); /* who reads a file of trace may go, and the program runs on */
	if (is_told)
		mr_lookout_announced(&follow->lookout, child);
	return mr_follow_run(follow, child, &job->result.status, err);
}

/* Ends this process as the program was ended, so that a shell sees the same; it returns where that is not possible. */
static void die_of(int signal_number)
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

static bool was_run(int status)
{
	return !WIFEXITED(status) ||
	       (WEXITSTATUS(status) != EXIT_CANNOT_EXEC && WEXITSTATUS(status) != EXIT_NO_PROGRAM);
}

/* With --expect-none-refused; 0: nothing was refused. */
static int status_of_refusals(const struct trace_job *job)
{
	struct trace_row row;

	trace_row_fill(&row, job->invocation, &job->result);
	if (row.refused.value)
		return EXIT_REFUSED;
	return row.complete || !was_run(job->result.status) ? 0 : EXIT_UNSEEN;
}

static int status_of(const struct trace_job *job)
{
	const int status = job->result.status;
	const int refused = job->args->expect_none_refused ? status_of_refusals(job) : 0;

	if (refused)
		return refused;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	die_of(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

/* Before the program runs: a path that is wrong is not to cost what hours have told. */
static int open_files(struct trace_job *job, struct mr_error *err)
{
	const struct {
		const char *path;
		FILE **file;
	} files[] = {
		{ job->args->calls_file, &job->calls },
		{ job->args->reproduce, &job->reproduction },
		{ job->args->summary_file, &job->summary },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (!files[i].path)
			continue;
		*files[i].file = private_file_open(files[i].path, job->args->force, err);
		if (!*files[i].file)
			return -err->errnum;
	}
	return 0;
}

static int close_calls(struct trace_job *job, struct mr_error *err)
{
	const char *path = job->args->calls_file;
	FILE *calls = job->calls;
	int rc;

	job->calls = NULL;
	if (!calls)
		return 0;
	rc = private_file_close(calls, path, err);
	if (job->calls_errnum)
		return mr_fail(err, MR_ERROR_HOST, job->calls_errnum, "write", "%s", path);
	if (!rc && job->out_of_memory)
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc",
			     "not all calls could be written to %s", path);
	return rc;
}

static int write_reproduction(struct trace_job *job, struct mr_error *err)
{
	char command[FIELD_TEXT_MAX];
	const struct mr_reproduction_head head = {
		.program = words_text(job->args->pid.known
					      ? job->result.attached_program
					      : (const char *const *)job->invocation->operands,
				      command),
		.path = job->args->reproduce,
		.time = mr_clock_ns(CLOCK_REALTIME) / 1000000000,
	};
	FILE *file = job->reproduction;

	job->reproduction = NULL;
	if (!file)
		return 0;
	mr_reproduction_write(&job->result.follow.refusals, &head, file);
	return private_file_close(file, head.path, err);
}

/* Tells all that was found, also where a part of it cannot be written.  @err: of the first part that cannot */
static int tell(struct trace_job *job, struct mr_error *err)
{
	struct mr_error calls = { 0 }, reproduction = { 0 }, summary = { 0 };
	const struct mr_error *errors[] = { &calls, &reproduction, &summary };

	close_calls(job, &calls);
	write_reproduction(job, &reproduction);
	summary_print(job->invocation, &job->result, job->summary, &summary);
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (mr_error_is_set(errors[i])) {
			*err = *errors[i];
			return -err->errnum;
		}
	return 0;
}

static int run_job(struct trace_job *job, struct mr_error *err)
{
	struct mr_follow *follow = &job->result.follow;
	const bool is_attached = job->args->pid.known;
	int rc = is_attached ? 0 : mr_follow_open(follow, err);

	if (!rc)
		rc = open_files(job, err);
	if (!rc)
		rc = is_attached ? attach_run(job, err) : follow_program(job, err);
	if (rc || !tell(job, err))
		return rc ? rc : status_of(job);
	if (WIFEXITED(job->result.status) && !WEXITSTATUS(job->result.status))
		return -err->errnum;
	report_error("trace", err);
	mr_error_clear(err);
	return status_of(job);
}

static void close_file(FILE *file)
{
	if (file)
		fclose(file);
}

static int run_trace(const struct invocation *invocation, struct mr_error *err)
{
	struct trace_job job = { .invocation = invocation,
				 .args = invocation->args,
				 .start_ns = mr_now_ns() };
	struct mr_follow *follow = &job.result.follow;
	int rc;

	follow->frames = job.args->stacks || job.args->leaks ? MR_TRACE_FRAMES : 0;
	follow->channel.fd = -1;
	follow->signals = -1;
	follow->sink = trace_job_sink(&job);
	rc = run_job(&job, err);
	close_file(job.calls);
	close_file(job.reproduction);
	close_file(job.summary);
	mr_follow_close(follow);
	json_rows_release(&job.call_texts);
	free(job.result.not_followed);
	return rc;
}

static bool is_same_file(const char *one, const char *other)
{
	return one && other && strncmp(one, "/dev/", 5) != 0 && !strcmp(one, other);
}

static int check_trace(const struct invocation *invocation, struct mr_error *err)
{
	const struct trace_args *args = invocation->args;

	if (args->pid.known && invocation->operands[0])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--pid is for a program that runs already: leave out '%s'",
				    invocation->operands[0]);
	if (args->pid.known && (args->stacks || args->leaks))
		return mr_fail_text(
			err, MR_ERROR_USAGE, EINVAL,
			"--%s requires CMD: with --pid calls are seen in the kernel, which does not "
			"know their place in the program",
			args->stacks ? "stacks" : "leaks");
	if (args->refused_only && !args->calls_file && !args->live)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--refused-only is about the calls of -o FILE or --live");
	if (args->force && !args->calls_file && !args->reproduce && !args->summary_file)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--force needs -o, --reproduce or --summary");
	if (is_same_file(args->calls_file, args->reproduce) ||
	    is_same_file(args->calls_file, args->summary_file) ||
	    is_same_file(args->reproduce, args->summary_file))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "-o, --reproduce and --summary need a file each");
	return 0;
}

static const struct option_spec options[] = {
	OPTION('p', "pid", number, struct trace_args, pid, "PID",
	       "watch a program that runs already, as root, until it ends or Ctrl-C"),
	OPTION('o', "output", string, struct trace_args, calls_file, "FILE",
	       "write each call to FILE, as JSON Lines"),
	OPTION(0, "live", flag, struct trace_args, live, NULL,
	       "show each call on standard error while the program runs"),
	OPTION(0, "refused-only", flag, struct trace_args, refused_only, NULL,
	       "of -o and --live: only calls that were refused"),
	OPTION(0, "stacks", flag, struct trace_args, stacks, NULL,
	       "tell the callers of each call, not only its place"),
	OPTION(0, "calls", flag, struct trace_args, calls, NULL,
	       "add a table of the calls to the summary"),
	OPTION(0, "leaks", flag, struct trace_args, leaks, NULL,
	       "tell all places of regions that were never deregistered, with their callers"),
	OPTION(0, "reproduce", string, struct trace_args, reproduce, "FILE",
	       "write a batch that is refused in the same way"),
	OPTION(0, "force", flag, struct trace_args, force, NULL, "overwrite files that exist"),
	OPTION(0, "summary", string, struct trace_args, summary_file, "FILE",
	       "write the summary to FILE, not to standard error"),
	OPTION(0, "expect-none-refused", flag, struct trace_args, expect_none_refused, NULL,
	       "exit status 1 where a call was refused, 4 where not all were seen"),
	OPTION_END,
};

static const struct option_group group = { "Trace", options, 0 };
static const struct option_group *const groups[] = { &group, NULL };

const struct command command_trace = {
	.name = "trace",
	.operands = "[-- CMD [ARG...]]",
	.summary = "run a program, see what it registers, and say why it is refused",
	.description =
		"Runs CMD (default: $SHELL) and follows all processes that it starts. Each call of libibverbs and "
		"libmlx5 that registers, changes or deregisters memory is seen. When all have ended, "
		"a summary on standard error tells what was registered, what was never "
		"deregistered, and why calls were refused. CMD and its output stay as they are. "
		"With --pid it watches a program that runs already.",
	.groups = groups,
	.args_size = sizeof(struct trace_args),
	.record = &trace_call_record,
	.columns = "call,calls,refused,bytes,elapsed_ns,slowest_ns",
	.examples =
		(const char *const[]){ "mrctl trace -- ibv_rc_pingpong",
				       "mrctl trace -o calls.jsonl --stacks -- ibv_devinfo",
				       "mrctl sim -- mrctl trace -- mrctl reg --memory readonly",
				       NULL },
	.runs_program = true,
	.opens_no_device = true,
	.not_in_batch = true,
	.check = check_trace,
	.run = run_trace,
};
