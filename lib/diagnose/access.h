/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of whether this process gets at the devices, as struct mr_check has them. */
#ifndef LIB_DIAGNOSE_ACCESS_H
#define LIB_DIAGNOSE_ACCESS_H

#include "lib/diagnose/finding.h"

void mr_check_node(const struct mr_question *question, struct mr_finding *finding);
void mr_check_node_access(const struct mr_question *question, struct mr_finding *finding);
void mr_check_sandbox(const struct mr_question *question, struct mr_finding *finding);
void mr_check_selinux(const struct mr_question *question, struct mr_finding *finding);
void mr_check_netns(const struct mr_question *question, struct mr_finding *finding);

#endif
