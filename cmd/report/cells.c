// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/markdown.h"
#include "cmd/output/markdown_text.h"
#include "cmd/report/cells.h"
#include "lib/base/cleanup.h"

/* Objects in objects that are shown, and columns of a table. */
#define DEPTH_MAX   8
#define COLUMNS_MAX 32

/* Values of a list that are shown. */
#define VALUES_MAX 12

void cells_add(struct cells *cells, const char *text)
{
	char **list = reallocarray(cells->list, cells->count + 1, sizeof(*list));

	if (list) {
		cells->list = list;
		list[cells->count] = text ? strdup(text) : NULL;
	}
	if (!list || (text && !list[cells->count]))
		cells->out_of_memory = true;
	cells->count += list != NULL;
}

static char *join(const struct json_node *list)
{
	const struct json_node *value = json_tree_first(list);
	char buffer[JSON_SCALAR_MAX], *text = NULL;
	size_t size, count = 0;
	FILE *stream = open_memstream(&text, &size);

	for (; stream && value; value = json_tree_next(value)) {
		const char *scalar = json_tree_scalar(value, buffer);

		if (count++ < VALUES_MAX)
			fprintf(stream, "%s%s", count > 1 ? "," : "", scalar ? scalar : "-");
	}
	if (stream && count > VALUES_MAX)
		fprintf(stream, ",... (%zu in all)", count);
	if (stream && !fclose(stream))
		return text;
	free(text);
	return NULL;
}

void cells_add_value(struct cells *cells, const struct json_node *value)
{
	char buffer[JSON_SCALAR_MAX];
	mr_auto_free char *joined = NULL;

	if (json_tree_kind(value) != JSON_LIST) {
		cells_add(cells, json_tree_scalar(value, buffer));
		return;
	}
	joined = join(value);
	cells->out_of_memory = cells->out_of_memory || !joined;
	cells_add(cells, joined && *joined ? joined : NULL);
}

int cells_print(struct cells *cells, size_t columns)
{
	int rc = cells->out_of_memory ? -ENOMEM : 0;

	if (!rc && columns)
		rc = markdown_rows((const char *const *)cells->list, columns, cells->count);
	for (size_t i = 0; i < cells->count; i++)
		free(cells->list[i]);
	free(cells->list);
	*cells = (struct cells){ .count = 0 };
	return rc;
}

/* Whether it is a list that needs a table of its own. */
static bool is_table(const struct json_node *value)
{
	return json_tree_kind(value) == JSON_LIST &&
	       json_tree_kind(json_tree_first(value)) == JSON_OBJECT;
}

/* Whether a value fits into a cell, and is known. */
static bool is_shown(const struct json_node *value)
{
	return json_tree_kind(value) != JSON_NULL && json_tree_kind(value) != JSON_OBJECT &&
	       (json_tree_kind(value) != JSON_LIST || (json_tree_first(value) && !is_table(value)));
}

static void add_members(struct cells *cells, const struct json_node *object, const char *inside,
			unsigned int depth)
{
	const struct json_node *member = json_tree_first(object);
	char key[160];

	for (; member; member = json_tree_next(member)) {
		snprintf(key, sizeof(key), "%s%s%s", inside, *inside ? "." : "",
			 json_tree_key(member));
		if (json_tree_kind(member) == JSON_OBJECT && depth < DEPTH_MAX) {
			add_members(cells, member, key, depth + 1);
			continue;
		}
		if (!is_shown(member))
			continue;
		cells_add(cells, key);
		cells_add_value(cells, member);
	}
}

int cells_print_object(const char *name, const struct json_node *object)
{
	struct cells cells = { .count = 0 };
	int rc;

	cells_add(&cells, name);
	cells_add(&cells, "");
	add_members(&cells, object, "", 0);
	rc = cells_print(&cells, 2);
	for (const struct json_node *member = json_tree_first(object); !rc && member;
	     member = json_tree_next(member)) {
		if (!is_table(member))
			continue;
		markdown_line("\n", json_tree_key(member));
		markdown_line("", ""); /* an empty line before the table */
		rc = cells_print_list(member);
	}
	return rc;
}

/* Whether a row of the list has a value of that key. */
static bool is_known(const struct json_node *list, const char *key)
{
	const struct json_node *row = json_tree_first(list);

	for (; row; row = json_tree_next(row))
		if (is_shown(json_tree_get(row, key)))
			return true;
	return false;
}

int cells_print_list(const struct json_node *list)
{
	const struct json_node *member = json_tree_first(json_tree_first(list));
	const char *keys[COLUMNS_MAX];
	struct cells cells = { .count = 0 };
	size_t columns = 0;

	for (; member && columns < COLUMNS_MAX; member = json_tree_next(member))
		if (is_known(list, json_tree_key(member)))
			keys[columns++] = json_tree_key(member);
	if (!columns)
		return 0;
	for (size_t i = 0; i < columns; i++)
		cells_add(&cells, keys[i]);
	for (const struct json_node *row = json_tree_first(list); row; row = json_tree_next(row))
		for (size_t i = 0; i < columns; i++)
			cells_add_value(&cells, json_tree_get(row, keys[i]));
	return cells_print(&cells, columns);
}
