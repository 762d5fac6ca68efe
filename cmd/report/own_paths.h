/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Paths that a program was given, or was found at. */
#ifndef CMD_REPORT_OWN_PATHS_H
#define CMD_REPORT_OWN_PATHS_H

#include "cmd/output/json_tree.h"
#include "cmd/report/stand_ins.h"

/** own_paths_collect() - find the paths in those members of a report whose values are some */
void own_paths_collect(const struct json_node *root, struct stand_ins *all);

#endif
