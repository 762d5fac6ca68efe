/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --expect: whether the stack gave one of the expected answers, and which it gave instead. */
#ifndef CMD_REGION_EXPECT_H
#define CMD_REGION_EXPECT_H

#include "cmd/cli/option_types.h"
#include "cmd/region/failures.h"

/**
 * expect_has() - whether @err is a refusal of the stack, and one of the expected answers
 * @why: its diagnosis, or NULL
 */
bool expect_has(const struct expect_option *expect, const struct mr_error *err,
		const struct why *why);

/**
 * expect_holds() - whether the stack gave only answers that @expect has
 *
 * Without failures the answer was "ok".  The failure of a step before the call (mmap, …) is no answer of the
 * stack, so it is never an expected one.
 */
bool expect_holds(const struct expect_option *expect, const struct failures *failures);

/** Room for expect_text(): some names of errnos. */
#define EXPECT_TEXT 256

/**
 * expect_text() - how the answers differ from the expected ones: "expected EFAULT or ENOMEM, got ok"
 * @text: room for EXPECT_TEXT bytes, to which the sentence is cut
 *
 * To be called if expect_holds() is false.
 *
 * Return: @text.
 */
const char *expect_text(const struct expect_option *expect, const struct failures *failures,
			char *text);

#endif
