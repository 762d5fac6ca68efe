// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "cmd/report/arguments.h"
#include "cmd/report/common_words.h"
#include "cmd/report/own_members.h"
#include "cmd/report/paths.h"

/* Members whose value, or each value of whose list, is a path or an argument. */
static const char *const path_members[] = { "argv", "program",   "memory", "file",
					    "path", "libraries", NULL };

/* Those whose value is a place of a program. */
static const char *const place_members[] = { "place", "stack", NULL };

/* Those whose values, or whose elements, are about a region that may have a name. */
static const char *const region_members[] = { "regions", "failures", "request", NULL };

/* Those whose words are mrctl's own. */
static const char *const mrctl_members[] = { "command", "made",      "errno", "verdict", "id",
					     "group",   "certainty", "call",  "subject", NULL };

/* Bytes of a path that some texts of mrctl have at most. */
static const size_t cuts[] = { 64, 90 };

static bool is_in(const char *key, const char *const *list)
{
	while (*list && strcmp(*list, key) != 0)
		list++;
	return *list;
}

bool own_is_of_mrctl(const struct json_node *member)
{
	return is_in(json_tree_key(member), mrctl_members);
}

/* The path's last part is also found alone: it may be the name of a program. */
static void add_path(struct stand_ins *all, const char *path, size_t length)
{
	const char *slash = memrchr(path, '/', length);

	stand_ins_add_in_texts(all, "path", path, length);
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++)
		if (length > cuts[i])
			stand_ins_add_in_texts(all, "path", path, cuts[i]);
	slash = slash ? slash + 1 : path + length;
	length -= (size_t)(slash - path);
	if (!is_common_word(slash, length))
		stand_ins_add_in_texts(all, "program", slash, length);
}

static void add_word(struct stand_ins *all, const char *word)
{
	const char *path = path_of_word(word);

	if (path)
		add_path(all, path, strlen(path));
}

static void add_place(struct stand_ins *all, const char *place)
{
	size_t length = 0;
	const char *path = path_of_place(place, &length);

	if (path)
		add_path(all, path, length);
}

bool own_is_arguments(const struct json_node *member)
{
	const char *key = json_tree_key(member);

	return json_tree_kind(member) == JSON_LIST &&
	       (!strcmp(key, "argv") || !strcmp(key, "program"));
}

/* The names that its user has given a region and its PD. */
static void add_region(struct stand_ins *all, const struct json_node *region)
{
	static const char *const keys[] = { "name", "pd", "region" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *name = json_tree_text_of(region, keys[i]);

		if (name && !is_common_word(name, strlen(name)) && strcmp(name, "default") != 0)
			stand_ins_add_in_texts(all, "region", name, strlen(name));
	}
}

/* @key: of the member that it is, or of the list that it is in */
static void collect(const struct json_node *node, const char *key, struct stand_ins *all)
{
	const char *text = json_tree_string(node);

	if (text && is_in(key, path_members))
		add_word(all, text);
	else if (text && is_in(key, place_members))
		add_place(all, text);
	if (json_tree_kind(node) == JSON_OBJECT && is_in(key, region_members))
		add_region(all, node);
	if (own_is_arguments(node))
		arguments_collect(node, all);
	for (node = json_tree_first(node); node; node = json_tree_next(node))
		if (strcmp(json_tree_key(node), "recording") != 0)
			collect(node, *json_tree_key(node) ? json_tree_key(node) : key, all);
}

void own_collect(const struct json_node *root, struct stand_ins *all)
{
	collect(root, "", all);
}
