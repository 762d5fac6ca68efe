/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_CLI_EXPECT_OPTION_H
#define CMD_CLI_EXPECT_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"

struct mr_cause;

/** An errno that is expected for a cause. */
struct expected_cause {
	int errnum;
	const struct mr_cause *cause;
};

/** Answers of the stack that a script expects. */
struct expect_option {
	bool given;
	bool ok;
	uint64_t errnums[9]; /**< one bit for each errno, for whatever cause */
	struct expected_cause causes[16];
	size_t cause_count;
};

/** expect_option_read() - read the value of --expect, as read() of struct option_type */
int expect_option_read(const char *text, void *member, struct mr_error *err);

#endif
