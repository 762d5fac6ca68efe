/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Documents of mrctl bench, read back. */
#ifndef CMD_BENCH_LOAD_H
#define CMD_BENCH_LOAD_H

#include "cmd/output/json_tree.h"
#include "lib/base/error.h"

/**
 * bench_load() - read a document
 *
 * Return: json_tree_free() it; its rows are objects.  NULL with MR_ERROR_USAGE where the file is none.
 */
struct json_node *bench_load(const char *path, struct mr_error *err);

/** What makes a row another row than its neighbours; the last one is NULL. */
extern const char *const bench_row_keys[];

/** bench_find_row() - the row of a document that measures what @row does; NULL: it has none */
const struct json_node *bench_find_row(const struct json_node *document,
				       const struct json_node *row);

/** Room for a value of bench_difference(). */
#define BENCH_VALUE_MAX 160

/** What two documents have measured on. */
struct bench_difference {
	const char *what; /**< "kernel" */
	char old[BENCH_VALUE_MAX], new[BENCH_VALUE_MAX];
};

/** bench_differ() - the first thing in which their hosts and devices differ.  Return: whether there is one. */
bool bench_differ(const struct json_node *old, const struct json_node *new,
		  struct bench_difference *difference);

/** bench_number() - a member that is a number from 0 to 1e18; 0 where it is none */
double bench_number(const struct json_node *node, const char *key);

#endif
