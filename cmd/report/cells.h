/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of what a document holds, whatever that is. */
#ifndef CMD_REPORT_CELLS_H
#define CMD_REPORT_CELLS_H

#include "cmd/output/json_tree.h"

/** The cells of a table, row by row; the first row is the heading. */
struct cells {
	char **list;
	size_t count;
	bool out_of_memory;
};

/** cells_add() - add a copy of a text, or NULL */
void cells_add(struct cells *cells, const char *text);

/** cells_add_value() - add a value as text: a list of values as "a,b" */
void cells_add_value(struct cells *cells, const struct json_node *value);

/** cells_print() - print the table, unless it has no columns, and free the cells.  Return: 0 or -ENOMEM. */
int cells_print(struct cells *cells, size_t columns);

/**
 * cells_print_object() - print an object: a row for each member that is known, those of an object inside it as
 * "odp.rc", and lists of objects as tables of their own
 * @name: heading of the first column
 *
 * Return: 0 or -ENOMEM.
 */
int cells_print_object(const char *name, const struct json_node *object);

/** cells_print_list() - print a list of objects: a column for each key of the first one, unless no row has a value */
int cells_print_list(const struct json_node *list);

#endif
