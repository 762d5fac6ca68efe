// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "lib/diagnose/causes/cause.h"

const struct mr_word mr_certainties[MR_CERTAINTIES + 1] = {
	[MR_UNRELATED] = MR_WORD("unrelated", "has nothing to do with the call"),
	[MR_RULED_OUT] = MR_WORD("ruled-out", "the evidence excludes it"),
	[MR_POSSIBLE] = MR_WORD("possible", "nothing speaks against it"),
	[MR_LIKELY] = MR_WORD("likely", "the evidence speaks for it"),
	[MR_CERTAIN] = MR_WORD("certain", "the evidence excludes all others"),
};

bool mr_cause_speaks_for(const struct mr_cause *cause, uint32_t operations, int errnum)
{
	if (operations && !(cause->operations & operations))
		return false;
	if (!errnum || !cause->errnums[0])
		return true;
	for (const int *number = cause->errnums; *number; number++)
		if (*number == errnum)
			return true;
	return false;
}

void mr_suspect(struct mr_suspicion *suspicion, enum mr_certainty certainty, const char *fmt, ...)
{
	va_list ap;

	suspicion->certainty = certainty;
	va_start(ap, fmt);
	vsnprintf(suspicion->text, sizeof(suspicion->text), fmt, ap);
	va_end(ap);
}

void mr_rule_out(struct mr_suspicion *suspicion, const char *fmt, ...)
{
	va_list ap;

	suspicion->certainty = MR_RULED_OUT;
	va_start(ap, fmt);
	vsnprintf(suspicion->text, sizeof(suspicion->text), fmt, ap);
	va_end(ap);
}

void mr_suspect_remedy(struct mr_suspicion *suspicion, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(suspicion->remedy, sizeof(suspicion->remedy), fmt, ap);
	va_end(ap);
}

static struct mr_evidence *add_evidence(struct mr_suspicion *suspicion, const char *name)
{
	static struct mr_evidence surplus; /* is never read */
	struct mr_evidence *evidence = suspicion->evidence_count < MR_EVIDENCE_MAX
					       ? &suspicion->evidence[suspicion->evidence_count++]
					       : &surplus;

	evidence->name = name;
	evidence->is_number = false;
	evidence->number = 0;
	return evidence;
}

void mr_evidence_number(struct mr_suspicion *suspicion, const char *name, uint64_t number)
{
	struct mr_evidence *evidence = add_evidence(suspicion, name);

	evidence->is_number = true;
	evidence->number = number;
}

void mr_evidence_limit(struct mr_suspicion *suspicion, const char *name, uint64_t limit)
{
	if (limit == UINT64_MAX)
		mr_evidence_text(suspicion, name, "unlimited");
	else
		mr_evidence_number(suspicion, name, limit);
}

void mr_evidence_hex(struct mr_suspicion *suspicion, const char *name, uint64_t number)
{
	mr_evidence_text(suspicion, name, "0x%" PRIx64, number);
}

void mr_evidence_text(struct mr_suspicion *suspicion, const char *name, const char *fmt, ...)
{
	struct mr_evidence *evidence = add_evidence(suspicion, name);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(evidence->text, sizeof(evidence->text), fmt, ap);
	va_end(ap);
}
