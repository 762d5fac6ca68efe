/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the answers of stat: regions, devices, hosts, probes, and all regions of the system. */
#ifndef CMD_STAT_STAT_H
#define CMD_STAT_STAT_H

#include <stdint.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/host/host.h"
#include "lib/nldev/nldev.h"
#include "lib/probe/probe.h"
#include "lib/session/session.h"
#include "lib/verbs/verbs.h"

/** The options of mrctl stat. */
struct stat_args {
	bool device, probe, host, system; /**< the view; none: the session's regions */

	bool max_size;         /**< of probe */
	struct mr_opt_u64 cap; /**< of max_size: bytes */

	struct mr_opt_u64 for_size;   /**< of host: bytes of a planned registration */
	struct planned_memory memory; /**< of host: of the planned registration */
	const char *only;             /**< of host: ids of checks, separated by ',' */
	const char *ignore;           /**< of host: the same */
	enum fail_on fail_on;         /**< of host */
	enum exit_style exit_style;   /**< of host */
	const char *root;             /**< of host: the folder of a recording */
	const char *record;           /**< of host: the folder of a new recording */

	const char *by;        /**< of system: what a row is */
	const char *sort;      /**< of system: a column */
	struct mr_opt_u64 top; /**< of system: rows */

	struct format_option format;
	struct mr_opt_u64 watch; /**< nanoseconds between two answers */
};

/** STAT_VIEW() - the first members of a view: its option, which fills a bool of the same name */
#define STAT_VIEW(view) .name = #view, .given = CHECKED_OFFSET(struct stat_args, view, bool)

/** Members of the document of regions beside their list; ends with one without key. */
extern const struct field stat_region_members[];

extern const struct command stat_device, stat_probe, stat_host, stat_system;

/** stat_regions() - show the regions of the session.  Return: an exit status, or -errno. */
int stat_regions(const struct invocation *invocation, struct mr_error *err);

/**
 * status_fail() - report an error to a monitoring system: it reads standard output, and takes the usual exit
 * statuses of an error, 1 and 2, for those of a check
 *
 * Return: the exit status, with @err cleared; -1 where @style is the plain one, and nothing was done.
 */
int status_fail(enum exit_style style, struct mr_error *err);

/** A region of a session. */
struct session_region {
	char device[64], session[24]; /**< "pid:123": as mrctl --session takes it */
	uint64_t length;
	uint32_t lkey, rkey;
};

/** Who registered an MR. */
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
	struct mr_opt_u64 pid; /**< of OWNER_PROCESS */
	enum mr_tristate gone; /**< whether the process has ended; the kernel's MRs have none */
	const char *kernel;    /**< the module, or NULL */
	const char *session;   /**< whose processes have gone, or NULL */
	struct sums sums;
	/** The one of another thread of its process comes before it: what both have in common is counted there. */
	bool is_further_thread;
	/** For OWNER_PROCESS; empty if it has ended meanwhile, or may have and another one got its number. */
	struct mr_process_status process;
	struct mr_unit unit;
};

/** A device, and its MRs. */
struct counted_device {
	struct mr_nldev_device device;
	struct mr_nldev_mrs mrs;
	struct mr_opt_u64 pinned; /**< bytes that its driver counts (reg_pages of mlx5) */
	struct sums sums;
};

/** The owners of a service, container or job. */
struct unit_row {
	const char *unit, *container;
	struct sums sums;
	struct mr_opt_u64 processes, pinned, locked;
};

struct census {
	struct counted_device *devices;
	size_t device_count;
	struct owner *owners; /**< each one once, those of processes by number */
	size_t owner_count;
	struct unit_row *units;
	size_t unit_count;
	struct session_region *regions; /**< of all sessions */
	size_t region_count, region_room;
	bool misses_sessions;    /**< there was not enough time, or memory, to see all */
	uint64_t begun;          /**< mr_process_ticks() before the MRs were listed */
	bool sees_all_processes; /**< this is the first PID namespace: who has no number has ended */
	bool has_keys;           /**< the kernel has given keys, or there is no MR */
	struct mr_opt_u64 pinned; /**< bytes, of the whole machine */
};

/** census_owner() - who registered an MR of a device */
const struct owner *census_owner(const struct census *census, const struct counted_device *device,
				 const struct mr_nldev_mr *mr);

/** census_session() - the session whose region an MR is; NULL: none, or the MR's keys are not known */
const char *census_session(const struct census *census, const struct counted_device *device,
			   const struct mr_nldev_mr *mr);

/** owners_sum() - set the owners, with the sums of their MRs, and the sums of the devices.  Return: 0 or -ENOMEM. */
int owners_sum(struct census *census);

/**
 * owners_read() - read what processes are; of one that has ended since its MRs were listed nothing is known
 *
 * The process that is read is the one that the kernel named if it was there before the MRs were listed: as long
 * as it is there no other one gets its number.  Nothing is known either of one that was started later.
 */
void owners_read(struct census *census, struct mr_host *host);

/** sums_of() - an MR as a sum; the length of an implicit one, that of the address space, counts no bytes */
struct sums sums_of(const struct mr_nldev_mr *mr);
/** sums_add() - add the MRs of @more to @sums */
void sums_add(struct sums *sums, struct sums more);

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

#endif
