// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cli/command.h"
#include "cmd/output/output.h"
#include "cmd/region/enclosing.h"

/* Most bytes of a line that a message shows. */
#define TEXT_MAX 200

/* "line 7: reg --size 1M": cut where it is long. */
static void name_line(const struct enclosing *enclosing, char name[TEXT_MAX + 40])
{
	bool cut = strlen(enclosing->text) > TEXT_MAX;

	snprintf(name, TEXT_MAX + 40, "line %" PRIu64 ": %.*s%s", enclosing->number, TEXT_MAX,
		 enclosing->text, cut ? "..." : "");
}

void enclosing_note(const struct enclosing *enclosing, const char *fmt, ...)
{
	char name[TEXT_MAX + 40], text[sizeof(((struct mr_error *)0)->text) + 64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	name_line(enclosing, name);
	progress_clear(enclosing->progress);
	report_note(enclosing->command->name, "%s: %s", name, text);
}

void enclosing_wrap(const struct enclosing *enclosing, struct mr_error *err)
{
	char name[TEXT_MAX + 40];

	name_line(enclosing, name);
	mr_wrap(err, "%s", name);
}

void enclosing_fail(const struct enclosing *enclosing, const struct failure *failure,
		    const char *message)
{
	struct mr_error err;

	mr_fail_text(&err, MR_ERROR_REFUSED, 0, "%s", failure ? failure->message : message);
	enclosing_wrap(enclosing, &err);
	failures_adopt(enclosing->failures, failure, enclosing->number, err.text);
}
