/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets up the environment in which programs find the simulated HCA (lib/sim) instead of those of the machine. */
#ifndef LIB_SIMULATOR_ENTER_H
#define LIB_SIMULATOR_ENTER_H

#include <stdbool.h>

#include "lib/simulator/spec.h"

/**
 * mr_simulator_enter() - let programs that are started from now on find the simulated HCA
 * @profile: kind of its device
 * @kernel:  whose answers it gives
 * @faults:  that it makes; if there are none, those of the environment stay
 *
 * The simulator is looked for in the folder of the running mrctl (sim/, in a build tree), in
 * ../lib/mrctl/sim from there, and in mrctl/sim below the LIBDIR of the build.
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_simulator_enter(enum mr_sim_profile profile, enum mr_sim_kernel kernel,
		       const struct mr_sim_faults *faults, struct mr_error *err);

/** mr_simulator_is_entered() - whether the environment requests a simulated HCA */
bool mr_simulator_is_entered(void);

/** mr_simulator_set() - set a variable of the simulator.  Return: 0, or -errno with MR_ERROR_HOST. */
int mr_simulator_set(const char *variable, const char *value, struct mr_error *err);

/**
 * mr_simulator_pinned() - bytes that this process has pinned by simulated devices
 *
 * The simulated HCA counts them against RLIMIT_MEMLOCK as a kernel does, but they are not in VmPin of
 * /proc/self/status.
 *
 * Return: not known where the simulator is not loaded into this process.
 */
struct mr_opt_u64 mr_simulator_pinned(void);

#endif
