/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tests of checks have in common: a recorded host that they make up, and a look at it. */
#ifndef TESTS_UNIT_LIB_DIAGNOSE_CHECK_H
#define TESTS_UNIT_LIB_DIAGNOSE_CHECK_H

#include "lib/diagnose/finding.h"
#include "tests/unit/recorded_host.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/** The host; it holds nothing at first. */
static struct recorded_host recorded;

static inline int set_up(void **state)
{
	(void)state;
	unsetenv("SYSFS_PATH");
	recorded_host_begin(&recorded);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	recorded_host_end(&recorded);
	return 0;
}

/** put() - write a file of the host */
static inline void put(const char *path, const char *text)
{
	recorded_host_put(&recorded, path, text);
}

/** call() - write what a call has answered; @kind: such as "link" (lib/host/root.h) */
static inline void call(const char *kind, const char *path, const char *text)
{
	recorded_host_call(&recorded, kind, path, text);
}

/** look() - do a check; @size: bytes of a planned registration, 0: none */
static inline struct mr_finding look(void (*check)(const struct mr_question *, struct mr_finding *),
				     uint64_t size)
{
	const struct mr_question question = { .host = &recorded.host,
						.size = { size, size != 0 } };
	struct mr_finding finding = { 0 };

	check(&question, &finding);
	assert_true(finding.figure[0]);
	if (finding.verdict != MR_VERDICT_UNKNOWN)
		assert_int_equal(finding.remedy[0] != '\0', finding.verdict > MR_VERDICT_UNKNOWN);
	return finding;
}

#define CHECK(...)             const struct mr_finding found = look(__VA_ARGS__)
#define VERDICT(verdict_, ...) assert_int_equal(look(__VA_ARGS__).verdict, MR_VERDICT_##verdict_)
#define FIGURE(part, ...)      assert_contains(look(__VA_ARGS__).figure, part)

#endif
