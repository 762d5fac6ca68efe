/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel's RDMA netlink says of the system and of its devices. */
#ifndef LIB_NLDEV_DEVICE_H
#define LIB_NLDEV_DEVICE_H

#include "lib/base/base.h"
#include "lib/nldev/nldev.h"

/** Attributes of the RDMA stack (RDMA_NLDEV_CMD_SYS_GET); unknown where the kernel is older. */
struct mr_nldev_system {
	struct mr_opt_u64
		netns_shared; /**< 1: devices are seen in each network namespace; 0: in one only */
	struct mr_opt_u64
		copy_on_fork; /**< 1: fork(2) copies pinned pages; told since Linux 5.13 */
	struct mr_opt_u64
		privileged_qkey; /**< 1: controlled Q_Keys need no privilege (Linux 6.7) */
};

/** mr_nldev_system() - ask for the attributes of the RDMA stack.  Return: 0 or -errno. */
int mr_nldev_system(struct mr_nldev *nl, struct mr_nldev_system *system, struct mr_error *err);

/** A device, as the kernel numbers it. */
struct mr_nldev_device {
	uint32_t index; /**< never used again until the machine is booted */
	char name[64];
	char firmware[64];              /**< empty: it says none */
	char protocol[16];              /**< "ib", "roce", "iw", …; empty: not known */
	struct mr_opt_u64 node_guid;    /**< in host byte order, as the three below */
	struct mr_opt_u64 system_guid;  /**< of the system image */
	struct mr_opt_u64 capabilities; /**< device_cap_flags of the kernel, all 64 bits */
	struct mr_opt_u64 node_type;
	struct mr_opt_u64 ports;
	struct mr_opt_u64 adaptive_moderation; /**< DIM: 1 on, 0 off */
};

struct mr_nldev_devices {
	struct mr_nldev_device *list; /**< in the order of their indexes */
	size_t count;
};

/**
 * mr_nldev_devices() - list the devices that this network namespace sees
 * @devices: mr_nldev_devices_release() it, also after a failure
 */
int mr_nldev_devices(struct mr_nldev *nl, struct mr_nldev_devices *devices, struct mr_error *err);
void mr_nldev_devices_release(struct mr_nldev_devices *devices);

/** mr_nldev_device_by_name() - the device of that name; or NULL */
const struct mr_nldev_device *mr_nldev_device_by_name(const struct mr_nldev_devices *devices,
						      const char *name);

/**
 * mr_nldev_open_device() - connect to the RDMA netlink of the kernel to ask about one device
 * @index: set to its index
 *
 * Return: 0; or -errno, -ENODEV where there is no such device, and nothing is open.
 */
int mr_nldev_open_device(struct mr_nldev *nl, const char *name, uint32_t *index,
			 struct mr_error *err);

/** How many objects of a kind a device has in use. */
struct mr_nldev_count {
	char kind[20]; /**< as the kernel names it: "qp", "cq", "mr", "pd", "ctx", "srq", "cm_id" */
	uint64_t count;
	struct mr_opt_u64 max; /**< unknown where the kernel does not say */
};

/** Room for the kinds that a kernel may have. */
#define MR_NLDEV_KINDS 16

struct mr_nldev_summary {
	struct mr_nldev_count kinds[MR_NLDEV_KINDS];
	size_t count;
};

/**
 * mr_nldev_summary() - ask how many objects a device has (RDMA_NLDEV_CMD_RES_GET)
 * @device: its index
 *
 * Those that the kernel itself has made are counted as well.
 *
 * Return: 0 or -errno.
 */
int mr_nldev_summary(struct mr_nldev *nl, uint32_t device, struct mr_nldev_summary *summary,
		     struct mr_error *err);

/** mr_nldev_summary_of() - how many of @kind there are; unknown where the kernel does not count them */
struct mr_opt_u64 mr_nldev_summary_of(const struct mr_nldev_summary *summary, const char *kind);

/* ---- FRMR pools ---- */

/** A pool of MRs that the kernel keeps for the next registration of their kind (FRMR). */
struct mr_nldev_pool {
	struct mr_opt_u64 blocks;        /**< DMA blocks that an MR of it has room for */
	struct mr_opt_u64 access;        /**< access flags of its MRs that cannot be changed */
	struct mr_opt_u64 ats;           /**< 1: its MRs use address translation services */
	struct mr_opt_u64 vendor;        /**< the rest of its key, which the driver made */
	struct mr_opt_u64 kernel_vendor; /**< known: its MRs are the kernel's own */
	struct mr_opt_u64 free;          /**< MRs in it */
	struct mr_opt_u64 in_use;        /**< MRs of it that are registered */
	struct mr_opt_u64 max_in_use;    /**< the most that were registered at a time */
	struct mr_opt_u64 pinned;        /**< MRs that it is told to keep */
};

struct mr_nldev_pools {
	struct mr_nldev_pool *list;
	size_t count;
};

/**
 * mr_nldev_pools() - list the FRMR pools of a device (RDMA_NLDEV_CMD_FRMR_POOLS_GET)
 * @device: its index
 * @pools:  mr_nldev_pools_release() it, also after a failure
 *
 * Return: 0; -EOPNOTSUPP where the kernel has no such pools (before Linux 7.1), or no such device; or another -errno.
 */
int mr_nldev_pools(struct mr_nldev *nl, uint32_t device, struct mr_nldev_pools *pools,
		   struct mr_error *err);
void mr_nldev_pools_release(struct mr_nldev_pools *pools);

#endif
