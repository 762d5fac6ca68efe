/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIMULATOR_PINNED_H
#define LIB_SIMULATOR_PINNED_H

#include "lib/base/base.h"

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
