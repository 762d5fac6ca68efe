/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the group "access": whether this process gets at the devices. */
#ifndef LIB_DIAGNOSE_ACCESS_H
#define LIB_DIAGNOSE_ACCESS_H

#include "lib/diagnose/finding.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"

/** mr_check_node() - MR-NODE: whether devices have a node in /dev */
void mr_check_node(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_node_access() - MR-NODE-ACCESS: whether this process may open it */
void mr_check_node_access(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_sandbox() - MR-SANDBOX: whether systemd or a container hides or refuses nodes */
void mr_check_sandbox(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_selinux() - MR-SELINUX: whether SELinux may refuse them */
void mr_check_selinux(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_netns() - MR-NETNS: whether devices are in other network namespaces */
void mr_check_netns(const struct mr_question *question, struct mr_finding *finding);

/** mr_node_is_permitted() - whether the permission bits of a node let a process open it; false: or they are not known */
bool mr_node_is_permitted(struct mr_host *host, const struct mr_process_status *process,
			  const struct mr_rdma_node *node);

#endif
