// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/region/region.h"
#include "cmd/report/report.h"
#include "lib/base/base.h"
#include "lib/memory/memory.h"
#include "lib/verbs/verbs.h"

/* ---- the members ---- */

#define MEMBER(key_, type_, flags_, help_, ...)                                                    \
	{                                                                                          \
		.key = (key_), .type = (type_), .flags = (flags_), .help = (help_), __VA_ARGS__    \
	}
/* An initializer: the member may be null. */
#define NULLABLE .size = sizeof(struct mr_opt_u64)

/* The schema adds the members of documents. */
static const struct field section_fields[] = {
	MEMBER("text", FIELD_WORDS, FIELD_PROSE, "lines that the command prints without --json"),
	MEMBER("error", FIELD_STRING, FIELD_PROSE, "why there is no document"),
	FIELD_END,
};
REPORTED static const struct record section_record = { SECTION_RECORD, section_fields, NULL };
static const struct record answer_record = { ANSWER_RECORD, section_fields, NULL };

static const struct field program_fields[] = {
	MEMBER("argv", FIELD_WORDS, 0, "the command line that was run"),
	MEMBER("exit_status", FIELD_NUMBER, 0, "exit status of the program", NULLABLE),
	MEMBER("signal", FIELD_NUMBER, 0, "signal that ended the program", NULLABLE),
	MEMBER("elapsed_ns", FIELD_NUMBER, 0, "time that the program took"),
	DOCUMENT_OBJECT("answer", &answer_record, "document of mrctl, or summary of trace"),
	MEMBER("reproduction", FIELD_WORDS, 0, "lines of a batch that is refused in the same way"),
	FIELD_END,
};
REPORTED static const struct record program_record = { "reported_program", program_fields, NULL };

static const struct field log_fields[] = {
	MEMBER("errno", FIELD_STRING, FIELD_PUBLIC, "why the log could not be read"),
	MEMBER("lines", FIELD_WORDS, FIELD_PROSE, "the newest lines about RDMA"),
	FIELD_END,
};
REPORTED static const struct record log_record = { "kernel_log", log_fields, NULL };

static const struct field left_out_fields[] = {
	MEMBER("kernel_log_lines", FIELD_NUMBER, 0, "lines of the kernel's log"),
	MEMBER("command_lines", FIELD_NUMBER, 0, "command lines"),
	MEMBER("texts", FIELD_NUMBER, 0, "messages and other texts"),
	MEMBER("recorded_files", FIELD_NUMBER, 0, "files of the recording"),
	FIELD_END,
};
static const struct record left_out_record = { "left_out", left_out_fields, NULL };

static const struct field difference_fields[] = {
	MEMBER("id", FIELD_STRING, FIELD_PUBLIC, "the check"),
	MEMBER("then", FIELD_STRING, FIELD_PUBLIC, "verdict of the check in the report"),
	MEMBER("now", FIELD_STRING, FIELD_PUBLIC, "verdict of the check now"),
	FIELD_END,
};
REPORTED static const struct record difference_record = { "difference", difference_fields, NULL };

const struct field report_members[] = {
	MEMBER("command", FIELD_STRING, FIELD_PUBLIC, ""),
	MEMBER("error", FIELD_STRING, FIELD_PROSE, "why there is no report"),
	MEMBER("made", FIELD_STRING, FIELD_PUBLIC, "time of the report, in UTC"),
	MEMBER("host_name", FIELD_STRING, 0, "name of the host"),
	MEMBER("redacted", FIELD_BOOL, 0, "whether the report is redacted"),
	DOCUMENT_OBJECT("left_out", &left_out_record,
			"numbers of omitted values of a redacted report"),
	MEMBER("environment", FIELD_ONE, 0, "origin of the answers", .record = &environment_record),
	MEMBER("program", FIELD_ONE, 0, "the program that was run", .record = &program_record),
	DOCUMENT_OBJECT("host", &section_record, "document of stat --host"),
	MEMBER("devices", FIELD_ONE, 0, "document of stat --device", .record = &section_record),
	MEMBER("session", FIELD_ONE, 0, "document of stat", .record = &section_record),
	DOCUMENT_OBJECT("kernel_log", &log_record, "lines of the kernel's log"),
	MEMBER("recording", FIELD_EVIDENCE, 0, "files that the checks have read, by path",
	       NULLABLE),
	MEMBER("recording_left_out", FIELD_NUMBER, 0, "files that the recording omits"),
	DOCUMENT_LIST("judged_again", &difference_record, "checks whose verdict differs now"),
	FIELD_END,
};
REPORTED static const struct record report_record = { "report", report_members, NULL };

/* ---- redacting ---- */

struct redaction {
	struct report *report;
	void *pseudonyms; /* tree of struct pseudonym, as of tsearch(3) */
	unsigned int count;
	uint64_t log_lines, command_lines, texts, files; /* left out */
};

/* ---- pseudonyms ---- */

struct pseudonym {
	const char *original; /* in the same block of memory, behind the text */
	char text[];
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct pseudonym *)a)->original,
		      ((const struct pseudonym *)b)->original);
}

/* Returns the pseudonym of a value: "node_guid-2", the same one for equal values; NULL where memory is short. */
static const char *pseudonym_of(struct redaction *redaction, const char *key, const char *original)
{
	struct pseudonym wanted = { .original = original }, *made, **found;
	const size_t room = strlen(key) + sizeof("-4294967295");

	found = tfind(&wanted, &redaction->pseudonyms, compare);
	if (found)
		return (*found)->text;
	made = malloc(sizeof(*made) + room + strlen(original) + 1);
	if (!made)
		return NULL;
	snprintf(made->text, room, "%s-%u", key, ++redaction->count);
	made->original = strcpy(made->text + room, original);
	if (tsearch(made, &redaction->pseudonyms, compare))
		return made->text;
	free(made);
	return NULL;
}

