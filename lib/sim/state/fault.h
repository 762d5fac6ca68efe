/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_FAULT_H
#define LIB_SIM_STATE_FAULT_H

#include <stdbool.h>

#include "lib/simulator/spec.h"

/** What is to happen to a call that was entered. */
struct sim_fault {
	int error;        /**< 0, or the -errno to answer with instead of carrying it out */
	int signal_after; /**< that the caller is to get when it is done, or 0 */
};

/** sim_fault_wanted() - whether any fault of such calls was asked for */
bool sim_fault_wanted(enum mr_sim_call call);

/**
 * sim_fault_enter() - count a call, wait, stop or die, as was asked for; no table may be locked
 * @call: MR_SIM_CALLS for one that is not counted
 */
struct sim_fault sim_fault_enter(enum mr_sim_call call);

/** sim_fault_leave() - the call was carried out */
void sim_fault_leave(const struct sim_fault *fault);

#endif
