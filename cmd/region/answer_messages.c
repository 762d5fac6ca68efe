// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/output/output.h"
#include "cmd/region/answer_messages.h"
#include "cmd/region/enclosing.h"

void answer_note(const struct answer *answer, const char *fmt, ...)
{
	const struct enclosing *enclosing = answer->invocation->enclosing;
	char text[sizeof(((struct mr_error *)0)->text) + 64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (enclosing)
		enclosing_note(enclosing, "%s", text);
	else
		report_note(answer->invocation->command->name, "%s", text);
}

/* Says how many refusals came for the cause that was told last. */
static void report_told_again(const struct answer *answer)
{
	if (!answer->told || !answer->told_again)
		return;
	if (*answer->told)
		answer_note(answer, "and %" PRIu64 " more for the same cause, %s",
			    answer->told_again, answer->told);
	else
		answer_note(answer, "and %" PRIu64 " more, for no known cause either",
			    answer->told_again);
}

/* Whether the message before has named the same cause; if so it is counted. */
static bool is_told(struct answer *answer, const struct why *why)
{
	const struct mr_cause *cause = why_first(why);
	const char *id = cause ? cause->id : "";
	const bool is_same = answer->told && !strcmp(id, answer->told);

	if (!is_same) {
		report_told_again(answer);
		answer->told_again = 0;
	}
	answer->told = id;
	answer->told_again += is_same;
	return is_same;
}

void answer_report_failure(struct answer *answer, struct mr_error *err, uint64_t index,
			   bool expected, const struct why *why)
{
	const bool verbose = answer->invocation->global->style.verbose;

	progress_clear(&answer->progress);
	if (index && answer->total > 1)
		mr_wrap(err, "region %" PRIu64 " of %" PRIu64, index, answer->total);
	answer_note(answer, "%s%s", err->text, expected ? ", as expected" : "");
	if (err->hint[0])
		report_detail("%s", err->hint);
	if (answer->environment->simulated && mr_error_is_answer(err->kind, err->call))
		report_detail("on the simulated HCA %s", answer->environment->device);
	if (answer->tell && !verbose)
		answer->tell(answer->tell_data);
	if (why && (verbose || !is_told(answer, why)))
		why_report(why, verbose);
	if (verbose)
		report_lines(&request_record, &answer->request);
}

void answer_report_rest(const struct answer *answer)
{
	report_told_again(answer);
	if (answer->reported > REPORTED_MAX)
		answer_note(answer, "and %" PRIu64 " more failures (--json has all)",
			    answer->reported - REPORTED_MAX);
}
