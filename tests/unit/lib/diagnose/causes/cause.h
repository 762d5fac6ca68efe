/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Refusals on recorded hosts, and what is found out about their causes. */
#ifndef TESTS_UNIT_LIB_DIAGNOSE_CAUSES_CAUSE_H
#define TESTS_UNIT_LIB_DIAGNOSE_CAUSES_CAUSE_H

#include "lib/diagnose/causes/causes.h"
#include "lib/verbs/verbs.h"
#include "tests/unit/lib/diagnose/check.h"

#define UNRELATED MR_UNRELATED
#define RULED_OUT MR_RULED_OUT
#define POSSIBLE  MR_POSSIBLE
#define LIKELY    MR_LIKELY
#define CERTAIN   MR_CERTAIN /* it is the first cause, and no other one is certain */
/* It is the first cause, and none is certain. */
#define FIRST_LIKELY   (MR_CERTAINTIES + MR_LIKELY)
#define FIRST_POSSIBLE (MR_CERTAINTIES + MR_POSSIBLE)

#define WRITE          MR_ACCESS_LOCAL_WRITE
#define ON_DEMAND      MR_ACCESS_ON_DEMAND

/* The refusal of a row. */
static struct mr_environment environment;
static struct mr_refusal refusal;
static struct mr_diagnosis diagnosis;

/* The finding about a cause, or NULL. */
static inline const struct mr_suspicion *find_cause(const char *id)
{
	for (size_t i = 0; i < diagnosis.cause_count; i++)
		if (!strcmp(diagnosis.causes[i].cause->id, id))
			return &diagnosis.causes[i];
	return NULL;
}

static inline enum mr_certainty certainty_of(const char *id)
{
	const struct mr_suspicion *found = find_cause(id);

	for (size_t i = 0; i < diagnosis.ruled_out_count; i++)
		if (!strcmp(diagnosis.ruled_out[i].cause->id, id))
			return MR_RULED_OUT;
	return found ? found->certainty : MR_UNRELATED;
}

static inline bool is_complete(const struct mr_suspicion *suspicion)
{
	return suspicion->text[0] && suspicion->remedy[0] && suspicion->evidence_count;
}

static inline int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct mr_evidence *)a)->name, ((const struct mr_evidence *)b)->name);
}

/** expect_evidence() - compare what a cause shows with the rows of tests/cli/evidence.tsv */
static inline void expect_evidence(const struct mr_suspicion *suspicion)
{
	const bool is_own = suspicion->remedy[0] && strcmp(suspicion->remedy, suspicion->cause->remedy) != 0;
	struct mr_evidence sorted[MR_EVIDENCE_MAX];
	FILE *rows = fopen("tests/cli/evidence.tsv", "r");
	char shown[256], row[256];
	size_t keys;

	assert_non_null(rows);
	memcpy(sorted, suspicion->evidence, sizeof(sorted));
	qsort(sorted, suspicion->evidence_count, sizeof(*sorted), compare_names);
	snprintf(shown, sizeof(shown), "%s\t", suspicion->cause->id);
	for (size_t i = 0; i < suspicion->evidence_count; i++)
		snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown), "%s%s", i ? "," : "",
			 sorted[i].name);
	keys = strlen(shown);
	snprintf(shown + keys, sizeof(shown) - keys, "\t%s\n", is_own ? "own" : "general");
	while (fgets(row, sizeof(row), rows))
		if (!strncmp(row, shown, keys) && (!strcmp(row + keys, shown + keys) || !strcmp(row + keys, "\teither\n")))
			break;
	if (feof(rows))
		fail_msg("not in tests/cli/evidence.tsv: %s", shown);
	fclose(rows);
}

/**
 * expect_cause() - diagnose the refusal, and compare
 * @row:       for the message, if it is another one
 * @id:        NULL: no cause is found; "": none is certain
 * @certainty: of the cause
 * @says:      what its text or remedy has
 */
static inline void expect_cause(const char *row, const char *id, unsigned int certainty, const char *says)
{
	const struct mr_suspicion *first = diagnosis.causes, *found;
	const bool is_first = certainty > MR_CERTAINTIES || certainty == MR_CERTAIN;
	enum mr_certainty got;

	mr_diagnose(&refusal, &recorded.host, &diagnosis);
	for (size_t i = certainty == MR_CERTAIN; i < diagnosis.cause_count; i++)
		if (diagnosis.causes[i].certainty == MR_CERTAIN && (!id || !id[0] || is_first))
			fail_msg("%s: cause %zu is certain", row, i);
	if (!id || !id[0]) {
		if (!id && diagnosis.cause_count)
			fail_msg("%s: there are %zu causes", row, diagnosis.cause_count);
		return;
	}
	got = certainty_of(id);
	if (got != certainty % MR_CERTAINTIES)
		fail_msg("%s: %s is %s, not %s", row, id, mr_certainties[got].name,
			 mr_certainties[certainty % MR_CERTAINTIES].name);
	found = find_cause(id);
	if (found && found->certainty > MR_RULED_OUT)
		expect_evidence(found);
	if (is_first && (found != first || !is_complete(first)))
		fail_msg("%s: %s is the first cause", row, first->cause->id);
	if (says[0] && !strstr(found->text, says) && !strstr(found->remedy, says))
		fail_msg("%s: no '%s' in '%s' (%s)", row, says, found->text, found->remedy);
}

/** A call that is refused on the host of a row. */
struct refused {
	const char *changes, *what; /**< @what: as the function takes it that makes the refusal */
	int errnum;
	uint64_t length;
	uint32_t access;
	const char *id;
	unsigned int certainty;
	const char *says;
};

/** expect_rows() - make the refusal of each row, and compare */
static inline void expect_rows(const struct refused *rows, size_t count, void (*make)(const struct refused *row))
{
	char place[64];

	for (size_t i = 0; i < count; i++) {
		change(rows[i].changes);
		make(&rows[i]);
		snprintf(place, sizeof(place), "row %zu: %s", i, rows[i].changes);
		expect_cause(place, rows[i].id, rows[i].certainty, rows[i].says);
	}
}

#endif
