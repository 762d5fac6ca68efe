// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/arguments.h"
#include "cmd/report/common_words.h"
#include "cmd/report/names.h"
#include "cmd/report/own_members.h"
#include "cmd/report/redact.h"
#include "cmd/report/replace.h"
#include "lib/base/cleanup.h"

static void redact_key(struct json_node *member, struct stand_ins *all)
{
	mr_auto_free char *key = replace_own(all, json_tree_key(member));

	if (key && !all->is_learning && !json_tree_set_key(member, key))
		all->out_of_memory = true;
}

static void redact_string(struct json_node *node, struct stand_ins *all)
{
	mr_auto_free char *text = replace_own(all, json_tree_string(node));

	if (text && !all->is_learning && !json_tree_set_string(node, text))
		all->out_of_memory = true;
}

/* @is_recording: the members are files of the host, and their keys are from there as well */
static void redact(struct json_node *node, bool is_recording, struct stand_ins *all)
{
	for (struct json_node *child = json_tree_first(node); child;
	     child = json_tree_next(child)) {
		all->is_file = is_recording;
		if (is_recording)
			redact_key(child, all);
		if (own_is_arguments(child))
			arguments_redact(child, all);
		else if (!json_tree_string(child))
			redact(child, !strcmp(json_tree_key(child), "recording"), all);
		else if (!own_is_of_mrctl(child))
			redact_string(child, all);
	}
}

/* The name of the host has a stand-in of its own, also where it is a word that stays in texts. */
static void redact_host_name(struct json_node *root, struct stand_ins *all)
{
	struct json_node *member = json_tree_get(root, "host_name");
	const char *name = json_tree_string(member), *text = NULL;
	size_t length = name ? strcspn(name, ".") : 0;

	if (name && is_common_word(name, length))
		length = strlen(name);
	if (name)
		text = stand_ins_of(all, "host", name, length);
	if (name && !json_tree_set_string(member, text ? text : "host"))
		all->out_of_memory = true;
}

/* It has the program's command line, paths and comments as one text: no field says what is somebody's own in it. */
static void drop_batch(struct json_node *root)
{
	struct json_node *batch = json_tree_get(json_tree_get(root, "program"), "reproduction");

	if (batch)
		json_tree_clear(batch);
}

int report_redact(struct report *report, struct mr_error *err)
{
	struct stand_ins all = { .out_of_memory = false };
	bool out_of_memory;

	drop_batch(report->root);
	names_collect(report->root, !report->args->read && !report->args->root, &all);
	own_collect(report->root, &all);
	/* A GUID without colons, say, is known by the same one with them, which may come later. */
	all.is_learning = true;
	redact(report->root, false, &all);
	all.is_learning = false;
	redact_host_name(report->root, &all);
	redact(report->root, false, &all);
	out_of_memory = all.out_of_memory;
	stand_ins_release(&all);
	if (out_of_memory)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	return report_add(report->root, "redacted", json_tree_new_bool(true), err);
}
