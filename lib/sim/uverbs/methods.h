/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_UVERBS_METHODS_H
#define LIB_SIM_UVERBS_METHODS_H

#include "lib/sim/call/attrs.h"

/**
 * sim_method_find() - look up a method of the call's device and kernel
 * @call: its method is set
 *
 * Return: 0, -EOPNOTSUPP for a method that the kernel has and the simulator does not model,
 * -EPROTONOSUPPORT for one that the kernel does not have either.
 */
int sim_method_find(struct sim_call *call, uint16_t object, uint16_t method);

#endif
