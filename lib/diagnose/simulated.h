/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether the kernel's RDMA has a say: not where the devices that programs find are simulated ones. */
#ifndef LIB_DIAGNOSE_SIMULATED_H
#define LIB_DIAGNOSE_SIMULATED_H

#include <stdbool.h>

#include "lib/diagnose/finding.h"

/**
 * mr_is_simulated() - whether the RDMA devices of the host are simulated
 *
 * They all are, or none is: whoever asks for the simulated HCA (lib/simulator/enter.h) finds no other one.
 */
bool mr_is_simulated(struct mr_host *host);

/**
 * mr_kernel_has_no_say() - begin a check of the kernel's RDMA: its stack, modules, options or control groups
 *
 * Return: whether the devices are simulated; then the finding is set to n/a, and there is nothing to look at.
 */
bool mr_kernel_has_no_say(const struct mr_question *question, struct mr_finding *finding);

#endif
