/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All MRs in the kernel, and who has registered them. */
#ifndef CMD_STAT_SYSTEM_CENSUS_H
#define CMD_STAT_SYSTEM_CENSUS_H

#include "cmd/stat/system/sessions.h"
#include "lib/host/process_status.h"
#include "lib/host/unit.h"
#include "lib/nldev/device.h"
#include "lib/nldev/mrs.h"

/** What registered an MR. */
enum owner_kind {
	OWNER_PROCESS, /**< a process that has a number here */
	OWNER_KERNEL,  /**< a module of the kernel */
	OWNER_GONE, /**< a process that has ended: a descriptor that another one holds keeps the MR */
	OWNER_HIDDEN, /**< as OWNER_GONE, or a process of another PID namespace than this one */
};

/** Sums of MRs. */
struct sums {
	uint64_t regions, bytes;
	uint64_t odp_regions, odp_bytes; /**< of these, those that use ODP */
};

/** One process, module of the kernel, or session whose processes have gone. */
struct owner {
	enum owner_kind kind;
	/** A process's number; of a module its place in census.modules; else that of the session, from 1, or 0. */
	uint32_t number;
	struct sums sums;
	struct mr_process_status
		process; /**< of OWNER_PROCESS; empty where it has ended meanwhile */
	struct mr_unit unit;
};

/** A device, and its MRs. */
struct counted_device {
	struct mr_nldev_device device;
	struct mr_nldev_mrs mrs;
	uint32_t *sessions; /**< of each MR: as owner.number; NULL: of none it is known */
	struct mr_opt_u64
		pinned; /**< bytes that its driver counts as registered (reg_pages of mlx5) */
	struct sums sums;
};

struct census {
	struct counted_device *devices;
	size_t device_count;
	struct owner *owners; /**< in ascending order of kind and number */
	size_t owner_count;
	char (*modules)[20]; /**< of the kernel */
	size_t module_count;
	struct session_regions sessions;
	bool sees_all_processes; /**< this is the first PID namespace: who has no number has ended */
	bool has_keys;           /**< the kernel has told keys, or there is no MR */
	struct mr_opt_u64 pinned; /**< bytes, of the whole machine */
};

/**
 * census_take() - list the MRs of the devices
 * @names: of the devices, ends with NULL; none: all
 * @fail:  called with what failed: a device that has vanished, sessions that cannot be searched
 *
 * Return: 0, or -errno where there is no RDMA netlink, or memory is short.  census_release() it in any case.
 */
int census_take(struct census *census, char *const *names,
		void (*fail)(struct mr_error *err, void *data), void *data, struct mr_error *err);
void census_release(struct census *census);

/** census_owner() - who registered MR @n of a device */
const struct owner *census_owner(struct census *census, const struct counted_device *device,
				 size_t n);

/** sums_add() - add the MRs of @more to @sums */
void sums_add(struct sums *sums, const struct sums *more);

#endif
