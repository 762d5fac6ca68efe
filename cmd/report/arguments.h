/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Command lines: those of programs are their users' own, those of mrctl say what was asked for. */
#ifndef CMD_REPORT_ARGUMENTS_H
#define CMD_REPORT_ARGUMENTS_H

#include "cmd/output/json_tree.h"
#include "cmd/report/stand_ins.h"

/** arguments_are_of_mrctl() - whether a command line that begins with this program is one of mrctl */
bool arguments_are_of_mrctl(const char *program);

/** arguments_collect() - find what a command line names that texts may name as well */
void arguments_collect(const struct json_node *words, struct stand_ins *all);

/**
 * arguments_redact() - replace the values of a program's arguments, but numbers, devices and paths of the system
 *
 * Options keep their names.  Of a command line of mrctl the words behind "--" are a program's.
 */
void arguments_redact(struct json_node *words, struct stand_ins *all);

#endif
