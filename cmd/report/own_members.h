/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the members of a report have that a user has named: paths, arguments, regions. */
#ifndef CMD_REPORT_OWN_MEMBERS_H
#define CMD_REPORT_OWN_MEMBERS_H

#include "cmd/output/json_tree.h"
#include "cmd/report/stand_ins.h"

/** own_is_arguments() - whether a member is a command line */
bool own_is_arguments(const struct json_node *member);

/** own_collect() - find what those members have */
void own_collect(const struct json_node *root, struct stand_ins *all);

#endif
