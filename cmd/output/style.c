// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/output/style.h"

const struct mr_word output_formats[OUTPUT_FORMATS + 1] = {
	[OUTPUT_TEXT] = MR_WORD("text", "lines and tables for people"),
	[OUTPUT_MARKDOWN] = MR_WORD("markdown", "the text in a fenced block, for a ticket"),
	[OUTPUT_OPENMETRICS] = MR_WORD("openmetrics", "metrics for monitoring"),
};
