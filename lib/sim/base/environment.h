/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_BASE_ENVIRONMENT_H
#define LIB_SIM_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/simulator/spec.h"

/** sim_wanted_kind() - the kind of device in MRCTL_SIM; MR_SIM_PROFILES: no device is simulated */
enum mr_sim_profile sim_wanted_kind(void);

/** sim_wanted_kernel() - the kernel in MRCTL_SIM_KERNEL, or the newest */
enum mr_sim_kernel sim_wanted_kernel(void);

/**
 * sim_has_optional_access() - whether the kernel knows optional access flags
 *
 * Contexts report it as IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS.
 *
 * Return: false with MRCTL_SIM_NO_OPTIONAL_ACCESS, as before Linux 5.7.
 */
bool sim_has_optional_access(void);

/** sim_wanted_limit() - the number in MRCTL_SIM_MAX_OBJECTS, or UINT32_MAX */
uint32_t sim_wanted_limit(void);

/** sim_has_data_direct() - whether the HCA has a Data Direct device (MRCTL_SIM_DATA_DIRECT) */
bool sim_has_data_direct(void);

/** sim_has_tph() - whether the HCA's PCI function has TPH, which DMA handles need (MRCTL_SIM_TPH) */
bool sim_has_tph(void);

/**
 * sim_refuse_variable() - print what is wrong with an environment variable, and end the process
 * @name: of the variable
 * @err:  the error; characters of its text that could control a terminal are replaced, since the
 *        text quotes the variable's value
 */
void sim_refuse_variable(const char *name, struct mr_error *err) __attribute__((noreturn));

#endif
