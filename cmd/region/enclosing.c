// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/region/enclosing.h"

/* Bytes of a line's text that messages show. */
#define TEXT_MAX 200

/* "line 7: reg --size 1M": cut where it is long. */
static void name_line(const struct batch_line *line, char name[TEXT_MAX + 40])
{
	bool cut = strlen(line->text) > TEXT_MAX;

	snprintf(name, TEXT_MAX + 40, "line %" PRIu64 ": %.*s%s", line->number, TEXT_MAX,
		 line->text, cut ? "..." : "");
}

void batch_line_note(const struct batch_line *line, const char *fmt, ...)
{
	char name[TEXT_MAX + 40], text[sizeof(((struct mr_error *)0)->text) + 64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	name_line(line, name);
	progress_clear(line->progress);
	report_note(line->command, "%s: %s", name, text);
}

void batch_line_wrap(const struct batch_line *line, struct mr_error *err)
{
	char name[TEXT_MAX + 40];

	name_line(line, name);
	mr_wrap(err, "%s", name);
}

void batch_line_fail(const struct batch_line *line, const struct failure *failure,
		     const char *message)
{
	struct mr_error err;

	mr_fail_text(&err, MR_ERROR_REFUSED, 0, "%s", failure ? failure->message : message);
	batch_line_wrap(line, &err);
	failures_adopt(line->failures, failure, line->number, err.text);
}
