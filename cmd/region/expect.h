/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --expect: whether the stack answered so, and what it answered instead. */
#ifndef CMD_REGION_EXPECT_H
#define CMD_REGION_EXPECT_H

#include "cmd/cli/option_types.h"
#include "cmd/region/failures.h"

/** expect_has() - whether the stack's refusal @err is one of the expected answers */
bool expect_has(const struct expect_option *expect, const struct mr_error *err);

/**
 * expect_holds() - did the stack answer as @expect says?
 *
 * Without failures the answer was "ok".  What prepares a call (mmap, …) is no answer of the
 * stack, so its failure is never expected.
 */
bool expect_holds(const struct expect_option *expect, const struct failures *failures);

/** Room for expect_text(): some names of errnos. */
#define EXPECT_TEXT 256

/**
 * expect_text() - "expected EFAULT or ENOMEM, got ok", where it does not hold
 * @text: EXPECT_TEXT bytes; cut where they do not do
 */
const char *expect_text(const struct expect_option *expect, const struct failures *failures,
			char *text);

#endif
