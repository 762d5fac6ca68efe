/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The environment in which programs find the simulated HCA (lib/sim) rather than those of the machine. */
#ifndef LIB_SIMULATOR_ENTER_H
#define LIB_SIMULATOR_ENTER_H

#include <stdbool.h>

#include "lib/simulator/spec.h"

/**
 * mr_simulator_enter() - let programs that are started from now on find the simulated HCA
 * @profile: kind of its device
 * @kernel:  whose answers it gives
 * @faults:  that it makes; if there are none, those that the environment asks for stay
 *
 * The simulator is looked for in the folder of the running mrctl (sim/, in a build tree), in
 * ../lib/mrctl/sim from there, and in mrctl/sim below the LIBDIR of the build.
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_simulator_enter(enum mr_sim_profile profile, enum mr_sim_kernel kernel,
		       const struct mr_sim_faults *faults, struct mr_error *err);

/** mr_simulator_is_entered() - whether the environment asks for a simulated HCA */
bool mr_simulator_is_entered(void);

/**
 * mr_simulator_add_data_direct() - give the mlx5 HCA a Data Direct device
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_simulator_add_data_direct(struct mr_error *err);

/**
 * mr_simulator_add_tph() - give the mlx5 HCA the PCI capability TPH, which DMA handles need
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_simulator_add_tph(struct mr_error *err);

/**
 * mr_simulator_drop_optional_access() - simulate a kernel that knows no optional access flags
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_simulator_drop_optional_access(struct mr_error *err);

#endif
