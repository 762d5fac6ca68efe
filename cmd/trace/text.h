/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The summary of mrctl trace for people. */
#ifndef CMD_TRACE_TEXT_H
#define CMD_TRACE_TEXT_H

#include "cmd/trace/rows.h"

/** trace_text() - print it on standard error: refusals with their causes, leaks, sums */
void trace_text(const struct invocation *invocation, const struct trace_row *row,
		const struct trace_result *result);

#endif
