// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/causes/weigh.h"

static void limit(struct mr_suspicion *suspicion, enum mr_certainty most,
		  const struct mr_try *passed)
{
	if (suspicion->certainty <= most)
		return;
	suspicion->certainty = most;
	mr_evidence_text(suspicion, "tried", "%s the call passes", passed->words);
}

/* Whether @try has answered 0. */
static bool has_passed(const struct mr_try *try)
{
	return try && !try->errnum;
}

static void weigh_cures(const struct mr_tries *tries, struct mr_suspicion *suspicion, int errnum)
{
	const struct mr_try *refused = NULL;
	bool is_other = false;

	for (size_t i = 0; i < tries->count; i++) {
		const struct mr_try *try = &tries->list[i];

		if (!try->made || !(suspicion->cause->cured_by >> try->change & 1))
			continue;
		if (has_passed(try)) {
			if (suspicion->certainty == MR_POSSIBLE)
				suspicion->certainty = MR_LIKELY;
			mr_evidence_text(suspicion, "tried", "%s the call passes", try->words);
			return;
		}
		refused = try;
		is_other |= try->errnum != errnum;
	}
	if (refused && !is_other && suspicion->certainty != MR_CERTAIN)
		mr_rule_out(suspicion, "%s the call is refused as well", refused->words);
}

void mr_tries_weigh(const struct mr_tries *tries, struct mr_suspicion *suspicion)
{
	const struct mr_try *again = mr_tries_find(tries, MR_TRY_UNCHANGED);
	const struct mr_try *own = mr_tries_find(tries, MR_TRY_OWN_CONTEXT);

	if (suspicion->certainty <= MR_RULED_OUT)
		return;
	if (has_passed(again))
		limit(suspicion, MR_POSSIBLE, again);
	else if (has_passed(own))
		limit(suspicion, MR_LIKELY, own);
	else if (tries->is_refused_again)
		weigh_cures(tries, suspicion, tries->list[0].errnum);
}
