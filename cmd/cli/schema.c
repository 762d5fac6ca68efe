// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Describes the JSON documents of all commands by one JSON Schema, made of the tables that they are printed by. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "lib/base/base.h"

#define LINE_RECORD "line" /* of a batch */
#define DRAFT       "https://json-schema.org/draft/2020-12/schema"

/* Describes how the values of a type of field are written, and when they are null. */
static const struct form {
	const char *type;
	const char *items;   /* of an array */
	const char *pattern; /* of a string */
	bool is_always_there;
	bool is_there_alone; /* as a member without another one for whether it is known */
} forms[] = {
	[FIELD_STRING] = { .type = "string" },
	[FIELD_TEXT] = { .type = "string" },
	[FIELD_BOOL] = { .type = "boolean", .is_there_alone = true },
	[FIELD_TRISTATE] = { .type = "boolean" },
	[FIELD_NUMBER] = { .type = "integer", .is_there_alone = true },
	[FIELD_LIMIT] = { .type = "integer", .is_there_alone = true },
	[FIELD_RATIO] = { .type = "number", .is_there_alone = true },
	[FIELD_HEX] = { .type = "string",
			.pattern = "^0x(0|[1-9a-f][0-9a-f]*)$",
			.is_there_alone = true },
	[FIELD_ACCESS] = { .type = "array", .items = "string", .is_there_alone = true },
	[FIELD_PAGES] = { .type = "array", .items = "integer", .is_there_alone = true },
	[FIELD_BITS] = { .type = "array", .items = "string", .is_there_alone = true },
	[FIELD_WORD] = { .type = "string" },
	[FIELD_ERRNO] = { .type = "string" },
	[FIELD_WORDS] = { .type = "array", .items = "string" },
	[FIELD_LIST] = { .type = "array" },
	[FIELD_RECORD] = { .type = "object", .is_always_there = true },
	[FIELD_ONE] = { .type = "object" },
	[FIELD_EVIDENCE] = { .type = "object", .is_always_there = true },
};

struct schema {
	const struct command *const *commands;
	const struct field
		*common; /* members of the documents of most commands; ends with one without key */
	cJSON *root;
	cJSON *definitions;
	bool out_of_memory;
};

static cJSON *add(struct schema *schema, cJSON *to, const char *key, cJSON *item)
{
	if (item && (key ? cJSON_AddItemToObject(to, key, item) : cJSON_AddItemToArray(to, item)))
		return item;
	cJSON_Delete(item);
	schema->out_of_memory = true;
	return NULL;
}

static void add_text(struct schema *schema, cJSON *to, const char *key, const char *text)
{
	if (text && *text)
		add(schema, to, key, cJSON_CreateString(text));
}

static void add_types(struct schema *schema, cJSON *to, const char *type, const char *other)
{
	cJSON *types = add(schema, to, "type", cJSON_CreateArray());

	add_text(schema, types, NULL, type);
	add_text(schema, types, NULL, other);
}

static void add_reference(struct schema *schema, cJSON *to, const char *name)
{
	char path[80];

	snprintf(path, sizeof(path), "#/$defs/%s", name);
	add_text(schema, to, "$ref", path);
}

static void define(struct schema *schema, const struct record *record);

static void add_member(struct schema *schema, cJSON *properties, const struct field *field)
{
	const struct form *form = &forms[field->type];
	cJSON *member = add(schema, properties, field->key, cJSON_CreateObject()), *choices;

	add_text(schema, member, "description", field->help);
	if (field->type == FIELD_RECORD || field->type == FIELD_ONE) {
		;
	} else if (field->flags & FIELD_KNOWN ||
		   (field->size != sizeof(struct mr_opt_u64) &&
		    (form->is_always_there ||
		     (form->is_there_alone && !field->pointer && !field->known_by)))) {
		add_text(schema, member, "type", form->type);
	} else {
		add_types(schema, member, form->type, "null");
	}
	add_text(schema, member, "pattern", form->pattern);
	if (form->items)
		add_text(schema, add(schema, member, "items", cJSON_CreateObject()), "type",
			 form->items);
	if (field->record)
		define(schema, field->record);
	if (field->record && field->type == FIELD_RECORD) {
		add_reference(schema, member, field->record->name);
	} else if (field->record && field->type == FIELD_ONE) {
		choices = add(schema, member, "anyOf", cJSON_CreateArray());
		add_reference(schema, add(schema, choices, NULL, cJSON_CreateObject()),
			      field->record->name);
		add_text(schema, add(schema, choices, NULL, cJSON_CreateObject()), "type", "null");
	} else if (field->record) {
		add_reference(schema, add(schema, member, "items", cJSON_CreateObject()),
			      field->record->name);
	}
	if (field->type == FIELD_EVIDENCE)
		add_types(schema, add(schema, member, "additionalProperties", cJSON_CreateObject()),
			  "string", "integer");
}

/* Adds members to @object, and their keys to those that are required where that is not NULL. */
static void add_members(struct schema *schema, cJSON *properties, cJSON *required,
			const struct field *fields)
{
	for (const struct field *f = fields; f && f->key; f++) {
		if (!*f->key) { /* DOCUMENT_PART() */
			add_members(schema, properties, required, f->record->fields);
			continue;
		}
		/* A line of a batch has the members of several commands. */
		if (!cJSON_GetObjectItemCaseSensitive(properties, f->key))
			add_member(schema, properties, f);
		if (required)
			add_text(schema, required, NULL, f->key);
	}
}

