// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl --dump-cli */
#include <errno.h>
#include <stdlib.h>

#include "cmd/cli/help.h"
#include "cmd/output/output.h"

struct option_row {
	const char *name;
	const char *letter;
	const char *argument;
	const char *type;
	const char *group;
	const char *help;
	char letter_text[2];
	char help_text[OPTION_HELP_MAX];
};

struct command_row {
	const char *name;
	const char *operands;
	const char *summary;
	struct list options;
	struct list columns;
	struct list views;
};

struct view_row {
	const char *option;
	struct list columns;
};

struct column_row {
	const char *name;
	const char *help;
	bool detail; /* shown by --verbose and --output only */
	bool filled; /* this command has a value for it */
};

static const struct field option_fields[] = {
	FIELD(struct option_row, name, FIELD_STRING, 0, ""),
	FIELD(struct option_row, letter, FIELD_STRING, 0, ""),
	FIELD(struct option_row, argument, FIELD_STRING, 0, ""),
	FIELD(struct option_row, type, FIELD_STRING, 0, ""),
	FIELD(struct option_row, group, FIELD_STRING, 0, ""),
	FIELD(struct option_row, help, FIELD_STRING, 0, ""),
	FIELD_END,
};
static const struct record option_record = { "option", option_fields, NULL };

static const struct field column_fields[] = {
	FIELD(struct column_row, name, FIELD_STRING, 0, ""),
	FIELD(struct column_row, help, FIELD_STRING, 0, ""),
	FIELD(struct column_row, detail, FIELD_BOOL, 0, ""),
	FIELD(struct column_row, filled, FIELD_BOOL, 0, ""),
	FIELD_END,
};
static const struct record column_record = { "column", column_fields, NULL };

static const struct field view_fields[] = {
	FIELD(struct view_row, option, FIELD_STRING, 0, ""),
	FIELD(struct view_row, columns, FIELD_LIST, 0, ""),
	FIELD_END,
};
static const struct record view_record = { "view", view_fields, NULL };

static const struct field command_fields[] = {
	FIELD(struct command_row, name, FIELD_STRING, 0, ""),
	FIELD(struct command_row, operands, FIELD_STRING, 0, ""),
	FIELD(struct command_row, summary, FIELD_STRING, 0, ""),
	FIELD(struct command_row, options, FIELD_LIST, 0, ""),
	FIELD(struct command_row, columns, FIELD_LIST, 0, ""),
	FIELD(struct command_row, views, FIELD_LIST, 0, ""),
	FIELD_END,
};
static const struct record cli_record = { "command", command_fields, NULL };

/* The options of the groups, as rows that the caller frees. */
static struct list list_options(const struct option_group *const *groups)
{
	struct list list = { .record = &option_record, .size = sizeof(struct option_row) };
	struct option_row *rows, *row;

	for (const struct option_group *const *g = groups; *g; g++)
		for (const struct option_spec *o = (*g)->options; o->name; o++)
			list.count++;
	rows = row = calloc(list.count + 1, sizeof(*rows));
	for (const struct option_group *const *g = groups; rows && *g; g++) {
		for (const struct option_spec *o = (*g)->options; o->name; o++, row++) {
			*row = (struct option_row){ .name = o->name,
						    .argument = o->argument,
						    .type = o->type->name,
						    .group = (*g)->title,
						    .letter_text = { o->letter } };
			row->letter = o->letter ? row->letter_text : NULL;
			row->help = option_help_text(o, row->help_text);
		}
	}
	list.rows = rows;
	return list;
}

/* The columns of a record, as rows that the caller frees.  @command: whose columns may be without value; or NULL */
static struct list list_columns(const struct record *record, const struct command *command)
{
	struct list list = { .record = &column_record, .size = sizeof(struct column_row) };
	struct column_row *rows;

	for (const struct field *f = record ? record->fields : NULL; f && f->key; f++)
		list.count++;
	rows = calloc(list.count + 1, sizeof(*rows));
	for (size_t i = 0; rows && i < list.count; i++)
		rows[i] = (struct column_row){ record->fields[i].key, record->fields[i].help,
					       record->fields[i].flags & FIELD_DETAIL,
					       !command || command_fills(command,
									 record->fields[i].key) };
	list.rows = rows;
	return list;
}

static void free_views(struct list *views)
{
	const struct view_row *rows = views->rows;

	for (size_t i = 0; rows && i < views->count; i++)
		free((void *)rows[i].columns.rows);
	free((void *)rows);
	views->rows = NULL;
}

/* The views of a command, as rows that free_views() frees; without rows when memory is short. */
static struct list list_views(const struct command *command)
{
	struct list list = { .record = &view_record, .size = sizeof(struct view_row) };
	struct view_row *rows;
	bool complete = true;

	while (command->views && command->views[list.count])
		list.count++;
	rows = calloc(list.count + 1, sizeof(*rows));
	list.rows = rows;
	for (size_t i = 0; rows && i < list.count; i++) {
		rows[i].option = command->views[i]->option;
		rows[i].columns = list_columns(command->views[i]->record, NULL);
		complete &= rows[i].columns.rows != NULL;
	}
	if (!complete)
		free_views(&list);
	return list;
}

int help_dump(const struct command *const *commands, const struct option_group *global,
	      struct mr_error *err)
{
	const struct option_group *const global_groups[] = { global, NULL };
	const struct output_style json = { .json = true };
	struct list options = list_options(global_groups);
	struct output out;
	int rc = output_open(&out, &json, NULL, err);

	output_begin(&out, "--dump-cli");
	if (options.rows)
		output_json_list(&out, "options", &options);
	output_list_begin(&out, "commands", &cli_record, false);
	for (const struct command *const *c = commands; *c; c++) {
		struct command_row row = {
			.name = (*c)->name,
			.operands = (*c)->operands,
			.summary = (*c)->summary,
			.options = list_options((*c)->groups),
			.columns = list_columns((*c)->record, *c),
			.views = list_views(*c),
		};

		if (!row.options.rows || !row.columns.rows || !row.views.rows || !options.rows)
			rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
		else
			output_row(&out, &cli_record, &row);
		free((void *)row.options.rows);
		free((void *)row.columns.rows);
		free_views(&row.views);
	}
	output_list_end(&out);
	free((void *)options.rows);
	rc = rc ? rc : output_end(&out, err);
	output_release(&out);
	return rc;
}
