/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests of the agent to mrctl.  Each takes a descriptor for as long as it lasts, and keeps none.  Once the program has
 * a filter of system calls, which may kill for socket(2), there are none.
 */
#ifndef LIB_TRACE_AGENT_CHANNEL_H
#define LIB_TRACE_AGENT_CHANNEL_H

#include "lib/trace/agent/state.h"

/**
 * Whether the program has installed a filter of system calls, which may kill it for one that it does not make itself.
 * A child has inherited that.
 */
extern _Atomic uint32_t agent_is_filtered;

/** channel_read_environment() - read $MRCTL_TRACE; false: nobody traces */
bool channel_read_environment(void);

/** channel_variable() - "MRCTL_TRACE=NAME:TOKEN", as it was read; "" where nobody traces */
const char *channel_variable(void);

/** channel_join() - get a ring for this process; false: nobody answers, or not in the way of this version */
bool channel_join(struct agent_process *process);

/** channel_lost() - tell that the process is about to run a program that cannot be followed */
void channel_lost(const char *path, enum mr_trace_obstacle obstacle);

/** channel_closing() - tell that a library with this address is about to be unmapped; waits for mrctl */
void channel_closing(uintptr_t address);

/** channel_is_refused() - whether nobody listens any more: mrctl has ended; false: not known */
bool channel_is_refused(void);

#endif
