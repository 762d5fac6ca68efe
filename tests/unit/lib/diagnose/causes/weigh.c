// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What tries make of a suspicion. */
#include "lib/diagnose/causes/weigh.h"

#include <errno.h>

#include "tests/unit/unit.h"

static const struct mr_cause cause = {
	.id = "MADE-UP",
	.cured_by = MR_CURED_BY(HALF) | MR_CURED_BY(FRESH_MEMORY),
};

enum { NOT_MADE = -1 };

struct row {
	const char *what;

	/* The first try is that of the call itself; MR_TRY_UNCHANGED after it: no more. */
	struct {
		enum mr_try_change change;
		int errnum;
	} tried[3];
	enum mr_certainty before, after;
	const char *evidence; /* of which "tried" tells; NULL: none */
};

#define CALL(errno)                                                                                \
	{                                                                                          \
		MR_TRY_UNCHANGED, errno                                                            \
	}
#define HALF(errno)                                                                                \
	{                                                                                          \
		MR_TRY_HALF, errno                                                                 \
	}
#define PAGE(errno)                                                                                \
	{                                                                                          \
		MR_TRY_PAGE, errno                                                                 \
	}
#define FRESH(errno)                                                                               \
	{                                                                                          \
		MR_TRY_FRESH_MEMORY, errno                                                         \
	}
#define NONE                                                                                       \
	{                                                                                          \
		MR_TRY_UNCHANGED, NOT_MADE                                                         \
	}
#define PASSES "so the call passes"

static const struct row rows[] = {
	{ "a cure", { CALL(EINVAL), PAGE(EINVAL), HALF(0) }, MR_POSSIBLE, MR_LIKELY, PASSES },
	{ "a cure", { CALL(EINVAL), PAGE(EINVAL), HALF(0) }, MR_LIKELY, MR_LIKELY, PASSES },
	{ "a cure", { CALL(EINVAL), HALF(0), NONE }, MR_CERTAIN, MR_CERTAIN, PASSES },
	{ "one is enough",
	  { CALL(EINVAL), HALF(EINVAL), FRESH(0) },
	  MR_POSSIBLE,
	  MR_LIKELY,
	  PASSES },
	{ "no cure", { CALL(EINVAL), PAGE(0), NONE }, MR_POSSIBLE, MR_POSSIBLE, NULL },
	{ "refused", { CALL(EINVAL), HALF(EINVAL), NONE }, MR_POSSIBLE, MR_RULED_OUT, NULL },
	{ "refused", { CALL(EINVAL), HALF(EINVAL), NONE }, MR_LIKELY, MR_RULED_OUT, NULL },
	{ "more is wrong", { CALL(EINVAL), HALF(EINVAL), NONE }, MR_CERTAIN, MR_CERTAIN, NULL },
	{ "another errno", { CALL(EINVAL), HALF(ENOMEM), NONE }, MR_POSSIBLE, MR_POSSIBLE, NULL },
	{ "of one try", { CALL(EINVAL), HALF(ENOMEM), FRESH(EINVAL) }, MR_LIKELY, MR_LIKELY, NULL },
	{ "not made", { CALL(EINVAL), HALF(NOT_MADE), NONE }, MR_POSSIBLE, MR_POSSIBLE, NULL },
	{ "it passes now", { CALL(0), NONE, NONE }, MR_CERTAIN, MR_POSSIBLE, PASSES },
	{ "it passes now", { CALL(0), NONE, NONE }, MR_LIKELY, MR_POSSIBLE, PASSES },
	{ "it passes now", { CALL(0), NONE, NONE }, MR_POSSIBLE, MR_POSSIBLE, NULL },
	{ "own context", { { MR_TRY_OWN_CONTEXT, 0 }, NONE, NONE }, MR_CERTAIN, MR_LIKELY, PASSES },
	{ "own context",
	  { { MR_TRY_OWN_CONTEXT, 0 }, NONE, NONE },
	  MR_POSSIBLE,
	  MR_POSSIBLE,
	  NULL },
	{ "a new region", { { MR_TRY_ANEW, 0 }, NONE, NONE }, MR_CERTAIN, MR_CERTAIN, NULL },
	{ "no longer EINVAL", { CALL(ENOMEM), HALF(0), NONE }, MR_POSSIBLE, MR_POSSIBLE, NULL },
	{ "stays so", { CALL(EINVAL), HALF(0), NONE }, MR_RULED_OUT, MR_RULED_OUT, NULL },
	{ "stays so", { CALL(EINVAL), HALF(0), NONE }, MR_UNRELATED, MR_UNRELATED, NULL },
	{ "no tries", { NONE, NONE, NONE }, MR_CERTAIN, MR_CERTAIN, NULL },
};

TEST(a_suspicion_comes_out_of_tries)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mr_suspicion suspicion = { .cause = &cause, .certainty = rows[i].before };
		struct mr_tries tries = { .is_refused_again = rows[i].tried[0].errnum == EINVAL };

		for (size_t k = 0; k < 3; k++) {
			struct mr_try *try = &tries.list[tries.count];

			if (rows[i].tried[k].change == MR_TRY_UNCHANGED &&
			    rows[i].tried[k].errnum == NOT_MADE)
				continue;
			tries.count++;
			*try = (struct mr_try){ .change = rows[i].tried[k].change,
						.made = rows[i].tried[k].errnum != NOT_MADE,
						.errnum = rows[i].tried[k].errnum };
			strcpy(try->words, "so");
		}
		mr_tries_weigh(&tries, &suspicion);
		assert_equal_for(rows[i].what, suspicion.certainty, rows[i].after);
		assert_equal_for(rows[i].what, suspicion.evidence_count, rows[i].evidence ? 1 : 0);
		if (rows[i].evidence) {
			assert_string_equal(suspicion.evidence[0].name, "tried");
			assert_string_equal(suspicion.evidence[0].text, rows[i].evidence);
		} else if (rows[i].after == MR_RULED_OUT && rows[i].before != MR_RULED_OUT) {
			assert_string_equal(suspicion.text, "so the call is refused as well");
		}
	}
}
