/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Documents of mrctl bench, read back. */
#ifndef CMD_BENCH_LOAD_H
#define CMD_BENCH_LOAD_H

#include <stdbool.h>

#include "cmd/output/json_tree.h"
#include "lib/base/error.h"

/**
 * bench_load() - read a document
 *
 * Return: json_tree_free() it; its rows are objects.  NULL with MR_ERROR_USAGE where the file is none.
 */
struct json_node *bench_load(const char *path, struct mr_error *err);

/** bench_device_of() - the first device that a document has measured; NULL: it names none */
const char *bench_device_of(const struct json_node *document);

/** bench_has_devices() - whether a document has measured several devices */
bool bench_has_devices(const struct json_node *document);

/** What makes a row another row than its neighbours; the last one is NULL. */
extern const char *const bench_row_keys[];

/** bench_find_row() - the row of a document that measures what @row does; NULL: it has none */
const struct json_node *bench_find_row(const struct json_node *document,
				       const struct json_node *row);

/**
 * bench_check_hosts() - check that two documents have measured on the same host and the same kind of device
 * Return: 0, or -EINVAL with MR_ERROR_USAGE: the first thing in which they differ.
 */
int bench_check_hosts(const struct json_node *old, const struct json_node *new,
		      struct mr_error *err);

/** bench_number() - a member that is a number from 0 to 1e18; 0 where it is none */
double bench_number(const struct json_node *node, const char *key);

#endif
