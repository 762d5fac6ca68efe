/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What shuts the process off from devices: a /dev of its own, filters, SELinux. */
#ifndef LIB_HOST_SANDBOX_H
#define LIB_HOST_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/host/root.h"

/** A /dev, as /proc/self/mountinfo tells. */
struct mr_dev_folder {
	char type[32]; /**< of its file system; empty: /dev is no mount of its own */
	bool is_hosts; /**< that of the kernel, with the nodes of all devices: devtmpfs */
};

/** mr_dev_folder_read() - Return: 0, or -errno. */
int mr_dev_folder_read(struct mr_host *host, struct mr_dev_folder *folder);

/** mr_path_is_nodev() - whether a file is on a file system that is mounted with nodev: devices there cannot be opened */
enum mr_tristate mr_path_is_nodev(struct mr_host *host, const char *path);

/** What SELinux does. */
enum mr_selinux {
	MR_SELINUX_OFF,
	MR_SELINUX_PERMISSIVE, /**< it logs what it would refuse */
	MR_SELINUX_ENFORCING,
	MR_SELINUX_HIDDEN, /**< it is on, but its file system is not mounted here, as in a container */
};

/**
 * mr_selinux_read() - find out what SELinux does
 * @label: set to the label of the process, or to an empty text
 *
 * Return: 0; -EINVAL where the kernel's file holds something else; -ENOENT where there is no /sys; or -errno of
 * reading the file.
 */
int mr_selinux_read(struct mr_host *host, enum mr_selinux *mode, char *label, size_t size);

/**
 * mr_sandbox_is_gvisor() - whether the kernel is that of gVisor, by what it says of itself
 * @version: set to that
 */
bool mr_sandbox_is_gvisor(struct mr_host *host, char *version, size_t size);

/**
 * mr_group_name() - the name of a group of the host
 * @name: set to it, or to its number where it has none
 */
void mr_group_name(struct mr_host *host, uint32_t gid, char *name, size_t size);

#endif
