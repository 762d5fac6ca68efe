/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of mrctl explain share. */
#ifndef CMD_EXPLAIN_ARGS_H
#define CMD_EXPLAIN_ARGS_H

#include "cmd/region/region.h"

struct explain_args {
	const char *call; /**< or NULL */
	bool list;
};

/** explain_lines() - explain a line of a log, or those on standard input where it is "-"; returns as run() */
int explain_lines(const struct invocation *invocation, const char *line, struct mr_error *err);

/** is_prose() - whether it is printed as sentences: nobody asked for records */
static inline bool is_prose(const struct output_style *style)
{
	return !style->json && !style->columns && !style->no_headings && !style->quiet;
}

#endif
