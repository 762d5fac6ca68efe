/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether the process is in namespaces of its own, namespaces(7), as in a container. */
#ifndef LIB_HOST_NAMESPACES_H
#define LIB_HOST_NAMESPACES_H

#include "lib/base/base.h"
#include "lib/host/root.h"

/**
 * mr_namespace_is_first() - whether a namespace of the process is the one that the machine was booted with
 * @type: "user", "pid" or "cgroup"
 *
 * Their inodes have fixed numbers: include/linux/proc_ns.h of the kernel.  For "user", uid_map answers where
 * the inode cannot be read.
 */
enum mr_tristate mr_namespace_is_first(struct mr_host *host, const char *type);

#endif
