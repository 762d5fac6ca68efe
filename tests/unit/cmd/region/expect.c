// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --expect: whether the answers are the expected ones. */
#include <errno.h>

#include "cmd/cli/cli.h"
#include "cmd/region/region.h"
#include "tests/unit/unit.h"

TEST(answers_are_expected_if_each_was_listed)
{
	static const struct {
		bool ok;
		int listed;
		enum mr_error_kind kind;
		int answers[3];
		bool holds;
	} rows[] = {
		/* a failure of the host is no answer of the RDMA stack */
		{ false, ENOMEM, MR_ERROR_HOST, { ENOMEM }, false },
		{ false, ENODEV, MR_ERROR_ABSENT, { ENODEV }, false },
		/* numbers behind all names */
		{ false, 575, MR_ERROR_REFUSED, { 575 }, true },
		{ false, 575, MR_ERROR_REFUSED, { 576 }, false },
		{ false, 575, MR_ERROR_REFUSED, { 100000 }, false },
		{ false, 575, MR_ERROR_REFUSED, { -1 }, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct expect_option expect = { .given = true, .ok = rows[i].ok };
		struct failures failures = { 0 };
		struct mr_error err;

		if (rows[i].listed)
			expect.errnums[rows[i].listed / 64] = UINT64_C(1) << rows[i].listed % 64;
		for (const int *answer = rows[i].answers; *answer; answer++) {
			if (rows[i].kind == MR_ERROR_ABSENT) /* no call has reported it */
				mr_fail_text(&err, rows[i].kind, *answer, "no device");
			else
				mr_fail(&err, rows[i].kind, *answer, "ibv_reg_mr", NULL);
			failures_add(&failures, &err, 1, 0, "library", NULL, NULL, NULL);
		}
		if (expect_holds(&expect, &failures) != rows[i].holds)
			fail_msg("row %zu", i);
		failures_release(&failures);
	}
}
