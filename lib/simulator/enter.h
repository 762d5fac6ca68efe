/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Preparing a process to start programs on a machine with a simulated HCA (lib/sim). */
#ifndef LIB_SIMULATOR_ENTER_H
#define LIB_SIMULATOR_ENTER_H

#include <stdbool.h>

#include "lib/simulator/spec.h"

/**
 * mr_simulator_enter() - set the environment so that programs started from now on find the
 * simulated HCA
 * @profile: kind of its device
 * @kernel:  whose answers it gives
 * @faults:  that it is to make; where there are none, those in the environment stay
 *
 * The simulator stands beside the running mrctl (build tree), in ../lib/mrctl, or in the LIBDIR that
 * it was built for.
 *
 * Return: 0, or -errno.
 */
int mr_simulator_enter(enum mr_sim_profile profile, enum mr_sim_kernel kernel,
		       const struct mr_sim_faults *faults, struct mr_error *err);

/** mr_simulator_is_entered() - whether programs started from now on find a simulated HCA */
bool mr_simulator_is_entered(void);

/** mr_simulator_add_data_direct() - give an mlx5 HCA a Data Direct device as well */
int mr_simulator_add_data_direct(struct mr_error *err);

/**
 * mr_simulator_drop_optional_access() - give it a kernel that knows no optional access flags
 *
 * Return: as mr_simulator_add_data_direct().
 */
int mr_simulator_drop_optional_access(struct mr_error *err);

#endif
