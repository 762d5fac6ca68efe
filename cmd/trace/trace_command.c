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
#include "cmd/output/files.h"
#include "cmd/output/output.h"
#include "cmd/trace/trace.h"
#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/nldev/nldev.h"
#include "lib/simulator/enter.h"
#include "lib/trace/kernel_calls.h"
#include "lib/trace/reproduction/reproduction.h"
#include "lib/trace/trace.h"
#include "lib/trace/wire/wire.h"

/* A run of mrctl trace, and what it does while the program runs. */
struct trace_job {
	const struct invocation *invocation;
	const struct trace_args *args;
	FILE *calls, *reproduction, *summary; /* of -o, --reproduce and --summary; or NULL */
	int calls_errnum; /* of the first call that could not be written; or 0 */
	uint64_t start_ns;
	struct trace_result result;
};

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
		return mr_fail_usage(err, "%d is a thread of process %d: --pid takes the process",
				     pid, owner);
	if (!has_program)
		return mr_fail_usage(err, "%d (%s) is a thread of the kernel", pid, name);
	return 0;
}

/* Refuses what the kernel does not show.  Return: 0, or -errno */
static int check_kernel(pid_t pid, struct mr_error *err)
{
	struct mr_host host = MR_THIS_HOST;

	host.process = pid;
	if (mr_simulator_is_entered() || mr_is_simulated(&host)) {
		mr_fail_usage(
			err,
			"--pid sees calls to the kernel, and programs on the simulated HCA make none");
		mr_hint(err, "start the program by mrctl sim mrctl trace -- CMD");
		return -EINVAL;
	}
	if (mr_namespace_is_first(mr_this_host(), "pid") != MR_NO)
		return 0;
	mr_fail_text(err, MR_ERROR_HOST, EPERM,
		     "--pid requires the first PID namespace: the kernel knows processes by other "
		     "numbers than this container");
	mr_hint(err, "run mrctl on the host, with the number that the process has there");
	return -EPERM;
}

/* ---- what is registered ---- */

static void add_mrs(const struct mr_nldev_mrs *mrs, pid_t pid, struct trace_result *result)
{
	uint32_t last = 0;
	bool is_of_process = false;

	for (size_t i = 0; i < mrs->count; i++) {
		const struct mr_nldev_mr *mr = &mrs->list[i];

		/* The kernel names the thread that registered it. */
		if (mr->pid != last)
			is_of_process = mr->pid && mr_process_of_thread((pid_t)mr->pid) == pid;
		last = mr->pid;
		if (!is_of_process)
			continue;
		result->now_regions.value++;
		if (mr->odp != MR_NLDEV_ODP_IMPLICIT)
			result->now_bytes.value = mr_sum(result->now_bytes.value, mr->length);
	}
}

/* Counts what the process has registered now; what ends it is told by nothing else, so errors do not matter. */
static void count_registered(pid_t pid, struct trace_result *result)
{
	struct mr_nldev nl = { .socket = NULL };
	struct mr_nldev_devices devices = { .count = 0 };
	struct mr_error ignored;
	uint64_t start;
	bool is_known = mr_process_life(pid, &start) == MR_PROCESS_LIVES &&
			!mr_nldev_open(&nl, &ignored) && !mr_nldev_devices(&nl, &devices, &ignored);

	for (size_t i = 0; is_known && i < devices.count; i++) {
		struct mr_nldev_mrs mrs = { .count = 0 };

		is_known = !mr_nldev_mrs(&nl, devices.list[i].index, &mrs, &ignored);
		add_mrs(&mrs, pid, result);
		mr_nldev_mrs_release(&mrs);
	}
	result->now_regions.known = result->now_bytes.known = is_known;
	mr_nldev_devices_release(&devices);
	mr_nldev_close(&nl);
}

/* ---- the run ---- */

static int watch(struct trace_job *job, pid_t pid, const char *program, struct mr_attach *attach,
		 struct mr_error *err)
{
	struct mr_follow *follow = &job->result.follow;
	struct mr_traced_process *process = mr_follow_attach(follow, pid);
	int rc;

	if (!process)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	if (process->pidfd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "pidfd_open", "pid %d", pid);
	snprintf(process->program, sizeof(process->program), "%s", program);
	job->result.attached_program[0] = process->program;
	rc = mr_attach_begin(attach, pid, err);
	if (rc)
		return rc;
	if (!job->invocation->global->style.quiet)
		report_note("trace", "watching %s (pid %d) until it ends, or Ctrl-C",
			    process->program, pid);
	rc = mr_attach_run(attach, follow, err);
	count_registered(pid, &job->result);
	return rc;
}

