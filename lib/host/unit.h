/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a process runs for, by its control group: a service or scope of systemd, a container, a job of Slurm. */
#ifndef LIB_HOST_UNIT_H
#define LIB_HOST_UNIT_H

#include <stddef.h>

#include "lib/host/root.h"

/** In printable characters; empty: not known. */
struct mr_unit {
	char name
		[128]; /**< "slurmd.service", "docker-0123456789ab", "slurm-job-42"; else the group's path */
	char container[65]; /**< the whole id of a container */
};

/**
 * mr_unit_read() - find out what a process runs for
 * @process: its number, or "self"
 *
 * Return: 0, or -errno where the process has ended, or its control group cannot be read.
 */
int mr_unit_read(struct mr_host *host, const char *process, struct mr_unit *unit);

/**
 * mr_unit_of_group() - what the processes of a control group run for
 * @path: of the group below the mount, "/system.slice/slurmd.service"
 */
void mr_unit_of_group(const char *path, struct mr_unit *unit);

#endif
