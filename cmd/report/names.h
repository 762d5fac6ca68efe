/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names in a report that are somebody's own: of hosts, users, devices, control groups. */
#ifndef CMD_REPORT_NAMES_H
#define CMD_REPORT_NAMES_H

#include "cmd/output/json_tree.h"
#include "cmd/report/stand_ins.h"

/** names_is_by_rule() - whether kernel or systemd give a device such a name: "mlx5_0", "eth0", "ibp1s0f0" */
bool names_is_by_rule(const char *name);

/**
 * names_collect() - find the names
 * @is_here: the report is about this machine and user
 */
void names_collect(const struct json_node *root, bool is_here, struct stand_ins *all);

#endif
