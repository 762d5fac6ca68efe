// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables of all commands name only columns and options that exist. */
#include "cmd/commands.h"
#include "cmd/output/output.h"
#include "lib/base/base.h"
#include "tests/unit/unit.h"

static void check_columns(const struct command *command, const struct record *record,
			  const char *list)
{
	const char *item;
	size_t length;

	while (list && (item = mr_list_item(&list, ",", &length)))
		if (!fields_find(record, item, length))
			fail_msg("%s has no column %.*s", command->name, (int)length, item);
}

static void check_option(const struct command *command, const char *name)
{
	for (const struct option_group *const *g = command->groups; *g; g++)
		for (const struct option_spec *o = (*g)->options; o->name; o++)
			if (!strcmp(o->name, name))
				return;
	fail_msg("%s has no option --%s", command->name, name);
}

TEST(columns_of_a_command_are_fields_of_its_record)
{
	size_t count = 0;

	for (const struct command *const *c = all_commands; *c; c++) {
		if (!(*c)->record)
			continue;
		check_columns(*c, (*c)->record, (*c)->fills);
		check_columns(*c, (*c)->record, (*c)->columns);
		for (const struct command_view *const *v = (*c)->views; v && *v; v++)
			check_columns(*c, (*v)->record, (*v)->columns);
		count++;
	}
	assert_true(count > 1);
}

TEST(rules_of_a_command_are_about_its_options)
{
	size_t count = 0;

	for (const struct command *const *c = all_commands; *c; c++) {
		for (const struct option_rule *r = (*c)->rules; r && r->option; r++, count++) {
			check_option(*c, r->option);
			check_option(*c, r->other);
		}
	}
	assert_true(count > 1);
}
