/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of what checks find on recorded hosts that no machine of ours is. */
#ifndef TESTS_UNIT_LIB_DIAGNOSE_CHECK_H
#define TESTS_UNIT_LIB_DIAGNOSE_CHECK_H

#include "lib/diagnose/diagnose.h"
#include "tests/unit/one_host.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* Most rows leave the last member out. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

typedef void check_function(const struct mr_question *question, struct mr_finding *finding);

/** A row: what changes on the host of the rows before, and what a check finds then. */
struct check_row {
	const char *changes; /**< as recorded_host_change() takes them */
	uint64_t size;       /**< bytes of a planned registration, 0: none */
	enum mr_verdict verdict;
	/** "PART|PART": each is in figure, detail or remedy, or in none of them if it begins with "!". */
	const char *says;
	uint64_t huge_size; /**< bytes of a page of planned memory in huge pages, 0: other memory */
};

#define NA      MR_VERDICT_NA
#define OK      MR_VERDICT_OK
#define UNKNOWN MR_VERDICT_UNKNOWN
#define WARN    MR_VERDICT_WARN
#define BAD     MR_VERDICT_BAD

/* Findings that no user could do anything about. */
static inline bool stays_unknown(const char *figure)
{
	static const char *const parts[] = { "/proc/self/status has no ", "use not known", "netns_mode of ",
					     "none of 2 devices", "does not show",  "rdma.max: Input",
					     "the control group: ",        "neither " };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(figure, parts[i]))
			return true;
	return false;
}

/** look() - do a check */
static inline struct mr_finding look_for(check_function *check, uint64_t size, uint64_t huge_size)
{
	const struct mr_question question = { .host = &recorded.host,
					      .size = { size, size != 0 },
					      .huge_size = huge_size };
	struct mr_finding finding = { 0 };

	check(&question, &finding);
	assert_true(finding.figure[0]);
	assert_equal_for(finding.figure, finding.remedy[0] != '\0',
			 finding.verdict >= MR_VERDICT_UNKNOWN && !stays_unknown(finding.figure));
	return finding;
}

static inline struct mr_finding look(check_function *check, uint64_t size)
{
	return look_for(check, size, 0);
}

static inline bool check_says(const struct mr_finding *finding, const char *says)
{
	char *copy = strdup(says), *rest = copy;
	bool says_all = true;

	for (char *part; (part = strsep(&rest, "|"));) {
		const bool is_not = part[0] == '!';

		says_all &=
			is_not != (strstr(finding->figure, part + is_not) || strstr(finding->detail, part + is_not) ||
				   strstr(finding->remedy, part + is_not));
	}
	free(copy);
	return says_all;
}

/** check_rows() - do a check on the host of each row */
static inline void check_rows(check_function *check, const struct check_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct mr_finding found;

		change(rows[i].changes);
		found = look_for(check, rows[i].size, rows[i].huge_size);
		if (found.verdict != rows[i].verdict || !check_says(&found, rows[i].says))
			fail_msg("row %zu, '%s', size %ju: %s '%s' (%s) try '%s', not %s '%s'", i, rows[i].changes,
				 (uintmax_t)rows[i].size, mr_verdicts[found.verdict].name, found.figure, found.detail,
				 found.remedy, mr_verdicts[rows[i].verdict].name, rows[i].says);
	}
}

#define CHECK(check, rows) check_rows(check, rows, ARRAY_SIZE(rows))

#endif
