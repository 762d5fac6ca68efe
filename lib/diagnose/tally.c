// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>

#include "lib/diagnose/tally.h"

void mr_tally_add(struct mr_tally *tally, enum mr_verdict verdict, const char *device,
		  const char *fmt, ...)
{
	va_list ap;

	if (!tally->names[verdict].count) {
		va_start(ap, fmt);
		vsnprintf(tally->text[verdict], sizeof(tally->text[verdict]), fmt, ap);
		va_end(ap);
	}
	mr_name_add(&tally->names[verdict], device);
}

enum mr_verdict mr_tally_settle(const struct mr_tally *tally, struct mr_finding *finding)
{
	for (enum mr_verdict verdict = MR_VERDICTS; verdict-- > MR_VERDICT_NA;)
		if (tally->names[verdict].count) {
			mr_finding_set(finding, verdict, "%s: %s", tally->names[verdict].text,
				       tally->text[verdict]);
			return verdict;
		}
	return MR_VERDICT_NA;
}
