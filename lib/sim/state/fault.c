// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Faults that the environment variable MRCTL_SIM_FAULT asks for: calls that fail or are delayed, or
 * at which the caller is killed or stopped.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lib/sim/base/environment.h"
#include "lib/sim/state/fault.h"
#include "lib/sim/state/process.h"

/* Written once, before main() runs and the program has threads. */
static struct mr_sim_faults plan;
static bool wanted[MR_SIM_CALLS];

/*
 * A fault that is misspelt ends the program before main().  If it were ignored, a test of the fault
 * would pass without having tested anything.
 */
static void read_plan(void) __attribute__((constructor));
static void read_plan(void)
{
	const char *text = getenv(MR_SIM_FAULT_VARIABLE);
	struct mr_error err;
	size_t i;

	if (!text || !*text)
		return;
	if (mr_sim_faults_parse(text, &plan, &err))
		sim_refuse_variable(MR_SIM_FAULT_VARIABLE, &err);
	for (i = 0; i < plan.count; i++)
		wanted[plan.list[i].call] = true;
}

static void signal_caller(int number)
{
	kill(getpid(), number);
}

static void wait_for(uint64_t milliseconds)
{
	struct timespec left = {
		.tv_sec = (time_t)(milliseconds / 1000),
		.tv_nsec = (long)(milliseconds % 1000) * 1000000,
	};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

bool sim_fault_wanted(enum mr_sim_call call)
{
	return call < MR_SIM_CALLS && wanted[call];
}

struct sim_fault sim_fault_enter(enum mr_sim_call call)
{
	const struct mr_sim_fault *asked;
	struct sim_fault fault = { 0 };
	uint64_t turn;
	size_t i;

	if (!sim_fault_wanted(call))
		return fault;
	turn = sim_process_count(call);
	for (i = 0; i < plan.count; i++) {
		asked = &plan.list[i];
		if (asked->call != call || (asked->turn && asked->turn != turn))
			continue;
		switch (asked->action) {
		case MR_SIM_FAIL:
			fault.error = -(int)asked->value;
			break;
		case MR_SIM_KILL:
			signal_caller(SIGKILL);
			break;
		case MR_SIM_KILL_AFTER:
			fault.signal_after = SIGKILL;
			break;
		case MR_SIM_STOP:
			signal_caller(SIGSTOP);
			break;
		case MR_SIM_STOP_AFTER:
			fault.signal_after = SIGSTOP;
			break;
		case MR_SIM_DELAY:
			wait_for(asked->value);
			break;
		}
	}
	return fault;
}

void sim_fault_leave(const struct sim_fault *fault)
{
	if (fault->signal_after)
		signal_caller(fault->signal_after);
}
