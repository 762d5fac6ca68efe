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

/** Calls that can have a fault: the enumerator without MR_SIM_, the name and the help of each */
#define MR_SIM_EACH_CALL(ROW)                                                                      \
	ROW(OPEN, "open", "opening the device")                                                    \
	ROW(GET_CONTEXT, "get_context", "making the device's context")                             \
	ROW(QUERY_CONTEXT, "query_context", "importing a context")                                 \
	ROW(QUERY_DEVICE, "query_device", "device attributes")                                     \
	ROW(QUERY_PORT, "query_port", "port attributes")                                           \
	ROW(QUERY_GID, "query_gid", "the table of GIDs")                                           \
	ROW(ALLOC_PD, "alloc_pd", "allocating a protection domain")                                \
	ROW(DEALLOC_PD, "dealloc_pd", "deallocating a protection domain")                          \
	ROW(QUERY_PD, "query_pd", "importing a protection domain")                                 \
	ROW(REG_MR, "reg_mr", "registering memory")                                                \
	ROW(REG_DMABUF_MR, "reg_dmabuf_mr", "registering a dma-buf")                               \
	ROW(REG_DM_MR, "reg_dm_mr", "registering memory on the device")                            \
	ROW(REREG_MR, "rereg_mr", "changing a region")                                             \
	ROW(DEREG_MR, "dereg_mr", "deregistering a region")                                        \
	ROW(QUERY_MR, "query_mr", "keys, length and IOVA of a region")                             \
	ROW(ADVISE_MR, "advise_mr", "prefetching pages of a region on demand")                     \
	ROW(UMEM_REG, "umem_reg", "registering a DEVX umem")                                       \
	ROW(UMEM_DEREG, "umem_dereg", "deregistering a DEVX umem")                                 \
	ROW(ALLOC_MW, "alloc_mw", "allocating a memory window")                                    \
	ROW(DEALLOC_MW, "dealloc_mw", "deallocating a memory window")                              \
	ROW(ALLOC_DM, "alloc_dm", "allocating memory on the device")                               \
	ROW(FREE_DM, "free_dm", "freeing memory on the device")                                    \
	ROW(EXPORT_DMABUF, "export_dmabuf", "a dma-buf of memory on the device")                   \
	ROW(ALLOC_DMAH, "alloc_dmah", "allocating a DMA handle")                                   \
	ROW(FREE_DMAH, "free_dmah", "freeing a DMA handle")                                        \
	ROW(INFO_HANDLES, "info_handles", "listing objects")                                       \
	ROW(ALLOC_UAR, "alloc_uar", "allocating a doorbell page")                                  \
	ROW(DEALLOC_UAR, "dealloc_uar", "deallocating a doorbell page")                            \
	ROW(ALLOC_EVENT, "alloc_event", "a descriptor for events")                                 \
	ROW(CREATE_COMP_CHANNEL, "create_comp_channel",                                            \
	    "a channel for events of completion queues")                                           \
	ROW(CREATE_CQ, "create_cq", "creating a completion queue")                                 \
	ROW(REQ_NOTIFY_CQ, "req_notify_cq", "requesting an event of a completion queue")           \
	ROW(DESTROY_CQ, "destroy_cq", "destroying a completion queue")                             \
	ROW(CREATE_SRQ, "create_srq", "creating a shared receive queue")                           \
	ROW(MODIFY_SRQ, "modify_srq", "changing a shared receive queue")                           \
	ROW(QUERY_SRQ, "query_srq", "attributes of a shared receive queue")                        \
	ROW(DESTROY_SRQ, "destroy_srq", "destroying a shared receive queue")                       \
	ROW(CREATE_QP, "create_qp", "creating a queue pair")                                       \
	ROW(MODIFY_QP, "modify_qp", "changing a queue pair, such as its state")                    \
	ROW(QUERY_QP, "query_qp", "attributes of a queue pair")                                    \
	ROW(DESTROY_QP, "destroy_qp", "destroying a queue pair")                                   \
	ROW(CREATE_AH, "create_ah", "creating an address handle")                                  \
	ROW(DESTROY_AH, "destroy_ah", "destroying an address handle")                              \
	ROW(DEVX, "devx", "a firmware command")                                                    \
	ROW(LOCK, "lock", "fcntl(F_SETLK, F_SETLKW) that write-locks or unlocks a memfd")

#define MR_SIM_CALL_NUMBER(id, ...) MR_SIM_##id,
enum mr_sim_call {
	MR_SIM_EACH_CALL(MR_SIM_CALL_NUMBER)
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
