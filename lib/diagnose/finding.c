// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/finding.h"

const struct mr_word mr_verdicts[MR_VERDICTS + 1] = {
	[MR_VERDICT_NA] = MR_WORD("n/a", "not this host's business"),
	[MR_VERDICT_OK] = MR_WORD("ok", "as it should be"),
	[MR_VERDICT_UNKNOWN] = MR_WORD("unknown", "could not be found out"),
	[MR_VERDICT_WARN] = MR_WORD("warn", "works, but not for all, or not for long"),
	[MR_VERDICT_BAD] = MR_WORD("bad", "registration fails"),
};

void mr_finding_set(struct mr_finding *finding, enum mr_verdict verdict, const char *fmt, ...)
{
	va_list ap;

	finding->verdict = verdict;
	va_start(ap, fmt);
	vsnprintf(finding->figure, sizeof(finding->figure), fmt, ap);
	va_end(ap);
}

void mr_finding_detail(struct mr_finding *finding, const char *fmt, ...)
{
	size_t used = strlen(finding->detail);
	va_list ap;

	if (used)
		used += (size_t)snprintf(finding->detail + used, sizeof(finding->detail) - used,
					 "; ");
	if (used >= sizeof(finding->detail))
		return;
	va_start(ap, fmt);
	vsnprintf(finding->detail + used, sizeof(finding->detail) - used, fmt, ap);
	va_end(ap);
}

void mr_finding_remedy(struct mr_finding *finding, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(finding->remedy, sizeof(finding->remedy), fmt, ap);
	va_end(ap);
}
