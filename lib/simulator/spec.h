/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kinds of devices, kernels and faults of the simulated HCA, by name.  mrctl passes
 * the names to the simulator (lib/sim) in environment variables; both parse them here.
 */
#ifndef LIB_SIMULATOR_SPEC_H
#define LIB_SIMULATOR_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"

/*
 * Environment variables that the simulator reads; "mrctl sim" sets them.  Without MRCTL_SIM no device is
 * simulated.  MRCTL_SIM_DATA_DIRECT gives mlx5 a Data Direct device, MRCTL_SIM_TPH gives it the PCI capability
 * TPH, and MRCTL_SIM_NO_OPTIONAL_ACCESS removes the optional access flags, as in Linux before 5.7; these take effect
 * with any value.  MRCTL_SIM_MAX_OBJECTS is a number: the limit of objects of a newly opened context,
 * as with the limit hca_object of an rdma cgroup.  (The host's cgroups know no simulated device.)
 */
#define MR_SIM_VARIABLE                    "MRCTL_SIM"
#define MR_SIM_KERNEL_VARIABLE             "MRCTL_SIM_KERNEL"
#define MR_SIM_FAULT_VARIABLE              "MRCTL_SIM_FAULT"
#define MR_SIM_DATA_DIRECT_VARIABLE        "MRCTL_SIM_DATA_DIRECT"
#define MR_SIM_TPH_VARIABLE                "MRCTL_SIM_TPH"
#define MR_SIM_NO_OPTIONAL_ACCESS_VARIABLE "MRCTL_SIM_NO_OPTIONAL_ACCESS"
#define MR_SIM_MAX_OBJECTS_VARIABLE        "MRCTL_SIM_MAX_OBJECTS"

/** Prefixes of the names of memfds that represent dma-bufs. */
#define MR_SIM_DMABUF_NAME "mrctl-dmabuf"

/** Kinds of devices: the value of MRCTL_SIM. */
enum mr_sim_profile {
	MR_SIM_MLX5,
	MR_SIM_RXE,
	MR_SIM_PROFILES,
};

extern const struct mr_word mr_sim_profiles[MR_SIM_PROFILES + 1]; /**< the last is unnamed */

/** Kernels whose answers the simulator gives: the value of MRCTL_SIM_KERNEL.  The first is the default. */
enum mr_sim_kernel {
	MR_SIM_KERNEL_7_2,
	MR_SIM_KERNEL_6_12,
	MR_SIM_KERNEL_6_1,
	MR_SIM_KERNELS,
};

extern const struct mr_word mr_sim_kernels[MR_SIM_KERNELS + 1]; /**< the last is unnamed */

/** Calls that can have a fault. */
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
	MR_SIM_ALLOC_MW,
	MR_SIM_DEALLOC_MW,
	MR_SIM_ALLOC_DM,
	MR_SIM_FREE_DM,
	MR_SIM_EXPORT_DMABUF,
	MR_SIM_ALLOC_DMAH,
	MR_SIM_FREE_DMAH,
	MR_SIM_INFO_HANDLES,
	MR_SIM_ALLOC_UAR,
	MR_SIM_DEALLOC_UAR,
	MR_SIM_ALLOC_EVENT,
	MR_SIM_CREATE_COMP_CHANNEL,
	MR_SIM_CREATE_CQ,
	MR_SIM_REQ_NOTIFY_CQ,
	MR_SIM_DESTROY_CQ,
	MR_SIM_CREATE_SRQ,
	MR_SIM_MODIFY_SRQ,
	MR_SIM_QUERY_SRQ,
	MR_SIM_DESTROY_SRQ,
	MR_SIM_CREATE_QP,
	MR_SIM_MODIFY_QP,
	MR_SIM_QUERY_QP,
	MR_SIM_DESTROY_QP,
	MR_SIM_CREATE_AH,
	MR_SIM_DESTROY_AH,
	MR_SIM_DEVX,
	MR_SIM_LOCK,
	MR_SIM_CALLS, /**< their number; in place of a call: none of them */
};

extern const struct mr_word mr_sim_calls[MR_SIM_CALLS + 1]; /**< the last is unnamed */

/** Effect of a fault on a call. */
enum mr_sim_action {
	MR_SIM_FAIL,       /**< the call answers an errno, and is not carried out */
	MR_SIM_KILL,       /**< the caller gets SIGKILL before the call is carried out */
	MR_SIM_KILL_AFTER, /**< the caller gets SIGKILL when the call was carried out */
	MR_SIM_STOP,       /**< as MR_SIM_KILL, with SIGSTOP */
	MR_SIM_STOP_AFTER, /**< as MR_SIM_KILL_AFTER, with SIGSTOP */
	MR_SIM_DELAY,      /**< the call is carried out after a time */
};

extern const struct mr_word mr_sim_actions[]; /**< by enum mr_sim_action; the last is unnamed */

/** One fault: CALL[@N]=ACTION. */
struct mr_sim_fault {
	const char *text; /**< as given, not terminated */
	size_t length;    /**< of @text */
	enum mr_sim_call call;
	enum mr_sim_action action;
	uint64_t turn;  /**< N: which of a process's calls, from 1; 0: each of them */
	uint64_t value; /**< MR_SIM_FAIL: an errno; MR_SIM_DELAY: milliseconds */
};

#define MR_SIM_FAULTS_MAX 64

struct mr_sim_faults {
	size_t count;
	struct mr_sim_fault list[MR_SIM_FAULTS_MAX];
};

/**
 * mr_sim_kernel_parse() - find the kernel that a text names
 * @kernel: set on success
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int mr_sim_kernel_parse(const char *text, enum mr_sim_kernel *kernel, struct mr_error *err);

/**
 * mr_sim_faults_parse() - add faults to a list
 * @text:   CALL[@N]=ACTION, several separated by ';'; the faults point into it
 * @faults: gets them, behind those that it has
 *
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int mr_sim_faults_parse(const char *text, struct mr_sim_faults *faults, struct mr_error *err);

#endif
