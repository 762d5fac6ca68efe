/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What can be asked of the simulated HCA, by name: kinds of devices, kernels and faults.  Shared by
 * mrctl and by the simulator (lib/sim), to which the environment carries it.
 */
#ifndef LIB_SIMULATOR_SPEC_H
#define LIB_SIMULATOR_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/choice.h"
#include "lib/base/error.h"

/* The environment variables by which the simulator is told; mrctl sim sets them. */
#define MR_SIM_VARIABLE                    "MRCTL_SIM" /* kind of device; unset: none is simulated */
#define MR_SIM_KERNEL_VARIABLE             "MRCTL_SIM_KERNEL"
#define MR_SIM_FAULT_VARIABLE              "MRCTL_SIM_FAULT"
#define MR_SIM_DATA_DIRECT_VARIABLE        "MRCTL_SIM_DATA_DIRECT" /* set: there is such a device */
#define MR_SIM_NO_OPTIONAL_ACCESS_VARIABLE "MRCTL_SIM_NO_OPTIONAL_ACCESS"

/** Kinds of devices: the value of MRCTL_SIM. */
enum mr_sim_profile {
	MR_SIM_MLX5,
	MR_SIM_RXE,
	MR_SIM_PROFILES,
};

extern const struct mr_word mr_sim_profiles[MR_SIM_PROFILES + 1]; /**< the last is unnamed */

/** Kernels whose answers are given: the value of MRCTL_SIM_KERNEL.  The first is the default. */
enum mr_sim_kernel {
	MR_SIM_KERNEL_7_2,
	MR_SIM_KERNEL_6_12,
	MR_SIM_KERNEL_6_1,
	MR_SIM_KERNELS,
};

extern const struct mr_word mr_sim_kernels[MR_SIM_KERNELS + 1]; /**< the last is unnamed */

/** Calls that can be made to fail. */
enum mr_sim_call {
	MR_SIM_OPEN,
	MR_SIM_GET_CONTEXT,
	MR_SIM_QUERY_CONTEXT,
	MR_SIM_QUERY_DEVICE,
	MR_SIM_QUERY_PORT,
	MR_SIM_QUERY_GID,
	MR_SIM_ALLOC_PD,
	MR_SIM_DEALLOC_PD,
	MR_SIM_QUERY_PD,
	MR_SIM_REG_MR,
	MR_SIM_REG_DMABUF_MR,
	MR_SIM_REG_DM_MR,
	MR_SIM_REREG_MR,
	MR_SIM_DEREG_MR,
	MR_SIM_QUERY_MR,
	MR_SIM_ADVISE_MR,
	MR_SIM_UMEM_REG,
	MR_SIM_UMEM_DEREG,
	MR_SIM_ALLOC_DM,
	MR_SIM_FREE_DM,
	MR_SIM_EXPORT_DMABUF,
	MR_SIM_INFO_HANDLES,
	MR_SIM_ALLOC_UAR,
	MR_SIM_DEALLOC_UAR,
	MR_SIM_ALLOC_EVENT,
	MR_SIM_DEVX,
	MR_SIM_LOCK,
	MR_SIM_CALLS, /**< how many; also: none of them */
};

extern const struct mr_word mr_sim_calls[MR_SIM_CALLS + 1]; /**< the last is unnamed */

enum mr_sim_action {
	MR_SIM_FAIL,       /**< answer with an errno, do nothing */
	MR_SIM_KILL,       /**< SIGKILL to the caller, before the call is carried out */
	MR_SIM_KILL_AFTER, /**< the same afterwards, before it returns */
	MR_SIM_STOP,       /**< SIGSTOP in its place */
	MR_SIM_STOP_AFTER,
	MR_SIM_DELAY, /**< wait, then carry it out */
};

extern const struct mr_word mr_sim_actions[]; /**< as they are written; the last is unnamed */

struct mr_sim_fault {
	const char *text; /**< as it was given */
	size_t length;
	enum mr_sim_call call;
	enum mr_sim_action action;
	uint64_t turn;  /**< which of a process's calls, from 1; 0: each */
	uint64_t value; /**< errno, or milliseconds */
};

#define MR_SIM_FAULTS_MAX 64

struct mr_sim_faults {
	size_t count;
	struct mr_sim_fault list[MR_SIM_FAULTS_MAX];
};

/**
 * mr_sim_profile_parse() - the kind of device with that name
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int mr_sim_profile_parse(const char *text, enum mr_sim_profile *profile, struct mr_error *err);

/**
 * mr_sim_kernel_parse() - the kernel with that name
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int mr_sim_kernel_parse(const char *text, enum mr_sim_kernel *kernel, struct mr_error *err);

/**
 * mr_sim_faults_parse() - add what @text asks for: CALL[@N]=ACTION, several separated by ';'
 * @text: stays in use as long as the text members are
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int mr_sim_faults_parse(const char *text, struct mr_sim_faults *faults, struct mr_error *err);

#endif
