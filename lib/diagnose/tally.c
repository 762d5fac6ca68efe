// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/tally.h"

enum { ROWS = sizeof(((struct mr_tally *)0)->rows) / sizeof(struct mr_tally_row) };

void mr_tally_add(struct mr_tally *tally, enum mr_verdict verdict, const char *device,
		  const char *fmt, ...)
{
	struct mr_tally_row found = { .verdict = verdict };
	struct mr_tally_row *row = tally->rows;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(found.text, sizeof(found.text), fmt, ap);
	va_end(ap);
	while (row < tally->rows + tally->count &&
	       (row->verdict != verdict || strcmp(row->text, found.text) != 0))
		row++;
	if (row == tally->rows + ROWS) {
		/* There is no room: the last row is left to the worse verdict. */
		row--;
		if (row->verdict >= verdict) {
			tally->others[verdict]++;
			return;
		}
		tally->others[row->verdict] += row->devices.count;
		*row = found;
	} else if (row == tally->rows + tally->count) {
		*row = found;
		tally->count++;
	}
	mr_name_add(&row->devices, device);
}

static enum mr_verdict find_worst(const struct mr_tally *tally)
{
	enum mr_verdict worst = MR_VERDICT_NA;

	for (unsigned int i = 0; i < tally->count; i++)
		if (tally->rows[i].verdict > worst)
			worst = tally->rows[i].verdict;
	return worst;
}

enum mr_verdict mr_tally_settle(const struct mr_tally *tally, struct mr_finding *finding)
{
	const enum mr_verdict worst = find_worst(tally);
	char text[sizeof(finding->figure)] = "";
	unsigned int others = tally->others[worst];
	size_t used = 0;

	if (!tally->count)
		return MR_VERDICT_NA;
	for (unsigned int i = 0; i < tally->count; i++) {
		const struct mr_tally_row *row = &tally->rows[i];
		char next[sizeof(row->text) + sizeof(row->devices.text) + 8];
		const int length = snprintf(next, sizeof(next), "%s%s: %s", used ? "; " : "",
					    row->devices.text, row->text);

		if (row->verdict != worst)
			continue;
		if (used && used + (size_t)length > sizeof(text) - sizeof("; 4294967295 more")) {
			others += row->devices.count;
			continue;
		}
		memcpy(text + used, next, (size_t)length + 1);
		used += (size_t)length;
	}
	mr_finding_set(finding, worst, "%s", text);
	if (others)
		mr_finding_set(finding, worst, "%s; %u more", text, others);
	return worst;
}
