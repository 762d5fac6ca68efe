// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
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

void mr_finding_unread(struct mr_finding *finding, const char *path, int error)
{
	mr_finding_set(finding, MR_VERDICT_UNKNOWN, "%s: %s", path, mr_errno_text(error));
	switch (error) {
	case ENOENT:
		/* The folder below the root is what is mounted: /proc or /sys. */
		mr_finding_remedy(finding, "mount %.*s", (int)strcspn(path + 1, "/") + 1, path);
		break;
	case EACCES:
	case EPERM:
		mr_finding_remedy(finding, "ask as a user who may read %s", path);
		break;
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		mr_finding_remedy(finding, "ask again: there was no room to open it");
		break;
	default:
		mr_finding_remedy(finding, "see what it is: ls -ld %s", path);
	}
}
