/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The MRs of a census, and who registered them. */
#ifndef CMD_STAT_SYSTEM_OWNERS_H
#define CMD_STAT_SYSTEM_OWNERS_H

#include "cmd/stat/system/sessions.h"
#include "lib/host/processes.h"
#include "lib/nldev/nldev.h"

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

/** One thread of a process, module of the kernel, or session whose processes have gone. */
struct owner {
	enum owner_kind kind;
	/** A process's number; of a module its place in census.modules; else that of the session, from 1, or 0. */
	uint32_t number;
	/** The one of another thread of its process comes before it: what both have in common is counted there. */
	bool is_further_thread;
	struct sums sums;
	/** Of OWNER_PROCESS; empty where it has ended meanwhile, or may have and another got its number. */
	struct mr_process_status process;
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
	uint64_t begun;          /**< mr_process_ticks() before the MRs were listed */
	bool sees_all_processes; /**< this is the first PID namespace: who has no number has ended */
	bool has_keys;           /**< the kernel has told keys, or there is no MR */
	struct mr_opt_u64 pinned; /**< bytes, of the whole machine */
};

/** census_owner() - who registered MR @n of a device */
const struct owner *census_owner(struct census *census, const struct counted_device *device,
				 size_t n);

/** owners_sum() - set the owners, with the sums of their MRs, and the sums of the devices.  Return: 0 or -ENOMEM. */
int owners_sum(struct census *census);

/**
 * owners_read() - read what processes are; of one that has ended since its MRs were listed nothing is known
 *
 * The process that is read is the one that the kernel named if it was there before the MRs were listed: as long
 * as it is there no other one gets its number.  Of one that was started later nothing is known, too.
 *
 * Return: 0 or -ENOMEM.
 */
int owners_read(struct census *census, struct mr_host *host);

/** sums_of() - an MR as a sum; the length of an implicit one, that of the address space, counts no bytes */
struct sums sums_of(const struct mr_nldev_mr *mr);
/** sums_add() - add the MRs of @more to @sums */
void sums_add(struct sums *sums, struct sums more);

#endif