/* Defines a record.  The --output option may omit members of records that have a separate list. */
static void define(struct schema *schema, const struct record *record)
{
	cJSON *object, *properties, *required = NULL;

	if (cJSON_GetObjectItemCaseSensitive(schema->definitions, record->name))
		return;
	object = add(schema, schema->definitions, record->name, cJSON_CreateObject());
	add_text(schema, object, "type", "object");
	properties = add(schema, object, "properties", cJSON_CreateObject());
	if (!record->list)
		required = add(schema, object, "required", cJSON_CreateArray());
	add_members(schema, properties, required, record->fields);
}

static void add_constant(struct schema *schema, cJSON *properties, cJSON *required, const char *key,
			 cJSON *value)
{
	add(schema, add(schema, properties, key, cJSON_CreateObject()), "const", value);
	add_text(schema, required, NULL, key);
}

/* Adds the list of the records that --output chooses columns of. */
static void add_main_list(struct schema *schema, cJSON *properties, const struct record *record)
{
	const struct field list = DOCUMENT_LIST(record->list, record, "");

	if (!cJSON_GetObjectItemCaseSensitive(properties, record->list))
		add_member(schema, properties, &list);
}

/* Lets a document be one of that definition. */
static void add_choice(struct schema *schema, const char *name)
{
	cJSON *choices = cJSON_GetObjectItem(schema->root, "anyOf");

	add_reference(schema, add(schema, choices, NULL, cJSON_CreateObject()), name);
}

/* Defines the document of a command, or of a view of it. */
static void define_document(struct schema *schema, const struct command *command,
			    const struct command *view)
{
	const bool is_view = view != command;
	cJSON *object, *properties, *required;
	char name[64];

	snprintf(name, sizeof(name), "mrctl-%s%s%s", command->name + strspn(command->name, "-"),
		 is_view ? "-" : "", is_view ? view->name : "");
	object = add(schema, schema->definitions, name, cJSON_CreateObject());
	add_text(schema, object, "type", "object");
	properties = add(schema, object, "properties", cJSON_CreateObject());
	required = add(schema, object, "required", cJSON_CreateArray());
	add_constant(schema, properties, required, "format", cJSON_CreateNumber(1));
	add_constant(schema, properties, required, "command", cJSON_CreateString(command->name));
	if (!command->prints_document && !command->has_own_document)
		add_members(schema, properties, required, schema->common);
	if (view->record)
		add_main_list(schema, properties, view->record);
	add_members(schema, properties, command->has_own_document ? required : NULL, view->members);
	add_choice(schema, name);
}

/* Whether the lines of a batch, or that part of a report, may have the members of the command's document. */
static bool may_be_in(const struct command *command, const char *name)
{
	if (!command->record)
		return false;
	if (!strcmp(name, LINE_RECORD))
		return !command->not_in_batch;
	/* stat has views. */
	return !command->views == !strcmp(name, ANSWER_RECORD);
}

/* Adds the members of the documents that the record represents. */
static void complete(struct schema *schema, const char *name)
{
	cJSON *object = cJSON_GetObjectItem(schema->definitions, name);
	cJSON *properties = cJSON_GetObjectItem(object, "properties");

	if (strcmp(name, LINE_RECORD) != 0) /* it has the document, or an error */
		cJSON_DeleteItemFromObject(object, "required");
	for (const struct command *const *c = schema->commands; object && *c; c++) {
		if (!may_be_in(*c, name))
			continue;
		add_main_list(schema, properties, (*c)->record);
		add_members(schema, properties, NULL, (*c)->members);
		add_members(schema, properties, NULL, schema->common);
		for (const struct command *const *v = (*c)->views; v && *v; v++) {
			add_main_list(schema, properties, (*v)->record);
			add_members(schema, properties, NULL, (*v)->members);
		}
	}
	cJSON_DeleteItemFromObject(properties,
				   "session"); /* which the document or the report has once */
}

int schema_dump(const struct command *const *commands, const struct field *common,
		struct mr_error *err)
{
	const struct command dump = { .name = "--dump-cli",
				      .members = help_dump_members,
				      .has_own_document = true };
	struct schema schema = { .commands = commands,
				 .common = common,
				 .root = cJSON_CreateObject() };

	add_text(&schema, schema.root, "$schema", DRAFT);
	add_text(&schema, schema.root, "$id", "urn:mrctl:json:1:" MRCTL_VERSION);
	add_text(&schema, schema.root, "title", "JSON documents of mrctl " MRCTL_VERSION);
	add(&schema, schema.root, "anyOf", cJSON_CreateArray());
	schema.definitions = add(&schema, schema.root, "$defs", cJSON_CreateObject());
	for (const struct command *const *c = commands; *c; c++) {
		if ((*c)->record || (*c)->prints_document)
			define_document(&schema, *c, *c);
		for (const struct command *const *v = (*c)->views; v && *v; v++)
			define_document(&schema, *c, *v);
		if ((*c)->lines) {
			define(&schema, (*c)->lines);
			add_choice(&schema, (*c)->lines->name);
		}
	}
	define_document(&schema, &dump, &dump);
	complete(&schema, LINE_RECORD);
	complete(&schema, SECTION_RECORD);
	complete(&schema, ANSWER_RECORD);
	if (!schema.out_of_memory)
		json_print(schema.root, 4);
	output_text("\n");
	cJSON_Delete(schema.root);
	return schema.out_of_memory ? mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL)
				    : output_flush(err);
}