/* Watches the process until it ends, or a signal comes.  Return: 0, or -errno. */
static int attach_run(struct trace_job *job, struct mr_error *err)
{
	const struct mr_opt_u64 *number = &job->args->pid;
	struct mr_attach attach = { .fd_count = 0 };
	char program[MR_TRACE_PATH];
	int rc = identify(number, program, sizeof(program), err);

	if (!rc)
		rc = check_kernel((pid_t)number->value, err);
	if (rc)
		return rc;
	signal(SIGPIPE,
	       SIG_IGN); /* who reads a file of trace may go, and the summary is still to come */
	rc = watch(job, (pid_t)number->value, program, &attach, err);
	mr_attach_end(&attach);
	return rc;
}

enum { LINE_MAX_BYTES = 2048 };

struct line {
	char text[LINE_MAX_BYTES];
	size_t used;
	bool has_argument;
};

static void add(struct line *line, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *fmt, ...)
{
	va_list ap;
	int length;

	va_start(ap, fmt);
	length = vsnprintf(line->text + line->used, sizeof(line->text) - line->used, fmt, ap);
	va_end(ap);
	line->used += (size_t)length;
	if (line->used >= sizeof(line->text))
		line->used = sizeof(line->text) - 1;
}

/* Begins an argument. */
static const char *comma(struct line *line)
{
	const char *text = line->has_argument ? ", " : "";

	line->has_argument = true;
	return text;
}

static void add_number(struct line *line, const char *name, const struct mr_opt_u64 *value)
{
	if (value->known)
		add(line, "%s%s%" PRIu64, comma(line), name, value->value);
}

static void add_hex(struct line *line, const char *name, const struct mr_opt_u64 *value)
{
	if (value->known)
		add(line, "%s%s0x%" PRIx64, comma(line), name, value->value);
}

static void add_arguments(struct line *line, const struct call_row *row)
{
	char text[FIELD_TEXT_MAX];

	if (row->device)
		add(line, "%s%s", comma(line), row->device);
	add_hex(line, "", &row->addr);
	add_number(line, "fd ", &row->fd);
	add_number(line, "offset ", &row->offset);
	add_number(line, "", &row->length);
	if (row->iova.known && !(row->addr.known && row->iova.value == row->addr.value))
		add_hex(line, "iova ", &row->iova);
	if (row->access.known)
		add(line, "%s%s", comma(line), access_text((uint32_t)row->access.value, text));
	if (row->page_sizes.known)
		add(line, "%spages %s", comma(line), pages_text(row->page_sizes.value, text));
	add_hex(line, "flags ", &row->flags);
}

static void add_answer(struct line *line, const struct call_row *row)
{
	if (row->errno_value.known)
		add(line, "%s (%s)", row->answer, mr_errno_text((int)row->errno_value.value));
	else if (strcmp(row->answer, "ok") != 0)
		add(line, "%s", row->answer);
	else if (row->lkey.known)
		add(line, "lkey 0x%" PRIx64 ", rkey 0x%" PRIx64, row->lkey.value, row->rkey.value);
	else
		add(line, "ok");
	add(line, " <%" PRIu64 ".%03u us>", row->elapsed_ns.value / 1000,
	    (unsigned int)(row->elapsed_ns.value % 1000));
}

/* Prints a call on standard error: "[pid 12] ibv_reg_mr(mlx5_0, ...) = lkey 0x1308 <12 us>". */
static void live_print(const struct call_row *row, bool is_attached)
{
	struct line line = { .used = 0 };

	if (is_attached)
		add(&line, "%" PRIu64 ".%06u [pid %" PRIu64 ", tid %" PRIu64 "] %s(",
		    row->at_ns.value / 1000000000,
		    (unsigned int)(row->at_ns.value % 1000000000 / 1000), row->pid.value,
		    row->tid.value, row->call);
	else
		add(&line, "[pid %" PRIu64 "] %s(", row->pid.value, row->call);
	add_arguments(&line, row);
	add(&line, ") = ");
	add_answer(&line, row);
	text_print(line.text, stderr);
	fputc('\n', stderr);
}

static void note_unwritten(struct trace_job *job)
{
	if (!job->calls_errnum)
		job->calls_errnum = errno;
}

static void write_call(struct trace_job *job, const struct call_row *row)
{
	json_put_object(job->calls, &call_record, NULL, row);
	if (fputc('\n', job->calls) < 0)
		note_unwritten(job);
}

static void fill_stack(struct call_row *row, struct mr_traced_process *process,
		       const struct mr_traced_record *record)
{
	const uint32_t count = record->call.frame_count;

	for (uint32_t i = 0; i < count; i++)
		row->frames[i] = mr_process_caller(process, record->frames[i]);
	row->frames[count] = NULL;
	row->stack = count ? row->frames : NULL;
}

