/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_DEREG_ARGS_H
#define CMD_DEREG_ARGS_H

#include "cmd/cli/option_types.h"

/** The options of dereg. */
struct dereg_args {
	bool all;
	bool listed;
	bool flush;
	const char *pd;
	struct mr_opt_u64 defer_for;
	struct expect_option expect;
};

#endif
