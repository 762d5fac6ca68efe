// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/output/output.h"
#include "cmd/trace/live.h"
#include "lib/base/base.h"

enum { LINE_MAX_BYTES = 2048 };

struct line {
	char text[LINE_MAX_BYTES];
	size_t used;
	bool has_argument;
};

static void add(struct line *line, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *fmt, ...)
{
	va_list ap;
	int length;

	va_start(ap, fmt);
	length = vsnprintf(line->text + line->used, sizeof(line->text) - line->used, fmt, ap);
	va_end(ap);
	line->used += (size_t)length;
	if (line->used >= sizeof(line->text))
		line->used = sizeof(line->text) - 1;
}

/* Begins an argument. */
static const char *comma(struct line *line)
{
	const char *text = line->has_argument ? ", " : "";

	line->has_argument = true;
	return text;
}

static void add_number(struct line *line, const char *name, const struct mr_opt_u64 *value)
{
	if (value->known)
		add(line, "%s%s%" PRIu64, comma(line), name, value->value);
}

static void add_hex(struct line *line, const char *name, const struct mr_opt_u64 *value)
{
	if (value->known)
		add(line, "%s%s0x%" PRIx64, comma(line), name, value->value);
}

static void add_arguments(struct line *line, const struct call_row *row)
{
	char text[FIELD_TEXT_MAX];

	if (row->device)
		add(line, "%s%s", comma(line), row->device);
	add_hex(line, "", &row->addr);
	add_number(line, "fd ", &row->fd);
	add_number(line, "offset ", &row->offset);
	add_number(line, "", &row->length);
	if (row->iova.known && !(row->addr.known && row->iova.value == row->addr.value))
		add_hex(line, "iova ", &row->iova);
	if (row->access.known)
		add(line, "%s%s", comma(line), access_text((uint32_t)row->access.value, text));
	if (row->page_sizes.known)
		add(line, "%spages %s", comma(line), pages_text(row->page_sizes.value, text));
	add_hex(line, "flags ", &row->flags);
}

static void add_answer(struct line *line, const struct call_row *row)
{
	if (row->errno_value.known)
		add(line, "%s (%s)", row->answer, mr_errno_text((int)row->errno_value.value));
	else if (strcmp(row->answer, "ok") != 0)
		add(line, "%s", row->answer);
	else if (row->lkey.known)
		add(line, "lkey 0x%" PRIx64 ", rkey 0x%" PRIx64, row->lkey.value, row->rkey.value);
	else
		add(line, "ok");
	add(line, " <%" PRIu64 ".%03u us>", row->elapsed_ns.value / 1000,
	    (unsigned int)(row->elapsed_ns.value % 1000));
}

void live_print(const struct call_row *row, bool is_attached)
{
	struct line line = { .used = 0 };

	if (is_attached)
		add(&line, "%" PRIu64 ".%06u [pid %" PRIu64 ", tid %" PRIu64 "] %s(",
		    row->at_ns.value / 1000000000,
		    (unsigned int)(row->at_ns.value % 1000000000 / 1000), row->pid.value,
		    row->tid.value, row->call);
	else
		add(&line, "[pid %" PRIu64 "] %s(", row->pid.value, row->call);
	add_arguments(&line, row);
	add(&line, ") = ");
	add_answer(&line, row);
	text_print(line.text, stderr);
	fputc('\n', stderr);
}