static void show_call(void *data, struct mr_traced_process *process,
		      const struct mr_traced_record *record, struct mr_site *site,
		      const struct mr_look *look)
{
	struct trace_job *job = data;
	const struct output_style *style = &job->invocation->global->style;
	const bool is_shown = job->args->pid.known && record->call.errnum && !style->quiet;
	const uint64_t begin = record->call.begin_ns;
	struct call_row row;
	struct why *why;

	if (job->args->refused_only && !record->call.errnum)
		return;
	/* libibverbs makes one for each registration of a program that forks. */
	if (record->call.call == MR_TRACED_MADVISE && !record->call.errnum && !style->verbose)
		return;
	why = look ? why_of_diagnosis(&look->diagnosis) : NULL;
	call_row_fill(&row, &(struct call_facts){ .pid = process->pid,
						  .place = mr_process_place(process, site),
						  .record = &record->call,
						  .look = look,
						  .why = why });
	row.at_ns = known(begin > job->start_ns ? begin - job->start_ns : 0);
	if (job->args->stacks)
		fill_stack(&row, process, record);
	if (job->calls)
		write_call(job, &row);
	if (job->args->live || is_shown)
		live_print(&row, job->args->pid.known);
	if (is_shown && why)
		why_report(why, style->verbose);
	why_release(why);
}

static bool is_reported(const struct trace_result *result, const struct not_followed *row)
{
	for (size_t i = 0; i < result->not_followed_count; i++)
		if (!strcmp(result->not_followed[i].program, row->program) &&
		    result->not_followed[i].reason == row->reason)
			return true;
	return false;
}

/* Says that a program cannot be followed, and why; @pid: 0 before it runs. */
static void trace_note_not_followed(struct trace_job *job, pid_t pid, const char *path,
				    uint32_t obstacle)
{
	struct trace_result *result = &job->result;
	struct not_followed row = { .pid = { (uint64_t)pid, pid != 0 },
				    .reason = trace_obstacle_text(obstacle) };
	struct not_followed *more;

	snprintf(row.program, sizeof(row.program), "%s", path);
	mr_clean_text(row.program, sizeof(row.program));
	if (is_reported(result, &row))
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

/* Who is told of calls: -o, --live, and what cannot be followed. */
static struct mr_trace_sink trace_job_sink(struct trace_job *job)
{
	const bool shows = job->args->calls_file || job->args->live || job->args->pid.known;

	return (struct mr_trace_sink){ .data = job,
				       .call = shows ? show_call : NULL,
				       .not_followed = note_not_followed,
				       .caught_up = flush_calls };
}

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
	const bool is_reported = check_program(job);
	const pid_t child = mr_follow_fork(follow);

	if (child < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "fork", NULL);
	if (!child)
		run_program(job);
	signal(SIGPIPE, SIG_IGN); /* who reads a file of trace may go, and the program runs on */
	if (is_reported)
		mr_monitor_announced(&follow->monitor, child);
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

/* After a signal WEXITSTATUS() is 0. */
static bool was_run(int status)
{
	return WEXITSTATUS(status) != EXIT_CANNOT_EXEC && WEXITSTATUS(status) != EXIT_NO_PROGRAM;
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
		return mr_fail_usage(err,
				     "--pid is for a program that runs already: leave out '%s'",
				     invocation->operands[0]);
	if (args->pid.known && (args->stacks || args->leaks))
		return mr_fail_usage(
			err,
			"--%s requires CMD: with --pid calls are seen in the kernel, which does not "
			"know their place in the program",
			args->stacks ? "stacks" : "leaks");
	if (args->refused_only && !args->calls_file && !args->live)
		return mr_fail_usage(err, "--refused-only is about the calls of -o FILE or --live");
	if (args->force && !args->calls_file && !args->reproduce && !args->summary_file)
		return mr_fail_usage(err, "--force needs -o, --reproduce or --summary");
	if (is_same_file(args->calls_file, args->reproduce) ||
	    is_same_file(args->calls_file, args->summary_file) ||
	    is_same_file(args->reproduce, args->summary_file))
		return mr_fail_usage(err, "-o, --reproduce and --summary need a file each");
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
	       "show the callers of each call, not only its place"),
	OPTION(0, "calls", flag, struct trace_args, calls, NULL,
	       "add a table of the calls to the summary"),
	OPTION(0, "leaks", flag, struct trace_args, leaks, NULL,
	       "show all places of regions that were never deregistered, with their callers"),
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
	.members = trace_members,
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
