// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The checks for people.  Without --verbose the text is equal on equal hosts, so that it can be compared, as
 * "clush -b" does: it names neither the host nor anything that changes by itself.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/output/output.h"
#include "cmd/stat/host/result.h"

#define VERDICT_WIDTH 8

/* A word that needs an answer stands out without colour, too. */
static const struct coloured_word looks[MR_VERDICTS] = {
	[MR_VERDICT_NA] = { "n/a", COLOUR_PLAIN },
	[MR_VERDICT_OK] = { "ok", COLOUR_GOOD },
	[MR_VERDICT_UNKNOWN] = { "unknown", COLOUR_DOUBT },
	[MR_VERDICT_WARN] = { "WARN", COLOUR_DOUBT },
	[MR_VERDICT_BAD] = { "BAD", COLOUR_BAD },
};

/* The column of the sentences; the same whatever checks are chosen. */
static size_t sentence_column(void)
{
	size_t longest = 0;

	for (const struct mr_check *check = mr_checks; check->id; check++)
		if (strlen(check->id) > longest)
			longest = strlen(check->id);
	return 2 + VERDICT_WIDTH + longest + 2;
}

static void print_below(const char *what, const char *text, size_t column)
{
	if (!text)
		return;
	output_text("%*s%s", (int)column, "", what);
	output_paragraph(text, column + strlen(what), column + strlen(what));
}

static void print_check(const struct check_row *row, bool verbose)
{
	const enum mr_verdict verdict = row->finding.verdict;
	const size_t column = sentence_column();
	char sentence[sizeof(row->finding.figure) + 128];

	snprintf(sentence, sizeof(sentence), "%s%s%s", row->subject, row->figure ? ": " : "",
		 row->figure ? row->figure : "");
	output_text("  ");
	output_coloured(looks[verdict].colour, looks[verdict].word, VERDICT_WIDTH);
	output_text("%-*s", (int)column - VERDICT_WIDTH - 2, row->id);
	output_paragraph(sentence, column, column);
	if (verbose)
		print_below("", row->detail, column);
	print_below("try: ", row->remedy, column);
}

/* The closing sentence, such as "31 checks: 28 ok, 2 warn, 1 bad". */
static void print_summary(const struct host_result *result)
{
	static const enum mr_verdict order[] = { MR_VERDICT_OK, MR_VERDICT_WARN, MR_VERDICT_BAD,
						 MR_VERDICT_UNKNOWN, MR_VERDICT_NA };
	const char *separator = "";

	output_text("\n%zu check%s: ", result->count, result->count == 1 ? "" : "s");
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		const size_t count = result->counts[order[i]];

		if (!count)
			continue;
		output_text("%s%zu %s", separator, count, mr_verdicts[order[i]].name);
		separator = ", ";
	}
	output_text("\n");
}

static void print_about(const struct host_result *result)
{
	char sentence[PATH_MAX + 64];

	if (result->args->root) {
		snprintf(sentence, sizeof(sentence),
			 "This is about the host recorded in %s, not about this one.",
			 result->args->root);
		output_paragraph(sentence, 0, 0);
	}
	if (result->simulated)
		output_text("Its RDMA devices are simulated by mrctl.\n");
}

void result_print(const struct host_result *result, bool verbose)
{
	const char *group = "";

	for (size_t i = 0; i < result->count; i++) {
		const struct check_row *row = &result->rows[i];

		if (row->finding.verdict == MR_VERDICT_NA && !verbose)
			continue;
		if (strcmp(group, row->group) != 0) {
			output_text("%s", *group ? "\n" : "");
			output_coloured(COLOUR_HEADING, row->group, 0);
			output_text("\n");
		}
		group = row->group;
		print_check(row, verbose);
	}
	print_summary(result);
	print_about(result);
}
