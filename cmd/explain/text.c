// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/explain/text.h"
#include "cmd/output/output.h"
#include "lib/diagnose/diagnose.h"

#define LABEL_WIDTH 12

void text_labelled(size_t indent, const char *label, const char *text)
{
	const size_t column = indent + strlen(label);

	if (!text)
		return;
	output_text("%*s%s", (int)indent, "", label);
	output_paragraph(text, column, column);
}

/* The same behind a label in a column of its own: "what:       ...". */
static void print_part(const char *name, const char *text)
{
	char label[LABEL_WIDTH + 1];

	snprintf(label, sizeof(label), "%s:%*s", name, LABEL_WIDTH - 1 - (int)strlen(name), "");
	text_labelled(0, label, text);
}

/* Names with ", " between; an empty text for none. */
static const char *list_text(const char *const *names, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (; names && *names && used < size; names++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? ", " : "",
					 *names);
	return buffer;
}

static void print_heading(const struct explained *row)
{
	output_coloured(COLOUR_HEADING, row->id, 0);
	output_text(": ");
	output_paragraph(row->subject, strlen(row->id) + 2, 0);
}

void text_of_cause(const struct explained *row, bool is_check)
{
	char list[512], command[128];

	print_heading(row);
	output_text("\n");
	print_part("what", row->what);
	print_part("recognise", row->recognise);
	print_part("try", row->remedy);
	if (row->calls) {
		print_part("errnos",
			   row->errnos ? list_text(row->errnos, list, sizeof(list)) : "any");
		print_part("calls", list_text(row->calls, list, sizeof(list)));
		print_part("refused by", row->layer);
		print_part("frequency", row->frequency);
	}
	print_part("sources", row->source);
	snprintf(command, sizeof(command), "mrctl stat --host --only %s", row->id);
	print_part("this host", is_check ? command : NULL);
}

void text_in_list(const struct explained *row)
{
	output_text("\n");
	print_heading(row);
	text_labelled(2, "", row->recognise);
	text_labelled(2, "try: ", row->remedy);
}

/* ---- lines of a log ---- */

static void print_request(const struct log_row *row)
{
	char text[FIELD_TEXT_MAX + 256], access[FIELD_TEXT_MAX];
	size_t used = 0;

	text[0] = '\0';
#define ADD(...)                                                                                   \
	do {                                                                                       \
		if (used < sizeof(text))                                                           \
			used += (size_t)snprintf(text + used, sizeof(text) - used, __VA_ARGS__);   \
	} while (0)
	if (row->length.known && row->length.value >= 1024)
		ADD("%" PRIu64 " bytes (%s)", row->length.value,
		    mr_size_text(row->length.value).text);
	else if (row->length.known)
		ADD("%" PRIu64 " bytes", row->length.value);
	if (row->addr.known)
		ADD("%s at 0x%" PRIx64, row->length.known ? "" : "memory", row->addr.value);
	if (row->iova.known)
		ADD("%sI/O virtual address 0x%" PRIx64, used ? ", " : "", row->iova.value);
	if (row->access.known)
		ADD("%saccess %s", used ? ", " : "",
		    access_text((uint32_t)row->access.value, access));
	if (row->device)
		ADD("%sdevice %s", used ? ", " : "", row->device);
#undef ADD
	text_labelled(2, "asked for ", used ? text : NULL);
}

static void print_firmware(const struct log_row *row)
{
	char text[256];

	if (!row->command)
		return;
	snprintf(text, sizeof(text),
		 "%s was refused: status 0x%" PRIx64 " (%s: %s), syndrome 0x%" PRIx64, row->command,
		 row->firmware_status.value, row->status_name ? row->status_name : "?",
		 row->status_meaning ? row->status_meaning : "not known", row->syndrome.value);
	text_labelled(2, "firmware: ", text);
}

void text_of_line(const struct log_row *row)
{
	char text[512];

	output_text("> ");
	output_paragraph(row->text, 2, 2);
	output_text("\n");
	if (row->remark) {
		output_paragraph(row->remark, 2, 2);
		output_text("\n");
		return;
	}
	if (row->errno_name)
		snprintf(text, sizeof(text), "%s: %s (%s)", row->call ? row->call : row->command,
			 row->errno_name, row->errno_text);
	else if (row->is_reason)
		snprintf(text, sizeof(text),
			 "%s: the line has a reason for refusals, and no refused call", row->call);
	else
		snprintf(text, sizeof(text), "%s failed; no line near this one has the errno",
			 row->call ? row->call : row->command);
	output_paragraph(text, 0, 2);
	if (row->call && row->command)
		text_labelled(2, "",
			      "The line does not name the call: this one sends the command.");
	else if (row->call && row->is_of_libfabric)
		text_labelled(
			2, "",
			"The line is of libfabric, whose providers verbs and efa make this call; "
			"others do not (FI_LOG_LEVEL=info names the provider).");
	else if (row->call && !row->call_is_named && !row->is_reason)
		text_labelled(2, "",
			      "The line does not name the call: its words stand for this one.");
	print_request(row);
	print_firmware(row);
	if (row->other_errno && row->firmware_status.known)
		snprintf(text, sizeof(text), "The usual errno of this status is %s.",
			 row->other_errno);
	else if (row->other_errno)
		snprintf(text, sizeof(text), "The line has %s as well.", row->other_errno);
	text_labelled(2, "", row->other_errno ? text : NULL);
	if (row->count.value > 1) {
		snprintf(text, sizeof(text), "%" PRIu64 " lines tell of such a refusal.",
			 row->count.value);
		text_labelled(2, "", text);
	}
}

void text_of_suspicion(const struct explained *row, bool is_first)
{
	char text[sizeof(((struct mr_suspicion *)0)->text) + 128];

	snprintf(text, sizeof(text), "%s [%s, %s]", row->cause, row->certainty, row->id);
	text_labelled(2, is_first ? "because: " : "or: ", text);
	text_labelled(2, "try: ", row->remedy);
}