static void replace(struct redaction *redaction, cJSON *node, const char *key, const char *kept,
		    const char *private)
{
	const char *pseudonym = pseudonym_of(redaction, key, private);
	mr_auto_free char *text = NULL;

	if (!pseudonym || asprintf(&text, "%s%s", kept, pseudonym) < 0 ||
	    !cJSON_SetValuestring(node, text)) {
		report_clear(node);
		redaction->report->out_of_memory = true;
	}
}

/* ---- kinds of fields in the records ---- */

/* All fields of a key, in all records that a report may have. */
struct fields {
	unsigned int types;    /* a bit for each enum field_type of them */
	unsigned int all, any; /* flags that all fields of a string have, and that any field has */
};

/* Types whose values are public by a flag. */
#define STRINGS                                                                                    \
	(1u << FIELD_STRING | 1u << FIELD_TEXT | 1u << FIELD_WORDS | 1u << FIELD_BITS |            \
	 1u << FIELD_WORD | 1u << FIELD_ERRNO)

static struct fields find_fields(const char *key)
{
	struct fields found = { .all = ~0u };

	/* The linker makes one array of both. */
	// cppcheck-suppress comparePointers
	for (const struct record *r = __start_mrctl_reported; r < __stop_mrctl_reported; r++) {
		for (const struct field *f = r->fields; f->key; f++) {
			if (strcmp(f->key, key) != 0)
				continue;
			found.types |= 1u << f->type;
			found.any |= f->flags;
			if (1u << f->type & STRINGS)
				found.all &= f->flags;
		}
	}
	found.all = found.types & STRINGS ? found.all : 0;
	return found;
}

/* Whether a string is public.  A report that is read may have any string in any place. */
static bool is_public(const struct fields *fields, const char *text)
{
	struct mr_error ignored;
	uint32_t bits;

	if (fields->types == 1u << FIELD_HEX)
		return !strncmp(text, "0x", 2) && strlen(text) <= strlen("0x0123456789abcdef") &&
		       !text[2 + strspn(text + 2, "0123456789abcdef")];
	/* mrctl verify has a kind of access that is no flag */
	if (fields->types & 1u << FIELD_ACCESS)
		return !strcmp(text, "local-read") ||
		       !mr_flags_parse(mr_access_flags, "access", text, &bits, &ignored);
	return fields->all & FIELD_PUBLIC;
}

/* ---- the document ---- */

static void redact_string(struct redaction *redaction, cJSON *node, const char *key,
			  const struct fields *fields)
{
	const char *text = cJSON_GetStringValue(node);
	struct mr_memory_kind memory = { .path = NULL };
	struct mr_error ignored;
	char kind[16] = "";

	if (fields->any & FIELD_PROSE) {
		redaction->texts++;
		if (!(fields->any & FIELD_KNOWN) || !cJSON_SetValuestring(node, ""))
			report_clear(node);
	} else if (fields->all & FIELD_MEMORY && !mr_memory_kind_parse(text, &memory, &ignored)) {
		if (!memory.path)
			return;
		snprintf(kind, sizeof(kind), "%.*s:", (int)strcspn(text, ":"), text);
		replace(redaction, node, key, kind, memory.path);
	} else if (!is_public(fields, text)) {
		replace(redaction, node, key, "", text);
	}
}

static void leave_out(cJSON *node, uint64_t *sum, uint64_t count)
{
	report_clear(node);
	*sum += count;
}

/* @key, @fields: of the value, or of the list that it is in */
static void redact(struct redaction *redaction, cJSON *node, const char *key,
		   const struct fields *fields)
{
	const bool is_list = cJSON_IsArray(node);
	const uint64_t count = (uint64_t)cJSON_GetArraySize(node);
	cJSON *child;

	if (cJSON_IsString(node))
		return redact_string(redaction, node, key, fields);
	if (cJSON_IsObject(node) && !strcmp(key, "recording"))
		return leave_out(node, &redaction->files, count);
	if (is_list && !strcmp(key, "lines"))
		return leave_out(node, &redaction->log_lines, count);
	if (is_list && fields->any & FIELD_PROSE)
		return leave_out(node, &redaction->texts, count);
	if (is_list && fields->types & 1u << FIELD_WORDS && !(fields->all & FIELD_PUBLIC))
		return leave_out(node, &redaction->command_lines, 1);
	cJSON_ArrayForEach(child, node)
	{
		const char *own_key = child->string ?: "";
		struct fields own = *own_key ? find_fields(own_key) : *fields;

		if (fields->types & 1u << FIELD_EVIDENCE) /* which have keys of their own */
			own = (struct fields){ .types = 0 };
		redact(redaction, child, *own_key ? own_key : key, &own);
	}
}

void report_redact(struct report *report)
{
	struct redaction redaction = { .report = report };
	cJSON *root = report->root, *left_out = cJSON_CreateObject();
	const char *host = json_text(root, "host_name");

	if (host)
		pseudonym_of(&redaction, "host", host);
	report_drop_keys(root);
	redact(&redaction, root, "report", &(struct fields){ .types = 0 });
	tdestroy(redaction.pseudonyms, free);
	report_add(report, left_out, "kernel_log_lines", json_number(redaction.log_lines));
	report_add(report, left_out, "command_lines", json_number(redaction.command_lines));
	report_add(report, left_out, "texts", json_number(redaction.texts));
	report_add(report, left_out, "recorded_files", json_number(redaction.files));
	if (json_get(root, "left_out")) /* by an earlier redaction */
		cJSON_Delete(left_out);
	else
		report_add(report, root, "left_out", left_out);
	report_add(report, root, "redacted", cJSON_CreateBool(true));
}
