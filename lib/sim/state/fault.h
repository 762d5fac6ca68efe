/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_FAULT_H
#define LIB_SIM_STATE_FAULT_H

#include <stdbool.h>

#include "lib/simulator/spec.h"

/** What is to happen to a call. */
struct sim_fault {
	int error;        /**< -errno to answer in place of carrying it out; 0: carry it out */
	int signal_after; /**< signal for the caller when it was carried out; 0: none */
};

/** sim_fault_wanted() - whether MRCTL_SIM_FAULT has a fault for a call */
bool sim_fault_wanted(enum mr_sim_call call);

/**
 * sim_fault_enter() - count a call, and delay, stop or kill the caller if that was asked for
 * @call: MR_SIM_CALLS: a call that has no faults
 *
 * No table may be locked: other processes would wait for one that was stopped.
 *
 * Return: what is left to do; sim_fault_leave() it where @error is 0.
 */
struct sim_fault sim_fault_enter(enum mr_sim_call call);

/** sim_fault_leave() - stop or kill the caller if that was asked for, after the call was carried out */
void sim_fault_leave(const struct sim_fault *fault);

#endif
