/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whose words the members of a report have: mrctl's own, or those of a user, who has named paths and regions. */
#ifndef CMD_REPORT_OWN_MEMBERS_H
#define CMD_REPORT_OWN_MEMBERS_H

#include "cmd/output/json_tree.h"
#include "cmd/report/stand_ins.h"

/** own_is_of_mrctl() - whether the words of a member are mrctl's, and stay */
bool own_is_of_mrctl(const struct json_node *member);

/** own_is_arguments() - whether a member is a command line */
bool own_is_arguments(const struct json_node *member);

/** own_collect() - find what those members have */
void own_collect(const struct json_node *root, struct stand_ins *all);

#endif
