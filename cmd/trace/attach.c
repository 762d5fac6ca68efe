// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/output/output.h"
#include "cmd/trace/attach.h"
#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/host/processes.h"
#include "lib/host/reading.h"
#include "lib/nldev/nldev.h"
#include "lib/simulator/enter.h"
#include "lib/trace/kernel_calls.h"

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
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "%d is a thread of process %d: --pid takes the process", pid,
				    owner);
	if (!has_program)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "%d (%s) is a thread of the kernel", pid, name);
	return 0;
}

/* Refuses what the kernel does not show.  Return: 0, or -errno */
static int check_kernel(pid_t pid, struct mr_error *err)
{
	struct mr_host host = MR_THIS_HOST;

	host.process = pid;
	if (mr_simulator_is_entered() || mr_is_simulated(&host)) {
		mr_fail_text(
			err, MR_ERROR_USAGE, EINVAL,
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
	struct mr_nldev nl = { .fd = -1 };
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

int attach_run(struct trace_job *job, struct mr_error *err)
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
