/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Control groups, cgroups(7), of version 1, 2, or both: which group a process is in, and the groups above it.
 * A limit of any of them counts.
 */
#ifndef LIB_HOST_CGROUP_H
#define LIB_HOST_CGROUP_H

#include <limits.h>
#include <stdbool.h>

#include "lib/base/base.h"
#include "lib/host/root.h"

/** A control group. */
struct mr_cgroup {
	char mount[PATH_MAX]; /**< where its hierarchy is mounted: "/sys/fs/cgroup" */
	char path
		[PATH_MAX]; /**< its folder below that: "/system.slice/a.service"; empty: @mount itself */
	unsigned int version; /**< 1 or 2 */
	bool is_below;        /**< there are groups above @mount that cannot be seen from here */
};

/**
 * mr_cgroup_find() - find the control group of this process
 * @controller: "memory", "hugetlb" or "rdma".  Version 2 has one hierarchy for all; whether the controller is
 *              enabled in it, its files show.
 *
 * Return: 0; -ENOENT where there is none; -EXDEV where there is one that cannot be seen from here; -ENODATA where
 * there is no /proc; or -errno of reading it.
 */
int mr_cgroup_find(struct mr_host *host, const char *controller, struct mr_cgroup *group);

/** mr_cgroup_up() - go to the group above; false at the one that is mounted */
bool mr_cgroup_up(struct mr_cgroup *group);

/**
 * mr_cgroup_read() - read a figure of a group
 * @file: "memory.max"
 *
 * Return: the figure; UINT64_MAX for "max", and for what version 1 has for no limit; not known where the group
 * does not have the file, or it holds no number.
 */
struct mr_opt_u64 mr_cgroup_read(struct mr_host *host, const struct mr_cgroup *group,
				 const char *file);

/**
 * mr_cgroup_unit() - the service of systemd that a process belongs to
 * @process: its number, or "self"
 * @unit:    set to "containerd.service", the innermost one of its control group; or to an empty text
 */
bool mr_cgroup_unit(struct mr_host *host, const char *process, char *unit, size_t size);

#endif
