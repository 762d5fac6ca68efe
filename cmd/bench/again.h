/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Measuring what a document of mrctl bench has once more, by mrctl itself in a process of its own. */
#ifndef CMD_BENCH_AGAIN_H
#define CMD_BENCH_AGAIN_H

#include "cmd/cli/command.h"
#include "cmd/output/json_tree.h"

/**
 * bench_again() - measure what a document has
 * @old:    as of bench_load(); it stands in the file of the first operand
 * @new:    set to the document of the measurement, json_tree_free() it
 * @status: set to the exit status of the measurement, 128 + N where signal N has ended it
 *
 * From here on signals that end commands are blocked.  One that comes ends the measurement.
 *
 * Return: 0; -errno; or an exit status where there is no document, and the other process has told why.
 */
int bench_again(const struct invocation *invocation, const struct json_node *old,
		struct json_node **new, int *status, struct mr_error *err);

#endif
