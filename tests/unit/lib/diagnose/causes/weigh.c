// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What tries make of a suspicion. */
#include "lib/diagnose/causes/weigh.h"

#include <errno.h>

#include "tests/unit/unit.h"

static const struct mr_cause cause = {
	.id = "MADE-UP",
	.cured_by = MR_CURED_BY(HALF) | MR_CURED_BY(FRESH_MEMORY),
};

static struct mr_tries tries;
static struct mr_suspicion suspicion;

/* A try was made, and answered @errnum. */
static void tried(enum mr_try_change change, int errnum)
{
	struct mr_try *try = &tries.list[tries.count++];

	*try = (struct mr_try){ .change = change, .made = true, .errnum = errnum };
	snprintf(try->words, sizeof(try->words), "so");
}

/* The call itself was tried first. */
static void begin(enum mr_try_change first, int errnum)
{
	tries = (struct mr_tries){ .is_refused_again = errnum == EINVAL };
	tried(first, errnum);
}

/* A suspicion that is so certain comes out of the tries as what? */
static enum mr_certainty weighed(enum mr_certainty certainty)
{
	suspicion = (struct mr_suspicion){ .cause = &cause, .certainty = certainty };
	mr_tries_weigh(&tries, &suspicion);
	return suspicion.certainty;
}

/* The suspicion's evidence is that of one try, or none. */
static void evidence_is(const char *text)
{
	assert_int_equal(suspicion.evidence_count, text ? 1 : 0);
	if (!text)
		return;
	assert_string_equal(suspicion.evidence[0].name, "tried");
	assert_string_equal(suspicion.evidence[0].text, text);
}

TEST(a_change_that_cures_it_makes_it_likely_at_least)
{
	begin(MR_TRY_UNCHANGED, EINVAL);
	tried(MR_TRY_PAGE, EINVAL);
	tried(MR_TRY_HALF, 0);
	assert_int_equal(weighed(MR_POSSIBLE), MR_LIKELY);
	evidence_is("so the call passes");
	assert_int_equal(weighed(MR_LIKELY), MR_LIKELY);
	assert_int_equal(weighed(MR_CERTAIN), MR_CERTAIN);
	evidence_is("so the call passes");
}

TEST(a_change_that_does_not_cure_it_says_nothing_where_it_passes)
{
	begin(MR_TRY_UNCHANGED, EINVAL);
	tried(MR_TRY_PAGE, 0);
	assert_int_equal(weighed(MR_POSSIBLE), MR_POSSIBLE);
	evidence_is(NULL);
}

TEST(where_what_cures_it_is_refused_as_well_it_is_ruled_out)
{
	begin(MR_TRY_UNCHANGED, EINVAL);
	tried(MR_TRY_HALF, EINVAL);
	assert_int_equal(weighed(MR_POSSIBLE), MR_RULED_OUT);
	assert_string_equal(suspicion.text, "so the call is refused as well");
	assert_int_equal(weighed(MR_LIKELY), MR_RULED_OUT);
	/* Something else is wrong as well. */
	assert_int_equal(weighed(MR_CERTAIN), MR_CERTAIN);
	evidence_is(NULL);
}

TEST(one_change_that_cures_it_is_enough)
{
	begin(MR_TRY_UNCHANGED, EINVAL);
	tried(MR_TRY_HALF, EINVAL);
	tried(MR_TRY_FRESH_MEMORY, 0);
	assert_int_equal(weighed(MR_POSSIBLE), MR_LIKELY);
}

TEST(what_is_refused_for_another_reason_rules_nothing_out)
{
	begin(MR_TRY_UNCHANGED, EINVAL);
	tried(MR_TRY_HALF, ENOMEM);
	assert_int_equal(weighed(MR_POSSIBLE), MR_POSSIBLE);
	tried(MR_TRY_FRESH_MEMORY, EINVAL);
	assert_int_equal(weighed(MR_LIKELY), MR_LIKELY);
	evidence_is(NULL);
}

TEST(what_could_not_be_tried_says_nothing)
{
	begin(MR_TRY_UNCHANGED, EINVAL);
	tried(MR_TRY_HALF, 0);
	tries.list[1].made = false;
	assert_int_equal(weighed(MR_POSSIBLE), MR_POSSIBLE);
	evidence_is(NULL);
}

TEST(what_passes_unchanged_has_passed_away)
{
	begin(MR_TRY_UNCHANGED, 0);
	assert_int_equal(weighed(MR_CERTAIN), MR_POSSIBLE);
	evidence_is("so the call passes");
	assert_int_equal(weighed(MR_LIKELY), MR_POSSIBLE);
	assert_int_equal(weighed(MR_POSSIBLE), MR_POSSIBLE);
	evidence_is(NULL);
}

TEST(what_passes_in_a_context_of_its_own_is_not_certain)
{
	begin(MR_TRY_OWN_CONTEXT, 0);
	assert_int_equal(weighed(MR_CERTAIN), MR_LIKELY);
	evidence_is("so the call passes");
	assert_int_equal(weighed(MR_POSSIBLE), MR_POSSIBLE);
}

TEST(a_new_region_in_place_of_a_change_says_nothing_of_the_change)
{
	begin(MR_TRY_ANEW, 0);
	assert_int_equal(weighed(MR_CERTAIN), MR_CERTAIN);
	evidence_is(NULL);
}

TEST(another_answer_than_before_says_nothing)
{
	begin(MR_TRY_UNCHANGED, ENOMEM);
	tried(MR_TRY_HALF, 0);
	assert_int_equal(weighed(MR_POSSIBLE), MR_POSSIBLE);
	evidence_is(NULL);
}

TEST(what_is_ruled_out_or_unrelated_stays_so)
{
	begin(MR_TRY_UNCHANGED, EINVAL);
	tried(MR_TRY_HALF, 0);
	assert_int_equal(weighed(MR_RULED_OUT), MR_RULED_OUT);
	assert_int_equal(weighed(MR_UNRELATED), MR_UNRELATED);
	evidence_is(NULL);
}

TEST(without_tries_nothing_changes)
{
	tries = (struct mr_tries){ .count = 0 };
	assert_int_equal(weighed(MR_CERTAIN), MR_CERTAIN);
	evidence_is(NULL);
}
